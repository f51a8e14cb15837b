/* SPDX-License-Identifier: MIT */
/* Memory of the library: results on operands, what goes back to the system, and GPUFILTER_DEBUG. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/include/gpufilter/ops.h"
#include "client/lib/client.h"
#include "submit_fixture.h"
#include "tests/support/resources.h"

#define SMALL 64 /* side of a picture that always goes inline */
#define LARGE 300

static gpufilter_client *begin(struct submit_fixture *f, fake_answer *run, unsigned times)
{
    f->server->misbehave = times;
    submit_begin(f, run);
    return f->client;
}

static gpufilter_view square(void *data, uint64_t side)
{
    return gpufilter_tight_view(data, side, side, GPUFILTER_U8, 1);
}

static uint8_t sample(uint64_t i)
{
    return (uint8_t)(7 * i + i / 251);
}

/* The fake daemon adds 1 to every sample. `dst` begins `shift` bytes from `src`, in the same block. */
static void run_on_itself(gpufilter_client *client, uint8_t *src, int64_t shift, uint64_t side)
{
    const uint64_t n = side * side;
    for (uint64_t i = 0; i < n; i++)
        src[i] = sample(i);
    gpufilter_view in = square(src, side), out = square(src + shift, side);
    OK(gpufilter_copy(client, &in, &out, NULL, NULL, &g_err));
    for (uint64_t i = 0; i < n; i++)
        assert_int_equal(src[shift + (int64_t)i], (uint8_t)(sample(i) + 1));
    for (int64_t i = 0; i < (int64_t)n; i++) /* the rest of the operand is as it was */
        if (i < shift || i >= shift + (int64_t)n)
            assert_int_equal(src[i], sample((uint64_t)i));
}

static void a_result_may_overlap_operands(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_client *client = begin(f, NULL, 0);
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t side = i == 0 ? SMALL : LARGE;
        const int64_t shifts[] = {0, 1, -1, 100, -100, (int64_t)(side * side) - 1};
        void *data = NULL;
        OK(gpufilter_alloc(client, 3 * side * side, &data, &g_err));
        uint8_t *plain = malloc(3 * side * side);
        for (size_t k = 0; k < GF_ARRAY_LEN(shifts); k++) {
            run_on_itself(client, (uint8_t *)data + side * side, shifts[k], side);
            assert_int_equal(f->server->arena_operands, 1);
            assert_int_equal(i == 0 ? f->server->inline_results : f->server->arena_results, 1);
            OK(gpufilter_last_times(client, &times, &g_err));
            assert_int_equal(times.n_copied, 1);
            run_on_itself(client, plain + side * side, shifts[k], side);
        }
        /* The next sample is another's. */
        run_on_itself(client, (uint8_t *)data + side * side, (int64_t)(side * side), side);
        OK(gpufilter_last_times(client, &times, &g_err));
        assert_int_equal(times.n_copied, 0);
        gpufilter_free(client, data);
        free(plain);
    }
}

/* Both halves of one picture: no sample is shared, but the rows interleave. */
static void halves_of_a_picture_are_apart(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_client *client = begin(f, NULL, 0);
    void *data = NULL;
    OK(gpufilter_alloc(client, 256 * 256, &data, &g_err));
    uint8_t *left = data, *right = left + 128;
    for (unsigned i = 0; i < 256 * 256; i++)
        left[i] = (uint8_t)(i % 256);
    gpufilter_view in = {.data = left, .width = 128, .height = 256, .pitch = 256, .dtype = GPUFILTER_U8, .channels = 1};
    gpufilter_view out = in;
    out.data = right;
    OK(gpufilter_copy(client, &in, &out, NULL, NULL, &g_err));
    for (unsigned i = 0; i < 256 * 256; i++)
        assert_int_equal(left[i], i % 256 < 128 ? i % 256 : i % 256 - 128 + 1);
    gpufilter_free(client, data);
}

static void results_must_not_overlap_each_other(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_client *client = begin(f, NULL, 0);
    void *data = NULL;
    uint8_t src[SMALL * SMALL], plain[2 * SMALL * SMALL];
    memset(src, 1, sizeof(src));
    OK(gpufilter_alloc(client, sizeof(plain), &data, &g_err));
    gpufilter_view in = square(src, SMALL);
    gpufilter_result results[2] = {{.view = square(data, SMALL)}, {.view = square((uint8_t *)data + 4095, SMALL)}};
    assert_int_equal(gpufilter_run_text(client, "copy", &in, 1, results, 2, NULL, &g_err), GPUFILTER_E_OVERLAP);
    assert_string_equal(g_err.text, "result 1 overlaps result 0 in the same memory of gpufilter_alloc");
    assert_int_equal(gpufilter_submit_text(client, "copy", &in, 1, results, 2, NULL, NULL, NULL, &g_err),
                     GPUFILTER_E_OVERLAP);
    in = results[0].view; /* in place as well */
    assert_int_equal(gpufilter_run_text(client, "copy", &in, 1, results, 2, NULL, &g_err), GPUFILTER_E_OVERLAP);
    assert_int_equal(f->server->n_runs, 0);
    results[1].view.data = (uint8_t *)data + 4096;
    OK(gpufilter_run_text(client, "copy", &in, 1, results, 2, NULL, &g_err));
    /* Of the caller's own memory the library knows nothing. */
    results[0].view.data = plain;
    results[1].view.data = plain + 4095;
    OK(gpufilter_run_text(client, "copy", &in, 1, results, 2, NULL, &g_err));
    gpufilter_free(client, data);
}

/* Three quarters of the answer, then the end of the connection. */
static void answer_partly(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    static uint8_t bytes[64 << 10];
    int pair[2], fd = s->fd;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    s->fd = pair[0];
    fake_run(s, h, NULL);
    s->fd = fd;
    close(pair[0]);
    size_t size = 0;
    for (ssize_t n; (n = read(pair[1], bytes + size, sizeof(bytes) - size)) > 0;)
        size += (size_t)n;
    close(pair[1]);
    fake_send_bytes(s, bytes, size - s->program.payload_out / 4);
    *ret_close = true;
}

/* A request that is sent again reads what its operand was, not what had arrived of its first answer. */
static void an_answer_cut_short_leaves_the_operand(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_client *client = begin(f, answer_partly, 1);
    void *data = NULL;
    uint8_t plain[SMALL * SMALL];
    run_on_itself(client, plain, 0, SMALL);
    assert_int_equal(f->server->n_runs, 2);
    f->server->misbehave = 3;
    OK(gpufilter_alloc(client, SMALL * SMALL, &data, &g_err));
    run_on_itself(client, data, 0, SMALL);
    assert_int_equal(f->server->n_runs, 4);
    gpufilter_free(client, data);
}

static void shared_memory_goes_back_to_the_system(void **state)
{
    struct submit_fixture *f = *state;
    gpufilter_client *client = begin(f, NULL, 0);
    uint8_t *plain = malloc(LARGE * LARGE * 4);
    void *data[3];
    memset(plain, 5, LARGE * LARGE * 4);
    for (unsigned i = 0; i < 3; i++)
        OK(gpufilter_alloc(client, 4ull << 20 << i, &data[i], &g_err)); /* an arena each */
    gpufilter_view in = square(data[0], SMALL), out = square(data[1], SMALL);
    OK(gpufilter_copy(client, &in, &out, NULL, NULL, &g_err));
    assert_int_equal(f->server->n_arenas, 2);
    for (unsigned i = 0; i < 3; i++)
        OK(gpufilter_free(client, data[i]));
    assert_int_equal(client->memory.arena_bytes, 12 << 20); /* what the request used */
    in = square(plain, 2 * LARGE);
    for (unsigned i = 0; i < 2; i++) { /* the second goes through arenas */
        out = square(plain, 2 * LARGE);
        OK(gpufilter_copy(client, &in, &out, NULL, NULL, &g_err));
    }
    assert_int_equal(f->server->arena_operands, 1);
    for (unsigned i = 0; i < 64; i++) {
        in = out = square(plain, SMALL);
        OK(gpufilter_copy(client, &in, &out, NULL, NULL, &g_err));
    }
    OK(gpufilter_ping(client, NULL, &g_err));
    assert_int_equal(client->memory.arena_bytes, 0);
    assert_int_equal(client->n_releases, 0);
    assert_int_equal(f->server->n_drops, f->server->n_arenas);
    free(plain);
}

/* Whether the process may read and write this byte. */
static bool accessible(const void *at)
{
    unsigned long begin, end;
    char rights[8], line[512];
    bool can = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps) != NULL)
        if (sscanf(line, "%lx-%lx %7s", &begin, &end, rights) == 3 && (uintptr_t)at >= begin && (uintptr_t)at < end)
            can = strncmp(rights, "rw", 2) == 0;
    fclose(maps);
    return can;
}

static void with_debug_blocks_are_guarded(void **state)
{
    struct submit_fixture *f = *state;
    setenv("GPUFILTER_DEBUG", "1", 1);
    gpufilter_client *client = begin(f, NULL, 0);
    unsetenv("GPUFILTER_DEBUG");
    uint8_t src[SMALL * SMALL];
    void *a = NULL, *b = NULL, *c = NULL;
    OK(gpufilter_alloc(client, 8192, &a, &g_err));
    OK(gpufilter_alloc(client, 8192, &b, &g_err));
    assert_ptr_equal((uint8_t *)b - (uint8_t *)a, 12288);
    memset(a, 3, 8192);
    memset(b, 4, 8192);
    assert_true(accessible((uint8_t *)a + 8191));
    assert_false(accessible((uint8_t *)a + 8192));
    assert_false(accessible((uint8_t *)b - 1));
    assert_true(accessible(b));
    run_on_itself(client, a, 0, SMALL);
    /* What the daemon still sees of freed memory is poison. */
    const struct gf_arena *arena = client->memory.arenas;
    OK(gpufilter_free(client, a));
    assert_false(accessible(a));
    assert_int_equal(gpufilter_free(client, a), GPUFILTER_E_BAD_ARGUMENT);
    OK(gpufilter_ping(client, NULL, &g_err));
    for (unsigned i = 0; i < 8192; i++)
        assert_int_equal(f->server->arenas[arena->id % 8].base[i], 0xDB);
    OK(gpufilter_alloc(client, 8192, &c, &g_err));
    assert_ptr_equal((uint8_t *)c - (uint8_t *)b, 12288);
    OK(gpufilter_free(client, b));
    OK(gpufilter_free(client, c));
    assert_int_equal(client->memory.n_arenas, 0);
    assert_false(accessible(a));
    assert_false(accessible(c));
    /* A small result is ordinary memory. */
    memset(src, 1, sizeof(src));
    gpufilter_view in = square(src, SMALL), out = {.data = NULL};
    OK(gpufilter_copy(client, &in, &out, NULL, NULL, &g_err));
    assert_true(accessible((uint8_t *)out.data + SMALL * SMALL - 1));
    assert_false(accessible((uint8_t *)out.data + SMALL * SMALL));
    OK(gpufilter_free(client, out.data));
    assert_false(accessible(out.data));
}

static void end(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    (void)s, (void)h;
    *ret_close = true;
}

static void with_debug_reconnections_are_told(void **state)
{
    struct submit_fixture *f = *state;
    char text[1024] = "", wanted[1024];
    gpufilter_client *none = NULL;
    int kept = dup(STDERR_FILENO);
    FILE *file = tmpfile();
    setenv("GPUFILTER_DEBUG", "2", 1);
    assert_int_equal(gpufilter_open(NULL, &none, &g_err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(g_err.text, "GPUFILTER_DEBUG=2; allowed: 0 and 1");
    setenv("GPUFILTER_DEBUG", "1", 1);
    gpufilter_client *client = begin(f, end, 2);
    unsetenv("GPUFILTER_DEBUG");
    uint8_t src[SMALL * SMALL];
    dup2(fileno(file), STDERR_FILENO);
    run_on_itself(client, src, 0, SMALL);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    snprintf(wanted, sizeof(wanted),
             "gpufilter: connection 1 to %s ended: the daemon ended the connection without an answer; reconnecting "
             "(attempt 1)\n"
             "gpufilter: request 3 is sent again on connection 2 (attempt 2)\n"
             "gpufilter: connection 2 to %s ended: the daemon ended the connection without an answer; reconnecting "
             "(attempt 1)\n"
             "gpufilter: request 3 is sent again on connection 3 (attempt 3)\n",
             f->server->path, f->server->path);
    assert_string_equal(text, wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_result_may_overlap_operands, submit_setup, submit_teardown),
        cmocka_unit_test_setup_teardown(halves_of_a_picture_are_apart, submit_setup, submit_teardown),
        cmocka_unit_test_setup_teardown(results_must_not_overlap_each_other, submit_setup, submit_teardown),
        cmocka_unit_test_setup_teardown(an_answer_cut_short_leaves_the_operand, submit_setup, submit_teardown),
        cmocka_unit_test_setup_teardown(shared_memory_goes_back_to_the_system, submit_setup, submit_teardown),
        cmocka_unit_test_setup_teardown(with_debug_blocks_are_guarded, submit_setup, submit_teardown),
        cmocka_unit_test_setup_teardown(with_debug_reconnections_are_told, submit_setup, submit_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
