/* SPDX-License-Identifier: MIT */
/* Timed round trips and their percentiles. Used by cmd_ping.c and the files of the command bench. */
#ifndef GF_CLI_SAMPLES_H
#define GF_CLI_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds. */
struct gf_sample {
    uint64_t wall;                                    /* as the caller saw it */
    uint64_t queue, copy_in, kernel, copy_out, total; /* as the daemon says; 0 where it does not */
};

struct gf_samples {
    struct gf_sample *rows;
    uint32_t n, capacity;
};

#define GF_SAMPLES_MAX 1000000u

/* Frees the rows; usable with gf_cleanup. */
void gf_samples_deinit(struct gf_samples *s);
/* Adds one; false without memory. Beyond GF_SAMPLES_MAX nothing is added. */
bool gf_samples_add(struct gf_samples *s, const struct gf_sample *sample);
/* Puts them in ascending order of `wall`, which the others need. */
void gf_samples_sort(struct gf_samples *s);
/* The first that at least `percent` of all do not exceed; all zeros where there are none. */
struct gf_sample gf_samples_percentile(const struct gf_samples *s, uint32_t percent);

#endif
