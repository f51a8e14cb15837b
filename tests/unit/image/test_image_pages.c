/* SPDX-License-Identifier: MIT */
/* Files of several pages through the shared library libgpufilterimage: what is read in turn, and what is written. */
#include <gpufilter/image.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/base/base.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

#define WIDTH 24u
#define HEIGHT 16u
#define PAGES 3u

static uint8_t samples[PAGES][WIDTH * HEIGHT * 3];

/* A page of few colours, so that gif holds them; no two pages are equal. */
static gpufilter_view page_of(uint32_t page)
{
    for (size_t i = 0; i < sizeof(samples[0]); i++)
        samples[page][i] = (uint8_t)(40 * (i / 3 % WIDTH / 8) + 30 * page + 7 * (i % 3));
    return gpufilter_tight_view(samples[page], WIDTH, HEIGHT, GPUFILTER_U8, 3);
}

static void refused(int status, int want, const gpufilter_error *err, const char *words)
{
    if (status != want || err->status != want || !strstr(err->text, words))
        fail_msg("%d \"%s\" instead of %d \"%s\"", status, err->text, want, words);
}

static void ok(int status, const gpufilter_error *err)
{
    if (status != GPUFILTER_OK)
        fail_msg("%d %s", status, err->text);
}

/* Whether this machine has what writes the format. */
static bool is_here(const char *word)
{
    gpufilter_image_format format = GPUFILTER_IMAGE_FORMAT_INIT;
    for (uint32_t i = 0; gpufilter_image_get_format(i, &format, NULL) == GPUFILTER_OK; i++)
        if (strcmp(format.word, word) == 0)
            return (format.flags & GPUFILTER_IMAGE_WRITES) != 0;
    return false;
}

static unsigned files_in(const char *dir)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (const struct dirent *e = readdir(d); e; e = readdir(d))
        n += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(d);
    return n;
}

/* The pages that were taken. */
struct taken {
    unsigned n, stop_at; /* 0: never */
    unsigned out;        /* blocks of memory that are out */
    gpufilter_image *pages[PAGES];
};

static int take(void *user, gpufilter_image *page, gpufilter_error *err)
{
    struct taken *t = user;
    assert_true(t->n < PAGES);
    t->pages[t->n++] = page;
    if (t->n != t->stop_at)
        return GPUFILTER_OK;
    if (err)
        snprintf(err->text, sizeof(err->text), "enough");
    return GPUFILTER_E_CANCELLED;
}

static void *take_memory(void *user, uint64_t size)
{
    ((struct taken *)user)->out++;
    return malloc(size);
}

static void give_back(void *user, void *data)
{
    ((struct taken *)user)->out--;
    free(data);
}

static void drop(struct taken *t)
{
    for (unsigned i = 0; i < t->n; i++)
        gpufilter_image_free(t->pages[i]);
    t->n = 0;
}

/* Writes all pages to a file. */
static void write_pages(const char *path, const gpufilter_image_write_options *as)
{
    gpufilter_image_file *file = NULL;
    gpufilter_error err = {.text = ""};
    ok(gpufilter_image_create(path, PAGES, as, &file, &err), &err);
    for (uint32_t i = 0; i < PAGES; i++) {
        const gpufilter_view view = page_of(i);
        gpufilter_image_report report = GPUFILTER_IMAGE_REPORT_INIT;
        ok(gpufilter_image_add(file, &view, NULL, &report, &err), &err);
        assert_string_equal(report.lost, "");
    }
    ok(gpufilter_image_commit(file, &err), &err);
}

static void every_format_gives_back_its_pages(void **state)
{
    UNUSED(state);
    static const char *const words[] = {"tiff", "npy", "png", "gif", "webp"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    for (size_t w = 0; w < GF_ARRAY_LEN(words); w++) {
        char path[256];
        const bool is_animation = w >= 2;
        gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
        gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
        gpufilter_error err = {.text = ""};
        struct taken t = {.n = 0};
        as.flags = GPUFILTER_IMAGE_LOSSLESS;
        as.delay_ms = is_animation ? 70 : 0;
        how.alloc = take_memory;
        how.free = give_back;
        how.user = &t;
        if (!is_here(words[w]))
            continue;
        snprintf(path, sizeof(path), "%s/a.%s", dir, words[w]);
        write_pages(path, &as);
        ok(gpufilter_image_read_pages(path, &how, take, &t, &err), &err);
        assert_int_equal(t.n, PAGES);
        for (unsigned i = 0; i < PAGES; i++) {
            const gpufilter_view *got = gpufilter_image_view(t.pages[i]);
            gpufilter_image_facts facts = GPUFILTER_IMAGE_FACTS_INIT;
            ok(gpufilter_image_describe(t.pages[i], &facts, &err), &err);
            assert_int_equal(facts.pages, PAGES);
            assert_int_equal(facts.delay_ms, as.delay_ms);
            assert_int_equal(got->width, WIDTH);
            assert_int_equal(got->height, HEIGHT);
            for (size_t k = 0; k < (size_t)WIDTH * HEIGHT; k++)
                assert_memory_equal((uint8_t *)got->data + got->channels * k, samples[i] + 3 * k, 3);
        }
        drop(&t);
        assert_int_equal(t.out, 0);
    }
}

static void a_caller_begins_and_ends_where_it_likes(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gpufilter_image_read_options how = GPUFILTER_IMAGE_READ_OPTIONS_INIT;
    gpufilter_error err = {.text = ""};
    struct taken t = {.n = 0};
    char path[256];
    snprintf(path, sizeof(path), "%s/a.npy", dir);
    write_pages(path, NULL);
    how.page = 2;
    ok(gpufilter_image_read_pages(path, &how, take, &t, &err), &err);
    assert_int_equal(t.n, 2);
    assert_memory_equal(gpufilter_image_view(t.pages[0])->data, samples[1], sizeof(samples[1]));
    drop(&t);
    how.page = PAGES + 1;
    refused(gpufilter_image_read_pages(path, &how, take, &t, &err), GPUFILTER_E_BAD_FILE, &err, "has 3 pages");
    t.stop_at = 2;
    assert_int_equal(gpufilter_image_read_pages(path, NULL, take, &t, &err), GPUFILTER_E_CANCELLED);
    assert_string_equal(err.text, "enough");
    assert_int_equal(t.n, 2);
    drop(&t);
    assert_int_equal(gpufilter_image_read_pages(path, NULL, take, &t, NULL), GPUFILTER_E_CANCELLED);
    drop(&t);
    refused(gpufilter_image_read_pages(path, NULL, NULL, &t, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "take is NULL");
    refused(gpufilter_image_read_pages(NULL, NULL, take, &t, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "path is NULL");
    refused(gpufilter_image_read_pages_memory("P", 1, NULL, take, &t, &err), GPUFILTER_E_BAD_FILE, &err, "image: ");
    assert_int_equal(t.n, 0);
    /* A format without pages has one. */
    ok(gpufilter_image_read_pages_memory("P5 1 1 255\n7", 12, NULL, take, &t, &err), &err);
    assert_int_equal(t.n, 1);
    assert_int_equal(*(uint8_t *)gpufilter_image_view(t.pages[0])->data, '7');
    drop(&t);
}

static void pages_of_a_tiff_differ_and_others_must_not(void **state)
{
    UNUSED(state);
    static const char *const words[] = {"tiff", "npy"};
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    static const float small[4] = {0.5f, 0.25f, 1.0f, 0.0f};
    const gpufilter_view first = page_of(0);
    const gpufilter_view second = gpufilter_tight_view((void *)(uintptr_t)small, 2, 2, GPUFILTER_F32, 1);
    for (size_t w = 0; w < GF_ARRAY_LEN(words); w++) {
        gpufilter_error err = {.text = ""};
        gpufilter_image_file *file = NULL;
        struct taken t = {.n = 0};
        char path[256];
        if (!is_here(words[w]))
            continue;
        snprintf(path, sizeof(path), "%s/a.%s", dir, words[w]);
        ok(gpufilter_image_create(path, 2, NULL, &file, &err), &err);
        ok(gpufilter_image_add(file, &first, NULL, NULL, &err), &err);
        if (w == 1) {
            refused(gpufilter_image_add(file, &second, NULL, NULL, &err), GPUFILTER_E_UNSUPPORTED, &err,
                    "pages of npy must be alike");
            refused(gpufilter_image_add(file, &first, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "before");
            refused(gpufilter_image_commit(file, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "1 of 2 pages were added");
            continue;
        }
        ok(gpufilter_image_add(file, &second, NULL, NULL, &err), &err);
        ok(gpufilter_image_commit(file, &err), &err);
        ok(gpufilter_image_read_pages(path, NULL, take, &t, &err), &err);
        assert_int_equal(t.n, 2);
        assert_int_equal(gpufilter_image_view(t.pages[1])->dtype, GPUFILTER_F32);
        assert_memory_equal(gpufilter_image_view(t.pages[1])->data, small, sizeof(small));
        drop(&t);
    }
    assert_int_equal(files_in(dir), is_here("tiff") ? 1 : 0);
}

static void a_file_needs_all_its_pages(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    const gpufilter_view view = page_of(0);
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_error err = {.text = ""};
    gpufilter_image_file *file = NULL;
    char path[256], jpeg[256], none[256];
    snprintf(path, sizeof(path), "%s/a.png", dir);
    snprintf(jpeg, sizeof(jpeg), "%s/a.jpg", dir);
    snprintf(none, sizeof(none), "%s/none/a.png", dir);
    refused(gpufilter_image_create(path, 0, NULL, &file, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "pages=0");
    refused(gpufilter_image_create(NULL, 1, NULL, &file, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "path is NULL");
    refused(gpufilter_image_create(path, 1, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "ret_file is NULL");
    refused(gpufilter_image_create(jpeg, 2, NULL, &file, &err), GPUFILTER_E_UNSUPPORTED, &err,
            "jpeg holds one picture, and there are 2 pages");
    refused(gpufilter_image_create(none, 2, NULL, &file, &err), GPUFILTER_E_CANT_CREATE, &err, "none/a.png");
    as.quality = 101;
    refused(gpufilter_image_create(path, 2, &as, &file, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "quality=101");
    assert_null(file);
    ok(gpufilter_image_create(jpeg, 1, NULL, &file, &err), &err);
    ok(gpufilter_image_add(file, &view, NULL, NULL, &err), &err);
    refused(gpufilter_image_add(file, &view, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "has its 1 pages");
    ok(gpufilter_image_commit(file, &err), &err);
    ok(gpufilter_image_create(path, 2, NULL, &file, &err), &err);
    ok(gpufilter_image_add(file, &view, NULL, NULL, &err), &err);
    refused(gpufilter_image_commit(file, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "1 of 2 pages were added");
    ok(gpufilter_image_create(path, 2, NULL, &file, &err), &err);
    ok(gpufilter_image_add(file, &view, NULL, NULL, &err), &err);
    assert_int_equal(files_in(dir), 2); /* the jpeg, and a temporary file */
    gpufilter_image_discard(file);
    gpufilter_image_discard(NULL);
    assert_int_equal(files_in(dir), 1);
    refused(gpufilter_image_add(NULL, &view, NULL, NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "file is NULL");
    refused(gpufilter_image_commit(NULL, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "file is NULL");
}

/* A PNG whose gamma is 1: its colours are its own. */
static gpufilter_image *linear_picture(void)
{
    static const uint8_t gama[] = "\0\0\0\4gAMA\0\1\x86\xa0\x31\xe8\x96\x5f";
    const gpufilter_view view = page_of(1);
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_error err = {.text = ""};
    gpufilter_image *image = NULL;
    void *bytes = NULL;
    size_t size = 0;
    as.format = "png";
    ok(gpufilter_image_write_memory(&view, &as, &bytes, &size, NULL, &err), &err);
    uint8_t *file = malloc(size + 16);
    assert_non_null(file);
    memcpy(file, bytes, 33); /* mark and IHDR */
    memcpy(file + 33, gama, 16);
    memcpy(file + 49, (uint8_t *)bytes + 33, size - 33);
    ok(gpufilter_image_read_memory(file, size + 16, NULL, &image, &err), &err);
    free(file);
    free(bytes);
    return image;
}

static void colours_of_later_pages_are_a_loss(void **state)
{
    UNUSED(state);
    gf_cleanup(gf_temp_dir_freep) char *dir = gf_temp_dir_new();
    gpufilter_image *linear = linear_picture();
    const gpufilter_view view = page_of(0);
    for (uint32_t strict = 0; strict < 2; strict++) {
        gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
        gpufilter_image_report report = GPUFILTER_IMAGE_REPORT_INIT;
        gpufilter_error err = {.text = ""};
        gpufilter_image_file *file = NULL;
        char path[256];
        snprintf(path, sizeof(path), "%s/a.png", dir);
        as.flags = strict ? GPUFILTER_IMAGE_STRICT : 0;
        ok(gpufilter_image_create(path, PAGES, &as, &file, &err), &err);
        ok(gpufilter_image_add(file, &view, NULL, &report, &err), &err);
        const int s = gpufilter_image_add(file, gpufilter_image_view(linear), linear, &report, &err);
        if (strict) {
            refused(s, GPUFILTER_E_LOSS, &err, "pages differ in the colour space");
            gpufilter_image_discard(file);
            continue;
        }
        ok(s, &err);
        assert_string_equal(report.lost, "its own colour space");
        ok(gpufilter_image_add(file, &view, NULL, &report, &err), &err);
        assert_string_equal(report.lost, "");
        ok(gpufilter_image_commit(file, &err), &err);
    }
    gpufilter_image_write_options as = GPUFILTER_IMAGE_WRITE_OPTIONS_INIT;
    gpufilter_image_file *file = NULL;
    gpufilter_error err = {.text = ""};
    as.source = linear;
    refused(gpufilter_image_create("a.png", 2, &as, &file, &err), GPUFILTER_E_BAD_ARGUMENT, &err, "source is not NULL");
    gpufilter_image_free(linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_gives_back_its_pages),
        cmocka_unit_test(a_caller_begins_and_ends_where_it_likes),
        cmocka_unit_test(pages_of_a_tiff_differ_and_others_must_not),
        cmocka_unit_test(a_file_needs_all_its_pages),
        cmocka_unit_test(colours_of_later_pages_are_a_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
