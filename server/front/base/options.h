/* SPDX-License-Identifier: MIT */
/*
 * Options of gpufilterd: one table drives the command line, the configuration file, --help and --print-config. The
 * command line overrides the file. Called by main.c, and by server.c to reload the file.
 */
#ifndef GF_FRONT_OPTIONS_H
#define GF_FRONT_OPTIONS_H

#include "protocol/base/error.h"
#include "protocol/base/limits.h"

#define GF_CONFIG_PATH "/etc/gpufilter/gpufilterd.conf"
#define GF_DEFAULT_SOCKET "/run/gpufilter/gpufilterd.sock"
#define GF_NODE_NAME_CHARS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
/* Descriptors besides those of clients: 64 for workers and staging, and as many as one message can carry. */
#define GF_RESERVED_FDS (64u + 256u)
#define GF_MIN_FDS 512u          /* the daemon does not start with fewer */
#define GF_USEFUL_FDS (1u << 20) /* the daemon raises its limit no further */

enum gf_action {
    GF_ACTION_SERVE,
    GF_ACTION_HELP,
    GF_ACTION_VERSION,
    GF_ACTION_CHECK_CONFIG,
    GF_ACTION_PRINT_CONFIG,
    GF_ACTION_DOCTOR
};

struct gf_options {
    char *socket, *worker_socket, *worker, *devices, *proxy_users, *node_name, *metrics_listen; /* owned; empty: not
                                                                                                 * given */
    uint64_t socket_mode; /* 0: depends on where the socket lies */
    uint64_t device_memory;
    uint64_t max_inline, staging_max, staging_segment;
    uint64_t max_connections, in_flight, staging, arenas, arena_bytes, pinned_bytes, handles, resident_bytes;
    uint64_t user_connections, user_requests, user_staging, user_arenas, user_arena_bytes, user_pinned_bytes,
        user_handles, user_resident_bytes, user_scratch_bytes, worker_scratch;
    uint64_t request_total, handle_total, arena_total, pinned_total, resident_total; /* a byte total of 0 is derived
                                                                                      * from the machine's memory */
    uint64_t user_identity;                                                          /* enum gf_identity_kind */
    uint64_t frame_timeout_ms, reply_timeout_ms, worker_timeout_ms, drain_timeout_ms, idle_exit_ms, idle_release_ms;
    uint64_t worker_deaths;
    uint64_t log_level;    /* enum gf_log_level */
    uint64_t log_requests; /* enum gf_logged_requests */
    uint64_t sandbox;      /* 0: no sandbox, for debuggers */
    /* Only on the command line. */
    char *config;      /* owned; empty: GF_CONFIG_PATH where it exists */
    uint64_t ready_fd; /* 0: none */
    enum gf_action action;
};

/* Sets the defaults. NO_MEMORY. */
enum gf_status gf_options_init(struct gf_options *options, struct gf_error *err);
void gf_options_deinit(struct gf_options *options);

/* Reads the command line and, unless an option such as --help ends the program, the configuration file. BAD_ARGUMENT
 * for the command line; BAD_PARAM with file and line for the file. */
enum gf_status gf_options_parse(struct gf_options *options, int argc, char *const *argv, struct gf_error *err);

/* Takes over the options that may change while the daemon runs: quotas, users of proxies, timeouts, the log level.
 * `from` receives the replaced texts. ret_later receives the names of the other options that differ, separated by
 * commas; they keep their values. */
void gf_options_reload(struct gf_options *options, struct gf_options *from, char *ret_later, size_t size);

/* The effective values of `worker-scratch` and `user-scratch-bytes`, also where the option is 0. */
uint64_t gf_options_worker_scratch(const struct gf_options *options);
uint64_t gf_options_user_scratch(const struct gf_options *options);
/* This machine's name for clients: the option node-name, otherwise the host name with '_' for other characters. */
void gf_options_node_name(const struct gf_options *options, char ret[GF_MAX_DEVICE_NAME + 1]);

/* Print all options with their defaults, and the values in effect as a configuration file. */
void gf_options_help(void);
void gf_options_print(const struct gf_options *options);

#endif
