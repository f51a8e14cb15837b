/* SPDX-License-Identifier: MIT */
/* What users hold of what they share; see shares.h. */
#include "shares.h"

#include "protocol/base/clock.h"

#define AWAY_NS (GF_JIT_AWAY_MS * GF_NS_PER_MS)

uint32_t gf_jit_shares_find(const struct gf_jit_shares *s, uint64_t id)
{
    uint32_t i = 0;
    while (i < GF_JIT_USERS && !(s->users[i].known && s->users[i].id == id))
        i++;
    return i;
}

uint32_t gf_jit_shares_place(const struct gf_jit_shares *s)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < GF_JIT_USERS; i++) {
        if (!s->users[i].known)
            return i;
        found = s->users[i].here_ns < s->users[found].here_ns ? i : found;
    }
    return found;
}

bool gf_jit_shares_is_away(const struct gf_jit_shares *s, uint32_t user, uint64_t now_ns)
{
    uint64_t here = s->users[user].here_ns;
    return user == GF_JIT_NOBODY || (now_ns > here && now_ns - here > AWAY_NS);
}

void gf_jit_shares_hold(struct gf_jit_shares *s, enum gf_jit_pool pool, uint32_t user, int32_t n)
{
    s->users[user].held[pool] += (uint32_t)n;
    s->held[pool] += (uint32_t)n;
}

uint32_t gf_jit_shares_rank(const struct gf_jit_shares *s, enum gf_jit_pool pool, uint32_t from, uint32_t to,
                            uint64_t now_ns)
{
    uint32_t held = s->users[from].held[pool];
    if (from == to)
        return held;
    if (gf_jit_shares_is_away(s, from, now_ns))
        return UINT32_MAX;
    return held > s->users[to].held[pool] + 1 ? held : 0;
}

uint32_t gf_jit_shares_spare(const struct gf_jit_shares *s, enum gf_jit_pool pool, uint32_t user, uint32_t n,
                             uint64_t now_ns)
{
    uint32_t spare = 0, level = s->users[user].held[pool] + n;
    for (uint32_t i = 0; i <= GF_JIT_NOBODY; i++) {
        uint32_t held = s->users[i].held[pool], least = gf_jit_shares_is_away(s, i, now_ns) ? 0 : level;
        spare += i != user && held > least ? held - least : 0;
    }
    return spare;
}
