/* SPDX-License-Identifier: MIT */
/* Waits for events: polls often at first, then less often. Called by cuda_run.c, cuda_copies.c and cuda_upload.c. */
#include "cuda_wait.h"

#include <time.h>

#include "protocol/base/clock.h"

/* The next poll follows after this fraction of the time waited so far, which bounds the delay of noticing the end. The
 * pause is at least MIN_PAUSE_NS; from MIN_SLEEP_NS on the thread sleeps, at most MAX_SLEEP_NS. */
#define LOOK_FRACTION 64u
#define MIN_PAUSE_NS UINT64_C(1000)
#define MIN_SLEEP_NS UINT64_C(50000)
#define MAX_SLEEP_NS UINT64_C(1000000)

static void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void pause_ns(uint64_t now, uint64_t ns)
{
    if (ns >= MIN_SLEEP_NS) {
        (void)nanosleep(&(struct timespec){.tv_nsec = (long)(ns < MAX_SLEEP_NS ? ns : MAX_SLEEP_NS)}, NULL);
        return;
    }
    while (gf_now_ns() - now < (ns > MIN_PAUSE_NS ? ns : MIN_PAUSE_NS))
        relax();
}

cudaError_t gf_cuda_wait(cudaEvent_t event)
{
    uint64_t begin = gf_now_ns();
    cudaError_t error;
    while ((error = cudaEventQuery(event)) == cudaErrorNotReady) {
        (void)cudaGetLastError(); /* some runtimes keep the error, and a later launch would appear to have failed */
        uint64_t now = gf_now_ns();
        pause_ns(now, (now - begin) / LOOK_FRACTION);
    }
    return error;
}
