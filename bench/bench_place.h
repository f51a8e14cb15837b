/* SPDX-License-Identifier: MIT */
/*
 * The device of a benchmark: memory with data, a copy of it on the host, and the time that work takes between two
 * events. Called by bench_case.cu and, for the stream and the memory, by the benchmarks that run CUB.
 */
#ifndef GF_BENCH_BENCH_PLACE_H
#define GF_BENCH_BENCH_PLACE_H

#include <functional>
#include <stddef.h>
#include <stdint.h>

#include "kernels/cuda/step/cuda_ops.h"

namespace bench
{

/* What lies in the pictures: whole numbers of up to 32 bits (with a sign from -1000 to 1000), floats from 0 to 1; one
 * value; 16 values, evenly apart; floats around 1, so that products stay finite. */
enum class data { random, equal, few, around_one };

struct place {
    gf_device *device;
    gf_exec *exec;
    char *src, *other, *dst, *room; /* on the device; other has the data of src from another one on */
    char *host;                     /* the data of src */
    char *got, *made;               /* on the host: dst, and what it should be */
    size_t filled;                  /* bytes of src and other with data */
    uint32_t dtype;                 /* of it */
    data what;
    cudaEvent_t start, end;
    double copy_rate; /* bytes per second, read and written, of a large copy on the device */
    float empty_us;   /* of an empty kernel */
};

constexpr size_t src_bytes = size_t{2} << 30; /* of src and other, each */
constexpr size_t dst_bytes = size_t{7} << 29;
constexpr size_t room_bytes = size_t{1} << 30;
constexpr size_t other_shift = 65552; /* bytes from src's data to other's */

/* Ends the program with what went wrong. */
[[noreturn]] void die(const char *what, const char *why);
void check(cudaError_t error, const char *what);

/* Opens cuda:0, which compiles expressions then. */
void open(place *b, gf_compile compile);
/* Measures a copy and an empty kernel. */
void measure_floors(place *b);
void close(place *b);
/* Puts so many bytes at least of such data into src and other. */
void fill(place &b, uint32_t dtype, data what, size_t bytes);

/* Milliseconds of the device, and of the host until everything is in the stream. */
struct times_of {
    float device, host;
};

/* What the device waits for first, in milliseconds, at least and at most: what takes the host longer counts as ours. */
constexpr float least_wait = 0.1f, most_wait = 2.0f;

/* The device waits first, so that it finds everything in the stream. */
times_of timed(const place &b, const std::function<void()> &f, float wait = least_wait);

} // namespace bench

#endif
