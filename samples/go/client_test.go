// SPDX-License-Identifier: MIT

package gpufilter

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"
)

const width, height = 96, 64

func dial(t *testing.T) *Client {
	client, err := Dial(os.Getenv("GPUFILTER_SOCKET"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func picture() []byte {
	pixels := make([]byte, width*height*3)
	for i := range pixels {
		pixels[i] = byte(uint32(i) * 2654435761 >> 24)
	}
	return pixels
}

// step makes a program of one step over one inline operand.
func step(params Params, view View, data []byte) *Program {
	return &Program{
		Operands: []Operand{{View: view, Data: data}},
		Steps:    []Step{{Params: params, Inputs: []Input{FromOperand(0)}}},
		Results:  []Result{{}},
	}
}

func run(t *testing.T, client *Client, p *Program) []Output {
	outputs, err := client.Run(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// fails runs a program that the daemon refuses, then one that it computes: the connection lives.
func fails(t *testing.T, client *Client, p *Program, want Status) {
	var e *Error
	if _, err := client.Run(context.Background(), p); !errors.As(err, &e) || e.Status != want || e.Text == "" {
		t.Fatalf("%v instead of %v", err, want)
	}
	run(t, client, step(NewFlip(), Tight(U8, 3, width, height), picture()))
}

func TestArenaGivesTheBytesOfInline(t *testing.T) {
	client, pixels, view := dial(t), picture(), Tight(U8, 3, width, height)
	blur := NewGaussian()
	blur.Sigma = []float32{3}
	blur.Border = BorderReflect
	inline := run(t, client, step(blur, view, pixels))[0]
	if inline.View != view || bytes.Equal(inline.Data, pixels) {
		t.Fatalf("not blurred: %+v", inline.View)
	}
	arena, err := client.NewArena(context.Background(), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	copy(arena.Bytes[4096:], pixels)
	p := step(blur, view, nil)
	p.Operands[0] = Operand{View: view, Arena: arena, Offset: 4096}
	p.Results = []Result{{Arena: arena, Offset: 65536, Length: view.Bytes()}, {}}
	for i, out := range run(t, client, p) {
		if out.View != view || !bytes.Equal(out.Data, inline.Data) {
			t.Errorf("output %d differs", i)
		}
	}
	if !bytes.Equal(arena.Bytes[65536:65536+len(pixels)], inline.Data) {
		t.Error("the result is not in the arena")
	}
	if err := arena.Free(context.Background()); err != nil {
		t.Error(err)
	}
	fails(t, client, p, StatusNoSuchArena)
}

func TestWordsAndSteps(t *testing.T) {
	client, pixels, view := dial(t), picture(), Tight(U8, 1, width, height)
	pixels = pixels[:width*height]
	turn := NewRotate()
	turn.Angle = RotateAngle180
	p := step(turn, view, pixels)
	counts := NewHistogram()
	counts.Bins = 256
	p.Steps = append(p.Steps, Step{counts, []Input{FromStep(0, 0)}})
	p.Results = append(p.Results, Result{Step: 1})
	outputs := run(t, client, p)
	for i := range pixels {
		if outputs[0].Data[i] != pixels[len(pixels)-1-i] {
			t.Fatalf("sample %d is %d", i, outputs[0].Data[i])
		}
	}
	var want [256]uint64
	for _, sample := range pixels {
		want[sample]++
	}
	size := int(outputs[1].View.DType.Size())
	for i, n := range want {
		var got [8]byte
		copy(got[:], outputs[1].Data[i*size:(i+1)*size])
		if binary.LittleEndian.Uint64(got[:]) != n {
			t.Errorf("bin %d has %v, not %d", i, got, n)
		}
	}
}

type unknown struct{}

func (unknown) op() uint32 { return 0xfff0 }
func (unknown) put(*body)  {}

func TestRefusals(t *testing.T) {
	client, pixels, view := dial(t), picture(), Tight(U8, 3, width, height)
	fails(t, client, step(unknown{}, view, pixels), StatusUnknownOp)
	blur := NewGaussian()
	blur.Sigma = []float32{-1}
	fails(t, client, step(blur, view, pixels), StatusBadParam)
	fails(t, client, step(NewGaussian(), view, pixels[1:]), StatusBadRequest)
}

func (c *Client) inFlight() int {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return len(c.pending)
}

func TestCancel(t *testing.T) {
	client := dial(t)
	view := Tight(U16, 1, 4096, 4096)
	slow := NewMedian()
	slow.Size = []uint32{255}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		_, err := client.Run(ctx, step(slow, view, make([]byte, view.Bytes())))
		ended <- err
	}()
	for client.inFlight() == 0 {
		runtime.Gosched()
	}
	if err := client.Ping(context.Background()); err != nil {
		t.Fatal(err)
	}
	cancel()
	var e *Error
	if err := <-ended; !errors.As(err, &e) || e.Status != StatusCancelled {
		t.Fatal(err)
	}
	ctx, cancel = context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := client.Run(ctx, step(slow, view, make([]byte, view.Bytes())))
	told := errors.As(err, &e) && (e.Status == StatusDeadline || e.Status == StatusCancelled)
	if !told && !errors.Is(err, context.DeadlineExceeded) { // the latter where it passed before all was sent
		t.Fatal(err)
	}
}

func TestManyAtOnce(t *testing.T) {
	client, pixels, view := dial(t), picture(), Tight(U8, 3, width, height)
	first := run(t, client, step(NewSharpen(), view, pixels))[0]
	var group sync.WaitGroup
	for i := 0; i < 200; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			outputs, err := client.Run(context.Background(), step(NewSharpen(), view, pixels))
			if err != nil || !bytes.Equal(outputs[0].Data, first.Data) {
				t.Errorf("differs: %v", err)
			}
		}()
	}
	group.Wait()
}

func TestEndedConnection(t *testing.T) {
	client := dial(t)
	client.Close()
	for i := 0; i < 2; i++ {
		if err := client.Ping(context.Background()); err == nil {
			t.Fatal("answered by a closed connection")
		}
	}
	if _, err := Dial("/none"); err == nil {
		t.Fatal("connected to nothing")
	}
}
