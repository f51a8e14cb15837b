/* SPDX-License-Identifier: MIT */
/* Starts and joins threads. Called by the image codecs and batches. */
#include "threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#define MAX_THREADS 64u

uint32_t gf_count_cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

void gf_on_threads(uint32_t wanted, size_t max, void *(*work)(void *data), void *data)
{
    pthread_t threads[MAX_THREADS];
    sigset_t all, before;
    size_t n = 0, in_all = wanted == 0 ? gf_count_cores() : wanted;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* the new threads take none of the program's signals */
    while (n + 1 < in_all && n + 1 < max && n < MAX_THREADS && pthread_create(&threads[n], NULL, work, data) == 0)
        n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    work(data);
    while (n > 0)
        pthread_join(threads[--n], NULL);
}
