/* SPDX-License-Identifier: MIT */
/*
 * How results are stored in files: which metadata of the first input they keep, how samples are converted that the
 * format cannot hold, and whether the options of output formats apply. Used by the commands that run operations.
 */
#ifndef GF_CLI_STORE_H
#define GF_CLI_STORE_H

#include "client/cli/base/cli.h"
#include "client/image/image.h"
#include "gpufilter/client.h"
#include "protocol/ops/program.h"

/* Which metadata of the first input a result keeps: a blurred picture is shown like its input, a histogram is not. In
 * ascending order: for several consecutive operations the greatest applies. */
enum gf_keep {
    GF_KEEP_ALL = 0,   /* a picture, with each sample at the place of the input's sample */
    GF_KEEP_MOVED,     /* a picture of another geometry: all but the place on the earth */
    GF_KEEP_UNROTATED, /* an array that uses rows and columns as stored: it is never turned automatically */
    GF_KEEP_NOTHING,   /* a table or a list */
};

/* Whether an operation decodes sRGB samples to linear light. */
bool gf_op_decodes(const struct gf_op *op, const union gf_params *params);

/* Whether an operation depends on left, right, top and bottom as viewers show them. Pictures are turned as EXIF says
 * before such an operation, and its results are stored upright. */
bool gf_op_needs_upright(const struct gf_op *op);

enum gf_keep gf_op_keeps(const struct gf_op *op, uint32_t output);

/* How to store a result made from a picture or array with this metadata. */
struct gf_image_save gf_keep_save(const struct gf_cli *cli, const struct gf_image_meta *meta, enum gf_keep keep);

/* Warns of the facts of the input that the file will lack, and of a last channel that the file will show as alpha
 * although it is none; under --strict both are an error. Returns an exit code. */
int gf_keep_check(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                  const struct gf_view *view, const char *path);

/* Warns on standard error if viewers will show the file in another orientation than its input. */
void gf_keep_warn(const struct gf_cli *cli, const struct gf_image_save *save, enum gf_image_format format,
                  const char *path);

/*
 * A fit stores a result of f32, f16 or u16 in a format that cannot hold it, where no dtype was given: the format was
 * chosen by whoever named the file. A magnitude keeps the range of the input; any other picture becomes 8 or 16 bits by
 * the rule of map, range=full; a signed result is refused. The descriptors tell the cases apart.
 */

/* The most steps that a fit adds to a program: one makes f32 of f16, one converts the samples, and output 1 of the last
 * counts the samples outside the range. u16 has none outside, and no last step. */
#define GF_FIT_STEPS 3

/* How a result is stored. */
struct gf_fit {
    uint32_t from;  /* f32, f16 or u16 */
    uint32_t dtype; /* u8 or u16; 0: unchanged */
    uint32_t range; /* GF_RANGE_VALUE or GF_RANGE_FULL */
    uint32_t alpha; /* GF_ALPHA_AUTO, or GF_ALPHA_STRAIGHT if the operation says so */
    float scale;    /* with GF_RANGE_VALUE: from the samples of the input's type to those of `dtype` */
};

/* What the results say about the stored samples. */
struct gf_fit_count {
    uint64_t samples, saturated, nan;
};

/* For help: what happens if a file cannot hold a result of f32, f16 or u16. */
#define GF_FIT_BITS "png, pnm and pam get 16 bits, others 8, 1.0 or 65535 as white"
#define GF_FIT_KEPT "a gradient's magnitude of u8 or u16 keeps that range; signed results are refused"

/* Whether a result of this operation may need a conversion. */
bool gf_fit_concerns(const struct gf_op *op);

/* Reports why a signed result cannot be stored in this format, and returns the exit code; 0 if it can. Needs no
 * data. */
int gf_fit_refuse(const struct gf_cli *cli, const struct gf_op *op, const union gf_params *params,
                  enum gf_image_format format, const char *path);

/* Chooses how to store the result `view` of an operation in this format; in_dtype is the dtype of the operation's
 * input, or of the file that was read as f32 for it. */
struct gf_fit gf_fit_choose(const struct gf_op *op, const union gf_params *params, uint32_t in_dtype,
                            const struct gf_view *view, enum gf_image_format format);

/* The number of steps that the fit adds. */
uint32_t gf_fit_n_steps(const struct gf_fit *fit);
/* Of these steps the one whose output 0 is stored; the one behind it, if there is one, counts. */
uint32_t gf_fit_stored(const struct gf_fit *fit);
/* Makes the steps `first` and following, which convert output 0 of step `step`; returns their number. */
uint32_t gf_fit_steps_init(struct gf_step steps[GF_FIT_STEPS], const struct gf_fit *fit, uint32_t step, uint32_t first);
/* `outside` is empty if no step counts. */
struct gf_fit_count gf_fit_count_of(const gpufilter_view *stored, const gpufilter_view *outside);
void gf_fit_count_add(struct gf_fit_count *sum, const struct gf_fit_count *more);

/* Prints one line on standard error if the samples were converted, unless --quiet; about u16 only with --verbose. */
void gf_fit_report(const struct gf_cli *cli, const struct gf_fit *fit, const struct gf_fit_count *count,
                   const char *path);

/* Warns that the palettes of a gif changed pixels, if they did. */
void gf_palette_report(const struct gf_cli *cli, uint64_t changed, uint64_t pixels, const char *path);

/* Makes 255 of 1 in a result of u8 without greater samples, made from an array of bool, unless the format is one of
 * arrays: a picture of 0 and 1 would be black. Returns whether it did. */
bool gf_spread_bool(const struct gf_view *view, void *data, enum gf_image_format format);

/* The output formats of a command line: --quality is refused if no format has a quality. */
struct gf_save_formats {
    bool quality, jpeg, png, webp, tiff; /* some format has a quality, or is this one */
    bool unknown;                        /* a format is the input's format, which is not known yet */
    const char *path;                    /* the first output file; NULL: none */
    enum gf_image_format format;
};

/* Adds an output file; NONE: its format is not known yet. */
void gf_save_record(struct gf_save_formats *seen, enum gf_image_format format, const char *path);

/* Refuses options that no format has, once all formats are known. Returns an exit code. */
int gf_save_check(const struct gf_cli *cli, const struct gf_save_formats *seen);

#endif
