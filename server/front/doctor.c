/* SPDX-License-Identifier: MIT */
/* Checks of the machine, one function per requirement; see doctor.h. The checks change nothing and use no device. */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "devices.h"
#include "protocol/base/machine.h"
#include "protocol/base/text.h"
#include "server/front/base/log.h"

#define GROUP "gpufilter"
#define UNIT "gpufilterd.service"
#define MEMORY_BESIDE_STAGING (256ull << 20) /* of front and CPU worker, without clients' data */

enum verdict { OK, NOTE, BAD };

struct doctor {
    const struct gf_options *options;
    const char *root;
    char process[32]; /* whose limits are judged: its number, or "self" */
    uint32_t n_bad;
};

gf_printf(4, 5) static void say(struct doctor *d, enum verdict verdict, const char *what, const char *fmt, ...)
{
    static const char *const words[] = {[OK] = "ok", [NOTE] = "note", [BAD] = "bad"};
    char text[GF_DOCTOR_TEXT];
    va_list args;
    va_start(args, fmt);
    gf_text_sentence(text, sizeof(text), fmt, args);
    va_end(args);
    d->n_bad += verdict == BAD;
    gf_log_answer("%-5s %-14s %s\n", words[verdict], what, text);
}

static void look_at_config(struct doctor *d)
{
    const char *path = d->options->config[0] ? d->options->config : GF_CONFIG_PATH;
    if (access(path, R_OK) == 0)
        say(d, OK, "configuration", "%s", path);
    else
        say(d, OK, "configuration", "no %s; the defaults apply", path);
}

static void look_at_worker(struct doctor *d)
{
    char path[PATH_MAX];
    struct gf_error error = {0};
    if (gf_worker_program(d->options->worker, path, sizeof(path), &error) == GF_OK)
        say(d, OK, "worker", "%s", path);
    else
        say(d, BAD, "worker", "%s; install it, or name it with --worker", error.text);
}

static void look_at_metrics(struct doctor *d)
{
    char path[PATH_MAX];
    struct gf_error error = {0};
    if (d->options->metrics_listen[0] == '\0')
        return;
    if (gf_metrics_program(path, sizeof(path), &error) == GF_OK)
        say(d, OK, "metrics", "%s, on %s", path, d->options->metrics_listen);
    else
        say(d, BAD, "metrics", "%s", error.text);
}

/* The system calls that the daemon depends on. */
static void look_at_kernel(struct doctor *d)
{
    gf_cleanup(gf_closep) int fd = memfd_create("gpufilterd-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, 4096) < 0 || fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        say(d, BAD, "shared memory", "no memfd with seals: %s; a seccomp filter may forbid it", strerror(errno));
    else
        say(d, OK, "shared memory", "memfd with seals");
    gf_cleanup(gf_closep) int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    if (pidfd < 0)
        say(d, BAD, "kernel", "no pidfd_open: %s; Linux 5.4 or later is needed", strerror(errno));
    else
        say(d, OK, "kernel", "pidfd_open");
}

/* Checks a device node; `hint` says what creates a missing one. */
static void look_at_node(struct doctor *d, const char *name, const char *hint)
{
    char path[PATH_MAX];
    struct stat st;
    snprintf(path, sizeof(path), "%s/dev/%s", d->root, name);
    if (stat(path, &st) < 0)
        say(d, BAD, name, "missing; %s", hint);
    else if (access(path, R_OK | W_OK) < 0)
        say(d, BAD, name, "%s (mode %04o, group %u): the daemon's user has to be in that group", strerror(errno),
            (unsigned)(st.st_mode & 07777), (unsigned)st.st_gid);
    else
        say(d, OK, name, "is readable and writable");
}

/* Whether a list of devices contains anything but the CPU. */
static bool names_gpu(const char *list)
{
    for (size_t n; *list; list += n + (list[n] == ',')) {
        n = strcspn(list, ",");
        if (n != 3 || memcmp(list, "cpu", 3) != 0)
            return true;
    }
    return false;
}

/* The program that the worker becomes for a GPU. */
static void look_at_cuda_worker(struct doctor *d, bool named)
{
    char path[PATH_MAX], cuda[PATH_MAX + 8];
    if (gf_worker_program(d->options->worker, path, sizeof(path), NULL) != GF_OK)
        return; /* look_at_worker has reported it */
    snprintf(cuda, sizeof(cuda), "%s-cuda", path);
    if (access(cuda, X_OK) == 0)
        say(d, OK, "CUDA worker", "%s", cuda);
    else
        say(d, named ? BAD : NOTE, "CUDA worker", "%s: %s; install gpufilterd-cuda%s", cuda, strerror(errno),
            named ? "" : ", or requests run on the CPU");
}

static void look_at_gpus(struct doctor *d)
{
    char version[160], name[32], path[PATH_MAX];
    const char *devices = d->options->devices;
    bool automatic = strcmp(devices, "auto") == 0;
    bool named = !automatic && strcmp(devices, "none") != 0 && names_gpu(devices);
    if (!automatic && !named) {
        say(d, OK, "GPUs", "not asked for (devices = %s)", devices);
        return;
    }
    if (!gf_machine_line(d->root, "/proc/driver/nvidia/version", "", version, sizeof(version))) {
        say(d, named ? BAD : NOTE, "driver", "no NVIDIA driver is loaded; %s",
            named ? "install it, or take it out of devices" : "requests run on the CPU");
        return;
    }
    say(d, OK, "driver", "%s", version);
    look_at_cuda_worker(d, named);
    look_at_node(d, "nvidiactl", "nvidia-modprobe -c 0 makes it");
    look_at_node(d, "nvidia-uvm", "nvidia-modprobe -u -c 0 makes it");
    uint32_t n = 0;
    for (uint32_t i = 0; i < GF_MAX_DEVICES; i++) {
        snprintf(name, sizeof(name), "nvidia%u", i);
        snprintf(path, sizeof(path), "%s/dev/%s", d->root, name);
        if (access(path, F_OK) == 0) {
            look_at_node(d, name, "");
            n++;
        }
    }
    if (n == 0)
        look_at_node(d, "nvidia0", "nvidia-modprobe -c 0 makes it");
}

static void look_at_socket(struct doctor *d)
{
    const char *path = d->options->socket[0] ? d->options->socket : GF_DEFAULT_SOCKET;
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    struct stat st;
    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    /* The check does not connect: that would start a socket-activated daemon. */
    if (stat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        say(d, OK, "socket", "%s: mode %04o, group %u", path, (unsigned)(st.st_mode & 07777), (unsigned)st.st_gid);
    else if (access(directory, W_OK | X_OK) == 0)
        say(d, OK, "socket", "%s can be created", path);
    else
        say(d, BAD, "socket", "%s: %s; systemd-tmpfiles --create creates it for the service; otherwise use --socket",
            directory, strerror(errno));
}

static void look_at_group(struct doctor *d)
{
    const struct group *group = getgrnam(GROUP);
    char members[256] = "";
    if (!group) {
        say(d, NOTE, "group",
            "no group " GROUP "; systemd-sysusers creates it, for a service that other users may use");
        return;
    }
    size_t at = 0;
    for (char **name = group->gr_mem; *name && at + strlen(*name) + 3 < sizeof(members); name++)
        at += (size_t)snprintf(members + at, sizeof(members) - at, " %s", *name);
    say(d, OK, "group", GROUP " (%u):%s", (unsigned)group->gr_gid,
        at > 0 ? members : " none; usermod -aG " GROUP " USER");
}

/* Finds a process of the service, whose limits differ from those of the administrator's shell. */
static void look_for_service(struct doctor *d)
{
    static const char *const hierarchies[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/systemd"}; /* versions 2 and 1 */
    for (size_t i = 0; i < GF_ARRAY_LEN(hierarchies); i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof(path), "%s/system.slice/" UNIT "/cgroup.procs", hierarchies[i]);
        if (gf_machine_line(d->root, path, "", d->process, sizeof(d->process))) {
            say(d, OK, "limits of", UNIT ", process %s", d->process);
            return;
        }
    }
    snprintf(d->process, sizeof(d->process), "self");
    say(d, OK, "limits of", "the calling process; " UNIT " has its own, and does not run");
}

/* A hard limit of the process, UINT64_MAX if there is none. `name`: as in /proc/PID/limits, in front of soft limit and
 * hard limit. False with errno. */
static bool limit_of(const struct doctor *d, const char *name, int resource, uint64_t *ret)
{
    char path[PATH_MAX], line[160], soft[32], hard[32];
    struct rlimit own;
    if (strcmp(d->process, "self") == 0) {
        if (getrlimit((__rlimit_resource_t)resource, &own) < 0)
            return false;
        *ret = own.rlim_max == RLIM_INFINITY ? UINT64_MAX : own.rlim_max;
        return true;
    }
    snprintf(path, sizeof(path), "/proc/%s/limits", d->process);
    errno = ENOENT;
    if (!gf_machine_line(d->root, path, name, line, sizeof(line)) ||
        sscanf(line + strlen(name), "%31s %31s", soft, hard) != 2)
        return false;
    *ret = strcmp(hard, "unlimited") == 0 ? UINT64_MAX : strtoull(hard, NULL, 10);
    return true;
}

static void look_at_limits(struct doctor *d)
{
    uint64_t files, locked, needed = d->options->max_connections + GF_RESERVED_FDS;
    if (!limit_of(d, "Max open files", RLIMIT_NOFILE, &files) ||
        !limit_of(d, "Max locked memory", RLIMIT_MEMLOCK, &locked)) {
        say(d, BAD, "limits", "cannot be read: %s", strerror(errno));
        return;
    }
    if (files < needed)
        say(d, BAD, "open files",
            "%" PRIu64 "; max-connections = %" PRIu64 " needs %" PRIu64 ": raise LimitNOFILE, or lower max-connections",
            files, d->options->max_connections, needed);
    else
        say(d, OK, "open files", "%" PRIu64, files);
    if (locked == UINT64_MAX)
        say(d, OK, "locked memory", "unlimited");
    else
        say(d, NOTE, "locked memory", "%" PRIu64 " bytes; copies are slower if a GPU's worker cannot lock memory",
            locked);
}

bool gf_doctor_memory(const struct gf_options *options, const char *root, const char *process, char *ret_text,
                      size_t size)
{
    char where[PATH_MAX];
    uint64_t limit = gf_machine_group_memory(root, process, where, sizeof(where));
    uint64_t needed = options->staging_max + MEMORY_BESIDE_STAGING;
    if (limit == UINT64_MAX)
        snprintf(ret_text, size, "none");
    else if (limit < needed)
        snprintf(ret_text, size,
                 "%" PRIu64 " MiB for the control group; staging-max = %" PRIu64 " MiB and the programs need %" PRIu64
                 ": raise MemoryMax, or lower staging-max; the limit is that of %s",
                 limit >> 20, options->staging_max >> 20, needed >> 20, where);
    else
        snprintf(ret_text, size, "%" PRIu64 " MiB, that of %s", limit >> 20, where);
    return limit >= needed;
}

static void look_at_memory(struct doctor *d)
{
    char text[GF_DOCTOR_TEXT];
    bool fits = gf_doctor_memory(d->options, d->root, d->process, text, sizeof(text));
    say(d, fits ? OK : BAD, "memory limit", "%s", text);
}

uint32_t gf_doctor(const struct gf_options *options, const char *root)
{
    struct doctor d = {.options = options, .root = root};
    look_at_config(&d);
    look_at_worker(&d);
    look_at_metrics(&d);
    look_at_kernel(&d);
    look_at_gpus(&d);
    look_at_socket(&d);
    look_at_group(&d);
    look_for_service(&d);
    look_at_limits(&d);
    look_at_memory(&d);
    return d.n_bad;
}
