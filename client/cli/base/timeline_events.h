/* SPDX-License-Identifier: MIT */
/* What a timeline has collected. Used by timeline.c, and by otlp.c to write it in another format. */
#ifndef GF_CLI_TIMELINE_EVENTS_H
#define GF_CLI_TIMELINE_EVENTS_H

#include "protocol/wire/trace_context.h"
#include "timeline.h"

#define GF_EVENT_DETAIL 128

/* What an event belongs to: a thread in Chrome's format, a process in OTLP. */
enum gf_track { GF_TRACK_COMMAND, GF_TRACK_DAEMON, GF_TRACK_COPY_IN, GF_TRACK_KERNEL, GF_TRACK_COPY_OUT, GF_N_TRACKS };

struct gf_event {
    enum gf_track track;
    const char *name;
    char detail[GF_EVENT_DETAIL];
    uint32_t step;       /* from 1; 0: of no step */
    size_t parent;       /* the event that contains it, or GF_NO_PARENT */
    uint64_t begin, end; /* CLOCK_MONOTONIC, ns */
};

#define GF_NO_PARENT SIZE_MAX /* the whole command contains the event */

struct gf_timeline {
    uint64_t begin;
    struct gf_event *events; /* the last one is the whole command */
    size_t n, capacity;
    bool failed; /* an event was lost for lack of memory */
    char device[sizeof(((gpufilter_times *)0)->device)];
    /* For --otlp. */
    struct gf_trace_context parent, own; /* of the command's span; no parent: it is the root */
    int64_t to_unix_ns;                  /* from CLOCK_MONOTONIC */
};

#endif
