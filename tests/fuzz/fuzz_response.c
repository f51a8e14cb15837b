/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: bytes as a frame from a hostile server, with every decoder of answers. An accepted body must survive
 * encoding and decoding unchanged.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "protocol/wire/handle_entry.h"
#include "protocol/wire/metric.h"
#include "protocol/wire/response.h"
#include "round_trip.h"

/* Every refusal of an answer must be BAD_REPLY with a message. */
static void check(enum gf_status status, const struct gf_error *err)
{
    if (status != GF_OK && (status != GF_E_BAD_REPLY || err->status != status || err->text[0] == '\0'))
        abort();
}

/* An ERROR with what stands beside it. */
struct refusal {
    struct gf_error error;
    uint32_t retry_ms;
};

static enum gf_status decode_hello(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_hello_reply_decode(body, size, value, err);
}

static void encode_hello(struct gf_writer *w, const void *value)
{
    gf_hello_reply_encode(w, value);
}

static enum gf_status decode_run(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_run_reply_decode(body, size, value, err);
}

static void encode_run(struct gf_writer *w, const void *value)
{
    gf_run_reply_encode(w, value);
}

static enum gf_status decode_info(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    return gf_info_reply_decode(body, size, value, err);
}

static void encode_info(struct gf_writer *w, const void *value)
{
    gf_info_reply_encode(w, value);
}

static enum gf_status decode_error(const uint8_t *body, size_t size, void *value, struct gf_error *err)
{
    struct refusal *r = value;
    return gf_error_decode(body, size, &r->error, &r->retry_ms, err);
}

static void encode_error(struct gf_writer *w, const void *value)
{
    const struct refusal *r = value;
    gf_error_encode(w, &r->error, r->retry_ms);
}

/* A list of metrics or of handles that is written again while it is read. */
struct copy {
    struct gf_writer w;
    struct gf_metric_writer m;
    uint32_t n;
};

static void copy_metric(void *data, const struct gf_metric *metric)
{
    struct copy *copy = data;
    if (metric->n_bins > 0)
        return;
    gf_metric_family(&copy->m, metric->name, (enum gf_metric_kind)metric->kind, metric->help);
    gf_metric_put(&copy->m, metric->labels, metric->value);
    copy->n++;
}

static void copy_handle(void *data, const struct gf_handle_entry *entry)
{
    struct copy *copy = data;
    gf_put_string(&copy->w, GF_ATTR_DEVICE, entry->device);
    gf_handle_entry_encode(&copy->w, entry);
    copy->n++;
}

static void count_metric(void *data, const struct gf_metric *metric)
{
    (void)metric;
    (*(uint32_t *)data)++;
}

static void count_handle(void *data, const struct gf_handle_entry *entry)
{
    (void)entry;
    (*(uint32_t *)data)++;
}

/* Checks that a list that can be read can be written and then has as many entries. */
static void check_lists(const uint8_t *body, size_t size)
{
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    static struct copy copy;
    struct gf_error err;
    uint32_t n = 0;
    copy.n = 0;
    gf_writer_init(&copy.w, frame, sizeof frame);
    gf_metric_writer_init(&copy.m, &copy.w, 0);
    enum gf_status status = gf_metrics_decode(body, size, copy_metric, &copy, &err);
    check(status, &err);
    if (status == GF_OK && copy.m.left_out == 0 &&
        (gf_metrics_decode(frame + GF_HEADER_SIZE, copy.w.size - GF_HEADER_SIZE, count_metric, &n, &err) != GF_OK ||
         n != copy.n))
        abort();
    copy.n = n = 0;
    gf_writer_init(&copy.w, frame, sizeof frame);
    status = gf_handle_entries_decode(body, size, copy_handle, &copy, &err);
    check(status, &err);
    if (status == GF_OK && !copy.w.overflow &&
        (gf_handle_entries_decode(frame + GF_HEADER_SIZE, copy.w.size - GF_HEADER_SIZE, count_handle, &n, &err) !=
             GF_OK ||
         n != copy.n))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gf_hello_reply hello;
    static struct gf_run_reply run;
    static struct gf_info_reply info;
    static struct refusal refusal;
    static const struct gf_codec codecs[] = {
        {decode_hello, encode_hello, &hello},
        {decode_run, encode_run, &run},
        {decode_info, encode_info, &info},
        {decode_error, encode_error, &refusal},
    };
    struct gf_header h;
    struct gf_error err;
    if (size < GF_HEADER_SIZE || gf_header_decode(data, &h, &err) != GF_OK)
        return 0;
    const uint8_t *body = data + GF_HEADER_SIZE;
    size_t left = size - GF_HEADER_SIZE;
    left = h.body_len < left ? h.body_len : left;
    for (size_t i = 0; i < GF_ARRAY_LEN(codecs); i++)
        check(gf_round_trip(&codecs[i], body, left, &err), &err);
    check_lists(body, left);
    return 0;
}
