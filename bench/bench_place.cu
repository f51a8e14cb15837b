/* SPDX-License-Identifier: MIT */
/* See bench_place.h. */
#include "bench_place.h"

#include <algorithm>
#include <chrono>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "kernels/registry.h"

namespace bench
{

namespace
{

constexpr size_t block_bytes = (8u << 20) + 320; /* of data that repeats; no multiple of common row sizes */
constexpr size_t copy_bytes = 1u << 30;
constexpr int runs = 15;

__global__ void wait_kernel(uint64_t nanoseconds)
{
    uint64_t start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

__global__ void empty_kernel()
{
}

float median_ms(const place &b, const std::function<void()> &f)
{
    std::vector<float> ms;
    for (int i = 0; i < runs + 2; i++)
        ms.push_back(timed(b, f).device);
    std::sort(ms.begin(), ms.end());
    return ms[ms.size() / 2];
}

uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* A number in [0, 1), a multiple of 2^-24. */
double unit(uint32_t r, data what)
{
    switch (what) {
    case data::equal:
        return 0.25;
    case data::few:
        return (r >> 28) / 16.0;
    case data::around_one:
        return 1.0 + ((r >> 8) * 0x1p-24 - 0.5) * 1e-3;
    default:
        return (r >> 8) * 0x1p-24;
    }
}

template <class T> void fill_block(std::vector<char> &block, data what)
{
    uint32_t state = 12345;
    for (size_t at = 0; at < block.size(); at += sizeof(T)) {
        const uint32_t r = next_random(&state);
        T x;
        if constexpr (std::is_floating_point_v<T>)
            x = static_cast<T>(unit(r, what));
        else if constexpr (std::is_signed_v<T>)
            x = static_cast<T>(static_cast<int>(unit(r, what) * 2001.0) - 1000);
        else
            x = what == data::random
                    ? static_cast<T>(r)
                    : static_cast<T>(unit(r, what) * (static_cast<double>(static_cast<T>(~T(0))) + 1.0));
        memcpy(&block[at], &x, sizeof(x));
    }
}

void fill_any(std::vector<char> &block, uint32_t dtype, data what)
{
    switch (dtype) {
    case GF_U8:
        return fill_block<uint8_t>(block, what);
    case GF_I8:
        return fill_block<int8_t>(block, what);
    case GF_U16:
        return fill_block<uint16_t>(block, what);
    case GF_I16:
        return fill_block<int16_t>(block, what);
    case GF_U32:
        return fill_block<uint32_t>(block, what);
    case GF_U64:
        return fill_block<uint64_t>(block, what);
    case GF_I32:
        return fill_block<int32_t>(block, what);
    case GF_I64:
        return fill_block<int64_t>(block, what);
    case GF_F32:
        return fill_block<float>(block, what);
    case GF_F64:
        return fill_block<double>(block, what);
    default:
        die("data", "no data for this dtype");
    }
}

} // namespace

void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        die(what, cudaGetErrorString(error));
}

times_of timed(const place &b, const std::function<void()> &f, float wait)
{
    times_of t;
    wait_kernel<<<1, 1, 0, b.exec->main>>>(static_cast<uint64_t>(wait * 1e6f));
    check(cudaEventRecord(b.start, b.exec->main), "event");
    const auto before = std::chrono::steady_clock::now();
    f();
    t.host = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - before).count();
    check(cudaEventRecord(b.end, b.exec->main), "event");
    check(cudaEventSynchronize(b.end), "running");
    check(cudaEventElapsedTime(&t.device, b.start, b.end), "event");
    return t;
}

void fill(place &b, uint32_t dtype, data what, size_t bytes)
{
    if (b.dtype == dtype && b.what == what && b.filled >= bytes)
        return;
    std::vector<char> block(block_bytes);
    const size_t size = std::min(bytes, src_bytes);
    fill_any(block, dtype, what);
    for (size_t at = 0; at < size + other_shift; at += block_bytes)
        memcpy(b.host + at, block.data(), std::min(block_bytes, size + other_shift - at));
    check(cudaMemcpy(b.src, b.host, size, cudaMemcpyHostToDevice), "filling");
    check(cudaMemcpy(b.other, b.host + other_shift, size, cudaMemcpyHostToDevice), "filling");
    b.dtype = dtype;
    b.what = what;
    b.filled = size;
}

void open(place *b, gf_compile compile)
{
    gf_error err;
    gf_device_options options = {};
    *b = {};
    options.device = "cuda:0";
    options.compile = compile;
    options.cold = true; /* each case runs once before it is measured */
    if (gf_cuda_backend.open(&options, &b->device, &err) != GF_OK ||
        gf_cuda_backend.exec_open(b->device, &b->exec, &err) != GF_OK)
        die("opening cuda:0", err.text);
    b->host = static_cast<char *>(malloc(src_bytes + other_shift));
    b->got = static_cast<char *>(malloc(dst_bytes));
    b->made = static_cast<char *>(malloc(dst_bytes));
    if (!b->host || !b->got || !b->made)
        die("memory", "too little memory on the host");
    check(cudaMalloc(&b->src, src_bytes), "memory");
    check(cudaMalloc(&b->other, src_bytes), "memory");
    check(cudaMalloc(&b->dst, dst_bytes), "memory");
    check(cudaMalloc(&b->room, room_bytes), "memory");
    check(cudaEventCreate(&b->start), "event");
    check(cudaEventCreate(&b->end), "event");
}

void measure_floors(place *b)
{
    check(cudaMemset(b->src, 1, copy_bytes), "memory");
    const float copy = median_ms(*b, [&] {
        check(cudaMemcpyAsync(b->dst, b->src, copy_bytes, cudaMemcpyDeviceToDevice, b->exec->main), "copying");
    });
    b->copy_rate = 2.0 * copy_bytes / (copy * 1e-3);
    b->empty_us = 1e3f * median_ms(*b, [&] { empty_kernel<<<1, 32, 0, b->exec->main>>>(); });
}

void close(place *b)
{
    for (char *data : {b->src, b->other, b->dst, b->room})
        (void)cudaFree(data);
    for (char *data : {b->host, b->got, b->made})
        free(data);
    gf_cuda_backend.exec_close(b->exec);
    gf_cuda_backend.close(b->device);
}

} // namespace bench
