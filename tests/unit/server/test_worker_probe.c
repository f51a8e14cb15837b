/* SPDX-License-Identifier: MIT */
/* A device that computes nothing or wrong results must fail its probe. */
#include "server/worker/probe.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct gf_probe g_probe;

/* Backends with one function: a correct mean, one that stores nothing, one that is off by one, one that fails. */
static enum gf_status run_right(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    UNUSED(exec);
    UNUSED(err);
    const struct gf_view *v = &job->operands[0].view;
    const uint8_t *from = job->operands[0].data;
    uint8_t *to = job->sinks[0].buf.data;
    for (uint64_t y = 1; y + 1 < v->height; y++)
        for (uint64_t x = 1; x + 1 < v->width; x++) {
            unsigned sum = 0;
            for (uint64_t k = 0; k < 9; k++)
                sum += from[(y + k / 3 - 1) * v->pitch + x + k % 3 - 1];
            to[y * v->pitch + x] = (uint8_t)(sum / 9);
        }
    return GF_OK;
}

static enum gf_status run_nothing(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    UNUSED(exec);
    UNUSED(job);
    UNUSED(err);
    return GF_OK;
}

static enum gf_status run_wrong(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    run_right(exec, job, err);
    ((uint8_t *)job->sinks[0].buf.data)[40 * 64 + 40] ^= 1;
    return GF_OK;
}

static enum gf_status run_fails(struct gf_exec *exec, struct gf_job *job, struct gf_error *err)
{
    UNUSED(exec);
    UNUSED(job);
    return gf_error_set(err, GF_E_NO_DEVICE_MEMORY, "none left");
}

static enum gf_status probe(enum gf_status (*run)(struct gf_exec *, struct gf_job *, struct gf_error *),
                            struct gf_error *ret_error)
{
    struct gf_backend backend = {.name = "test", .run = run};
    memset(ret_error, 0, sizeof *ret_error);
    assert_int_equal(gf_probe_init(&g_probe, NULL), GF_OK);
    return gf_probe_run(&g_probe, &backend, NULL, ret_error);
}

static void a_device_that_computes_is_well(void **state)
{
    UNUSED(state);
    struct gf_error error;
    assert_int_equal(probe(run_right, &error), GF_OK);
}

static void a_device_that_computes_nothing_or_wrong_is_lost(void **state)
{
    UNUSED(state);
    struct gf_error error;
    assert_int_equal(probe(run_nothing, &error), GF_E_DEVICE_LOST);
    assert_string_equal(error.text, "the device computes wrong results: 255 instead of 4 at 1,1");
    assert_int_equal(probe(run_wrong, &error), GF_E_DEVICE_LOST);
    assert_string_equal(error.text, "the device computes wrong results: 161 instead of 160 at 40,40");
}

static void what_the_device_says_is_passed_on(void **state)
{
    UNUSED(state);
    struct gf_error error;
    assert_int_equal(probe(run_fails, &error), GF_E_NO_DEVICE_MEMORY);
    assert_string_equal(error.text, "none left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_that_computes_is_well),
        cmocka_unit_test(a_device_that_computes_nothing_or_wrong_is_lost),
        cmocka_unit_test(what_the_device_says_is_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
