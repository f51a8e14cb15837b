/* SPDX-License-Identifier: MIT */
/* The arguments of a call that runs a program, and their conversion to a request. Used by run.c and submit.c. */
#ifndef GF_CLIENT_RUN_H
#define GF_CLIENT_RUN_H

#include "requests.h"

struct gf_work {
    const gpufilter_program *program; /* or text */
    const char *text;
    const gpufilter_view *operands;
    uint32_t n_operands, n_results;
};

/* Checks the work and queues a request for it; fills in results[i].view. Errors: every error that gpufilter_run finds
 * before it sends anything; results are unchanged. */
enum gf_status gf_run_start(gpufilter_client *client, const struct gf_work *w, gpufilter_result *results,
                            struct gf_request **ret_request, struct gf_error *err);

#endif
