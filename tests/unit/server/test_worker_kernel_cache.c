/* SPDX-License-Identifier: MIT */
/* The folder in which a worker keeps kernels, and its creation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/worker/kernel_cache.h"
#include "tests/unit/unit.h"

static const char *const g_variables[] = {"GPUFILTER_KERNEL_CACHE", "CACHE_DIRECTORY", "XDG_CACHE_HOME", "HOME"};
static char g_root[64];

static int set_up(void **state)
{
    UNUSED(state);
    snprintf(g_root, sizeof(g_root), "/tmp/gf_kernel_cache_XXXXXX");
    assert_non_null(mkdtemp(g_root));
    for (size_t i = 0; i < 4; i++)
        unsetenv(g_variables[i]);
    return 0;
}

static int tear_down(void **state)
{
    UNUSED(state);
    return rmdir(g_root);
}

static void set(const char *variable, const char *below)
{
    char path[128];
    snprintf(path, sizeof(path), "%s%s", g_root, below);
    assert_int_equal(setenv(variable, path, 1), 0);
}

/* Checks that the folder is `below` under the root and private to its user. Removes it. */
static void folder_is(const char *below)
{
    char path[256], expected[256];
    struct stat st;
    assert_true(gf_kernel_cache_folder(path, sizeof(path)));
    snprintf(expected, sizeof(expected), "%s%s", g_root, below);
    assert_string_equal(path, expected);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_true(gf_kernel_cache_folder(path, sizeof(path))); /* it is there already */
    assert_int_equal(rmdir(path), 0);
}

static void the_first_variable_names_it(void **state)
{
    UNUSED(state);
    set("HOME", "");
    folder_is("/.cache/gpufilter");
    char cache[128];
    snprintf(cache, sizeof(cache), "%s/.cache", g_root);
    assert_int_equal(rmdir(cache), 0); /* was made as well */
    set("XDG_CACHE_HOME", "");
    folder_is("/gpufilter");
    set("CACHE_DIRECTORY", "/of-unit:/other");
    folder_is("/of-unit");
    set("GPUFILTER_KERNEL_CACHE", "/chosen");
    folder_is("/chosen");
}

static void there_may_be_none(void **state)
{
    UNUSED(state);
    char path[256];
    assert_false(gf_kernel_cache_folder(path, sizeof(path)));
    setenv("HOME", "relative", 1);
    assert_false(gf_kernel_cache_folder(path, sizeof(path)));
    set("HOME", "/missing");
    assert_false(gf_kernel_cache_folder(path, sizeof(path)));
    set("HOME", "");
    setenv("GPUFILTER_KERNEL_CACHE", "none", 1);
    assert_false(gf_kernel_cache_folder(path, sizeof(path)));
    unsetenv("GPUFILTER_KERNEL_CACHE");
    assert_false(gf_kernel_cache_folder(path, 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_first_variable_names_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_may_be_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
