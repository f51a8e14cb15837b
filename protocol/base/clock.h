/* SPDX-License-Identifier: MIT */
/*
 * The common clock of front, worker, backends and library: nanoseconds of CLOCK_MONOTONIC. Deadlines are times on this
 * clock. Processor time uses another clock.
 */
#ifndef GF_PROTOCOL_CLOCK_H
#define GF_PROTOCOL_CLOCK_H

#include <stdint.h>
#include <time.h>

#define GF_NS_PER_MS UINT64_C(1000000)
#define GF_NS_PER_S UINT64_C(1000000000)

static inline uint64_t gf_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * GF_NS_PER_S + (uint64_t)t.tv_nsec;
}

static inline uint64_t gf_now_ns(void)
{
    return gf_clock_ns(CLOCK_MONOTONIC);
}

#endif
