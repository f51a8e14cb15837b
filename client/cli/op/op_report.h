/* SPDX-License-Identifier: MIT */
/*
 * The report of a run: stage times, a hash of the result, one JSON object. Used by the files that run and verify
 * operations and pipes.
 */
#ifndef GF_CLI_OP_REPORT_H
#define GF_CLI_OP_REPORT_H

#include "client/cli/report/histogram.h"
#include "fit.h"
#include "gpufilter/client.h"
#include "op_call.h"
#include "plan.h"

/* A run that succeeded. */
struct gf_op_run {
    const struct gf_op_call *call;
    const struct gf_plan *plan;       /* NULL without --explain */
    gpufilter_result *results;        /* data that are written, then tables */
    const gpufilter_result *tables;   /* the first of them that is a table */
    struct gf_view input, output;     /* output: as it is stored */
    const struct gf_image_meta *meta; /* of the first input */
    struct gf_fit fit;
    struct gf_fit_count count; /* of the fit, where there is one */
    uint64_t capacity;         /* of lists, before they were cut */
    uint64_t hash, begin_ns;
    gpufilter_times times;                                       /* of the daemon and the library */
    uint64_t read_ns, decode_ns, connect_ns, write_ns, whole_ns; /* of this process */
};

#define GF_HASH_TEXT 32

/* FNV-1a, 64 bits, over the samples without the bytes between rows. */
uint64_t gf_hash_samples(const struct gf_view *view, const void *data);
/* "fnv1a64:" and 16 digits; returns text. */
const char *gf_hash_text(uint64_t hash, char text[GF_HASH_TEXT]);

/* The result of a histogram, for drawing. */
struct gf_histogram gf_op_run_histogram(const struct gf_op_run *run);

/* Prints what --json, --hash, --timing and --verbose ask for. */
void gf_op_report(const struct gf_cli *cli, const struct gf_op_run *run);

#endif
