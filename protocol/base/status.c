/* SPDX-License-Identifier: MIT */
/* Names and texts of the statuses, from status.def. */
#include "status.h"

#include <stddef.h>

static const char *name_of(uint32_t status)
{
    switch (status) {
#define GF_STATUS(name, number, text)                                                                                  \
    case number:                                                                                                       \
        return #name;
#include "status.def"
#undef GF_STATUS
    }
    return NULL;
}

const char *gf_status_name(uint32_t status)
{
    const char *name = name_of(status);
    return name != NULL ? name : "UNKNOWN";
}

const char *gf_status_text(uint32_t status)
{
    switch (status) {
#define GF_STATUS(name, number, text)                                                                                  \
    case number:                                                                                                       \
        return text;
#include "status.def"
#undef GF_STATUS
    }
    return "unknown status";
}

bool gf_status_known(uint32_t status)
{
    return name_of(status) != NULL;
}
