/* SPDX-License-Identifier: MIT */
/* client/cli/base/formats_help: the table of formats in the help agrees with gf_image_can_hold. */
#include "client/cli/base/cli.h"

#include <stdio.h>
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/unit/unit.h"

/* The line of a format in the second table: "  png    u8 u16   1-4   words". */
static const char *find_line(const char *word)
{
    const char *table = strstr(gf_formats_written, "Formats written");
    char begin[16];
    assert_non_null(table);
    snprintf(begin, sizeof(begin), "\n  %s ", word);
    const char *line = strstr(table, begin);
    if (!line)
        fail_msg("help does not say what is written as %s", word);
    return line + 1;
}

/* Whether a column of a line contains a word. */
static bool has_word(const char *line, size_t from, size_t to, const char *word)
{
    char padded[64], wanted[16];
    snprintf(padded, sizeof(padded), " %.*s ", (int)(to - from), line + from);
    padded[strcspn(padded, "\n")] = ' ';
    snprintf(wanted, sizeof(wanted), " %s ", word);
    return strstr(padded, wanted) != NULL;
}

static void help_says_what_is_written(void **state)
{
    UNUSED(state);
    static const char *const counts[] = {"", "1", "2", "3", "4"};
    for (enum gf_image_format f = GF_FORMAT_NONE + 1; f < GF_N_FORMATS; f++) {
        const char *line = find_line(gf_image_format_word(f));
        size_t end = strcspn(line, "\n"), more = end < 58 ? end : 58;
        for (uint32_t dtype = 1; gf_dtype_known(dtype); dtype++)
            for (uint32_t channels = 1; channels <= 4; channels++) {
                struct gf_view view = gf_view_tight(dtype, 3, 2, channels);
                bool said = has_word(line, 9, 52, gf_dtype_word(dtype)) &&
                            (has_word(line, 52, more, counts[channels]) || has_word(line, 52, more, "1-4"));
                struct gf_io_error err = {.text = ""};
                bool held = gf_image_can_hold(f, &view, false, "a", &err) == GF_IO_OK ||
                            strstr(err.text, " for which ") || strstr(err.text, " does without ") ||
                            strstr(err.text, " needs an encoder ");
                if (said != held)
                    fail_msg("%s of %u channels in %s: help says %d, which is %d", gf_dtype_word(dtype), channels,
                             gf_image_format_word(f), said, held);
            }
    }
}

static void lines_fit_a_terminal(void **state)
{
    UNUSED(state);
    static const char *const texts[] = {gf_formats_read, gf_formats_reading, gf_formats_written};
    for (size_t i = 0; i < GF_ARRAY_LEN(texts); i++)
        for (const char *line = texts[i]; *line; line += strcspn(line, "\n") + 1)
            if (strcspn(line, "\n") > 105)
                fail_msg("%.*s", (int)strcspn(line, "\n"), line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_says_what_is_written),
        cmocka_unit_test(lines_fit_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
