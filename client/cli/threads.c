/* SPDX-License-Identifier: MIT */
/* Starts and joins threads; called by the encoders. */
#include "threads.h"

#include <pthread.h>
#include <sched.h>

#define MAX_THREADS 64u

void gf_on_threads(uint32_t wanted, size_t most, void *(*work)(void *data), void *data)
{
    pthread_t threads[MAX_THREADS];
    cpu_set_t set;
    size_t n = 0, in_all = wanted;
    if (in_all == 0)
        in_all = sched_getaffinity(0, sizeof(set), &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
    while (n + 1 < in_all && n + 1 < most && n < MAX_THREADS && pthread_create(&threads[n], NULL, work, data) == 0)
        n++;
    work(data);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}
