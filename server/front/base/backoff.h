/* SPDX-License-Identifier: MIT */
/* Delays between the starts of a process that dies again and again. Used by worker.c and metrics_listener.c. */
#ifndef GF_FRONT_BACKOFF_H
#define GF_FRONT_BACKOFF_H

#include "protocol/base/base.h"
#include "protocol/base/clock.h"

#define GF_BACKOFF_FIRST_MS 200u
#define GF_BACKOFF_HEALTHY_NS (60 * GF_NS_PER_S) /* a process that lives longer begins anew with the first delay */

/* The delay before the next start, longer each time. *step: 0 at first. */
static inline uint32_t gf_backoff_ms(uint32_t *step)
{
    static const uint32_t delays[] = {GF_BACKOFF_FIRST_MS, 500, 1000, 2000, 4000, 8000, 16000, 30000};
    uint32_t ms = delays[*step];
    if (*step + 1 < GF_ARRAY_LEN(delays))
        (*step)++;
    return ms;
}

#endif
