/* SPDX-License-Identifier: MIT */
/* Where the daemon looks for its worker, with and without /proc. The test replaces readlink(). */
#include "server/front/devices.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/unit.h"

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
        cmocka_unit_test(a_missing_proc_is_named),
        cmocka_unit_test(a_path_is_named_that_was_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
