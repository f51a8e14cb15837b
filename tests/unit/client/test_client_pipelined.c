/* SPDX-License-Identifier: MIT */
/* Requests submitted one after another without waiting: on resident buffers, which order them, and on data that is sent
 * in every way through a socket with a small buffer. */
#include "tests/unit/unit.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "client/include/gpufilter/ops.h"
#include "client/lib/client.h"
#include "fake_server.h"
#include "tests/support/resources.h"

#define WIDTH 10
#define HEIGHT 6
#define SIZE (WIDTH * HEIGHT)

struct fixture {
    struct fake_server *server;
    gpufilter_client *client;
    int fds;
    uint8_t picture[SIZE];
    gpufilter_view src;
};

static gpufilter_error g_err;

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != GPUFILTER_OK)                                                                                    \
            fail_msg("%s", g_err.text);                                                                                \
    } while (0)

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    f->fds = gf_fd_count();
    f->server = fake_server_new();
    fake_server_start(f->server);
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    OK(gpufilter_open(&options, &f->client, &g_err));
    for (size_t i = 0; i < SIZE; i++)
        f->picture[i] = (uint8_t)(i * 7);
    f->src = gpufilter_tight_view(f->picture, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gpufilter_close(f->client);
    fake_server_stop(f->server);
    fake_server_free(f->server);
    assert_int_equal(gf_fd_count(), f->fds);
    free(f);
    return 0;
}

/* Submits a copy; the server adds 1 to each byte of it. */
static uint64_t submit(struct fixture *f, const gpufilter_view *from, gpufilter_view *to)
{
    gpufilter_result result = {*to, NULL};
    uint64_t id = 0;
    OK(gpufilter_submit_text(f->client, "copy", from, 1, &result, 1, NULL, NULL, &id, &g_err));
    *to = result.view;
    return id;
}

static void expect(struct fixture *f, uint64_t id, int32_t status)
{
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    OK(gpufilter_wait(f->client, id, -1, &answer, &g_err));
    if (answer.status != status)
        fail_msg("%s: %s", gpufilter_status_name(answer.status), answer.error.text);
}

static void expect_bytes(const struct fixture *f, const uint8_t *here, unsigned add)
{
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(here[i], (uint8_t)(f->picture[i] + add));
}

/* Brings a resident buffer here. */
static void expect_resident(struct fixture *f, const gpufilter_view *on, unsigned add)
{
    uint8_t here[SIZE];
    gpufilter_view dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    OK(gpufilter_copy(f->client, on, &dst, NULL, NULL, &g_err));
    expect_bytes(f, here, add + 1);
}

/* The server has done all that it was told until now. */
static void expect_kept(struct fixture *f, unsigned n)
{
    OK(gpufilter_ping(f->client, NULL, &g_err));
    OK(gpufilter_ping(f->client, NULL, &g_err));
    assert_int_equal(f->server->n_kept, n);
}

static void a_chain_needs_no_waiting(void **state)
{
    struct fixture *f = *state;
    uint8_t here[SIZE];
    gpufilter_view a = {.data = GPUFILTER_RESIDENT}, b = a,
                   dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    uint64_t ids[4];
    ids[0] = submit(f, &f->src, &a);
    assert_int_equal(a.width, WIDTH); /* named at once */
    assert_int_equal(a.pitch, WIDTH);
    ids[1] = submit(f, &a, &b);
    gpufilter_free(f->client, a.data); /* is needed until the answers */
    gpufilter_view c = b;
    ids[2] = submit(f, &b, &c); /* in place */
    ids[3] = submit(f, &c, &dst);
    for (unsigned i = 4; i-- > 0;)
        expect(f, ids[i], GPUFILTER_OK);
    expect_bytes(f, here, 4);
    expect_kept(f, 1);
    gpufilter_free(f->client, b.data);
    expect_kept(f, 0);
    assert_null(f->client->residents.buffers);
}

static void contents_are_replaced_in_order(void **state)
{
    struct fixture *f = *state;
    gpufilter_view a = {.data = GPUFILTER_RESIDENT};
    uint8_t here[5][SIZE];
    uint64_t ids[10];
    for (unsigned i = 0; i < 5; i++) {
        gpufilter_view dst = gpufilter_tight_view(here[i], WIDTH, HEIGHT, GPUFILTER_U8, 1), on = a;
        ids[2 * i] = submit(f, i == 0 ? &f->src : &a, &on);
        a = on;
        ids[2 * i + 1] = submit(f, &a, &dst);
    }
    for (unsigned i = 0; i < 10; i++)
        expect(f, ids[i], GPUFILTER_OK);
    for (unsigned i = 0; i < 5; i++)
        expect_bytes(f, here[i], i + 2);
    expect_kept(f, 1);
    assert_int_equal(f->server->n_frees, 4);
}

/* How many requests the server takes before it answers any, and how many of them it answers with BUSY. */
static unsigned g_held, g_busy;

static void be_busy(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_hold(s, h);
    if (s->n_held < g_held)
        return;
    s->run = NULL;
    for (unsigned i = 0; i < g_held; i++)
        fake_answer_held(s, 0, i < g_busy ? GF_E_BUSY : GF_OK);
}

static void what_reads_a_failed_buffer_fails_too(void **state)
{
    struct fixture *f = *state;
    uint8_t here[SIZE];
    gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
    gpufilter_view a = {.data = GPUFILTER_RESIDENT}, b = a,
                   dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    f->server->run = be_busy;
    g_held = 3;
    g_busy = 1;
    uint64_t upload = submit(f, &f->src, &a), work = submit(f, &a, &b), download = submit(f, &b, &dst);
    expect(f, download, GPUFILTER_E_DEPENDENCY);
    expect(f, work, GPUFILTER_E_DEPENDENCY);
    OK(gpufilter_wait(f->client, upload, -1, &answer, &g_err));
    assert_int_equal(answer.status, GPUFILTER_E_BUSY);
    assert_int_equal(answer.error.retry_ms, 250);
    assert_string_equal(answer.error.text, "as the test wants");
    gpufilter_result result = {dst, NULL};
    assert_int_equal(gpufilter_submit_text(f->client, "copy", &a, 1, &result, 1, NULL, NULL, NULL, &g_err),
                     GPUFILTER_E_DEPENDENCY);
    assert_string_equal(g_err.text, "operand 0 is an empty resident buffer: the request that should have filled it "
                                    "failed");
    expect_kept(f, 0);
    /* It can be filled all the same. */
    expect(f, submit(f, &f->src, &a), GPUFILTER_OK);
    expect_resident(f, &a, 1);
    gpufilter_free(f->client, a.data);
    gpufilter_free(f->client, b.data);
    expect_kept(f, 0);
}

static void old_contents_outlast_a_failure(void **state)
{
    struct fixture *f = *state;
    uint8_t here[SIZE];
    gpufilter_view a = {.data = GPUFILTER_RESIDENT}, dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    expect(f, submit(f, &f->src, &a), GPUFILTER_OK);
    f->server->run = be_busy;
    g_held = 4;
    g_busy = 2;
    gpufilter_view x = a, y = a, z = a;
    uint64_t first = submit(f, &a, &x), second = submit(f, &f->src, &y), between = submit(f, &y, &dst);
    uint64_t third = submit(f, &a, &z); /* of the second's, which fails */
    expect(f, first, GPUFILTER_E_BUSY);
    expect(f, second, GPUFILTER_E_BUSY);
    expect(f, between, GPUFILTER_E_DEPENDENCY);
    expect(f, third, GPUFILTER_E_DEPENDENCY);
    expect_resident(f, &a, 1);
    expect_kept(f, 1);
}

static void hang_up(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(s);
    UNUSED(h);
    *ret_close = true;
}

static void buffers_end_with_the_connection(void **state)
{
    struct fixture *f = *state;
    uint8_t here[SIZE];
    gpufilter_view a = {.data = GPUFILTER_RESIDENT}, b = a,
                   dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    expect(f, submit(f, &f->src, &a), GPUFILTER_OK);
    f->server->run = hang_up;
    f->server->misbehave = f->server->n_runs + 1;
    uint64_t lost = submit(f, &a, &dst), upload = submit(f, &f->src, &b), after = submit(f, &b, &dst);
    expect(f, lost, GPUFILTER_E_HANDLE_LOST);
    expect(f, upload, GPUFILTER_OK); /* sent again, as it reads no handle */
    expect(f, after, GPUFILTER_OK);  /* and this finds it there */
    expect_bytes(f, here, 2);
    assert_int_equal(f->server->n_connections, 2);
    gpufilter_free(f->client, a.data);
    gpufilter_free(f->client, b.data);
    expect_kept(f, 0);
    assert_int_equal(f->server->n_frees, 1); /* the other went with its connection */
}

static void say_shutdown(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    if (s->n_connections == 1)
        fake_send_error(s, h->id, GF_E_SHUTDOWN, "as the test wants", 0, 0);
    else
        fake_run(s, h, NULL);
}

/* A request that makes a buffer and a request that reads it are sent again together. A request that reads a buffer of
 * the previous connection cannot be sent again. */
static void a_chain_goes_again_after_shutdown(void **state)
{
    struct fixture *f = *state;
    uint8_t here[SIZE];
    gpufilter_view old = {.data = GPUFILTER_RESIDENT}, a = old,
                   dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, 1);
    expect(f, submit(f, &f->src, &old), GPUFILTER_OK);
    f->server->run = say_shutdown; /* on this connection */
    uint64_t upload = submit(f, &f->src, &a), work = submit(f, &a, &a), download = submit(f, &a, &dst);
    uint64_t lost = submit(f, &old, &dst);
    expect(f, upload, GPUFILTER_OK);
    expect(f, work, GPUFILTER_OK);
    expect(f, download, GPUFILTER_OK);
    expect_bytes(f, here, 3);
    expect(f, lost, GPUFILTER_E_HANDLE_LOST);
    expect_resident(f, &a, 2);
    assert_int_equal(f->server->n_connections, 2);
}

static void hold(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_hold(s, h);
}

/* Answers all it has, and all that comes. */
static void release(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(h);
    UNUSED(ret_close);
    s->run = NULL;
    while (s->n_held > 0)
        fake_answer_held(s, 0, GF_OK);
}

static void an_upload_that_was_never_sent_fails_its_readers(void **state)
{
    struct fixture *f = *state;
    uint8_t here[64][SIZE];
    uint64_t ids[63];
    f->server->run = hold;
    f->server->cancel = release;
    for (unsigned i = 0; i < 63; i++) {
        gpufilter_view dst = gpufilter_tight_view(here[i], WIDTH, HEIGHT, GPUFILTER_U8, 1);
        ids[i] = submit(f, &f->src, &dst);
    }
    gpufilter_view a = {.data = GPUFILTER_RESIDENT},
                   dst = gpufilter_tight_view(here[63], WIDTH, HEIGHT, GPUFILTER_U8, 1);
    uint64_t upload = submit(f, &f->src, &a), download = submit(f, &a, &dst);
    OK(gpufilter_cancel(f->client, upload, &g_err));
    OK(gpufilter_cancel(f->client, ids[0], &g_err));
    expect(f, upload, GPUFILTER_E_CANCELLED);
    expect(f, download, GPUFILTER_E_DEPENDENCY);
    for (unsigned i = 0; i < 63; i++)
        expect(f, ids[i], GPUFILTER_OK);
    assert_int_equal(f->server->n_runs, 63);
}

/* The server's end of the connection takes little too. */
static void answer_in_drops(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    const int least = 1;
    UNUSED(ret_close);
    setsockopt(s->fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
    fake_run(s, h, NULL);
}

#define MIXED 60

static void all_ways_fit_through_a_narrow_socket(void **state)
{
    struct fixture *f = *state;
    enum { W = 211, H = 97, IN = 230, OUT = 256 };
    const int least = 1;
    int fd = -1;
    uint8_t *in[MIXED], *out[MIXED];
    f->server->run = answer_in_drops;
    setsockopt(f->client->channel.fd, SOL_SOCKET, SO_SNDBUF, &least, sizeof(least));
    OK(gpufilter_fd(f->client, &fd, &g_err));
    for (unsigned i = 0; i < MIXED; i++) {
        void *shared = NULL;
        if (i % 3 == 1)
            OK(gpufilter_alloc(f->client, H * IN, &shared, &g_err));
        in[i] = shared != NULL ? shared : malloc(H * IN);
        shared = NULL;
        if (i % 3 == 2)
            OK(gpufilter_alloc(f->client, H * OUT, &shared, &g_err));
        out[i] = shared != NULL ? shared : malloc(H * OUT);
        for (unsigned k = 0; k < H * IN; k++)
            in[i][k] = (uint8_t)(i + k * 5);
        memset(out[i], 0xEE, H * OUT);
        gpufilter_view
            src = {.data = in[i], .width = W, .height = H, .pitch = IN, .dtype = GPUFILTER_U8, .channels = 1},
            dst = {.data = out[i], .width = W, .height = H, .pitch = OUT, .dtype = GPUFILTER_U8, .channels = 1};
        submit(f, &src, &dst);
    }
    for (unsigned n = 0; n < MIXED;) {
        gpufilter_answer answer = GPUFILTER_ANSWER_INIT;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 120000), 1);
        OK(gpufilter_poll(f->client, &answer, &g_err));
        if (answer.id != 0)
            assert_string_equal(gpufilter_status_name(answer.status), "OK");
        n += answer.id != 0;
    }
    for (unsigned i = 0; i < MIXED; i++) {
        for (unsigned y = 0; y < H; y++)
            for (unsigned x = 0; x < OUT; x++)
                assert_int_equal(out[i][y * OUT + x], x < W ? (uint8_t)(in[i][y * IN + x] + 1) : 0xEE);
        if (i % 3 != 1)
            free(in[i]);
        if (i % 3 != 2)
            free(out[i]);
    }
    assert_int_equal(f->server->n_connections, 1);
}

static void large_data_is_staged_when_its_turn_comes(void **state)
{
    struct fixture *f = *state;
    enum { W = 640, H = 480, N = 200 };
    uint8_t *in = malloc(W * H), *out = malloc(N * W * H);
    uint64_t ids[N];
    for (unsigned i = 0; i < W * H; i++)
        in[i] = (uint8_t)(i * 11);
    for (unsigned i = 0; i < N; i++) {
        gpufilter_view src = gpufilter_tight_view(in, W, H, GPUFILTER_U8, 1),
                       dst = gpufilter_tight_view(out + i * W * H, W, H, GPUFILTER_U8, 1);
        ids[i] = submit(f, &src, &dst);
    }
    for (unsigned i = 0; i < N; i++)
        expect(f, ids[i], GPUFILTER_OK);
    for (unsigned i = 0; i < N * W * H; i++)
        if (out[i] != (uint8_t)(in[i % (W * H)] + 1))
            fail_msg("byte %u", i);
    assert_int_equal(f->server->arena_results, 1);
    assert_true(f->client->memory.arena_bytes <= 64u << 20); /* of 63 on their way, not of all */
    free(in);
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_chain_needs_no_waiting, setup, teardown),
        cmocka_unit_test_setup_teardown(contents_are_replaced_in_order, setup, teardown),
        cmocka_unit_test_setup_teardown(what_reads_a_failed_buffer_fails_too, setup, teardown),
        cmocka_unit_test_setup_teardown(old_contents_outlast_a_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(buffers_end_with_the_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(a_chain_goes_again_after_shutdown, setup, teardown),
        cmocka_unit_test_setup_teardown(an_upload_that_was_never_sent_fails_its_readers, setup, teardown),
        cmocka_unit_test_setup_teardown(all_ways_fit_through_a_narrow_socket, setup, teardown),
        cmocka_unit_test_setup_teardown(large_data_is_staged_when_its_turn_comes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
