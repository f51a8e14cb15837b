/* SPDX-License-Identifier: MIT */
/* The only status enum, used internally, on the wire and by the client library. */
#ifndef GF_PROTOCOL_STATUS_H
#define GF_PROTOCOL_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gf_status {
#define GF_STATUS(name, number, text) GF_E_##name = number,
#include "status.def"
#undef GF_STATUS
};

#define GF_OK GF_E_OK

#define GF_STATUS_FATAL 64u /* from this number on the connection ends */
#define GF_STATUS_LOCAL 96u /* from this number on raised by the client library, never on the wire */

/* "OUTPUT_TOO_SMALL"; "UNKNOWN" for an unknown number. Static text. */
const char *gf_status_name(uint32_t status);
/* "output too small". Static text. */
const char *gf_status_text(uint32_t status);
bool gf_status_known(uint32_t status);

#ifdef __cplusplus
}
#endif
#endif
