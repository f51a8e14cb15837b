/* SPDX-License-Identifier: MIT */
/* Memory that arrives while the processes that close descriptors are killed and not replaced yet. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "server/front/base/options.h"
#include "server/front/resource/fd_closer.h"
#include "tests/unit/unit.h"

#define LARGE (2 << 20) /* bytes; memory of this size is left to the processes */

/* A closer in a loop, two users, and what is done while the processes are lost. */
struct bench {
    struct gf_fd_closer *closer;
    uv_loop_t loop;
    uv_check_t check;
    void (*while_lost)(struct bench *b);
    int fds[GF_USER_CLOSING];
    struct gf_quota quota;
    struct gf_account *alice, *bob;
};

static void freed(void *data)
{
    UNUSED(data);
}

static const struct gf_fd_closer_ops ops = {.freed = freed};

static void bench_init(struct bench *b)
{
    struct gf_error error = {.text = ""};
    *b = (struct bench){0};
    b->quota.per_user[GF_RES_CLOSING] = b->quota.per_connection[GF_RES_CLOSING] = UINT64_MAX;
    assert_int_equal(gf_fd_closer_new(GF_MIN_FDS, &b->closer, &error), GF_OK);
    assert_int_equal(uv_loop_init(&b->loop), 0);
    assert_int_equal(gf_fd_closer_start(b->closer, &b->loop, &ops, NULL, &error), GF_OK);
    b->alice = gf_account_new(&b->quota, 1000);
    b->bob = gf_account_new(&b->quota, 1001);
    assert_non_null(b->alice);
    assert_non_null(b->bob);
}

static void bench_deinit(struct bench *b)
{
    gf_fd_closer_stop(b->closer);
    while (uv_run(&b->loop, UV_RUN_DEFAULT) != 0)
        ;
    assert_int_equal(uv_loop_close(&b->loop), 0);
    gf_fd_closer_free(b->closer);
    gf_account_unref(b->alice);
    gf_account_unref(b->bob);
}

/* Called in each turn of the loop before timers, which replace the processes. */
static void on_check(uv_check_t *check)
{
    struct bench *b = check->data;
    if (!gf_fd_closer_is_lost(b->closer))
        return;
    uv_close((uv_handle_t *)check, NULL);
    b->while_lost(b);
    b->while_lost = NULL;
}

/* Kills the process that this one started, and calls while_lost() when the closer knows. */
static void lose(struct bench *b, void (*while_lost)(struct bench *b))
{
    b->while_lost = while_lost;
    b->check.data = b;
    uv_check_init(&b->loop, &b->check);
    uv_check_start(&b->check, on_check);
    int pid = 0;
    FILE *children = fopen("/proc/thread-self/children", "re");
    assert_non_null(children);
    assert_int_equal(fscanf(children, "%d", &pid), 1);
    fclose(children);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while (b->while_lost)
        uv_run(&b->loop, UV_RUN_ONCE);
}

static int memory_new(size_t size)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(posix_fallocate(fd, 0, (off_t)size), 0);
    return fd;
}

static bool is_closed(int fd)
{
    return fcntl(fd, F_GETFD) < 0 && errno == EBADF;
}

/* Turns the loop until all descriptors are closed. */
static void await_closed(struct bench *b)
{
    for (uint32_t i = 0; i < GF_USER_CLOSING; i++)
        while (!is_closed(b->fds[i]))
            uv_run(&b->loop, UV_RUN_NOWAIT);
}

static void send_much(struct bench *b)
{
    for (uint32_t i = 0; i < GF_USER_CLOSING; i++) {
        assert_false(gf_fd_closer_full(b->closer, b->alice));
        b->fds[i] = memory_new(LARGE);
        gf_fd_closer_memory(b->closer, b->alice, b->fds[i]);
        assert_int_equal(b->alice->used[GF_RES_CLOSING], i + 1);
        assert_false(is_closed(b->fds[i]));
    }
    assert_int_equal(gf_fd_closer_waiting(b->closer), GF_USER_CLOSING);
    assert_true(gf_fd_closer_full(b->closer, b->alice));
    assert_false(gf_fd_closer_full(b->closer, b->bob));
}

static void memory_that_waits_is_charged_to_its_sender(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_init(&b);
    lose(&b, send_much);
    await_closed(&b);
    while (b.alice->used[GF_RES_CLOSING] > 0)
        uv_run(&b.loop, UV_RUN_ONCE);
    assert_int_equal(gf_fd_closer_waiting(b.closer), 0);
    bench_deinit(&b);
}

static void drop_much(struct bench *b)
{
    for (uint32_t i = 0; i < GF_USER_CLOSING; i++) {
        b->fds[i] = memory_new(LARGE);
        gf_fd_closer_memory(b->closer, NULL, b->fds[i]);
    }
    assert_int_equal(gf_fd_closer_waiting(b->closer), GF_USER_CLOSING);
    assert_int_equal(b->quota.used[GF_RES_CLOSING], 0);
}

/* The limit of arenas has bounded the memory of arenas, so that a user who drops arenas is served on. */
static void memory_of_arenas_waits_without_a_charge(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_init(&b);
    lose(&b, drop_much);
    await_closed(&b);
    bench_deinit(&b);
}

static void send_little(struct bench *b)
{
    int fd = memory_new(4096);
    gf_fd_closer_memory(b->closer, b->alice, fd);
    assert_true(is_closed(fd));
    assert_int_equal(b->alice->used[GF_RES_CLOSING], 0);
}

static void small_memory_does_not_wait(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_init(&b);
    lose(&b, send_little);
    bench_deinit(&b);
}

static void memory_that_does_not_wait_is_not_charged(void **state)
{
    UNUSED(state);
    struct bench b;
    bench_init(&b);
    for (uint32_t i = 0; i < GF_USER_CLOSING; i++) {
        b.fds[i] = memory_new(LARGE);
        gf_fd_closer_memory(b.closer, b.alice, b.fds[i]);
        assert_int_equal(b.alice->used[GF_RES_CLOSING], 0);
    }
    await_closed(&b);
    bench_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_waits_is_charged_to_its_sender),
        cmocka_unit_test(memory_of_arenas_waits_without_a_charge),
        cmocka_unit_test(small_memory_does_not_wait),
        cmocka_unit_test(memory_that_does_not_wait_is_not_charged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
