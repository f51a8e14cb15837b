/* SPDX-License-Identifier: MIT */
/* Users whose requests are refused because they ended workers, and what administrators may do about it: ADMIN. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "protocol/base/text.h"
#include "protocol/wire/request.h"
#include "server/front/base/log.h"
#include "session.h"

bool gf_account_is_admin(const struct gf_account *account)
{
    return account->owner == 0 || account->owner == geteuid();
}

enum gf_status gf_session_check_service(const struct gf_session *s, struct gf_error *err)
{
    const struct gf_sessions *all = s->all;
    const struct gf_workers *ws = all->workers;
    enum gf_status status =
        gf_penalties_check(&all->dispatcher->penalties, s->account, all->options->worker_deaths, gf_now_ns(), err);
    if (status != GF_OK || !gf_user_is_named(s->account->owner) || gf_workers_serve(ws))
        return status;
    char states[GF_ERROR_TEXT] = "";
    gf_workers_tell_states(ws, states, sizeof(states));
    return gf_error_set(err, GF_E_SHUTDOWN, "no device takes requests: %s", states);
}

/* The users who are refused now. */
static uint32_t refused_users(const struct gf_sessions *all, struct gf_refused_user ret[GF_PENALTIES_KEPT])
{
    return gf_penalties_list(&all->dispatcher->penalties, all->options->worker_deaths, gf_now_ns(), ret);
}

void gf_session_tell_bans(const struct gf_session *s, char *text, size_t size)
{
    struct gf_refused_user refused[GF_PENALTIES_KEPT];
    uint32_t n = refused_users(s->all, refused);
    for (uint32_t i = 0; i < n; i++) {
        char who[GF_WHO_TEXT];
        if (refused[i].user == s->account->id || gf_account_is_admin(s->account))
            gf_text_append(text, size, "; requests of %s are refused for %" PRIu64 " s",
                           gf_quota_who(s->all->quota, refused[i].user, who), refused[i].wait_s);
    }
}

/* `wanted`: as gf_user_text writes a user. */
static enum gf_status unban(struct gf_sessions *all, const char *wanted, struct gf_error *err)
{
    struct gf_refused_user refused[GF_PENALTIES_KEPT];
    char text[GF_USER_TEXT];
    uint32_t n = refused_users(all, refused);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(gf_user_text(all->names, refused[i].user, text), wanted) != 0)
            continue;
        gf_penalties_forgive(&all->dispatcher->penalties, refused[i].user);
        return GF_OK;
    }
    return gf_error_set(err, GF_E_BAD_PARAM, "user %s is not refused; users refused at present: %" PRIu32, wanted, n);
}

enum gf_status gf_session_admin(struct gf_session *s, const struct gf_frame *frame, struct gf_error *err)
{
    struct gf_admin_request request;
    char wanted[GF_USER_TEXT], text[GF_USER_TEXT];
    enum gf_status status = gf_admin_request_decode(frame->body, frame->header.body_len, &request, err);
    if (status == GF_OK && !gf_account_is_admin(s->account))
        status = gf_error_set(err, GF_E_NOT_PERMITTED, "only root and the daemon's own user may send ADMIN");
    if (status != GF_OK)
        return status;
    if (request.name[0] != '\0')
        snprintf(wanted, sizeof(wanted), "CN=%s", request.name);
    else
        snprintf(wanted, sizeof(wanted), "%" PRIu64, request.user);
    status = unban(s->all, wanted, err);
    if (status != GF_OK)
        return status;
    gf_log(GF_LOG_NOTICE, "requests of a user accepted again: by=%s uid=%s",
           gf_user_text(s->all->names, s->account->owner, text), wanted);
    gf_session_send_empty(s, GF_FRAME_DONE, frame->header.id);
    return GF_OK;
}
