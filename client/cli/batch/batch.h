/* SPDX-License-Identifier: MIT */
/*
 * Runs one command on several files: a pool of threads, each with a connection of its own and two files in progress, so
 * that it reads or writes one file while the daemon works on the other. Memory use does not depend on the number of
 * files. Messages are printed in the order of the files. Used by the commands that take several files.
 */
#ifndef GF_CLI_BATCH_H
#define GF_CLI_BATCH_H

#include "batch_names.h"
#include "client/cli/base/cli.h"
#include "client/io/input.h"
#include "gpufilter/client.h"

#define GF_BATCH_OPTIONS 5

/* The options as they were typed. */
struct gf_batch_options {
    const char *jobs, *keep_going;
    const char *files_from, *shard, *skip_existing; /* which files are taken, see batch_list.c */
};

/* A file of a batch, for the functions below. */
struct gf_batch_file {
    const struct gf_cli *cli; /* its messages are printed later and name the file */
    gpufilter_client *client;
    struct gf_image_load how; /* how to read it */
    const char *in;
    char *const *out; /* one name per template */
};

/* Checks the values of the options, also for a single file. *ret_jobs is unchanged if --jobs is not given. Returns an
 * exit code. */
int gf_batch_options_check(const struct gf_cli *cli, const struct gf_batch_options *options, uint32_t *ret_jobs);

/* The work on each file. The functions report errors and return exit codes. */
struct gf_batch_work {
    const void *data; /* passed to `begin` and `end`; read by all threads */
    size_t capacity;  /* size of `at_hand`, the state of a file in progress: zeroed at first, then kept for the next
                       * file */
    int (*begin)(const void *data, const struct gf_batch_file *file, void *at_hand); /* up to gpufilter_submit */
    int (*end)(const void *data, const struct gf_batch_file *file, void *at_hand);   /* from gpufilter_wait on */
    void (*reset)(void *at_hand);                                                    /* after each file */
    void (*deinit)(void *at_hand);                                                   /* before the client is closed */
};

/* Makes the rows of the options. */
void gf_batch_option_rows(struct gf_batch_options *options, struct gf_option rows[GF_BATCH_OPTIONS]);

/* Does the work on all files; there may be none. Returns the exit code: 0 or DIFFERENT if all files went well. If every
 * failure may pass with a retry, UNAVAILABLE or TRY_AGAIN. Otherwise the code of the first failure that would not pass,
 * or SOME_FAILED with --keep-going. Without --keep-going no file is begun after a failure. */
int gf_batch_run(const struct gf_cli *cli, const struct gf_batch_options *options, const struct gf_batch_names *names,
                 const struct gf_batch_work *work);

/*
 * Which files a batch takes (batch_list.c): the names in a list (--files-from), the part of one process among several
 * (--shard), without the files whose results exist (--skip-existing).
 */

/* A list that was read. The names point into its bytes. */
struct gf_batch_list {
    struct gf_operands names;
    struct gf_bytes bytes;
};

/* Usable with gf_cleanup. */
void gf_batch_list_deinit(struct gf_batch_list *list);

/* Whether the options make a batch out of a command line that otherwise names one file. */
bool gf_batch_list_wanted(const struct gf_batch_options *options);

/* Reads the list at `path`, "-" for standard input. names.of has room for one more name. An empty list is valid and is
 * reported. Reports the error and returns an exit code: USAGE: the path names a picture, or a name is "-"; DATA:
 * UTF-16, or too long; NO_INPUT, IO; SOFTWARE: out of memory. */
int gf_batch_list_read(const struct gf_cli *cli, const char *path, struct gf_batch_list *ret_list);

/* Keeps in `names` the files of this process's part, after checking that no two parts of the batch collide. Reports the
 * error and returns an exit code: USAGE. */
int gf_batch_take_shard(const struct gf_cli *cli, const struct gf_batch_options *options, struct gf_batch_names *names);

/* With --skip-existing removes the files whose results all exist, reports how many, and makes later outputs durable, so
 * that only complete results exist. USAGE: no results are written that could exist. Returns an exit code. */
int gf_batch_skip_existing(const struct gf_cli *cli, const struct gf_batch_options *options,
                           struct gf_batch_names *names);

/*
 * Progress (progress.c): a bar on standard error if that is a terminal and --quiet is not given, and the count that is
 * printed when a signal ends the command. At most one batch runs at a time.
 */

void gf_progress_begin(const struct gf_cli *cli, size_t n);
/* Counts a finished file. May be called from any thread. */
void gf_progress_count(void);
/* The number of finished files. */
size_t gf_progress_done(void);
/* Draw the bar, and erase it, e.g. before a line of text. Only for the thread that called gf_progress_begin. */
void gf_progress_draw(void);
void gf_progress_clear(void);
/* Erases the bar for good. */
void gf_progress_end(void);
/* Prints how many files were done, if a batch runs. Async-signal-safe. */
void gf_progress_abort(void);

#endif
