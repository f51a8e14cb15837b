/* SPDX-License-Identifier: MIT */
/* The record of a view, and bodies of single attributes. Called by the request, response and worker codecs. */
#include "records.h"

void gf_record_view_store(uint8_t *p, const struct gf_view *view)
{
    gf_store_u64(p, 0);
    p[0] = (uint8_t)view->dtype;
    p[1] = (uint8_t)view->channels;
    gf_store_u64(p + 8, view->width);
    gf_store_u64(p + 16, view->height);
    gf_store_u64(p + 24, view->pitch);
}

bool gf_record_view_load(const uint8_t *p, struct gf_view *ret)
{
    if (gf_load_u16(p + 2) != 0 || gf_load_u32(p + 4) != 0)
        return false;
    *ret = (struct gf_view){.dtype = p[0],
                            .channels = p[1],
                            .width = gf_load_u64(p + 8),
                            .height = gf_load_u64(p + 16),
                            .pitch = gf_load_u64(p + 24)};
    return true;
}

enum gf_status gf_attr_foreign(const struct gf_attr *a, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) does not belong here", gf_attr_name(a->id), a->id);
}

enum gf_status gf_attrs_take(const uint8_t *body, size_t size, gf_attr_taker *take, void *ret, struct gf_error *err)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_attr a;
    enum gf_status status = GF_OK;
    int more = 0;
    while (status == GF_OK && (more = gf_attr_next(&reader, &a, err)) > 0)
        status = take(&a, ret, err);
    return more < 0 ? GF_E_BAD_REQUEST : status;
}

static enum gf_status field_store(const struct gf_attr *a, const struct gf_field *field, struct gf_error *err)
{
    switch (field->type) {
    case GF_TYPE_U32:
        return gf_attr_u32(a, field->ret, err);
    case GF_TYPE_U64:
        return gf_attr_u64(a, field->ret, err);
    default:
        return gf_attr_string(a, field->ret, GF_MAX_DEVICE_NAME + 1, err);
    }
}

enum gf_status gf_fields_decode(const uint8_t *body, size_t size, const struct gf_field *fields, uint32_t n,
                                struct gf_error *err)
{
    struct gf_reader reader = {.data = body, .size = size};
    struct gf_attr a;
    uint32_t seen = 0;
    int more;
    while ((more = gf_attr_next(&reader, &a, err)) > 0) {
        uint32_t i = 0;
        while (i < n && fields[i].id != a.id)
            i++;
        if (i == n)
            return gf_attr_foreign(&a, err);
        if ((seen >> i & 1) != 0)
            return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) is given twice", gf_attr_name(a.id), a.id);
        seen |= 1u << i;
        enum gf_status status = field_store(&a, &fields[i], err);
        if (status != GF_OK)
            return status;
    }
    if (more < 0)
        return GF_E_BAD_REQUEST;
    for (uint32_t i = 0; i < n; i++)
        if ((seen >> i & 1) == 0 && !fields[i].optional)
            return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) is missing", gf_attr_name(fields[i].id),
                                fields[i].id);
    return GF_OK;
}
