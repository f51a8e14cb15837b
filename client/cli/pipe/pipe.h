/* SPDX-License-Identifier: MIT */
/*
 * A pipe as given on the command line, and its run. Made by cmd_pipe.c, run by pipe_work.c, reported by pipe_report.c;
 * page_man.c prints its help.
 */
#ifndef GF_CLI_PIPE_H
#define GF_CLI_PIPE_H

#include "client/cli/batch/batch_names.h"
#include "client/cli/op/fit.h"
#include "client/cli/report/histogram.h"
#include "client/cli/stream/stream.h"
#include "gpufilter/client.h"
#include "pipe_text.h"

#define GF_PIPE_TARGETS 8

/* For help and the man page. */
#define GF_PIPE_ABOUT                                                                                                  \
    "Runs several operations in one request. A step is an operation's name and name=value pairs. A step\n"             \
    "that gives a table (a histogram, a reduction) is reported, and the next one takes what it took.\n"                \
    "Every input of a step may be named: other=@FILE is a file, other=#1 is what step 1 gives, #0 is IN,\n"            \
    "#1.edges its output of that name; src=#0 begins anew from IN. Masks may be files too, mask=@FILE.\n"              \
    "Up to 8 files: -o OUT for the last result that is no table, -o 2:EDGES for the result of step 2,\n"               \
    "-o 2.edges:FILE for its output of that name.\n"                                                                   \
    "Several IN run on all cores, a few at a time (--jobs).\n" GF_BATCH_ABOUT "\n" GF_STREAM_ABOUT "\n"                \
    "Where a file cannot hold an f32 result: " GF_FIT_BITS ";\n" GF_FIT_KEPT ".\n"                                     \
    "The exit status is 1 where a step `compare` found a difference."
#define GF_PIPE_EXAMPLE                                                                                                \
    "pipe in.png 'gaussian sigma=1 | gaussian src=#0 sigma=2 | combine other=#1 mode=absdiff' -o out.png"

/* A file to be written. */
struct gf_pipe_target {
    const char *path;
    uint32_t step, output; /* from 0 */
    enum gf_image_format format;
    bool as_input; /* the format is that of IN, once that is read */
    uint32_t result;
    gpufilter_view stored; /* what is in the file */
    struct gf_fit fit;
    struct gf_fit_count count;
    void *fitted[GF_FIT_RESULTS]; /* the client's memory, where there is a fit */
};

struct gf_pipe {
    bool is_raw; /* IN holds samples of the shape `raw` */
    struct gf_view raw;
    uint32_t text_dtype; /* of IN that is text; 0: what the file says */
    struct gf_pipe_text text;
    uint32_t n_read;                         /* operands of the text that were read, of which all but IN are kept */
    struct gf_image images[GF_MAX_OPERANDS]; /* by operand; empty for masks */
    gpufilter_view operands[GF_MAX_OPERANDS];
    struct gf_pipe_target targets[GF_PIPE_TARGETS];
    uint32_t n_targets;
    const char *plot; /* NULL: no drawing */
    uint32_t plot_step;
    gpufilter_result results[GF_MAX_RESULTS];
    uint32_t n_results;
    uint32_t taps[GF_MAX_STEPS]; /* the first result of each step that is a table */
    gpufilter_client *client;    /* NULL until it was handed over */
    uint64_t id, submit_ns;
    bool awaited; /* the answer came and is good */
    gpufilter_times times;
};

/* The way of one file through a pipe, in pipe_work.c; in steps, so that a batch has several on their way. Each says
 * what is wrong and returns an exit code. Reads what it takes, IN by `how` unless it is there, and checks the program
 * and what files can hold. */
int gf_pipe_read(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_image_load *how);
/* Hands it to the daemon, without waiting. */
int gf_pipe_submit(const struct gf_cli *cli, struct gf_pipe *p, gpufilter_client *client);
/* Waits for the answer, before gf_pipe_finish where several are to be there before one is written. */
int gf_pipe_wait(const struct gf_cli *cli, struct gf_pipe *p);
/* Waits for the answer, under --verify has it checked, writes and reports. DIFFERENT where a step says so. */
int gf_pipe_finish(const struct gf_cli *cli, struct gf_pipe *p);
/* Frees IN and the results, so that another file can be read; before the client is closed. */
void gf_pipe_reset(struct gf_pipe *p);
/* Frees all that it holds. */
void gf_pipe_deinit(struct gf_pipe *p);

/* What step `step` takes as input `input`; the operands are there and the pipe has been checked. */
struct gf_view gf_pipe_input(const struct gf_pipe *p, uint32_t step, uint32_t input);

/* The result of a step that is a histogram, for drawing. */
struct gf_histogram gf_pipe_histogram(const struct gf_pipe *p, uint32_t step);

/* Runs the pipe that writes the first channel of `in` to the first file, the next to the next; in cmd_pipe.c. `format`
 * may be NULL. Returns the exit code. */
int gf_pipe_channels(const struct gf_cli *cli, const char *in, const char *const *files, size_t n, const char *format);

/* Prints the plan of every step to standard error. */
void gf_pipe_explain(const struct gf_cli *cli, const struct gf_pipe *p);
/* Prints what --json, --hash, --timing ask for, or the tables for people. */
void gf_pipe_report(const struct gf_cli *cli, const struct gf_pipe *p);

#endif
