/* SPDX-License-Identifier: MIT */
/* The two reasons to stop a job; see stop.h. */
#include "stop.h"

#include "protocol/base/clock.h"

enum gf_status gf_stop_reason(const struct gf_job *job, struct gf_error *err)
{
    if (job->alive && !__atomic_load_n(job->alive, __ATOMIC_RELAXED))
        __atomic_store_n(job->alive, true, __ATOMIC_RELAXED);
    if (job->cancel && __atomic_load_n(job->cancel, __ATOMIC_RELAXED))
        return gf_error_set(err, GF_E_CANCELLED, "cancelled");
    if (job->deadline_ns != 0 && gf_now_ns() >= job->deadline_ns)
        return gf_error_set(err, GF_E_DEADLINE, "the deadline passed while the request ran");
    return GF_OK;
}
