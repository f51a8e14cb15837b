/* SPDX-License-Identifier: MIT */
/*
 * Waiting in short sleeps. A virtual machine hands back a processor that has been idle for 200 us, or the processor
 * enters a deep sleep state, and takes up to 0.5 ms to return. So a thread that waits for the imminent answer of a GPU
 * wakes up in between, which costs some microseconds each time. Used by the library, the worker and the front.
 */
#ifndef GF_PROTOCOL_KEEP_AWAKE_H
#define GF_PROTOCOL_KEEP_AWAKE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#define GF_KEEP_AWAKE_PERIOD_NS INT64_C(100000) /* between two looks, with what the system's timers add */
#define GF_KEEP_AWAKE_MAX_NS INT64_C(4000000)   /* after so long it is not worth it any more */
#define GF_SHORT_NS INT64_C(150000)             /* waits that need no naps */

/* Naps until the descriptor is ready, GF_KEEP_AWAKE_MAX_NS or `limit_ns` (INT64_MAX: none) are over; not at all where
 * the wait is expected to be a short one: naps cost more than they save then. True when something has come, or the call
 * was interrupted. */
bool gf_keep_awake_poll(struct pollfd *fd, int64_t expected_ns, int64_t limit_ns);

/* What to expect of the next wait at a place after one of `waited_ns`. A short one between long ones is forgotten, and
 * one too long for naps. */
static inline int64_t gf_keep_awake_expect(int64_t expected_ns, int64_t waited_ns)
{
    expected_ns -= expected_ns / 4;
    return waited_ns > expected_ns && waited_ns <= GF_KEEP_AWAKE_MAX_NS ? waited_ns : expected_ns;
}

#endif
