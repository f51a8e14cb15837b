/* SPDX-License-Identifier: MIT */
/* A worker's HELLO and PONG, MAP, UNMAP and FREE between structs and bytes. Called by front and worker. */
#include "worker_msg.h"

#include <inttypes.h>

#include "device_entry.h"
#include "records.h"

void gf_worker_hello_encode(struct gf_writer *w, const struct gf_worker_hello *hello)
{
    gf_put_u32(w, GF_ATTR_PID, hello->pid);
    gf_put_u32(w, GF_ATTR_SLOTS, hello->slots);
    gf_device_entry_encode(w, &hello->device);
    for (uint32_t i = 0; i < hello->n_rows; i++) {
        uint8_t r[GF_RECORD_OP_ROW];
        gf_store_u32(r, hello->rows[i].op);
        gf_store_u32(r + 4, hello->rows[i].dtypes);
        gf_put(w, GF_ATTR_OP_ROW, GF_TYPE_BYTES, r, sizeof r);
    }
}

static enum gf_status read_op_row(const struct gf_attr *a, struct gf_worker_hello *h, struct gf_error *err)
{
    if (h->n_rows == GF_WORKER_MAX_OPS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "worker lists more than %u operations", GF_WORKER_MAX_OPS);
    enum gf_status status = gf_attr_record(a, GF_RECORD_OP_ROW, err);
    if (status != GF_OK)
        return status;
    h->rows[h->n_rows++] = (struct gf_op_row){.op = gf_load_u32(a->value), .dtypes = gf_load_u32(a->value + 4)};
    return GF_OK;
}

struct hello_reading {
    struct gf_worker_hello *hello;
    uint32_t n_devices;
};

static enum gf_status read_hello_attr(const struct gf_attr *a, void *ret, struct gf_error *err)
{
    struct hello_reading *reading = ret;
    struct gf_worker_hello *h = reading->hello;
    if (gf_device_entry_attr(a->id))
        return gf_device_entry_decode(a, &h->device, 1, &reading->n_devices, err);
    switch (a->id) {
    case GF_ATTR_PID:
        return gf_attr_u32(a, &h->pid, err);
    case GF_ATTR_SLOTS:
        return gf_attr_u32(a, &h->slots, err);
    case GF_ATTR_OP_ROW:
        return read_op_row(a, h, err);
    default:
        return gf_attr_foreign(a, err);
    }
}

enum gf_status gf_worker_hello_decode(const uint8_t *body, size_t size, struct gf_worker_hello *ret,
                                      struct gf_error *err)
{
    struct hello_reading reading = {.hello = ret};
    ret->pid = ret->slots = ret->n_rows = 0;
    enum gf_status status = gf_attrs_take(body, size, read_hello_attr, &reading, err);
    if (status != GF_OK)
        return status;
    if (reading.n_devices == 0 || ret->pid == 0 || ret->slots == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "worker's HELLO names %" PRIu32 " devices, pid %" PRIu32 " and %" PRIu32
                            " slots; each must be at least 1",
                            reading.n_devices, ret->pid, ret->slots);
    return GF_OK;
}

void gf_worker_error_encode(struct gf_writer *w, const struct gf_error *error, const struct gf_stage_times *times)
{
    gf_error_encode(w, error, 0);
    gf_put_times(w, times);
}

bool gf_worker_error_times(const uint8_t *body, size_t size, struct gf_stage_times *ret)
{
    struct gf_reader r = {.data = body, .size = size};
    struct gf_attr a;
    while (gf_attr_next(&r, &a, NULL) == 1)
        if (a.id == GF_ATTR_TIMES)
            return gf_attr_times(&a, ret, NULL) == GF_OK;
    return false;
}

void gf_worker_map_encode(struct gf_writer *w, const struct gf_worker_map *map)
{
    gf_put_u64(w, GF_ATTR_KEY, map->key);
    if (map->size == 0)
        return;
    gf_put_u64(w, GF_ATTR_SIZE, map->size);
    gf_put_u32(w, GF_ATTR_STAGING, map->staging ? 1 : map->unpinned ? 2 : 0);
}

enum gf_status gf_worker_map_decode(const uint8_t *body, size_t size, bool unmap, struct gf_worker_map *ret,
                                    struct gf_error *err)
{
    struct gf_worker_map m = {.size = 0};
    uint32_t staging = 0;
    const struct gf_field fields[] = {
        {GF_ATTR_KEY, false, GF_TYPE_U64, &m.key},
        {GF_ATTR_SIZE, false, GF_TYPE_U64, &m.size},
        {GF_ATTR_STAGING, false, GF_TYPE_U32, &staging},
    };
    enum gf_status status = gf_fields_decode(body, size, fields, unmap ? 1 : 3, err);
    if (status != GF_OK)
        return status;
    if (!unmap && (m.size == 0 || m.size > GF_MAX_BYTES || staging > 2))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "mapping %" PRIu64 " of %" PRIu64 " bytes with staging=%" PRIu32 "; allowed: 1..%" PRIu64
                            " and 0 to 2",
                            m.key, m.size, staging, (uint64_t)GF_MAX_BYTES);
    m.staging = staging == 1;
    m.unpinned = staging == 2;
    *ret = m;
    return GF_OK;
}

void gf_worker_free_encode(struct gf_writer *w, const uint64_t *keys, uint32_t n)
{
    uint8_t r[GF_RECORD_KEY * GF_WORKER_MAX_FREE];
    for (uint32_t i = 0; i < n; i++)
        gf_store_u64(r + GF_RECORD_KEY * i, keys[i]);
    gf_put(w, GF_ATTR_KEYS, GF_TYPE_BYTES, r, GF_RECORD_KEY * n);
}

enum gf_status gf_worker_free_decode(const uint8_t *body, size_t size, uint64_t keys[GF_WORKER_MAX_FREE],
                                     uint32_t *ret_n, struct gf_error *err)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_attr a;
    int more = gf_attr_next(&reader, &a, err);
    if (more < 0)
        return GF_E_BAD_REQUEST;
    uint32_t n = more > 0 ? a.length / GF_RECORD_KEY : 0;
    if (n == 0 || n > GF_WORKER_MAX_FREE || a.id != GF_ATTR_KEYS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "FREE to a worker has 1 to %u KEYS", GF_WORKER_MAX_FREE);
    enum gf_status status = gf_attr_record(&a, GF_RECORD_KEY * n, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < n; i++)
        keys[i] = gf_load_u64((const uint8_t *)a.value + GF_RECORD_KEY * i);
    *ret_n = n;
    return gf_attr_next(&reader, &a, err) == 0
               ? GF_OK
               : gf_error_set(err, GF_E_BAD_REQUEST, "FREE to a worker has one attribute");
}

void gf_worker_pong_encode(struct gf_writer *w, const struct gf_expression_figures *figures)
{
    uint8_t r[GF_RECORD_EXPRESSIONS];
    for (uint32_t i = 0; i < GF_N_EXPRESSION_FIGURES; i++)
        gf_store_u64(r + i * sizeof(uint64_t), figures->of[i]);
    gf_put(w, GF_ATTR_EXPRESSIONS, GF_TYPE_BYTES, r, sizeof r);
    if (figures->why_off[0])
        gf_put_string(w, GF_ATTR_TEXT, figures->why_off);
    uint8_t times[GF_RECORD_COMPILE_TIME * GF_MAX_COMPILE_TIMES];
    for (uint32_t i = 0; i < figures->times.n; i++) {
        gf_store_u64(times + GF_RECORD_COMPILE_TIME * i, figures->times.of[i].user);
        gf_store_u64(times + GF_RECORD_COMPILE_TIME * i + 8, figures->times.of[i].ns);
    }
    if (figures->times.n > 0)
        gf_put(w, GF_ATTR_COMPILE_TIMES, GF_TYPE_BYTES, times, GF_RECORD_COMPILE_TIME * figures->times.n);
}

static enum gf_status read_figures(const struct gf_attr *a, struct gf_expression_figures *f, struct gf_error *err)
{
    enum gf_status status = gf_attr_record(a, GF_RECORD_EXPRESSIONS, err);
    for (uint32_t i = 0; status == GF_OK && i < GF_N_EXPRESSION_FIGURES; i++)
        f->of[i] = gf_load_u64(a->value + i * sizeof(uint64_t));
    return status;
}

static enum gf_status read_times(const struct gf_attr *a, struct gf_compile_times *times, struct gf_error *err)
{
    uint32_t n = a->length / GF_RECORD_COMPILE_TIME;
    if (n == 0 || n > GF_MAX_COMPILE_TIMES)
        return gf_error_set(err, GF_E_BAD_REQUEST, "worker tells the times of %" PRIu32 " users; allowed: 1..%u", n,
                            GF_MAX_COMPILE_TIMES);
    enum gf_status status = gf_attr_record(a, GF_RECORD_COMPILE_TIME * n, err);
    if (status != GF_OK)
        return status;
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *r = a->value + GF_RECORD_COMPILE_TIME * i;
        times->of[i] = (struct gf_compile_time){.user = gf_load_u64(r), .ns = gf_load_u64(r + 8)};
    }
    times->n = n;
    return GF_OK;
}

static enum gf_status read_pong_attr(const struct gf_attr *a, void *ret, struct gf_error *err)
{
    struct gf_expression_figures *f = ret;
    switch (a->id) {
    case GF_ATTR_EXPRESSIONS:
        return read_figures(a, f, err);
    case GF_ATTR_TEXT:
        return gf_attr_string(a, f->why_off, sizeof f->why_off, err);
    case GF_ATTR_COMPILE_TIMES:
        return read_times(a, &f->times, err);
    default:
        return gf_attr_foreign(a, err);
    }
}

enum gf_status gf_worker_pong_decode(const uint8_t *body, size_t size, struct gf_expression_figures *ret,
                                     struct gf_error *err)
{
    struct gf_expression_figures figures = {.times.n = 0};
    enum gf_status status = gf_attrs_take(body, size, read_pong_attr, &figures, err);
    if (status == GF_OK)
        *ret = figures;
    return status;
}
