/* SPDX-License-Identifier: MIT */
/* Collects events and writes them in Chrome's format. Called by main.c, connect.c and the commands that run operations.
 */
#include "timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "client/io/output.h"
#include "client/lib/text/json.h"
#include "exit_code.h"
#include "otlp.h"
#include "protocol/base/clock.h"
#include "timeline_events.h"

#define FIRST_CAPACITY 64u
#define MAX_SPANS 512u

/* The processes and threads of Chrome's format. */
static const struct {
    unsigned process;
    const char *process_name; /* NULL: the name of the device */
    const char *name;
} tracks[GF_N_TRACKS] = {
    [GF_TRACK_COMMAND] = {1, GF_CLI_NAME, "command"}, [GF_TRACK_DAEMON] = {2, "gpufilterd", "requests"},
    [GF_TRACK_COPY_IN] = {3, NULL, "copy in"},        [GF_TRACK_KERNEL] = {3, NULL, "kernel"},
    [GF_TRACK_COPY_OUT] = {3, NULL, "copy out"},
};

/* Returns the place of the event, or that of its parent if there is no memory for it. */
static size_t add(struct gf_timeline *t, const struct gf_event *event)
{
    if (t->n == t->capacity) {
        size_t capacity = t->capacity > 0 ? 2 * t->capacity : FIRST_CAPACITY;
        struct gf_event *events = realloc(t->events, capacity * sizeof(*events));
        t->failed |= !events;
        if (!events)
            return event->parent;
        t->events = events;
        t->capacity = capacity;
    }
    t->events[t->n] = *event;
    return t->n++;
}

/* Adds an event of this process that ends now. */
static size_t add_own(struct gf_timeline *t, const char *name, const char *detail, uint64_t begin_ns)
{
    struct gf_event event = {.name = name, .parent = GF_NO_PARENT, .begin = begin_ns, .end = gf_now_ns()};
    snprintf(event.detail, sizeof(event.detail), "%s", detail ? detail : "");
    return add(t, &event);
}

void gf_timeline_add(struct gf_timeline *t, const char *name, const char *detail, uint64_t begin_ns)
{
    if (t)
        add_own(t, name, detail, begin_ns);
}

static const struct {
    uint32_t stage;
    enum gf_track track;
    const char *name;
} stages[] = {
    {GPUFILTER_STAGE_PREPARE, GF_TRACK_COMMAND, "prepare"},    {GPUFILTER_STAGE_SEND, GF_TRACK_COMMAND, "send"},
    {GPUFILTER_STAGE_WAIT, GF_TRACK_COMMAND, "wait"},          {GPUFILTER_STAGE_RECEIVE, GF_TRACK_COMMAND, "receive"},
    {GPUFILTER_STAGE_DELIVER, GF_TRACK_COMMAND, "deliver"},    {GPUFILTER_STAGE_QUEUE, GF_TRACK_DAEMON, "queue"},
    {GPUFILTER_STAGE_COPY_IN, GF_TRACK_COPY_IN, "copy in"},    {GPUFILTER_STAGE_KERNEL, GF_TRACK_KERNEL, "kernel"},
    {GPUFILTER_STAGE_COPY_OUT, GF_TRACK_COPY_OUT, "copy out"},
};

/* Adds a span of the run at `run`. *request is the place of the daemon's part of it, as soon as there is one. */
static void add_span(struct gf_timeline *t, const gpufilter_span *span, uint64_t total_ns, size_t run, size_t *request)
{
    struct gf_event event = {.step = span->step, .begin = span->begin_ns, .end = span->begin_ns + span->length_ns};
    if (span->stage == GPUFILTER_STAGE_QUEUE)
        *request = add(t, &(struct gf_event){.track = GF_TRACK_DAEMON,
                                             .name = "request",
                                             .parent = run,
                                             .begin = span->begin_ns,
                                             .end = span->begin_ns + total_ns});
    for (size_t i = 0; i < GF_ARRAY_LEN(stages); i++)
        if (stages[i].stage == span->stage) {
            event.track = stages[i].track;
            event.name = stages[i].name;
            event.parent = event.track == GF_TRACK_COMMAND ? run : *request;
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
    size_t run = add_own(t, "run", times.device, begin_ns), request = run;
    memcpy(t->device, times.device, sizeof(t->device));
    gpufilter_last_spans(client, spans, sizeof(spans[0]), MAX_SPANS, &n, NULL);
    for (uint32_t i = 0; i < n && i < MAX_SPANS; i++)
        add_span(t, &spans[i], times.total_ns, run, &request);
}

/* Writes nanoseconds as microseconds with three decimals. */
static void put_us(struct gf_json *json, const char *key, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
    gf_json_number(json, key, text);
}

static void put_event(struct gf_json *json, const struct gf_timeline *t, const struct gf_event *e)
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
static void put_name(struct gf_json *json, const char *what, enum gf_track track, const char *name)
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
    for (enum gf_track k = 0; k < GF_N_TRACKS; k++) {
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

int gf_timeline_begin(struct gf_cli *cli)
{
    struct gf_io_error err;
    if (!cli->trace && !cli->otlp)
        return GF_EXIT_OK;
    if (cli->trace && strcmp(cli->trace, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--trace -: results go to standard output; name a file");
    if (cli->trace && gf_output_try(cli->trace, &err) != GF_IO_OK)
        return gf_cli_fail_io(cli, &err);
    int code = cli->otlp ? gf_otlp_try(cli) : GF_EXIT_OK;
    if (code != GF_EXIT_OK)
        return code;
    cli->timeline = calloc(1, sizeof(*cli->timeline));
    if (!cli->timeline)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    cli->timeline->begin = gf_now_ns();
    return cli->otlp ? gf_otlp_begin(cli, cli->timeline) : GF_EXIT_OK;
}

static int write_chrome(const struct gf_cli *cli, const struct gf_timeline *t)
{
    gf_cleanup(gf_freep) char *text = NULL;
    struct gf_io_error err;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        put_all(t, out);
    if (!out || fclose(out) != 0)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: no memory for the trace", cli->trace);
    return gf_output_put(cli->trace, text, size, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
}

int gf_timeline_end(struct gf_cli *cli, int code)
{
    struct gf_timeline *t = cli->timeline;
    if (!t)
        return code;
    bool succeeded = code == GF_EXIT_OK || code == GF_EXIT_DIFFERENT;
    int written = GF_EXIT_OK;
    gf_timeline_add(t, cli->command, NULL, t->begin);
    if (t->failed)
        written = gf_cli_fail(cli, GF_EXIT_SOFTWARE, "no memory for the trace");
    if (written == GF_EXIT_OK && cli->otlp)
        written = gf_otlp_write(cli, t, code);
    if (written == GF_EXIT_OK && cli->trace && succeeded)
        written = write_chrome(cli, t);
    free(t->events);
    free(t);
    cli->timeline = NULL;
    return succeeded && written != GF_EXIT_OK ? written : code;
}
