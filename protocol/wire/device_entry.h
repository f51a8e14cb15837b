/* SPDX-License-Identifier: MIT */
/* The description of a device: a run of attributes that starts with DEVICE. Internal to protocol/. */
#ifndef GF_PROTOCOL_DEVICE_ENTRY_H
#define GF_PROTOCOL_DEVICE_ENTRY_H

#include "response.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Omits empty texts. */
void gf_device_entry_encode(struct gf_writer *w, const struct gf_device_entry *device);
/* Whether an attribute id belongs to a device's description. */
bool gf_device_entry_attr(uint16_t id);
/* Decodes one such attribute: DEVICE begins devices[*n] (room for `max`), the others complete the last device.
 * BAD_REQUEST for a malformed attribute, an attribute before any DEVICE, or too many devices. */
enum gf_status gf_device_entry_decode(const struct gf_attr *a, struct gf_device_entry *devices, uint32_t max,
                                      uint32_t *n, struct gf_error *err);

#ifdef __cplusplus
}
#endif
#endif
