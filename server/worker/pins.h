/* SPDX-License-Identifier: MIT */
/*
 * Whether an arena earns being page-locked, which takes the driver milliseconds. Its second use earns it. Arenas that
 * evict each other would be locked and unlocked all the time, so one that was evicted soon after it was locked waits.
 * Called by mappings.c.
 */
#ifndef GF_WORKER_PINS_H
#define GF_WORKER_PINS_H

#include <stdbool.h>
#include <stdint.h>

/* An arena that was page-locked for less than this long is not page-locked again for this long. */
#define GF_PIN_REST_NS UINT64_C(10000000000)

struct gf_pins {
    uint64_t uses;        /* since it was last unlocked */
    uint64_t locked_ns;   /* when it was last page-locked */
    uint64_t rests_until; /* it is not page-locked before */
};

bool gf_pins_earned(const struct gf_pins *pins, uint64_t now_ns);
/* The arena was unlocked for the sake of another one. */
void gf_pins_evicted(struct gf_pins *pins, uint64_t now_ns);

#endif
