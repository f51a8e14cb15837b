/* SPDX-License-Identifier: MIT */
/*
 * Runs one command on several files: a pool of threads, each with a connection of its own and two files in progress, so
 * that it reads or writes one file while the daemon works on the other. Memory use does not depend on the number of
 * files. Messages are printed in the order of the files. Used by pipe_files.c.
 */
#ifndef GF_CLI_BATCH_H
#define GF_CLI_BATCH_H

#include "batch_names.h"
#include "client/cli/base/cli.h"
#include "gpufilter/client.h"

#define GF_BATCH_OPTIONS 5

/* The options as they were typed. */
struct gf_batch_options {
    const char *jobs, *keep_going;
    const char *files_from, *shard, *skip_existing; /* see batch_list.h */
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

#endif
