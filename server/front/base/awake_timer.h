/* SPDX-License-Identifier: MIT */
/*
 * Keeps the front's processor awake while a worker's answer is imminent, protocol/base/keep_awake.h. Called by
 * dispatcher.c.
 */
#ifndef GF_FRONT_AWAKE_TIMER_H
#define GF_FRONT_AWAKE_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct gf_awake_timer {
    uv_poll_t poll;
    int fd;  /* owned: a timer; -1: there is none, and nothing is kept awake */
    bool on; /* it runs */
    uint64_t until_ns;
};

/* The system may refuse a timer. */
void gf_awake_timer_init(struct gf_awake_timer *awake_timer, uv_loop_t *loop);
/* An answer is expected in `ns` from now; one that comes in no time, or takes long, is waited for asleep. */
void gf_awake_timer_expect(struct gf_awake_timer *awake_timer, uint64_t now_ns, uint64_t ns);
void gf_awake_timer_close(struct gf_awake_timer *awake_timer);

#endif
