/* SPDX-License-Identifier: MIT */
/* Memfds that processes share: complete, sealed, backed by huge pages and mapped at their boundaries. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "protocol/base/shared_memory.h"
#include "tests/support/resources.h"

#define MIB (UINT64_C(1) << 20)

static int memory_of(uint64_t size)
{
    int fd = gf_shared_memory_open("test", size);
    assert_true(fd >= 0);
    return fd;
}

static uint8_t *map_of(int fd, uint64_t size, bool all_at_once)
{
    uint8_t *data = gf_shared_memory_map(fd, size, all_at_once);
    assert_non_null(data);
    return data;
}

static void memory_is_whole_and_sealed(void **state)
{
    UNUSED(state);
    const uint64_t sizes[] = {1, 4096, 2 * MIB - 4096, 2 * MIB, 5 * MIB + 4096, 8 * MIB + 1};
    int fds = gf_fd_count();
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        int fd = memory_of(sizes[i]);
        struct stat st;
        assert_int_equal(fstat(fd, &st), 0);
        assert_int_equal(st.st_size, sizes[i]);
        assert_true((uint64_t)st.st_blocks * 512 >= sizes[i]);
        assert_int_equal(fcntl(fd, F_GET_SEALS) & ~0x20, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
        assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
        close(fd);
    }
    assert_int_equal(gf_fd_count(), fds);
}

static void two_mappings_are_one_memory(void **state)
{
    UNUSED(state);
    const uint64_t sizes[] = {4096, 2 * MIB, 5 * MIB + 4096};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint64_t n = sizes[i];
        int fd = memory_of(n);
        uint8_t *a = map_of(fd, n, true), *b = map_of(fd, n, false);
        for (uint64_t at = 0; at < n; at += 4096)
            assert_int_equal(b[at], 0);
        memset(a, 1, n);
        b[0] = 7;
        assert_int_equal(a[0], 7);
        assert_int_equal(b[n - 1], 1);
        if (n >= GF_HUGE_PAGE) {
            assert_int_equal((uintptr_t)a % GF_HUGE_PAGE, 0);
            assert_int_equal((uintptr_t)b % GF_HUGE_PAGE, 0);
        }
        assert_int_equal(munmap(a, n), 0);
        assert_int_equal(munmap(b, n), 0);
        close(fd);
    }
}

/* Bytes of address space. */
static uint64_t address_space(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu", &pages), 1);
    fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void nothing_stays_mapped(void **state)
{
    UNUSED(state);
    uint64_t before = address_space();
    int fd = memory_of(6 * MIB);
    (void)gf_shared_memory_is_huge();
    uint8_t *data = map_of(fd, 6 * MIB, false);
    assert_int_equal(address_space(), before + 6 * MIB);
    munmap(data, 6 * MIB);
    close(fd);
    assert_int_equal(address_space(), before);
}

static void no_descriptor_is_no_memory(void **state)
{
    UNUSED(state);
    uint64_t before = address_space();
    assert_null(gf_shared_memory_map(-1, 4096, false));
    assert_null(gf_shared_memory_map(-1, 4 * MIB, false));
    assert_int_equal(gf_shared_memory_open("test", UINT64_MAX), -1);
    assert_int_equal(address_space(), before);
}

/* KiB of huge pages in the mapping that begins here. */
static unsigned huge_kib(const void *data)
{
    char line[256];
    unsigned long from = 0;
    unsigned kib = 0;
    bool here = false, found = false;
    FILE *f = fopen("/proc/self/smaps", "r");
    assert_non_null(f);
    while (!found && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%lx-", &from) == 1 && strchr(line, '-'))
            here = from == (uintptr_t)data;
        found = here && sscanf(line, "ShmemPmdMapped: %u", &kib) == 1;
    }
    fclose(f);
    return kib;
}

static void pages_are_huge_where_they_can_be(void **state)
{
    UNUSED(state);
    if (!gf_shared_memory_is_huge()) {
        puts("skipped: this system gives shared memory no huge pages");
        skip();
    }
    int fd = memory_of(6 * MIB + 4096);
    uint8_t *a = map_of(fd, 6 * MIB + 4096, true), *b = map_of(fd, 6 * MIB + 4096, false);
    for (uint64_t at = 0; at < 6 * MIB; at += 4096)
        b[at] = 1;
    assert_int_equal(huge_kib(a), 6 * 1024);
    assert_int_equal(huge_kib(b), 6 * 1024);
    munmap(a, 6 * MIB + 4096);
    munmap(b, 6 * MIB + 4096);
    close(fd);
}

/* The kernel ends a process by SIGXFSZ when a file grows beyond the limit, also one that is only memory. */
static void the_limit_of_file_sizes_is_kept(void **state)
{
    UNUSED(state);
    pid_t child = fork();
    if (child == 0) {
        const struct rlimit limit = {MIB, MIB};
        signal(SIGXFSZ, SIG_DFL);
        bool right = setrlimit(RLIMIT_FSIZE, &limit) == 0 && gf_shared_memory_open("test", MIB + 1) == -1 &&
                     errno == EFBIG && gf_shared_memory_open("test", MIB) >= 0;
        _exit(right ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* What a program without standard streams prints must not get into shared memory. */
static void memory_is_none_of_the_standard_streams(void **state)
{
    UNUSED(state);
    pid_t child = fork();
    if (child == 0) {
        for (int fd = 0; fd < GF_FIRST_FD; fd++)
            close(fd);
        bool right = gf_memfd_open("test") >= GF_FIRST_FD && gf_shared_memory_open("test", 4096) >= GF_FIRST_FD;
        for (int fd = 0; fd < GF_FIRST_FD; fd++)
            right = right && fcntl(fd, F_GETFD) == -1;
        _exit(right ? 0 : 1);
    }
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_whole_and_sealed),
        cmocka_unit_test(two_mappings_are_one_memory),
        cmocka_unit_test(nothing_stays_mapped),
        cmocka_unit_test(no_descriptor_is_no_memory),
        cmocka_unit_test(the_limit_of_file_sizes_is_kept),
        cmocka_unit_test(memory_is_none_of_the_standard_streams),
        cmocka_unit_test(pages_are_huge_where_they_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
