// SPDX-License-Identifier: MIT

// Package gpufilter is a client of gpufilterd in Go alone: it speaks protocol.md of gpufilterd-doc and needs no
// library. ops.go, which gen prints, has the parameters of the operations, and the names of types and statuses.
//
//	client, err := gpufilter.Dial("/run/gpufilter/gpufilterd.sock")
//	...
//	blur := gpufilter.NewGaussian()
//	blur.Sigma = []float32{3}
//	outputs, err := client.Run(ctx, &gpufilter.Program{
//		Operands: []gpufilter.Operand{{View: gpufilter.Tight(gpufilter.U8, 3, 640, 480), Data: pixels}},
//		Steps:    []gpufilter.Step{{Params: blur, Inputs: []gpufilter.Input{gpufilter.FromOperand(0)}}},
//		Results:  []gpufilter.Result{{}},
//	})
//
// A Client may be used by any number of goroutines. It does not connect again when its connection has ended. Resident
// buffers, INFO and spans are left out; protocol.md of gpufilterd-doc has them.
package gpufilter

//go:generate sh -c "gpufilter-client ops --json >ops.json && go run ./gen ops.json >ops.go"

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"sync"
	"time"
)

const (
	frameHello      = 1
	frameHelloReply = 2
	frameRun        = 3
	frameResult     = 4
	frameError      = 5
	frameCancel     = 6
	framePing       = 7
	framePong       = 8
	frameArena      = 9
	frameArenaDrop  = 10
	frameDone       = 14

	attrStatus     = 1
	attrText       = 2
	attrNeeded     = 3
	attrRetryMs    = 4
	attrVersionMin = 5
	attrVersionMax = 6
	attrSoftware   = 8
	attrLimit      = 10
	attrDevice     = 11
	attrDeadlineMs = 18
	attrOperand    = 19
	attrStep       = 20
	attrResult     = 21
	attrOutput     = 22
	attrArena      = 24
	attrSize       = 25

	typeU32    = 1
	typeU64    = 2
	typeF32    = 3
	typeEnum   = 4
	typeString = 5
	typeBytes  = 6
	typeF64    = 7

	wayInline = 1
	wayArena  = 2

	headerSize  = 32
	maxBody     = 65536
	inlineAlign = 64
	limitInline = 1
	limitAhead  = 2
)

var le = binary.LittleEndian

// Error is the answer to a request that failed, or the reason why the daemon ended the connection.
type Error struct {
	Status Status
	Text   string
	Needed uint64        // bytes, where the status is about bytes
	Retry  time.Duration // time before a retry; 0 if the daemon does not say
}

func (e *Error) Error() string { return e.Status.String() + ": " + e.Text }

// View is the shape of data. A Pitch of 0 stands for rows without gaps.
type View struct {
	DType         DType
	Channels      uint8
	Width, Height uint64
	Pitch         uint64 // bytes from row to row
}

// Tight is a view without gaps between rows.
func Tight(dtype DType, channels uint8, width, height uint64) View {
	return View{dtype, channels, width, height, width * uint64(channels) * dtype.Size()}
}

func (v View) row() uint64 { return v.Width * uint64(v.Channels) * v.DType.Size() }

// Bytes is the number of bytes from the first to past the last sample.
func (v View) Bytes() uint64 {
	if v.Height == 0 {
		return 0
	}
	return (v.Height-1)*max(v.Pitch, v.row()) + v.row()
}

func max(a, b uint64) uint64 {
	if a > b {
		return a
	}
	return b
}

// Operand is data of a program: in Data, which is sent with the request, or, if Arena is not nil, there at Offset.
type Operand struct {
	View   View
	Data   []byte
	Arena  *Arena
	Offset uint64
}

// Input of a step: an operand, or an output of an earlier step. Both count from 0.
type Input struct {
	kind, output byte
	index        uint16
}

func FromOperand(index int) Input      { return Input{0, 0, uint16(index)} }
func FromStep(index, output int) Input { return Input{1, byte(output), uint16(index)} }
func Nothing() Input                   { return Input{kind: 2} }

// Params are the parameters of an operation, which they name: NewGaussian() and so on.
type Params interface {
	op() uint32
	put(*body)
}

type Step struct {
	Params Params
	Inputs []Input
}

// Result asks for an output of a step: with the answer, or, if Arena is not nil, there at Offset in up to Length bytes.
type Result struct {
	Step, Output   int
	Arena          *Arena
	Offset, Length uint64
}

// Program is work for the daemon. The deadline is that of the context.
type Program struct {
	Device   string // "" stands for auto
	Operands []Operand
	Steps    []Step
	Results  []Result
}

// Output is a result. Data is part of the answer, or of the arena.
type Output struct {
	View View
	Data []byte
}

// body is a sequence of attributes.
type body struct{ bytes []byte }

func (b *body) attr(id uint16, kind byte, value []byte) {
	b.bytes = le.AppendUint16(b.bytes, id)
	b.bytes = append(b.bytes, kind, 0)
	b.bytes = le.AppendUint32(b.bytes, uint32(len(value)))
	b.bytes = append(b.bytes, value...)
	b.bytes = append(b.bytes, make([]byte, -len(value)&7)...)
}

func (b *body) u32(id uint16, value uint32)    { b.attr(id, typeU32, le.AppendUint32(nil, value)) }
func (b *body) text(id uint16, value string)   { b.attr(id, typeString, []byte(value)) }
func (b *body) record(id uint16, value []byte) { b.attr(id, typeBytes, value) }

// put adds a parameter, unless it has its default value or none.
func put[T uint32 | float32 | float64](b *body, id uint16, kind byte, values []T, defaults ...T) {
	same := len(values) == len(defaults)
	for i := 0; same && i < len(values); i++ {
		same = values[i] == defaults[i]
	}
	if same || len(values) == 0 {
		return
	}
	var bytes []byte
	for _, value := range values {
		switch v := any(value).(type) {
		case uint32:
			bytes = le.AppendUint32(bytes, v)
		case float32:
			bytes = le.AppendUint32(bytes, math.Float32bits(v))
		case float64:
			bytes = le.AppendUint64(bytes, math.Float64bits(v))
		}
	}
	b.attr(id, kind, bytes)
}

func one[T any](value T) []T { return []T{value} }

func putText(b *body, id uint16, value string) {
	if value != "" {
		b.text(id, value)
	}
}

type attr struct {
	id    uint16
	value []byte
}

// attrs splits the body of an answer; attributes of unknown ids are the caller's to ignore.
func attrs(bytes []byte) (found []attr, err error) {
	for len(bytes) >= 8 {
		n := int(le.Uint32(bytes[4:]))
		if n < 0 || n > len(bytes)-8 {
			break
		}
		found = append(found, attr{le.Uint16(bytes), bytes[8 : 8+n]})
		bytes = bytes[8+n+(-n&7):]
	}
	if len(bytes) > 0 {
		return nil, fmt.Errorf("gpufilter: malformed answer")
	}
	return found, nil
}

func appendView(bytes []byte, v View) []byte {
	bytes = append(bytes, byte(v.DType), v.Channels, 0, 0, 0, 0, 0, 0)
	for _, n := range []uint64{v.Width, v.Height, max(v.Pitch, v.row())} {
		bytes = le.AppendUint64(bytes, n)
	}
	return bytes
}

func appendPlace(bytes []byte, id uint32, offset, length uint64) []byte {
	bytes = le.AppendUint32(bytes, id)
	bytes = le.AppendUint64(bytes, offset)
	return le.AppendUint64(bytes, length)
}

// encode makes body and payload of RUN.
func (p *Program) encode(deadline time.Duration) (*body, net.Buffers, uint64) {
	b := &body{}
	var payload net.Buffers
	var size uint64
	if p.Device != "" {
		b.text(attrDevice, p.Device)
	}
	if deadline > 0 {
		b.u32(attrDeadlineMs, uint32(max(1, uint64(deadline.Milliseconds()))))
	}
	for _, o := range p.Operands {
		way, id, offset, length := byte(wayInline), uint32(0), o.Offset, uint64(len(o.Data))
		if o.Arena != nil {
			way, id, length = wayArena, o.Arena.id, o.View.Bytes()
		} else {
			offset = (size + inlineAlign - 1) &^ (inlineAlign - 1)
			payload = append(payload, make([]byte, offset-size), o.Data)
			size = offset + length
		}
		b.record(attrOperand, appendView(appendPlace([]byte{way, 0, 0, 0}, id, offset, length), o.View))
	}
	for _, s := range p.Steps {
		record := le.AppendUint32(nil, s.Params.op())
		record = append(record, byte(len(s.Inputs)), 0, 0, 0)
		for _, in := range s.Inputs {
			record = le.AppendUint16(append(record, in.kind, in.output), in.index)
		}
		b.record(attrStep, record)
		s.Params.put(b)
	}
	for _, r := range p.Results {
		record := append(le.AppendUint16(nil, uint16(r.Step)), byte(r.Output), wayInline)
		if r.Arena != nil {
			record[3] = wayArena
			record = appendPlace(record, r.Arena.id, r.Offset, r.Length)
		} else {
			record = appendPlace(record, 0, 0, 0)
		}
		b.record(attrResult, le.AppendUint64(record, 0))
	}
	return b, payload, size
}

// outputs reads a RESULT.
func (p *Program) outputs(a *answer) (outputs []Output, err error) {
	for _, at := range a.attrs {
		if at.id != attrOutput {
			continue
		}
		if len(at.value) != 48 || len(outputs) == len(p.Results) {
			return nil, fmt.Errorf("gpufilter: malformed output")
		}
		v := at.value
		out := Output{View: View{DType(v[0]), v[1], le.Uint64(v[8:]), le.Uint64(v[16:]), le.Uint64(v[24:])}}
		offset, length, from := le.Uint64(v[32:]), le.Uint64(v[40:]), a.payload
		if arena := p.Results[len(outputs)].Arena; arena != nil {
			from = arena.Bytes
		}
		if offset > uint64(len(from)) || length > uint64(len(from))-offset {
			return nil, fmt.Errorf("gpufilter: an output lies outside its memory")
		}
		out.Data = from[offset : offset+length : offset+length]
		outputs = append(outputs, out)
	}
	if len(outputs) != len(p.Results) {
		return nil, fmt.Errorf("gpufilter: %d outputs instead of %d", len(outputs), len(p.Results))
	}
	return outputs, nil
}

type answer struct {
	kind    uint16
	attrs   []attr
	payload []byte
}

// Client is a connection.
type Client struct {
	conn    *net.UnixConn
	limits  map[uint32]uint64
	slots   chan struct{} // one for each request in flight
	sending sync.Mutex

	mutex   sync.Mutex // of what follows
	nextID  uint64
	arenas  uint32
	pending map[uint64]chan *answer // nil once the connection has ended
	ended   error
}

// Dial connects and greets.
func Dial(path string) (*Client, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	c := &Client{conn: conn, limits: map[uint32]uint64{limitInline: 256 << 20, limitAhead: 64},
		slots: make(chan struct{}, 1), pending: map[uint64]chan *answer{}}
	go c.read()
	hello := &body{}
	hello.u32(attrVersionMin, 1)
	hello.u32(attrVersionMax, 1)
	hello.text(attrSoftware, "gpufilter-go 1.0")
	a, err := c.ask(context.Background(), frameHello, frameHelloReply, hello, nil, 0, nil)
	if err != nil {
		c.Close()
		return nil, err
	}
	for _, at := range a.attrs {
		if at.id == attrLimit && len(at.value) == 16 {
			c.limits[le.Uint32(at.value)] = le.Uint64(at.value[8:])
		}
	}
	// The daemon reads no further than so many requests: with one fewer it still reads CANCEL.
	c.slots = make(chan struct{}, max(2, c.limits[limitAhead])-1)
	return c, nil
}

// Close ends the connection, which cancels the requests in flight.
func (c *Client) Close() error { return c.conn.Close() }

// Run has a program computed. If the context ends before, the request is cancelled, and the error is usually that of
// Status CANCELLED or DEADLINE; the outputs arrive if it was too late. The operands must not change until Run returns.
func (c *Client) Run(ctx context.Context, p *Program) ([]Output, error) {
	var left time.Duration
	if deadline, ok := ctx.Deadline(); ok {
		left = time.Until(deadline)
	}
	b, payload, size := p.encode(left)
	a, err := c.ask(ctx, frameRun, frameResult, b, payload, size, nil)
	if err != nil {
		return nil, err
	}
	return p.outputs(a)
}

// Ping makes a round trip.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.ask(ctx, framePing, framePong, &body{}, nil, 0, nil)
	return err
}

// ask sends a request, with a descriptor if file is not nil, and waits for its answer.
func (c *Client) ask(ctx context.Context, kind, want uint16, b *body, payload net.Buffers, size uint64,
	file *os.File) (*answer, error) {
	if len(b.bytes) > maxBody || size > c.limits[limitInline] {
		return nil, &Error{Status: StatusTooLarge, Text: "the request is larger than the daemon takes"}
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answers := make(chan *answer, 1)
	c.mutex.Lock()
	c.nextID++
	id := c.nextID
	if c.pending == nil {
		defer c.mutex.Unlock()
		return nil, c.ended
	}
	c.pending[id] = answers
	c.mutex.Unlock()
	if err := c.send(kind, id, b, payload, size, file); err != nil {
		c.conn.Close() // the reader then ends every request
	}
	done := ctx.Done()
	for {
		select {
		case a := <-answers:
			if a == nil {
				return nil, c.ended
			}
			if a.kind == frameError {
				return nil, a.err()
			}
			if a.kind != want {
				return nil, fmt.Errorf("gpufilter: answer of kind %d", a.kind)
			}
			return a, nil
		case <-done:
			done = nil
			if err := c.send(frameCancel, id, &body{}, nil, 0, nil); err != nil {
				c.conn.Close()
			}
		}
	}
}

// send writes a frame; a descriptor goes with its first byte.
func (c *Client) send(kind uint16, id uint64, b *body, payload net.Buffers, size uint64, file *os.File) error {
	frame := append([]byte("GFPW"), 1, 0)
	frame = le.AppendUint16(frame, kind)
	frame = append(frame, 0, 0, 0, 0)
	frame = le.AppendUint32(frame, uint32(len(b.bytes)))
	frame = le.AppendUint64(frame, id)
	frame = append(le.AppendUint64(frame, size), b.bytes...)
	c.sending.Lock()
	defer c.sending.Unlock()
	if file != nil {
		frame[10] = 1
		n, _, err := c.conn.WriteMsgUnix(frame, rights(file), nil)
		if err != nil {
			return err
		}
		frame = frame[n:]
	}
	buffers := append(net.Buffers{frame}, payload...)
	_, err := buffers.WriteTo(c.conn)
	return err
}

// read hands every answer to its request until the connection ends.
func (c *Client) read() {
	var err error
	for err == nil {
		err = c.readFrame()
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.ended = err
	for _, answers := range c.pending {
		answers <- nil
	}
	c.pending = nil
}

func (c *Client) readFrame() error {
	var header [headerSize]byte
	if _, err := io.ReadFull(c.conn, header[:]); err != nil {
		return err
	}
	length, size := le.Uint32(header[12:]), le.Uint64(header[24:])
	if string(header[:4]) != "GFPW" || le.Uint16(header[4:]) != 1 || length > maxBody || length%8 != 0 || size > 1<<31 {
		return fmt.Errorf("gpufilter: malformed frame")
	}
	bytes := make([]byte, uint64(length)+size)
	if _, err := io.ReadFull(c.conn, bytes); err != nil {
		return err
	}
	found, err := attrs(bytes[:length])
	if err != nil {
		return err
	}
	a, id := &answer{le.Uint16(header[6:]), found, bytes[length:]}, le.Uint64(header[16:])
	if id == 0 && a.kind == frameError { // the connection's last frame
		return a.err()
	}
	c.mutex.Lock()
	answers := c.pending[id]
	delete(c.pending, id)
	c.mutex.Unlock()
	if answers != nil {
		answers <- a
	}
	return nil
}

func (a *answer) err() error {
	e := &Error{}
	for _, at := range a.attrs {
		switch {
		case at.id == attrStatus && len(at.value) == 4:
			e.Status = Status(le.Uint32(at.value))
		case at.id == attrText:
			e.Text = string(at.value)
		case at.id == attrNeeded && len(at.value) == 8:
			e.Needed = le.Uint64(at.value)
		case at.id == attrRetryMs && len(at.value) == 4:
			e.Retry = time.Duration(le.Uint32(at.value)) * time.Millisecond
		}
	}
	return e
}
