/* SPDX-License-Identifier: MIT */
/*
 * A pool of threads, each with a client of its own, takes pictures from one queue. A client belongs to one thread at a
 * time, so that the threads need no lock for the library, and a blocking call of one of them delays no other. Prints
 * what the threads did and a checksum of the pictures. Usage: thread_pool [SOCKET]
 */
#include <gpufilter/ops.h>

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#define WIDTH 320
#define HEIGHT 240
#define PICTURES 60
#define THREADS 4

struct pool {
    const char *socket;
    atomic_uint next;     /* the first picture that no thread has taken */
    _Atomic uint64_t sum; /* of all pictures, in any order */
    atomic_bool failed;   /* the other threads stop, too */
};

static void fail(struct pool *pool, const gpufilter_error *err)
{
    fprintf(stderr, "thread_pool: %s: %s\n", gpufilter_status_name(err->status), err->text);
    pool->failed = true;
}

/* Filters one picture in memory that is shared with the daemon. The typed call takes its parameters as a struct. */
static int filter(gpufilter_client *client, unsigned picture, gpufilter_view *src, gpufilter_view *dst,
                  gpufilter_error *err)
{
    uint8_t *pixels = src->data;
    gpufilter_unsharp_params params = GPUFILTER_UNSHARP_INIT;
    gpufilter_call call = GPUFILTER_CALL_INIT;
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint8_t)((i + 1) * (picture + 1) * 2654435761u >> 24);
    params.sigma[0] = 1.5f;
    params.border = GPUFILTER_BORDER_REFLECT101;
    call.deadline_ms = 60000;
    return gpufilter_unsharp(client, src, dst, &params, &call, err);
}

static void work(struct pool *pool, gpufilter_client *client)
{
    gpufilter_error err;
    gpufilter_view src = gpufilter_tight_view(NULL, WIDTH, HEIGHT, GPUFILTER_U8, 1), dst = src;
    if (gpufilter_alloc(client, WIDTH * HEIGHT, &src.data, &err) != GPUFILTER_OK ||
        gpufilter_alloc(client, WIDTH * HEIGHT, &dst.data, &err) != GPUFILTER_OK) {
        fail(pool, &err);
        return;
    }
    for (unsigned picture; !pool->failed && (picture = pool->next++) < PICTURES;) {
        const uint8_t *sharp = dst.data;
        uint64_t sum = 0;
        if (filter(client, picture, &src, &dst, &err) != GPUFILTER_OK)
            fail(pool, &err);
        for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
            sum += (uint64_t)sharp[i] * (i % 251 + 1) * (picture + 1);
        pool->sum += sum;
    }
}

static void *run(void *context)
{
    struct pool *pool = context;
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_client *client = NULL;
    gpufilter_error err;
    options.socket = pool->socket;
    if (gpufilter_open(&options, &client, &err) == GPUFILTER_OK)
        work(pool, client);
    else
        fail(pool, &err);
    gpufilter_close(client); /* frees the memory, too */
    return NULL;
}

int main(int argc, char **argv)
{
    struct pool pool = {.socket = argc > 1 ? argv[1] : NULL};
    pthread_t threads[THREADS];
    unsigned n = 0;
    while (n < THREADS && pthread_create(&threads[n], NULL, run, &pool) == 0)
        n++;
    for (unsigned i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    if (n == 0 || pool.failed)
        return 1;
    printf("%016" PRIx64 " of %d pictures by %u threads\n", (uint64_t)pool.sum, PICTURES, n);
    return 0;
}
