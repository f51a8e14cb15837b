/* SPDX-License-Identifier: MIT */
/* Subordinate uids, login uids and cgroups of clients; see identity.h. */
#include "identity.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "protocol/base/machine.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

#define MAX_SUBUIDS 4096u /* lines of the file that are read */
#define NO_UID ((uid_t)-1)

static bool parse_uid(const char *text, uid_t *ret)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    unsigned long long v = strtoull(text, &end, 10);
    *ret = (uid_t)v;
    return *end == '\0' && v < NO_UID;
}

/* The uid of a name in /etc/passwd, or NO_UID if the file does not have the name. */
static uid_t uid_of(const char *root, const char *name)
{
    char path[PATH_MAX];
    uid_t uid = NO_UID;
    snprintf(path, sizeof(path), "%s/etc/passwd", root);
    FILE *f = fopen(path, "re");
    for (struct passwd *p; f && (p = fgetpwent(f));)
        if (strcmp(p->pw_name, name) == 0) {
            uid = p->pw_uid;
            break;
        }
    if (f)
        fclose(f);
    return uid;
}

/* Parses "name:first:count". */
static bool parse_range(const char *root, char *line, struct gf_subuids *ret)
{
    char *save, *name = strtok_r(line, ":", &save), *first = strtok_r(NULL, ":", &save),
                *count = strtok_r(NULL, ":\n", &save);
    if (!name || !first || !count || !parse_uid(first, &ret->first) || !parse_uid(count, &ret->count) ||
        ret->count == 0)
        return false;
    if (!parse_uid(name, &ret->owner))
        ret->owner = uid_of(root, name);
    if (ret->owner == NO_UID)
        ret->owner = ret->first; /* a missing owner is represented by the first uid of its range */
    return true;
}

void gf_identities_load(struct gf_identities *identities, const char *root)
{
    char path[PATH_MAX], line[512];
    gf_identities_deinit(identities);
    snprintf(path, sizeof(path), "%s/etc/subuid", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f) && identities->n_subuids < MAX_SUBUIDS) {
        struct gf_subuids range;
        if (!parse_range(root, line, &range))
            continue;
        struct gf_subuids *more =
            realloc(identities->subuids, (identities->n_subuids + 1) * sizeof(*identities->subuids));
        if (!more)
            break;
        identities->subuids = more;
        more[identities->n_subuids++] = range;
    }
    if (f && !feof(f))
        gf_log(GF_LOG_WARNING, "%s: only the first %zu ranges are used", path, identities->n_subuids);
    if (f)
        fclose(f);
}

void gf_identities_deinit(struct gf_identities *identities)
{
    free(identities->subuids);
    identities->subuids = NULL;
    identities->n_subuids = 0;
}

enum gf_status gf_uids_parse(struct gf_uids *uids, const char *text, const char *root, struct gf_error *err)
{
    struct gf_uids found = {.n = 0};
    for (const char *at = text; *text != '\0' && at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[64];
        size_t length = strcspn(at, ",");
        uid_t uid = NO_UID;
        if (length > 0 && length < sizeof(name)) {
            snprintf(name, sizeof(name), "%.*s", (int)length, at);
            if (!parse_uid(name, &uid))
                uid = uid_of(root, name);
        }
        if (uid == NO_UID)
            return gf_error_set(err, GF_E_BAD_PARAM, "no user '%.*s'; allowed: uids, and names of /etc/passwd",
                                (int)length, at);
        if (found.n == GF_MAX_UIDS)
            return gf_error_set(err, GF_E_BAD_PARAM, "more than %u users", GF_MAX_UIDS);
        found.list[found.n++] = uid;
    }
    *uids = found;
    return GF_OK;
}

bool gf_uids_have(const struct gf_uids *uids, uid_t uid)
{
    for (uint32_t i = 0; i < uids->n; i++)
        if (uids->list[i] == uid)
            return true;
    return false;
}

enum gf_status gf_identity_check(enum gf_identity_kind kind, const char *root, struct gf_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s", root,
             kind == GF_IDENTITY_LOGINUID ? "/proc/self/loginuid" : "/sys/fs/cgroup/cgroup.controllers");
    if (kind == GF_IDENTITY_UID || access(path, R_OK) == 0)
        return GF_OK;
    return gf_error_set(err, GF_E_BAD_PARAM, "user-identity=%s needs %s: %s",
                        kind == GF_IDENTITY_LOGINUID ? "loginuid" : "cgroup",
                        kind == GF_IDENTITY_LOGINUID ? "a kernel with audit (/proc/self/loginuid)"
                                                     : "control groups of version 2 at /sys/fs/cgroup",
                        strerror(errno));
}

const char *gf_identity_word(enum gf_identity_kind kind)
{
    return kind == GF_IDENTITY_LOGINUID ? "login user" : kind == GF_IDENTITY_CGROUP ? "cgroup" : "user";
}

/* The owner of a subordinate uid; any other uid is its own owner. */
static uid_t owner_of(const struct gf_identities *identities, uid_t uid)
{
    for (size_t i = 0; i < identities->n_subuids; i++) {
        const struct gf_subuids *r = &identities->subuids[i];
        if (uid >= r->first && uid - r->first < r->count)
            return r->owner;
    }
    return uid;
}

/* Whether `part` of a path is user-1000.slice. */
static bool is_user_slice(const char *part, size_t length)
{
    static const char head[] = "user-", tail[] = ".slice";
    return length > strlen(head) + strlen(tail) && strncmp(part, head, strlen(head)) == 0 &&
           strncmp(part + length - strlen(tail), tail, strlen(tail)) == 0;
}

void gf_identity_cut_cgroup(const char *root, char *path)
{
    char name[PATH_MAX];
    char *at = path;
    while (*at == '/' && at[1] != '\0') {
        char *end = strchrnul(at + 1, '/');
        struct stat st;
        int length = (int)(end - path);
        snprintf(name, sizeof(name), "%s%.*s", root, length, path);
        if (stat(name, &st) < 0 || st.st_uid != 0)
            break;
        bool last = is_user_slice(at + 1, (size_t)(end - at - 1));
        at = end;
        if (last)
            break;
    }
    *at = '\0';
}

static uid_t cgroup_of(const char *proc)
{
    static const char root[] = "/sys/fs/cgroup";
    char line[PATH_MAX - 64], path[PATH_MAX];
    struct stat st;
    if (!gf_machine_line(proc, "/cgroup", "0::/", line, sizeof(line)) || strstr(line, "/.."))
        return NO_UID; /* the cgroup lies outside the container's cgroup namespace */
    gf_identity_cut_cgroup(root, line + 3);
    snprintf(path, sizeof(path), "%s%s", root, line + 3);
    /* kernfs gives the lower half of an inode number to one live directory at a time. */
    return stat(path, &st) < 0 ? NO_UID : (uid_t)st.st_ino;
}

static uid_t loginuid_of(const char *proc)
{
    char text[32];
    uid_t uid;
    return gf_machine_line(proc, "/loginuid", "", text, sizeof(text)) && parse_uid(text, &uid) ? uid : NO_UID;
}

/* Whether the connecting process is alive, so that what was read from /proc belongs to it. Before Linux 6.5 there is no
 * pidfd to ask; a client could then exploit a reused pid, but only by luck and only by ending its own process. */
static bool is_alive(int pidfd)
{
    struct pollfd p = {.fd = pidfd, .events = POLLIN};
    return pidfd < 0 || poll(&p, 1, 0) == 0;
}

uid_t gf_identity_of(const struct gf_identities *identities, int fd, uid_t uid, pid_t pid)
{
    uid_t owner = owner_of(identities, uid), found;
    char proc[32];
    if (identities->kind == GF_IDENTITY_UID || pid <= 0)
        return owner;
    int pidfd = -1;
    socklen_t size = sizeof(pidfd);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) < 0)
        pidfd = -1;
    gf_cleanup(gf_closep) int closed = pidfd;
    snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
    found = identities->kind == GF_IDENTITY_LOGINUID ? loginuid_of(proc) : cgroup_of(proc);
    if (found == NO_UID || !is_alive(closed))
        return owner;
    return identities->kind == GF_IDENTITY_LOGINUID ? owner_of(identities, found) : found;
}
