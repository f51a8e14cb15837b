/* SPDX-License-Identifier: MIT */
/*
 * The device of a benchmark: memory with data, a copy of the data on the host, and the time of work between two events.
 * Called by bench_case.cu and, for its stream and memory, by the benchmarks that run CUB.
 */
#ifndef GF_BENCH_BENCH_PLACE_H
#define GF_BENCH_BENCH_PLACE_H

#include <functional>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/step/cuda_ops.h"

namespace bench
{

/* The samples of pictures. random: integers of up to 32 bits (signed ones from -1000 to 1000), floats from 0 to 1;
 * equal: one value; few: 16 evenly spaced values; around_one: floats around 1, so that products stay finite. */
enum class data { random, equal, few, around_one };

struct place {
    gf_device *device;
    gf_exec *exec;
    char *src, *other, *dst, *room; /* on the device; `other` has the data of src, shifted by other_shift */
    char *host;                     /* the data of src */
    char *got, *made;               /* on the host: the contents of dst, and the expected contents */
    size_t filled;                  /* bytes of data in src and in other */
    uint32_t dtype;                 /* of the data */
    data what;
    cudaEvent_t start, end;
    double copy_rate; /* bytes per second, read plus written, of a large copy on the device */
    float empty_us;   /* the time of an empty kernel */
};

constexpr size_t src_bytes = size_t{2} << 30; /* of src, and of other */
constexpr size_t dst_bytes = size_t{7} << 29;
constexpr size_t room_bytes = size_t{1} << 30;
constexpr size_t other_shift = 65552; /* the offset of other's data in src's data, in bytes */

/* Ends the program with a message. */
[[noreturn]] void die(const char *what, const char *why);
void check(cudaError_t error, const char *what);

/* Opens cuda:0. `compile` says which expressions it compiles. */
void open(place *b, gf_compile compile);
/* Measures a large copy and an empty kernel. */
void measure_floors(place *b);
void close(place *b);
/* Fills src and other with at least `bytes` bytes of data. */
void fill(place &b, uint32_t dtype, data what, size_t bytes);

/* Milliseconds: on the device, and on the host until all work is in the stream. */
struct times_of {
    float device, host;
};

/* The limits of the time that the device waits first, in milliseconds. If the host takes longer, our time grows. */
constexpr float least_wait = 0.1f, most_wait = 2.0f;

/* Times f. The device waits first, so that all work is in the stream when it begins. */
times_of timed(const place &b, const std::function<void()> &f, float wait = least_wait);

} // namespace bench

#endif
