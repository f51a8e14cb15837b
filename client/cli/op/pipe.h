/* SPDX-License-Identifier: MIT */
/*
 * The engine of all commands that run operations: data, steps, and files for the results. An operation is a pipe of one
 * step; a statement of a session is a pipe on named data. cmd_op.c, cmd_pipe.c and cmd_session.c make pipes.
 */
#ifndef GF_CLI_OP_PIPE_H
#define GF_CLI_OP_PIPE_H

#include "client/cli/base/cli.h"
#include "client/cli/report/histogram.h"
#include "client/lib/work.h"
#include "gpufilter/client.h"
#include "op_data.h"
#include "protocol/ops/program.h"
#include "store.h"

#define GF_PIPE_TARGETS 8

/* An input of a pipe. */
struct gf_pipe_operand {
    char *path;                        /* owned; for a list it may be the numbers themselves; NULL: no file */
    const struct gf_input_desc *input; /* for a list or a mask; NULL: a picture or array */
    struct gf_image image;
    struct gf_narrowed narrowed; /* what became of a type that the steps do not take */
    struct gf_coefs mask;
    gpufilter_view view; /* without data until it is read */
};

/* A result that is data, not a table. */
struct gf_pipe_target {
    const char *path;      /* NULL: not written */
    uint32_t step, output; /* from 0 */
    enum gf_image_format format;
    bool as_input; /* use the format of IN, once IN is read */
    bool as_y4m;   /* which must then be y4m */
    uint32_t result;
    gpufilter_view stored; /* as stored in the file */
    struct gf_fit fit;
    struct gf_fit_count count;
    struct gf_image_pages *pages; /* the result is the next page of this file; NULL: it is a file */
    uint64_t changed;             /* pixels that the palette of a gif changed */
};

/* The request as the library takes it. */
struct gf_pipe_request {
    struct gf_work work;
    gpufilter_call call;
    gpufilter_view operands[GF_MAX_OPERANDS];
};

/* The time this process spent, in nanoseconds. */
struct gf_pipe_spent {
    uint64_t read, decode, connect, write, whole;
};

struct gf_pipe {
    const struct gf_pipe
        *model;        /* the original of this copy, which owns all operands but IN; NULL: owns its operands */
    bool is_statement; /* a statement of a session: tables are wanted only if nothing else is */
    bool is_frame;     /* a picture of a stream or a page, whose loss is reported for all pictures together */
    uint64_t page;     /* number of IN, from 1, among those of its file under --page all; otherwise 0 */
    bool is_raw;       /* IN holds samples of the shape `raw` */
    struct gf_view raw;
    uint32_t text_dtype; /* of IN as text, and of an operation's other operands; 0: as the file says */
    bool only_shrinks;   /* step 1 is a resize that does not enlarge, see shrink.h */
    bool may_shrink;     /* IN may be read at a fraction of its size, see shrink.h */
    struct gf_program program;
    const struct gf_adjust *adjusts[GF_MAX_STEPS]; /* by step: sets its parameters; NULL: none */
    double amounts[GF_MAX_STEPS];                  /* of the adjusts; NaN: not given */
    uint64_t open_alpha;                           /* steps that do not say their parameter alpha, a bit each */
    uint64_t has_alpha;                            /* steps whose first result has alpha, once the data are read */
    union gf_params asked;                         /* while is_changed: the parameters of step 1 as requested */
    bool is_changed;
    struct gf_pipe_operand operands[GF_MAX_OPERANDS]; /* program.n_operands; 0 is IN */
    struct gf_pipe_target targets[GF_PIPE_TARGETS];
    uint32_t n_targets;
    enum gf_keep kept; /* what IN has kept of the metadata of its source file */
    const char *plot;  /* NULL: no drawing */
    uint32_t plot_step;
    gpufilter_result results[GF_MAX_RESULTS]; /* targets, then tables */
    struct gf_ref outputs[GF_MAX_RESULTS];    /* which outputs they are */
    uint32_t n_results;
    uint32_t taps[GF_MAX_STEPS]; /* the first table of each step, an index into results */
    struct gf_pipe_request request;
    gpufilter_client *client; /* NULL until the request is submitted */
    uint64_t id, begin_ns, submit_ns;
    bool awaited; /* the answer has arrived, without an error */
    gpufilter_times times;
    char request_name[GF_CLI_REQUEST_TEXT]; /* its name, see gpufilter_last_request; "" if there is none */
    struct gf_pipe_spent spent;
};

/* Adds an input: a file that is read later, or with `input` what that input takes. A file that is named twice is added
 * once; IN counts only if it is standard input. BAD_REQUEST: too many inputs; NO_MEMORY. */
enum gf_status gf_pipe_add_file(struct gf_pipe *p, const char *path, const struct gf_input_desc *input,
                                struct gf_ref *ret, struct gf_error *err);
/* Adds an input with data; NULL: too many inputs. */
struct gf_pipe_operand *gf_pipe_add_data(struct gf_pipe *p, struct gf_ref *ret);
/* Adds a result that is data. Reports too many results; returns an exit code. */
int gf_pipe_add_target(const struct gf_cli *cli, struct gf_pipe *p, const char *path, uint32_t step, uint32_t output);
/* Lists the results: the targets and the tables of all steps. Reports too many results; returns an exit code. */
int gf_pipe_list_results(const struct gf_cli *cli, struct gf_pipe *p);

/* Reports the arrays of the operands first to end - 1 that were read as f32. */
void gf_pipe_report_narrowed(const struct gf_cli *cli, const struct gf_pipe *p, uint32_t first, uint32_t end);
/* Adds the time since *start to `spent` and to the timeline as `name`; sets *start to now. */
void gf_pipe_lap(const struct gf_cli *cli, const char *name, const char *detail, uint64_t *start, uint64_t *spent);

/* Once the data are read: finds which results have alpha, and sets the parameter of the steps that leave it open. Data
 * have alpha only where their file says so; elsewhere every channel is a sample like the others. */
void gf_pipe_settle_alpha(struct gf_pipe *p);
/* Whether the last channel of a result is alpha, if the number of its channels is even. */
bool gf_pipe_has_alpha(const struct gf_pipe *p, const struct gf_pipe_target *t);

/* The stages of one picture, separate so that a batch has several pictures in progress. Each reports its error and
 * returns an exit code. gf_pipe_read reads all data that are not present, by `how` (NULL: by default). */
int gf_pipe_read(const struct gf_cli *cli, struct gf_pipe *p, const struct gf_image_load *how);
/* Reads and reports all inputs but IN; copies of the pipe share them. */
int gf_pipe_read_others(const struct gf_cli *cli, struct gf_pipe *p);
/* Checks the program on the inputs read, and that the files can hold the results; reports inputs read as f32. */
int gf_pipe_check(const struct gf_cli *cli, struct gf_pipe *p);
/* Submits the request without waiting. */
int gf_pipe_submit(const struct gf_cli *cli, struct gf_pipe *p, gpufilter_client *client);
/* Waits for the answer. To be called before gf_pipe_write only if several answers must be complete before one is
 * written. */
int gf_pipe_wait(const struct gf_cli *cli, struct gf_pipe *p);
/* Waits for the answer, verifies it under --verify, and writes the results; reports each file under --verbose. */
int gf_pipe_write(const struct gf_cli *cli, struct gf_pipe *p);
/* The options for reading IN: as `how`, and at a fraction of its size where the first step allows it. */
struct gf_image_load gf_pipe_load(const struct gf_pipe *p, const struct gf_image_load *how);
/* Whether a `compare` step found a difference. */
bool gf_pipe_says_different(const struct gf_pipe *p);
/* Frees IN and the results, so that another picture can be read. Must be called before the client is closed. */
void gf_pipe_reset(struct gf_pipe *p);
/* Frees everything in the pipe. */
void gf_pipe_deinit(struct gf_pipe *p);
/* For gf_cleanup, for a pipe from malloc. */
void gf_pipe_freep(struct gf_pipe **p);

/* Reports a finished picture; pipes and operations report differently. */
typedef void gf_pipe_report_fn(const struct gf_cli *cli, const struct gf_pipe *p);

/* Lists the tables of a step that are results; returns their number. */
uint32_t gf_pipe_tables(const struct gf_pipe *p, uint32_t step, uint32_t ret_outputs[GF_MAX_OUTPUTS]);
/* What a target keeps of the metadata of IN, depending on its step and the steps before. */
enum gf_keep gf_pipe_keeps(const struct gf_pipe *p, const struct gf_pipe_target *t);
/* Input `input` of step `step`, after gf_pipe_check. */
struct gf_view gf_pipe_input(const struct gf_pipe *p, uint32_t step, uint32_t input);
/* The result of a step as a histogram, for drawing. */
struct gf_histogram gf_pipe_histogram(const struct gf_cli *cli, const struct gf_pipe *p, uint32_t step);
/* Whether a result goes to standard output, which then takes nothing else. */
bool gf_pipe_takes_stdout(const struct gf_pipe *p);

#endif
