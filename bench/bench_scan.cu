/* SPDX-License-Identifier: MIT */
/*
 * bench_scan: how fast scan and recurrence are on data that lies on the device, and where CUB makes the same, how that
 * compares in the same run, one after the other by turns. CUB adds f32 up in f32 and, where it says so, in f64.
 * Prints a line per case: median time between events, bytes read and written per second, how often CUB's time fits ours
 * (above 1: we are faster). Options: --log2 N (elements of an array, 28 by default), --runs N, --only TEXT (cases whose
 * name contains it).
 */
#include <algorithm>
#include <functional>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include <cub/cub.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/reverse_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "kernels/cuda/cuda_ops.h"
#include "kernels/registry.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"

namespace
{

enum class peer { none, sum, sum_f64, exclusive, backwards, max };

struct bench_case {
    const char *op, *params; /* name=value, space between */
    uint32_t dtype, channels;
    uint64_t width;   /* 0: rows of 2^14, or of all there are */
    uint64_t segment; /* elements of each; 0: no segments */
    peer other;
};

const bench_case cases[] = {
    {"scan", "op=sum", GF_F32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_F32, 1, 0, 0, peer::sum_f64},
    {"scan", "op=sum dtype=f64", GF_F32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_F64, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_U64, 1, 0, 0, peer::sum},
    {"scan", "op=sum dtype=i32", GF_I32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_I32, 1, 0, 0, peer::sum},
    {"scan", "op=sum", GF_U8, 1, 0, 0, peer::sum},
    {"scan", "op=sum dtype=u32 overflow=wrap", GF_U8, 1, 0, 0, peer::sum},
    {"scan", "op=product overflow=wrap", GF_I32, 1, 0, 0, peer::none},
    {"scan", "op=max", GF_F32, 1, 0, 0, peer::max},
    {"scan", "op=max", GF_F64, 1, 0, 0, peer::max},
    {"scan", "op=max", GF_U8, 1, 0, 0, peer::max},
    {"scan", "op=max", GF_I32, 1, 0, 0, peer::max},
    {"scan", "op=sum exclusive=1", GF_F32, 1, 0, 0, peer::exclusive},
    {"scan", "op=sum reverse=1", GF_F32, 1, 0, 0, peer::backwards},
    {"scan", "op=sum", GF_F32, 3, 0, 0, peer::none},
    {"recurrence", "a=0.5", GF_F32, 1, 0, 0, peer::none},
    {"recurrence", "a=0.5", GF_F64, 1, 0, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 16384, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 512, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 100, 0, peer::none},
    {"scan", "op=sum axis=rows", GF_F32, 1, 16, 0, peer::none},
    {"scan", "op=sum axis=cols", GF_F32, 1, 0, 0, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 1u << 18, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 512, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 100, peer::none},
    {"scan", "op=sum", GF_F32, 1, 0, 16, peer::none},
};

struct bench {
    gf_device *device;
    gf_lane *lane;
    char *src, *dst, *room;
    size_t bytes, room_bytes;
    uint32_t log2 = 28, runs = 15;
    const char *only = nullptr;
    cudaEvent_t start, end;
};

constexpr size_t block_bytes = 64u << 20;

[[noreturn]] void die(const char *what, const char *why)
{
    fprintf(stderr, "bench_scan: %s: %s\n", what, why);
    exit(1);
}

void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        die(what, cudaGetErrorString(error));
}

/* Random samples around 0, and of u8 any. */
template <class T> void fill(const bench &b)
{
    std::vector<T> block(block_bytes / sizeof(T));
    uint32_t state = 12345;
    for (T &x : block) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if constexpr (std::is_floating_point_v<T>)
            x = static_cast<T>(static_cast<double>(state) * 0x1p-31 - 1.0);
        else if constexpr (std::is_signed_v<T>)
            x = static_cast<T>(state % 17) - 8;
        else
            x = static_cast<T>(state);
    }
    for (size_t at = 0; at < b.bytes; at += block_bytes)
        check(cudaMemcpy(b.src + at, block.data(), std::min(block_bytes, b.bytes - at), cudaMemcpyHostToDevice),
              "filling");
}

float timed(const bench &b, const std::function<void()> &f)
{
    float ms = 0;
    check(cudaEventRecord(b.start, b.lane->main), "event");
    f();
    check(cudaEventRecord(b.end, b.lane->main), "event");
    check(cudaEventSynchronize(b.end), "running");
    check(cudaEventElapsedTime(&ms, b.start, b.end), "event");
    return ms;
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

struct greater {
    template <class T> __host__ __device__ T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};

/* CUB's way; T of the data, A of sums, Out of results. */
template <class T, class A, class Out> cudaError_t cub_run(bench &b, peer other, uint64_t n)
{
    const T *in = reinterpret_cast<const T *>(b.src);
    Out *out = reinterpret_cast<Out *>(b.dst);
    const cudaStream_t stream = b.lane->main;
    const auto sums = thrust::make_transform_iterator(in, widen<A>{});
    size_t size = b.room_bytes;
    switch (other) {
    case peer::sum:
        return cub::DeviceScan::InclusiveSum(b.room, size, sums, out, n, stream);
    case peer::sum_f64:
        return cub::DeviceScan::InclusiveSum(b.room, size, thrust::make_transform_iterator(in, widen<double>{}), out, n,
                                             stream);
    case peer::exclusive:
        return cub::DeviceScan::ExclusiveSum(b.room, size, sums, out, n, stream);
    case peer::backwards:
        return cub::DeviceScan::InclusiveSum(b.room, size, thrust::make_reverse_iterator(in + n),
                                             thrust::make_reverse_iterator(out + n), n, stream);
    case peer::max:
        return cub::DeviceScan::InclusiveScan(b.room, size, in, reinterpret_cast<T *>(b.dst), greater{}, n, stream);
    default:
        return cudaErrorNotSupported;
    }
}

cudaError_t cub_any(bench &b, uint32_t in, uint32_t out, peer other, uint64_t n)
{
    switch (in) {
    case GF_U8:
        return out == GF_U32 ? cub_run<uint8_t, uint32_t, uint32_t>(b, other, n)
                             : cub_run<uint8_t, uint64_t, uint64_t>(b, other, n);
    case GF_I32:
        return out == GF_I32 ? cub_run<int32_t, int32_t, int32_t>(b, other, n)
                             : cub_run<int32_t, int64_t, int64_t>(b, other, n);
    case GF_U64:
        return cub_run<uint64_t, uint64_t, uint64_t>(b, other, n);
    case GF_F32:
        return out == GF_F32 ? cub_run<float, float, float>(b, other, n) : cub_run<float, double, double>(b, other, n);
    default:
        return cub_run<double, double, double>(b, other, n);
    }
}

void fill_any(const bench &b, uint32_t dtype)
{
    switch (dtype) {
    case GF_U8:
        return fill<uint8_t>(b);
    case GF_I32:
        return fill<int32_t>(b);
    case GF_U64:
        return fill<uint64_t>(b);
    case GF_F32:
        return fill<float>(b);
    default:
        return fill<double>(b);
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

/* The picture of a case: at most 2^log2 elements. */
gf_view view_of(const bench &b, const bench_case &c)
{
    const uint64_t n = 1ull << b.log2, width = c.width != 0 ? c.width : std::min<uint64_t>(n, 16384) / c.channels;
    return gf_view_tight(c.dtype, width, n / width / c.channels, c.channels);
}

void run_case(bench &b, const bench_case &c)
{
    char name[96], of[48] = "";
    gf_error err;
    gf_step step = {};
    step.op = gf_op_by_name(c.op);
    set_params(step.op, c.params, &step.params);
    const gf_view view = view_of(b, c);
    const uint64_t n = view.width * view.height * view.channels;
    std::vector<uint64_t> offsets;
    for (uint64_t at = 0; c.segment != 0 && at < n; at += c.segment)
        offsets.push_back(at);
    offsets.push_back(n);
    const gf_buf list = {offsets.data(), gf_view_tight(GF_U64, offsets.size(), 1, 1)};
    const gf_view views[2] = {view, list.view};
    for (uint32_t i = c.segment != 0 ? 2 : 1; i < GF_MAX_INPUTS; i++)
        step.in[i].from = GF_FROM_NOTHING;
    if (gf_op_infer(step.op, views, c.segment != 0 ? 2 : 1, &step.params, step.out, &err) != GF_OK)
        die(c.op, err.text);
    if (c.width != 0 || c.segment != 0)
        snprintf(of, sizeof(of), " %s of %llu", c.width != 0 ? "rows" : "segments",
                 static_cast<unsigned long long>(c.width != 0 ? c.width : c.segment));
    snprintf(name, sizeof(name), "%s %s %s x%u%s%s", c.op, gf_dtype_word(c.dtype), c.params, c.channels, of,
             c.other == peer::sum_f64 ? " (CUB in f64)" : "");
    if (b.only && !strstr(name, b.only))
        return;
    fill_any(b, c.dtype);
    gf_cuda_image in = {}, out = {};
    in.data = b.src;
    in.view = view;
    out.data = b.dst;
    out.view = step.out[0];
    gf_job job = {};
    job.steps = &step;
    job.n_steps = 1;
    const auto ours = [&] {
        gf_cuda_call call = {};
        call.lane = b.lane;
        call.step = &step;
        call.job = &job;
        call.image[0] = &in;
        call.coefs[1] = c.segment != 0 ? &list : nullptr;
        call.out = &out;
        gf_cuda_clock_reset(&b.lane->clock);
        if (gf_cuda_ops[step.op->index].start(&call, &err) != GF_OK)
            die(name, err.text);
    };
    std::vector<float> ms, peers, ratios;
    for (uint32_t i = 0; i < b.runs + 2; i++) {
        const float a = timed(b, ours);
        const float p = c.other == peer::none
                            ? 0
                            : timed(b, [&] { check(cub_any(b, c.dtype, out.view.dtype, c.other, n), "CUB"); });
        if (i < 2)
            continue;
        ms.push_back(a);
        peers.push_back(p);
        ratios.push_back(p / a);
    }
    const double bytes = static_cast<double>(n * (gf_dtype_size(c.dtype) + gf_dtype_size(out.view.dtype)));
    const double t = median(ms);
    printf("%-56s %8.1f us %6.2f TB/s", name, t * 1e3, bytes / t * 1e-9);
    if (c.other != peer::none)
        printf("   CUB %8.1f us %6.2f TB/s, ratio %5.2f", median(peers) * 1e3, bytes / median(peers) * 1e-9,
               median(ratios));
    printf("\n");
}

void parse(int argc, char **argv, bench *b)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--log2") == 0)
            b->log2 = static_cast<uint32_t>(strtoul(argv[i + 1], nullptr, 10));
        else if (strcmp(argv[i], "--runs") == 0)
            b->runs = static_cast<uint32_t>(strtoul(argv[i + 1], nullptr, 10));
        else if (strcmp(argv[i], "--only") == 0)
            b->only = argv[i + 1];
    }
    if (b->log2 < 10 || b->log2 > 31 || b->runs < 1 || b->runs > 1000)
        die("options", "--log2 10..31, --runs 1..1000, --only TEXT");
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
    b.bytes = sizeof(double) << b.log2;
    b.room_bytes = 64u << 20;
    check(cudaMalloc(&b.src, b.bytes), "memory");
    check(cudaMalloc(&b.dst, b.bytes), "memory");
    check(cudaMalloc(&b.room, b.room_bytes), "memory");
    check(cudaEventCreate(&b.start), "event");
    check(cudaEventCreate(&b.end), "event");
    gf_device_info info;
    gf_cuda_backend.info(b.device, &info);
    printf("%s, %s; 2^%u elements, medians of %u\n", info.title, info.detail, b.log2, b.runs);
    for (const bench_case &c : cases)
        run_case(b, c);
    gf_cuda_backend.lane_close(b.lane);
    gf_cuda_backend.close(b.device);
    return 0;
}
