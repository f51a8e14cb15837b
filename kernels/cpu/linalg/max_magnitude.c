/* SPDX-License-Identifier: MIT */
/* The search for the greatest magnitude of integers; see max_magnitude.h. */
#include "max_magnitude.h"

#include "kernels/cpu/simd/simd_samples.h"

#define BLOCK 512u /* elements loaded at a time */

struct search {
    const struct gf_cpu_call *call;
    const struct gf_buf *buf;
    uint32_t n_tasks;
    uint64_t max_magnitude; /* atomic */
};

static uint64_t max_magnitude_of(const struct search *search, uint64_t y, uint64_t x, size_t n)
{
    const struct gf_view *view = &search->buf->view;
    union gf_scan_value v[BLOCK];
    uint64_t max_magnitude = 0;
    const char *row = (const char *)search->buf->data + y * view->pitch;
    search->call->simd->samples->load_values(view->dtype, row + x * gf_dtype_size(view->dtype), 1, n, v);
    for (size_t i = 0; i < n; i++) {
        uint64_t magnitude = v[i].i < 0 ? 0 - v[i].u : v[i].u;
        max_magnitude = magnitude > max_magnitude ? magnitude : max_magnitude;
    }
    return max_magnitude;
}

/* Searches the blocks whose number is `task` modulo the number of tasks. */
static void search_task(void *context, uint32_t task, uint32_t slot)
{
    struct search *search = context;
    const struct gf_view *view = &search->buf->view;
    uint64_t samples = view->width * view->channels, across = (samples + BLOCK - 1) / BLOCK, max_magnitude = 0;
    (void)slot;
    for (uint64_t i = task; i < across * view->height; i += search->n_tasks) {
        uint64_t x = i % across * BLOCK, left = samples - x;
        uint64_t block = max_magnitude_of(search, i / across, x, left < BLOCK ? (size_t)left : BLOCK);
        max_magnitude = block > max_magnitude ? block : max_magnitude;
    }
    uint64_t known = __atomic_load_n(&search->max_magnitude, __ATOMIC_RELAXED);
    while (known < max_magnitude && !__atomic_compare_exchange_n(&search->max_magnitude, &known, max_magnitude, true,
                                                                 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

uint64_t gf_cpu_max_magnitude(const struct gf_cpu_call *call, const struct gf_buf *buf)
{
    struct search search = {.call = call, .buf = buf, .n_tasks = 4 * gf_cpu_pool_threads(call->pool)};
    gf_cpu_pool_run(call->pool, search_task, &search, search.n_tasks);
    return search.max_magnitude;
}
