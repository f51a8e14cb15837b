/* SPDX-License-Identifier: MIT */
/* gf_element_cut: the parts of an element have its members, each once, whatever their side. */
#include <string.h>

#include "kernels/shared/morphology/morphology.h"
#include "protocol/base/status.h"
#include "tests/unit/unit.h"

#define SIDE GF_MORPHOLOGY_MAX_SIDE

struct members {
    uint8_t times[SIDE][SIDE]; /* by row and column: how often a run covers it */
};

static void add_run(struct members *m, uint32_t x, uint32_t y, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++) {
        assert_true(x < SIDE && y + i < SIDE);
        m->times[y + i][x]++;
    }
}

static void add_part(struct members *m, const struct gf_element_parts *parts, const struct gf_element_part *part)
{
    for (uint32_t level = 0; level < 8; level++)
        for (uint32_t i = part->level[level]; i < part->level[level + 1]; i++) {
            uint32_t run = parts->runs[part->first_run + i], x = run & 255, y = run >> 8 & 255, rows = run >> 16;
            assert_in_range(rows, 1u << level, (2u << level) - 1);
            assert_true(x < part->width && y + rows <= part->height);
            add_run(m, part->x + x, part->y + y, rows);
        }
}

/* Even columns are one run of all rows; each odd column is two runs. */
static void test_cut(void **state)
{
    UNUSED(state);
    static struct gf_element_run runs[2 * SIDE];
    static struct members expected, found;
    struct gf_element e = {.width = SIDE, .height = SIDE, .runs = runs};
    for (uint32_t x = 0; x < SIDE; x++) {
        uint32_t first = x % 2 == 0 ? SIDE : x / 2;
        runs[e.n_runs++] = (struct gf_element_run){.x = (uint8_t)x, .length = (uint8_t)(first > 0 ? first : 1)};
        if (x % 2 != 0)
            runs[e.n_runs++] = (struct gf_element_run){(uint8_t)x, (uint8_t)(first + 2), (uint8_t)(x % 100 + 1)};
    }
    for (uint32_t i = 0; i < e.n_runs; i++)
        add_run(&expected, runs[i].x, runs[i].y, runs[i].length);
    for (uint32_t side = 32; side <= 256; side *= 2) {
        struct gf_element_parts parts;
        memset(&found, 0, sizeof(found));
        assert_int_equal(gf_element_cut(&e, side, &parts, NULL), GF_OK);
        for (uint32_t i = 0; i < parts.n; i++) {
            assert_true(parts.part[i].width <= side && parts.part[i].height <= side);
            add_part(&found, &parts, &parts.part[i]);
        }
        assert_memory_equal(&found, &expected, sizeof(found));
        gf_element_parts_deinit(&parts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
