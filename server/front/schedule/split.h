/* SPDX-License-Identifier: MIT */
/*
 * One request on all GPUs at once: one part per GPU computes one slab of the rows (kernels/slab/slab.h, in the worker).
 * For the scheduler, routing and workers each part is a task; the whole task keeps the charges and is answered after
 * its last part. Called by the dispatcher.
 */
#ifndef GF_FRONT_SPLIT_H
#define GF_FRONT_SPLIT_H

#include "protocol/wire/response.h"
#include "server/front/worker/workers.h"

struct gf_split {
    struct gf_node parts; /* linked by gf_task.mine */
    uint32_t n_left;
    bool failed;
    struct gf_run_reply reply; /* joined from all parts if they succeed */
    struct gf_error error;     /* of the first part that failed */
    uint8_t spans[GF_MAX_SPANS * GF_RECORD_SPAN];
};

/* Makes the parts of a task whose device is GF_EVERY_GPU without queueing them. Numbers them from *last_number + 1.
 * gf_routing_absence(), NO_MEMORY. */
enum gf_status gf_split_begin(struct gf_task *whole, const struct gf_workers *workers, uint64_t *last_number,
                              struct gf_error *err);
/* Takes the answer of a part, either reply or error, and frees the part. */
void gf_split_take(struct gf_task *part, const struct gf_run_reply *reply, const struct gf_error *error);

#endif
