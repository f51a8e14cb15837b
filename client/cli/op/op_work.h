/* SPDX-License-Identifier: MIT */
/*
 * The stages of one picture through an operation: read, submitted to the daemon, awaited, written, reported. Separate
 * functions, so that a batch can have several pictures in progress. Used by cmd_op.c.
 */
#ifndef GF_CLI_OP_WORK_H
#define GF_CLI_OP_WORK_H

#include "op_report.h"

struct gf_op_work {
    struct gf_op_call call; /* its masks are borrowed */
    struct gf_op_run run;
    struct gf_plan plan;
    struct gf_image images[GF_MAX_INPUTS]; /* by input; those of masks stay empty */
    gpufilter_client *client;              /* NULL until it was handed over */
    uint64_t id, submit_ns;
    bool awaited; /* the answer came and is good */
    /* the program, and what it points to */
    gpufilter_program program;
    gpufilter_step steps[1 + GF_FIT_STEPS];
    gpufilter_param params[GF_MAX_PARAMS];
    gpufilter_ref refs[GF_MAX_INPUTS];
    struct gf_fit_steps fitting;
    gpufilter_view operands[GF_MAX_INPUTS];
    gpufilter_result results[GF_MAX_OUTPUTS];
    uint32_t n_operands, n_results;
};

/* Reads the inputs of a call that are not in work->images yet, by `how`, checks what their shapes tell, and says under
 * --explain what will be done. Says what is wrong and returns an exit code. In any case the caller calls
 * gf_op_work_deinit, on work that began as zeros.
 */
int gf_op_work_read(const struct gf_cli *cli, struct gf_op_work *work, const struct gf_op_call *call,
                    const struct gf_image_load *how);
/* Hands it to the daemon, without waiting. */
int gf_op_work_submit(const struct gf_cli *cli, struct gf_op_work *work, gpufilter_client *client);
/* Waits for the answer, before gf_op_work_finish where several are to be there before one is written. */
int gf_op_work_wait(const struct gf_cli *cli, struct gf_op_work *work);
/* Waits for the answer, and under --verify has it checked; writes and reports. DIFFERENT where the result says so. */
int gf_op_work_finish(const struct gf_cli *cli, struct gf_op_work *work);
/* Frees the first input and the results; the other inputs stay for the next picture of a stream. */
void gf_op_work_reset(struct gf_op_work *work);
/* Frees what it holds and empties it; before the client is closed. Usable with gf_cleanup. */
void gf_op_work_deinit(struct gf_op_work *work);

#endif
