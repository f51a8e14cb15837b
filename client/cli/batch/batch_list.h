/* SPDX-License-Identifier: MIT */
/*
 * Which files a batch takes: the names in a list (--files-from), of which each of several processes takes its part
 * (--shard), without those whose results are there (--skip-existing). Used by the commands that take several files.
 */
#ifndef GF_CLI_BATCH_LIST_H
#define GF_CLI_BATCH_LIST_H

#include "batch.h"
#include "client/cli/io/input.h"

/* A list that was read; the names point into its bytes. */
struct gf_batch_list {
    struct gf_operands names;
    struct gf_bytes bytes;
};

/* Usable with gf_cleanup. */
void gf_batch_list_deinit(struct gf_batch_list *list);

/* Whether the options make a batch of what might be one file else. */
bool gf_batch_list_wanted(const struct gf_batch_options *options);

/* Reads the list at `path`, "-" for standard input; names.of has room for one more. Says what is wrong and returns an
 * exit code: USAGE: a picture, "-" as a name; DATA: UTF-16, too long; NO_INPUT, IO; SOFTWARE: out of memory. One
 * without names is right, and is told. */
int gf_batch_list_read(const struct gf_cli *cli, const char *path, struct gf_batch_list *ret_list);

/* Leaves in `names` the files that are this process's part, once it is known that no part gets in the way of another
 * one. Says what is wrong and returns an exit code: USAGE. */
int gf_batch_take_shard(const struct gf_cli *cli, const struct gf_batch_options *options, struct gf_batch_names *names);

/* With --skip-existing leaves out the files whose results are all there, says how many, and has what is written be on
 * storage before it counts as there. USAGE: nothing is written that could be there. An exit code. */
int gf_batch_skip_existing(const struct gf_cli *cli, const struct gf_batch_options *options,
                           struct gf_batch_names *names);

#endif
