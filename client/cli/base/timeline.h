/* SPDX-License-Identifier: MIT */
/*
 * The timeline of a command, for --trace: events of this process, the daemon and its device on one clock, written in
 * Chrome's trace-event format. Begun and ended by main.c; commands add their events. Without --trace the timeline is
 * NULL and all functions do nothing.
 */
#ifndef GF_CLI_TIMELINE_H
#define GF_CLI_TIMELINE_H

#include "cli.h"
#include "gpufilter/client.h"

/* The names of events, for the man page. */
#define GF_TIMELINE_ABOUT                                                                                              \
    "The file that --trace writes is for chrome://tracing, Perfetto and the like: complete events (ph X) with ts and " \
    "dur in microseconds from the start of the command. Process gpufilter-client has one event of the command's "      \
    "name, in it read, decode, connect, run, verify and write, in a session statement around them, and in run "        \
    "prepare, send, wait, receive and deliver. Process gpufilterd has request, and in it queue. The device's process " \
    "has a thread each for copy in, kernel and copy out, with an event for each step or part of one, whose args "      \
    "name the step from 1; where they overlap, copies ran beside kernels."

struct gf_timeline;

/* Begins one where cli->trace names a file, which is tried. Says what is wrong and returns an exit code. */
int gf_timeline_begin(struct gf_cli *cli);
/* Ends it: writes the file where the command has succeeded, which `code` says, and frees it. Returns the exit code. */
int gf_timeline_end(struct gf_cli *cli, int code);

/* Adds an event of this process that began then and ends now; `detail` may be NULL. `name` is static. */
void gf_timeline_add(struct gf_timeline *t, const char *name, const char *detail, uint64_t begin_ns);
/* Adds the client's last run, which began then: its own event and what it was made of. */
void gf_timeline_add_run(struct gf_timeline *t, const gpufilter_client *client, uint64_t begin_ns);

#endif
