/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: bytes up to the first 0xff are a configuration file, the remaining bytes are arguments, each ended by a
 * NUL. Accepted options print to a file that is accepted and gives the same options. An oracle computes numbers in 128
 * bits.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "fuzz.h"
#include "protocol/base/base.h"
#include "server/front/base/log.h"
#include "server/front/base/options.h"

#define MAX_ARGS 16

__extension__ typedef unsigned __int128 wide;

static char printed[65536];
static size_t printed_size;

/* These functions replace log.c, through which the options print. */
void gf_log_set_level(enum gf_log_level level)
{
    (void)level;
}

void gf_log_line(struct gf_log_site *site, enum gf_log_level level, const char *fmt, ...)
{
    (void)site, (void)level, (void)fmt;
}

void gf_log_answer(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    int n = vsnprintf(printed + printed_size, sizeof printed - printed_size, fmt, args);
    va_end(args);
    if (n > 0 && (size_t)n < sizeof printed - printed_size)
        printed_size += (size_t)n;
}

static void must(bool holds)
{
    if (!holds)
        abort();
}

/* A file of these bytes; its name is for --config. */
static int file_of(const void *data, size_t size, char name[64])
{
    int fd = memfd_create("conf", MFD_CLOEXEC);
    must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(name, 64, "--config=/proc/self/fd/%d", fd);
    return fd;
}

/* "12", "12K" or, with seconds, "1.5" in milliseconds, without a limit that matters; false for other text. */
static bool count(const char *text, bool seconds, wide *ret)
{
    static const char units[] = "KMGT";
    wide v = 0, part = 0, scale = seconds ? 1000 : 1, unit = 100;
    if (*text < '0' || *text > '9')
        return false;
    for (; *text >= '0' && *text <= '9'; text++)
        v = v > (wide)1 << 80 ? v : v * 10 + (unsigned)(*text - '0');
    if (seconds && *text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, unit /= 10)
            part += (unsigned)(*text - '0') * unit;
    else if (!seconds && *text != '\0' && strchr(units, *text) != NULL)
        scale = (wide)1 << 10 * (strchr(units, *text++) - units + 1);
    *ret = v * scale + part;
    return *text == '\0';
}

static const struct {
    const char *name;
    size_t offset;
    uint64_t lo, hi;
    bool seconds;
} g_known[] = {
    {"staging-max", offsetof(struct gf_options, staging_max), 1 << 20, 1ull << 46, false},
    {"device-memory", offsetof(struct gf_options, device_memory), 0, 1ull << 46, false},
    {"frame-timeout", offsetof(struct gf_options, frame_timeout_ms), 10, 604800000, true},
    {"drain-timeout", offsetof(struct gf_options, drain_timeout_ms), 0, 604800000, true},
};

/* One argument alone, against the exact number. */
static void check_number(const char *text)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_known); i++) {
        struct gf_options o;
        char arg[128], config[] = "--config=/dev/null", program[] = "gpufilterd";
        wide v = 0;
        uint64_t is;
        snprintf(arg, sizeof arg, "--%s=%s", g_known[i].name, text);
        bool good = count(text, g_known[i].seconds, &v) && v >= g_known[i].lo && v <= g_known[i].hi;
        must(gf_options_init(&o, NULL) == GF_OK);
        must(gf_options_parse(&o, 3, (char *const[]){program, config, arg}, NULL) ==
             (good ? GF_OK : GF_E_BAD_ARGUMENT));
        memcpy(&is, (const char *)&o + g_known[i].offset, sizeof is);
        must(!good || is == v);
        gf_options_deinit(&o);
    }
}

static bool same(const struct gf_options *a, const struct gf_options *b)
{
    const size_t numbers = offsetof(struct gf_options, socket_mode), end = offsetof(struct gf_options, config);
    return strcmp(a->socket, b->socket) == 0 && strcmp(a->worker_socket, b->worker_socket) == 0 &&
           strcmp(a->worker, b->worker) == 0 && strcmp(a->devices, b->devices) == 0 &&
           memcmp((const char *)a + numbers, (const char *)b + numbers, end - numbers) == 0;
}

/* Whether a file can hold this value: no blanks around it, no comment in it, and short enough for a line. */
static bool stands_in_file(const char *text)
{
    size_t size = strlen(text);
    return size < 150 && strstr(text, " ;") == NULL &&
           (size == 0 || (strchr(" ;", text[0]) == NULL && text[size - 1] != ' '));
}

/* Prints what holds, and reads that. */
static void check_print(const struct gf_options *o)
{
    if (!stands_in_file(o->socket) || !stands_in_file(o->worker_socket) || !stands_in_file(o->worker) ||
        !stands_in_file(o->devices))
        return;
    struct gf_options again;
    struct gf_error err = {0};
    char name[64], program[] = "gpufilterd";
    printed_size = 0;
    gf_options_print(o);
    int fd = file_of(printed, printed_size, name);
    must(gf_options_init(&again, &err) == GF_OK);
    must(gf_options_parse(&again, 2, (char *const[]){program, name}, &err) == GF_OK);
    must(same(o, &again));
    gf_options_deinit(&again);
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[65536], name[64], program[] = "gpufilterd";
    char *argv[MAX_ARGS + 3] = {program};
    int argc = 1;
    struct gf_options o;
    struct gf_error err = {0};
    const uint8_t *end = size > 0 ? memchr(data, 0xff, size) : NULL;
    size_t file_size = end != NULL ? (size_t)(end - data) : size;
    if (size > sizeof text - 1)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t at = file_size + 1; at < size && argc < MAX_ARGS; at += strlen(text + at) + 1)
        argv[argc++] = text + at;
    int fd = file_of(data, file_size, name);
    argv[argc++] = name; /* the last one counts */
    if (argc > 2 && strlen(argv[1]) < 64)
        check_number(argv[1]);
    must(gf_options_init(&o, &err) == GF_OK);
    enum gf_status status = gf_options_parse(&o, argc, argv, &err);
    if (status == GF_OK && o.action != GF_ACTION_HELP && o.action != GF_ACTION_VERSION)
        check_print(&o);
    if (status != GF_OK)
        must((status == GF_E_BAD_ARGUMENT || status == GF_E_BAD_PARAM) && err.status == status && err.text[0] != '\0');
    gf_options_deinit(&o);
    close(fd);
    return 0;
}
