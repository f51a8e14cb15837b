/* SPDX-License-Identifier: MIT */
/*
 * Waiting in short sleeps. A processor that has been idle for 200 us is handed back by its virtual machine, or enters a
 * deep sleep state, and takes up to 0.5 ms to return. A thread that waits for the imminent answer of a GPU therefore
 * wakes up in between, at a cost of some microseconds each time. Used by the library, the worker and the front.
 */
#ifndef GF_PROTOCOL_KEEP_AWAKE_H
#define GF_PROTOCOL_KEEP_AWAKE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#define GF_KEEP_AWAKE_PERIOD_NS INT64_C(100000) /* between two wake-ups, including the timer slack */
#define GF_KEEP_AWAKE_MAX_NS INT64_C(4000000)   /* longest time for which this pays */
#define GF_SHORT_NS INT64_C(150000)             /* shorter waits need no naps */

/* Naps until one of n descriptors is ready, or until GF_KEEP_AWAKE_MAX_NS or `limit_ns` (INT64_MAX: none) have passed.
 * Does not nap if the expected wait is short, because naps would then cost more than they save. Returns true if a
 * descriptor is ready, or a signal came. */
bool gf_keep_awake_poll(struct pollfd *fds, nfds_t n, int64_t expected_ns, int64_t limit_ns);

/* Updates the expected wait after a wait of `waited_ns`. A single short wait between long ones has little effect, and a
 * wait that is too long for naps is ignored. */
static inline int64_t gf_keep_awake_expect(int64_t expected_ns, int64_t waited_ns)
{
    expected_ns -= expected_ns / 4;
    return waited_ns > expected_ns && waited_ns <= GF_KEEP_AWAKE_MAX_NS ? waited_ns : expected_ns;
}

#endif
