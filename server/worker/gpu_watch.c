/* SPDX-License-Identifier: MIT */
/* The thread that asks the driver; see gpu_watch.h. It keeps the usual priority: the driver has locks that jobs need,
 * and a thread that holds one must not wait for a processor behind all others. */
#include "gpu_watch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "nvml.h"
#include "protocol/base/base.h"
#include "protocol/base/clock.h"
#include "say.h"

#define PATIENCE_NS (GF_NS_PER_S / 10)
#define FRAME_MAX 1024

struct gf_gpu_watch {
    int front;
    char uuid[GF_MAX_DEVICE_NAME + 1];
    pthread_t thread;
    pthread_mutex_t lock;   /* guards the rest */
    pthread_cond_t changed; /* signalled when any of it changes */
    uint64_t asked, told;   /* times; the answer `told` was read after the question with the same number */
    bool stop, ended;
};

/* Sends the figures. If the front has gone the job loop notices, and without memory for the message the front keeps its
 * old figures. */
static void tell(const struct gf_gpu_watch *w, const struct gf_gpu_figures *figures)
{
    uint8_t frame[FRAME_MAX];
    struct gf_writer writer;
    ssize_t n;
    gf_writer_init(&writer, frame, sizeof(frame));
    gf_gpu_encode(&writer, figures);
    if (!gf_writer_finish(&writer, GF_FRAME_WORKER_GPU, 0, 0, 0))
        return;
    do
        n = send(w->front, frame, writer.size, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
}

/* Waits for a question. Returns its number; 0: the thread shall end. */
static uint64_t next_question(struct gf_gpu_watch *w)
{
    pthread_mutex_lock(&w->lock);
    while (!w->stop && w->asked == w->told)
        pthread_cond_wait(&w->changed, &w->lock);
    const uint64_t question = w->stop ? 0 : w->asked;
    pthread_mutex_unlock(&w->lock);
    return question;
}

static void *watch_main(void *data)
{
    struct gf_gpu_watch *w = data;
    struct gf_nvml *nvml = NULL;
    bool tried = false;
    uint64_t question;
    while ((question = next_question(w)) != 0) {
        struct gf_gpu_figures figures = {.known = 0};
        struct gf_error err = {0};
        if (!tried && gf_nvml_open(w->uuid, &nvml, &err) != GF_OK)
            gf_worker_log("no figures of the GPU: %s", err.text);
        tried = true;
        if (nvml)
            gf_nvml_read(nvml, &figures);
        tell(w, &figures);
        pthread_mutex_lock(&w->lock);
        w->told = question;
        pthread_cond_broadcast(&w->changed);
        pthread_mutex_unlock(&w->lock);
    }
    gf_nvml_close(nvml);
    pthread_mutex_lock(&w->lock);
    w->ended = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void free_watch(struct gf_gpu_watch *w)
{
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

struct gf_gpu_watch *gf_gpu_watch_start(int front, const char *uuid)
{
    struct gf_gpu_watch *w = calloc(1, sizeof(*w));
    pthread_condattr_t monotonic;
    if (w == NULL)
        return NULL;
    w->front = front;
    memcpy(w->uuid, uuid, strnlen(uuid, GF_MAX_DEVICE_NAME));
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&w->thread, NULL, watch_main, w) == 0)
        return w;
    free_watch(w);
    return NULL;
}

/* Asks a question; the lock must be held. */
static void ask(struct gf_gpu_watch *w)
{
    w->asked++;
    pthread_cond_broadcast(&w->changed);
}

void gf_gpu_watch_ask(struct gf_gpu_watch *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    ask(w);
    pthread_mutex_unlock(&w->lock);
}

static struct timespec patience(void)
{
    const uint64_t until = gf_now_ns() + PATIENCE_NS;
    return (struct timespec){.tv_sec = (time_t)(until / GF_NS_PER_S), .tv_nsec = (long)(until % GF_NS_PER_S)};
}

void gf_gpu_watch_ask_last(struct gf_gpu_watch *w)
{
    if (w == NULL)
        return;
    const struct timespec until = patience();
    pthread_mutex_lock(&w->lock);
    ask(w);
    const uint64_t question = w->asked;
    while (w->told < question && pthread_cond_timedwait(&w->changed, &w->lock, &until) == 0)
        ;
    pthread_mutex_unlock(&w->lock);
}

void gf_gpu_watch_stop(struct gf_gpu_watch *w)
{
    if (w == NULL)
        return;
    const struct timespec until = patience();
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_cond_broadcast(&w->changed);
    while (!w->ended && pthread_cond_timedwait(&w->changed, &w->lock, &until) == 0)
        ;
    const bool ended = w->ended;
    pthread_mutex_unlock(&w->lock);
    if (!ended) {
        pthread_detach(w->thread);
        return;
    }
    pthread_join(w->thread, NULL);
    free_watch(w);
}
