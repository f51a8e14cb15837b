/* SPDX-License-Identifier: MIT */
/*
 * HELLO_REPLY, RESULT, ERROR and INFO_REPLY between structs and bytes. Front and worker encode, client library and
 * front decode. A repeated single attribute is malformed.
 */
#include "response.h"

#include <inttypes.h>
#include <string.h>

#include "device_entry.h"
#include "records.h"
#include "request.h"

/* Walks the body of an answer: `take` handles every attribute, and every fault becomes BAD_REPLY. */
struct answer {
    enum gf_status (*take)(struct answer *answer, const struct gf_attr *a, struct gf_error *err);
    void *ret;
    uint64_t single;   /* bit set of attribute ids below 64 that may occur at most once */
    uint64_t required; /* bit set of required attribute ids */
    uint64_t seen;
};

static enum gf_status take_next(struct answer *answer, const struct gf_attr *a, struct gf_error *err)
{
    uint64_t bit = a->id < 64 ? UINT64_C(1) << a->id : 0;
    if ((answer->single & answer->seen & bit) != 0)
        return gf_error_set(err, GF_E_BAD_REPLY, "attribute %s (%u) is given twice", gf_attr_name(a->id), a->id);
    answer->seen |= bit;
    return answer->take(answer, a, err);
}

static enum gf_status walk(struct answer *answer, const uint8_t *body, size_t size, struct gf_error *err)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_attr a;
    enum gf_status status = GF_OK;
    int more = 0;
    while (status == GF_OK && (more = gf_attr_next(&reader, &a, err)) > 0)
        status = take_next(answer, &a, err);
    if (status == GF_OK && more == 0) {
        uint64_t missing = answer->required & ~answer->seen;
        if (missing == 0)
            return GF_OK;
        uint32_t id = (uint32_t)__builtin_ctzll(missing);
        return gf_error_set(err, GF_E_BAD_REPLY, "attribute %s (%" PRIu32 ") is missing", gf_attr_name(id), id);
    }
    if (err != NULL)
        err->status = GF_E_BAD_REPLY;
    return GF_E_BAD_REPLY;
}

#define BIT(name) (UINT64_C(1) << GF_ATTR_##name)

void gf_hello_reply_encode(struct gf_writer *w, const struct gf_hello_reply *reply)
{
    gf_put_u32(w, GF_ATTR_VERSION, reply->version);
    gf_put_string(w, GF_ATTR_SOFTWARE, reply->software);
    if (reply->node[0] != '\0')
        gf_put_string(w, GF_ATTR_NODE, reply->node);
    if (reply->connection != 0)
        gf_put_u64(w, GF_ATTR_CONNECTION, reply->connection);
    gf_put_u32(w, GF_ATTR_FD_PASSING, reply->fd_passing);
    for (uint32_t i = GF_LIMIT_MAX_INLINE; i < GF_N_LIMITS; i++) {
        uint8_t r[GF_RECORD_LIMIT] = {0};
        gf_store_u32(r, i);
        gf_store_u64(r + 8, reply->limits[i]);
        gf_put(w, GF_ATTR_LIMIT, GF_TYPE_BYTES, r, sizeof r);
    }
    for (uint32_t i = 0; i < GF_N_OPS; i++) {
        uint8_t r[GF_RECORD_REVISION];
        gf_store_u32(r, gf_ops[i].id);
        gf_store_u32(r + 4, reply->revisions[i]);
        if (reply->revisions[i] > 1)
            gf_put(w, GF_ATTR_REVISION, GF_TYPE_BYTES, r, sizeof r);
    }
    for (uint32_t i = 0; i < reply->n_devices; i++)
        gf_device_entry_encode(w, &reply->devices[i]);
}

static enum gf_status read_limit(const struct gf_attr *a, uint64_t limits[GF_N_LIMITS], struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, GF_RECORD_LIMIT, err);
    if (status != GF_OK)
        return status;
    uint32_t which = gf_load_u32(a->value);
    if (gf_load_u32(a->value + 4) != 0)
        return gf_error_set(err, GF_E_BAD_REPLY, "limit %" PRIu32 ": reserved bytes are not 0", which);
    if (which >= GF_LIMIT_MAX_INLINE && which < GF_N_LIMITS)
        limits[which] = gf_load_u64(a->value + 8);
    return GF_OK;
}

/* Ignores operations of later servers. */
static enum gf_status read_revision(const struct gf_attr *a, uint32_t revisions[GF_N_OPS], struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, GF_RECORD_REVISION, err);
    if (status != GF_OK)
        return status;
    uint32_t id = gf_load_u32(a->value), revision = gf_load_u32(a->value + 4);
    const struct gf_op *op = gf_op_by_id(id);
    if (revision == 0)
        return gf_error_set(err, GF_E_BAD_REPLY, "operation 0x%04" PRIx32 " has revision 0; allowed: from 1 on", id);
    if (op != NULL)
        revisions[op->index] = revision;
    return GF_OK;
}

static enum gf_status read_flag(const struct gf_attr *a, bool *ret, struct gf_error *err)
{
    uint32_t flag = 0;
    enum gf_status status = gf_attr_u32(a, &flag, err);
    if (status == GF_OK && flag > 1)
        return gf_error_set(err, GF_E_BAD_REPLY, "attribute %s (%u) is %" PRIu32 "; allowed: 0 and 1",
                            gf_attr_name(a->id), a->id, flag);
    *ret = flag == 1;
    return status;
}

static enum gf_status take_hello(struct answer *answer, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_hello_reply *r = answer->ret;
    if (gf_device_entry_attr(a->id))
        return gf_device_entry_decode(a, r->devices, GF_MAX_DEVICES, &r->n_devices, err);
    switch (a->id) {
    case GF_ATTR_VERSION:
        return gf_attr_u32(a, &r->version, err);
    case GF_ATTR_SOFTWARE:
        return gf_attr_string(a, r->software, sizeof r->software, err);
    case GF_ATTR_NODE:
        return gf_attr_string(a, r->node, sizeof r->node, err);
    case GF_ATTR_CONNECTION:
        return gf_attr_u64(a, &r->connection, err);
    case GF_ATTR_FD_PASSING:
        return read_flag(a, &r->fd_passing, err);
    case GF_ATTR_LIMIT:
        return read_limit(a, r->limits, err);
    case GF_ATTR_REVISION:
        return read_revision(a, r->revisions, err);
    default:
        return GF_OK;
    }
}

enum gf_status gf_hello_reply_decode(const uint8_t *body, size_t size, struct gf_hello_reply *ret, struct gf_error *err)
{
    ret->version = 0;
    ret->software[0] = '\0';
    ret->node[0] = '\0';
    ret->connection = 0;
    ret->fd_passing = false;
    ret->n_devices = 0;
    ret->limits[0] = 0;
    ret->limits[GF_LIMIT_MAX_INLINE] = UINT64_C(256) << 20;
    ret->limits[GF_LIMIT_IN_FLIGHT] = 64;
    ret->limits[GF_LIMIT_ARENAS] = 16;
    ret->limits[GF_LIMIT_ARENA_BYTES] = UINT64_C(4) << 30;
    ret->limits[GF_LIMIT_HANDLES] = 0;
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        ret->revisions[i] = 1;
    struct answer answer = {.take = take_hello,
                            .ret = ret,
                            .single = BIT(VERSION) | BIT(SOFTWARE) | BIT(NODE) | BIT(CONNECTION) | BIT(FD_PASSING),
                            .required = BIT(VERSION)};
    enum gf_status status = walk(&answer, body, size, err);
    if (status == GF_OK && (ret->version < GF_VERSION_MIN || ret->version > GF_VERSION))
        return gf_error_set(err, GF_E_BAD_REPLY, "server chose protocol version %" PRIu32 "; offered: %u..%u",
                            ret->version, GF_VERSION_MIN, GF_VERSION);
    return status;
}

void gf_span_store(uint8_t *record, const struct gf_span *span)
{
    gf_store_u16(record, span->stage);
    gf_store_u16(record + 2, span->step);
    gf_store_u32(record + 4, 0);
    gf_store_u64(record + 8, span->begin);
    gf_store_u64(record + 16, span->length);
}

struct gf_span gf_run_reply_span(const struct gf_run_reply *reply, uint32_t k)
{
    const uint8_t *r = reply->spans + (size_t)k * GF_RECORD_SPAN;
    return (struct gf_span){.stage = gf_load_u16(r),
                            .step = gf_load_u16(r + 2),
                            .begin = gf_load_u64(r + 8),
                            .length = gf_load_u64(r + 16)};
}

void gf_put_times(struct gf_writer *w, const struct gf_stage_times *times)
{
    uint8_t t[GF_RECORD_TIMES];
    gf_store_u64(t, times->queue);
    gf_store_u64(t + 8, times->copy_in);
    gf_store_u64(t + 16, times->kernel);
    gf_store_u64(t + 24, times->copy_out);
    gf_store_u64(t + 32, times->total);
    gf_put(w, GF_ATTR_TIMES, GF_TYPE_BYTES, t, sizeof t);
}

enum gf_status gf_attr_times(const struct gf_attr *a, struct gf_stage_times *ret, struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, GF_RECORD_TIMES, err);
    if (status == GF_OK)
        *ret = (struct gf_stage_times){.queue = gf_load_u64(a->value),
                                       .copy_in = gf_load_u64(a->value + 8),
                                       .kernel = gf_load_u64(a->value + 16),
                                       .copy_out = gf_load_u64(a->value + 24),
                                       .total = gf_load_u64(a->value + 32)};
    return status;
}

void gf_run_reply_encode(struct gf_writer *w, const struct gf_run_reply *reply)
{
    gf_put_string(w, GF_ATTR_DEVICE, reply->device);
    if (reply->why[0] != '\0')
        gf_put_string(w, GF_ATTR_WHY, reply->why);
    gf_put_times(w, &reply->times);
    if (reply->n_spans > 0)
        gf_put(w, GF_ATTR_SPANS, GF_TYPE_BYTES, reply->spans, (size_t)reply->n_spans * GF_RECORD_SPAN);
    for (uint32_t i = 0; i < reply->n_outputs; i++) {
        uint8_t r[GF_RECORD_OUTPUT];
        gf_record_view_store(r, &reply->outputs[i].view);
        gf_store_u64(r + 32, reply->outputs[i].offset);
        gf_store_u64(r + 40, reply->outputs[i].length);
        gf_put(w, GF_ATTR_OUTPUT, GF_TYPE_BYTES, r, sizeof r);
    }
}

static enum gf_status read_output(const struct gf_attr *a, struct gf_run_reply *r, struct gf_error *err)
{
    if (r->n_outputs == GF_MAX_RESULTS)
        return gf_error_set(err, GF_E_BAD_REPLY, "more than %u outputs", GF_MAX_RESULTS);
    enum gf_status status = gf_attr_record(a, GF_RECORD_OUTPUT, err);
    if (status != GF_OK)
        return status;
    struct gf_output *o = &r->outputs[r->n_outputs];
    uint64_t end;
    if (!gf_record_view_load(a->value, &o->view))
        return gf_error_set(err, GF_E_BAD_REPLY, "output %" PRIu32 ": reserved bytes are not 0", r->n_outputs);
    status = gf_view_check(&o->view, "output", err);
    if (status != GF_OK)
        return status;
    o->offset = gf_load_u64(a->value + 32);
    o->length = gf_load_u64(a->value + 40);
    if (o->length != gf_view_bytes(&o->view) || !gf_add_u64(o->offset, o->length, &end))
        return gf_error_set(err, GF_E_BAD_REPLY,
                            "output %" PRIu32 ": offset=%" PRIu64 " length=%" PRIu64 " for %" PRIu64 " bytes",
                            r->n_outputs, o->offset, o->length, gf_view_bytes(&o->view));
    r->n_outputs++;
    return GF_OK;
}

static enum gf_status read_spans(const struct gf_attr *a, struct gf_run_reply *r, struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, 0, err);
    if (status == GF_OK && (a->length % GF_RECORD_SPAN != 0 || a->length > GF_MAX_SPANS * GF_RECORD_SPAN))
        return gf_error_set(err, GF_E_BAD_REPLY, "spans of %" PRIu32 " bytes; must be up to %u spans of %u bytes",
                            a->length, GF_MAX_SPANS, GF_RECORD_SPAN);
    r->n_spans = a->length / GF_RECORD_SPAN;
    r->spans = a->value;
    return status;
}

static enum gf_status take_run(struct answer *answer, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_run_reply *r = answer->ret;
    if (a->id == GF_ATTR_DEVICE)
        return gf_attr_string(a, r->device, sizeof r->device, err);
    if (a->id == GF_ATTR_WHY)
        return gf_attr_string(a, r->why, sizeof r->why, err);
    if (a->id == GF_ATTR_OUTPUT)
        return read_output(a, r, err);
    if (a->id == GF_ATTR_SPANS)
        return read_spans(a, r, err);
    return a->id == GF_ATTR_TIMES ? gf_attr_times(a, &r->times, err) : GF_OK;
}

enum gf_status gf_run_reply_decode(const uint8_t *body, size_t size, struct gf_run_reply *ret, struct gf_error *err)
{
    ret->n_outputs = 0;
    ret->n_spans = 0;
    ret->why[0] = '\0';
    struct answer answer = {.take = take_run,
                            .ret = ret,
                            .single = BIT(DEVICE) | BIT(TIMES) | BIT(WHY) | BIT(SPANS),
                            .required = BIT(DEVICE) | BIT(TIMES) | BIT(OUTPUT)};
    return walk(&answer, body, size, err);
}

void gf_error_encode(struct gf_writer *w, const struct gf_error *error, uint32_t retry_ms)
{
    gf_put_u32(w, GF_ATTR_STATUS, (uint32_t)error->status);
    gf_put_string(w, GF_ATTR_TEXT, error->text);
    if (error->needed != 0)
        gf_put_u64(w, GF_ATTR_NEEDED, error->needed);
    if (retry_ms != 0)
        gf_put_u32(w, GF_ATTR_RETRY_MS, retry_ms);
}

/* The contents of an ERROR. */
struct refusal {
    uint32_t status, retry_ms;
    uint64_t needed;
    char text[GF_ERROR_TEXT];
};

static enum gf_status take_error(struct answer *answer, const struct gf_attr *a, struct gf_error *err)
{
    struct refusal *r = answer->ret;
    switch (a->id) {
    case GF_ATTR_STATUS:
        return gf_attr_u32(a, &r->status, err);
    case GF_ATTR_TEXT:
        return gf_attr_string(a, r->text, sizeof r->text, err);
    case GF_ATTR_NEEDED:
        return gf_attr_u64(a, &r->needed, err);
    case GF_ATTR_RETRY_MS:
        return gf_attr_u32(a, &r->retry_ms, err);
    default:
        return GF_OK;
    }
}

enum gf_status gf_error_decode(const uint8_t *body, size_t size, struct gf_error *ret_error, uint32_t *ret_retry_ms,
                               struct gf_error *err)
{
    struct refusal r = {.text = ""};
    struct answer answer = {.take = take_error,
                            .ret = &r,
                            .single = BIT(STATUS) | BIT(TEXT) | BIT(NEEDED) | BIT(RETRY_MS),
                            .required = BIT(STATUS)};
    enum gf_status status = walk(&answer, body, size, err);
    if (status != GF_OK)
        return status;
    if (r.status == GF_OK || r.status >= GF_STATUS_LOCAL)
        return gf_error_set(err, GF_E_BAD_REPLY, "ERROR with status %" PRIu32 "; allowed: 1..%u", r.status,
                            GF_STATUS_LOCAL - 1);
    gf_error_set(ret_error, (enum gf_status)r.status, "%s", r.text);
    ret_error->needed = r.needed;
    *ret_retry_ms = r.retry_ms;
    return GF_OK;
}

const char *gf_health_word(uint32_t health)
{
    switch (health) {
    case GF_HEALTH_STARTING:
        return "starting";
    case GF_HEALTH_READY:
        return "ready";
    case GF_HEALTH_DEGRADED:
        return "degraded";
    default:
        return "unknown";
    }
}

void gf_info_reply_encode(struct gf_writer *w, const struct gf_info_reply *reply)
{
    gf_put_u32(w, GF_ATTR_TOPIC, reply->topic);
    if (reply->topic == GF_TOPIC_HEALTH) {
        gf_put_u32(w, GF_ATTR_HEALTH, reply->health);
        gf_put_string(w, GF_ATTR_TEXT, reply->text);
    }
    for (uint32_t i = 0; i < reply->n_devices; i++)
        gf_device_entry_encode(w, &reply->devices[i]);
}

static enum gf_status take_info(struct answer *answer, const struct gf_attr *a, struct gf_error *err)
{
    struct gf_info_reply *r = answer->ret;
    if (gf_device_entry_attr(a->id))
        return gf_device_entry_decode(a, r->devices, GF_MAX_DEVICES, &r->n_devices, err);
    switch (a->id) {
    case GF_ATTR_TOPIC:
        return gf_attr_u32(a, &r->topic, err);
    case GF_ATTR_HEALTH:
        return gf_attr_u32(a, &r->health, err);
    case GF_ATTR_TEXT:
        return gf_attr_string(a, r->text, sizeof r->text, err);
    case GF_ATTR_NEXT:
        return gf_attr_u32(a, &r->next, err);
    default:
        return GF_OK;
    }
}

enum gf_status gf_info_reply_decode(const uint8_t *body, size_t size, struct gf_info_reply *ret, struct gf_error *err)
{
    ret->topic = ret->health = ret->next = ret->n_devices = 0;
    ret->text[0] = '\0';
    struct answer answer = {.take = take_info,
                            .ret = ret,
                            .single = BIT(TOPIC) | BIT(HEALTH) | BIT(TEXT) | BIT(NEXT),
                            .required = BIT(TOPIC)};
    enum gf_status status = walk(&answer, body, size, err);
    if (status != GF_OK)
        return status;
    if (ret->topic == GF_TOPIC_HEALTH && (ret->health < GF_HEALTH_STARTING || ret->health > GF_HEALTH_DEGRADED))
        return gf_error_set(err, GF_E_BAD_REPLY, "health %" PRIu32 "; allowed: %d..%d", ret->health, GF_HEALTH_STARTING,
                            GF_HEALTH_DEGRADED);
    return GF_OK;
}
