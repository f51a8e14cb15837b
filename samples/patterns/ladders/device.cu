/* SPDX-License-Identifier: MIT */
/* Copies: from the host to the GPU, back, and from one place of the GPU's memory to another. */
#include "samples/patterns/kernel.h"

enum { BLOCK = 256 };

/*
 * host-to-device: in[0] is host memory from malloc. The system may move its pages at any time, so the GPU cannot read
 * them directly: the driver copies piece by piece to a buffer of its own with locked pages, and the GPU fetches the
 * pieces from there. Limited by this copy, which a CPU core makes.
 *
 * host-to-device-pinned: the same call on the same memory, after its pages were locked by cudaHostRegister
 * (cudaMallocHost returns memory that is locked already). One of the GPU's copy engines reads it without the help of a
 * core. Limited by the link. Locking takes time, and takes memory away from all other processes, so it pays only for
 * buffers that are used again.
 */
RUNG_IS(device_host_to_device, copy_from_host(call, call->out, call->in[0], call->n * sizeof(unsigned)))

/*
 * device-to-host and device-to-host-pinned: the opposite direction, on another copy engine; the link carries both
 * directions at once.
 */
RUNG_IS(device_device_to_host, copy_to_host(call, call->out, call->in[0], call->n * sizeof(unsigned)))

/*
 * device-to-device: a kernel copies, each thread 4 bytes. A warp reads and writes 128 consecutive bytes. Limited by
 * memory or, where memory is fast, by the loads in flight: a multiprocessor holds 2048 threads with 4 bytes each.
 */
static __global__ void copy(const unsigned *in, unsigned *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

RUNG_IS(device_device_to_device, RUN(copy, blocks_for(call->n, BLOCK), BLOCK, call->in[0], call->out, call->n))

/*
 * device-to-device-16: each thread copies 16 bytes by one load and one store, which are single instructions for aligned
 * addresses. A quarter of the threads and instructions, and four times as many bytes in flight. Up to three elements
 * after the last 16 bytes are copied by threads of their own. Limited by memory.
 */
static __global__ void copy_16(const unsigned *in, unsigned *out, size_t n)
{
    const size_t i = (size_t)blockIdx.x * BLOCK + threadIdx.x, quads = n / 4;
    if (i < quads)
        ((uint4 *)out)[i] = ((const uint4 *)in)[i];
    else if (i - quads < n % 4)
        out[4 * quads + (i - quads)] = in[4 * quads + (i - quads)];
}

RUNG_IS(device_device_to_device_16,
        RUN(copy_16, blocks_for(call->n / 4 + call->n % 4, BLOCK), BLOCK, call->in[0], call->out, call->n))
