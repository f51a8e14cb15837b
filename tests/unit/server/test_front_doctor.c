/* SPDX-License-Identifier: MIT */
/* The output of --doctor for machines that a directory simulates. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protocol/base/machine.h"
#include "server/front/doctor.h"
#include "tests/support/resources.h"
#include "tests/unit/unit.h"

struct machine {
    char *root;
    struct gf_options options;
    char said[8192];
    uint32_t n_bad;
};

static void put(const struct machine *m, const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", m->root, path);
    for (char *slash = name + strlen(m->root) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = '\0';
        mkdir(name, 0700);
    }
    FILE *f = fopen(name, "we");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
}

/* A machine that lacks only GPUs. The worker may be any program; the socket's directory is the root. */
static int setup(void **state)
{
    struct machine *m = calloc(1, sizeof *m);
    char socket[512];
    assert_non_null(m);
    m->root = gf_temp_dir_new();
    assert_int_equal(gf_options_init(&m->options, NULL), GF_OK);
    snprintf(socket, sizeof socket, "--socket=%s/d.sock", m->root);
    char *argv[] = {(char *)(uintptr_t) "gpufilterd", socket, (char *)(uintptr_t) "--worker=/bin/sh",
                    (char *)(uintptr_t) "--max-connections=16", (char *)(uintptr_t) "--config=/dev/null"};
    assert_int_equal(gf_options_parse(&m->options, GF_ARRAY_LEN(argv), argv, NULL), GF_OK);
    *state = m;
    return 0;
}

static int teardown(void **state)
{
    struct machine *m = *state;
    gf_options_deinit(&m->options);
    gf_temp_dir_free(m->root);
    free(m);
    return 0;
}

static void set_devices(struct machine *m, const char *devices)
{
    free(m->options.devices);
    m->options.devices = strdup(devices);
    assert_non_null(m->options.devices);
}

/* Runs the doctor with its standard output in a file. */
static void examine(struct machine *m)
{
    char path[512];
    snprintf(path, sizeof path, "%s/said", m->root);
    fflush(stdout);
    int before = dup(STDOUT_FILENO), fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
    assert_true(before >= 0 && fd >= 0);
    dup2(fd, STDOUT_FILENO);
    m->n_bad = gf_doctor(&m->options, m->root);
    dup2(before, STDOUT_FILENO);
    close(before);
    ssize_t n = pread(fd, m->said, sizeof m->said - 1, 0);
    close(fd);
    assert_true(n > 0);
    m->said[n] = '\0';
}

/* Checks that there is a line with this verdict and subject, and that it contains `part`. */
static void expect(const struct machine *m, const char *verdict, const char *what, const char *part)
{
    char begin[64];
    snprintf(begin, sizeof begin, "%-5s %-14s ", verdict, what);
    const char *line = strstr(m->said, begin);
    if (!line)
        assert_string_equal(m->said, begin);
    char text[512];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    if (!strstr(text, part))
        assert_string_equal(text, part);
}

static void a_machine_without_gpus_is_well(void **state)
{
    struct machine *m = *state;
    examine(m);
    assert_int_equal(m->n_bad, 0);
    expect(m, "ok", "configuration", "/dev/null");
    expect(m, "ok", "worker", "/bin/sh");
    expect(m, "ok", "shared memory", "memfd");
    expect(m, "ok", "kernel", "pidfd_open");
    expect(m, "note", "driver", "on the CPU");
    expect(m, "ok", "socket", "d.sock can be created");
    expect(m, "ok", "memory limit", "none");
}

static void a_gpu_that_is_named_needs_its_driver(void **state)
{
    struct machine *m = *state;
    set_devices(m, "cpu,cuda:0");
    examine(m);
    assert_int_equal(m->n_bad, 1);
    expect(m, "bad", "driver", "take it out of devices");
    set_devices(m, "cpu,GPU-8f0c6d1e");
    expect(m, "bad", "driver", "take it out of devices");
    set_devices(m, "cpu");
    examine(m);
    assert_int_equal(m->n_bad, 0);
    expect(m, "ok", "GPUs", "not asked for (devices = cpu)");
}

static void nodes_of_the_driver_may_be_missing(void **state)
{
    struct machine *m = *state;
    put(m, "/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1\nGCC version: 12\n");
    put(m, "/dev/nvidiactl", "");
    examine(m);
    assert_int_equal(m->n_bad, 2);
    expect(m, "ok", "driver", "580.1");
    expect(m, "note", "CUDA worker",
           "/bin/sh-cuda: No such file or directory; install gpufilterd-cuda, or requests run");
    expect(m, "ok", "nvidiactl", "is readable and writable");
    expect(m, "bad", "nvidia-uvm", "missing; nvidia-modprobe -u");
    expect(m, "bad", "nvidia0", "missing; nvidia-modprobe -c 0");
    put(m, "/dev/nvidia-uvm", "");
    put(m, "/dev/nvidia1", "");
    examine(m);
    assert_int_equal(m->n_bad, 0);
    expect(m, "ok", "nvidia1", "is readable and writable");
}

static void a_gpu_that_is_named_needs_the_worker_with_cuda(void **state)
{
    struct machine *m = *state;
    put(m, "/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.1\n");
    put(m, "/dev/nvidiactl", "");
    put(m, "/dev/nvidia-uvm", "");
    put(m, "/dev/nvidia0", "");
    set_devices(m, "cuda:0");
    examine(m);
    assert_int_equal(m->n_bad, 1);
    expect(m, "bad", "CUDA worker", "/bin/sh-cuda: No such file or directory; install gpufilterd-cuda");
    char worker[512], cuda[520];
    put(m, "/worker", "");
    put(m, "/worker-cuda", "");
    snprintf(worker, sizeof worker, "%s/worker", m->root);
    snprintf(cuda, sizeof cuda, "%s-cuda", worker);
    assert_int_equal(chmod(worker, 0700), 0);
    assert_int_equal(chmod(cuda, 0700), 0);
    free(m->options.worker);
    m->options.worker = strdup(worker);
    examine(m);
    assert_int_equal(m->n_bad, 0);
    expect(m, "ok", "CUDA worker", cuda);
}

static void a_socket_needs_its_directory_and_a_worker_its_program(void **state)
{
    struct machine *m = *state;
    put(m, "/empty/file", "");
    free(m->options.socket);
    free(m->options.worker);
    m->options.socket = strdup("/nowhere/d.sock");
    m->options.worker = strdup("/nowhere/worker");
    examine(m);
    assert_int_equal(m->n_bad, 2);
    expect(m, "bad", "socket", "/nowhere/: No such file or directory; systemd-tmpfiles");
    expect(m, "bad", "worker", "no worker program at /nowhere/worker");
}

static void the_least_limit_of_all_groups_counts(void **state)
{
    struct machine *m = *state;
    put(m, "/proc/self/cgroup", "0::/system.slice/gpufilterd.service\n");
    put(m, "/sys/fs/cgroup/system.slice/memory.max", "1073741824\n");
    put(m, "/sys/fs/cgroup/system.slice/gpufilterd.service/memory.max", "max\n");
    examine(m);
    assert_int_equal(m->n_bad, 1);
    expect(m, "bad", "memory limit", "1024 MiB for the control group; staging-max = 2048 MiB");
    put(m, "/sys/fs/cgroup/system.slice/memory.max", "8589934592\n");
    examine(m);
    assert_int_equal(m->n_bad, 0);
    expect(m, "ok", "memory limit", "8192 MiB");
}

/* The kills of the group that the process is in, of whichever version. */
static void kills_for_lack_of_memory_are_counted(void **state)
{
    struct machine *m = *state;
    put(m, "/proc/self/cgroup", "0::/system.slice/gpufilterd.service\n");
    assert_int_equal(gf_machine_oom_open(m->root), -1);
    assert_true(gf_machine_oom_kills(-1) == 0);
    put(m, "/sys/fs/cgroup/system.slice/gpufilterd.service/memory.events", "low 0\noom 1\noom_kill 3\n");
    gf_cleanup(gf_closep) int unified = gf_machine_oom_open(m->root);
    assert_true(gf_machine_oom_kills(unified) == 3);
    put(m, "/proc/self/cgroup", "4:cpu,memory:/a\n0::/none\n");
    put(m, "/sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 12\n");
    gf_cleanup(gf_closep) int older = gf_machine_oom_open(m->root);
    assert_true(gf_machine_oom_kills(older) == 12);
    put(m, "/sys/fs/cgroup/memory/a/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
    assert_true(gf_machine_oom_kills(older) == 0);
}

static void limits_of_version_1_count(void **state)
{
    struct machine *m = *state;
    put(m, "/proc/self/cgroup", "9:name=systemd:/\n5:cpu:/a\n4:memory:/a/b\n0::/\n");
    put(m, "/sys/fs/cgroup/cpu/a/memory.limit_in_bytes", "1\n");
    put(m, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(m, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    put(m, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    examine(m);
    expect(m, "ok", "memory limit", "none");
    put(m, "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "8589934592\n");
    put(m, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "4294967296\n");
    examine(m);
    expect(m, "ok", "memory limit", "4096 MiB, that of /sys/fs/cgroup/memory/a/memory.limit_in_bytes");
    char where[64];
    assert_true(gf_machine_group_memory(m->root, "self", where, sizeof where) == UINT64_C(4294967296));
    assert_string_equal(where, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes");
    /* Several controllers may share a hierarchy; one whose name begins alike is another. */
    put(m, "/proc/self/cgroup", "5:memoryx:/c\n4:cpuset,memory,pids:/a/b\n");
    assert_true(gf_machine_group_memory(m->root, "self", NULL, 0) == UINT64_C(4294967296));
    put(m, "/proc/self/cgroup", "5:memoryx,cpu:/a/b\n1:name=memory:/a\n");
    assert_true(gf_machine_group_memory(m->root, "self", where, sizeof where) == UINT64_MAX);
    assert_string_equal(where, "");
    /* The lowest counts, of whichever version. */
    put(m, "/proc/self/cgroup", "4:memory:/a/b\n0::/u\n");
    put(m, "/sys/fs/cgroup/u/memory.max", "3221225472\n");
    examine(m);
    expect(m, "ok", "memory limit", "3072 MiB, that of /sys/fs/cgroup/u/memory.max");
    /* A container sees the host's path of its group, but its own limit at the root. */
    put(m, "/proc/self/cgroup", "4:memory:/docker/0123\n");
    put(m, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    examine(m);
    assert_int_equal(m->n_bad, 1);
    expect(m, "bad", "memory limit", "1024 MiB for the control group");
    expect(m, "bad", "memory limit", "the limit is that of /sys/fs/cgroup/memory/memory.limit_in_bytes");
}

/* Every check of the machine's memory sees the memory that the control group allows. */
static void memory_is_that_of_the_group(void **state)
{
    struct machine *m = *state;
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    assert_true(gf_machine_memory(m->root) == all);
    put(m, "/proc/self/cgroup", "0::/job\n");
    put(m, "/sys/fs/cgroup/job/memory.max", "67108864\n");
    assert_true(gf_machine_memory(m->root) == 67108864);
    put(m, "/sys/fs/cgroup/job/memory.max", "9000000000000000000\n");
    assert_true(gf_machine_memory(m->root) == all);
}

/* The workers of GPUs share a quarter of it for images in host memory. */
static void host_memory_is_divided_among_gpus(void **state)
{
    struct machine *m = *state;
    put(m, "/proc/self/cgroup", "0::/job\n");
    put(m, "/sys/fs/cgroup/job/memory.max", "1073741824\n");
    assert_true(gf_machine_host_mapped(m->root, 1) == UINT64_C(256) << 20);
    assert_true(gf_machine_host_mapped(m->root, 8) == UINT64_C(32) << 20);
    assert_true(gf_machine_host_mapped(m->root, 0) == UINT64_C(256) << 20);
    assert_int_equal(gf_machine_gpus(m->root), 0);
    for (const char *const *name = (const char *const[]){"0", "1", "10", "ctl", "-uvm", "", NULL}; *name; name++) {
        char path[64];
        snprintf(path, sizeof path, "/dev/nvidia%s", *name);
        put(m, path, "");
    }
    assert_int_equal(gf_machine_gpus(m->root), 3);
}

static void connections_need_descriptors(void **state)
{
    struct machine *m = *state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    m->options.max_connections = before.rlim_max;
    examine(m);
    assert_int_equal(m->n_bad, 1);
    expect(m, "bad", "open files", "raise LimitNOFILE, or lower max-connections");
}

#define UNIT "/system.slice/gpufilterd.service"
#define LIMITS                                                                                                         \
    "Limit                     Soft Limit           Hard Limit           Units     \n"                                 \
    "Max open files            1024                 %s                files     \n"                                    \
    "Max locked memory         8388608              %s            bytes     \n"

/* The administrator's shell has other limits than the service. */
static void the_limits_are_those_of_the_service_that_runs(void **state)
{
    struct machine *m = *state;
    char text[512];
    examine(m);
    expect(m, "ok", "limits of", "the calling process; gpufilterd.service has its own, and does not run");
    put(m, "/proc/self/cgroup", "0::/user.slice\n");
    put(m, "/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
    put(m, "/sys/fs/cgroup" UNIT "/cgroup.procs", "4711\n4712\n");
    put(m, "/sys/fs/cgroup" UNIT "/memory.max", "8589934592\n");
    put(m, "/proc/4711/cgroup", "0::" UNIT "\n");
    snprintf(text, sizeof text, LIMITS, "65536", "unlimited");
    put(m, "/proc/4711/limits", text);
    m->options.max_connections = 1024;
    examine(m);
    assert_int_equal(m->n_bad, 0);
    expect(m, "ok", "limits of", "gpufilterd.service, process 4711");
    expect(m, "ok", "open files", "65536");
    expect(m, "ok", "locked memory", "unlimited");
    expect(m, "ok", "memory limit", "8192 MiB, that of /sys/fs/cgroup" UNIT "/memory.max");
    snprintf(text, sizeof text, LIMITS, "512", "65536");
    put(m, "/proc/4711/limits", text);
    examine(m);
    assert_int_equal(m->n_bad, 1);
    expect(m, "bad", "open files", "512; max-connections = 1024 needs 1344: raise LimitNOFILE");
    expect(m, "note", "locked memory", "65536 bytes; copies are slower");
}

static void so_they_are_where_groups_have_version_1(void **state)
{
    struct machine *m = *state;
    char text[512];
    put(m, "/sys/fs/cgroup/systemd" UNIT "/cgroup.procs", "4711\n");
    snprintf(text, sizeof text, LIMITS, "65536", "unlimited");
    put(m, "/proc/4711/limits", text);
    examine(m);
    expect(m, "ok", "limits of", "gpufilterd.service, process 4711");
    expect(m, "ok", "open files", "65536");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_machine_without_gpus_is_well, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gpu_that_is_named_needs_its_driver, setup, teardown),
        cmocka_unit_test_setup_teardown(nodes_of_the_driver_may_be_missing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_gpu_that_is_named_needs_the_worker_with_cuda, setup, teardown),
        cmocka_unit_test_setup_teardown(a_socket_needs_its_directory_and_a_worker_its_program, setup, teardown),
        cmocka_unit_test_setup_teardown(the_least_limit_of_all_groups_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(kills_for_lack_of_memory_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(limits_of_version_1_count, setup, teardown),
        cmocka_unit_test_setup_teardown(the_limits_are_those_of_the_service_that_runs, setup, teardown),
        cmocka_unit_test_setup_teardown(so_they_are_where_groups_have_version_1, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_is_that_of_the_group, setup, teardown),
        cmocka_unit_test_setup_teardown(host_memory_is_divided_among_gpus, setup, teardown),
        cmocka_unit_test_setup_teardown(connections_need_descriptors, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
