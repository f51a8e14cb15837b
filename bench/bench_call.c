/* SPDX-License-Identifier: MIT */
/* The calls of a C program, for bench_python.py: in the same process and by the same client, alternating with Python's.
 */
#include <gpufilter/client.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Runs the program `n` times and stores the time of each run in nanoseconds. */
__attribute__((visibility("default"))) int bench_calls(gpufilter_client *client, const char *text,
                                                       const gpufilter_view *src, const gpufilter_result *dst,
                                                       uint32_t n, uint64_t *ret_ns);

int bench_calls(gpufilter_client *client, const char *text, const gpufilter_view *src, const gpufilter_result *dst,
                uint32_t n, uint64_t *ret_ns)
{
    for (uint32_t i = 0; i < n; i++) {
        gpufilter_result result = *dst;
        const uint64_t begin = now();
        const int status = gpufilter_run_text(client, text, src, 1, &result, 1, NULL, NULL);
        if (status != GPUFILTER_OK)
            return status;
        ret_ns[i] = now() - begin;
    }
    return GPUFILTER_OK;
}
