/* SPDX-License-Identifier: MIT */
/* kernels/shared/geometry: all instruction sets compute the same weights, which equal a few known windows. */
#include <string.h>

#include "kernels/shared/geometry/resize_weights.h"
#include "protocol/ops/enums.h"
#include "tests/unit/unit.h"

#define MOST 96u

static void same_of_all_instruction_sets(void **state)
{
    (void)state;
    for (uint32_t filter = GF_RESIZE_LINEAR; filter <= GF_RESIZE_LANCZOS3; filter++)
        for (uint32_t n = 1; n <= MOST; n++)
            for (uint32_t i = 0; i < 40; i++) {
                double centre = 1000.0 + (double)(i * n) / 37.0, half = (double)n / 2.0;
                struct gf_resize_map map = {.filter = filter, .wider = i % 4 == 0 ? 1.0 : (double)n / (1.3 + i)};
                struct gf_resize_window w = {.centre = centre, .begin = centre - half, .stop = centre + half};
                double room[MOST + GF_RESIZE_SPARE];
                float expected[MOST], found[MOST];
                w.first = (uint32_t)(centre - half);
                w.end = w.first + n;
                gf_resize_weigh_generic(&map, &w, room, expected);
                gf_resize_weigh()(&map, &w, room, found);
                assert_memory_equal(found, expected, n * sizeof *found);
            }
}

/* Results halfway between two pixels. The weights of lanczos3 are sinc(t) sinc(t / 3) at 2.5, 1.5 and 0.5, divided by
 * twice their sum. */
static void weights_of_known_windows(void **state)
{
    static const float cubic[] = {-0.0625f, 0.5625f, 0.5625f, -0.0625f};
    struct gf_resize_map map = {.filter = GF_RESIZE_CUBIC, .wider = 1.0};
    struct gf_resize_window w = {.centre = 10.0, .first = 8, .end = 12};
    double room[6 + GF_RESIZE_SPARE];
    float found[6];
    (void)state;
    gf_resize_weigh_generic(&map, &w, room, found);
    assert_memory_equal(found, cubic, sizeof cubic);
    map.filter = GF_RESIZE_LANCZOS3;
    w.first = 7;
    w.end = 13;
    gf_resize_weigh_generic(&map, &w, room, found);
    assert_float_equal(found[0], 0.024457f, 1e-5f);
    assert_float_equal(found[1], -0.135870f, 1e-5f);
    assert_float_equal(found[2], 0.611413f, 1e-5f);
    for (uint32_t k = 0; k < 3; k++)
        assert_true(found[k] == found[5 - k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_of_all_instruction_sets),
                                       cmocka_unit_test(weights_of_known_windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
