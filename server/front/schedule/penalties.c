/* SPDX-License-Identifier: MIT */
/* Counts worker deaths per user; see penalties.h. */
#include "penalties.h"

#include <inttypes.h>

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

/* The index of the user's `nth` latest death, from 1 on; GF_PENALTIES_KEPT: there are fewer. */
static uint32_t latest(const struct gf_penalties *penalties, gf_user_id user, uint64_t nth)
{
    for (uint32_t back = 1; back <= GF_PENALTIES_KEPT; back++) {
        uint32_t i = (penalties->n - back) % GF_PENALTIES_KEPT;
        if (penalties->deaths[i].ns != 0 && penalties->deaths[i].user == user && --nth == 0)
            return i;
    }
    return GF_PENALTIES_KEPT;
}

uint64_t gf_penalties_wait_s(const struct gf_penalties *penalties, gf_user_id user, uint64_t limit, uint64_t now_ns)
{
    uint32_t i = penalties->n == 0 ? GF_PENALTIES_KEPT : latest(penalties, user, limit);
    if (i == GF_PENALTIES_KEPT || penalties->deaths[i].ns + WINDOW_NS <= now_ns)
        return 0;
    return (penalties->deaths[i].ns + WINDOW_NS - now_ns + GF_NS_PER_S - 1) / GF_NS_PER_S;
}

enum gf_status gf_penalties_check(const struct gf_penalties *penalties, const struct gf_account *account,
                                  uint64_t limit, uint64_t now_ns, struct gf_error *err)
{
    uint64_t wait_s = gf_penalties_wait_s(penalties, account->id, limit, now_ns);
    if (wait_s == 0)
        return GF_OK;
    char who[GF_WHO_TEXT];
    return gf_error_set(err, gf_user_is_named(account->owner) ? GF_E_SHUTDOWN : GF_E_QUOTA,
                        "requests of %s ended %" PRIu64
                        " worker%s in ten minutes, the limit (worker-deaths); further ones are refused for %" PRIu64
                        " s",
                        gf_quota_who(account->quota, account->id, who), limit, limit == 1 ? "" : "s", wait_s);
}

uint32_t gf_penalties_list(const struct gf_penalties *penalties, uint64_t limit, uint64_t now_ns,
                           struct gf_refused_user ret[GF_PENALTIES_KEPT])
{
    uint32_t n = 0;
    for (uint32_t i = 0; penalties->n > 0 && i < GF_PENALTIES_KEPT; i++) {
        gf_user_id user = penalties->deaths[i].user;
        if (latest(penalties, user, 1) != i)
            continue; /* empty, or not the user's latest */
        ret[n] = (struct gf_refused_user){user, gf_penalties_wait_s(penalties, user, limit, now_ns)};
        n += ret[n].wait_s > 0;
    }
    return n;
}

void gf_penalties_forgive(struct gf_penalties *penalties, gf_user_id user)
{
    for (uint32_t i = 0; i < GF_PENALTIES_KEPT; i++)
        if (penalties->deaths[i].user == user)
            penalties->deaths[i].ns = 0;
}
