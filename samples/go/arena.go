// SPDX-License-Identifier: MIT

package gpufilter

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

const (
	mfdCloexec      = 1
	mfdAllowSealing = 2
	fAddSeals       = 1033
	sealAll         = 1 | 2 | 4 // F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW
)

var memfdCreate = map[string]uintptr{"amd64": 319, "arm64": 279, "riscv64": 279, "386": 356}[runtime.GOARCH]

// Arena is memory that the daemon reads and writes, too, so that requests copy nothing.
type Arena struct {
	Bytes  []byte
	client *Client
	id     uint32
}

func rights(file *os.File) []byte { return syscall.UnixRights(int(file.Fd())) }

// NewArena makes an arena and declares it.
func (c *Client) NewArena(ctx context.Context, size int) (*Arena, error) {
	name := []byte("gpufilter-go\x00")
	fd, _, errno := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name[0])), mfdCloexec|mfdAllowSealing, 0)
	if errno != 0 {
		return nil, fmt.Errorf("gpufilter: memfd_create: %w", errno)
	}
	file := os.NewFile(fd, "arena")
	defer file.Close() // the mapping and the daemon keep the memory
	if err := file.Truncate(int64(size)); err != nil {
		return nil, err
	}
	err := syscall.Fallocate(int(fd), 0, 0, int64(size))
	for err == syscall.EINTR { // by a signal of Go's scheduler
		err = syscall.Fallocate(int(fd), 0, 0, int64(size))
	}
	if err != nil {
		return nil, fmt.Errorf("gpufilter: fallocate: %w", err)
	}
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, fd, fAddSeals, sealAll); errno != 0 {
		return nil, fmt.Errorf("gpufilter: seals: %w", errno)
	}
	bytes, err := syscall.Mmap(int(fd), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("gpufilter: mmap: %w", err)
	}
	c.mutex.Lock()
	c.arenas++
	a := &Arena{bytes, c, c.arenas}
	c.mutex.Unlock()
	b := &body{}
	b.u32(attrArena, a.id)
	b.attr(attrSize, typeU64, le.AppendUint64(nil, uint64(size)))
	if _, err := c.ask(ctx, frameArena, frameDone, b, nil, 0, file); err != nil {
		syscall.Munmap(bytes)
		return nil, err
	}
	return a, nil
}

// Free drops an arena when no request uses it any more, and unmaps it.
func (a *Arena) Free(ctx context.Context) error {
	b := &body{}
	b.u32(attrArena, a.id)
	_, err := a.client.ask(ctx, frameArenaDrop, frameDone, b, nil, 0, nil)
	if unmap := syscall.Munmap(a.Bytes); err == nil {
		err = unmap
	}
	a.Bytes = nil
	return err
}
