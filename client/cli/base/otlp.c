/* SPDX-License-Identifier: MIT */
/*
 * Spans of OpenTelemetry in the JSON form of OTLP, as https://opentelemetry.io/docs/specs/otlp/ defines it: ids as
 * hexadecimal digits, numbers of 64 bits as texts. The parent of the whole command is read from TRACEPARENT, by the
 * definition of https://www.w3.org/TR/trace-context/ (version 00).
 */
#include "otlp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "client/io/output.h"
#include "client/lib/text/json.h"
#include "exit_code.h"
#include "otlp_post.h"
#include "protocol/base/clock.h"

#define TRACE_DIGITS 32
#define SPAN_DIGITS 16
#define ID_TEXT (SPAN_DIGITS + 1)

enum span_kind { INTERNAL = 1, SERVER = 2, CLIENT = 3 };

struct trace {
    char id[TRACE_DIGITS + 1];
    char parent[ID_TEXT]; /* empty: the command is the root */
    uint64_t first;       /* odd; span k has the id first + 2k, so no id is 0 */
    int64_t to_unix_ns;   /* from CLOCK_MONOTONIC */
};

static bool is_url(const char *where)
{
    return strncmp(where, "http://", 7) == 0 || strncmp(where, "https://", 8) == 0;
}

/* Copies `n` lower-case hexadecimal digits that are not all 0. */
static bool take_id(const char *from, size_t n, char *to)
{
    if (strspn(from, "0123456789abcdef") < n || strspn(from, "0") >= n)
        return false;
    memcpy(to, from, n);
    to[n] = '\0';
    return true;
}

/* "00-<trace>-<span>-<flags>". */
static bool take_parent(const char *text, struct trace *t)
{
    const size_t span_at = 3 + TRACE_DIGITS + 1, flags_at = span_at + SPAN_DIGITS + 1;
    return strlen(text) == flags_at + 2 && strncmp(text, "00-", 3) == 0 && text[span_at - 1] == '-' &&
           text[flags_at - 1] == '-' && strspn(text + flags_at, "0123456789abcdef") == 2 &&
           take_id(text + 3, TRACE_DIGITS, t->id) && take_id(text + span_at, SPAN_DIGITS, t->parent);
}

static bool begin(const struct gf_cli *cli, struct trace *t)
{
    const char *parent = getenv("TRACEPARENT");
    uint64_t random[3];
    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
        return false;
    *t = (struct trace){.first = random[0] | 1,
                        .to_unix_ns = (int64_t)gf_clock_ns(CLOCK_REALTIME) - (int64_t)gf_now_ns()};
    if (parent && parent[0] && take_parent(parent, t))
        return true;
    if (parent && parent[0])
        gf_cli_warn(cli, "TRACEPARENT is not of the form 00-TRACE-SPAN-FLAGS; a new trace begins");
    t->parent[0] = '\0';
    snprintf(t->id, sizeof(t->id), "%016" PRIx64 "%016" PRIx64, random[1] | 1, random[2]);
    return true;
}

static void put_attribute(struct gf_json *json, const char *key, const char *kind, const char *value)
{
    gf_json_object(json, NULL);
    gf_json_text(json, "key", key);
    gf_json_object(json, "value");
    gf_json_text(json, kind, value);
    gf_json_object_end(json);
    gf_json_object_end(json);
}

static void put_number(struct gf_json *json, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRId64, value);
    put_attribute(json, key, "intValue", text);
}

static void put_id(struct gf_json *json, const char *key, const struct trace *t, size_t k)
{
    char id[ID_TEXT];
    snprintf(id, sizeof(id), "%016" PRIx64, t->first + 2 * k);
    gf_json_text(json, key, id);
}

static void put_time(struct gf_json *json, const char *key, const struct trace *t, uint64_t ns)
{
    char text[32];
    snprintf(text, sizeof(text), "%" PRIu64, ns + (uint64_t)t->to_unix_ns);
    gf_json_text(json, key, text);
}

static enum span_kind kind_of(const struct gf_event *e)
{
    if (strcmp(e->name, "run") == 0)
        return CLIENT;
    return strcmp(e->name, "request") == 0 ? SERVER : INTERNAL;
}

/* Writes span k of the timeline; the last one is the whole command, which ends with `code`. */
static void put_span(struct gf_json *json, const struct trace *trace, const struct gf_timeline *t, size_t k, int code)
{
    const struct gf_event *e = &t->events[k];
    const bool whole = k == t->n - 1;
    gf_json_object(json, NULL);
    gf_json_text(json, "traceId", trace->id);
    put_id(json, "spanId", trace, k);
    if (!whole)
        put_id(json, "parentSpanId", trace, e->parent == GF_NO_PARENT ? t->n - 1 : e->parent);
    else if (trace->parent[0])
        gf_json_text(json, "parentSpanId", trace->parent);
    gf_json_text(json, "name", e->name);
    gf_json_u64(json, "kind", kind_of(e));
    put_time(json, "startTimeUnixNano", trace, e->begin);
    put_time(json, "endTimeUnixNano", trace, e->end);
    gf_json_array(json, "attributes");
    if (e->detail[0])
        put_attribute(json, "gpufilter.detail", "stringValue", e->detail);
    if (e->step != 0)
        put_number(json, "gpufilter.step", e->step);
    if (e->track > GF_TRACK_DAEMON)
        put_attribute(json, "gpufilter.device", "stringValue", t->device);
    if (whole)
        put_number(json, "process.exit.code", code);
    gf_json_array_end(json);
    if (whole && code != GF_EXIT_OK && code != GF_EXIT_DIFFERENT) {
        gf_json_object(json, "status");
        gf_json_u64(json, "code", 2);
        gf_json_object_end(json);
    }
    gf_json_object_end(json);
}

/* Writes a resource with its spans: the command if `own`, otherwise the daemon with its devices. */
static void put_resource(struct gf_json *json, const struct trace *trace, const struct gf_timeline *t, bool own,
                         int code)
{
    gf_json_object(json, NULL);
    gf_json_object(json, "resource");
    gf_json_array(json, "attributes");
    put_attribute(json, "service.name", "stringValue", own ? GF_CLI_NAME : "gpufilterd");
    gf_json_array_end(json);
    gf_json_object_end(json);
    gf_json_array(json, "scopeSpans");
    gf_json_object(json, NULL);
    gf_json_object(json, "scope");
    gf_json_text(json, "name", GF_CLI_NAME);
    gf_json_object_end(json);
    gf_json_array(json, "spans");
    for (size_t k = 0; k < t->n; k++)
        if ((t->events[k].track == GF_TRACK_COMMAND) == own)
            put_span(json, trace, t, k, code);
    gf_json_array_end(json);
    gf_json_object_end(json);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

static void put_all(FILE *out, const struct trace *trace, const struct gf_timeline *t, int code)
{
    struct gf_json json = {.out = out};
    bool served = false;
    for (size_t k = 0; k < t->n; k++)
        served |= t->events[k].track != GF_TRACK_COMMAND;
    gf_json_object(&json, NULL);
    gf_json_array(&json, "resourceSpans");
    put_resource(&json, trace, t, true, code);
    if (served)
        put_resource(&json, trace, t, false, code);
    gf_json_array_end(&json);
    gf_json_object_end(&json);
    fputc('\n', out);
}

int gf_otlp_try(const struct gf_cli *cli)
{
    struct gf_io_error err;
    enum gf_io_status status;
    if (strcmp(cli->otlp, "-") == 0)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--otlp -: results go to standard output; name a file or a URL");
    status = is_url(cli->otlp) ? gf_otlp_can_post(cli->otlp, &err) : gf_output_try(cli->otlp, &err);
    return status == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
}

int gf_otlp_write(const struct gf_cli *cli, const struct gf_timeline *t, int code)
{
    gf_cleanup(gf_freep) char *text = NULL;
    struct trace trace;
    struct gf_io_error err;
    size_t size = 0;
    if (!begin(cli, &trace))
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "--otlp: the system has no random numbers");
    FILE *out = open_memstream(&text, &size);
    if (out)
        put_all(out, &trace, t, code);
    if (!out || fclose(out) != 0)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: no memory for the spans", cli->otlp);
    if (!is_url(cli->otlp))
        return gf_output_put(cli->otlp, text, size, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
    if (gf_otlp_post(cli->otlp, text, size, &err) != GF_IO_OK)
        gf_cli_warn(cli, err.text);
    return GF_EXIT_OK;
}
