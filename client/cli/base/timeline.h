/* SPDX-License-Identifier: MIT */
/*
 * The timeline of a command for --trace: events of this process, the daemon and its device on one clock, written in
 * Chrome's trace-event format; for --otlp, as spans (otlp.h). main.c begins and ends it; commands add their events.
 * Without both options the timeline is NULL and every function does nothing.
 */
#ifndef GF_CLI_TIMELINE_H
#define GF_CLI_TIMELINE_H

#include "cli.h"
#include "gpufilter/client.h"

/* Explains the names of events in the man page. */
#define GF_TIMELINE_ABOUT                                                                                              \
    "The file that --trace writes is for chrome://tracing, Perfetto and the like: complete events (ph X) with ts and " \
    "dur in microseconds from the start of the command. Process gpufilter-client has one event with the command's "    \
    "name. It contains read, decode, connect, run, verify and write; in a session each statement contains them. "      \
    "Event run contains prepare, send, wait, receive and deliver. Process gpufilterd has the event request, which "    \
    "contains queue. The device's process has one thread each for copy in, kernel and copy out, with an event for "    \
    "each step or part of a step; its args name the step, from 1. Events that overlap show copies that ran beside "    \
    "kernels. "                                                                                                        \
    "--otlp writes the same events as spans of OpenTelemetry, in the JSON form of OTLP: to a file of one line, or to " \
    "a collector (http://host:4318; libcurl is needed, and a path of /v1/traces is added if there is none). The span " \
    "of the command is the root, or belongs to the span that TRACEPARENT in the environment names, in the form of "    \
    "W3C Trace Context; the daemon's log names the command's span in its lines about the request. A command that "     \
    "fails has a span with an error and its exit code. A collector that does not "                                     \
    "accept the spans within five seconds costs a warning, not the result."

struct gf_timeline;

/* Begins a timeline for --trace or --otlp, and checks that their files can be written. Reports the error and returns
 * an exit code. */
int gf_timeline_begin(struct gf_cli *cli);
/* Ends the timeline: writes the file of --trace if `code` says that the command succeeded, spans in any case, and frees
 * it. Returns the exit code. */
int gf_timeline_end(struct gf_cli *cli, int code);

/* Adds an event of this process from `begin_ns` until now. `detail` may be NULL; `name` must be static. */
void gf_timeline_add(struct gf_timeline *t, const char *name, const char *detail, uint64_t begin_ns);
/* Adds the client's last run, from `begin_ns` until now: one event for the run and one for each of its spans. */
void gf_timeline_add_run(struct gf_timeline *t, gpufilter_client *client, uint64_t begin_ns);

#endif
