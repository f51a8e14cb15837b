/* SPDX-License-Identifier: MIT */
/* When an arena earns being page-locked; see pins.h. */
#include "pins.h"

#define USES 2u

bool gf_pins_earned(const struct gf_pins *pins, uint64_t now_ns)
{
    return pins->uses >= USES && now_ns >= pins->rests_until;
}

void gf_pins_evicted(struct gf_pins *pins, uint64_t now_ns)
{
    pins->uses = 0;
    if (now_ns - pins->locked_ns < GF_PIN_REST_NS)
        pins->rests_until = now_ns + GF_PIN_REST_NS;
}
