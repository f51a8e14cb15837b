/* SPDX-License-Identifier: MIT */
/*
 * Spans of OpenTelemetry in the JSON form of OTLP, as https://opentelemetry.io/docs/specs/otlp/ defines it: ids as
 * hexadecimal digits, numbers of 64 bits as texts.
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

enum span_kind { INTERNAL = 1, SERVER = 2, CLIENT = 3 };

static bool is_url(const char *where)
{
    return strncmp(where, "http://", 7) == 0 || strncmp(where, "https://", 8) == 0;
}

int gf_otlp_begin(const struct gf_cli *cli, struct gf_timeline *t)
{
    struct gf_trace_context own;
    char text[GF_TRACEPARENT_TEXT];
    const char *parent = getenv("TRACEPARENT");
    if (getrandom(&own, sizeof(own), 0) != (ssize_t)sizeof(own))
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "--otlp: the system has no random numbers");
    own.trace[0] |= 1;
    own.span[GF_SPAN_ID - 1] |= 1;
    if (parent && parent[0] && gf_traceparent_read(parent, &t->parent))
        memcpy(own.trace, t->parent.trace, sizeof(own.trace));
    else if (parent && parent[0])
        gf_cli_warn(cli, "TRACEPARENT is not of the form 00-TRACE-SPAN-FLAGS; a new trace begins");
    t->own = own;
    t->to_unix_ns = (int64_t)gf_clock_ns(CLOCK_REALTIME) - (int64_t)gf_now_ns();
    if (setenv("TRACEPARENT", gf_traceparent_text(&own, text), 1) != 0)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    return GF_EXIT_OK;
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

/* Writes the id of span k: the command's is the one that the daemon was told. It is odd, so no other is 0. */
static void put_id(struct gf_json *json, const char *key, const struct gf_timeline *t, size_t k)
{
    char text[GF_SPAN_TEXT];
    uint64_t first = 0;
    for (size_t i = 0; i < GF_SPAN_ID; i++)
        first = first << 8 | t->own.span[i];
    snprintf(text, sizeof(text), "%016" PRIx64, k == t->n - 1 ? first : first + 2 * (k + 1));
    gf_json_text(json, key, text);
}

static void put_time(struct gf_json *json, const char *key, const struct gf_timeline *t, uint64_t ns)
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
static void put_span(struct gf_json *json, const struct gf_timeline *t, size_t k, int code)
{
    char id[GF_TRACE_TEXT];
    const struct gf_event *e = &t->events[k];
    const bool whole = k == t->n - 1;
    gf_json_object(json, NULL);
    gf_json_text(json, "traceId", gf_hex_text(t->own.trace, GF_TRACE_ID, id));
    put_id(json, "spanId", t, k);
    if (!whole)
        put_id(json, "parentSpanId", t, e->parent == GF_NO_PARENT ? t->n - 1 : e->parent);
    else if (gf_trace_context_valid(&t->parent))
        gf_json_text(json, "parentSpanId", gf_hex_text(t->parent.span, GF_SPAN_ID, id));
    gf_json_text(json, "name", e->name);
    gf_json_u64(json, "kind", kind_of(e));
    put_time(json, "startTimeUnixNano", t, e->begin);
    put_time(json, "endTimeUnixNano", t, e->end);
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
static void put_resource(struct gf_json *json, const struct gf_timeline *t, bool own, int code)
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
            put_span(json, t, k, code);
    gf_json_array_end(json);
    gf_json_object_end(json);
    gf_json_array_end(json);
    gf_json_object_end(json);
}

static void put_all(FILE *out, const struct gf_timeline *t, int code)
{
    struct gf_json json = {.out = out};
    bool served = false;
    for (size_t k = 0; k < t->n; k++)
        served |= t->events[k].track != GF_TRACK_COMMAND;
    gf_json_object(&json, NULL);
    gf_json_array(&json, "resourceSpans");
    put_resource(&json, t, true, code);
    if (served)
        put_resource(&json, t, false, code);
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
    struct gf_io_error err;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out)
        put_all(out, t, code);
    if (!out || fclose(out) != 0)
        return gf_cli_fail(cli, GF_EXIT_SOFTWARE, "%s: no memory for the spans", cli->otlp);
    if (!is_url(cli->otlp))
        return gf_output_put(cli->otlp, text, size, &err) == GF_IO_OK ? GF_EXIT_OK : gf_cli_fail_io(cli, &err);
    if (gf_otlp_post(cli->otlp, text, size, &err) != GF_IO_OK)
        gf_cli_warn(cli, err.text);
    return GF_EXIT_OK;
}
