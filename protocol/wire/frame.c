/* SPDX-License-Identifier: MIT */
/* Converts headers, attributes and records between bytes and values. Called by the request, response
 * and worker codecs. */
#include "frame.h"

#include <inttypes.h>
#include <string.h>

#include "protocol/base/text.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the wire format and every supported host are little-endian");

#define ATTR_HEAD 8u /* id, type, reserved, length */

uint32_t gf_load_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

uint64_t gf_load_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

uint16_t gf_load_u16(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

void gf_store_u16(uint8_t *p, uint16_t v)
{
    memcpy(p, &v, sizeof v);
}

void gf_store_u32(uint8_t *p, uint32_t v)
{
    memcpy(p, &v, sizeof v);
}

void gf_store_u64(uint8_t *p, uint64_t v)
{
    memcpy(p, &v, sizeof v);
}

const char *gf_frame_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [GF_FRAME_HELLO] = "HELLO",
        [GF_FRAME_HELLO_REPLY] = "HELLO_REPLY",
        [GF_FRAME_RUN] = "RUN",
        [GF_FRAME_RESULT] = "RESULT",
        [GF_FRAME_ERROR] = "ERROR",
        [GF_FRAME_CANCEL] = "CANCEL",
        [GF_FRAME_PING] = "PING",
        [GF_FRAME_PONG] = "PONG",
        [GF_FRAME_ARENA] = "ARENA",
        [GF_FRAME_ARENA_DROP] = "ARENA_DROP",
        [GF_FRAME_FREE] = "FREE",
        [GF_FRAME_INFO] = "INFO",
        [GF_FRAME_INFO_REPLY] = "INFO_REPLY",
        [GF_FRAME_DONE] = "DONE",
        [GF_FRAME_GOAWAY] = "GOAWAY",
        [GF_FRAME_ADMIN] = "ADMIN",
        [GF_FRAME_WORKER_HELLO] = "WORKER_HELLO",
        [GF_FRAME_WORKER_MAP] = "WORKER_MAP",
        [GF_FRAME_WORKER_UNMAP] = "WORKER_UNMAP",
        [GF_FRAME_WORKER_GPU] = "WORKER_GPU",
    };
    return kind < GF_ARRAY_LEN(names) && names[kind] != NULL ? names[kind] : "unknown";
}

const char *gf_attr_name(uint32_t id)
{
    static const char *const names[] = {
        [GF_ATTR_STATUS] = "STATUS",
        [GF_ATTR_TEXT] = "TEXT",
        [GF_ATTR_NEEDED] = "NEEDED",
        [GF_ATTR_RETRY_MS] = "RETRY_MS",
        [GF_ATTR_VERSION_MIN] = "VERSION_MIN",
        [GF_ATTR_VERSION_MAX] = "VERSION_MAX",
        [GF_ATTR_VERSION] = "VERSION",
        [GF_ATTR_SOFTWARE] = "SOFTWARE",
        [GF_ATTR_FD_PASSING] = "FD_PASSING",
        [GF_ATTR_LIMIT] = "LIMIT",
        [GF_ATTR_DEVICE] = "DEVICE",
        [GF_ATTR_DEVICE_TITLE] = "DEVICE_TITLE",
        [GF_ATTR_DEVICE_UUID] = "DEVICE_UUID",
        [GF_ATTR_DEVICE_DETAIL] = "DEVICE_DETAIL",
        [GF_ATTR_DEVICE_MEMORY] = "DEVICE_MEMORY",
        [GF_ATTR_DEVICE_UNITS] = "DEVICE_UNITS",
        [GF_ATTR_DEVICE_STATE] = "DEVICE_STATE",
        [GF_ATTR_DEADLINE_MS] = "DEADLINE_MS",
        [GF_ATTR_OPERAND] = "OPERAND",
        [GF_ATTR_STEP] = "STEP",
        [GF_ATTR_RESULT] = "RESULT",
        [GF_ATTR_OUTPUT] = "OUTPUT",
        [GF_ATTR_TIMES] = "TIMES",
        [GF_ATTR_ARENA] = "ARENA",
        [GF_ATTR_SIZE] = "SIZE",
        [GF_ATTR_HANDLE] = "HANDLE",
        [GF_ATTR_TOPIC] = "TOPIC",
        [GF_ATTR_HEALTH] = "HEALTH",
        [GF_ATTR_SLOTS] = "SLOTS",
        [GF_ATTR_OP_ROW] = "OP_ROW",
        [GF_ATTR_KEY] = "KEY",
        [GF_ATTR_PID] = "PID",
        [GF_ATTR_STAGING] = "STAGING",
        [GF_ATTR_METRIC] = "METRIC",
        [GF_ATTR_METRIC_KIND] = "METRIC_KIND",
        [GF_ATTR_METRIC_HELP] = "METRIC_HELP",
        [GF_ATTR_METRIC_LABELS] = "METRIC_LABELS",
        [GF_ATTR_METRIC_VALUE] = "METRIC_VALUE",
        [GF_ATTR_WHY] = "WHY",
        [GF_ATTR_HANDLE_ENTRY] = "HANDLE_ENTRY",
        [GF_ATTR_TRACE] = "TRACE",
        [GF_ATTR_UNFUSED] = "UNFUSED",
        [GF_ATTR_SPANS] = "SPANS",
        [GF_ATTR_PART] = "PART",
        [GF_ATTR_EXPRESSIONS] = "EXPRESSIONS",
        [GF_ATTR_REVISION] = "REVISION",
        [GF_ATTR_KEYS] = "KEYS",
        [GF_ATTR_COMPILE_TIMES] = "COMPILE_TIMES",
        [GF_ATTR_ACTION] = "ACTION",
        [GF_ATTR_USER] = "USER",
        [GF_ATTR_USER_NAME] = "USER_NAME",
        [GF_ATTR_NEXT] = "NEXT",
        [GF_ATTR_GPU_FIGURES] = "GPU_FIGURES",
        [GF_ATTR_GPU_PCI] = "GPU_PCI",
        [GF_ATTR_GPU_DRIVER] = "GPU_DRIVER",
        [GF_ATTR_GPU_CUDA] = "GPU_CUDA",
        [GF_ATTR_NODE] = "NODE",
        [GF_ATTR_CONNECTION] = "CONNECTION",
        [GF_ATTR_TRACE_CONTEXT] = "TRACE_CONTEXT",
    };
    if (id >= GF_ATTR_PARAM && id < 2 * GF_ATTR_PARAM)
        return "PARAM";
    return id < GF_ARRAY_LEN(names) && names[id] != NULL ? names[id] : "unknown";
}

void gf_header_encode(const struct gf_header *h, uint8_t ret_bytes[GF_HEADER_SIZE])
{
    gf_store_u32(ret_bytes, GF_MAGIC);
    gf_store_u16(ret_bytes + 4, h->version);
    gf_store_u16(ret_bytes + 6, h->kind);
    gf_store_u16(ret_bytes + 8, h->flags);
    gf_store_u16(ret_bytes + 10, h->nfds);
    gf_store_u32(ret_bytes + 12, h->body_len);
    gf_store_u64(ret_bytes + 16, h->id);
    gf_store_u64(ret_bytes + 24, h->payload_len);
}

enum gf_status gf_header_decode(const uint8_t bytes[GF_HEADER_SIZE], struct gf_header *ret, struct gf_error *err)
{
    struct gf_header h = {
        .version = gf_load_u16(bytes + 4),
        .kind = gf_load_u16(bytes + 6),
        .flags = gf_load_u16(bytes + 8),
        .nfds = gf_load_u16(bytes + 10),
        .body_len = gf_load_u32(bytes + 12),
        .id = gf_load_u64(bytes + 16),
        .payload_len = gf_load_u64(bytes + 24),
    };
    if (gf_load_u32(bytes) != GF_MAGIC)
        return gf_error_set(err, GF_E_BAD_FRAME, "frame begins with 0x%08" PRIx32 "; must be the magic 0x%08x",
                            gf_load_u32(bytes), GF_MAGIC);
    if (h.version < GF_VERSION_MIN || h.version > GF_VERSION)
        return gf_error_set(err, GF_E_BAD_VERSION, "frame of protocol version %u; supported: %u..%u", h.version,
                            GF_VERSION_MIN, GF_VERSION);
    if (h.flags != 0)
        return gf_error_set(err, GF_E_BAD_FRAME, "flags=0x%04x; must be 0", h.flags);
    if (h.nfds > GF_MAX_FDS)
        return gf_error_set(err, GF_E_BAD_FRAME, "nfds=%u; allowed: up to %u", h.nfds, GF_MAX_FDS);
    if (h.body_len > GF_MAX_BODY || h.body_len % 8 != 0)
        return gf_error_set(err, GF_E_BAD_FRAME, "body_len=%" PRIu32 "; must be a multiple of 8 up to %u", h.body_len,
                            GF_MAX_BODY);
    if (h.payload_len > GF_MAX_PAYLOAD)
        return gf_error_set(err, GF_E_BAD_FRAME, "payload_len=%" PRIu64 "; allowed: up to %" PRIu64, h.payload_len,
                            (uint64_t)GF_MAX_PAYLOAD);
    *ret = h;
    return GF_OK;
}

/* NULL if the length fits the type, otherwise the allowed lengths. */
static const char *length_allowed(uint8_t type, uint32_t length)
{
    switch (type) {
    case GF_TYPE_U32:
    case GF_TYPE_F32:
    case GF_TYPE_ENUM:
        return length == 0 || length % 4 != 0 ? "multiples of 4 from 4" : NULL;
    case GF_TYPE_U64:
    case GF_TYPE_F64:
        return length == 0 || length % 8 != 0 ? "multiples of 8 from 8" : NULL;
    default:
        return NULL;
    }
}

static int attr_error(struct gf_error *err, const struct gf_attr *a, size_t at, const char *what)
{
    gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) at body byte %zu: %s", gf_attr_name(a->id), a->id, at, what);
    return -1;
}

int gf_attr_next(struct gf_reader *r, struct gf_attr *ret, struct gf_error *err)
{
    size_t left = r->size - r->at;
    if (left == 0)
        return 0;
    if (left < ATTR_HEAD) {
        gf_error_set(err, GF_E_BAD_REQUEST, "%zu bytes at body byte %zu are too short for an attribute", left, r->at);
        return -1;
    }
    const uint8_t *p = r->data + r->at;
    struct gf_attr a = {.id = gf_load_u16(p), .type = p[2], .length = gf_load_u32(p + 4), .value = p + ATTR_HEAD};
    left -= ATTR_HEAD;
    if (a.type < GF_TYPE_U32 || a.type > GF_TYPE_F64)
        return attr_error(err, &a, r->at, "unknown type");
    if (p[3] != 0)
        return attr_error(err, &a, r->at, "reserved byte is not 0");
    const char *allowed = length_allowed(a.type, a.length);
    if (allowed != NULL) {
        gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) at body byte %zu: length %" PRIu32 "; allowed: %s",
                     gf_attr_name(a.id), a.id, r->at, a.length, allowed);
        return -1;
    }
    size_t padding = (8 - a.length % 8) % 8;
    if (a.length > left || padding > left - a.length)
        return attr_error(err, &a, r->at, "extends past the end of the body");
    for (size_t i = 0; i < padding; i++)
        if (a.value[a.length + i] != 0)
            return attr_error(err, &a, r->at, "padding is not 0");
    if (a.type == GF_TYPE_STRING && memchr(a.value, 0, a.length) != NULL)
        return attr_error(err, &a, r->at, "NUL inside a string");
    r->at += ATTR_HEAD + a.length + padding;
    *ret = a;
    return 1;
}

/* Checks the attribute's type and, unless it is 0, its length. */
static enum gf_status expect(const struct gf_attr *a, enum gf_attr_type type, size_t length, struct gf_error *err)
{
    static const char *const words[] = {"", "u32", "u64", "f32", "enum", "string", "bytes", "f64"};
    if (a->type != type)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) is of type %s, not %s", gf_attr_name(a->id),
                            a->id, a->type < GF_ARRAY_LEN(words) ? words[a->type] : "?", words[type]);
    if (length != 0 && a->length != length)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) has %" PRIu32 " bytes, not %zu",
                            gf_attr_name(a->id), a->id, a->length, length);
    return GF_OK;
}

enum gf_status gf_attr_u32(const struct gf_attr *a, uint32_t *ret, struct gf_error *err)
{
    enum gf_status status = expect(a, GF_TYPE_U32, 4, err);
    if (status == GF_OK)
        *ret = gf_load_u32(a->value);
    return status;
}

enum gf_status gf_attr_u64(const struct gf_attr *a, uint64_t *ret, struct gf_error *err)
{
    enum gf_status status = expect(a, GF_TYPE_U64, 8, err);
    if (status == GF_OK)
        *ret = gf_load_u64(a->value);
    return status;
}

enum gf_status gf_attr_record(const struct gf_attr *a, size_t length, struct gf_error *err)
{
    return expect(a, GF_TYPE_BYTES, length, err);
}

enum gf_status gf_attr_string(const struct gf_attr *a, char *ret, size_t capacity, struct gf_error *err)
{
    enum gf_status status = expect(a, GF_TYPE_STRING, 0, err);
    if (status != GF_OK)
        return status;
    if (a->length >= capacity)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) has %" PRIu32 " bytes; allowed: up to %zu",
                            gf_attr_name(a->id), a->id, a->length, capacity - 1);
    for (uint32_t i = 0; i < a->length; i++)
        if (a->value[i] < 0x20 || a->value[i] == 0x7f)
            return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) has the control character 0x%02x",
                                gf_attr_name(a->id), a->id, a->value[i]);
    memcpy(ret, a->value, a->length);
    ret[a->length] = '\0';
    gf_text_clean(ret); /* replaces invalid UTF-8: an error text may have been cut inside a character */
    return GF_OK;
}

void gf_writer_init(struct gf_writer *w, uint8_t *data, size_t capacity)
{
    *w = (struct gf_writer){
        .data = data, .capacity = capacity, .size = GF_HEADER_SIZE, .overflow = capacity < GF_HEADER_SIZE};
}

void gf_put(struct gf_writer *w, uint16_t id, enum gf_attr_type type, const void *value, size_t length)
{
    size_t limit = w->capacity < GF_MAX_FRAME_HEAD ? w->capacity : GF_MAX_FRAME_HEAD;
    size_t padding = (8 - length % 8) % 8;
    if (w->overflow || length > GF_MAX_BODY || ATTR_HEAD + length + padding > limit - w->size) {
        w->overflow = true;
        return;
    }
    uint8_t *p = w->data + w->size;
    gf_store_u16(p, id);
    p[2] = (uint8_t)type;
    p[3] = 0;
    gf_store_u32(p + 4, (uint32_t)length);
    if (length > 0)
        memcpy(p + ATTR_HEAD, value, length);
    memset(p + ATTR_HEAD + length, 0, padding);
    w->size += ATTR_HEAD + length + padding;
}

void gf_put_u32(struct gf_writer *w, uint16_t id, uint32_t value)
{
    gf_put(w, id, GF_TYPE_U32, &value, sizeof value);
}

void gf_put_u64(struct gf_writer *w, uint16_t id, uint64_t value)
{
    gf_put(w, id, GF_TYPE_U64, &value, sizeof value);
}

void gf_put_string(struct gf_writer *w, uint16_t id, const char *text)
{
    size_t length = strlen(text);
    gf_put(w, id, GF_TYPE_STRING, text, length);
    if (w->overflow)
        return;
    uint8_t *p = w->data + w->size - (length + 7) / 8 * 8;
    for (size_t i = 0; i < length; i++)
        if (p[i] < 0x20 || p[i] == 0x7f)
            p[i] = '?';
}

bool gf_writer_finish(struct gf_writer *w, uint16_t kind, uint64_t id, uint64_t payload_len, uint16_t nfds)
{
    if (w->overflow)
        return false;
    struct gf_header h = {.version = GF_VERSION,
                          .kind = kind,
                          .nfds = nfds,
                          .body_len = (uint32_t)(w->size - GF_HEADER_SIZE),
                          .id = id,
                          .payload_len = payload_len};
    gf_header_encode(&h, w->data);
    return true;
}
