/* SPDX-License-Identifier: MIT */
/* See blame.h. */
#include "blame.h"

#include "protocol/base/clock.h"

#define WINDOW_NS (600 * GF_NS_PER_S)

void gf_blame_add(struct gf_blame *blame, uid_t uid, uint32_t deaths, uint64_t now_ns)
{
    for (; deaths > 0; deaths--) {
        uint32_t i = blame->n++ % GF_BLAME_KEPT;
        blame->deaths[i].uid = uid;
        blame->deaths[i].ns = now_ns;
    }
}

/* Deaths of the user that count at this time. */
static uint64_t count(const struct gf_blame *blame, uid_t uid, uint64_t at_ns)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < GF_BLAME_KEPT; i++)
        n += blame->deaths[i].ns != 0 && blame->deaths[i].uid == uid && at_ns - blame->deaths[i].ns < WINDOW_NS;
    return n;
}

uint64_t gf_blame_wait_s(const struct gf_blame *blame, uid_t uid, uint64_t most, uint64_t now_ns)
{
    uint64_t wait_ns = 0;
    if (blame->n == 0 || count(blame, uid, now_ns) < most)
        return 0;
    /* The first moment at which one of them has become too old, and enough with it. */
    for (uint32_t i = 0; i < GF_BLAME_KEPT; i++) {
        uint64_t ends = blame->deaths[i].ns + WINDOW_NS;
        if (blame->deaths[i].ns == 0 || blame->deaths[i].uid != uid || ends <= now_ns ||
            count(blame, uid, ends) >= most)
            continue;
        if (wait_ns == 0 || ends - now_ns < wait_ns)
            wait_ns = ends - now_ns;
    }
    return (wait_ns + GF_NS_PER_S - 1) / GF_NS_PER_S;
}
