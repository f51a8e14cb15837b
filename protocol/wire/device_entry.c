/* SPDX-License-Identifier: MIT */
/* The description of a device inside an answer. Called by the response and worker codecs. */
#include "device_entry.h"

#include <inttypes.h>

static void put_text(struct gf_writer *w, uint16_t id, const char *text)
{
    if (text[0] != '\0')
        gf_put_string(w, id, text);
}

void gf_device_entry_encode(struct gf_writer *w, const struct gf_device_entry *device)
{
    gf_put_string(w, GF_ATTR_DEVICE, device->name);
    put_text(w, GF_ATTR_DEVICE_TITLE, device->title);
    put_text(w, GF_ATTR_DEVICE_UUID, device->uuid);
    put_text(w, GF_ATTR_DEVICE_DETAIL, device->detail);
    gf_put_u64(w, GF_ATTR_DEVICE_MEMORY, device->memory);
    gf_put_u32(w, GF_ATTR_DEVICE_UNITS, device->units);
    gf_put_u32(w, GF_ATTR_DEVICE_STATE, device->state);
}

bool gf_device_entry_attr(uint16_t id)
{
    return id >= GF_ATTR_DEVICE && id <= GF_ATTR_DEVICE_STATE;
}

static enum gf_status read_state(const struct gf_attr *a, uint32_t *ret, struct gf_error *err)
{
    uint32_t state = 0;
    enum gf_status status = gf_attr_u32(a, &state, err);
    if (status == GF_OK && (state < GF_DEVICE_STARTING || state > GF_DEVICE_IDLE))
        return gf_error_set(err, GF_E_BAD_REQUEST, "device state %" PRIu32 "; allowed: %d..%d", state,
                            GF_DEVICE_STARTING, GF_DEVICE_IDLE);
    if (status == GF_OK)
        *ret = state;
    return status;
}

enum gf_status gf_device_entry_decode(const struct gf_attr *a, struct gf_device_entry *devices, uint32_t max,
                                      uint32_t *n, struct gf_error *err)
{
    if (a->id == GF_ATTR_DEVICE) {
        if (*n == max)
            return gf_error_set(err, GF_E_BAD_REQUEST, "more than %" PRIu32 " devices", max);
        devices[*n] = (struct gf_device_entry){.state = GF_DEVICE_ABSENT};
        return gf_attr_string(a, devices[(*n)++].name, sizeof devices->name, err);
    }
    if (*n == 0)
        return gf_error_set(err, GF_E_BAD_REQUEST, "attribute %s (%u) comes before any DEVICE", gf_attr_name(a->id),
                            a->id);
    struct gf_device_entry *d = &devices[*n - 1];
    switch (a->id) {
    case GF_ATTR_DEVICE_TITLE:
        return gf_attr_string(a, d->title, sizeof d->title, err);
    case GF_ATTR_DEVICE_UUID:
        return gf_attr_string(a, d->uuid, sizeof d->uuid, err);
    case GF_ATTR_DEVICE_DETAIL:
        return gf_attr_string(a, d->detail, sizeof d->detail, err);
    case GF_ATTR_DEVICE_MEMORY:
        return gf_attr_u64(a, &d->memory, err);
    case GF_ATTR_DEVICE_UNITS:
        return gf_attr_u32(a, &d->units, err);
    default:
        return read_state(a, &d->state, err);
    }
}
