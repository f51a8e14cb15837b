/* SPDX-License-Identifier: MIT */
/*
 * Several files through one command: a pool of threads, each with a connection of its own and two files in progress, so
 * that one is read or written while the daemon works on the other. Memory does not depend on the number of files.
 * Messages are printed in the order of the files. Used by pipe_files.c.
 */
#ifndef GF_CLI_BATCH_H
#define GF_CLI_BATCH_H

#include "batch_names.h"
#include "client/cli/base/cli.h"
#include "gpufilter/client.h"

#define GF_BATCH_OPTIONS 5

/* As they stand on the command line. */
struct gf_batch_options {
    const char *jobs, *keep_going;
    const char *files_from, *shard, *skip_existing; /* see batch_list.h */
};

/* A file of a batch, for the functions below. */
struct gf_batch_file {
    const struct gf_cli *cli; /* whose texts are printed later, and name the file */
    gpufilter_client *client;
    struct gf_image_load how; /* to read it */
    const char *in;
    char *const *out; /* by template */
};

/* Whether their values are right, also where there is one file; *ret_jobs stays as it is where there is no number. An
 * exit code. */
int gf_batch_options_check(const struct gf_cli *cli, const struct gf_batch_options *options, uint32_t *ret_jobs);

/* What is done with each file. Functions return exit codes and say what is wrong. */
struct gf_batch_work {
    const void *data; /* handed to `begin` and `end`; all threads read it */
    size_t capacity;  /* bytes for a file at hand; zeros at first, and kept for the next file */
    int (*begin)(const void *data, const struct gf_batch_file *file, void *at_hand); /* up to gpufilter_submit */
    int (*end)(const void *data, const struct gf_batch_file *file, void *at_hand);   /* from gpufilter_wait on */
    void (*reset)(void *at_hand);                                                    /* after each file */
    void (*deinit)(void *at_hand);                                                   /* before the client is closed */
};

/* Makes the rows of the options. */
void gf_batch_option_rows(struct gf_batch_options *options, struct gf_option rows[GF_BATCH_OPTIONS]);

/* Does the work on all files, of which there may be none. The exit code: 0 or DIFFERENT where all went well; else
 * UNAVAILABLE or TRY_AGAIN where a retry may do all that failed; else that of the first file of which this is not so,
 * or SOME_FAILED with --keep-going. Without it no new files are begun after one has failed. */
int gf_batch_run(const struct gf_cli *cli, const struct gf_batch_options *options, const struct gf_batch_names *names,
                 const struct gf_batch_work *work);

#endif
