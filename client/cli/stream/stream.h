/* SPDX-License-Identifier: MIT */
/*
 * Standard input to standard output, frame by frame: one thread reads while the daemon works on earlier frames and the
 * caller writes finished ones. Memory use does not depend on the number of frames. Used by pipe_files.c.
 */
#ifndef GF_CLI_STREAM_H
#define GF_CLI_STREAM_H

#include "client/cli/base/cli.h"
#include "gpufilter/client.h"
#include "protocol/ops/op_table.h"

/* For the help. */
#define GF_STREAM_ABOUT                                                                                                \
    "With - for IN and for OUT, any number of frames go from standard input to standard output, one after\n"           \
    "another: y4m, PNG or PNM files, or --raw samples. Planes of y4m are pictures of one channel; sizes and\n"         \
    "sigmas are in pixels of the plane, chroma as well as luma."

/* What is done with each picture, which is a frame or a plane of it. The functions report errors and return exit
 * codes. */
struct gf_stream_work {
    void *data;      /* passed to `begin` and `end` */
    size_t capacity; /* bytes of the state of a picture in progress (at_hand); zero at first, and reused for later
                      * pictures */
    /* Takes the picture, up to gpufilter_submit. Its samples remain valid until `reset`. */
    int (*begin)(void *data, const struct gf_cli *cli, gpufilter_client *client, struct gf_image *picture,
                 void *at_hand);
    int (*wait)(const struct gf_cli *cli, void *at_hand);
    int (*end)(void *data, const struct gf_cli *cli, void *at_hand); /* writes to cli->save.to */
    void (*reset)(void *at_hand);                                    /* after each picture */
    void (*deinit)(void *at_hand);                                   /* before the client is closed */
    bool (*moves_grey)(const void *data);                            /* whether the middle of the range changes;
                                                                      * asked for video, once there is a result */
};

/* Whether an operation may change a plane of constant value. Operations on values do; operations on neighbourhoods and
 * operations that copy or move pixels do not. */
static inline bool gf_stream_moves_grey(const struct gf_op *op)
{
    return op->reach != GF_REACH_MASK && op->reach != GF_REACH_MASK_ROTATED && op->reach != GF_REACH_ELEMENT &&
           op->reach != GF_REACH_ELEMENT_TWICE && op->reach != GF_REACH_PLACE && op->index != GF_INDEX_copy &&
           op->index != GF_INDEX_rotate && op->index != GF_INDEX_transpose;
}

/* Whether the options leave standard output to the frames and request nothing about a single picture. */
bool gf_stream_is_possible(const struct gf_cli *cli);

/* Runs the work on all frames. Frames before one that fails are written completely. `raw` NULL: no bare samples. */
int gf_stream_run(const struct gf_cli *cli, const struct gf_view *raw, const struct gf_stream_work *work);

/* Checks that the result of a y4m plane has the plane's size and type. Other pictures may become anything. Returns an
 * exit code. */
int gf_stream_check(const struct gf_cli *cli, const struct gf_image *picture, enum gf_image_format format,
                    const struct gf_view *result);

#endif
