/* SPDX-License-Identifier: MIT */
/*
 * The threads of the CPU backend: a list of running works, whose tasks are claimed one by one. The caller of a work
 * takes part in it, so the work gets done even when all threads are busy elsewhere.
 */
#include "pool.h"

#include <pthread.h>
#include <signal.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

struct work {
    struct work *next;
    gf_cpu_task_fn *fn;
    void *context;
    uint32_t n_tasks;
    uint32_t next_task; /* atomic */
    uint32_t n_slots;   /* under the pool's mutex */
    uint32_t n_active;  /* pool threads inside this work; under the pool's mutex */
};

struct gf_cpu_pool {
    pthread_mutex_t mutex;
    pthread_cond_t wake; /* signals new work, or the end of the pool */
    pthread_cond_t idle; /* signals that the last pool thread has left a work */
    struct work *works;
    bool stop;
    uint32_t threads;   /* including the caller */
    uint32_t n_started; /* running threads, at the front of ids */
    pthread_t ids[];
};

static void take_tasks(struct work *w, uint32_t slot)
{
    uint32_t task;
    while ((task = __atomic_fetch_add(&w->next_task, 1, __ATOMIC_RELAXED)) < w->n_tasks)
        w->fn(w->context, task, slot);
#ifdef __SSE2__
    _mm_sfence(); /* tasks may use streaming stores, which no lock or flag orders */
#endif
}

/* A work with unclaimed tasks, or NULL. The caller holds the mutex. */
static struct work *find_work(struct gf_cpu_pool *pool)
{
    for (struct work *w = pool->works; w; w = w->next)
        if (__atomic_load_n(&w->next_task, __ATOMIC_RELAXED) < w->n_tasks)
            return w;
    return NULL;
}

static void *thread_main(void *arg)
{
    struct gf_cpu_pool *pool = arg;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->stop) {
        struct work *w = find_work(pool);
        if (!w) {
            pthread_cond_wait(&pool->wake, &pool->mutex);
            continue;
        }
        uint32_t slot = w->n_slots++;
        w->n_active++;
        pthread_mutex_unlock(&pool->mutex);
        take_tasks(w, slot);
        pthread_mutex_lock(&pool->mutex);
        if (--w->n_active == 0)
            pthread_cond_broadcast(&pool->idle);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

enum gf_status gf_cpu_pool_new(uint32_t threads, struct gf_cpu_pool **ret_pool, struct gf_error *err)
{
    struct gf_cpu_pool *pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->ids[0]));
    if (!pool)
        return gf_error_set(err, GF_E_NO_MEMORY, "no memory for a pool of %u threads", threads);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->idle, NULL);
    pool->threads = threads;

    /* Signals go to the process's main thread. SIGBUS stays unblocked: a thread raises it by its own access, and a
     * blocked SIGBUS would kill the process without running the handler. */
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = 0;
    while (!failed && pool->n_started + 1 < threads) {
        failed = pthread_create(&pool->ids[pool->n_started], NULL, thread_main, pool);
        if (!failed)
            pool->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) {
        uint32_t n = pool->n_started;
        gf_cpu_pool_free(pool);
        return gf_error_set(err, GF_E_NO_MEMORY, "only %u of %u threads could be started", n + 1, threads);
    }
    *ret_pool = pool;
    return GF_OK;
}

struct gf_cpu_pool *gf_cpu_pool_free(struct gf_cpu_pool *pool)
{
    if (!pool)
        return NULL;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->n_started; i++)
        pthread_join(pool->ids[i], NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    free(pool);
    return NULL;
}

uint32_t gf_cpu_pool_threads(const struct gf_cpu_pool *pool)
{
    return pool->threads;
}

void gf_cpu_pool_run(struct gf_cpu_pool *pool, gf_cpu_task_fn *fn, void *context, uint32_t n_tasks)
{
    struct work w = {.fn = fn, .context = context, .n_tasks = n_tasks, .n_slots = 1};
    if (n_tasks <= 1 || pool->n_started == 0) {
        take_tasks(&w, 0);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    struct work **end = &pool->works;
    while (*end)
        end = &(*end)->next;
    *end = &w;
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);

    take_tasks(&w, 0);

    pthread_mutex_lock(&pool->mutex);
    struct work **link = &pool->works;
    while (*link != &w)
        link = &(*link)->next;
    *link = w.next;
    while (w.n_active > 0)
        pthread_cond_wait(&pool->idle, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
