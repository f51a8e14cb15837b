/* SPDX-License-Identifier: MIT */
/* Runs clients concurrently, one thread each. Called by bench_latency.c and bench_load.c. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "client/cli/base/cli.h"
#include "client/cli/base/exit_code.h"
#include "client/cli/daemon/metrics.h"
#include "protocol/base/clock.h"

#define WARM_RUNS 5u   /* a device uses memory at full speed from its second use on */
#define WARM_SHARE 0.1 /* of the measuring time */
#define MIN_RUNS 3u

static atomic_bool g_stop; /* lock-free, so that a signal handler may set it */

struct group {
    uint32_t n;
    uint64_t warm_ns, length_ns;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t n_warm;    /* under the lock: clients that have warmed up */
    bool go;            /* under the lock: all clients have warmed up, or the run has been given up */
    atomic_bool failed; /* a client has failed, which ends the whole group */
};

struct load_client {
    struct group *group;
    struct gf_bench_client *client;
    pthread_t thread;
};

void gf_bench_stop(void)
{
    atomic_store(&g_stop, true);
}

bool gf_bench_stopped(void)
{
    return atomic_load(&g_stop);
}

/* Repeats requests until the time `until`, but at least `min_runs` times, unless a signal or a failure ends the run. */
static void repeat(struct group *g, struct gf_bench_client *c, uint64_t until, uint32_t min_runs, bool keep)
{
    for (uint32_t i = 0; i < min_runs || gf_now_ns() < until; i += i < min_runs) {
        if (gf_bench_stopped() || atomic_load(&g->failed))
            return;
        if (!gf_bench_client_once(c, keep))
            atomic_store(&g->failed, true);
    }
}

/* Waits until all clients have warmed up. */
static void wait_for_all(struct group *g)
{
    pthread_mutex_lock(&g->lock);
    if (++g->n_warm == g->n) {
        g->go = true;
        pthread_cond_broadcast(&g->changed);
    }
    while (!g->go)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

static void *load_client_main(void *arg)
{
    struct load_client *s = arg;
    struct group *g = s->group;
    repeat(g, s->client, gf_now_ns() + g->warm_ns, WARM_RUNS, false);
    wait_for_all(g);
    uint64_t start = gf_now_ns();
    repeat(g, s->client, start + g->length_ns, MIN_RUNS, true);
    s->client->busy_ns = gf_now_ns() - start;
    return NULL;
}

/* Releases the threads that wait for a client whose thread could not be started. */
static void give_up(struct group *g)
{
    atomic_store(&g->failed, true);
    pthread_mutex_lock(&g->lock);
    g->go = true;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/* Runs one thread per client to its end. False if a thread could not be started. */
static bool run_threads(struct group *g, struct gf_bench_client *clients)
{
    struct load_client load_clients[GF_BENCH_CLIENTS];
    uint32_t started = 0;
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    for (bool good = true; started < g->n && good; started += good) {
        load_clients[started] = (struct load_client){.group = g, .client = &clients[started]};
        good = pthread_create(&load_clients[started].thread, NULL, load_client_main, &load_clients[started]) == 0;
    }
    if (started < g->n)
        give_up(g);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(load_clients[i].thread, NULL);
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->lock);
    return started == g->n;
}

/* Records the first error, which has already been reported. */
static int fail(struct gf_bench *b, int code, const char *text)
{
    if (code != GF_EXIT_OK && !b->error[0])
        snprintf(b->error, sizeof(b->error), "%s", text);
    return code;
}

/* Reports the error of the first client that failed. */
static int check(struct gf_bench *b, const struct gf_bench_client *clients, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (clients[i].failed)
            return fail(b, gf_cli_fail_client(&b->cli, &clients[i].err), clients[i].err.text);
    return GF_EXIT_OK;
}

/* Processor time of the daemon's front so far; 0 if the daemon does not report it. */
static uint64_t front_ns(struct gf_bench_client *c)
{
    gf_cleanup(gf_metrics_list_deinit) struct gf_metrics_list list = {.rows = NULL};
    gpufilter_error err;
    if (!gf_metrics_fetch(c->client, &list, &err))
        return 0;
    for (uint32_t i = 0; i < list.n; i++)
        if (strcmp(list.rows[i].name, "gpufilter_front_cpu_seconds_total") == 0)
            return (uint64_t)(list.rows[i].value * 1e9);
    return 0;
}

/* Runs the clients and derives the front's processor time per request. */
static bool run_all(struct group *g, struct gf_bench_client *clients)
{
    uint64_t before = front_ns(&clients[0]), n = 0;
    bool good = run_threads(g, clients);
    for (uint32_t i = 0; i < g->n; i++)
        n += clients[i].n_all;
    uint64_t after = good && before > 0 && n > 0 ? front_ns(&clients[0]) : 0;
    for (uint32_t i = 0; i < g->n; i++)
        clients[i].front_ns = after > before ? (after - before) / n : 0;
    return good;
}

int gf_bench_group_run(struct gf_bench *b, const struct gf_bench_work *works, uint32_t n,
                       struct gf_bench_client **ret_clients)
{
    struct gf_bench_client *clients = *ret_clients = calloc(n, sizeof(*clients));
    struct group group = {
        .n = n, .warm_ns = (uint64_t)(b->seconds * WARM_SHARE * 1e9), .length_ns = (uint64_t)(b->seconds * 1e9)};
    int code = clients ? GF_EXIT_OK : fail(b, gf_cli_fail(&b->cli, GF_EXIT_SOFTWARE, "out of memory"), "out of memory");
    for (uint32_t i = 0; i < n && code == GF_EXIT_OK; i++) {
        code = gf_bench_client_open(&b->cli, &works[i], &clients[i]);
        fail(b, code, clients[i].err.text[0] ? clients[i].err.text : "a client cannot connect");
    }
    if (code == GF_EXIT_OK && !run_all(&group, clients))
        code = fail(b, gf_cli_fail(&b->cli, GF_EXIT_SOFTWARE, "%u threads cannot be started", n), "no threads");
    if (code == GF_EXIT_OK)
        code = check(b, clients, n);
    for (uint32_t i = 0; i < n && clients; i++) {
        gf_bench_client_close(&clients[i]);
        gf_samples_sort(&clients[i].samples);
    }
    return code;
}

void gf_bench_group_deinit(struct gf_bench_client **clients, uint32_t n)
{
    for (uint32_t i = 0; i < n && *clients; i++)
        gf_samples_deinit(&(*clients)[i].samples);
    free(*clients);
    *clients = NULL;
}
