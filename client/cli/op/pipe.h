/* SPDX-License-Identifier: MIT */
/*
 * The engine of all commands that run operations: data, steps, and files for the results. An operation is a pipe of one
 * step; a statement of a session is a pipe of data that have names. Made by op_call.c, cmd_pipe.c and cmd_session.c.
 */
#ifndef GF_CLI_OP_PIPE_H
#define GF_CLI_OP_PIPE_H

#include "client/cli/image/image.h"
#include "client/cli/report/histogram.h"
#include "fit.h"
#include "gpufilter/client.h"
#include "keep.h"
#include "op_data.h"
#include "protocol/ops/program.h"

#define GF_PIPE_TARGETS 8

/* Data that a pipe takes. */
struct gf_pipe_operand {
    char *path;                        /* owned; of a list perhaps its numbers; NULL: no file */
    const struct gf_input_desc *input; /* of the list or mask that it is; NULL: a picture or array */
    struct gf_image image;
    struct gf_coefs mask;
    gpufilter_view view; /* without data until it was read */
};

/* A result that is data. */
struct gf_pipe_target {
    const char *path;      /* NULL: it is not written */
    uint32_t step, output; /* from 0 */
    enum gf_image_format format;
    bool as_input; /* the format is that of IN, once that is read */
    uint32_t result;
    gpufilter_view stored; /* what is in the file */
    struct gf_fit fit;
    struct gf_fit_count count;
};

/* The program as the library takes it. */
struct gf_pipe_request {
    gpufilter_program program;
    gpufilter_step steps[GF_MAX_STEPS];
    gpufilter_ref refs[GF_MAX_STEPS][GF_MAX_INPUTS];
    gpufilter_param params[GF_MAX_STEPS][GF_MAX_PARAMS];
    gpufilter_view operands[GF_MAX_OPERANDS];
};

/* What this process spent, in nanoseconds. */
struct gf_pipe_spent {
    uint64_t read, decode, connect, write, whole;
};

struct gf_pipe {
    const struct gf_pipe
        *model;        /* it was copied from this one, which owns all operands but IN; NULL: it owns its own */
    bool is_statement; /* of a session: tables are wanted where nothing else is */
    bool is_raw;       /* IN holds samples of the shape `raw` */
    struct gf_view raw;
    uint32_t text_dtype; /* of IN that is text, and of an operation's other operands; 0: what the file says */
    bool may_shrink;     /* IN may be read at a part of its size, see shrink.h */
    struct gf_program program;
    const struct gf_adjust *adjusts[GF_MAX_STEPS]; /* by step: sets its parameters; else NULL */
    double amounts[GF_MAX_STEPS];                  /* for them; NaN: not given */
    union gf_params asked;                         /* the parameters of step 1 as asked for, while is_shrunk */
    bool is_shrunk;
    struct gf_pipe_operand operands[GF_MAX_OPERANDS]; /* program.n_operands; 0 is IN */
    struct gf_pipe_target targets[GF_PIPE_TARGETS];
    uint32_t n_targets;
    enum gf_keep kept; /* what IN itself has kept of the file it was made of */
    const char *plot;  /* NULL: no drawing */
    uint32_t plot_step;
    gpufilter_result results[GF_MAX_RESULTS]; /* targets, then tables */
    uint32_t n_results;
    uint32_t taps[GF_MAX_STEPS]; /* the first result of each step that has tables */
    struct gf_pipe_request request;
    gpufilter_client *client; /* NULL until the request was handed over */
    uint64_t id, begin_ns, submit_ns;
    bool awaited; /* the answer came and is good */
    gpufilter_times times;
    struct gf_pipe_spent spent;
};

/* Adds data: a file that is read later, once though it is named twice, or with `input` what that takes. BAD_REQUEST:
 * too many; NO_MEMORY. */
enum gf_status gf_pipe_add_file(struct gf_pipe *p, const char *path, const struct gf_input_desc *input,
                                struct gf_ref *ret, struct gf_error *err);
/* Adds data that are there; NULL: too many. */
struct gf_pipe_operand *gf_pipe_add_data(struct gf_pipe *p, struct gf_ref *ret);
/* Adds a result that is data; says that there are too many. An exit code. */
int gf_pipe_add_target(const struct gf_cli *cli, struct gf_pipe *p, const char *path, uint32_t step, uint32_t output);
/* Lists the results: the targets and the tables of all steps. Says that there are too many. An exit code. */
int gf_pipe_list_results(const struct gf_cli *cli, struct gf_pipe *p);

/* The stages of one picture, apart so that a batch has several pictures in progress. Each says what is wrong and
 * returns an exit code. Reads all data that are not there yet, IN by `how` (NULL: by default). */
int gf_pipe_read(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_image_load *how);
/* Reads all data but IN, which copies share. */
int gf_pipe_read_others(const struct gf_cli *cli, struct gf_pipe *p);
/* Checks the program of data that were read, and what files can hold. */
int gf_pipe_check(const struct gf_cli *cli, struct gf_pipe *p);
/* Hands it to the daemon, without waiting. */
int gf_pipe_submit(const struct gf_cli *cli, struct gf_pipe *p, gpufilter_client *client);
/* Waits for the answer, before gf_pipe_write where several are to be there before one is written. */
int gf_pipe_wait(const struct gf_cli *cli, struct gf_pipe *p);
/* Waits for the answer, under --verify has it checked, and writes. */
int gf_pipe_write(const struct gf_cli *cli, struct gf_pipe *p);
/* Whether a step `compare` found a difference. */
bool gf_pipe_says_different(const struct gf_pipe *p);
/* Frees IN and the results, so that another picture can be read; before the client is closed. */
void gf_pipe_reset(struct gf_pipe *p);
/* Frees all that it holds. */
void gf_pipe_deinit(struct gf_pipe *p);
/* For gf_cleanup, of one from malloc. */
void gf_pipe_freep(struct gf_pipe **p);

/* The tables of a step that are results; returns how many. */
uint32_t gf_pipe_tables(const struct gf_pipe *p, uint32_t step, uint32_t ret_outputs[GF_MAX_OUTPUTS]);
/* What a target keeps of the metadata of IN, by its step and the steps before it. */
enum gf_keep gf_pipe_keeps(const struct gf_pipe *p, const struct gf_pipe_target *t);
/* The mask of a step; NULL: none. */
const struct gf_coefs *gf_pipe_mask(const struct gf_pipe *p, uint32_t step);
/* What step `step` takes as input `input`, once the pipe was checked. */
struct gf_view gf_pipe_input(const struct gf_pipe *p, uint32_t step, uint32_t input);
/* The result of a step that is a histogram, for drawing. */
struct gf_histogram gf_pipe_histogram(const struct gf_cli *cli, const struct gf_pipe *p, uint32_t step);
/* Whether a target may have the format of IN. */
bool gf_pipe_gives_picture(const struct gf_pipe *p, const struct gf_pipe_target *t);

#endif
