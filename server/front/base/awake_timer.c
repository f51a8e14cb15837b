/* SPDX-License-Identifier: MIT */
/* A timer that only wakes the event loop; see awake_timer.h. uv_timer_t has a resolution of one millisecond, which is
 * too coarse. */
#include "awake_timer.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include "protocol/base/clock.h"
#include "protocol/base/keep_awake.h"

static void set(struct gf_awake_timer *n, bool on)
{
    const struct timespec period = {.tv_nsec = on ? (long)GF_KEEP_AWAKE_PERIOD_NS : 0};
    const struct itimerspec timer = {.it_interval = period, .it_value = period};
    n->on = timerfd_settime(n->fd, 0, &timer, NULL) == 0 && on;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct gf_awake_timer *n = poll->data;
    uint64_t times;
    (void)status, (void)events;
    if (read(n->fd, &times, sizeof(times)) > 0 && gf_now_ns() >= n->until_ns)
        set(n, false);
}

void gf_awake_timer_init(struct gf_awake_timer *n, uv_loop_t *loop)
{
    *n = (struct gf_awake_timer){.fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)};
    if (n->fd < 0)
        return;
    if (uv_poll_init(loop, &n->poll, n->fd) < 0) {
        close(n->fd);
        n->fd = -1;
        return;
    }
    n->poll.data = n;
    uv_poll_start(&n->poll, UV_READABLE, on_poll);
}

void gf_awake_timer_expect(struct gf_awake_timer *n, uint64_t now_ns, uint64_t ns)
{
    if (n->fd < 0 || ns < (uint64_t)GF_KEEP_AWAKE_PERIOD_NS || ns > (uint64_t)GF_KEEP_AWAKE_MAX_NS)
        return;
    uint64_t until = now_ns + 2 * ns; /* an estimate is often wrong by a factor of two */
    n->until_ns = until > n->until_ns ? until : n->until_ns;
    if (!n->on)
        set(n, true);
}

void gf_awake_timer_close(struct gf_awake_timer *n)
{
    if (n->fd < 0)
        return;
    uv_close((uv_handle_t *)&n->poll, NULL);
    close(n->fd);
}
