/* SPDX-License-Identifier: MIT */
/*
 * The identity that a client is accounted to. One person may have many uids: by /etc/subuid, in a user namespace. A
 * subordinate uid therefore counts as its owner, and an option selects the login uid or the cgroup instead of the uid.
 * Limits, shares, scheduling and metrics are per identity. Data belongs to connections; its memory is cleared between
 * uids. Made by server.c; sessions.c asks it for each client. Also parses the lists of uids in the configuration.
 */
#ifndef GF_FRONT_IDENTITY_H
#define GF_FRONT_IDENTITY_H

#include <sys/types.h>

#include "protocol/base/error.h"

enum gf_identity_kind {
    GF_IDENTITY_UID,
    GF_IDENTITY_LOGINUID, /* the uid that the audit system recorded at login, if any */
    GF_IDENTITY_CGROUP    /* the inode number of the client's cgroup: the deepest one on its path that root created */
};

struct gf_subuids {
    uid_t first, count, owner;
};

struct gf_identities {
    enum gf_identity_kind kind;
    struct gf_subuids *subuids;
    size_t n_subuids;
};

/* Reads /etc/subuid below `root` ("" for the system itself) and resolves names by /etc/passwd; no name service is
 * asked. Without memory or without the file there are no subordinate uids. Replaces what an earlier call read. */
void gf_identities_load(struct gf_identities *identities, const char *root);
void gf_identities_deinit(struct gf_identities *identities);

#define GF_MAX_UIDS 16u

struct gf_uids {
    uid_t list[GF_MAX_UIDS];
    uint32_t n;
};

/* Parses uids and names of /etc/passwd below `root`, separated by commas. "" is the empty list. BAD_PARAM names the
 * wrong entry and leaves the list unchanged. */
enum gf_status gf_uids_parse(struct gf_uids *uids, const char *text, const char *root, struct gf_error *err);
bool gf_uids_have(const struct gf_uids *uids, uid_t uid);

/* OK, or BAD_PARAM if this machine cannot identify clients this way. */
enum gf_status gf_identity_check(enum gf_identity_kind kind, const char *root, struct gf_error *err);

/* The word for such an identity in messages. */
const char *gf_identity_word(enum gf_identity_kind kind);

/* The identity of the client behind a socket with these credentials. If the connecting process has ended, or has no
 * login uid or usable cgroup, its uid or that uid's owner is the identity. Reads /proc, which no client can delay. */
uid_t gf_identity_of(const struct gf_identities *identities, int fd, uid_t uid, pid_t pid);

/* Cuts a cgroup's path below `root` to the part whose inode number identifies the client: the leading directories that
 * belong to root, and nothing below user-UID.slice, where sessions come and go. "" is the root of the hierarchy. */
void gf_identity_cut_cgroup(const char *root, char *path);

#endif
