/* SPDX-License-Identifier: MIT */
/*
 * Copies large views from and to the caller's memory on several threads, made for each copy, because one core copies
 * more slowly than a device takes data. Called by placement.c.
 */
#include "copy.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

/* with less, the copy ends before another thread has started, see benchmarks.md */
#define BYTES_PER_THREAD (1ull << 20)
#define STACK (256u << 10) /* the least is 128 KiB on AArch64, and the program's thread-local data lies in it, too */

/* A range of the bytes of a view, counted along its rows without padding. */
struct part {
    uint8_t *to;
    const uint8_t *from;
    uint64_t row, to_pitch, from_pitch;
    uint64_t begin, end;
};

static void *copy_part(void *data)
{
    const struct part *p = data;
    for (uint64_t at = p->begin; at < p->end;) {
        uint64_t y = at / p->row, x = at % p->row, n = p->row - x < p->end - at ? p->row - x : p->end - at;
        memcpy(p->to + y * p->to_pitch + x, p->from + y * p->from_pitch + x, (size_t)n);
        at += n;
    }
    return NULL;
}

/* Starts a thread that takes none of the program's signals. */
static bool start(pthread_t *ret_thread, struct part *part)
{
    sigset_t all, before;
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return false;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_attr_setstacksize(&attributes, STACK) == 0 &&
                   pthread_create(ret_thread, &attributes, copy_part, part) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return started;
}

void gf_copy_rows_on(uint32_t n, void *to, const struct gf_view *to_view, const void *from,
                     const struct gf_view *from_view)
{
    uint64_t row = gf_view_row_bytes(from_view), bytes = row * from_view->height;
    struct part all = {.to = to, .from = from, .row = row, .to_pitch = to_view->pitch, .from_pitch = from_view->pitch};
    if (all.to_pitch == row && all.from_pitch == row)
        all.row = bytes;
    struct part parts[GF_COPY_THREADS];
    pthread_t threads[GF_COPY_THREADS];
    uint32_t started = 0;
    for (uint32_t i = 0; i < n; i++) {
        parts[i] = all;
        parts[i].begin = bytes / n * i;
        parts[i].end = i + 1 < n ? bytes / n * (i + 1) : bytes;
    }
    while (started + 1 < n && start(&threads[started], &parts[started]))
        started++;
    parts[n - 1].begin = parts[started].begin; /* the part for which no thread could be made */
    copy_part(&parts[n - 1]);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

void gf_copy_rows(void *to, const struct gf_view *to_view, const void *from, const struct gf_view *from_view)
{
    uint64_t n = gf_view_row_bytes(from_view) * from_view->height / BYTES_PER_THREAD;
    cpu_set_t set;
    if (n > 1) {
        uint64_t cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? (uint64_t)CPU_COUNT(&set) / 2 : 1;
        n = n < cores ? n : cores;
    }
    gf_copy_rows_on(n < 1 ? 1 : n < GF_COPY_THREADS ? (uint32_t)n : GF_COPY_THREADS, to, to_view, from, from_view);
}
