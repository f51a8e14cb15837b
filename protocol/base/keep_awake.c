/* SPDX-License-Identifier: MIT */
/* Waits in short sleeps; see keep_awake.h. */
#include "keep_awake.h"

#include <time.h>

/* The slack that the kernel adds to a thread's timers by default, prctl(2): PR_SET_TIMERSLACK. */
#define SLACK_NS INT64_C(50000)

bool gf_keep_awake_poll(struct pollfd *fds, nfds_t n, int64_t expected_ns, int64_t limit_ns)
{
    const struct timespec sleep_ns = {.tv_nsec = (long)(GF_KEEP_AWAKE_PERIOD_NS - SLACK_NS)};
    if (expected_ns < GF_SHORT_NS)
        return false;
    for (int64_t slept = 0; slept < GF_KEEP_AWAKE_MAX_NS && limit_ns - slept > GF_KEEP_AWAKE_PERIOD_NS;
         slept += GF_KEEP_AWAKE_PERIOD_NS)
        if (ppoll(fds, n, &sleep_ns, NULL) != 0)
            return true;
    return false;
}
