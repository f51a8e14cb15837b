/* SPDX-License-Identifier: MIT */
/*
 * One request on all GPUs at once: a part for each, which computes one slab of the rows (kernels/slab/slab.h, in the
 * worker). Parts are tasks of their own to scheduler, routing and workers; the complete task keeps the charges, and is
 * answered after its last part. Called by dispatcher.
 */
#ifndef GF_FRONT_SPLIT_H
#define GF_FRONT_SPLIT_H

#include "protocol/wire/response.h"
#include "server/front/worker/workers.h"

struct gf_split {
    struct gf_node parts; /* by gf_task.mine */
    uint32_t n_left;
    bool failed;
    struct gf_run_reply reply; /* of all parts, once they ended well */
    struct gf_error error;     /* of the first that failed */
    uint8_t spans[GF_MAX_SPANS * GF_RECORD_SPAN];
};

/* Makes the parts of a task whose device is GF_EVERY_GPU, none of them queued. Numbers them from *last_number on.
 * NO_DEVICE, NO_MEMORY. */
enum gf_status gf_split_begin(struct gf_task *whole, const struct gf_workers *workers, uint64_t *last_number,
                              struct gf_error *err);
/* Takes the answer of a part, exactly one of reply and error, and frees the part. */
void gf_split_take(struct gf_task *part, const struct gf_run_reply *reply, const struct gf_error *error);

#endif
