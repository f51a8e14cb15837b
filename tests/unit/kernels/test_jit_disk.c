/* SPDX-License-Identifier: MIT */
/* Kernels in files: they are kept and found, and a file that is damaged in any way is not used. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/cuda/jit/compiler_msg.h"
#include "kernels/cuda/jit/disk.h"
#include "tests/unit/unit.h"

#define CODE_SIZE 1000u

static char g_folder[64];
static struct gf_jit_disk g_disk;
static char g_code[CODE_SIZE];

static struct gf_jit_disk_key key_of(const char *text)
{
    return (struct gf_jit_disk_key){text, (uint32_t)strlen(text)};
}

/* The number of visible files in the folder; *ret_path is the path of the last one found. */
static uint32_t files(char *ret_path, size_t size)
{
    uint32_t n = 0;
    const struct dirent *entry;
    DIR *folder = opendir(g_folder);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.') {
            n++;
            if (ret_path)
                snprintf(ret_path, size, "%s/%s", g_folder, entry->d_name);
        }
    closedir(folder);
    return n;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(g_folder, sizeof(g_folder), "/tmp/gf_jit_disk_XXXXXX");
    assert_non_null(mkdtemp(g_folder));
    for (uint32_t i = 0; i < CODE_SIZE; i++)
        g_code[i] = (char)(i * 7);
    assert_true(gf_jit_disk_open(g_folder, &g_disk));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char path[400];
    gf_jit_disk_close(&g_disk);
    chmod(g_folder, 0700);
    while (files(path, sizeof(path)) > 0)
        assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(g_folder), 0);
    return 0;
}

static bool finds(const char *text)
{
    const struct gf_jit_disk_key key = key_of(text);
    void *code = NULL;
    size_t size = 0;
    bool found = gf_jit_disk_load(&g_disk, &key, &code, &size);
    if (found) {
        assert_int_equal(size, CODE_SIZE);
        assert_memory_equal(code, g_code, CODE_SIZE);
    }
    free(code);
    return found;
}

static void save_for(uint64_t user, const char *text)
{
    const struct gf_jit_disk_key key = key_of(text);
    gf_jit_disk_save(&g_disk, &key, user, g_code, CODE_SIZE);
}

static void save(const char *text)
{
    save_for(0, text);
}

static void keeps_what_is_saved(void **state)
{
    (void)state;
    char path[400];
    struct stat st;
    assert_false(finds("one"));
    save("one");
    save("two");
    save("one");
    assert_true(finds("one"));
    assert_true(finds("two"));
    assert_false(finds("three"));
    assert_int_equal(files(path, sizeof(path)), 2);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    const struct gf_jit_disk_key key = key_of("one");
    gf_jit_disk_remove(&g_disk, &key);
    assert_false(finds("one"));
    assert_true(finds("two"));
}

/* Every byte of a file counts, and its end. */
static void a_changed_file_is_none(void **state)
{
    (void)state;
    char path[400], whole[4096];
    save("key");
    assert_int_equal(files(path, sizeof(path)), 1);
    int fd = open(path, O_RDONLY);
    ssize_t size = read(fd, whole, sizeof(whole));
    close(fd);
    assert_in_range(size, CODE_SIZE, sizeof(whole) - 1);
    for (ssize_t i = 0; i <= size; i++) {
        save("key");
        fd = open(path, O_WRONLY);
        char other = (char)(i < size ? whole[i] ^ 0x10 : 0); /* the last one is a byte too many */
        assert_int_equal(pwrite(fd, &other, 1, i), 1);
        close(fd);
        assert_false(finds("key"));
        assert_int_equal(files(NULL, 0), 0); /* it is removed */
    }
    for (ssize_t i = 0; i < size; i++) {
        save("key");
        assert_int_equal(truncate(path, i), 0);
        assert_false(finds("key"));
        assert_int_equal(files(NULL, 0), 0);
    }
}

/* The file of one key under the name of another. */
static void a_file_of_another_key_is_none(void **state)
{
    (void)state;
    char one[400], two[400], other[100];
    snprintf(other, sizeof(other), "%s.other", g_folder);
    save("one");
    files(one, sizeof(one));
    assert_int_equal(rename(one, other), 0);
    save("two");
    files(two, sizeof(two));
    assert_string_not_equal(one, two);
    assert_int_equal(rename(other, two), 0);
    assert_false(finds("two"));
    assert_int_equal(files(NULL, 0), 0);
}

static void a_file_that_others_write_is_none(void **state)
{
    (void)state;
    char path[400];
    const mode_t modes[] = {0620, 0602, 0666};
    for (size_t i = 0; i < 3; i++) {
        save("key");
        files(path, sizeof(path));
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_false(finds("key"));
        assert_int_equal(files(NULL, 0), 0);
    }
}

static void what_is_no_file_is_none(void **state)
{
    (void)state;
    char path[400], kept[100];
    snprintf(kept, sizeof(kept), "%s.kept", g_folder);
    save("key");
    files(path, sizeof(path));
    assert_int_equal(rename(path, kept), 0);
    assert_int_equal(symlink(kept, path), 0);
    assert_false(finds("key")); /* though it is the right file behind the link */
    assert_int_equal(files(NULL, 0), 0);
    assert_int_equal(unlink(kept), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_false(finds("key"));
    assert_int_equal(files(NULL, 0), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(finds("key")); /* and it stays, because folders are never removed */
    assert_int_equal(files(NULL, 0), 1);
}

static void a_file_of_somebody_else_is_none(void **state)
{
    (void)state;
    char path[400];
    if (geteuid() != 0) {
        print_message("skipped: needs root to give files away\n");
        skip();
    }
    save("key");
    files(path, sizeof(path));
    assert_int_equal(chown(path, 12345, 12345), 0);
    assert_false(finds("key"));
    assert_int_equal(files(NULL, 0), 0);
}

static void a_folder_is_its_users_alone(void **state)
{
    (void)state;
    struct gf_jit_disk disk;
    char inner[100];
    snprintf(inner, sizeof(inner), "%s/inner", g_folder);
    assert_false(gf_jit_disk_open(NULL, &disk));
    assert_false(gf_jit_disk_open("/nowhere/at/all", &disk));
    assert_int_equal(disk.folder, -1);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_true(gf_jit_disk_open(inner, &disk));
    gf_jit_disk_close(&disk);
    assert_int_equal(chmod(inner, 0770), 0);
    assert_false(gf_jit_disk_open(inner, &disk));
    assert_int_equal(disk.folder, -1);
    const struct gf_jit_disk_key key = key_of("key");
    void *code;
    size_t size;
    gf_jit_disk_save(&disk, &key, 0, g_code, CODE_SIZE); /* without a folder nothing is kept */
    assert_false(gf_jit_disk_load(&disk, &key, &code, &size));
    assert_int_equal(rmdir(inner), 0);
}

/* Sets the age of the file saved last, in seconds before a time long ago; only this file is younger than that time. */
static void set_age(uint32_t seconds)
{
    const time_t long_ago = 1000000000;
    const struct timespec time = {.tv_sec = long_ago - (time_t)seconds}, times[2] = {time, time};
    const struct dirent *entry;
    struct stat st;
    DIR *folder = opendir(g_folder);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.' && fstatat(dirfd(folder), entry->d_name, &st, 0) == 0 &&
            st.st_mtim.tv_sec > long_ago)
            assert_int_equal(utimensat(dirfd(folder), entry->d_name, times, 0), 0);
    closedir(folder);
}

/* The one used longest ago goes, and loading is using. */
static void the_oldest_file_goes(void **state)
{
    (void)state;
    char text[32];
    for (uint32_t i = 0; i < GF_JIT_DISK_FILES; i++) {
        snprintf(text, sizeof(text), "key %u", i);
        save(text);
        set_age(GF_JIT_DISK_FILES - i);
    }
    assert_int_equal(files(NULL, 0), GF_JIT_DISK_FILES);
    assert_true(finds("key 0"));
    save("one more");
    assert_int_equal(files(NULL, 0), GF_JIT_DISK_FILES);
    assert_true(finds("key 0"));
    assert_false(finds("key 1"));
    assert_true(finds("key 2"));
    assert_true(finds("one more"));
}

static void bytes_are_bounded(void **state)
{
    (void)state;
    char text[32];
    char *code = calloc(1, GF_JIT_CODE_MAX);
    const uint32_t fit = GF_JIT_DISK_BYTES / GF_JIT_CODE_MAX;
    for (uint32_t i = 0; i < fit + 2; i++) {
        snprintf(text, sizeof(text), "key %u", i);
        const struct gf_jit_disk_key key = key_of(text);
        gf_jit_disk_save(&g_disk, &key, 0, code, GF_JIT_CODE_MAX);
        set_age(fit + 2 - i);
    }
    assert_int_equal(files(NULL, 0), fit - 1); /* heads and keys take room, too */
    const struct gf_jit_disk_key key = key_of("too large");
    gf_jit_disk_save(&g_disk, &key, 0, code, GF_JIT_CODE_MAX + 1);
    assert_int_equal(files(NULL, 0), fit - 1);
    free(code);
}

/* Saves the files `first` to `end` - 1 of a user. */
static void save_many(uint64_t user, uint32_t first, uint32_t end)
{
    char text[64];
    for (uint32_t i = first; i < end; i++) {
        snprintf(text, sizeof(text), "key %u of %u", i, (unsigned)user);
        save_for(user, text);
    }
}

/* How many of a user's files 0 to n - 1 there are. */
static uint32_t found_of(uint64_t user, uint32_t n)
{
    char text[64];
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(text, sizeof(text), "key %u of %u", i, (unsigned)user);
        found += finds(text);
    }
    return found;
}

/* A user has all the room until others want some, and loses none of a fair share to a user who saves ever more. */
static void the_room_is_shared(void **state)
{
    (void)state;
    save_many(1, 0, GF_JIT_DISK_FILES + 10);
    assert_int_equal(found_of(1, GF_JIT_DISK_FILES + 10), GF_JIT_DISK_FILES);
    save_many(2, 0, 3);
    save_many(1, 1000, 1020);
    assert_int_equal(found_of(2, 3), 3);
    save_many(2, 3, GF_JIT_DISK_FILES / 2 + 10);
    assert_int_equal(found_of(2, GF_JIT_DISK_FILES / 2 + 10), GF_JIT_DISK_FILES / 2);
    assert_int_equal(files(NULL, 0), GF_JIT_DISK_FILES);
}

/* Large files count for more, for those who want room too. */
static void bytes_are_shared(void **state)
{
    (void)state;
    char text[64];
    char *code = calloc(1, GF_JIT_CODE_MAX);
    save_many(2, 0, 10);
    for (uint32_t i = 0; i < 20; i++) {
        snprintf(text, sizeof(text), "large %u", i);
        const struct gf_jit_disk_key key = key_of(text);
        gf_jit_disk_save(&g_disk, &key, 1, code, GF_JIT_CODE_MAX);
    }
    assert_int_equal(found_of(2, 10), 10);
    save_many(2, 10, GF_JIT_DISK_FILES / 2);
    assert_int_equal(found_of(2, GF_JIT_DISK_FILES / 2), GF_JIT_DISK_FILES / 2);
    save_many(1, 0, GF_JIT_DISK_FILES / 2);
    assert_int_equal(found_of(1, GF_JIT_DISK_FILES / 2), GF_JIT_DISK_FILES / 2);
    const struct gf_jit_disk_key key = key_of("one more");
    gf_jit_disk_save(&g_disk, &key, 1, code, GF_JIT_CODE_MAX);
    assert_int_equal(found_of(2, GF_JIT_DISK_FILES / 2), GF_JIT_DISK_FILES / 2);
    free(code);
}

static void what_nobody_loads_goes_first(void **state)
{
    (void)state;
    save_for(1, "old");
    set_age(0);
    save_for(1, "new");
    save_many(2, 0, GF_JIT_DISK_FILES - 1);
    assert_false(finds("old"));
    assert_true(finds("new"));
    assert_int_equal(found_of(2, GF_JIT_DISK_FILES - 1), GF_JIT_DISK_FILES - 1);
    save_many(2, GF_JIT_DISK_FILES, GF_JIT_DISK_FILES + 1);
    assert_true(finds("new"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keeps_what_is_saved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_changed_file_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_another_key_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_write_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_file_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_of_somebody_else_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_is_its_users_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_file_goes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_room_is_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bytes_are_shared, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_nobody_loads_goes_first, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
