/* SPDX-License-Identifier: MIT */
/* The client library and resident buffers: names, parts, new contents, and the state after a failure. */
#include "tests/unit/unit.h"

#include <string.h>

#include "client/include/gpufilter/ops.h"
#include "client/lib/client.h"
#include "fake_server.h"
#include "tests/support/resources.h"

#define WIDTH 10
#define HEIGHT 6
#define PIXEL 3
#define ROW (WIDTH * PIXEL)
#define SIZE (ROW * HEIGHT)

struct fixture {
    struct fake_server *server;
    gpufilter_client *client;
    int fds;
    uint8_t picture[SIZE];
    gpufilter_view src;
};

/* Ends the connection instead of answering. */
static void hang_up(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(s);
    UNUSED(h);
    *ret_close = true;
}

static void be_busy(struct fake_server *s, const struct gf_header *h, bool *ret_close)
{
    UNUSED(ret_close);
    fake_send_error(s, h->id, GF_E_BUSY, "busy", 0, 250);
}

static int start(void **state, fake_answer *run, unsigned misbehave)
{
    struct fixture *f = calloc(1, sizeof(*f));
    f->fds = gf_fd_count();
    f->server = fake_server_new();
    f->server->run = run;
    f->server->misbehave = misbehave;
    fake_server_start(f->server);
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    assert_int_equal(gpufilter_open(&options, &f->client, NULL), GPUFILTER_OK);
    for (size_t i = 0; i < SIZE; i++)
        f->picture[i] = (uint8_t)(i * 7 + i / 251);
    f->src = gpufilter_tight_view(f->picture, WIDTH, HEIGHT, GPUFILTER_U8, PIXEL);
    *state = f;
    return 0;
}

static int setup(void **state)
{
    return start(state, NULL, 0);
}

static int setup_hang_up(void **state)
{
    return start(state, hang_up, 1);
}

static int setup_busy(void **state)
{
    return start(state, be_busy, 1);
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

/* Makes a resident buffer of the picture; the server adds 1 to each byte. */
static gpufilter_view upload(struct fixture *f)
{
    gpufilter_view view = {.data = GPUFILTER_RESIDENT};
    gpufilter_result result = {.view = view};
    gpufilter_error err;
    if (gpufilter_run_text(f->client, "copy", &f->src, 1, &result, 1, NULL, &err) != GPUFILTER_OK)
        fail_msg("%s", err.text);
    return result.view;
}

/* Downloads a view of the picture or of a part of it, and checks that `add` was added to each byte. */
static void expect_bytes(struct fixture *f, const gpufilter_view *view, size_t x, size_t y, unsigned add)
{
    uint8_t here[SIZE];
    gpufilter_view dst = gpufilter_tight_view(here, view->width, view->height, GPUFILTER_U8, PIXEL);
    gpufilter_error err;
    if (gpufilter_copy(f->client, view, &dst, NULL, NULL, &err) != GPUFILTER_OK)
        fail_msg("%s", err.text);
    for (size_t j = 0; j < view->height; j++)
        for (size_t i = 0; i < view->width * PIXEL; i++)
            assert_int_equal(here[j * dst.width * PIXEL + i],
                             (uint8_t)(f->picture[(y + j) * ROW + x * PIXEL + i] + add + 1));
}

static void buffers_are_listed(void **state)
{
    struct fixture *f = *state;
    gpufilter_view a = upload(f), b = upload(f);
    gpufilter_resident list[3] = {{.bytes = 99}, {.bytes = 99, .reserved = 99}, {.bytes = 99}};
    uint32_t n = 0;
    assert_int_equal(gpufilter_residents(f->client, NULL, sizeof list[0], 0, &n, NULL), GPUFILTER_OK);
    assert_int_equal(n, 3); /* from the fake server: 1, 2 and one that the client does not know */
    assert_int_equal(gpufilter_residents(f->client, list, sizeof list[0], 3, &n, NULL), GPUFILTER_OK);
    assert_ptr_equal(list[0].data, a.data);
    assert_ptr_equal(list[1].data, b.data);
    assert_null(list[2].data);
    assert_int_equal(list[1].state, GPUFILTER_RESIDENT_FAILED);
    assert_int_equal(list[1].width, 4);
    assert_int_equal(list[1].height, 3);
    assert_int_equal(list[1].depth, 1);
    assert_int_equal(list[1].reserved, 0);
    assert_int_equal(list[1].channels, 2);
    assert_int_equal(list[1].dtype, GPUFILTER_U8);
    assert_int_equal(list[1].bytes, 24);
    assert_string_equal(list[1].device, "cuda:0");
    gpufilter_error err;
    assert_int_equal(gpufilter_residents(f->client, NULL, sizeof list[0], 1, &n, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "residents or ret_n is NULL");
}

/* The server has done all that it was told until now. */
static void expect_kept(struct fixture *f, unsigned n)
{
    assert_int_equal(gpufilter_ping(f->client, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(f->server->n_kept, n);
}

static void results_stay_on_the_device(void **state)
{
    struct fixture *f = *state;
    gpufilter_times times = GPUFILTER_TIMES_INIT;
    gpufilter_view a = upload(f);
    assert_true(a.data != NULL && a.data != GPUFILTER_RESIDENT);
    assert_int_equal(a.width, WIDTH);
    assert_int_equal(a.height, HEIGHT);
    assert_int_equal(a.pitch, ROW);
    assert_int_equal(a.dtype, GPUFILTER_U8);
    assert_int_equal(a.channels, PIXEL);
    assert_int_equal(f->server->inline_operands, 1);
    assert_int_equal(f->server->handle_results, 1);
    assert_int_equal(gpufilter_last_times(f->client, &times, NULL), GPUFILTER_OK);
    assert_int_equal(times.n_copied, 1);
    expect_bytes(f, &a, 0, 0, 1);
    assert_int_equal(f->server->handle_operands, 1);
    assert_int_equal(f->server->inline_results, 1);
    /* From one to another nothing is copied. */
    gpufilter_view b = {.data = GPUFILTER_RESIDENT};
    gpufilter_result result = {.view = b};
    assert_int_equal(gpufilter_run_text(f->client, "copy", &a, 1, &result, 1, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_last_times(f->client, &times, NULL), GPUFILTER_OK);
    assert_int_equal(times.n_copied, 0);
    expect_bytes(f, &result.view, 0, 0, 2);
    expect_kept(f, 2);
    gpufilter_free(f->client, a.data);
    expect_kept(f, 1);
    gpufilter_free(f->client, result.view.data);
    expect_kept(f, 0);
    assert_null(f->client->residents.buffers);
}

static void parts_are_named_as_in_memory(void **state)
{
    struct fixture *f = *state;
    gpufilter_view a = upload(f), part = a;
    part.data = (uint8_t *)a.data + 2 * a.pitch + 5 * PIXEL;
    part.width = 4;
    part.height = 3;
    expect_bytes(f, &part, 5, 2, 1);
    assert_int_equal(f->server->program.operands[0].offset, 2 * ROW + 5 * PIXEL);
    part.height = 5; /* one row too many */
    uint8_t here[SIZE];
    gpufilter_view dst = gpufilter_tight_view(here, 4, 5, GPUFILTER_U8, PIXEL);
    gpufilter_error err;
    assert_int_equal(gpufilter_copy(f->client, &part, &dst, NULL, NULL, &err), GPUFILTER_E_BAD_VIEW);
    assert_non_null(strstr(err.text, "does not lie in its 10x6x3 u8"));
    /* A part cannot be freed, nor be a result. */
    gpufilter_free(f->client, part.data);
    expect_kept(f, 1);
    part.height = 3;
    f->src.width = 4;
    f->src.height = 3;
    assert_int_equal(gpufilter_copy(f->client, &f->src, &part, NULL, NULL, &err), GPUFILTER_E_BAD_VIEW);
    assert_string_equal(err.text, "result 0 is a part of a resident buffer; it must be all of it");
    part.data = a.data;
    assert_int_equal(gpufilter_copy(f->client, &f->src, &part, NULL, NULL, &err), GPUFILTER_E_BAD_VIEW);
    f->src.width = WIDTH;
    f->src.height = HEIGHT;
    expect_bytes(f, &a, 0, 0, 1);
}

/* What was freed, and what another client has, is refused before anything is sent; all other buffers stay. */
static void strange_buffers_are_refused(void **state)
{
    struct fixture *f = *state;
    gpufilter_view a = upload(f), b = upload(f), dst = {.data = NULL};
    gpufilter_error err;
    gpufilter_free(f->client, a.data);
    unsigned n_runs = f->server->n_runs;
    assert_int_equal(gpufilter_copy(f->client, &a, &dst, NULL, NULL, &err), GPUFILTER_E_NO_SUCH_HANDLE);
    assert_string_equal(err.text,
                        "operand 0 is no resident buffer of this client: it was freed, or is another client's");
    assert_int_equal(gpufilter_copy(f->client, &f->src, &a, NULL, NULL, &err), GPUFILTER_E_NO_SUCH_HANDLE);
    assert_string_equal(err.text,
                        "result 0 is no resident buffer of this client: it was freed, or is another client's");
    gpufilter_view c = upload(f); /* of the same shape: it does not get the address */
    assert_ptr_not_equal(c.data, a.data);
    assert_int_equal(gpufilter_copy(f->client, &a, &dst, NULL, NULL, &err), GPUFILTER_E_NO_SUCH_HANDLE);
    /* Data for which the library uses shared memory, which it would copy from there. */
    f->client->n_large = 2;
    gpufilter_view large = gpufilter_tight_view(a.data, 1024, 1024, GPUFILTER_U8, 1);
    assert_int_equal(gpufilter_copy(f->client, &large, &dst, NULL, NULL, &err), GPUFILTER_E_NO_SUCH_HANDLE);
    assert_int_equal(f->server->n_runs, n_runs + 1);
    expect_bytes(f, &b, 0, 0, 1);
    expect_bytes(f, &c, 0, 0, 1);
    assert_int_equal(f->server->n_connections, 1);
    gpufilter_free(f->client, a.data);
    /* A client of the same process has other addresses. */
    gpufilter_client *first = f->client;
    struct fake_server *server = f->server;
    f->server = fake_server_new();
    fake_server_start(f->server);
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    options.socket = f->server->path;
    assert_int_equal(gpufilter_open(&options, &f->client, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_copy(f->client, &b, &dst, NULL, NULL, &err), GPUFILTER_E_NO_SUCH_HANDLE);
    gpufilter_view d = upload(f);
    expect_bytes(f, &d, 0, 0, 1);
    assert_int_equal(gpufilter_copy(first, &d, &dst, NULL, NULL, &err), GPUFILTER_E_NO_SUCH_HANDLE);
    gpufilter_close(f->client);
    fake_server_stop(f->server);
    fake_server_free(f->server);
    f->client = first;
    f->server = server;
}

/* Buffers of the greatest size, until a window has no room for one more: no two overlap. */
static void addresses_are_given_out_once(void **state)
{
    UNUSED(state);
    struct gf_residents residents = {NULL};
    const struct gf_view v = gf_view_tight(GPUFILTER_F64, 1u << 30, 1u << 15, 1);
    struct gf_resident *r = NULL;
    for (unsigned i = 0; i < 300; i++) {
        uintptr_t before = r != NULL ? (uintptr_t)r->base + r->size : 0;
        assert_int_equal(gf_residents_add(&residents, &v, &r, NULL), GF_OK);
        assert_true((uintptr_t)r->base >= before);
        assert_int_equal((uintptr_t)r->base % 4096, 0);
        assert_true(gf_residents_name(r->base) && gf_residents_name(r->base + r->size - 1));
        assert_ptr_equal(gf_residents_find(&residents, r->base + r->size - 1), r);
    }
    int here;
    assert_false(gf_residents_name(&here));
    assert_false(gf_residents_name(NULL));
    assert_false(gf_residents_name(GPUFILTER_RESIDENT));
    assert_false(gf_residents_name((void *)UINT64_C(0x00007fffffffffff))); /* the greatest of a program */
    assert_false(gf_residents_name((void *)UINT64_C(0xb40000712345f000))); /* with a tag of AArch64 */
    gf_residents_deinit(&residents);
}

static void contents_can_be_replaced(void **state)
{
    struct fixture *f = *state;
    gpufilter_view a = upload(f);
    void *name = a.data;
    for (unsigned i = 2; i < 5; i++) { /* from itself, too */
        assert_int_equal(gpufilter_copy(f->client, &a, &a, NULL, NULL, NULL), GPUFILTER_OK);
        assert_ptr_equal(a.data, name);
        expect_kept(f, 1);
        assert_int_equal(f->server->n_frees, i - 1);
        expect_bytes(f, &a, 0, 0, i);
    }
    assert_int_equal(gpufilter_copy(f->client, &f->src, &a, NULL, NULL, NULL), GPUFILTER_OK);
    expect_bytes(f, &a, 0, 0, 1);
}

static void a_failed_run_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    gpufilter_view a = {.data = GPUFILTER_RESIDENT};
    gpufilter_result result = {.view = a};
    assert_int_equal(gpufilter_run_text(f->client, "copy", &f->src, 1, &result, 1, NULL, &err), GPUFILTER_E_BUSY);
    assert_int_equal(err.retry_ms, 250); /* although something else was asked since */
    assert_ptr_equal(result.view.data, GPUFILTER_RESIDENT);
    assert_null(f->client->residents.buffers);
    a = upload(f);
    /* Contents that could not be replaced are still there. */
    f->server->misbehave = 4;
    for (int i = 0; i < 2; i++)
        assert_int_equal(gpufilter_copy(f->client, &f->src, &a, NULL, NULL, &err), GPUFILTER_E_BUSY);
    expect_bytes(f, &a, 0, 0, 1);
    expect_kept(f, 1);
}

static void an_upload_is_sent_again(void **state)
{
    struct fixture *f = *state;
    gpufilter_view a = upload(f);
    assert_int_equal(f->server->n_connections, 2);
    expect_bytes(f, &a, 0, 0, 1);
}

static void buffers_end_with_the_connection(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    uint8_t here[SIZE];
    gpufilter_view dst = gpufilter_tight_view(here, WIDTH, HEIGHT, GPUFILTER_U8, PIXEL);
    gpufilter_view a = upload(f), b = upload(f);
    f->server->run = hang_up;
    f->server->misbehave = f->server->n_runs + 1;
    unsigned n = f->server->n_runs;
    assert_int_equal(gpufilter_copy(f->client, &a, &dst, NULL, NULL, &err), GPUFILTER_E_HANDLE_LOST);
    assert_string_equal(err.text, "operand 0 is a resident buffer of a connection that has ended");
    assert_int_equal(f->server->n_runs, n + 1); /* not sent again */
    assert_int_equal(f->server->n_connections, 2);
    assert_int_equal(gpufilter_copy(f->client, &a, &dst, NULL, NULL, &err), GPUFILTER_E_HANDLE_LOST);
    /* New contents make the buffer valid again. Handles of the other connection are not freed on this one. */
    assert_int_equal(gpufilter_copy(f->client, &f->src, &a, NULL, NULL, &err), GPUFILTER_OK);
    gpufilter_free(f->client, b.data);
    assert_int_equal(f->server->n_frees, 0);
    expect_bytes(f, &a, 0, 0, 1);
}

static void what_cannot_be_resident_is_told(void **state)
{
    struct fixture *f = *state;
    gpufilter_error err;
    gpufilter_view none = gpufilter_tight_view(GPUFILTER_RESIDENT, WIDTH, HEIGHT, GPUFILTER_U8, PIXEL),
                   dst = {.data = NULL};
    assert_int_equal(gpufilter_copy(f->client, &none, &dst, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "operand 0 has no data");
    static const float weights[9] = {0, 1, 0, 1, 1, 1, 0, 1, 0};
    const gpufilter_view here = gpufilter_const_view(weights, 3, 3, GPUFILTER_F32, 1);
    gpufilter_result mask = {.view.data = GPUFILTER_RESIDENT};
    assert_int_equal(gpufilter_run_text(f->client, "copy", &here, 1, &mask, 1, NULL, NULL), GPUFILTER_OK);
    assert_int_equal(gpufilter_correlate(f->client, &f->src, &mask.view, &dst, NULL, NULL, &err),
                     GPUFILTER_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "mask is a handle; it must be inline or in an arena"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(buffers_are_listed, setup, teardown),
        cmocka_unit_test_setup_teardown(results_stay_on_the_device, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_are_named_as_in_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(strange_buffers_are_refused, setup, teardown),
        cmocka_unit_test(addresses_are_given_out_once),
        cmocka_unit_test_setup_teardown(contents_can_be_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failed_run_leaves_nothing, setup_busy, teardown),
        cmocka_unit_test_setup_teardown(an_upload_is_sent_again, setup_hang_up, teardown),
        cmocka_unit_test_setup_teardown(buffers_end_with_the_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_resident_is_told, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
