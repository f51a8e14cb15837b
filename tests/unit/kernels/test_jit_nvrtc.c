/* SPDX-License-Identifier: MIT */
/* kernels/cuda/jit: for which architecture NVRTC compiles, and what is said where it knows none. This program is both
 * the parent and the compiler; NVRTC is tests/support/fake_nvrtc.c. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/cuda/jit/compile.h"
#include "kernels/cuda/jit/compiler.h"
#include "tests/unit/unit.h"

#define CONFINE "GF_TEST_CONFINE"
#define WAIT_MS 120000 /* for hung tests alone */

static enum gf_jit_outcome compile(const char *archs, const char *source, uint32_t device, struct gf_jit_code *ret_code,
                                   struct gf_error *err)
{
    struct gf_jit_compiler c = {.program = "/proc/self/exe", .stop = -1, .timeout_ms = WAIT_MS};
    assert_int_equal(setenv("GF_FAKE_NVRTC", archs, 1), 0);
    return gf_jit_compile(&c, source, device, ret_code, err);
}

/* Also where only the version is asked for. */
static void code_is_for(const char *archs, uint32_t device, const char *expected)
{
    struct gf_jit_code code;
    struct gf_error err = {.text = ""};
    if (compile(archs, "", device, &code, &err) != GF_JIT_COMPILED)
        fail_msg("%s", err.text);
    assert_int_equal(code.version, 13010);
    gf_jit_code_deinit(&code);
    assert_int_equal(compile(archs, "source", device, &code, &err), GF_JIT_COMPILED);
    assert_int_equal(code.size, strlen(expected));
    assert_memory_equal(code.data, expected, strlen(expected));
    gf_jit_code_deinit(&code);
}

static void the_devices_own_is_taken(void **state)
{
    (void)state;
    code_is_for("75 80 90 100", 90, "sm_90");
    code_is_for("75 80 86 89 90", 86, "sm_86");
}

/* Of the same major version, since others do not run on the device. */
static void an_older_nvrtc_gives_the_closest(void **state)
{
    (void)state;
    code_is_for("75 80 90 100 120", 121, "sm_120");
    code_is_for("75 80 86 89 90", 88, "sm_86");
}

static void a_compiler_without_any_is_none(void **state)
{
    (void)state;
    const char *const sources[] = {"", "source"};
    for (unsigned i = 0; i < 2; i++) {
        struct gf_jit_code code;
        struct gf_error err = {.text = ""};
        /* With a source it counts as broken, since the source may have made it say so. */
        const enum gf_jit_outcome none = i == 0 ? GF_JIT_NO_COMPILER : GF_JIT_BROKEN;
        assert_int_equal(compile("75 80 90", sources[i], 103, &code, &err), none);
        assert_string_equal(err.text, "NVRTC 13.1 does not compile for sm_103; it has architectures from sm_75 to "
                                      "sm_90: install another one");
        assert_int_equal(compile("86 89", sources[i], 80, &code, &err), none);
        assert_int_equal(compile("", sources[i], 90, &code, &err), none);
        assert_string_equal(err.text, "NVRTC does not say for which architectures it compiles");
    }
}

static void nothing_is_compiled_with_all_rights(void **state)
{
    (void)state;
    struct gf_jit_code code = {.data = NULL};
    struct gf_error err = {.text = ""};
    assert_int_equal(setenv(CONFINE, "refuses", 1), 0);
    assert_int_equal(compile("90", "", 90, &code, &err), GF_JIT_NO_COMPILER);
    assert_string_equal(err.text, "no seccomp here");
    assert_int_equal(compile("90", "source", 90, &code, &err), GF_JIT_BROKEN);
    assert_string_equal(err.text, "no seccomp here");
    assert_null(code.data);
    assert_int_equal(setenv(CONFINE, "works", 1), 0);
    code_is_for("90", 90, "sm_90");
}

static enum gf_status confine(struct gf_error *err)
{
    return strcmp(getenv(CONFINE), "refuses") == 0 ? gf_error_set(err, GF_E_START_FAILED, "no seccomp here") : GF_OK;
}

static int compiler(void)
{
    return gf_jit_compiler_main(WAIT_MS / 1000, getenv(CONFINE) ? confine : NULL);
}

int main(int argc, char **argv)
{
    if (gf_jit_is_compiler(argc, argv))
        return compiler();
    if (setenv("GPUFILTER_NVRTC", GF_TEST_NVRTC, 1) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_devices_own_is_taken),
        cmocka_unit_test(an_older_nvrtc_gives_the_closest),
        cmocka_unit_test(a_compiler_without_any_is_none),
        cmocka_unit_test(nothing_is_compiled_with_all_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
