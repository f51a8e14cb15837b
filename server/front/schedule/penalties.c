/* SPDX-License-Identifier: MIT */
/* Counts worker deaths per user; see penalties.h. */
#include "penalties.h"

#include "protocol/base/clock.h"

#define WINDOW_NS (600 * GF_NS_PER_S)

void gf_penalties_add(struct gf_penalties *penalties, gf_user_id user, uint32_t deaths, uint64_t now_ns)
{
    for (; deaths > 0; deaths--) {
        uint32_t i = penalties->n++ % GF_PENALTIES_KEPT;
        penalties->deaths[i].user = user;
        penalties->deaths[i].ns = now_ns;
    }
}

/* Deaths within the window before at_ns that count against the user. */
static uint64_t count(const struct gf_penalties *penalties, gf_user_id user, uint64_t at_ns)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < GF_PENALTIES_KEPT; i++)
        n += penalties->deaths[i].ns != 0 && penalties->deaths[i].user == user &&
             at_ns - penalties->deaths[i].ns < WINDOW_NS;
    return n;
}

uint64_t gf_penalties_wait_s(const struct gf_penalties *penalties, gf_user_id user, uint64_t limit, uint64_t now_ns)
{
    uint64_t wait_ns = 0;
    if (penalties->n == 0 || count(penalties, user, now_ns) < limit)
        return 0;
    /* The first moment at which a death leaves the window and brings the count below the limit. */
    for (uint32_t i = 0; i < GF_PENALTIES_KEPT; i++) {
        uint64_t ends = penalties->deaths[i].ns + WINDOW_NS;
        if (penalties->deaths[i].ns == 0 || penalties->deaths[i].user != user || ends <= now_ns ||
            count(penalties, user, ends) >= limit)
            continue;
        if (wait_ns == 0 || ends - now_ns < wait_ns)
            wait_ns = ends - now_ns;
    }
    return (wait_ns + GF_NS_PER_S - 1) / GF_NS_PER_S;
}
