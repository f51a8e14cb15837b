/* SPDX-License-Identifier: MIT */
/*
 * Copies of an operand where a device may work on it as it is: in page-locked memory, and in memory of its own as a
 * part of a wider buffer. For the runner.
 */
#ifndef GF_TESTS_PLACES_H
#define GF_TESTS_PLACES_H

#include "runner.h"

struct gf_place {
    void *block;         /* page-locked, NULL: none */
    struct gf_buf whole; /* the resident buffer, data NULL: none */
    struct gf_buf buf;   /* the operand */
};

/* The memory of guarded bytes that begin a page; false where the device does not want it. */
bool gf_place_pin(const struct gf_runner_device *device, const struct gf_guarded *guarded);
void gf_place_unpin(const struct gf_runner_device *device, const struct gf_guarded *guarded);
/* A copy in page-locked memory whose rows begin at multiples of 16 bytes, with `poison` between them. False without
 * memory. */
bool gf_place_pinned(const struct gf_runner_device *device, const struct gf_buf *from, unsigned char poison,
                     struct gf_place *ret);
/* A copy inside a resident buffer with `beside` pixels on each side, and `poison` behind the ends of its rows. False
 * where there is no room for it. */
bool gf_place_resident(const struct gf_runner_device *device, const struct gf_buf *from, uint64_t beside,
                       unsigned char poison, struct gf_place *ret);
void gf_place_deinit(const struct gf_runner_device *device, struct gf_place *place);

#endif
