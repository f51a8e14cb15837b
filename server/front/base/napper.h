/* SPDX-License-Identifier: MIT */
/* Keeps the front's processor awake while an answer of a worker is due soon, protocol/base/nap.h. Called by
 * dispatcher.c. */
#ifndef GF_FRONT_NAPPER_H
#define GF_FRONT_NAPPER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

struct gf_napper {
    uv_poll_t poll;
    int fd;  /* owned: a timer; -1: there is none, and nothing is kept awake */
    bool on; /* it runs */
    uint64_t until_ns;
};

/* The system may refuse a timer. */
void gf_napper_init(struct gf_napper *napper, uv_loop_t *loop);
/* An answer is expected in `ns` from now; one that comes in no time, or takes long, is waited for asleep. */
void gf_napper_expect(struct gf_napper *napper, uint64_t now_ns, uint64_t ns);
void gf_napper_close(struct gf_napper *napper);

#endif
