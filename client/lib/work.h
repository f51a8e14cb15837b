/* SPDX-License-Identifier: MIT */
/* The arguments of one call in one struct. Used by run.c and call.c, and by the command, which reads its steps itself.
 */
#ifndef GF_CLIENT_WORK_H
#define GF_CLIENT_WORK_H

#include "client/include/gpufilter/client.h"
#include "protocol/ops/program.h"

/* Everything that the caller gives to one call. */
struct gf_work {
    const gpufilter_step *steps; /* or text, or checked */
    uint32_t n_steps;
    const char *text;
    const struct gf_step *checked; /* operations, parameters and inputs of n_steps that are read already */
    uint64_t open_alpha;           /* of those: they do not say their parameter alpha */
    const gpufilter_view *operands;
    uint32_t n_operands;
    const gpufilter_result *results;
    const struct gf_ref *outputs; /* of n_results, instead of the names in results; NULL: the names count */
    uint32_t n_results;
    const gpufilter_call *call;
};

/* For the command, which has read its steps itself: gpufilter_run and gpufilter_submit of `work`. In run.c. */
int gf_run_work(gpufilter_client *client, const struct gf_work *work, gpufilter_result *results, gpufilter_error *err);
int gf_submit_work(gpufilter_client *client, const struct gf_work *work, gpufilter_result *results, void *context,
                   uint64_t *ret_id, gpufilter_error *err);

#endif
