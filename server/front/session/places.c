/* SPDX-License-Identifier: MIT */
/* Counts connections and admits onlookers; see places.h. */
#include "places.h"

#include "protocol/base/clock.h"
#include "server/front/base/log.h"

/* Charges the connection. Without `err` the connection is not refused, if it does not fit. */
static enum gf_status count(struct gf_session *s, struct gf_error *err)
{
    uint64_t n = s->all->quota->used[GF_RES_CONNECTIONS];
    if (n >= s->all->options->max_connections) {
        s->all->quota->refused[GF_RES_CONNECTIONS] += err != NULL;
        return gf_error_set(err, GF_E_BUSY, "the server already has %llu connections, the limit",
                            (unsigned long long)n);
    }
    return gf_charge_init(&s->charge, s->account, GF_RES_CONNECTIONS, 1, err);
}

/* Disconnects an onlooker in favour of a newer one. */
static void dismiss(struct gf_session *s)
{
    struct gf_error error = {0};
    gf_error_set(&error, GF_E_QUOTA, "this connection exceeded the limit and was replaced by a newer one");
    gf_list_remove(&s->onlooker);
    gf_session_send_error(s, 0, &error);
    gf_connection_finish(&s->connection);
    gf_connection_close(&s->connection); /* unread answers must not keep it open beyond the limit */
}

/* Whether the session may become an onlooker; may disconnect an older one. */
static bool make_way(const struct gf_session *s)
{
    struct gf_session *oldest = NULL;
    uint32_t n = 0;
    bool same = false;
    gf_list_each(it, after, &s->all->onlookers)
    {
        struct gf_session *other = gf_container(it, struct gf_session, onlooker);
        bool mine = other->account->user == s->account->user;
        if (mine || !oldest)
            oldest = other;
        same |= mine;
        n++;
        if (mine)
            break;
    }
    if (!same && n < GF_ONLOOKERS)
        return true;
    if (gf_now_ns() - oldest->opened_ns < GF_ONLOOKER_NS)
        return false;
    dismiss(oldest);
    return true;
}

enum gf_status gf_place_take(struct gf_session *s, struct gf_error *err)
{
    enum gf_status status = count(s, NULL);
    if (status == GF_OK)
        return GF_OK;
    if ((status != GF_E_QUOTA && status != GF_E_BUSY) || !make_way(s))
        return count(s, err);
    s->opened_ns = gf_now_ns();
    gf_list_push(&s->all->onlookers, &s->onlooker);
    return GF_OK;
}

bool gf_place_claim(struct gf_session *s, const struct gf_header *header)
{
    struct gf_error error = {0};
    if (header->kind == GF_FRAME_HELLO || header->kind == GF_FRAME_INFO || header->kind == GF_FRAME_PING ||
        header->kind == GF_FRAME_CANCEL)
        return true;
    enum gf_status status = count(s, &error);
    if (status == GF_OK) {
        gf_list_remove(&s->onlooker);
        return true;
    }
    gf_sessions_refused(s->all, &(struct gf_peer){s->account->id, s->account->owner, s->pid}, &error);
    gf_session_send_error(s, header->id, &error);
    gf_connection_finish(&s->connection);
    return false;
}

void gf_place_leave(struct gf_session *s)
{
    gf_list_remove(&s->onlooker);
}
