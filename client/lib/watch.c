/* SPDX-License-Identifier: MIT */
/* Keeps an epoll instance in step with the events that a client waits for. Called by client.c and run.c. */
#include "watch.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "client.h"
#include "protocol/base/shared_memory.h"

enum gf_status gf_watch_open(struct gf_watch *w, struct gf_error *err)
{
    struct epoll_event event = {.events = EPOLLIN};
    gf_cleanup(gf_closep) int epoll = gf_fd_raise(epoll_create1(EPOLL_CLOEXEC), GF_FIRST_FD);
    gf_cleanup(gf_closep) int timer =
        gf_fd_raise(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), GF_FIRST_FD);
    if (epoll < 0 || timer < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event) < 0)
        return gf_error_set(err, GF_E_RESOURCE_FDS, "cannot make a descriptor to wait on: %s", strerror(errno));
    *w = (struct gf_watch){.epoll = gf_steal_fd(&epoll), .timer = gf_steal_fd(&timer), .armed = INT64_MAX};
    return GF_OK;
}

void gf_watch_close(struct gf_watch *w)
{
    gf_closep(&w->epoll);
    gf_closep(&w->timer);
    *w = GF_WATCH_NULL;
}

/* Makes the timer fire at a time, not much earlier than needed. */
static void arm(struct gf_watch *w, int64_t due)
{
    bool fired = w->armed != INT64_MAX && w->armed <= gf_now();
    if (due == w->armed || (due > w->armed && !fired))
        return; /* an early event is harmless: the timer is then set again */
    struct itimerspec at = {.it_value = {.tv_sec = 0}};
    if (due != INT64_MAX)
        at.it_value = (struct timespec){.tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000)};
    timerfd_settime(w->timer, TFD_TIMER_ABSTIME, &at, NULL);
    w->armed = due;
}

void gf_watch_update(gpufilter_client *client)
{
    struct gf_watch *w = &client->watch;
    if (w->epoll < 0)
        return;
    arm(w, client->answered.first != NULL ? 1 : gf_client_due(client));
    gf_channel_watch(&client->channel, w->epoll);
}
