/* SPDX-License-Identifier: MIT */
/* client/image/image_exif, image_meta: metadata of cameras and programs is kept in every format that has room for it,
 * except thumbnails. A picture is turned only once. */
#include "client/image/image_meta.h"

#include <stdio.h>
#include <string.h>

#include "image_fixture.h"
#include "protocol/base/dtype.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

enum { WIDTH = 24, HEIGHT = 16, NOTE_AT = 200, THUMBNAIL_AT = 300, BYTES = 320 };

#define THUMBNAIL "old picture"
#define NOTE "maker's own"
#define DATE "2026:11:23 10:20:30"

/* EXIF data that grow. */
struct blob {
    uint8_t bytes[BYTES];
    bool big;
};

static void put(struct blob *b, size_t at, uint32_t value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        b->bytes[at + (b->big ? n - 1 - i : i)] = (uint8_t)(value >> 8 * i);
}

static void put_entry(struct blob *b, size_t at, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    put(b, at, tag, 2);
    put(b, at + 2, type, 2);
    put(b, at + 4, count, 4);
    put(b, at + 8, value, type == 3 ? 2 : 4);
}

/* EXIF data of a camera: maker, orientation 6, a date, a maker's note at its own offset, a GPS position, and the
 * directory of a thumbnail. */
static struct blob camera(bool big)
{
    struct blob b = {.big = big};
    memcpy(b.bytes, big ? "MM\0*" : "II*\0", 4);
    put(&b, 4, 8, 4);
    put(&b, 8, 4, 2);
    put_entry(&b, 10, 0x010f, 2, 7, 150); /* maker */
    put_entry(&b, 22, 0x0112, 3, 1, 6);   /* orientation */
    put_entry(&b, 34, 0x8769, 4, 1, 70);
    put_entry(&b, 46, 0x8825, 4, 1, 120);
    put(&b, 58, 260, 4); /* the next directory */
    put(&b, 70, 3, 2);
    put_entry(&b, 72, 0x9003, 2, 20, 160);
    put_entry(&b, 84, 0x927c, 7, sizeof(NOTE), NOTE_AT);
    put_entry(&b, 96, 0xa002, 3, 1, 4000); /* width */
    put(&b, 120, 1, 2);
    put_entry(&b, 122, 2, 5, 2, 184); /* latitude */
    put(&b, 184, 52, 4);
    put(&b, 188, 1, 4);
    put(&b, 192, 31, 4);
    put(&b, 196, 2, 4);
    put(&b, 260, 2, 2);
    put_entry(&b, 262, 0x0201, 4, 1, THUMBNAIL_AT);
    put_entry(&b, 274, 0x0202, 4, 1, sizeof(THUMBNAIL));
    memcpy(b.bytes + 150, "Camera", 7);
    memcpy(b.bytes + 160, DATE, 20);
    memcpy(b.bytes + NOTE_AT, NOTE, sizeof(NOTE));
    memcpy(b.bytes + THUMBNAIL_AT, THUMBNAIL, sizeof(THUMBNAIL));
    return b;
}

#define XMP(orientation, thumbnail)                                                                                    \
    "<x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:Description tiff:Orientation=\"" orientation                             \
    "\" dc:title='A title'>" thumbnail "</rdf:Description></x:xmpmeta>"

static struct gf_image picture(bool big)
{
    struct gf_image image = fixture_noise(GF_U8, WIDTH, HEIGHT, 3, 1);
    const struct blob b = camera(big);
    const char xmp[] = XMP("6", "<xmp:Thumbnails>" THUMBNAIL "</xmp:Thumbnails>");
    gf_exif_read(b.bytes, sizeof(b.bytes), &image.meta);
    gf_image_meta_set_xmp(&image.meta, xmp, sizeof(xmp));
    assert_int_equal(image.meta.orientation, 6);
    return image;
}

/* An integer of the data as they were read back. */
static uint32_t get(const struct gf_image_meta *meta, size_t at, size_t n)
{
    uint32_t v = 0;
    assert_true(at + n <= meta->exif_size);
    for (size_t i = 0; i < n; i++)
        v = v << 8 | meta->exif[at + (meta->exif[0] == 'M' ? i : n - 1 - i)];
    return v;
}

/* The offset of the value of a tag in a directory; 0 if the tag is missing. */
static size_t find(const struct gf_image_meta *meta, size_t directory, uint32_t tag)
{
    for (size_t i = 0; i < get(meta, directory, 2); i++)
        if (get(meta, directory + 2 + 12 * i, 2) == tag)
            return directory + 10 + 12 * i;
    return 0;
}

static void assert_exif(const struct gf_image_meta *meta, uint32_t width, bool has_note)
{
    assert_non_null(meta->exif);
    size_t first = get(meta, 4, 4), exif = get(meta, find(meta, first, 0x8769), 4);
    size_t gps = get(meta, find(meta, first, 0x8825), 4);
    gf_cleanup(gf_freep) char *maker = gf_exif_text(meta, 0x010f);
    assert_string_equal(maker, "Camera");
    assert_string_equal((const char *)meta->exif + get(meta, find(meta, exif, 0x9003), 4), DATE);
    assert_int_equal(get(meta, find(meta, exif, 0xa002), 4), width);
    size_t latitude = get(meta, find(meta, gps, 2), 4);
    assert_int_equal(get(meta, latitude, 4), 52);
    assert_int_equal(get(meta, latitude + 8, 4), 31);
    assert_int_equal(get(meta, latitude + 12, 4), 2);
    size_t note = find(meta, exif, 0x927c);
    assert_int_equal(note != 0, has_note);
    if (!has_note)
        return;
    assert_int_equal(get(meta, note, 4), NOTE_AT);
    assert_memory_equal(meta->exif + NOTE_AT, NOTE, sizeof(NOTE));
}

static bool holds(const char *name)
{
    const struct gf_view view = gf_view_tight(GF_U8, WIDTH, HEIGHT, 3);
    enum gf_image_format format;
    struct gf_io_error err;
    assert_int_equal(gf_image_format_from_path(name, &format, &err), GF_IO_OK);
    if (gf_image_can_hold(format, &view, false, name, &err) == GF_IO_OK)
        return true;
    print_message("%s\n", err.text);
    return false;
}

static void every_format_keeps_it(void **state)
{
    UNUSED(state);
    static const struct {
        const char *name;
        bool turns, has_note;
    } files[] = {{"a.png", false, true}, {"a.jpg", false, true}, {"a.tif", true, false},
                 {"a.webp", true, true}, {"a.avif", true, true}, {"a.heic", true, true}};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t i = 0; i < GF_ARRAY_LEN(files); i++)
        for (int big = 0; big < 2; big++) {
            size_t size;
            gf_cleanup(gf_freep) char *path = fixture_path(dir, files[i].name);
            gf_cleanup(gf_image_deinit) struct gf_image a = picture(big);
            if (!holds(files[i].name))
                continue;
            fixture_write(dir, files[i].name, &a);
            gf_cleanup(gf_image_deinit) struct gf_image b = fixture_read(dir, files[i].name);
            assert_int_equal(b.view.width, files[i].turns ? HEIGHT : WIDTH);
            assert_int_equal(b.meta.orientation, files[i].turns ? 1 : 6);
            assert_exif(&b.meta, files[i].turns ? HEIGHT : WIDTH, files[i].has_note);
            assert_string_equal(b.meta.xmp, files[i].turns ? XMP("1", "") : XMP("6", ""));
            gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
            assert_null(memmem(bytes, size, THUMBNAIL, sizeof(THUMBNAIL) - 1));
        }
}

/* A chain of conversions between formats loses nothing. */
static void it_survives_a_chain(void **state)
{
    UNUSED(state);
    static const char *const names[] = {"a.png", "a.webp", "a.jpg", "a.heic", "a.png"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    struct gf_image image = picture(true);
    for (size_t i = 0; i < GF_ARRAY_LEN(names); i++) {
        if (!holds(names[i]))
            continue;
        fixture_write(dir, names[i], &image);
        gf_image_deinit(&image);
        image = fixture_read(dir, names[i]);
    }
    assert_exif(&image.meta, (uint32_t)image.view.width, true);
    gf_image_deinit(&image);
}

/* Entries that refer to each other, or many times to one large value, end at the limit. */
static void malice_is_bounded(void **state)
{
    UNUSED(state);
    size_t size = 1 << 20;
    gf_cleanup(gf_freep) uint8_t *bytes = calloc(1, size);
    struct gf_image_meta meta = {0};
    struct blob entry = {.big = true};
    assert_non_null(bytes);
    memcpy(bytes, "MM\0*\0\0\0\x08\1\0", 10); /* 256 entries, each of the rest of the file */
    put_entry(&entry, 0, 0x010e, 2, (uint32_t)size / 2, (uint32_t)size / 2);
    for (size_t i = 0; i < 256; i++)
        memcpy(bytes + 10 + 12 * i, entry.bytes, 12);
    gf_exif_read(bytes, size, &meta);
    assert_null(meta.exif);
    put_entry(&entry, 0, 0x8769, 4, 1, 8); /* directories that are the first one */
    for (size_t i = 0; i < 256; i++)
        memcpy(bytes + 10 + 12 * i, entry.bytes, 12);
    gf_exif_read(bytes, size, &meta);
    assert_true(meta.exif_size <= GF_EXIF_MAX);
    gf_image_meta_deinit(&meta);
}

/* Every byte of the data is changed, and every length tried: metadata that is kept can be read and written. */
static void damage_is_not_kept(void **state)
{
    UNUSED(state);
    const struct gf_view view = {.width = 3, .height = 2};
    for (size_t i = 0; i < BYTES; i++)
        for (int bit = 0; bit < 8; bit++) {
            struct blob b = camera(i % 2);
            struct gf_image_meta meta = {0}, again = {0};
            size_t size, cut = i + 1;
            b.bytes[i] ^= (uint8_t)(1 << bit);
            gf_cleanup(gf_freep) uint8_t *copy = malloc(bit ? BYTES : cut);
            assert_non_null(copy);
            memcpy(copy, b.bytes, bit ? BYTES : cut);
            gf_exif_read(copy, bit ? BYTES : cut, &meta);
            gf_cleanup(gf_freep) uint8_t *out = gf_exif_write(&meta, 3, &view, GF_EXIF_MAX, &size);
            assert_non_null(out);
            gf_exif_read(out, size, &again);
            assert_int_equal(again.orientation, 3);
            assert_int_equal(meta.exif != NULL, again.exif != NULL);
            gf_image_meta_deinit(&meta);
            gf_image_meta_deinit(&again);
        }
}

static void xmp_that_is_no_text_is_dropped(void **state)
{
    UNUSED(state);
    struct gf_image_meta meta = {0};
    gf_image_meta_set_xmp(&meta, "<\0x\0", 4);
    assert_null(meta.xmp);
    gf_image_meta_set_xmp(&meta, "<xmp:Thumbnails>that do not end", 31);
    assert_null(meta.xmp);
    gf_image_meta_set_xmp(&meta, "<a>\0\0", 5);
    assert_string_equal(meta.xmp, "<a>");
    gf_image_meta_deinit(&meta);
}

/* Thumbnails with attributes, with the prefix of old programs, empty, and several. Similar words are kept. */
static void thumbnails_of_all_spellings_are_dropped(void **state)
{
    UNUSED(state);
    static const struct {
        const char *in, *out;
    } texts[] = {
        {"<a><xmp:Thumbnails>1</xmp:Thumbnails>b</a>", "<a>b</a>"},
        {"<a><xap:Thumbnails rdf:parseType='Resource'>1<b/></xap:Thumbnails>c</a>", "<a>c</a>"},
        {"<a><xmp:Thumbnails/><xmp:Thumbnails x='1'/>b<xmp:Thumbnails>1</xmp:Thumbnails></a>", "<a>b</a>"},
        {"<a b=':Thumbnails'>xmp:Thumbnails <c:Thumbnails2>1</c:Thumbnails2></a>",
         "<a b=':Thumbnails'>xmp:Thumbnails <c:Thumbnails2>1</c:Thumbnails2></a>"},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(texts); i++) {
        struct gf_image_meta meta = {0};
        gf_image_meta_set_xmp(&meta, texts[i].in, strlen(texts[i].in));
        assert_string_equal(meta.xmp, texts[i].out);
        gf_image_meta_deinit(&meta);
    }
}

/* What announces a gain map, as attributes and as elements, and other data after a JPEG. */
static void a_gain_map_is_not_announced(void **state)
{
    UNUSED(state);
    static const struct {
        const char *in, *out;
        bool has_gain_map;
    } texts[] = {
        {"<a x:b='1' hdrgm:Version=\"1.0\" c:d='2'><Container:Directory><rdf:li Item:Semantic=\"GainMap\"/>"
         "</Container:Directory>b</a>",
         "<a x:b='1'  c:d='2'>b</a>", true},
        {"<a hdrgm:Version='1.0'\thdrgm:Max=\"'2'\" b='' hdrgm:Min='' xhdrgm:c='3' hdrgm:d='4'/>",
         "<a \t b=''  xhdrgm:c='3' />", true},
        {"<a><hdrgm:Version>1.0</hdrgm:Version>b</a>", "<a>b</a>", true},
        {"<a><Container:Directory><rdf:li Item:Semantic='MotionPhoto'/></Container:Directory></a>", "<a></a>", false},
        {"<a xmlns:hdrgm='u' b='hdrgm:' hdrgm:c>hdrgm:d=</a>", "<a xmlns:hdrgm='u' b='hdrgm:' hdrgm:c>hdrgm:d=</a>",
         false},
    };
    for (size_t i = 0; i < GF_ARRAY_LEN(texts); i++) {
        struct gf_image_meta meta = {0};
        gf_image_meta_set_xmp(&meta, texts[i].in, strlen(texts[i].in));
        assert_string_equal(meta.xmp, texts[i].out);
        assert_int_equal(meta.has_gain_map, texts[i].has_gain_map);
        gf_image_meta_deinit(&meta);
    }
}

/* If the data is too large for a JPEG, the maker's note is dropped first and the rest is kept. */
static void a_large_note_is_left_out_first(void **state)
{
    UNUSED(state);
    enum { LARGE = 65000 };
    const struct gf_view view = {.width = WIDTH, .height = HEIGHT};
    const struct blob b = camera(true);
    uint8_t *bytes = calloc(1, NOTE_AT + LARGE);
    struct gf_image_meta meta = {0}, again = {0};
    size_t size = 0;
    assert_non_null(bytes);
    memcpy(bytes, b.bytes, NOTE_AT);
    bytes[84 + 6] = LARGE >> 8; /* of the note's entry: how many */
    bytes[84 + 7] = LARGE & 0xff;
    gf_exif_read(bytes, NOTE_AT + LARGE, &meta);
    free(bytes);
    gf_cleanup(gf_freep) uint8_t *whole = gf_exif_write(&meta, 1, &view, GF_EXIF_MAX, &size);
    assert_in_range(size, NOTE_AT + LARGE, NOTE_AT + LARGE + 400);
    gf_cleanup(gf_freep) uint8_t *part = gf_exif_write(&meta, 1, &view, NOTE_AT + LARGE, &size);
    assert_in_range(size, 100, 400);
    gf_exif_read(part, size, &again);
    assert_exif(&again, WIDTH, false);
    gf_image_meta_deinit(&meta);
    gf_image_meta_deinit(&again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_keeps_it),
        cmocka_unit_test(it_survives_a_chain),
        cmocka_unit_test(malice_is_bounded),
        cmocka_unit_test(damage_is_not_kept),
        cmocka_unit_test(xmp_that_is_no_text_is_dropped),
        cmocka_unit_test(a_gain_map_is_not_announced),
        cmocka_unit_test(thumbnails_of_all_spellings_are_dropped),
        cmocka_unit_test(a_large_note_is_left_out_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
