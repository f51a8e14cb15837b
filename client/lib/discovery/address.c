/* SPDX-License-Identifier: MIT */
/* The search order of sockets, the private directory, and connecting. Called by connect.c and autostart.c. */
#include "address.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "client/lib/transport/channel.h"
#include "protocol/base/shared_memory.h"
#include "protocol/base/text.h"

#define GF_MAX_WAIT_S 86400u
#define CHOWN_MS 50                     /* in which systemd gives a new socket to its group */
#define SOCKET_NAME "gpufilterd-1.sock" /* 1: GF_VERSION */
_Static_assert(GF_VERSION == 1, "the name of the private socket carries the protocol major");

/* An environment variable; NULL if it is empty. */
static const char *variable(const char *name)
{
    const char *value = secure_getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* A variable that is 0, 1 or not set. */
static enum gf_status read_switch(const char *name, bool *ret, struct gf_error *err)
{
    const char *word = variable(name);
    *ret = word != NULL && strcmp(word, "1") == 0;
    if (word == NULL || *ret || strcmp(word, "0") == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s=%.40s; allowed: 0 and 1", name, word);
}

enum gf_status gf_environment_debug(bool *ret, struct gf_error *err)
{
    return read_switch("GPUFILTER_DEBUG", ret, err);
}

enum gf_status gf_environment_read(const char *socket, bool only_private, struct gf_environment *ret,
                                   struct gf_error *err)
{
    const char *runtime_dir = variable("XDG_RUNTIME_DIR");
    if (socket == NULL && !only_private) {
        enum gf_status status = read_switch("GPUFILTER_PRIVATE", &only_private, err);
        if (status != GF_OK)
            return status;
        socket = variable("GPUFILTER_SOCKET");
        if (only_private && socket != NULL)
            return gf_error_set(err, GF_E_BAD_ARGUMENT,
                                "GPUFILTER_SOCKET and GPUFILTER_PRIVATE=1 name two daemons; unset one of them");
    }
    *ret = (struct gf_environment){.named = socket != NULL && socket[0] != '\0' ? socket : NULL,
                                   .system = only_private ? NULL : GF_SYSTEM_SOCKET,
                                   .booted = "/run/systemd/system",
                                   .runtime_dir = runtime_dir != NULL && runtime_dir[0] == '/' ? runtime_dir : NULL,
                                   .temp_dir = "/tmp",
                                   .uid = geteuid()};
    return GF_OK;
}

bool gf_daemon_is_set_up(const struct gf_environment *s)
{
    if (s->named != NULL || s->system == NULL)
        return s->named != NULL;
    char folder[GF_SOCKET_PATH];
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(s->system, '/') - s->system), s->system);
    return access(s->system, F_OK) == 0 || (access(folder, F_OK) == 0 && access(s->booted, F_OK) == 0);
}

enum gf_status gf_environment_wait_ms(uint32_t *ret_ms, struct gf_error *err)
{
    const char *word = variable("GPUFILTER_WAIT");
    double seconds = 0;
    const char *end = word != NULL ? gf_text_to_f64(word, &seconds) : "";
    if (end == NULL || *end != '\0' || !(seconds >= 0 && seconds <= GF_MAX_WAIT_S))
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "GPUFILTER_WAIT=%.40s; allowed: 0..%u seconds", word,
                            GF_MAX_WAIT_S);
    *ret_ms = (uint32_t)(seconds * 1000);
    *ret_ms += *ret_ms < seconds * 1000;
    return GF_OK;
}

static enum gf_status too_long(const char *path, struct gf_error *err)
{
    return gf_error_set(err, GF_E_BAD_ARGUMENT, "socket path \"%.80s...\" is longer than %d bytes", path,
                        GF_SOCKET_PATH - 1);
}

/* Whether the path belongs to another user: in a directory for temporary files any user may take any name. */
static bool is_taken(const struct gf_environment *s, const char *path)
{
    struct stat st;
    return lstat(path, &st) == 0 && st.st_uid != s->uid;
}

/* The first by name of this user's directories NAME.XXXXXX in the directory for temporary files; false if there is
 * none. */
static bool find_other(const struct gf_environment *s, const char *name, char ret_path[GF_SOCKET_PATH])
{
    size_t length = strlen(name);
    char first[sizeof(((struct dirent *)NULL)->d_name)] = "";
    struct stat st;
    DIR *dir = opendir(s->temp_dir);
    if (dir == NULL)
        return false;
    for (const struct dirent *e; (e = readdir(dir)) != NULL;)
        if (strncmp(e->d_name, name, length) == 0 && e->d_name[length] == '.' &&
            (first[0] == '\0' || strcmp(e->d_name, first) < 0) &&
            fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) && st.st_uid == s->uid)
            snprintf(first, sizeof(first), "%s", e->d_name);
    closedir(dir);
    return first[0] != '\0' && snprintf(ret_path, GF_SOCKET_PATH, "%s/%s", s->temp_dir, first) < GF_SOCKET_PATH;
}

/* Replaces a name that another user took by an unpredictable one, which later processes find by its owner. */
static enum gf_status dodge(const struct gf_environment *s, const char *name, char ret_path[GF_SOCKET_PATH],
                            struct gf_error *err)
{
    char made[GF_SOCKET_PATH];
    if (find_other(s, name, ret_path))
        return GF_OK;
    if (snprintf(made, sizeof(made), "%s/%s.XXXXXX", s->temp_dir, name) >= GF_SOCKET_PATH)
        return too_long(made, err);
    if (mkdtemp(made) == NULL)
        return gf_error_set(err, GF_E_NOT_PERMITTED,
                            "%s/%s belongs to another user, and no directory can be made beside it: %s", s->temp_dir,
                            name, strerror(errno));
    if (!find_other(s, name, ret_path)) /* another process may have made one at the same time; the first by name wins */
        memcpy(ret_path, made, sizeof(made));
    else if (strcmp(ret_path, made) != 0)
        rmdir(made);
    return GF_OK;
}

enum gf_status gf_private_dir(const struct gf_environment *s, char ret_path[GF_SOCKET_PATH], struct gf_error *err)
{
    char name[32];
    snprintf(name, sizeof(name), "gpufilter-%" PRIu32, (uint32_t)s->uid);
    int n = s->runtime_dir != NULL ? snprintf(ret_path, GF_SOCKET_PATH, "%s/gpufilter", s->runtime_dir)
                                   : snprintf(ret_path, GF_SOCKET_PATH, "%s/%s", s->temp_dir, name);
    if (n >= GF_SOCKET_PATH)
        return too_long(ret_path, err);
    return s->runtime_dir == NULL && is_taken(s, ret_path) ? dodge(s, name, ret_path, err) : GF_OK;
}

enum gf_status gf_private_dir_open(const struct gf_environment *s, const char *path, bool create, int *ret_fd,
                                   struct gf_error *err)
{
    if (create && mkdir(path, 0700) < 0 && errno != EEXIST)
        return gf_error_set(err, GF_E_NOT_PERMITTED, "cannot make %s: %s", path, strerror(errno));
    gf_cleanup(gf_closep) int fd =
        gf_fd_raise(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), GF_FIRST_FD);
    if (fd < 0 && errno == ENOENT) {
        *ret_fd = -1;
        return GF_OK;
    }
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return gf_error_set(err, GF_E_NOT_PERMITTED, "cannot use %s: %s", path, strerror(errno));
    if (st.st_uid != s->uid || (st.st_mode & 077) != 0)
        return gf_error_set(err, GF_E_NOT_PERMITTED,
                            "%s belongs to uid %" PRIu32 " with mode %04o; it must belong to uid %" PRIu32
                            " with mode 0700",
                            path, (uint32_t)st.st_uid, st.st_mode & 07777, (uint32_t)s->uid);
    *ret_fd = gf_steal_fd(&fd);
    return GF_OK;
}

enum gf_status gf_private_socket(const char *dir, char ret_path[GF_SOCKET_PATH], struct gf_error *err)
{
    int n = snprintf(ret_path, GF_SOCKET_PATH, "%s/%s", dir, SOCKET_NAME);
    return n < GF_SOCKET_PATH ? GF_OK : too_long(ret_path, err);
}

/* Connects with a deadline; on a local socket only the send timeout limits the wait. 0: the socket is non-blocking. */
static int connect_until(int fd, const struct sockaddr_un *address, int64_t deadline)
{
    for (;;) {
        int64_t left = (deadline - gf_now()) / 1000;
        if (deadline != 0 && left <= 0) {
            errno = EAGAIN;
            return -1;
        }
        struct timeval limit = {.tv_sec = (time_t)(left / 1000000), .tv_usec = (suseconds_t)(left % 1000000)};
        if (deadline != 0)
            setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
            return 0;
        if (errno != EINTR)
            return -1;
    }
}

/* Whether the socket belongs to the group root, which is no group for users. */
static bool is_of_root_group(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_gid == 0;
}

/* The error for a socket that this user may not use: who may, and how to join the group. */
static enum gf_status not_permitted(const char *path, struct gf_error *err)
{
    struct stat st;
    struct group group, *found = NULL;
    char capacity[4096], name[64];
    if (stat(path, &st) < 0)
        return gf_error_set(err, GF_E_NOT_PERMITTED, "%s: %s", path, strerror(errno));
    if ((st.st_mode & S_IWGRP) == 0)
        return gf_error_set(err, GF_E_NOT_PERMITTED, "%s is only for uid %" PRIu32 " (mode %04o)", path,
                            (uint32_t)st.st_uid, st.st_mode & 07777);
    if (st.st_gid == 0)
        return gf_error_set(err, GF_E_NOT_PERMITTED,
                            "%s is only for uid %" PRIu32 " and the group root: ask the administrator to give the "
                            "socket a group for users (SocketGroup= in gpufilterd.socket)",
                            path, (uint32_t)st.st_uid);
    snprintf(name, sizeof(name), "%" PRIu32, (uint32_t)st.st_gid);
    if (getgrgid_r(st.st_gid, &group, capacity, sizeof(capacity), &found) == 0 && found != NULL)
        snprintf(name, sizeof(name), "%.32s", group.gr_name);
    return gf_error_set(err, GF_E_NOT_PERMITTED,
                        "%s is for members of group %s: sudo usermod -aG %s $USER, then log in again", path, name,
                        name);
}

enum gf_status gf_socket_connect(const char *path, int64_t deadline, int *ret_fd, uid_t *ret_uid, struct gf_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof(address.sun_path))
        return too_long(path, err);
    memcpy(address.sun_path, path, strlen(path));
    const int type = SOCK_STREAM | SOCK_CLOEXEC | (deadline == 0 ? SOCK_NONBLOCK : 0);
    gf_cleanup(gf_closep) int fd = gf_fd_raise(socket(AF_UNIX, type, 0), GF_FIRST_FD);
    if (fd < 0)
        return gf_error_set(err, errno == EMFILE || errno == ENFILE ? GF_E_RESOURCE_FDS : GF_E_NO_MEMORY,
                            "cannot create a socket: %s", strerror(errno));
    int connected = connect_until(fd, &address, deadline);
    if (connected < 0 && errno == EACCES && is_of_root_group(path)) {
        if (deadline != 0)
            poll(NULL, 0, CHOWN_MS);
        connected = connect_until(fd, &address, deadline);
    }
    if (connected < 0) {
        if (errno == EAGAIN)
            return gf_error_set(err, GF_E_TIMEOUT, "%s: the daemon did not accept in time", path);
        if (errno == EACCES)
            return not_permitted(path, err);
        return gf_error_set(err, GF_E_NO_DAEMON, "%s: %s", path, strerror(errno));
    }
    struct ucred peer;
    socklen_t size = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
        return gf_error_set(err, GF_E_WRONG_SERVER, "%s: cannot determine the daemon's user: %s", path,
                            strerror(errno));
    *ret_uid = peer.uid;
    *ret_fd = gf_steal_fd(&fd);
    return GF_OK;
}
