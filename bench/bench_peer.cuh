/* SPDX-License-Identifier: MIT */
/*
 * What the benches that run CUB beside our kernels share: a device with room for data, a case of an op on data that
 * lies there, and timing both by turns. A case prints a line: median time between events, bytes per second, what the
 * host took to put it into the stream, how often CUB's time fits ours (above 1: we are faster). Options of every such
 * bench: --side N (16384 by default), --runs N, --only TEXT (cases whose name contains it).
 */
#ifndef GF_BENCH_PEER_CUH
#define GF_BENCH_PEER_CUH

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "kernels/cuda/cuda_ops.h"
#include "kernels/registry.h"
#include "protocol/op_codec.h"
#include "protocol/op_shapes.h"

namespace bench
{

struct place {
    gf_device *device;
    gf_lane *lane;
    char *src, *other, *dst, *room;
    size_t bytes, room_bytes; /* of src and other each, half of dst; of room */
    uint32_t side = 16384, runs = 15;
    const char *only = nullptr;
    cudaEvent_t start, end;
};

/* An op with its parameters on pictures of one shape, in src and, where it takes two, in other. */
struct work {
    gf_step step;
    gf_view view;
    uint64_t samples;
    const gf_buf *list; /* input 1, if it is one on the host */
};

constexpr size_t block_bytes = 64u << 20;

[[noreturn]] inline void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

inline void check(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        die(what, cudaGetErrorString(error));
}

inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Fills `to` with one block again and again. */
inline void repeat(const place &b, char *to, const std::vector<uint32_t> &block)
{
    const size_t size = block.size() * sizeof(block[0]);
    for (size_t at = 0; at < b.bytes; at += size)
        check(cudaMemcpy(to + at, block.data(), std::min(size, b.bytes - at), cudaMemcpyHostToDevice), "filling");
}

inline __global__ void wait_kernel(uint64_t nanoseconds)
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

/* The device waits first, so that it finds everything in the stream. */
inline times_of timed(const place &b, const std::function<void()> &f)
{
    times_of t;
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

inline __global__ void empty_kernel()
{
}

inline float median(std::vector<float> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/* `text` is name=value, space between. */
inline void set_params(const gf_op *op, const char *text, union gf_params *ret)
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

inline work make_work(const char *op, const char *params, uint32_t dtype, uint64_t width, uint64_t height,
                      uint32_t channels)
{
    work w = {};
    gf_error err;
    w.step.op = gf_op_by_name(op);
    set_params(w.step.op, params, &w.step.params);
    for (uint32_t i = w.step.op->n_required; i < GF_MAX_INPUTS; i++)
        w.step.in[i].from = GF_FROM_NOTHING;
    w.view = gf_view_tight(dtype, width, height, channels);
    w.samples = width * height * channels;
    const gf_view views[2] = {w.view, w.view};
    if (gf_op_infer(w.step.op, views, w.step.op->n_required, &w.step.params, w.step.out, &err) != GF_OK)
        die(op, err.text);
    return w;
}

/* Puts the op into the stream once, as cuda_run.c would with data that is there already; its outputs lie in dst one
 * behind the other, those of the bits in `unwanted` nowhere. */
inline void run_ours(const place &b, const work &w, uint32_t unwanted)
{
    gf_cuda_image in[2] = {}, out[GF_MAX_OUTPUTS] = {};
    char *at = b.dst;
    in[0].data = b.src;
    in[1].data = b.other;
    in[0].view = in[1].view = w.view;
    for (uint32_t i = 0; i < w.step.op->n_outputs; i++) {
        out[i].view = w.step.out[i];
        if ((unwanted >> i & 1) != 0)
            continue;
        out[i].data = at;
        at += (gf_view_bytes(&out[i].view) + 255) / 256 * 256;
    }
    gf_job job = {};
    job.steps = &w.step;
    job.n_steps = 1;
    gf_cuda_call call = {};
    call.lane = b.lane;
    call.step = &w.step;
    call.job = &job;
    for (uint32_t i = 0; i < w.step.op->n_required; i++)
        call.image[i] = &in[i];
    call.coefs[1] = w.list;
    call.out = out;
    gf_error err;
    gf_cuda_clock_reset(&b.lane->clock);
    if (gf_cuda_ops[w.step.op->index].start(&call, &err) != GF_OK)
        die(w.step.op->name, err.text);
}

/* Times both by turns; `peer` may be empty. `bytes` is what a rate is made of. */
inline void compare(const place &b, const char *name, double bytes, const std::function<void()> &ours,
                    const std::function<cudaError_t()> &peer)
{
    std::vector<float> ms, host, peers, peers_host, ratios;
    for (uint32_t i = 0; i < b.runs + 2; i++) {
        const times_of a = timed(b, ours);
        const times_of p = peer ? timed(b, [&] { check(peer(), "CUB"); }) : times_of{};
        if (i < 2)
            continue;
        ms.push_back(a.device);
        host.push_back(a.host);
        peers.push_back(p.device);
        peers_host.push_back(p.host);
        ratios.push_back(p.device / a.device);
    }
    const double t = median(ms);
    printf("%-56s %8.1f us %6.2f TB/s host %4.1f us", name, t * 1e3, bytes / t * 1e-9, median(host) * 1e3);
    if (peer)
        printf("   CUB %8.1f us %6.2f TB/s host %4.1f us, ratio %5.2f", median(peers) * 1e3,
               bytes / median(peers) * 1e-9, median(peers_host) * 1e3, median(ratios));
    printf("\n");
}

inline bool wanted(const place &b, const char *name)
{
    return !b.only || strstr(name, b.only);
}

inline void parse(int argc, char **argv, place *b)
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

/* Opens cuda:0 with 8 bytes per pixel of side x side for src and other, each, and 16 for dst. */
inline void open(int argc, char **argv, place *b)
{
    gf_error err;
    gf_device_options options = {};
    gf_device_info info;
    parse(argc, argv, b);
    options.device = "cuda:0";
    if (gf_cuda_backend.open(&options, &b->device, &err) != GF_OK ||
        gf_cuda_backend.lane_open(b->device, &b->lane, &err) != GF_OK)
        die("opening cuda:0", err.text);
    b->bytes = static_cast<size_t>(b->side) * b->side * 8;
    b->room_bytes = 1u << 30;
    check(cudaMalloc(&b->src, b->bytes), "memory");
    check(cudaMalloc(&b->other, b->bytes), "memory");
    check(cudaMalloc(&b->dst, 2 * b->bytes), "memory");
    check(cudaMalloc(&b->room, b->room_bytes), "memory");
    check(cudaEventCreate(&b->start), "event");
    check(cudaEventCreate(&b->end), "event");
    gf_cuda_backend.info(b->device, &info);
    std::vector<float> nothing;
    for (uint32_t i = 0; i < b->runs + 2; i++)
        nothing.push_back(timed(*b, [&] { empty_kernel<<<1, 32, 0, b->lane->main>>>(); }).device);
    printf("%s, %s; %u x %u, medians of %u; an empty kernel %.1f us\n", info.title, info.detail, b->side, b->side,
           b->runs, median(nothing) * 1e3);
}

inline void close(place *b)
{
    for (char *data : {b->src, b->other, b->dst, b->room})
        (void)cudaFree(data);
    gf_cuda_backend.lane_close(b->lane);
    gf_cuda_backend.close(b->device);
}

/* main() of such a bench. */
template <class Case, size_t n>
int run_all(int argc, char **argv, const Case (&cases)[n], void (*run_case)(place &, const Case &))
{
    place b;
    open(argc, argv, &b);
    for (const Case &c : cases)
        run_case(b, c);
    close(&b);
    return 0;
}

} // namespace bench

#endif
