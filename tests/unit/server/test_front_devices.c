/* SPDX-License-Identifier: MIT */
/* Which devices the daemon serves, and where it looks for its worker, with and without /proc. The test replaces
 * readlink(). */
#include "server/front/devices.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/resources.h"
#include "tests/unit/unit.h"

struct fixture {
    char *root;
    uv_loop_t loop;
    struct gf_memories memories;
    struct gf_workers workers;
};

static void nothing(void *data, struct gf_worker *worker)
{
    (void)data, (void)worker;
}

static const struct gf_workers_ops g_ops = {.changed = nothing, .died = nothing};

static int setup(void **state)
{
    static const char *const below[] = {"/etc", "/etc/systemd", "/etc/systemd/system",
                                        "/etc/systemd/system/gpufilterd.service.wants"};
    char path[256];
    struct fixture *f = calloc(1, sizeof *f);
    assert_int_equal(uv_loop_init(&f->loop), 0);
    gf_memories_init(&f->memories);
    gf_workers_init(&f->workers, &f->loop, &f->memories, &g_ops, NULL);
    f->root = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(below); i++) {
        snprintf(path, sizeof path, "%s%s", f->root, below[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    gf_workers_stop(&f->workers);
    uv_run(&f->loop, UV_RUN_DEFAULT);
    gf_workers_deinit(&f->workers);
    assert_int_equal(uv_loop_close(&f->loop), 0);
    gf_temp_dir_freep(&f->root);
    free(f);
    return 0;
}

/* As systemctl enable and disable do. */
static void enable(const struct fixture *f, const char *unit, bool enabled)
{
    char path[256];
    snprintf(path, sizeof path, "%s/etc/systemd/system/gpufilterd.service.wants/%s", f->root, unit);
    assert_int_equal(enabled ? symlink(f->root, path) : unlink(path), 0);
}

/* Each device, with "*" if it is meant and "+" if its worker is to join. */
static const char *told(const struct fixture *f, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < f->workers.n; i++) {
        const struct gf_worker *w = f->workers.list[i];
        snprintf(text + strlen(text), size - strlen(text), "%s%s%s%s", i > 0 ? " " : "", w->hello.device.name,
                 w->listed ? "*" : "", w->elsewhere ? "+" : "");
    }
    return text;
}

static void devices_with_an_enabled_unit_are_meant(void **state)
{
    struct fixture *f = *state;
    struct gf_error err = {0};
    char text[256];
    const struct gf_devices devices = {.text = "auto", .root = f->root, .units = true};
    enable(f, "gpufilterd-worker@cuda1.service", true);
    enable(f, "gpufilterd-worker@cuda0.service", true);
    enable(f, "gpufilterd-worker@GPU-8f6d.service", true);
    enable(f, "gpufilter-metrics.timer", true);
    enable(f, "gpufilterd-worker@.service", true);
    enable(f, "gpufilterd-worker@a b.service", true); /* no device has such a name */
    char path[256];
    snprintf(path, sizeof path, "%s/etc/systemd/system/gpufilterd.service.wants/gpufilterd-worker@cuda2.service",
             f->root);
    assert_int_equal(symlink("/nowhere", path), 0); /* its package was removed */
    assert_int_equal(gf_devices_add(&f->workers, &devices, &err), GF_OK);
    assert_string_equal(told(f, text, sizeof text), "cpu* GPU-8f6d*+ cuda:0*+ cuda:1*+");
}

static void units_may_be_enabled_and_disabled_meanwhile(void **state)
{
    struct fixture *f = *state;
    struct gf_error err = {0};
    char text[256];
    const struct gf_devices devices = {.text = "auto", .root = f->root, .units = true};
    enable(f, "gpufilterd-worker@cuda0.service", true);
    assert_int_equal(gf_devices_add(&f->workers, &devices, &err), GF_OK);
    gf_worker_start(f->workers.list[1]);
    enable(f, "gpufilterd-worker@cuda0.service", false);
    enable(f, "gpufilterd-worker@cuda7.service", true);
    gf_devices_look_again(&f->workers, &devices);
    assert_string_equal(told(f, text, sizeof text), "cpu* cuda:0+ cuda:7*+");
    assert_int_equal(f->workers.list[2]->state, GF_WORKER_AWAITED);
    enable(f, "gpufilterd-worker@cuda0.service", true);
    gf_devices_look_again(&f->workers, &devices);
    assert_string_equal(told(f, text, sizeof text), "cpu* cuda:0*+ cuda:7*+");
}

static void named_devices_are_meant(void **state)
{
    struct fixture *f = *state;
    struct gf_error err = {0};
    char text[256];
    enable(f, "gpufilterd-worker@cuda0.service", true);
    assert_int_equal(gf_devices_add(&f->workers, &(struct gf_devices){"cpu,cuda:1", f->root, true}, &err), GF_OK);
    assert_string_equal(told(f, text, sizeof text), "cpu* cuda:1*+");
    gf_devices_look_again(&f->workers, &(struct gf_devices){"cpu,cuda:1", f->root, true});
    assert_string_equal(told(f, text, sizeof text), "cpu* cuda:1*+");
    assert_int_equal(gf_devices_add(&f->workers, &(struct gf_devices){"cuda:2,cuda:1", f->root, false}, &err),
                     GF_E_EXISTS);
    assert_string_equal(err.text, "device cuda:1 is named twice");
    assert_string_equal(told(f, text, sizeof text), "cpu* cuda:1*+ cuda:2*");
}

static void without_units_none_is_looked_for(void **state)
{
    struct fixture *f = *state;
    struct gf_error err = {0};
    char text[256];
    enable(f, "gpufilterd-worker@cuda9.service", true);
    assert_int_equal(gf_devices_add(&f->workers, &(struct gf_devices){"none", f->root, true}, &err), GF_OK);
    assert_string_equal(told(f, text, sizeof text), "");
    assert_int_equal(gf_devices_add(&f->workers, &(struct gf_devices){"auto", f->root, false}, &err), GF_OK);
    assert_null(strstr(told(f, text, sizeof text), "cuda:9"));
    assert_memory_equal(text, "cpu", 3);
}

static const char *link_target; /* NULL: there is no /proc */

ssize_t __wrap_readlink(const char *path, char *buf, size_t size);
ssize_t __wrap_readlink(const char *path, char *buf, size_t size)
{
    assert_string_equal(path, "/proc/self/exe");
    if (link_target == NULL) {
        errno = ENOENT;
        return -1;
    }
    assert_true(strlen(link_target) < size);
    memcpy(buf, link_target, strlen(link_target));
    return (ssize_t)strlen(link_target);
}

/* An installed worker is found where these tests need none. */
static void skip_installed(void)
{
    print_message("skipped: a worker is installed on this machine\n");
    skip();
}

static void a_missing_proc_is_named(void **state)
{
    UNUSED(state);
    char path[4096];
    struct gf_error err = {0};
    link_target = NULL;
    if (gf_worker_program("", path, sizeof(path), &err) == GF_OK)
        skip_installed();
    assert_string_equal(err.text, "cannot look for the worker beside this program: /proc/self/exe: No such file or "
                                  "directory; mount /proc, or name the worker by --worker");
    assert_int_equal(gf_worker_program("/bin/sh", path, sizeof(path), &err), GF_OK);
    assert_string_equal(path, "/bin/sh");
}

static void a_path_is_named_that_was_looked_at(void **state)
{
    UNUSED(state);
    char path[4096];
    struct gf_error err = {0};
    link_target = "/nowhere/gpufilterd";
    if (gf_worker_program("", path, sizeof(path), &err) == GF_OK)
        skip_installed();
    assert_non_null(strstr(err.text, "no worker program at /"));
    assert_int_equal(gf_worker_program("/nowhere/worker", path, sizeof(path), &err), GF_E_START_FAILED);
    assert_string_equal(err.text, "no worker program at /nowhere/worker: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(devices_with_an_enabled_unit_are_meant, setup, teardown),
        cmocka_unit_test_setup_teardown(units_may_be_enabled_and_disabled_meanwhile, setup, teardown),
        cmocka_unit_test_setup_teardown(named_devices_are_meant, setup, teardown),
        cmocka_unit_test_setup_teardown(without_units_none_is_looked_for, setup, teardown),
        cmocka_unit_test(a_missing_proc_is_named),
        cmocka_unit_test(a_path_is_named_that_was_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
