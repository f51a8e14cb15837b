/* SPDX-License-Identifier: MIT */
/*
 * Which files a batch takes: the names in a list (--files-from), the part of one process among several (--shard),
 * without the files whose results exist (--skip-existing). Used by the commands that take several files.
 */
#ifndef GF_CLI_BATCH_LIST_H
#define GF_CLI_BATCH_LIST_H

#include "batch.h"
#include "client/cli/io/input.h"

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

#endif
