/* SPDX-License-Identifier: MIT */
/* Connections whose PROXY protocol header has not arrived yet; see proxied.h. */
#include "proxied.h"

#include <errno.h>
#include <string.h>

#include "protocol/base/clock.h"
#include "server/front/base/proxy_header.h"
#include "server/front/base/recv_fds.h"

struct gf_proxied {
    uv_poll_t poll;
    struct gf_sessions *all;
    struct gf_node node;
    struct gf_account *account; /* of the proxy, charged for closing the descriptors that it sends */
    struct gf_peer peer;        /* the proxy */
    uint64_t since_ns;
    int fd;
    bool polled;
    size_t size;
    uint8_t data[GF_PROXY_MAX_SIZE];
};

static struct gf_proxied *proxied_of(struct gf_node *node)
{
    return gf_container(node, struct gf_proxied, node);
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

/* Frees the state. The descriptor was passed on or closed. */
static void proxied_free(struct gf_proxied *p)
{
    gf_list_remove(&p->node);
    p->all->n_proxied--;
    p->all->n--;
    gf_account_unref(p->account);
    if (!p->polled) {
        free(p);
        return;
    }
    uv_poll_stop(&p->poll); /* so that the session can poll the same descriptor */
    uv_close((uv_handle_t *)&p->poll, on_closed);
}

static void refuse(struct gf_proxied *p, const struct gf_error *error)
{
    struct gf_sessions *all = p->all;
    gf_sessions_reject(all, p->fd, &p->peer, error);
    proxied_free(p);
    all->ended(all->data);
}

/* Receives the rest of the header. OK when it is complete, BUSY while more must arrive. */
static enum gf_status receive(struct gf_proxied *p, struct gf_error *err)
{
    for (;;) {
        size_t needed;
        enum gf_status status = gf_proxy_header_size(p->data, p->size, &needed, err);
        if (status != GF_OK || (p->size >= GF_PROXY_HEAD_SIZE && p->size == needed))
            return status;
        struct gf_received got;
        ssize_t n = gf_recv_fds(p->fd, p->data + p->size, needed - p->size, 0, &got);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return GF_E_BUSY;
        if (n < 0)
            return gf_error_set(err, GF_E_BAD_FRAME, "no PROXY protocol header: %s", strerror(errno));
        for (uint32_t i = 0; i < got.n_fds; i++) {
            if (gf_is_memory(got.fds[i]))
                gf_fd_closer_memory(p->all->closer, p->account, got.fds[i]);
            else
                gf_fd_closer_foreign(p->all->closer, p->account, got.fds[i]);
        }
        if (got.n_fds > 0 || got.fds_cut)
            return gf_error_set(err, GF_E_BAD_FRAME,
                                "a descriptor came with the PROXY protocol header, which carries none");
        if (n == 0)
            return gf_error_set(err, GF_E_BAD_FRAME, "the connection ended after %zu bytes of a PROXY protocol header",
                                p->size);
        p->size += (size_t)n;
    }
}

/* The client that the header names. */
static enum gf_status identify(struct gf_proxied *p, struct gf_peer *ret, struct gf_error *err)
{
    struct gf_proxy_header header;
    gf_user_id user, forgotten;
    *ret = p->peer;
    enum gf_status status = gf_proxy_header_decode(p->data, p->size, &header, err);
    if (status != GF_OK || header.local)
        return status;
    status = gf_user_named(p->all->names, header.name, header.name_size, &user, &forgotten, err);
    if (status != GF_OK)
        return status;
    if (forgotten != 0) {
        gf_metrics_forget(p->all->dispatcher->metrics, forgotten);
        gf_penalties_forgive(&p->all->dispatcher->penalties, forgotten);
    }
    ret->id = ret->owner = user;
    return GF_OK;
}

/* Continues with the header. False if more must arrive. */
static bool go_on(struct gf_proxied *p)
{
    struct gf_error error = {0};
    struct gf_peer peer;
    uint64_t begin = gf_now_ns();
    enum gf_status status = receive(p, &error);
    if (status == GF_E_BUSY)
        return false;
    if (status == GF_OK)
        status = identify(p, &peer, &error);
    if (status != GF_OK) {
        refuse(p, &error);
        return true;
    }
    struct gf_sessions *all = p->all;
    int fd = p->fd;
    proxied_free(p);
    uint32_t n = all->n;
    gf_sessions_admit(all, fd, &peer, begin);
    if (all->n == n)
        all->ended(all->data);
    return true;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct gf_proxied *p = poll->data;
    struct gf_error error = {0};
    (void)events;
    if (status < 0) {
        gf_error_set(&error, GF_E_BAD_FRAME, "no PROXY protocol header: %s", uv_strerror(status));
        refuse(p, &error);
    } else
        go_on(p);
}

void gf_proxied_accept(struct gf_sessions *all, int fd, const struct gf_peer *peer)
{
    struct gf_error error = {0};
    struct gf_proxied *p = NULL;
    if (all->n_proxied >= all->options->max_connections)
        gf_error_set(&error, GF_E_BUSY, "%u connections without a PROXY protocol header yet, the limit",
                     all->n_proxied);
    else {
        p = calloc(1, sizeof(*p));
        if (p)
            p->account = gf_account_new(all->quota, peer->id);
        if (!p || !p->account)
            gf_error_set(&error, GF_E_NO_MEMORY, "out of memory");
    }
    if (error.status != GF_OK) {
        gf_sessions_reject(all, fd, peer, &error);
        free(p);
        return;
    }
    p->all = all;
    p->peer = *peer;
    p->fd = fd;
    p->since_ns = gf_now_ns();
    p->account->owner = peer->owner;
    gf_list_push(&all->proxied, &p->node);
    all->n_proxied++;
    all->n++;
    if (go_on(p)) /* most often the header is already there */
        return;
    int rc = uv_poll_init(all->loop, &p->poll, fd);
    if (rc == 0) {
        p->polled = true;
        p->poll.data = p;
        rc = uv_poll_start(&p->poll, UV_READABLE, on_poll);
    }
    if (rc < 0) {
        gf_error_set(&error, GF_E_INTERNAL, "cannot poll a connection: %s", uv_strerror(rc));
        refuse(p, &error);
    }
}

void gf_proxied_check(struct gf_sessions *all, uint64_t now_ns)
{
    struct gf_error error = {0};
    gf_error_set(&error, GF_E_SLOW, "the PROXY protocol header did not arrive within %llu ms",
                 (unsigned long long)(all->limits.frame_ns / GF_NS_PER_MS));
    gf_list_each(it, after, &all->proxied) if (now_ns > proxied_of(it)->since_ns + all->limits.frame_ns)
        refuse(proxied_of(it), &error);
}

void gf_proxied_extend(struct gf_sessions *all, uint64_t ns, uint64_t now_ns)
{
    gf_list_each(it, after, &all->proxied)
    {
        uint64_t *since = &proxied_of(it)->since_ns;
        *since = *since + ns < now_ns ? *since + ns : now_ns;
    }
}

void gf_proxied_drain(struct gf_sessions *all)
{
    struct gf_error error = {0};
    gf_error_set(&error, GF_E_SHUTDOWN, "the server is shutting down");
    gf_list_each(it, after, &all->proxied) if (!go_on(proxied_of(it))) refuse(proxied_of(it), &error);
}

void gf_proxied_unexpected(const struct gf_sessions *all, gf_user_id owner, struct gf_error *ret)
{
    if (gf_user_is_named(owner) || (all->proxies && gf_uids_have(all->proxies, (uid_t)owner)))
        gf_error_set(ret, GF_E_BAD_FRAME, "a second PROXY protocol header after the proxy's");
    else
        gf_error_set(ret, GF_E_BAD_FRAME, "a PROXY protocol header from uid %u, which is not in proxy-users",
                     (unsigned)owner);
}
