/* SPDX-License-Identifier: MIT */
/* Services for every op: scratch memory, and whether to stop. Declared in cpu_ops.h. */
#include <string.h>

#include "cpu_ops.h"
#include "kernels/stop.h"

enum gf_status gf_cpu_scratch_get(const struct gf_cpu_call *call, uint64_t size, void **ret_data, struct gf_error *err)
{
    struct gf_cpu_scratch *scratch = call->scratch;
    if (scratch->size < size) {
        uint64_t rounded;
        free(scratch->data);
        *scratch = (struct gf_cpu_scratch){0};
        if (gf_align_u64(size, 64, &rounded) && rounded <= SIZE_MAX)
            scratch->data = aligned_alloc(64, (size_t)rounded);
        if (!scratch->data)
            return gf_error_no_memory(err, call->step->op->name, size);
        memset(scratch->data, 0, (size_t)rounded);
        scratch->size = (size_t)rounded;
    }
    *ret_data = scratch->data;
    return GF_OK;
}

/* Relaxed order is enough: no task reads another task's results, and the end of gf_cpu_pool_run() orders everything for
 * its caller. */
bool gf_cpu_stopped(struct gf_cpu_stop *stop)
{
    if (__atomic_load_n(&stop->reason, __ATOMIC_RELAXED) != GF_OK)
        return true;
    enum gf_status status = gf_stop_reason(stop->job, NULL);
    if (status != GF_OK)
        __atomic_store_n(&stop->reason, (uint32_t)status, __ATOMIC_RELAXED);
    return status != GF_OK;
}

enum gf_status gf_cpu_stop_error(const struct gf_cpu_call *call, const struct gf_cpu_stop *stop, struct gf_error *err)
{
    if (stop->reason == GF_OK)
        return GF_OK;
    return gf_error_set(err, (enum gf_status)stop->reason, "%s: %s", call->step->op->name,
                        stop->reason == GF_E_CANCELLED ? "cancelled while it ran" : "its deadline passed");
}
