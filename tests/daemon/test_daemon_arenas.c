/* SPDX-License-Identifier: MIT */
/* Arenas are declared once, used by many requests, and dropped when no request uses them. Every kind of bad descriptor
 * is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "protocol/base/clock.h"
#include "tests/unit/unit.h"

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define SIZE 8192u

/* Operand in the arena at 0, result at `to`. */
static void arena_request(struct request *r, uint32_t arena, uint64_t to)
{
    request_init(r, 32, 32, "auto");
    r->program.operands[0].way = GF_WAY_ARENA;
    r->program.operands[0].id = arena;
    r->program.results[0].way = GF_WAY_ARENA;
    r->program.results[0].id = arena;
    r->program.results[0].offset = to;
    r->program.results[0].length = 32 * 32;
}

static void drop_send(int fd, uint64_t id, uint32_t arena)
{
    uint8_t frame[128];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = arena});
    send_frame(fd, &w, GF_FRAME_ARENA_DROP, id, NULL, 0, -1);
}

static void an_arena_serves_many_requests(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_open(&d), memfd = memfd_of(SIZE, SEALS);
    uint8_t *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memfd, 0);
    assert_true(map != MAP_FAILED);
    arena_send(fd, 2, 5, SIZE, memfd);
    for (uint64_t id = 3; id < 50; id++) { /* the arena may be named before its DONE has come */
        memset(map, (int)id, 1024);
        arena_request(&r, 5, 4096);
        request_send(&r, fd, id, 0);
        if (id == 3)
            expect_kind(fd, GF_FRAME_DONE, 2);
        expect_kind(fd, GF_FRAME_RESULT, id);
        for (int i = 0; i < 1024; i++)
            assert_int_equal(map[4096 + i], id + 1);
    }
    drop_send(fd, 60, 5);
    expect_kind(fd, GF_FRAME_DONE, 60);
    request_send(&r, fd, 61, 0);
    expect_error(fd, 61, GF_E_NO_SUCH_ARENA, "arena 5 was not declared");
    munmap(map, SIZE);
    close(memfd);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_drop_waits_for_requests(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d), memfd = memfd_of(SIZE, SEALS);
    arena_send(fd, 2, 5, SIZE, memfd);
    expect_kind(fd, GF_FRAME_DONE, 2);
    arena_request(&r, 5, 1024);
    request_send(&r, fd, 3, 0);
    uint64_t key = fake_expect(&cpu, "map");
    fake_expect(&cpu, "job");
    drop_send(fd, 4, 5);
    request_send(&r, fd, 5, 0);
    expect_error(fd, 5, GF_E_NO_SUCH_ARENA, "arena 5 is being dropped");
    arena_send(fd, 6, 5, SIZE, memfd);
    expect_error(fd, 6, GF_E_EXISTS, "arena 5 exists");
    fake_tell(&cpu, 'a');
    expect_kind(fd, GF_FRAME_RESULT, 3);
    expect_kind(fd, GF_FRAME_DONE, 4);
    assert_int_equal(fake_expect(&cpu, "unmap"), key);
    /* The arena's number is free again. A connection that ends releases its arenas. */
    arena_send(fd, 7, 5, SIZE, memfd);
    expect_kind(fd, GF_FRAME_DONE, 7);
    request_send(&r, fd, 8, 0);
    assert_int_equal(fake_expect(&cpu, "map"), key + 1);
    fake_expect(&cpu, "job");
    close(fd);
    fake_expect(&cpu, "cancel");
    fake_tell(&cpu, 'a');
    assert_int_equal(fake_expect(&cpu, "unmap"), key + 1);
    close(memfd);
    close(cpu.fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void regions_outside_or_overlapping_are_refused(void **state)
{
    UNUSED(state);
    struct daemon d;
    static struct request r;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    int fd = client_open(&d), memfd = memfd_of(SIZE, SEALS);
    arena_send(fd, 2, 5, SIZE, memfd);
    expect_kind(fd, GF_FRAME_DONE, 2);
    arena_request(&r, 5, SIZE - 1023);
    request_send(&r, fd, 3, 0);
    expect_error(fd, 3, GF_E_BAD_VIEW, "result 0: 1024 bytes at 7169 are outside arena 5 of 8192 bytes");
    arena_request(&r, 5, SIZE - 1024);
    request_send(&r, fd, 4, 0);
    expect_kind(fd, GF_FRAME_RESULT, 4);
    close(memfd);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static int sparse(void)
{
    int fd = memfd_create("sparse", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    assert_int_equal(ftruncate(fd, SIZE), 0);
    assert_int_equal(fcntl(fd, F_ADD_SEALS, SEALS), 0);
    return fd;
}

/* The same memfd, opened once more with these flags. */
static int reopened(int flags)
{
    char path[64];
    int fd = memfd_of(SIZE, SEALS);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int again = open(path, flags | O_CLOEXEC);
    assert_true(again >= 0);
    close(fd);
    return again;
}

static void bad_descriptors_are_refused_with_a_reason(void **state)
{
    UNUSED(state);
    struct daemon d;
    int pipes[2];
    daemon_start(&d, (const char *[]){"--devices", "cpu", "--arena-bytes", "1M", NULL});
    int fd = client_open(&d), before = fds_of(d.pid);
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    struct {
        int fd;
        const char *reason;
    } cases[] = {
        {memfd_of(SIZE, F_SEAL_SHRINK | F_SEAL_GROW), "SEAL is missing"},
        {memfd_of(SIZE, F_SEAL_GROW | F_SEAL_SEAL), "SHRINK is missing"},
        {memfd_of(SIZE, SEALS | F_SEAL_WRITE), "sealed against writing"},
        {memfd_of(SIZE, SEALS | F_SEAL_FUTURE_WRITE), "sealed against writing"},
        {memfd_of(SIZE - 1, SEALS), "the file has 8191 bytes, fewer than the 8192"},
        {sparse(), "only 0 of 8192 bytes are allocated"},
        {reopened(O_RDONLY), "open for reading only"},
        {reopened(O_WRONLY), "open for writing only"},
        {reopened(O_RDWR | O_APPEND), "O_APPEND"},
        {reopened(O_PATH), "O_PATH"},
        {open("/dev/null", O_RDWR | O_CLOEXEC), "must be a memfd"},
        {open("/proc/self/comm", O_RDWR | O_CLOEXEC), "memfd"},
        {open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC), "open for reading only"},
        {dup(pipes[0]), "open for reading only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(cases[i].fd >= 0);
        arena_send(fd, 10 + i, 1, SIZE, cases[i].fd);
        expect_error(fd, 10 + i, GF_E_BAD_ARENA, cases[i].reason);
        close(cases[i].fd);
    }
    arena_send(fd, 100, 1, SIZE, -1);
    expect_error(fd, 100, GF_E_NO_FD_PASSING, "no descriptor came with ARENA");
    int big = memfd_of((1 << 20) + 1, SEALS);
    arena_send(fd, 101, 1, (1 << 20) + 1, big);
    expect_error(fd, 101, GF_E_QUOTA, "exceed the limit of 1048576");
    close(big);
    const uint64_t end = gf_now_ns() + GF_WAIT_MS * GF_NS_PER_MS;
    for (uint64_t id = 102; fds_of(d.pid) > before && gf_now_ns() < end; id++) { /* closed after their answers */
        run_send(fd, id, 1);
        assert_int_equal(result_expect(fd, 1), id);
    }
    assert_in_range(fds_of(d.pid), 0, before); /* the descriptor of HELLO may have counted */
    close(pipes[0]);
    close(pipes[1]);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void without_descriptors_left_arenas_are_refused_and_nothing_ends(void **state)
{
    UNUSED(state);
    struct daemon d;
    enum { N = 16 };
    int fds[N], memfd = memfd_of(SIZE, SEALS);
    uint64_t id = 2;
    unsigned refused = 0;
    static struct reply reply;
    daemon_init(&d, false);
    d.nofile = 512; /* of which 192 are for clients */
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    for (int c = 0; c < N; c++)
        fds[c] = client_open(&d);
    for (uint32_t i = 0; i < 16 * N; i++) {
        arena_send(fds[i % N], ++id, i, SIZE, memfd);
        assert_true(receive(fds[i % N], &reply));
        assert_int_equal(reply.h.id, id);
        if (reply.h.kind == GF_FRAME_DONE)
            continue;
        struct gf_error error;
        uint32_t retry;
        assert_int_equal(gf_error_decode(reply.body, reply.h.body_len, &error, &retry, NULL), GF_OK);
        assert_int_equal(error.status, GF_E_RESOURCE_FDS);
        refused++;
    }
    assert_in_range(refused, 16 * N - 192, 16 * N - 128);
    for (int c = 0; c < N; c++) {
        run_send(fds[c], 2, 1);
        assert_int_equal(result_expect(fds[c], 1), 2);
        close(fds[c]);
    }
    int fd = client_open(&d); /* what they held is free again */
    arena_send(fd, 2, 1, SIZE, memfd);
    expect_kind(fd, GF_FRAME_DONE, 2);
    close(fd);
    close(memfd);
    assert_int_equal(daemon_stop(&d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_arena_serves_many_requests),
        cmocka_unit_test(a_drop_waits_for_requests),
        cmocka_unit_test(regions_outside_or_overlapping_are_refused),
        cmocka_unit_test(bad_descriptors_are_refused_with_a_reason),
        cmocka_unit_test(without_descriptors_left_arenas_are_refused_and_nothing_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
