/* SPDX-License-Identifier: MIT */
/*
 * Results that the output format cannot hold, where no dtype was given: an f32 magnitude takes the type of the input,
 * another f32 picture 8 or 16 bits as a share of the maximum, and a signed result is refused. The descriptors tell
 * which is which. Used by the commands that run operations.
 */
#ifndef GF_CLI_FIT_H
#define GF_CLI_FIT_H

#include "client/cli/base/cli.h"
#include "client/cli/image/image.h"
#include "gpufilter/client.h"
#include "protocol/ops/program.h"

/* Steps that a fit adds to a program: the first stores the samples, output 1 of the second counts the samples outside.
 */
#define GF_FIT_STEPS 2

/* How a result is stored. */
struct gf_fit {
    uint32_t dtype; /* u8 or u16; 0: as it is */
    uint32_t range; /* GF_RANGE_VALUE or GF_RANGE_FULL */
    uint32_t alpha; /* GF_ALPHA_AUTO or GF_ALPHA_STRAIGHT: of the operation */
};

/* What was stored, from the results. */
struct gf_fit_count {
    uint64_t samples, saturated, nan;
};

/* For help: where a file cannot hold an f32 result. */
#define GF_FIT_BITS "png, pnm and pam get 16 bits, jpeg, bmp and tga 8, 1.0 as white"
#define GF_FIT_KEPT "a gradient's magnitude of u8 or u16 keeps that type; signed results are refused"

/* Whether the result of an operation may be one that is converted. */
bool gf_fit_concerns(const struct gf_op *op);

/* Says why a signed result does not go into this format, and returns the exit code; 0 where it is none or goes. Needs
 * no data. */
int gf_fit_refuse(const struct gf_cli *cli, const struct gf_op *op, const union gf_params *params,
                  enum gf_image_format format, const char *path);

/* How the result `view` of an operation is stored in this format; in_dtype is that of the operation's input. */
struct gf_fit gf_fit_choose(const struct gf_op *op, const union gf_params *params, uint32_t in_dtype,
                            const struct gf_view *view, enum gf_image_format format);

/* Makes the steps of a fit of output 0 of step `step`. */
void gf_fit_steps_init(struct gf_step steps[GF_FIT_STEPS], const struct gf_fit *fit, uint32_t step);
struct gf_fit_count gf_fit_count_of(const gpufilter_view *stored, const gpufilter_view *outside);
void gf_fit_count_add(struct gf_fit_count *sum, const struct gf_fit_count *more);

/* One line on standard error, unless --quiet. */
void gf_fit_report(const struct gf_cli *cli, const struct gf_fit *fit, const struct gf_fit_count *count,
                   const char *path);

#endif
