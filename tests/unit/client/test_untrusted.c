/* SPDX-License-Identifier: MIT */
/* client/cli/untrusted: what the command makes of the answers of a decoder that an attacker has taken over. This
 * program is that decoder if its name says so, as the command is. */
#include "client/cli/untrusted/untrusted.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "client/cli/untrusted/wire.h"
#include "protocol/base/base.h"
#include "tests/unit/unit.h"

#define SECRET "GF_TEST_SECRET"

/* The head of a picture in which every member is set. */
static struct gf_image full_image(void)
{
    static uint8_t light[20] = "\0\0\0\x08"
                               "cLLI",
                   text[15] = "\0\0\0\3"
                              "tEXta\0b",
                   iptc[] = {1}, exif[] = "II*", comment[] = "\0\2ab", profile[300] = {7};
    static double scale[3] = {1.5, 2.5, 0};
    static struct gf_image_geo geo = {.width = 3, .height = 2, .tags = {{scale, 3}}};
    static char warning[] = "a warning", note[] = "a note", xmp[] = "<x/>";
    struct gf_image image = {.view = gf_view_tight(GF_U8, 3, 2, 1),
                             .no_alpha = true,
                             .is_bool = true,
                             .format = GF_FORMAT_JPEG,
                             .shrink = 2,
                             .full_width = 6,
                             .full_height = 3,
                             .file_bytes = 40,
                             .pages = 5,
                             .kind = "jpeg",
                             .page_word = "picture",
                             .coding = {8, "Huffman", "4:2:0", 4, true},
                             .warning = warning,
                             .note = note};
    image.meta = (struct gf_image_meta){.orientation = 6,
                                        .per_metre_x = 3000,
                                        .per_metre_y = 4000,
                                        .without_unit = {1.5f, 2.5f},
                                        .gamma = 45455,
                                        .srgb_intent = 2,
                                        .primaries = {1, 2, 3, 4, 5, 6, 7, 8},
                                        .is_lossy = true,
                                        .cicp = {9, 16, 0, 1},
                                        .light = {light, sizeof(light)},
                                        .iptc = {iptc, sizeof(iptc)},
                                        .comment = {comment, sizeof(comment) - 1},
                                        .text = {text, sizeof(text)},
                                        .has_gain_map = true,
                                        .has_auxiliary = true,
                                        .profile_is_grey = true,
                                        .delay = {1, 25},
                                        .plays = 3,
                                        .sides = 2,
                                        .profile = profile,
                                        .profile_size = sizeof(profile),
                                        .exif = exif,
                                        .exif_size = sizeof(exif),
                                        .xmp = xmp,
                                        .xmp_size = sizeof(xmp) - 1,
                                        .geo = &geo};
    return image;
}

/* Writes the head of a picture into the buffer. Returns its size; *ret_end is how writing ended. */
static size_t write_image(const struct gf_image *image, uint8_t *bytes, size_t size, enum gf_wire_end *ret_end)
{
    int ends[2];
    struct gf_image copy = *image;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    struct gf_wire w = {.fd = ends[0], .sends = true};
    gf_wire_image(&w, &copy);
    close(ends[0]);
    size_t n = 0;
    for (ssize_t more; (more = recv(ends[1], bytes + n, size - n, 0)) > 0;)
        n += (size_t)more;
    close(ends[1]);
    *ret_end = w.end;
    return n;
}

/* Reads the head of a picture from the bytes. */
static enum gf_wire_end read_image(const uint8_t *bytes, size_t size, struct gf_image *ret_image)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(send(ends[1], bytes, size, 0), size);
    close(ends[1]);
    struct gf_wire w = {.fd = ends[0]};
    gf_wire_image(&w, ret_image);
    close(ends[0]);
    return w.end;
}

static void a_picture_arrives_as_it_was(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_image_deinit) struct gf_image got = GF_IMAGE_NULL;
    const struct gf_image image = full_image();
    static uint8_t once[8192], twice[8192];
    enum gf_wire_end end;
    const size_t n = write_image(&image, once, sizeof(once), &end);
    assert_int_equal(end, GF_WIRE_OPEN);
    assert_int_equal(read_image(once, n, &got), GF_WIRE_OPEN);
    assert_string_equal(got.kind, "jpeg");
    assert_string_equal(got.coding.compression, "Huffman");
    assert_int_equal(got.meta.delay[1], 25);
    assert_int_equal(got.meta.geo->tags[0].count, 3);
    assert_string_equal(got.meta.xmp, "<x/>");
    assert_int_equal(write_image(&got, twice, sizeof(twice), &end), n); /* every member, again */
    assert_memory_equal(once, twice, n);
}

static void lies_are_noticed(void **state)
{
    UNUSED(state);
    static uint8_t bytes[8192],
        part[] = "\0\0\0\1"
                 "IDAT....",
        cut[] = "\0\0\0\5"
                "tEXt....",
        comment[] = "\0\3ab";
    static char control[] = "a\033[31m";
    enum gf_wire_end end;
#define LIE(change)                                                                                                    \
    do {                                                                                                               \
        struct gf_image image = full_image();                                                                          \
        change;                                                                                                        \
        (void)write_image(&image, bytes, sizeof(bytes), &end);                                                         \
        if (end != GF_WIRE_NONSENSE)                                                                                   \
            fail_msg("%s: %d", #change, (int)end);                                                                     \
    } while (false)
    LIE(image.format = GF_N_FORMATS);
    LIE(image.shrink = 9);
    LIE(image.full_width = 7);
    LIE(image.full_height = 5);
    LIE(image.full_width = GF_MAX_SIDE + 1);
    LIE(image.pages = GF_IMAGE_MAX_FILE + 1);
    LIE(image.page_word = NULL);
    LIE(image.meta.orientation = 9);
    LIE(image.meta.gamma = 1u << 31);
    LIE(image.meta.primaries[7] = UINT32_MAX);
    LIE(image.meta.without_unit[1] = __builtin_inff());
    LIE(image.meta.sides = 5);
    LIE(image.meta.exif_size = GF_EXIF_MAX + 1);
    LIE(image.meta.text = ((struct gf_image_block){part, 12}));
    LIE(image.meta.text = ((struct gf_image_block){cut, 12}));
    LIE(image.meta.light.size -= 1);
    LIE(image.meta.comment = ((struct gf_image_block){comment, 4}));
    LIE(image.kind = "a word that is much longer than the words of formats are, which end before this");
    gf_cleanup(gf_image_deinit) struct gf_image got = GF_IMAGE_NULL;
    struct gf_image image = full_image();
    image.kind = control;
    const size_t n = write_image(&image, bytes, sizeof(bytes), &end);
    assert_int_equal(read_image(bytes, n, &got), GF_WIRE_OPEN);
    assert_string_equal(got.kind, "a?[31m"); /* no terminal obeys it */
}

/* Each byte changed, and each beginning: nothing is read that was not sent, and all of it is freed. */
static void damage_does_no_harm(void **state)
{
    UNUSED(state);
    static uint8_t bytes[8192];
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0xff};
    enum gf_wire_end end;
    const struct gf_image image = full_image();
    const size_t n = write_image(&image, bytes, sizeof(bytes), &end);
    for (size_t at = 0; at < n; at++) {
        const uint8_t was = bytes[at];
        for (size_t k = 0; k < GF_ARRAY_LEN(values); k++) {
            gf_cleanup(gf_image_deinit) struct gf_image got = GF_IMAGE_NULL;
            bytes[at] = values[k];
            end = read_image(bytes, n, &got);
            assert_true(end == GF_WIRE_OPEN || end == GF_WIRE_NONSENSE || end == GF_WIRE_CLOSED);
        }
        bytes[at] = was;
        gf_cleanup(gf_image_deinit) struct gf_image got = GF_IMAGE_NULL;
        assert_int_equal(read_image(bytes, at, &got), GF_WIRE_CLOSED);
    }
}

static void nobody_waits_beyond_the_deadline(void **state)
{
    UNUSED(state);
    int ends[2];
    uint64_t value = 1;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    for (uint32_t sends = 0; sends < 2; sends++) {
        struct gf_wire w = {.fd = ends[0], .sends = sends != 0, .deadline_ns = 1};
        gf_wire_u64(&w, &value, UINT64_MAX);
        assert_int_equal(w.end, GF_WIRE_LATE);
        assert_int_equal(value, 0);
    }
    close(ends[0]);
    close(ends[1]);
}

/*
 * The hostile decoder: says what the letters of the file ask for.
 */

static void say(struct gf_wire *w, uint64_t number)
{
    gf_wire_u64(w, &number, UINT64_MAX);
}

static void say_picture(struct gf_wire *w, struct gf_view view, uint64_t pages)
{
    uint8_t samples[6] = {1, 2, 3, 4, 5, 6};
    struct gf_image image = {.view = view, .format = GF_FORMAT_PNG, .pages = pages, .page_word = "frame"};
    say(w, GF_WIRE_PICTURE);
    gf_wire_image(w, &image);
    gf_wire_bytes(w, samples, sizeof(samples));
}

static int lie(void)
{
    struct gf_wire w = {.fd = STDIN_FILENO};
    struct gf_wire_request r = {.name = NULL};
    gf_wire_request(&w, &r);
    w.sends = true;
    if (getenv(SECRET))
        return 1;
    for (size_t i = 0; i < r.size; i++)
        switch (r.bytes[i]) {
        case 'p':
            say_picture(&w, gf_view_tight(GF_U8, 3, 2, 1), 1);
            break;
        case '2':
            say_picture(&w, gf_view_tight(GF_U8, 3, 2, 1), 2);
            break;
        case 'M':
            say_picture(&w, gf_view_tight(GF_U8, 3, 2, 1), 1000);
            break;
        case 'L':
            say_picture(&w, gf_view_tight(GF_U8, 65535, 65535, 4), 1);
            break;
        case 'T':
            say_picture(&w, gf_view_tight(77, 3, 2, 1), 1);
            break;
        case 'O':
            say_picture(&w, (struct gf_view){GF_U8, 4, UINT64_MAX / 4, UINT64_MAX / 2, 1}, 1);
            break;
        case 'S':
            say(&w, GF_WIRE_PICTURE);
            gf_wire_image(
                &w,
                &(struct gf_image){
                    .view = gf_view_tight(GF_U8, 3, 2, 1), .shrink = 2, .full_width = 6, .full_height = 4, .pages = 1});
            break;
        case 's':
            say(&w, GF_WIRE_SHRINK);
            say(&w, 8);
            say(&w, 8);
            break;
        case 'e':
            say(&w, GF_WIRE_END);
            say(&w, GF_IO_OK);
            break;
        case 'f':
            say(&w, GF_WIRE_END);
            say(&w, GF_IO_TOO_LARGE);
            say(&w, 1);
            say(&w, 5);
            gf_wire_bytes(&w, (char[]){"a\nb: c"} + 1, 5);
            break;
        default:
            say(&w, r.bytes[i]); /* no answer has this number */
        }
    return 0;
}

static uint64_t g_taken;

static enum gf_io_status take(void *user, struct gf_image *page, struct gf_io_error *err)
{
    UNUSED(user);
    UNUSED(err);
    g_taken += ((const uint8_t *)page->data)[5];
    return GF_IO_OK;
}

static int count_descriptors(void)
{
    int n = 0;
    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void the_command_believes_nothing(void **state)
{
    UNUSED(state);
    static const struct {
        const char *file;
        bool takes;
        enum gf_io_status status;
        const char *text;
    } cases[] = {
        {"pe", false, GF_IO_OK, NULL},
        {"2e", false, GF_IO_OK, NULL},
        {"22e", true, GF_IO_OK, NULL},
        {"e", false, GF_IO_DATA, "gave a wrong answer"},
        {"ppe", false, GF_IO_DATA, "gave a wrong answer"},
        {"222e", true, GF_IO_DATA, "gave a wrong answer"}, /* more pages than it said */
        {"2pe", true, GF_IO_DATA, "gave a wrong answer"},  /* changes its mind */
        {"Me", false, GF_IO_DATA, "gave a wrong answer"},  /* a page has at least a byte */
        {"Le", false, GF_IO_TOO_LARGE, "samples"},
        {"Te", false, GF_IO_DATA, "dtype 77"},
        {"Oe", false, GF_IO_TOO_LARGE, ""},
        {"se", false, GF_IO_DATA, "gave a wrong answer"}, /* nobody wants to shrink */
        {"S", false, GF_IO_DATA, "gave a wrong answer"},  /* nor has anybody agreed to */
        {"f", false, GF_IO_TOO_LARGE, "b: c"},
        {"\x03", false, GF_IO_DATA, "gave a wrong answer"},
        {"p", false, GF_IO_DATA, "ended without an answer"},
        {"", false, GF_IO_DATA, "ended without an answer"},
    };
    (void)gf_untrusted_begin(NULL); /* what is missing here does not matter: this decoder decodes nothing */
    setenv(SECRET, "1", 1);
    const int before = count_descriptors();
    for (size_t i = 0; i < GF_ARRAY_LEN(cases); i++) {
        gf_cleanup(gf_image_deinit) struct gf_image image = GF_IMAGE_NULL;
        struct gf_io_error err = {.text = ""};
        const struct gf_image_load how = {.take = cases[i].takes ? take : NULL};
        const char *file = cases[i].file;
        g_taken = 0;
        const enum gf_io_status s = gf_image_decode("a", file, strlen(file), &how, &image, &err);
        if (s != cases[i].status || (cases[i].text && !strstr(err.text, cases[i].text)))
            fail_msg("\"%s\": %d, %s", file, (int)s, err.text);
        if (s == GF_IO_OK && !how.take)
            assert_memory_equal(image.data, "\1\2\3\4\5\6", 6);
        if (s == GF_IO_OK && how.take)
            assert_int_equal(g_taken, 12);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
    }
    assert_int_equal(count_descriptors(), before);
}

int main(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], GF_DECODER_NAME) == 0)
        return lie();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_picture_arrives_as_it_was),  cmocka_unit_test(lies_are_noticed),
        cmocka_unit_test(damage_does_no_harm),          cmocka_unit_test(nobody_waits_beyond_the_deadline),
        cmocka_unit_test(the_command_believes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
