/* SPDX-License-Identifier: MIT */
/* client/cli/output: files appear whole or not at all, keep their modes, and leave no temporary file. */
#include "client/io/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "image_fixture.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

/* A directory, a path in it, and the descriptors that must be open again at the end. */
struct place {
    char *dir;
    char *path;
    int descriptors;
};

static int enter(void **state)
{
    struct place *p = malloc(sizeof(*p));
    if (!p)
        return -1;
    p->descriptors = gf_fd_count();
    p->dir = gf_temp_dir_new();
    p->path = fixture_path(p->dir, "out");
    *state = p;
    return 0;
}

static int leave(void **state)
{
    struct place *p = *state;
    int left = gf_fd_count() - p->descriptors;
    gf_temp_dir_free(p->dir);
    free(p->path);
    free(p);
    return left == 0 ? 0 : -1;
}

static enum gf_io_status store(const char *path, const char *text, struct gf_io_error *err)
{
    gf_cleanup(gf_output_discardp) struct gf_output_file *out = NULL;
    enum gf_io_status r = gf_output_open(path, false, &out, err);
    if (r == GF_IO_OK)
        r = gf_output_write(out, text, strlen(text), err);
    return r == GF_IO_OK ? gf_output_commit(&out, err) : r;
}

static void assert_holds(const char *path, const char *text)
{
    size_t size = 0;
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(path, &size);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
}

static mode_t mode_of(const char *path)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void a_new_file_takes_the_umask(void **state)
{
    struct place *p = *state;
    mode_t old = umask(027);
    assert_int_equal(store(p->path, "new", NULL), GF_IO_OK);
    umask(old);
    assert_holds(p->path, "new");
    assert_int_equal(mode_of(p->path), 0640);
    assert_int_equal(fixture_entries(p->dir), 1);
}

static void a_replaced_file_keeps_its_mode(void **state)
{
    struct place *p = *state;
    fixture_store(p->path, "old", 3);
    assert_int_equal(chmod(p->path, 0604), 0);
    assert_int_equal(store(p->path, "new", NULL), GF_IO_OK);
    assert_holds(p->path, "new");
    assert_int_equal(mode_of(p->path), 0604);
    assert_int_equal(fixture_entries(p->dir), 1);
}

static void nothing_shows_before_the_commit(void **state)
{
    struct place *p = *state;
    struct gf_output_file *out = NULL;
    fixture_store(p->path, "old", 3);
    assert_int_equal(gf_output_open(p->path, true, &out, NULL), GF_IO_OK);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(gf_output_write(out, "0123456789abcdefghijklmnopqrstuvwxyz", 36, NULL), GF_IO_OK);
    assert_holds(p->path, "old");
    gf_output_discardp(&out);
    assert_null(out);
    assert_holds(p->path, "old");
    assert_int_equal(fixture_entries(p->dir), 1);
}

static void large_and_small_pieces_keep_their_order(void **state)
{
    struct place *p = *state;
    gf_cleanup(gf_freep) char *piece = malloc(200000);
    struct gf_output_file *out = NULL;
    size_t size = 0;
    assert_non_null(piece);
    for (size_t i = 0; i < 200000; i++)
        piece[i] = (char)(i * 7 >> 3);
    assert_int_equal(gf_output_open(p->path, true, &out, NULL), GF_IO_OK);
    for (size_t at = 0, n = 1; at < 200000; at += n, n = n * 3 < 200000 - at ? n * 3 : 200000 - at)
        assert_int_equal(gf_output_write(out, piece + at, n, NULL), GF_IO_OK);
    assert_int_equal(gf_output_commit(&out, NULL), GF_IO_OK);
    assert_null(out);
    gf_cleanup(gf_freep) uint8_t *bytes = fixture_load(p->path, &size);
    assert_int_equal(size, 200000);
    assert_memory_equal(bytes, piece, size);
}

static void links_are_followed(void **state)
{
    struct place *p = *state;
    gf_cleanup(gf_freep) char *link = fixture_path(p->dir, "link");
    struct stat st;
    struct gf_io_error err;
    fixture_store(p->path, "old", 3);
    assert_int_equal(symlink("out", link), 0);
    assert_int_equal(store(link, "new", NULL), GF_IO_OK);
    assert_int_equal(lstat(link, &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_holds(p->path, "new");
    assert_int_equal(unlink(p->path), 0);
    assert_int_equal(store(link, "new", &err), GF_IO_CANT_CREATE);
    fixture_assert_says(&err, "dangling symbolic link");
}

static void places_that_take_no_file_are_refused(void **state)
{
    struct place *p = *state;
    gf_cleanup(gf_freep) char *below_file = fixture_path(p->path, "x");
    gf_cleanup(gf_freep) char *below_nothing = fixture_path(p->dir, "missing/x");
    gf_cleanup(gf_freep) char *no_name = fixture_path(p->dir, "missing/");
    struct gf_io_error err;
    fixture_store(p->path, "old", 3);
    assert_int_equal(store(p->dir, "x", &err), GF_IO_CANT_CREATE);
    fixture_assert_says(&err, "is a directory");
    assert_int_equal(store(below_file, "x", &err), GF_IO_CANT_CREATE);
    fixture_assert_says(&err, strerror(ENOTDIR));
    assert_int_equal(store(below_nothing, "x", &err), GF_IO_CANT_CREATE);
    fixture_assert_says(&err, strerror(ENOENT));
    assert_int_equal(store(no_name, "x", &err), GF_IO_CANT_CREATE);
    assert_int_equal(store("", "x", &err), GF_IO_CANT_CREATE);
    assert_int_equal(fixture_entries(p->dir), 1);
}

/* Root may write everywhere, so the test runs as another user. */
static void protected_places_are_refused(void **state)
{
    struct place *p = *state;
    gf_cleanup(gf_freep) char *other = fixture_path(p->dir, "other");
    struct gf_io_error err;
    fixture_store(p->path, "old", 3);
    assert_int_equal(chmod(p->path, 0444), 0);
    bool is_root = geteuid() == 0;
    assert_int_equal(chmod(p->dir, 0777), 0);
    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    enum gf_io_status file_status = store(p->path, "new", &err);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(file_status, GF_IO_CANT_CREATE);
    fixture_assert_says(&err, strerror(EACCES));

    assert_int_equal(chmod(p->dir, 0555), 0);
    if (is_root)
        assert_int_equal(seteuid(65534), 0);
    enum gf_io_status dir_status = store(other, "new", &err);
    if (is_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(chmod(p->dir, 0700), 0);
    assert_int_equal(dir_status, GF_IO_CANT_CREATE);
    fixture_assert_says(&err, strerror(EACCES));
    assert_holds(p->path, "old");
    assert_int_equal(fixture_entries(p->dir), 1);
}

static void special_files_are_written_directly(void **state)
{
    struct place *p = *state;
    char got[8] = {0};
    struct stat st;
    struct gf_io_error err;
    assert_int_equal(store("/dev/null", "gone", NULL), GF_IO_OK);
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(store("/dev/full", "x", &err), GF_IO_FAILED);
    fixture_assert_says(&err, strerror(ENOSPC));
    assert_int_equal(mkfifo(p->path, 0600), 0);
    gf_cleanup(gf_closep) int fifo = open(p->path, O_RDWR | O_CLOEXEC);
    assert_int_equal(store(p->path, "through", NULL), GF_IO_OK);
    assert_int_equal(read(fifo, got, sizeof(got)), 7);
    assert_string_equal(got, "through");
    assert_int_equal(fixture_entries(p->dir), 1);
}

static void a_failure_is_told_again_by_every_later_call(void **state)
{
    UNUSED(state);
    struct gf_output_file *out = NULL;
    struct gf_io_error first;
    struct gf_io_error last;
    static const char zeros[100000];
    assert_int_equal(gf_output_open("/dev/full", true, &out, NULL), GF_IO_OK);
    assert_int_equal(gf_output_write(out, zeros, sizeof(zeros), &first), GF_IO_FAILED);
    assert_int_equal(gf_output_write(out, NULL, 0, &last), GF_IO_FAILED);
    assert_string_equal(first.text, last.text);
    assert_int_equal(gf_output_commit(&out, &last), GF_IO_FAILED);
    assert_string_equal(first.text, last.text);
    assert_null(out);
}

static void terminals_get_no_bytes(void **state)
{
    UNUSED(state);
    struct gf_output_file *out = NULL;
    struct gf_io_error err;
    gf_cleanup(gf_closep) int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    char name[64];
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 || ptsname_r(master, name, sizeof(name)) != 0) {
        puts("skipped: no terminal can be made here");
        skip();
    }
    assert_int_equal(gf_output_open(name, true, &out, &err), GF_IO_USAGE);
    fixture_assert_says(&err, "is a terminal");
    assert_null(out);
    assert_int_equal(gf_output_open(name, false, &out, &err), GF_IO_OK);
    gf_output_discardp(&out);
}

static void on_signal(int number)
{
    gf_output_abort();
    _exit(number);
}

static void a_signal_leaves_nothing_behind(void **state)
{
    struct place *p = *state;
    gf_cleanup(gf_freep) char *other = fixture_path(p->dir, "other");
    int status = 0;
    fixture_store(p->path, "old", 3);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct gf_output_file *a = NULL;
        struct gf_output_file *b = NULL;
        signal(SIGTERM, on_signal);
        bool open = gf_output_open(p->path, true, &a, NULL) == GF_IO_OK &&
                    gf_output_open(other, true, &b, NULL) == GF_IO_OK &&
                    gf_output_write(a, p, sizeof(*p), NULL) == GF_IO_OK;
        if (!open || fixture_entries(p->dir) != 3)
            _exit(1);
        raise(SIGTERM);
        _exit(2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SIGTERM);
    assert_holds(p->path, "old");
    assert_int_equal(fixture_entries(p->dir), 1);
}

static void many_outputs_are_open_at_a_time(void **state)
{
    struct place *p = *state;
    struct gf_output_file *outs[65] = {NULL};
    for (int i = 0; i < 65; i++)
        assert_int_equal(gf_output_open(p->path, true, &outs[i], NULL), GF_IO_OK);
    assert_int_equal(fixture_entries(p->dir), 65);
    for (int i = 0; i < 65; i++)
        gf_output_discardp(&outs[i]);
    assert_int_equal(fixture_entries(p->dir), 0);
    assert_int_equal(store(p->path, "again", NULL), GF_IO_OK);
}

static void an_output_to_memory_has_the_bytes_of_a_file(void **state)
{
    gf_cleanup(gf_freep) uint8_t *bytes = malloc(200001);
    void *got = NULL;
    size_t size = 0;
    struct gf_output_file *out = NULL;
    (void)state;
    for (size_t i = 0; i < 200001; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    assert_int_equal(gf_output_open_memory("bytes", &out, NULL), GF_IO_OK);
    assert_true(gf_output_can_patch(out));
    for (size_t at = 0, n = 1; at < 200001; at += n, n = n * 3 < 200001 - at ? n * 3 : 200001 - at)
        assert_int_equal(gf_output_write(out, bytes + at, n, NULL), GF_IO_OK);
    assert_int_equal(gf_output_patch(out, 3, "abc", 3, NULL), GF_IO_OK);
    assert_int_equal(gf_output_take(&out, &got, &size, NULL), GF_IO_OK);
    assert_null(out);
    assert_int_equal(size, 200001);
    memcpy(bytes + 3, "abc", 3);
    assert_memory_equal(got, bytes, size);
    free(got);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_output_to_memory_has_the_bytes_of_a_file),
        IN_PLACE(a_new_file_takes_the_umask),
        IN_PLACE(a_replaced_file_keeps_its_mode),
        IN_PLACE(nothing_shows_before_the_commit),
        IN_PLACE(large_and_small_pieces_keep_their_order),
        IN_PLACE(links_are_followed),
        IN_PLACE(places_that_take_no_file_are_refused),
        IN_PLACE(protected_places_are_refused),
        IN_PLACE(special_files_are_written_directly),
        IN_PLACE(a_failure_is_told_again_by_every_later_call),
        IN_PLACE(terminals_get_no_bytes),
        IN_PLACE(a_signal_leaves_nothing_behind),
        IN_PLACE(many_outputs_are_open_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
