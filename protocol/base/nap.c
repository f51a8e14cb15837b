/* SPDX-License-Identifier: MIT */
/* See nap.h. */
#include "nap.h"

#include <time.h>

/* What the system adds to the time of a thread's timers, prctl(2): PR_SET_TIMERSLACK. */
#define SLACK_NS INT64_C(50000)

bool gf_nap(struct pollfd *fd, int64_t expected_ns, int64_t limit_ns)
{
    const struct timespec nap = {.tv_nsec = (long)(GF_NAP_NS - SLACK_NS)};
    if (expected_ns < GF_SHORT_NS)
        return false;
    for (int64_t slept = 0; slept < GF_NAPS_NS && limit_ns - slept > GF_NAP_NS; slept += GF_NAP_NS)
        if (ppoll(fd, 1, &nap, NULL) != 0)
            return true;
    return false;
}
