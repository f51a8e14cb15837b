/* SPDX-License-Identifier: MIT */
/*
 * HELLO, ARENA, ARENA_DROP, FREE, INFO and ADMIN between structs and bytes; RUN is in run_request.c. The client library
 * encodes, the front decodes.
 */
#include "request.h"

#include <inttypes.h>
#include <string.h>

#include "records.h"

void gf_hello_encode(struct gf_writer *w, const struct gf_hello *hello)
{
    gf_put_u32(w, GF_ATTR_VERSION_MIN, hello->version_min);
    gf_put_u32(w, GF_ATTR_VERSION_MAX, hello->version_max);
    gf_put_string(w, GF_ATTR_SOFTWARE, hello->software);
    if (hello->device[0] != '\0' && strcmp(hello->device, "auto") != 0)
        gf_put_string(w, GF_ATTR_DEVICE, hello->device);
}

enum gf_status gf_hello_decode(const uint8_t *body, size_t size, struct gf_hello *ret, struct gf_error *err)
{
    struct gf_hello h = {.device = "auto"};
    const struct gf_field fields[] = {
        {GF_ATTR_VERSION_MIN, false, GF_TYPE_U32, &h.version_min},
        {GF_ATTR_VERSION_MAX, false, GF_TYPE_U32, &h.version_max},
        {GF_ATTR_SOFTWARE, false, GF_TYPE_STRING, h.software},
        {GF_ATTR_DEVICE, true, GF_TYPE_STRING, h.device},
    };
    enum gf_status status = gf_fields_decode(body, size, fields, GF_ARRAY_LEN(fields), err);
    if (status == GF_OK)
        status = gf_device_name_check(h.device, err);
    if (status != GF_OK)
        return status;
    if (h.version_min == 0 || h.version_min > h.version_max)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "versions %" PRIu32 "..%" PRIu32 "; must be an ascending range from 1", h.version_min,
                            h.version_max);
    if (h.version_min > GF_VERSION || h.version_max < GF_VERSION_MIN)
        return gf_error_set(err, GF_E_BAD_VERSION,
                            "client speaks protocol versions %" PRIu32 "..%" PRIu32 ", server %u..%u", h.version_min,
                            h.version_max, GF_VERSION_MIN, GF_VERSION);
    *ret = h;
    return GF_OK;
}

void gf_arena_request_encode(struct gf_writer *w, const struct gf_arena_request *a)
{
    gf_put_u32(w, GF_ATTR_ARENA, a->arena);
    if (a->size != 0)
        gf_put_u64(w, GF_ATTR_SIZE, a->size);
}

enum gf_status gf_arena_request_decode(const uint8_t *body, size_t size, bool drop, struct gf_arena_request *ret,
                                       struct gf_error *err)
{
    struct gf_arena_request r = {.size = 0};
    const struct gf_field fields[] = {
        {GF_ATTR_ARENA, false, GF_TYPE_U32, &r.arena},
        {GF_ATTR_SIZE, false, GF_TYPE_U64, &r.size},
    };
    enum gf_status status = gf_fields_decode(body, size, fields, drop ? 1 : 2, err);
    if (status != GF_OK)
        return status;
    if (!drop && (r.size == 0 || r.size > GF_MAX_BYTES))
        return gf_error_set(err, GF_E_BAD_REQUEST, "arena of %" PRIu64 " bytes; allowed: 1..%" PRIu64, r.size,
                            (uint64_t)GF_MAX_BYTES);
    *ret = r;
    return GF_OK;
}

void gf_free_request_encode(struct gf_writer *w, uint32_t handle)
{
    gf_put_u32(w, GF_ATTR_HANDLE, handle);
}

enum gf_status gf_free_request_decode(const uint8_t *body, size_t size, uint32_t *ret_handle, struct gf_error *err)
{
    uint32_t handle = 0;
    const struct gf_field field = {GF_ATTR_HANDLE, false, GF_TYPE_U32, &handle};
    enum gf_status status = gf_fields_decode(body, size, &field, 1, err);
    if (status == GF_OK)
        *ret_handle = handle;
    return status;
}

void gf_info_request_encode(struct gf_writer *w, const struct gf_info_request *request)
{
    gf_put_u32(w, GF_ATTR_TOPIC, request->topic);
    if (request->next != 0)
        gf_put_u32(w, GF_ATTR_NEXT, request->next);
}

enum gf_status gf_info_request_decode(const uint8_t *body, size_t size, struct gf_info_request *ret,
                                      struct gf_error *err)
{
    struct gf_info_request r = {.topic = 0};
    const struct gf_field fields[] = {{GF_ATTR_TOPIC, false, GF_TYPE_U32, &r.topic},
                                      {GF_ATTR_NEXT, true, GF_TYPE_U32, &r.next}};
    enum gf_status status = gf_fields_decode(body, size, fields, GF_ARRAY_LEN(fields), err);
    if (status != GF_OK)
        return status;
    if (r.topic < GF_TOPIC_DEVICES || r.topic > GF_TOPIC_HANDLES)
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "topic %" PRIu32 "; allowed: 1 (devices), 2 (health), 3 (stats), 4 (handles)", r.topic);
    if (r.next != 0 && r.topic != GF_TOPIC_STATS)
        return gf_error_set(err, GF_E_BAD_REQUEST, "NEXT %" PRIu32 " with topic %" PRIu32 "; only 3 (stats) has pages",
                            r.next, r.topic);
    *ret = r;
    return GF_OK;
}

void gf_admin_request_encode(struct gf_writer *w, const struct gf_admin_request *a)
{
    gf_put_u32(w, GF_ATTR_ACTION, a->action);
    if (a->name[0] != '\0')
        gf_put_string(w, GF_ATTR_USER_NAME, a->name);
    else
        gf_put_u64(w, GF_ATTR_USER, a->user);
}

enum gf_status gf_admin_request_decode(const uint8_t *body, size_t size, struct gf_admin_request *ret,
                                       struct gf_error *err)
{
    struct gf_admin_request r = {.user = UINT64_MAX};
    const struct gf_field fields[] = {
        {GF_ATTR_ACTION, false, GF_TYPE_U32, &r.action},
        {GF_ATTR_USER, true, GF_TYPE_U64, &r.user},
        {GF_ATTR_USER_NAME, true, GF_TYPE_STRING, r.name},
    };
    enum gf_status status = gf_fields_decode(body, size, fields, GF_ARRAY_LEN(fields), err);
    if (status != GF_OK)
        return status;
    if (r.action != GF_ADMIN_UNBAN)
        return gf_error_set(err, GF_E_BAD_REQUEST, "action %" PRIu32 "; allowed: 1 (unban)", r.action);
    if ((r.user == UINT64_MAX) == (r.name[0] == '\0'))
        return gf_error_set(err, GF_E_BAD_REQUEST,
                            "a user must be given either by USER, below 2^64 - 1, or by USER_NAME");
    *ret = r;
    return GF_OK;
}
