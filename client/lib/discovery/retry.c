/* SPDX-License-Identifier: MIT */
/* The pauses between connection attempts; see retry.h. Called by connect.c. */
#include "retry.h"

#include "protocol/base/clock.h"

#define MS ((int64_t)GF_NS_PER_MS)

void gf_retry_init(struct gf_retry *p, uint32_t connect_ms, uint32_t wait_ms)
{
    *p = (struct gf_retry){.connect_ns = connect_ms * MS, .wait_ns = wait_ms * MS};
}

int64_t gf_retry_begin(struct gf_retry *p, int64_t now)
{
    if (p->until == 0) {
        p->until = now + p->connect_ns;
        p->wait_until = now + p->wait_ns;
    }
    /* The last attempt gets a minimum of time, even if the caller was away for long. */
    int64_t least = now + (p->connect_ns < GF_PAUSE_MAX_MS * MS ? p->connect_ns : GF_PAUSE_MAX_MS * MS);
    return p->until > least ? p->until : least;
}

static void pause_more(struct gf_retry *p, int64_t now)
{
    p->pause = p->pause == 0 ? GF_PAUSE_MS * MS : 2 * p->pause;
    if (p->pause > GF_PAUSE_MAX_MS * MS)
        p->pause = GF_PAUSE_MAX_MS * MS;
    p->at = now + p->pause;
}

bool gf_retry_failed(struct gf_retry *p, int64_t now, enum gf_attempt how)
{
    pause_more(p, now);
    if (how != GF_ATTEMPT_REFUSED && now < p->wait_until) {
        if (p->at > p->wait_until)
            p->at = p->wait_until; /* the last attempt is made at the end of the wait */
        p->until = p->at + p->connect_ns;
        return true;
    }
    if (how == GF_ATTEMPT_CUT && p->at < p->until)
        return true;
    p->until = 0;
    return false;
}

void gf_retry_succeeded(struct gf_retry *p)
{
    p->until = 0;
    p->at = 0;
    if (p->n_useless == 0)
        p->pause = 0;
}

void gf_retry_reset(struct gf_retry *p)
{
    p->until = 0;
}

bool gf_retry_ended(struct gf_retry *p, int64_t now, bool useful)
{
    p->n_useless = useful ? 0 : p->n_useless + 1;
    if (useful) {
        p->pause = p->at = 0;
        return true;
    }
    pause_more(p, now);
    if (p->n_useless < GF_RETRY_MAX_USELESS)
        return true;
    p->n_useless = 0;
    return false;
}
