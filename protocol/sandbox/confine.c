/* SPDX-License-Identifier: MIT */
/*
 * Core dumps, privileges and Landlock; see sandbox.h. Landlock's constants are defined here, because the headers are
 * often older than the kernel; the kernel's version is queried at run time.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "protocol/base/base.h"
#include "sandbox.h"

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#define ASK_VERSION 1u
#define RULE_PATH_BENEATH 1

/* File access rights, in the kernel's order. */
#define FS_EXECUTE (1ull << 0)
#define FS_WRITE_FILE (1ull << 1)
#define FS_READ_FILE (1ull << 2)
#define FS_READ_DIR (1ull << 3)
#define FS_REMOVE_FILE (1ull << 5)
#define FS_OF_ABI_1 ((1ull << 13) - 1)
#define FS_REFER (1ull << 13)    /* ABI 2 */
#define FS_TRUNCATE (1ull << 14) /* ABI 3 */
#define FS_OF_FILES (FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE)
#define NET_TCP 3ull        /* bind and connect; ABI 4 */
#define SCOPE_ABSTRACT 1ull /* ABI 6 */
#define SCOPE_SIGNAL 2ull   /* ABI 6 */

struct ruleset {
    uint64_t fs, net, scoped;
};

struct path_beneath {
    uint64_t access;
    int32_t fd;
} __attribute__((packed));

bool gf_sandbox_built(void)
{
    return GF_SANDBOX_BUILT;
}

void gf_sandbox_harden(void)
{
    const struct rlimit none = {0, 0};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    setrlimit(RLIMIT_CORE, &none);
}

/* The version of Landlock; 0: there is none. */
static int landlock_abi(void)
{
    long abi = gf_sandbox_built() ? syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION) : 0;
    return abi > 0 ? (int)abi : 0;
}

enum gf_status gf_sandbox_check(struct gf_error *err)
{
    const uint32_t action = SECCOMP_RET_KILL_PROCESS;
    const char *missing = !gf_sandbox_built() ? "this build, which is for a sanitizer, has no sandbox"
                          : syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) < 0
                              ? "seccomp is missing or switched off here"
                          : landlock_abi() == 0 ? "Landlock is missing or switched off here (Linux 5.13 has it)"
                                                : NULL;
    return missing ? gf_error_set(err, GF_E_START_FAILED, "%s", missing) : GF_OK;
}

/* The size of the structure in this ABI version; the kernel refuses fields that it does not know. */
static size_t ruleset_size(int abi)
{
    return abi >= 6 ? sizeof(struct ruleset) : abi >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

/* The rights that the ruleset restricts. The CUDA driver starts programs, and both read files all over the system. */
static struct ruleset handled(enum gf_sandbox_kind kind, int abi)
{
    struct ruleset r = {.fs = FS_OF_ABI_1, .net = NET_TCP, .scoped = SCOPE_ABSTRACT};
    if (kind == GF_SANDBOX_START) /* whatever the daemon starts later is inside, and gets its signals */
        return (struct ruleset){.scoped = SCOPE_SIGNAL};
    r.fs |= abi >= 2 ? FS_REFER : 0;
    r.fs |= abi >= 3 ? FS_TRUNCATE : 0;
    if (kind == GF_SANDBOX_CUDA_WORKER)
        r.fs &= ~(FS_EXECUTE | FS_READ_FILE | FS_READ_DIR);
    /* The front kills workers, which are outside its Landlock domain, though within that of START, and notifies
     * systemd, possibly in the abstract namespace. */
    if (kind == GF_SANDBOX_FRONT)
        r.scoped = 0;
    else
        r.scoped |= SCOPE_SIGNAL;
    return r;
}

static uint64_t rights(unsigned access)
{
    uint64_t fs = 0;
    fs |= access & GF_SANDBOX_READ ? FS_READ_FILE | FS_READ_DIR : 0;
    fs |= access & GF_SANDBOX_REMOVE ? FS_REMOVE_FILE : 0;
    fs |= access & GF_SANDBOX_WRITE ? FS_OF_ABI_1 | FS_TRUNCATE : 0;
    return fs;
}

static int add_path(int ruleset, const struct ruleset *r, const struct gf_sandbox_path *path)
{
    gf_cleanup(gf_closep) int fd = open(path->path, O_PATH | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return 0;
    struct path_beneath beneath = {.access = rights(path->access) & r->fs, .fd = fd};
    if (!S_ISDIR(st.st_mode))
        beneath.access &= FS_OF_FILES;
    return beneath.access == 0 ? 0 : (int)syscall(SYS_landlock_add_rule, ruleset, RULE_PATH_BENEATH, &beneath, 0u);
}

enum gf_status gf_sandbox_confine(enum gf_sandbox_kind kind, const struct gf_sandbox_path *paths, size_t n_paths,
                                  int *ret_abi, struct gf_error *err)
{
    const int abi = *ret_abi = landlock_abi();
    if (abi == 0 || (kind == GF_SANDBOX_START && abi < 6))
        return GF_OK;
    const struct ruleset r = handled(kind, abi);
    gf_cleanup(gf_closep) int fd = (int)syscall(SYS_landlock_create_ruleset, &r, ruleset_size(abi), 0u);
    int rc = fd < 0 ? -1 : 0;
    for (size_t i = 0; i < n_paths && rc == 0; i++)
        rc = add_path(fd, &r, &paths[i]);
    if (rc < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || syscall(SYS_landlock_restrict_self, fd, 0u) < 0) {
        *ret_abi = 0;
        return gf_error_set(err, GF_E_START_FAILED, "files and signals are not restricted (Landlock): %s",
                            strerror(errno));
    }
    return GF_OK;
}
