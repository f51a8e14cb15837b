/* SPDX-License-Identifier: MIT */
/*
 * Keeps the front's processor awake while a worker's answer is imminent; see protocol/base/keep_awake.h. Called by
 * dispatcher.c.
 */
#ifndef GF_FRONT_AWAKE_TIMER_H
#define GF_FRONT_AWAKE_TIMER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct gf_awake_timer {
    uv_poll_t poll;
    int fd;  /* owned timer descriptor; -1: no timer, the processor is never kept awake */
    bool on; /* the timer runs */
    uint64_t until_ns;
};

/* Without a timer from the system, the other functions do nothing. */
void gf_awake_timer_init(struct gf_awake_timer *awake_timer, uv_loop_t *loop);
/* An answer is expected `ns` after now_ns. If `ns` is very short or long, the processor may sleep. */
void gf_awake_timer_expect(struct gf_awake_timer *awake_timer, uint64_t now_ns, uint64_t ns);
void gf_awake_timer_close(struct gf_awake_timer *awake_timer);

#endif
