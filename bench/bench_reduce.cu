/* SPDX-License-Identifier: MIT */
/*
 * bench_reduce: how fast reduce, stats and dot are on data that lies on the device, and where CUB makes the same, how
 * that compares in the same run, one after the other by turns. CUB adds f32 up in f32 and, where it says so, in f64.
 * Prints a line per case: median time between events, bytes read per second, how often CUB's time fits ours (above 1:
 * we are faster). Options: --side N (16384 by default), --runs N, --only TEXT (cases whose name contains it).
 */
#include <algorithm>
#include <chrono>
#include <functional>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "kernels/cuda/cuda_ops.h"
#include "kernels/registry.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"

namespace
{

enum class peer { none, sum, sum_f64, product, min, max, argmin, nonzero, rows };

struct bench_case {
    const char *op, *params; /* name=value, space between */
    uint32_t dtype, channels;
    peer other;
};

const bench_case cases[] = {
    {"reduce", "op=sum", GF_F32, 1, peer::sum},
    {"reduce", "op=sum", GF_F32, 1, peer::sum_f64},
    {"reduce", "op=sum", GF_F64, 1, peer::sum},
    {"reduce", "op=sum", GF_U8, 1, peer::sum},
    {"reduce", "op=sum", GF_U16, 1, peer::sum},
    {"reduce", "op=sum", GF_I32, 1, peer::sum},
    {"reduce", "op=sum", GF_I64, 1, peer::sum},
    {"reduce", "op=product", GF_F32, 1, peer::product},
    {"reduce", "op=product overflow=wrap", GF_U8, 1, peer::product},
    {"reduce", "op=product overflow=wrap", GF_I32, 1, peer::product},
    {"reduce", "op=min", GF_U8, 1, peer::min},
    {"reduce", "op=max", GF_U8, 1, peer::max},
    {"reduce", "op=min", GF_U16, 1, peer::min},
    {"reduce", "op=min", GF_I32, 1, peer::min},
    {"reduce", "op=min", GF_F32, 1, peer::min},
    {"reduce", "op=max", GF_F64, 1, peer::max},
    {"reduce", "op=argmin", GF_F32, 1, peer::argmin},
    {"reduce", "op=argmin", GF_U8, 1, peer::argmin},
    {"reduce", "op=argmin", GF_I32, 1, peer::argmin},
    {"reduce", "op=count", GF_F32, 1, peer::nonzero},
    {"reduce", "op=count", GF_U8, 1, peer::nonzero},
    {"reduce", "op=any", GF_U8, 1, peer::nonzero},
    {"reduce", "op=all", GF_F32, 1, peer::nonzero},
    {"reduce", "op=mean", GF_F32, 1, peer::sum_f64},
    {"reduce", "op=l1", GF_F32, 1, peer::none},
    {"reduce", "op=l2", GF_F32, 1, peer::none},
    {"reduce", "op=linf", GF_F32, 1, peer::none},
    {"reduce", "op=l1", GF_I8, 1, peer::none},
    {"reduce", "op=l2", GF_U8, 1, peer::none},
    {"reduce", "op=var", GF_F32, 1, peer::none},
    {"reduce", "op=var", GF_U8, 1, peer::none},
    {"reduce", "op=sum axis=rows", GF_F32, 1, peer::rows},
    {"reduce", "op=sum axis=rows", GF_U8, 1, peer::rows},
    {"reduce", "op=max axis=rows", GF_F32, 1, peer::none},
    {"reduce", "op=sum axis=cols", GF_F32, 1, peer::none},
    {"reduce", "op=sum axis=cols", GF_U8, 1, peer::none},
    {"reduce", "op=max axis=cols", GF_F32, 1, peer::none},
    {"reduce", "op=max axis=cols", GF_U8, 1, peer::none},
    {"reduce", "op=var axis=cols", GF_F32, 1, peer::none},
    {"reduce", "op=sum", GF_U8, 3, peer::none},
    {"reduce", "op=max", GF_U8, 3, peer::none},
    {"reduce", "op=sum", GF_F32, 3, peer::none},
    {"reduce", "op=sum axis=rows", GF_U8, 3, peer::none},
    {"stats", "", GF_F32, 1, peer::none},
    {"stats", "", GF_U8, 1, peer::none},
    {"stats", "", GF_U8, 3, peer::none},
    {"dot", "", GF_F32, 1, peer::none},
    {"dot", "", GF_F64, 1, peer::none},
};

struct bench {
    gf_device *device;
    gf_lane *lane;
    char *src, *other, *dst, *room;
    size_t bytes, room_bytes;
    uint32_t side = 16384, runs = 15;
    const char *only = nullptr;
    cudaEvent_t start, end;
};

constexpr size_t block_bytes = 64u << 20;

[[noreturn]] void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_reduce: %s: %s\n", what, why);
    exit(1);
}

void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        die(what, cudaGetErrorString(error));
}

/* Random samples; floats near 1 so that products stay finite. */
void fill(const bench &b, char *to, uint32_t dtype)
{
    std::vector<uint32_t> block(block_bytes / 4);
    uint32_t state = 12345;
    for (size_t i = 0; i < block.size(); i++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        const float f = 1.0f + (static_cast<float>(state >> 8) * 0x1p-24f - 0.5f) * 1e-3f;
        if (dtype == GF_F32)
            memcpy(&block[i], &f, sizeof(f));
        else if (dtype == GF_F64)
            block[i] = i % 2 != 0 ? 0x3FF00000u : state;
        else
            block[i] = state;
    }
    for (size_t at = 0; at < b.bytes; at += block_bytes)
        check(cudaMemcpy(to + at, block.data(), std::min(block_bytes, b.bytes - at), cudaMemcpyHostToDevice),
              "filling");
}

__global__ void wait_kernel(uint64_t nanoseconds)
{
    uint64_t start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < nanoseconds);
}

/* Milliseconds of the device, and of the host until everything is in the stream. */
struct times_of {
    float device, host;
};

struct times_of timed(const bench &b, const std::function<void()> &f)
{
    struct times_of t;
    wait_kernel<<<1, 1, 0, b.lane->main>>>(100000);
    check(cudaEventRecord(b.start, b.lane->main), "event");
    const auto before = std::chrono::steady_clock::now();
    f();
    t.host = std::chrono::duration<float, std::milli>(std::chrono::steady_clock::now() - before).count();
    check(cudaEventRecord(b.end, b.lane->main), "event");
    check(cudaEventSynchronize(b.end), "running");
    check(cudaEventElapsedTime(&t.device, b.start, b.end), "event");
    return t;
}

float median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

template <class A> struct widen {
    template <class T> __host__ __device__ A operator()(T x) const
    {
        return static_cast<A>(x);
    }
};

struct not_zero {
    template <class T> __host__ __device__ uint64_t operator()(T x) const
    {
        return x != T(0);
    }
};

struct times {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a * b;
    }
};

struct row_start {
    uint64_t width;
    __host__ __device__ uint64_t operator()(uint64_t row) const
    {
        return row * width;
    }
};

/* CUB's way; T of the data, A of sums. */
template <class T, class A> cudaError_t cub_run(bench &b, peer other, uint64_t n)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    const cudaStream_t stream = b.lane->main;
    size_t size = b.room_bytes;
    switch (other) {
    case peer::sum:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<A *>(b.dst), n,
                                                  cuda::std::plus<>{}, widen<A>{}, A(0), stream);
    case peer::sum_f64:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<double *>(b.dst), n,
                                                  cuda::std::plus<>{}, widen<double>{}, 0.0, stream);
    case peer::product:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<A *>(b.dst), n, times{},
                                                  widen<A>{}, A(1), stream);
    case peer::min:
        return cub::DeviceReduce::Min(b.room, size, in, reinterpret_cast<T *>(b.dst), n, stream);
    case peer::max:
        return cub::DeviceReduce::Max(b.room, size, in, reinterpret_cast<T *>(b.dst), n, stream);
    case peer::argmin:
        return cub::DeviceReduce::ArgMin(b.room, size, in, reinterpret_cast<T *>(b.dst),
                                         reinterpret_cast<int64_t *>(b.dst + 64), static_cast<int64_t>(n), stream);
    case peer::nonzero:
        return cub::DeviceReduce::TransformReduce(b.room, size, in, reinterpret_cast<uint64_t *>(b.dst), n,
                                                  cuda::std::plus<>{}, not_zero{}, uint64_t{0}, stream);
    case peer::rows: {
        const auto starts =
            thrust::make_transform_iterator(thrust::make_counting_iterator<uint64_t>(0), row_start{b.side});
        return cub::DeviceSegmentedReduce::Sum(b.room, size, thrust::make_transform_iterator(in, widen<A>{}),
                                               reinterpret_cast<A *>(b.dst), static_cast<int64_t>(n / b.side), starts,
                                               starts + 1, stream);
    }
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cub_any(bench &b, const bench_case &c, uint64_t n)
{
    switch (c.dtype) {
    case GF_U8:
        return cub_run<uint8_t, uint64_t>(b, c.other, n);
    case GF_U16:
        return cub_run<uint16_t, uint64_t>(b, c.other, n);
    case GF_I32:
        return cub_run<int32_t, int64_t>(b, c.other, n);
    case GF_I64:
        return cub_run<int64_t, int64_t>(b, c.other, n);
    case GF_F32:
        return cub_run<float, float>(b, c.other, n);
    default:
        return cub_run<double, double>(b, c.other, n);
    }
}

void set_params(const gf_op *op, const char *text, union gf_params *ret)
{
    char copy[128], *rest = nullptr;
    gf_error err;
    gf_op_params_default(op, ret);
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(nullptr, " ", &rest)) {
        char *value = strchr(word, '=');
        *value++ = '\0';
        if (gf_op_param_parse(op, gf_op_param(op, word), value, ret, &err) != GF_OK)
            die(text, err.text);
    }
}

void run_case(bench &b, const bench_case &c)
{
    char name[96];
    gf_error err;
    gf_step step = {};
    step.op = gf_op_by_name(c.op);
    set_params(step.op, c.params, &step.params);
    for (uint32_t i = step.op->n_required; i < GF_MAX_INPUTS; i++)
        step.in[i].from = GF_FROM_NOTHING;
    const uint64_t width = b.side / c.channels / 16 * 16;
    const gf_view views[2] = {gf_view_tight(c.dtype, width, b.side, c.channels),
                              gf_view_tight(c.dtype, width, b.side, c.channels)};
    if (gf_op_infer(step.op, views, step.op->n_required, &step.params, step.out, &err) != GF_OK)
        die(c.op, err.text);
    snprintf(name, sizeof(name), "%s %s %s x%u%s", c.op, gf_dtype_word(c.dtype), c.params, c.channels,
             c.other == peer::sum_f64 ? " (CUB in f64)" : "");
    if (b.only && !strstr(name, b.only))
        return;
    fill(b, b.src, c.dtype);
    if (step.op->n_required > 1)
        fill(b, b.other, c.dtype);
    gf_cuda_image in[2] = {}, out[GF_MAX_OUTPUTS] = {};
    in[0].data = b.src;
    in[1].data = b.other;
    in[0].view = in[1].view = views[0];
    for (uint32_t i = 0; i < step.op->n_outputs; i++) {
        out[i].data = b.dst + i * (b.bytes / GF_MAX_OUTPUTS / 16 * 16);
        out[i].view = step.out[i];
    }
    gf_job job = {};
    job.steps = &step;
    job.n_steps = 1;
    const auto ours = [&] {
        gf_cuda_call call = {};
        call.lane = b.lane;
        call.step = &step;
        call.job = &job;
        for (uint32_t i = 0; i < step.op->n_required; i++)
            call.image[i] = &in[i];
        call.out = out;
        gf_cuda_clock_reset(&b.lane->clock);
        if (gf_cuda_ops[step.op->index].start(&call, &err) != GF_OK)
            die(name, err.text);
    };
    const uint64_t n = width * b.side * c.channels;
    std::vector<float> ms, peers, ratios, host, peers_host;
    for (uint32_t i = 0; i < b.runs + 2; i++) {
        const struct times_of a = timed(b, ours);
        const struct times_of p =
            c.other == peer::none ? times_of{} : timed(b, [&] { check(cub_any(b, c, n), "CUB"); });
        if (i < 2)
            continue;
        ms.push_back(a.device);
        host.push_back(a.host);
        peers.push_back(p.device);
        peers_host.push_back(p.host);
        ratios.push_back(p.device / a.device);
    }
    const double bytes = static_cast<double>(n * gf_dtype_size(c.dtype) * step.op->n_required);
    const double t = median(ms);
    printf("%-48s %8.1f us %6.2f TB/s host %4.1f us", name, t * 1e3, bytes / t * 1e-9, median(host) * 1e3);
    if (c.other != peer::none)
        printf("   CUB %8.1f us %6.2f TB/s host %4.1f us, ratio %5.2f", median(peers) * 1e3,
               bytes / median(peers) * 1e-9, median(peers_host) * 1e3, median(ratios));
    printf("\n");
}

void parse(int argc, char **argv, bench *b)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--side") == 0)
            b->side = static_cast<uint32_t>(strtoul(argv[i + 1], nullptr, 10)) / 64 * 64;
        else if (strcmp(argv[i], "--runs") == 0)
            b->runs = static_cast<uint32_t>(strtoul(argv[i + 1], nullptr, 10));
        else if (strcmp(argv[i], "--only") == 0)
            b->only = argv[i + 1];
    }
    if (b->side < 64 || b->side > 40960 || b->runs < 1 || b->runs > 1000)
        die("options", "--side 64..40960, --runs 1..1000, --only TEXT");
}

} // namespace

int main(int argc, char **argv)
{
    bench b;
    parse(argc, argv, &b);
    gf_error err;
    gf_device_options options = {};
    options.device = "cuda:0";
    if (gf_cuda_backend.open(&options, &b.device, &err) != GF_OK ||
        gf_cuda_backend.lane_open(b.device, &b.lane, &err) != GF_OK)
        die("opening cuda:0", err.text);
    b.bytes = static_cast<size_t>(b.side) * b.side * 8;
    b.room_bytes = 64u << 20;
    check(cudaMalloc(&b.src, b.bytes), "memory");
    check(cudaMalloc(&b.other, b.bytes), "memory");
    check(cudaMalloc(&b.dst, b.bytes), "memory");
    check(cudaMalloc(&b.room, b.room_bytes), "memory");
    check(cudaEventCreate(&b.start), "event");
    check(cudaEventCreate(&b.end), "event");
    gf_device_info info;
    gf_cuda_backend.info(b.device, &info);
    printf("%s, %s; %u x %u, medians of %u\n", info.title, info.detail, b.side, b.side, b.runs);
    for (const bench_case &c : cases)
        run_case(b, c);
    gf_cuda_backend.lane_close(b.lane);
    gf_cuda_backend.close(b.device);
    return 0;
}
