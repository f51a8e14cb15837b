/* SPDX-License-Identifier: MIT */
/* Starts a private daemon. Called by connect.c. */
#include "autostart.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "client/lib/transport/channel.h"
#include "protocol/base/shared_memory.h"

#define LOCK_NAME "gpufilterd-start.lock"
#define LOG_NAME "gpufilterd.log"
#define LOG_MAX (1 << 20) /* a larger log is truncated */
#define IDLE_EXIT_SECONDS "300"
#define READY_FD 3
#define LOCK_POLL_MS 10

extern char **environ;

enum gf_status gf_start_lock(int dir_fd, int64_t deadline, int *ret_fd, struct gf_error *err)
{
    gf_cleanup(gf_closep) int fd =
        gf_fd_raise(openat(dir_fd, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600), GF_FIRST_FD);
    if (fd < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot open %s: %s", LOCK_NAME, strerror(errno));
    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return gf_error_set(err, GF_E_START_FAILED, "cannot lock %s: %s", LOCK_NAME, strerror(errno));
        if (gf_now() >= deadline)
            return gf_error_set(err, GF_E_TIMEOUT, "another process has been starting a daemon for too long");
        poll(NULL, 0, LOCK_POLL_MS);
    }
    *ret_fd = gf_steal_fd(&fd);
    return GF_OK;
}

static bool runnable(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Finds gpufilterd in the directory of this program. */
static bool beside(char *ret_path, size_t capacity)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    return (size_t)snprintf(ret_path, capacity, "%s/gpufilterd", self) < capacity && runnable(ret_path);
}

static bool in_path(char *ret_path, size_t capacity)
{
    const char *list = secure_getenv("PATH");
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ":");
        if (length > 0 && list[0] == '/' &&
            (size_t)snprintf(ret_path, capacity, "%.*s/gpufilterd", (int)length, list) < capacity && runnable(ret_path))
            return true;
        list += length + (list[length] == ':');
    }
    return false;
}

enum gf_status gf_start_program(const char *named, char *ret_path, size_t capacity, struct gf_error *err)
{
    if (named == NULL)
        named = secure_getenv("GPUFILTER_DAEMON");
    if (named != NULL) {
        if ((size_t)snprintf(ret_path, capacity, "%s", named) < capacity && runnable(named))
            return GF_OK;
        return gf_error_set(err, GF_E_START_FAILED, "cannot start %.160s: it is not a program", named);
    }
    if ((size_t)snprintf(ret_path, capacity, "%s", GF_DAEMON_PATH) < capacity && runnable(ret_path))
        return GF_OK;
    if (beside(ret_path, capacity) || in_path(ret_path, capacity))
        return GF_OK;
    return gf_error_set(err, GF_E_START_FAILED,
                        "no gpufilterd to start: none at %.60s, beside this program or in $PATH; install the package "
                        "gpufilterd, or set $GPUFILTER_DAEMON to the file",
                        GF_DAEMON_PATH);
}

/* Opens the log for appending; truncates a log that is too large. */
static int open_log(int dir_fd)
{
    gf_cleanup(gf_closep) int fd = openat(dir_fd, LOG_NAME, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || (st.st_size > LOG_MAX && ftruncate(fd, 0) < 0))
        return -1;
    return gf_fd_raise(gf_steal_fd(&fd), READY_FD + 1); /* above the numbers that the new process uses */
}

/* Closes what the new process would inherit above READY_FD: the program's descriptors that are not close-on-exec. A
 * daemon that kept the end of a pipe would leave its reader waiting. posix_spawn_file_actions_addclosefrom_np does the
 * same but is missing from musl. */
static int close_others(posix_spawn_file_actions_t *actions)
{
    DIR *open_fds = opendir("/proc/self/fd");
    int r = 0;
    for (struct dirent *e; open_fds != NULL && r != ENOMEM && (e = readdir(open_fds)) != NULL;)
        if (atoi(e->d_name) > READY_FD)
            r = posix_spawn_file_actions_addclose(actions, atoi(e->d_name)); /* EBADF: beyond a limit lowered since */
    if (open_fds != NULL)
        closedir(open_fds);
    return r == ENOMEM ? r : 0;
}

/* Sets up descriptors, session and signals of the new process. */
static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attr, int log, int ready)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int r = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    r = r != 0 ? r : posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    r = r != 0 ? r : posix_spawn_file_actions_adddup2(actions, log, 2);
    r = r != 0 ? r : posix_spawn_file_actions_adddup2(actions, ready, READY_FD);
    r = r != 0 ? r : close_others(actions);
    r = r != 0 ? r : posix_spawnattr_setsigmask(attr, &none);
    r = r != 0 ? r : posix_spawnattr_setsigdefault(attr, &all);
    short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    return r != 0 ? r : posix_spawnattr_setflags(attr, flags);
}

/* Starts the program through a shell that exits at once. The daemon is then not a child of this process and leaves
 * neither a zombie nor a SIGCHLD. */
static int spawn(const char *program, const char *socket, int log, int ready)
{
    char shell[] = "sh", dash_c[] = "-c", script[] = "\"$0\" \"$@\" &";
    char socket_option[] = "--socket", ready_option[] = "--ready-fd", ready_value[] = "3";
    char idle_option[] = "--idle-exit", idle_value[] = IDLE_EXIT_SECONDS;
    gf_cleanup(gf_freep) char *program_copy = strdup(program);
    gf_cleanup(gf_freep) char *socket_copy = strdup(socket);
    if (program_copy == NULL || socket_copy == NULL)
        return ENOMEM;
    char *argv[] = {shell,        dash_c,      script,      program_copy, socket_option, socket_copy,
                    ready_option, ready_value, idle_option, idle_value,   NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attr);
    pid_t pid;
    int r = prepare(&actions, &attr, log, ready);
    if (r == 0)
        r = posix_spawn(&pid, "/bin/sh", &actions, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&actions);
    if (r == 0)
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    return r;
}

/* Reads the line in which the daemon reports that it is ready, or why not. 1: READY; 0: another line, stored in text,
 * or the daemon ended; -1: timed out. */
static int wait_ready(int fd, int64_t deadline, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    while (at + 1 < size && strchr(text, '\n') == NULL) {
        int64_t left = (deadline - gf_now()) / 1000000;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int n = poll(&p, 1, left <= 0 ? 0 : left > 60000 ? 60000 : (int)left);
        if (n == 0 && gf_now() >= deadline)
            return -1;
        ssize_t got = n > 0 ? read(fd, text + at, size - 1 - at) : -1;
        if (got == 0)
            break;
        at += got > 0 ? (size_t)got : 0;
        text[at] = '\0';
    }
    text[strcspn(text, "\n")] = '\0';
    return strcmp(text, "READY") == 0;
}

/* The last line that the daemon has written since `from`; "" if none. */
static const char *last_words(int log, off_t from, char *text, size_t size)
{
    off_t end = lseek(log, 0, SEEK_END);
    off_t start = end - from > (off_t)size - 1 ? end - ((off_t)size - 1) : from;
    ssize_t n = end > start ? pread(log, text, size - 1, start) : 0;
    text[n > 0 ? n : 0] = '\0';
    for (size_t i = strlen(text); i > 0 && text[i - 1] == '\n'; i--)
        text[i - 1] = '\0';
    const char *line = strrchr(text, '\n');
    return line != NULL ? line + 1 : text;
}

enum gf_status gf_start_daemon(const char *program, int dir_fd, const char *socket, int64_t deadline,
                               struct gf_error *err)
{
    gf_cleanup(gf_closep) int log = open_log(dir_fd);
    int ends[2] = {-1, -1};
    if (log < 0 || pipe2(ends, O_CLOEXEC) < 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot start %.100s: %s", program, strerror(errno));
    int writer = gf_fd_raise(ends[1], READY_FD + 1);
    gf_cleanup(gf_closep) int ready = gf_fd_raise(ends[0], GF_FIRST_FD);
    off_t from = lseek(log, 0, SEEK_END);
    int r = writer < 0 || ready < 0 ? errno : spawn(program, socket, log, writer);
    gf_closep(&writer);
    if (r != 0)
        return gf_error_set(err, GF_E_START_FAILED, "cannot start %.100s: %s", program, strerror(r));
    char text[192];
    int state = wait_ready(ready, deadline, text, sizeof(text));
    if (state > 0)
        return GF_OK;
    const char *words = text[0] != '\0' ? text : last_words(log, from, text, sizeof(text));
    if (state < 0)
        return gf_error_set(err, GF_E_START_FAILED, "%.60s was not ready in time%s%s", program,
                            words[0] != '\0' ? ": " : "", words);
    return gf_error_set(err, GF_E_START_FAILED, "%.60s did not start: %s", program,
                        words[0] != '\0' ? words : "it printed nothing");
}
