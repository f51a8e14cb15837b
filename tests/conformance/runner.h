/* SPDX-License-Identifier: MIT */
/* Runs one case on the reference and on opened devices and compares. Called by main.c. */
#ifndef GF_TESTS_RUNNER_H
#define GF_TESTS_RUNNER_H

#include "case.h"
#include "guarded.h"

/* A device of a backend, or the reason why there is none. */
struct gf_runner_device {
    char name[48]; /* "cpu with 2 threads, avx2" */
    const struct gf_backend *backend;
    struct gf_device *device; /* NULL: absent */
    struct gf_exec *exec;
    bool limited;  /* it has little memory: cases that say so are skipped */
    bool compiles; /* all expressions are to be computed by kernels that are compiled for them */
    uint64_t passed, failed, skipped;
};

/* A case with its data and what the reference makes of it. */
struct gf_runner_case {
    const struct gf_case *c;
    struct gf_guarded image, image_copy;
    struct gf_guarded inputs[GF_CASE_STEPS][GF_MAX_INPUTS];      /* inputs after the first */
    struct gf_guarded references[GF_CASE_STEPS][GF_MAX_OUTPUTS]; /* tight outputs of all steps */
    enum gf_status status;                                       /* of the reference; no outputs unless OK */
};

/* Makes the data and runs the reference. False without memory or for an unknown kind of data. */
bool gf_runner_prepare(const struct gf_case *c, struct gf_runner_case *ret);
void gf_runner_release(struct gf_runner_case *rc);
/* Runs the case on one device, counts it, and prints what differs to stdout. */
void gf_runner_compare(const struct gf_runner_case *rc, struct gf_runner_device *device);
/* Runs n cases on several exec contexts of the device at once, every exec context all of them, and counts each: the
 * contexts must not affect each other. */
void gf_runner_execs(const struct gf_runner_case *cases, uint32_t n, struct gf_runner_device *device);
/* FNV-1a of the reference's results, going on from `hash`: the same on every machine. */
uint64_t gf_runner_hash(const struct gf_runner_case *rc, uint64_t hash);

#endif
