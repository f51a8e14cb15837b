/* SPDX-License-Identifier: MIT */
/* Listening sockets: binds, accepts, closes; see listener.h. */
#include "listener.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "server/front/base/log.h"

#define BACKLOG 512
#define RETRY_MS 100u
#define LOCK_TRIES 100 /* attempts to take the lock of a daemon that has ended */
#define LOCK_MS 10
#define CROWDED "too many descriptors are open"

/* Whether the daemon that took the lock has ended. Its closer processes hold the lock for a moment longer. */
static bool is_left(int lock)
{
    char text[16] = "";
    ssize_t n = pread(lock, text, sizeof(text) - 1, 0);
    int pid = n > 0 ? atoi(text) : 0;
    gf_cleanup(gf_closep) int pidfd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (pidfd < 0)
        return pid > 0 && errno == ESRCH;
    return poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0) == 1;
}

static bool try_lock(int fd)
{
    int tries = LOCK_TRIES;
    while (flock(fd, LOCK_EX | LOCK_NB) < 0)
        if (--tries == 0 || !is_left(fd))
            return false;
        else
            poll(NULL, 0, LOCK_MS);
    char text[16];
    int n = snprintf(text, sizeof(text), "%d\n", (int)getpid());
    /* If the pid cannot be written, a stale lock is taken for one that is held. */
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) < 0)
        gf_log(GF_LOG_DEBUG, "the lock file does not name its owner: %s", strerror(errno));
    return true;
}

/* Takes the lock of this socket's path; -1 and BUSY if another daemon holds it. */
static int take_lock(const char *path, struct gf_error *err)
{
    char name[128];
    snprintf(name, sizeof(name), "%s.lock", path);
    gf_cleanup(gf_closep) int fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) {
        gf_error_set(err, GF_E_START_FAILED, "cannot open %s: %s", name, strerror(errno));
        return -1;
    }
    if (!try_lock(fd)) {
        gf_error_set(err, GF_E_BUSY, "another gpufilterd serves %s (it holds %s)", path, name);
        return -1;
    }
    return gf_steal_fd(&fd);
}

/* Binds and listens under a temporary name, so that clients do not see the socket before it is ready. */
static int bind_as(const char *path, const char *temporary, int type, mode_t mode, struct gf_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, temporary, strlen(temporary) + 1);
    gf_cleanup(gf_closep) int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(temporary);
    mode_t old = umask(0177);
    int rc = fd < 0 ? -1 : bind(fd, (struct sockaddr *)&address, sizeof(address));
    umask(old);
    if (rc < 0 || chmod(temporary, mode) < 0 || listen(fd, BACKLOG) < 0 || rename(temporary, path) < 0) {
        gf_error_set(err, GF_E_START_FAILED, "cannot listen on %s: %s", path, strerror(errno));
        unlink(temporary);
        return -1;
    }
    return gf_steal_fd(&fd);
}

enum gf_status gf_listener_bind(struct gf_listener *l, const char *path, int type, mode_t mode, struct gf_error *err)
{
    char temporary[sizeof(l->path)];
    int n = snprintf(temporary, sizeof(temporary), "%s.new", path);
    if (n < 0 || (size_t)n >= sizeof(temporary))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "the socket's path has %zu bytes; allowed: up to %zu: %s",
                            strlen(path), sizeof(temporary) - sizeof(".new"), path);
    struct gf_error error = {0};
    struct stat st;
    gf_cleanup(gf_closep) int lock = take_lock(path, &error);
    gf_cleanup(gf_closep) int fd = lock < 0 ? -1 : bind_as(path, temporary, type, mode, &error);
    if (fd < 0)
        return gf_error_set(err, error.status, "%s", error.text);
    if (lstat(path, &st) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "%s disappeared: %s", path, strerror(errno));
    snprintf(l->path, sizeof(l->path), "%s", path);
    l->dev = st.st_dev;
    l->ino = st.st_ino;
    l->fd = gf_steal_fd(&fd);
    l->lock = gf_steal_fd(&lock);
    return GF_OK;
}

static int socket_option(int fd, int name)
{
    int value = -1;
    socklen_t size = sizeof(value);
    return getsockopt(fd, SOL_SOCKET, name, &value, &size) < 0 ? -1 : value;
}

enum gf_status gf_listener_adopt(struct gf_listener *l, int fd, int *ret_type, struct gf_error *err)
{
    *ret_type = socket_option(fd, SO_TYPE);
    if (socket_option(fd, SO_DOMAIN) != AF_UNIX || (*ret_type != SOCK_STREAM && *ret_type != SOCK_SEQPACKET) ||
        socket_option(fd, SO_ACCEPTCONN) != 1)
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "descriptor %d, passed for listening, must be a listening Unix stream socket, "
                            "or a listening Unix seqpacket socket for workers",
                            fd);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    l->fd = fd;
    return GF_OK;
}

static void on_timer(uv_timer_t *timer);

static void wait_for_room(struct gf_listener *l)
{
    gf_listener_pause(l);
    uv_timer_start(&l->timer, on_timer, RETRY_MS, 0);
}

static void try_later(struct gf_listener *l, const char *why)
{
    gf_log(GF_LOG_WARNING, "not accepting clients for now: %s", why);
    wait_for_room(l);
}

static void on_timer(uv_timer_t *timer)
{
    struct gf_listener *l = timer->data;
    /* The descriptor number that a client would get. */
    gf_cleanup(gf_closep) int next = fcntl(l->fd, F_DUPFD_CLOEXEC, 0);
    if (next < 0 || gf_fd_closer_is_short_of_fds(l->closer, next))
        wait_for_room(l); /* which was logged when it began */
    else
        gf_listener_resume(l);
}

/* False if no client waits, or no descriptor is left for one. */
static bool accept_one(struct gf_listener *l)
{
    int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)) {
        try_later(l, strerror(errno));
        return false;
    }
    if (fd < 0)
        return errno == EINTR || errno == ECONNABORTED;
    if (gf_fd_closer_is_short_of_fds(l->closer, fd))
        try_later(l, CROWDED);
    struct ucred peer = {.uid = (uid_t)-1, .gid = (gid_t)-1};
    socklen_t size = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        gf_fd_closer_socket(l->closer, NULL, fd);
    else
        l->accepted(l->data, fd, &peer);
    return true;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct gf_listener *l = poll->data;
    (void)events;
    if (status >= 0)
        gf_loop_queue_add(&l->entry);
}

/* Accepts clients until the turn is over; poll says if more are waiting. */
static void go(struct gf_loop_queue_entry *entry)
{
    struct gf_listener *l = gf_container(entry, struct gf_listener, entry);
    while (!l->paused && accept_one(l) && !gf_loop_queue_spent(entry->queue))
        ;
}

enum gf_status gf_listener_start(struct gf_listener *l, uv_loop_t *loop, struct gf_loop_queue *queue,
                                 gf_listener_accepted *accepted, void *data, struct gf_error *err)
{
    struct gf_loop_queue_user *nobody = gf_loop_queue_user_get(queue, GF_LOOP_NOBODY);
    if (!nobody)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    l->accepted = accepted;
    l->data = data;
    int rc = uv_poll_init(loop, &l->poll, l->fd);
    if (rc < 0) {
        gf_loop_queue_user_put(queue, nobody);
        return gf_error_set(err, GF_E_START_FAILED, "cannot poll the listening socket: %s", uv_strerror(rc));
    }
    gf_loop_queue_entry_init(&l->entry, queue, nobody, go);
    uv_timer_init(loop, &l->timer);
    l->poll.data = l->timer.data = l;
    l->started = true;
    uv_poll_start(&l->poll, UV_READABLE, on_poll);
    return GF_OK;
}

void gf_listener_pause(struct gf_listener *l)
{
    l->paused = true;
    if (!l->started)
        return;
    uv_poll_stop(&l->poll);
    gf_loop_queue_remove(&l->entry);
}

void gf_listener_resume(struct gf_listener *l)
{
    if (!l->paused || !l->started)
        return;
    l->paused = false;
    uv_timer_stop(&l->timer);
    uv_poll_start(&l->poll, UV_READABLE, on_poll);
}

static void on_closed(uv_handle_t *handle)
{
    struct gf_listener *l = handle->data;
    gf_fd_closer_listener(l->closer, gf_steal_fd(&l->fd));
}

void gf_listener_stop(struct gf_listener *l)
{
    struct stat st;
    bool ours = l->lock >= 0;
    if (ours && lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino)
        unlink(l->path);
    if (l->started) {
        /* The name is gone, so the accept queue no longer grows and everyone in it is served; a socket of systemd keeps
         * its queue. */
        while (ours && !l->paused && accept_one(l))
            ;
        uv_poll_stop(&l->poll);
        gf_loop_queue_remove(&l->entry);
        gf_loop_queue_user_put(l->entry.queue, l->entry.user);
        uv_close((uv_handle_t *)&l->poll, on_closed);
        uv_close((uv_handle_t *)&l->timer, NULL);
        l->started = false;
    } else if (l->fd >= 0) {
        close(l->fd);
        l->fd = -1;
    }
    gf_closep(&l->lock);
    l->lock = -1;
}
