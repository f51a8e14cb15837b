/* SPDX-License-Identifier: MIT */
/* Collects events and writes them as a trace. Called by main.c, connect.c and the commands that run operations. */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "client/io/output.h"
#include "client/lib/text/json.h"
#include "exit_code.h"
#include "protocol/base/clock.h"

#define FIRST_CAPACITY 64u
#define MAX_SPANS 512u
#define DETAIL 128

/* The rows of the trace; each belongs to a process and is one thread in it. */
enum track { COMMAND, DAEMON, COPY_IN, KERNEL, COPY_OUT, N_TRACKS };

static const struct {
    unsigned process;
    const char *process_name; /* NULL: the name of the device */
    const char *name;
} tracks[N_TRACKS] = {
    [COMMAND] = {1, GF_CLI_NAME, "command"}, [DAEMON] = {2, "gpufilterd", "requests"}, [COPY_IN] = {3, NULL, "copy in"},
    [KERNEL] = {3, NULL, "kernel"},          [COPY_OUT] = {3, NULL, "copy out"},
};

struct event {
    enum track track;
    const char *name;
    char detail[DETAIL];
    uint32_t step; /* from 0, or GPUFILTER_NO_STEP */
    uint64_t begin, end;
};

struct gf_timeline {
    uint64_t begin;
    struct event *events;
    size_t n, capacity;
    bool failed; /* an event was lost for lack of memory */
    char device[sizeof(((gpufilter_times *)0)->device)];
};

static void add(struct gf_timeline *t, const struct event *event)
{
    if (t->n == t->capacity) {
        size_t capacity = t->capacity > 0 ? 2 * t->capacity : FIRST_CAPACITY;
        struct event *events = realloc(t->events, capacity * sizeof(*events));
        t->failed |= !events;
        if (!events)
            return;
        t->events = events;
        t->capacity = capacity;
    }
    t->events[t->n++] = *event;
}

void gf_timeline_add(struct gf_timeline *t, const char *name, const char *detail, uint64_t begin_ns)
{
    struct event event = {.name = name, .begin = begin_ns, .end = gf_now_ns()};
    if (!t)
        return;
    snprintf(event.detail, sizeof(event.detail), "%s", detail ? detail : "");
    add(t, &event);
}

static const struct {
    uint32_t stage;
    enum track track;
    const char *name;
} stages[] = {
    {GPUFILTER_STAGE_PREPARE, COMMAND, "prepare"},    {GPUFILTER_STAGE_SEND, COMMAND, "send"},
    {GPUFILTER_STAGE_WAIT, COMMAND, "wait"},          {GPUFILTER_STAGE_RECEIVE, COMMAND, "receive"},
    {GPUFILTER_STAGE_DELIVER, COMMAND, "deliver"},    {GPUFILTER_STAGE_QUEUE, DAEMON, "queue"},
    {GPUFILTER_STAGE_COPY_IN, COPY_IN, "copy in"},    {GPUFILTER_STAGE_KERNEL, KERNEL, "kernel"},
    {GPUFILTER_STAGE_COPY_OUT, COPY_OUT, "copy out"},
};

static void add_span(struct gf_timeline *t, const gpufilter_span *span, uint64_t total_ns)
{
    struct event event = {.step = span->step, .begin = span->begin_ns, .end = span->begin_ns + span->length_ns};
    if (span->stage == GPUFILTER_STAGE_QUEUE)
        add(t, &(struct event){
                   .track = DAEMON, .name = "request", .begin = span->begin_ns, .end = span->begin_ns + total_ns});
    for (size_t i = 0; i < GF_ARRAY_LEN(stages); i++)
        if (stages[i].stage == span->stage) {
            event.track = stages[i].track;
            event.name = stages[i].name;
            add(t, &event);
        }
}

void gf_timeline_add_run(struct gf_timeline *t, gpufilter_client *client, uint64_t begin_ns)
{
    gpufilter_span spans[MAX_SPANS];
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    uint32_t n = 0;
    if (!t || gpufilter_last_times(client, &times, NULL) != GPUFILTER_OK)
        return;
    gf_timeline_add(t, "run", times.device, begin_ns);
    memcpy(t->device, times.device, sizeof(t->device));
    gpufilter_last_spans(client, spans, sizeof(spans[0]), MAX_SPANS, &n, NULL);
    for (uint32_t i = 0; i < n && i < MAX_SPANS; i++)
        add_span(t, &spans[i], times.total_ns);
}

/* Writes nanoseconds as microseconds with three decimals. */
static void put_us(struct gf_json *json, const char *key, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
    gf_json_number(json, key, text);
}

static void put_event(struct gf_json *json, const struct gf_timeline *t, const struct event *e)
{
    gf_json_object(json, NULL);
    gf_json_text(json, "name", e->name);
    gf_json_text(json, "ph", "X");
    put_us(json, "ts", e->begin > t->begin ? e->begin - t->begin : 0);
    put_us(json, "dur", e->end - e->begin);
    gf_json_u64(json, "pid", tracks[e->track].process);
    gf_json_u64(json, "tid", (uint64_t)e->track + 1);
    gf_json_object(json, "args");
    if (e->step != 0)
        gf_json_u64(json, "step", e->step);
    if (e->detail[0])
        gf_json_text(json, "detail", e->detail);
    gf_json_object_end(json);
    gf_json_object_end(json);
}

/* Names a process or thread. */
static void put_name(struct gf_json *json, const char *what, enum track track, const char *name)
{
    gf_json_object(json, NULL);
    gf_json_text(json, "name", what);
    gf_json_text(json, "ph", "M");
    gf_json_u64(json, "pid", tracks[track].process);
    gf_json_u64(json, "tid", (uint64_t)track + 1);
    gf_json_object(json, "args");
    gf_json_text(json, "name", name);
    gf_json_object_end(json);
    gf_json_object_end(json);
}

static void put_all(const struct gf_timeline *t, FILE *out)
{
    struct gf_json json = {.out = out};
    gf_json_object(&json, NULL);
    gf_json_text(&json, "displayTimeUnit", "ms");
    gf_json_array(&json, "traceEvents");
    for (enum track k = 0; k < N_TRACKS; k++) {
        if (k == 0 || tracks[k].process != tracks[k - 1].process)
            put_name(&json, "process_name", k, tracks[k].process_name ? tracks[k].process_name : t->device);
        put_name(&json, "thread_name", k, tracks[k].name);
    }
    for (size_t i = 0; i < t->n; i++)
        put_event(&json, t, &t->events[i]);
    gf_json_array_end(&json);
    gf_json_object_end(&json);
    fputc('\n', out);
}

static int write_file(const struct gf_cli *cli, const struct gf_timeline *t)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *file = NULL;
    gf_cleanup(gf_freep) char *text = NULL;
    struct gf_io_error err;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        put_all(t, out);
    if (!out || fclose(out) != 0 || t->failed)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: no memory for the trace", cli->trace);
    if (gf_output_open(cli->trace, false, &file, &err) != GF_IO_OK ||
        gf_output_write(file, text, size, &err) != GF_IO_OK || gf_output_commit(&file, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    return GF_EXIT_OK;
}

int gf_timeline_begin(struct gf_cli *cli)
{
    struct gf_io_error err;
    if (!cli->trace)
        return GF_EXIT_OK;
    if (strcmp(cli->trace, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--trace -: results go to standard output; name a file");
    if (gf_output_try(cli->trace, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    cli->timeline = calloc(1, sizeof(*cli->timeline));
    if (!cli->timeline)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    cli->timeline->begin = gf_now_ns();
    return GF_EXIT_OK;
}

int gf_timeline_end(struct gf_cli *cli, int code)
{
    struct gf_timeline *t = cli->timeline;
    if (!t)
        return code;
    gf_timeline_add(t, cli->command, NULL, t->begin);
    int written = code == GF_EXIT_OK || code == GF_EXIT_DIFFERENT ? write_file(cli, t) : code;
    free(t->events);
    free(t);
    cli->timeline = NULL;
    return written == GF_EXIT_OK ? code : written;
}
