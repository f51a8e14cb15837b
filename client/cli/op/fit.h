/* SPDX-License-Identifier: MIT */
/*
 * Results that the output format cannot hold, where no dtype was given. An f32 magnitude takes the type of the input;
 * any other f32 picture becomes 8 or 16 bits, scaled to the maximum; a signed result is refused. The descriptors tell
 * the cases apart. Used by the commands that run operations.
 */
#ifndef GF_CLI_FIT_H
#define GF_CLI_FIT_H

#include "client/cli/base/cli.h"
#include "client/cli/image/image.h"
#include "gpufilter/client.h"
#include "protocol/ops/program.h"

/* The steps that a fit adds to a program: the first converts the samples, output 1 of the second counts the samples
 * outside the range. */
#define GF_FIT_STEPS 2

/* How a result is stored. */
struct gf_fit {
    uint32_t dtype; /* u8 or u16; 0: unchanged */
    uint32_t range; /* GF_RANGE_VALUE or GF_RANGE_FULL */
    uint32_t alpha; /* GF_ALPHA_AUTO, or GF_ALPHA_STRAIGHT if the operation says so */
};

/* What the results say about the stored samples. */
struct gf_fit_count {
    uint64_t samples, saturated, nan;
};

/* For help: what happens if a file cannot hold an f32 result. */
#define GF_FIT_BITS "png, pnm and pam get 16 bits, jpeg, bmp and tga 8, 1.0 as white"
#define GF_FIT_KEPT "a gradient's magnitude of u8 or u16 keeps that type; signed results are refused"

/* Whether a result of this operation may need a conversion. */
bool gf_fit_concerns(const struct gf_op *op);

/* Reports why a signed result cannot be stored in this format, and returns the exit code; 0 if it can. Needs no
 * data. */
int gf_fit_refuse(const struct gf_cli *cli, const struct gf_op *op, const union gf_params *params,
                  enum gf_image_format format, const char *path);

/* Chooses how to store the result `view` of an operation in this format; in_dtype is the dtype of the operation's
 * input. */
struct gf_fit gf_fit_choose(const struct gf_op *op, const union gf_params *params, uint32_t in_dtype,
                            const struct gf_view *view, enum gf_image_format format);

/* Makes the steps that convert output 0 of step `step`. */
void gf_fit_steps_init(struct gf_step steps[GF_FIT_STEPS], const struct gf_fit *fit, uint32_t step);
struct gf_fit_count gf_fit_count_of(const gpufilter_view *stored, const gpufilter_view *outside);
void gf_fit_count_add(struct gf_fit_count *sum, const struct gf_fit_count *more);

/* Prints one line on standard error, unless --quiet. */
void gf_fit_report(const struct gf_cli *cli, const struct gf_fit *fit, const struct gf_fit_count *count,
                   const char *path);

#endif
