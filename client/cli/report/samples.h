/* SPDX-License-Identifier: MIT */
/* Timed round trips and their percentiles. Used by cmd_ping.c and the command bench. */
#ifndef GF_CLI_SAMPLES_H
#define GF_CLI_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/* All in nanoseconds. */
struct gf_sample {
    uint64_t wall;                                    /* measured by the caller */
    uint64_t queue, copy_in, kernel, copy_out, total; /* reported by the daemon; otherwise 0 */
};

struct gf_samples {
    struct gf_sample *rows;
    uint32_t n, capacity;
};

#define GF_SAMPLES_MAX 1000000u

/* Frees the rows. For gf_cleanup. */
void gf_samples_deinit(struct gf_samples *s);
/* Adds a sample; false: out of memory. Samples beyond GF_SAMPLES_MAX are dropped. */
bool gf_samples_add(struct gf_samples *s, const struct gf_sample *sample);
/* Sorts the samples by `wall`, ascending, as gf_samples_percentile requires. */
void gf_samples_sort(struct gf_samples *s);
/* The smallest sample that at least `percent` of all samples do not exceed; all zeros if there are none. */
struct gf_sample gf_samples_percentile(const struct gf_samples *s, uint32_t percent);

#endif
