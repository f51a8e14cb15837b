/* SPDX-License-Identifier: MIT */
/* Runs one case on the gold and on opened devices and compares. Called by main.c; lanes.c is a part of it. */
#ifndef GF_TESTS_RUNNER_H
#define GF_TESTS_RUNNER_H

#include "case.h"
#include "guarded.h"

/* A device of a backend, or the reason why there is none. */
struct gf_runner_device {
    char name[40]; /* "cpu with 2 threads" */
    const struct gf_backend *backend;
    struct gf_device *device; /* NULL: absent */
    struct gf_lane *lane;
    bool limited; /* it has little memory: cases that say so are skipped */
    uint64_t passed, failed, skipped;
};

/* A case with its data and what the gold makes of it. */
struct gf_runner_case {
    const struct gf_case *c;
    struct gf_guarded image, image_copy;
    struct gf_guarded inputs[GF_CASE_STEPS][GF_MAX_INPUTS]; /* those after the first */
    struct gf_guarded golds[GF_CASE_STEPS][GF_MAX_OUTPUTS]; /* tight outputs of all steps */
    enum gf_status status;                                  /* of the gold; no outputs unless OK */
};

/* Makes the data and runs the gold. False without memory or for an unknown kind of data. */
bool gf_runner_prepare(const struct gf_case *c, struct gf_runner_case *ret);
void gf_runner_release(struct gf_runner_case *rc);
/* Runs the case on one device, counts it, and prints what differs to stdout. */
void gf_runner_compare(const struct gf_runner_case *rc, struct gf_runner_device *device);
/* Runs n cases on several lanes of the device at once, every lane all of them, and counts each. In lanes.c. */
void gf_runner_lanes(const struct gf_runner_case *cases, uint32_t n, struct gf_runner_device *device);
/* FNV-1a of the gold's results, going on from `hash`: the same on every machine. */
uint64_t gf_runner_hash(const struct gf_runner_case *rc, uint64_t hash);

#endif
