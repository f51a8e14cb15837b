/* SPDX-License-Identifier: MIT */
/* The table of options and everything derived from it; see options.h. */
#include "options.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "endpoint.h"
#include "identity.h"
#include "log.h"
#include "options_file.h"
#include "protocol/base/limits.h"
#include "protocol/base/machine.h"
#include "protocol/base/suggest.h"
#include "protocol/base/text.h"
#include "protocol/ops/program.h"

enum kind {
    KIND_TEXT,
    KIND_SIZE,
    KIND_COUNT,
    KIND_SECONDS,
    KIND_MODE,
    KIND_LEVEL,
    KIND_IDENTITY,
    KIND_REQUESTS,
    KIND_USERS,
    KIND_DEVICES,
    KIND_NAME,
    KIND_ADDRESS
};
enum flag { RELOAD = 1, LINE_ONLY = 2 };

struct option {
    const char *name;
    enum kind kind;
    size_t offset;
    uint64_t lo, hi; /* in the stored unit */
    const char *def;
    unsigned flags;
    const char *help;
};

#define AT(member) offsetof(struct gf_options, member)
#define MAX_BYTES (1ull << 46)
#define MAX_COUNT 1000000ull
#define MAX_MS (7ull * 24 * 3600 * 1000)

static const struct option g_options[] = {
    {"socket", KIND_TEXT, AT(socket), 0, 0, "", 0,
     "path to listen on; default, unless systemd passes a socket: /run/gpufilter/gpufilterd.sock"},
    {"socket-mode", KIND_MODE, AT(socket_mode), 0, 0777, "0", 0,
     "access to the socket, octal; 0: 660 below /run/gpufilter, otherwise 600"},
    {"worker-socket", KIND_TEXT, AT(worker_socket), 0, 0, "", 0,
     "path where workers not started by the daemon may join; default: none"},
    {"metrics-listen", KIND_ADDRESS, AT(metrics_listen), 0, 0, "", 0,
     "where metrics and health are served over HTTP: 127.0.0.1:PORT, [::1]:PORT or unix:PATH; default: nowhere"},
    {"worker", KIND_TEXT, AT(worker), 0, 0, "", 0, "the worker program; default: the installed one"},
    {"devices", KIND_DEVICES, AT(devices), 0, 0, "auto", 0,
     "devices to serve: cpu, cuda:0, ..., separated by commas; auto: every device found, or, in gpufilterd.service, "
     "cpu and those whose units gpufilterd-worker@ are enabled; none"},
    {"device-memory", KIND_SIZE, AT(device_memory), 0, MAX_BYTES, "0", 0,
     "bytes of each GPU's memory for jobs and resident buffers; 0: all of it, or half of the machine's memory for "
     "a GPU that shares it"},
    {"max-inline", KIND_SIZE, AT(max_inline), 4096, MAX_BYTES, "256M", 0, "bytes of a frame's payload, either way"},
    {"staging-max", KIND_SIZE, AT(staging_max), 1 << 20, MAX_BYTES, "2G", 0,
     "bytes of memory for all inline data, shared fairly by all users"},
    {"staging-segment", KIND_SIZE, AT(staging_segment), 4096, MAX_BYTES, "64M", 0,
     "largest step in bytes by which the memory for inline data grows"},
    {"max-connections", KIND_COUNT, AT(max_connections), 1, MAX_COUNT, "1024", RELOAD,
     "connections in all, shared fairly by all users"},
    {"in-flight", KIND_COUNT, AT(in_flight), 1, 4096, "64", 0, "requests of a connection at once; further ones wait"},
    {"staging", KIND_SIZE, AT(staging), 4096, MAX_BYTES, "512M", 0,
     "bytes of a connection's inline data at once; further requests wait"},
    {"arenas", KIND_COUNT, AT(arenas), 0, 4096, "16", 0, "arenas of a connection"},
    {"arena-bytes", KIND_SIZE, AT(arena_bytes), 0, MAX_BYTES, "4G", 0, "bytes of a connection's arenas"},
    {"pinned-bytes", KIND_SIZE, AT(pinned_bytes), 0, MAX_BYTES, "1G", 0,
     "bytes of a connection's arenas that devices may page-lock; the rest is copied more slowly"},
    {"handles", KIND_COUNT, AT(handles), 0, GF_MAX_HANDLES, "256", 0, "resident buffers of a connection; 0: none"},
    {"resident-bytes", KIND_SIZE, AT(resident_bytes), 0, MAX_BYTES, "4G", 0,
     "bytes of a connection's resident buffers"},
    {"user-connections", KIND_COUNT, AT(user_connections), 1, MAX_COUNT, "256", RELOAD, "connections of a user"},
    {"user-requests", KIND_COUNT, AT(user_requests), 1, MAX_COUNT, "256", RELOAD,
     "requests of a user at once; further ones wait"},
    {"user-staging", KIND_SIZE, AT(user_staging), 4096, MAX_BYTES, "1G", RELOAD,
     "bytes of a user's inline data at once; further requests wait"},
    {"user-arenas", KIND_COUNT, AT(user_arenas), 0, MAX_COUNT, "1024", RELOAD, "arenas of a user"},
    {"user-arena-bytes", KIND_SIZE, AT(user_arena_bytes), 0, MAX_BYTES, "16G", RELOAD, "bytes of a user's arenas"},
    {"user-pinned-bytes", KIND_SIZE, AT(user_pinned_bytes), 0, MAX_BYTES, "1G", RELOAD,
     "bytes of a user's arenas that devices may page-lock"},
    {"user-handles", KIND_COUNT, AT(user_handles), 0, MAX_COUNT, "16384", RELOAD, "resident buffers of a user"},
    {"user-resident-bytes", KIND_SIZE, AT(user_resident_bytes), 0, MAX_BYTES, "8G", RELOAD,
     "bytes of a user's resident buffers"},
    {"request-total", KIND_COUNT, AT(request_total), 1, MAX_COUNT, "2048", RELOAD,
     "requests of all users, shared fairly; further ones wait"},
    {"arena-total", KIND_SIZE, AT(arena_total), 0, MAX_BYTES, "0", RELOAD,
     "bytes of all users' arenas, shared fairly; 0: twice the machine's memory"},
    {"pinned-total", KIND_SIZE, AT(pinned_total), 0, MAX_BYTES, "0", RELOAD,
     "bytes of all users' arenas that devices may page-lock; 0: half of the machine's memory"},
    {"handle-total", KIND_COUNT, AT(handle_total), 1, 16 * MAX_COUNT, "65536", RELOAD,
     "resident buffers of all users, shared fairly"},
    {"resident-total", KIND_SIZE, AT(resident_total), 0, MAX_BYTES, "0", RELOAD,
     "bytes of all users' resident buffers, shared fairly; 0: the machine's memory"},
    {"user-identity", KIND_IDENTITY, AT(user_identity), 0, 0, "uid", 0,
     "what identifies a user: uid, loginuid or cgroup; subordinate uids count with their owner"},
    {"proxy-users", KIND_USERS, AT(proxy_users), 0, 0, "", RELOAD,
     "users, by name or uid, separated by commas, whose connections begin with a PROXY protocol header; default: none"},
    {"node-name", KIND_NAME, AT(node_name), 0, 0, "", 0,
     "this machine's name for clients, which tells who answered; default: the host name"},
    {"user-scratch-bytes", KIND_SIZE, AT(user_scratch_bytes), 0, MAX_BYTES, "0", RELOAD,
     "scratch bytes of a user's requests; further requests wait; 0: half of worker-scratch"},
    {"worker-scratch", KIND_SIZE, AT(worker_scratch), 0, MAX_BYTES, "0", 0,
     "scratch bytes of all requests in a worker; further ones wait; 0: half of the memory of the machine or control "
     "group"},
    {"frame-timeout", KIND_SECONDS, AT(frame_timeout_ms), 10, MAX_MS, "10", RELOAD,
     "seconds for a frame to arrive, and for its payload to make progress"},
    {"reply-timeout", KIND_SECONDS, AT(reply_timeout_ms), 10, MAX_MS, "30", RELOAD,
     "seconds after which a client that reads less than 256 KiB/s is disconnected"},
    {"worker-timeout", KIND_SECONDS, AT(worker_timeout_ms), 10, MAX_MS, "30", RELOAD,
     "seconds after which a silent or stalled worker is killed"},
    {"worker-deaths", KIND_COUNT, AT(worker_deaths), 1, 16, "5", RELOAD,
     "deaths in ten minutes after which a device is set aside, or a user refused"},
    {"drain-timeout", KIND_SECONDS, AT(drain_timeout_ms), 0, MAX_MS, "20", RELOAD,
     "seconds to finish accepted requests at shutdown"},
    {"idle-release", KIND_SECONDS, AT(idle_release_ms), 0, MAX_MS, "0", RELOAD,
     "idle seconds after which a GPU's memory is released, until the next request; 0: never"},
    {"idle-exit", KIND_SECONDS, AT(idle_exit_ms), 0, MAX_MS, "0", 0,
     "seconds without a connection after which the daemon ends; 0: never"},
    {"sandbox", KIND_COUNT, AT(sandbox), 0, 1, "1", 0,
     "0: daemon and workers keep all rights and may dump core, for debuggers; 1: restricted, see "
     "/usr/share/doc/gpufilterd/sandbox.md"},
    {"log-level", KIND_LEVEL, AT(log_level), 0, 0, "info", RELOAD, "error, warning, notice, info or debug"},
    {"log-requests", KIND_REQUESTS, AT(log_requests), 0, 0, "refused", RELOAD,
     "requests with a line in the log, each word with those before it: none, refused, slow or all"},
    {"ready-fd", KIND_COUNT, AT(ready_fd), 0, 1 << 20, "0", LINE_ONLY,
     "descriptor that receives READY, or the reason for a failed start; 0: none"},
    {"config", KIND_TEXT, AT(config), 0, 0, "", LINE_ONLY, "configuration file; default: " GF_CONFIG_PATH},
};

static const struct {
    const char *name;
    enum gf_action action;
    const char *help;
} g_actions[] = {
    {"check-config", GF_ACTION_CHECK_CONFIG, "check the options and the file, then end"},
    {"print-config", GF_ACTION_PRINT_CONFIG, "print the options in effect, then end"},
    {"doctor", GF_ACTION_DOCTOR, "check devices, socket, limits and memory, report what is missing, then end"},
    {"help", GF_ACTION_HELP, "print this, then end"},
    {"version", GF_ACTION_VERSION, "print the version, then end"},
};

struct word {
    const char *word;
    uint64_t value;
};

static const struct word g_levels[] = {
    {"error", GF_LOG_ERROR}, {"warning", GF_LOG_WARNING}, {"notice", GF_LOG_NOTICE},
    {"info", GF_LOG_INFO},   {"debug", GF_LOG_DEBUG},     {NULL, 0},
};

static const struct word g_logged[] = {
    {"none", GF_LOG_NO_REQUESTS}, {"refused", GF_LOG_REFUSED}, {"slow", GF_LOG_SLOW}, {"all", GF_LOG_ALL}, {NULL, 0}};

static const struct word g_identities[] = {
    {"uid", GF_IDENTITY_UID}, {"loginuid", GF_IDENTITY_LOGINUID}, {"cgroup", GF_IDENTITY_CGROUP}, {NULL, 0}};

/* The allowed words of an option; NULL if its values are not words. */
static const struct word *words_of(const struct option *option)
{
    switch (option->kind) {
    case KIND_LEVEL:
        return g_levels;
    case KIND_IDENTITY:
        return g_identities;
    case KIND_REQUESTS:
        return g_logged;
    default:
        return NULL;
    }
}

#define WORDS_TEXT 64u

/* "uid, loginuid and cgroup" */
static const char *list_words(const struct word *words, char text[WORDS_TEXT])
{
    size_t n = 0;
    for (const struct word *w = words; w->word && n < WORDS_TEXT; w++)
        n += (size_t)snprintf(text + n, WORDS_TEXT - n, "%s%s", w == words ? "" : w[1].word ? ", " : " and ", w->word);
    return text;
}

static bool is_text(const struct option *option)
{
    return option->kind == KIND_TEXT || option->kind == KIND_USERS || option->kind == KIND_DEVICES ||
           option->kind == KIND_NAME || option->kind == KIND_ADDRESS;
}

static const struct option *find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_options); i++)
        if (strlen(g_options[i].name) == length && memcmp(g_options[i].name, name, length) == 0)
            return &g_options[i];
    return NULL;
}

static bool parse_whole(const char *text, int base, uint64_t *ret, const char **ret_rest)
{
    if (*text < '0' || *text > '9')
        return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, base);
    *ret = v;
    *ret_rest = end;
    return errno == 0;
}

/* Parses digits and an optional unit letter, such as "256M". */
static bool parse_size(const char *text, uint64_t *ret)
{
    static const char units[] = "KMGT";
    const char *rest;
    uint64_t v;
    if (!parse_whole(text, 10, &v, &rest))
        return false;
    const char *unit = *rest ? strchr(units, *rest) : NULL;
    if (unit && !gf_mul_u64(v, 1ull << (10 * (unit - units + 1)), &v))
        return false;
    *ret = v;
    return *(unit ? rest + 1 : rest) == '\0';
}

/* Parses "2" or "0.25" to milliseconds. */
static bool parse_seconds(const char *text, uint64_t *ret)
{
    const char *rest;
    uint64_t v, part = 0, unit = 100;
    if (!parse_whole(text, 10, &v, &rest) || !gf_mul_u64(v, 1000, &v))
        return false;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
            part += (uint64_t)(*rest - '0') * unit;
    return gf_add_u64(v, part, ret) && *rest == '\0';
}

static bool parse_word(const struct word *words, const char *text, uint64_t *ret)
{
    for (; words->word; words++)
        if (strcmp(text, words->word) == 0) {
            *ret = words->value;
            return true;
        }
    return false;
}

static bool parse_number(const struct option *option, const char *text, uint64_t *ret)
{
    const char *rest;
    switch (option->kind) {
    case KIND_SIZE:
        return parse_size(text, ret);
    case KIND_SECONDS:
        return parse_seconds(text, ret);
    case KIND_LEVEL:
    case KIND_IDENTITY:
    case KIND_REQUESTS:
        return parse_word(words_of(option), text, ret);
    case KIND_MODE:
        return parse_whole(text, 8, ret, &rest) && *rest == '\0';
    case KIND_COUNT:
    case KIND_TEXT:
    case KIND_USERS:
    case KIND_DEVICES:
    case KIND_NAME:
    case KIND_ADDRESS:
        break;
    }
    return parse_whole(text, 10, ret, &rest) && *rest == '\0';
}

/* Prints a stored value as text. */
static const char *number_text(const struct option *option, uint64_t v, char *text, size_t size)
{
    const char *unit = "";
    if (option->kind == KIND_MODE)
        snprintf(text, size, "%llo", (unsigned long long)v);
    else if (option->kind == KIND_SECONDS && v % 1000)
        snprintf(text, size, "%llu.%03llu", (unsigned long long)v / 1000, (unsigned long long)v % 1000);
    else if (words_of(option)) {
        for (const struct word *w = words_of(option); w->word; w++)
            if (w->value == v)
                snprintf(text, size, "%s", w->word);
    } else {
        if (option->kind == KIND_SECONDS)
            v /= 1000;
        else if (option->kind == KIND_SIZE)
            for (const char *units = "KMGT"; v > 0 && v % 1024 == 0 && *units; v /= 1024, units++)
                unit = units;
        snprintf(text, size, "%llu%.1s", (unsigned long long)v, unit);
    }
    return text;
}

/* Whether this is a name that a worker may know. */
static bool is_device(const char *name)
{
    size_t digits = strncmp(name, "cuda:", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
    bool index = digits > 0 && name[5 + digits] == '\0';
    bool uuid = (strncmp(name, "GPU-", 4) == 0 || strncmp(name, "MIG-", 4) == 0) && name[4] != '\0';
    return strcmp(name, "cpu") == 0 || index || (uuid && gf_device_name_check(name, NULL) == GF_OK);
}

static bool are_devices(const char *text)
{
    if (strcmp(text, "auto") == 0 || strcmp(text, "none") == 0)
        return true;
    for (;;) {
        char name[GF_MAX_DEVICE_NAME + 1];
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof(name), "%.*s", (int)length, text);
        if (length > GF_MAX_DEVICE_NAME || !is_device(name))
            return false;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

static enum gf_status check_text(const struct option *option, const char *text, struct gf_error *err)
{
    struct gf_uids uids;
    struct gf_endpoint endpoint;
    struct gf_error error = {0};
    for (const char *p = text; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return gf_error_set(err, GF_E_BAD_PARAM, "%s: the value contains the control character 0x%02x",
                                option->name, (unsigned char)*p);
    if (option->kind == KIND_DEVICES && !are_devices(text))
        return gf_error_set(
            err, GF_E_BAD_PARAM,
            "%s=%s; allowed: auto, none, or names separated by commas: cpu, cuda:0, cuda:1, ..., a GPU's "
            "UUID (GPU-... or MIG-...)",
            option->name, text);
    if ((option->kind == KIND_USERS && gf_uids_parse(&uids, text, "", &error) != GF_OK) ||
        (option->kind == KIND_ADDRESS && *text && gf_endpoint_parse(text, &endpoint, &error) != GF_OK))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s=%s: %s", option->name, text, error.text);
    if (option->kind == KIND_NAME && (strlen(text) > GF_MAX_DEVICE_NAME || text[strspn(text, GF_NODE_NAME_CHARS)]))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s=%s; allowed: up to %u letters, digits and . _ -", option->name,
                            text, GF_MAX_DEVICE_NAME);
    return GF_OK;
}

static enum gf_status set_option(struct gf_options *options, const struct option *option, const char *text,
                                 struct gf_error *err)
{
    void *at = (char *)options + option->offset;
    if (is_text(option)) {
        enum gf_status status = check_text(option, text, err);
        if (status != GF_OK)
            return status;
        char *copy = strdup(text);
        if (!copy)
            return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
        free(*(char **)at);
        *(char **)at = copy;
        return GF_OK;
    }
    uint64_t v;
    char lo[32], hi[32], list[WORDS_TEXT];
    bool ok = parse_number(option, text, &v);
    if (words_of(option) && !ok)
        return gf_error_set(err, GF_E_BAD_PARAM, "%s=%s; allowed: %s", option->name, text,
                            list_words(words_of(option), list));
    if (!words_of(option) && (!ok || v < option->lo || v > option->hi))
        return gf_error_set(err, GF_E_BAD_PARAM, "%s=%s; allowed: %s..%s%s", option->name, text,
                            number_text(option, option->lo, lo, sizeof(lo)),
                            number_text(option, option->hi, hi, sizeof(hi)),
                            option->kind == KIND_SECONDS ? " seconds"
                            : option->kind == KIND_MODE  ? ", octal"
                                                         : "");
    *(uint64_t *)at = v;
    return GF_OK;
}

enum gf_status gf_options_init(struct gf_options *options, struct gf_error *err)
{
    *options = (struct gf_options){0};
    for (size_t i = 0; i < GF_ARRAY_LEN(g_options); i++) {
        enum gf_status status = set_option(options, &g_options[i], g_options[i].def, err);
        if (status != GF_OK) {
            gf_options_deinit(options);
            return status;
        }
    }
    return GF_OK;
}

void gf_options_deinit(struct gf_options *options)
{
    free(options->socket);
    free(options->worker_socket);
    free(options->worker);
    free(options->devices);
    free(options->proxy_users);
    free(options->node_name);
    free(options->metrics_listen);
    free(options->config);
    *options = (struct gf_options){0};
}

/* Refuses an unknown option or action, such as "--sockt=x", and suggests the closest name. */
static enum gf_status fail_unknown(const char *word, enum gf_status status, struct gf_error *err)
{
    const char *name = word + strspn(word, "-");
    int length = (int)strcspn(word, "=");
    struct gf_suggest suggest = gf_suggest_for(name);
    for (size_t i = 0; i < GF_ARRAY_LEN(g_options); i++)
        if (status == GF_E_BAD_ARGUMENT || !(g_options[i].flags & LINE_ONLY))
            gf_suggest_try(&suggest, g_options[i].name);
    for (size_t i = 0; i < GF_ARRAY_LEN(g_actions) && status == GF_E_BAD_ARGUMENT; i++)
        gf_suggest_try(&suggest, g_actions[i].name);
    if (!suggest.best)
        return gf_error_set(err, status, "unknown option '%.*s'; see gpufilterd --help", length, word);
    return gf_error_set(err, status, "unknown option '%.*s'; did you mean %s%s?", length, word, name > word ? "--" : "",
                        suggest.best);
}

static bool take_action(struct gf_options *options, const char *name)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_actions); i++)
        if (strcmp(g_actions[i].name, name) == 0) {
            options->action = g_actions[i].action;
            return true;
        }
    return false;
}

/* Accepts "-h", "help" and "version", as the client does. */
static bool take_word(struct gf_options *options, const char *word)
{
    if (strcmp(word, "-h") == 0)
        return take_action(options, "help");
    return (strcmp(word, "help") == 0 || strcmp(word, "version") == 0) && take_action(options, word);
}

static enum gf_status parse_line(struct gf_options *options, int argc, char *const *argv, struct gf_error *err)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (take_word(options, name))
            continue;
        if (name[0] != '-' || !name[1])
            return gf_error_set(err, GF_E_BAD_ARGUMENT, "unexpected argument '%s'; see gpufilterd --help", name);
        if (name[1] != '-')
            return fail_unknown(name, GF_E_BAD_ARGUMENT, err);
        name += 2;
        size_t length = strcspn(name, "=");
        const struct option *option = find_option(name, length);
        if (option) {
            const char *value = name[length] ? name + length + 1 : argv[i + 1];
            if (!value)
                return gf_error_set(err, GF_E_BAD_ARGUMENT, "--%s needs a value", name);
            if (!name[length])
                i++;
            enum gf_status status = set_option(options, option, value, err);
            if (status == GF_E_BAD_PARAM && err)
                err->status = GF_E_BAD_ARGUMENT;
            if (status != GF_OK)
                return status == GF_E_BAD_PARAM ? GF_E_BAD_ARGUMENT : status;
            continue;
        }
        if (!take_action(options, name))
            return fail_unknown(argv[i], GF_E_BAD_ARGUMENT, err);
    }
    return GF_OK;
}

static enum gf_status on_file_entry(void *data, const char *name, const char *value, struct gf_error *err)
{
    const struct option *option = find_option(name, strlen(name));
    if (!option || option->flags & LINE_ONLY)
        return fail_unknown(name, GF_E_BAD_PARAM, err);
    return set_option(data, option, value, err);
}

enum gf_status gf_options_parse(struct gf_options *options, int argc, char *const *argv, struct gf_error *err)
{
    enum gf_status status = parse_line(options, argc, argv, err);
    if (status != GF_OK || options->action == GF_ACTION_HELP || options->action == GF_ACTION_VERSION)
        return status;
    bool named = options->config[0] != '\0';
    gf_cleanup(gf_freep) char *path = strdup(named ? options->config : GF_CONFIG_PATH);
    if (!path)
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    status = gf_options_file_read(path, named, on_file_entry, options, err);
    if (status != GF_OK)
        return status;
    /* A daemon that a client starts shares the system's file with the service, and cannot listen where that does. */
    if (options->ready_fd > 0)
        options->metrics_listen[0] = '\0';
    /* Parses the command line again, because it overrides the file. */
    return parse_line(options, argc, argv, err);
}

uint64_t gf_options_worker_scratch(const struct gf_options *options)
{
    return options->worker_scratch > 0 ? options->worker_scratch : gf_machine_memory("") / 2;
}

uint64_t gf_options_user_scratch(const struct gf_options *options)
{
    return options->user_scratch_bytes > 0 ? options->user_scratch_bytes : gf_options_worker_scratch(options) / 2;
}

void gf_options_node_name(const struct gf_options *options, char ret[GF_MAX_DEVICE_NAME + 1])
{
    char host[HOST_NAME_MAX + 1] = {0};
    if (gethostname(host, sizeof(host) - 1))
        host[0] = '\0';
    snprintf(ret, GF_MAX_DEVICE_NAME + 1, "%s", options->node_name[0] ? options->node_name : host);
    for (char *p = ret + strspn(ret, GF_NODE_NAME_CHARS); *p; p += strspn(p, GF_NODE_NAME_CHARS))
        *p = '_';
}

static bool is_same(const struct option *option, const void *a, const void *b)
{
    return is_text(option) ? strcmp(*(char *const *)a, *(char *const *)b) == 0
                           : *(const uint64_t *)a == *(const uint64_t *)b;
}

void gf_options_reload(struct gf_options *options, struct gf_options *from, char *ret_later, size_t size)
{
    ret_later[0] = '\0';
    for (size_t i = 0; i < GF_ARRAY_LEN(g_options); i++) {
        const struct option *o = &g_options[i];
        char *at = (char *)options + o->offset;
        char *new = (char *)from + o->offset;
        if (o->flags & RELOAD && is_text(o)) {
            char *old = *(char **)(void *)at;
            *(char **)(void *)at = *(char **)(void *)new;
            *(char **)(void *)new = old;
        } else if (o->flags & RELOAD)
            memcpy(at, new, sizeof(uint64_t));
        else if (!(o->flags & LINE_ONLY) && !is_same(o, at, new))
            gf_text_append(ret_later, size, "%s%s", ret_later[0] != '\0' ? ", " : "", o->name);
    }
}

void gf_options_help(void)
{
    static const char *const units[] = {
        [KIND_TEXT] = "TEXT",   [KIND_SIZE] = "BYTES",   [KIND_COUNT] = "N",       [KIND_SECONDS] = "S",
        [KIND_MODE] = "MODE",   [KIND_LEVEL] = "WORD",   [KIND_IDENTITY] = "WORD", [KIND_REQUESTS] = "WORD",
        [KIND_USERS] = "USERS", [KIND_DEVICES] = "TEXT", [KIND_NAME] = "NAME",     [KIND_ADDRESS] = "ADDRESS",
    };
    gf_log_answer("usage: gpufilterd [options]\n"
                  "Keeps GPUs warm and serves image and array work over a Unix socket.\n\n"
                  "BYTES take K, M, G or T. All options with a value, except ready-fd and config, are also keys "
                  "of " GF_CONFIG_PATH ",\n"
                  "read again at SIGHUP; (r): takes effect then.\n\n");
    for (size_t i = 0; i < GF_ARRAY_LEN(g_options); i++) {
        const struct option *o = &g_options[i];
        char name[64];
        snprintf(name, sizeof(name), "--%s %s", o->name, units[o->kind]);
        gf_log_answer("  %-26s %s%s%s%s%s\n", name, o->help, *o->def ? " (" : "", o->def, *o->def ? ")" : "",
                      o->flags & RELOAD ? " (r)" : "");
    }
    for (size_t i = 0; i < GF_ARRAY_LEN(g_actions); i++)
        gf_log_answer("  %s%-*s %s\n", g_actions[i].action == GF_ACTION_HELP ? "-h, --" : "--",
                      g_actions[i].action == GF_ACTION_HELP ? 20 : 24, g_actions[i].name, g_actions[i].help);
}

void gf_options_print(const struct gf_options *options)
{
    gf_log_answer("[gpufilterd]\n");
    for (size_t i = 0; i < GF_ARRAY_LEN(g_options); i++) {
        const struct option *o = &g_options[i];
        const void *at = (const char *)options + o->offset;
        char text[32];
        if (o->flags & LINE_ONLY)
            continue;
        gf_log_answer("%s = %s\n", o->name,
                      is_text(o) ? *(char *const *)at : number_text(o, *(const uint64_t *)at, text, sizeof(text)));
    }
}
