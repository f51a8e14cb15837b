/* SPDX-License-Identifier: MIT */
/*
 * The identity that a client counts as. One person may have many uids: by /etc/subuid, in a user namespace. So a
 * subordinate uid counts as its owner; and an option makes the login uid or the cgroup count instead. Limits, shares,
 * scheduling and figures are per identity; clearing of memory and access to data depend on the uid itself. Made by
 * server.c, asked by sessions.c for each client. Also lists of uids in the configuration.
 */
#ifndef GF_FRONT_IDENTITY_H
#define GF_FRONT_IDENTITY_H

#include <sys/types.h>

#include "protocol/base/error.h"

enum gf_identity_kind {
    GF_IDENTITY_UID,
    GF_IDENTITY_LOGINUID, /* the uid that the audit system remembers of the login, where there is one */
    GF_IDENTITY_CGROUP    /* the inode number of the client's cgroup: the last one down its path that root made */
};

struct gf_subuids {
    uid_t first, count, owner;
};

struct gf_identities {
    enum gf_identity_kind kind;
    struct gf_subuids *subuids;
    size_t n_subuids;
};

/* Reads /etc/subuid, with names as /etc/passwd has them, below `root` ("" for the system itself); no name service is
 * asked. Without memory, or without the file, there are no subordinate uids. Replaces what was read before. */
void gf_identities_load(struct gf_identities *identities, const char *root);
void gf_identities_deinit(struct gf_identities *identities);

#define GF_MAX_UIDS 16u

struct gf_uids {
    uid_t list[GF_MAX_UIDS];
    uint32_t n;
};

/* The uids of a list, separated by commas: numbers, and names as /etc/passwd below `root` has them. "" is an empty
 * list. BAD_PARAM names the entry that is wrong; the list is as before then. */
enum gf_status gf_uids_parse(struct gf_uids *uids, const char *text, const char *root, struct gf_error *err);
bool gf_uids_have(const struct gf_uids *uids, uid_t uid);

/* OK, or BAD_PARAM where this machine does not tell who clients are in this way. */
enum gf_status gf_identity_check(enum gf_identity_kind kind, const char *root, struct gf_error *err);

/* What a number is in messages. */
const char *gf_identity_word(enum gf_identity_kind kind);

/* Who a client is, whose socket and credentials are given: where the process that connected is gone, or has no login
 * uid or cgroup to speak of, its uid, or the owner's. Reads /proc, which no client can delay. */
uid_t gf_identity_of(const struct gf_identities *identities, int fd, uid_t uid, pid_t pid);

/* The part of a cgroup's path below `root` whose inode number identifies it: as long as directories belong to root and
 * no further than user-UID.slice, since below it sessions come and go. "" for the hierarchy's own root. */
void gf_identity_cut_cgroup(const char *root, char *path);

#endif
