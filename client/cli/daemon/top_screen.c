/* SPDX-License-Identifier: MIT */
/* Lays figures out for a screen. Called by cmd_top.c at every update. */
#include "top.h"

#include <inttypes.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "protocol/base/limits.h"
#include "protocol/base/text.h"

#define PREFIX "gpufilter_"
#define TEXT 32
#define NAME_COLUMNS 12u
#define NAME_ENDS 5u /* characters kept at either end of a long name, around ".." */
#define LINE 512
#define MAX_USERS 256u
#define FIXED_ROWS 6 /* all rows except devices and users */
#define BLANK_ROWS 3
#define FEW_ROWS 12 /* a smaller screen has no blank rows */

struct screen {
    FILE *out;
    const struct gf_metrics_list *list, *before;
    double seconds; /* since `before`; 0: there is no `before` */
    uint32_t columns;
    bool dense; /* no blank rows */
};

/* The label of a device or a user, and a second label of figures that have several. */
struct labels {
    const char *key, *value;
    const char *key2, *value2;
};

/* A device or a user. */
struct subject {
    char name[sizeof(((struct gf_label *)0)->value)];
    double rate;
};

static void put_line(struct screen *s, const char *fmt, ...) gf_printf(2, 3);

static void put_line(struct screen *s, const char *fmt, ...)
{
    char line[LINE];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    size_t n = strnlen(gf_text_clean(line), s->columns);
    while (n > 0 && ((unsigned char)line[n] & 0xc0) == 0x80) /* inside a multi-byte character */
        n--;
    fprintf(s->out, "%.*s\n", (int)n, line);
}

static void put_blank(struct screen *s)
{
    if (!s->dense)
        fputc('\n', s->out);
}

static bool has_label(const gpufilter_metric *m, const char *key, const char *value)
{
    struct gf_label label;
    return !key || (gf_label_find(m, key, &label) && strcmp(label.value, value) == 0);
}

static bool is_of(const gpufilter_metric *m, const char *name, const struct labels *labels)
{
    return strcmp(m->name + (strncmp(m->name, PREFIX, strlen(PREFIX)) == 0 ? strlen(PREFIX) : 0), name) == 0 &&
           has_label(m, labels->key, labels->value) && has_label(m, labels->key2, labels->value2);
}

/* Sums all values of this name that have the labels. */
static double sum_of(const struct gf_metrics_list *list, const char *name, struct labels labels)
{
    double sum = 0;
    for (uint32_t i = 0; i < list->n; i++)
        sum += is_of(&list->rows[i], name, &labels) ? list->rows[i].value : 0;
    return sum;
}

static double now_of(const struct screen *s, const char *name, struct labels labels)
{
    return sum_of(s->list, name, labels);
}

/* Rate per second; NAN without earlier figures. A user that was forgotten and came back begins at 0. */
static double rate_of(const struct screen *s, const char *name, struct labels labels)
{
    if (!(s->seconds > 0))
        return NAN;
    return fmax(0, sum_of(s->list, name, labels) - sum_of(s->before, name, labels)) / s->seconds;
}

/* Three digits and a unit of 1024: "0", "1.21K", "16.0G"; "-" for NAN. */
static const char *put_bytes(char text[TEXT], double bytes)
{
    static const char units[] = " KMGTPE";
    size_t k = 0;
    for (; bytes >= 999.5 && k + 2 < sizeof(units); k++)
        bytes /= 1024;
    if (isnan(bytes))
        snprintf(text, TEXT, "-");
    else if (k == 0)
        snprintf(text, TEXT, "%.0f", bytes);
    else
        snprintf(text, TEXT, "%.*f%c", bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0, bytes, units[k]);
    return text;
}

static const char *put_rate(char text[TEXT], double rate)
{
    if (isnan(rate))
        snprintf(text, TEXT, "-");
    else
        snprintf(text, TEXT, "%.*f", rate > 0 && rate < 99.95 ? 1 : 0, rate);
    return text;
}

static const char *put_percent(char text[TEXT], double share)
{
    if (isnan(share))
        snprintf(text, TEXT, "-");
    else
        snprintf(text, TEXT, "%.0f%%", share * 100);
    return text;
}

/* "-" for NAN, "0" for 0. */
static const char *put_seconds(char text[TEXT], double seconds)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    size_t k = 0;
    while (k + 1 < GF_ARRAY_LEN(units) && seconds < 0.9995 * units[k].unit)
        k++;
    if (!(seconds > 0)) {
        snprintf(text, TEXT, isnan(seconds) ? "-" : "0");
    } else {
        double value = seconds / units[k].unit;
        snprintf(text, TEXT, "%.*f%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, units[k].name);
    }
    return text;
}

static const char *put_uptime(char text[TEXT], double seconds)
{
    uint64_t minutes = (uint64_t)seconds / 60;
    if (minutes >= 24 * 60)
        snprintf(text, TEXT, "%" PRIu64 " d %" PRIu64 " h", minutes / (24 * 60), minutes / 60 % 24);
    else if (minutes >= 60)
        snprintf(text, TEXT, "%" PRIu64 " h %" PRIu64 " min", minutes / 60, minutes % 60);
    else
        snprintf(text, TEXT, "%" PRIu64 " min %" PRIu64 " s", minutes, (uint64_t)seconds % 60);
    return text;
}

/* The bound that `share` of the requests since `before` do not exceed, as precisely as the bins allow; NAN without
 * requests. */
static double quantile_of(const struct screen *s, const char *name, struct labels labels, double share)
{
    const gpufilter_metric *now = NULL, *old = NULL;
    double bins[GF_ARRAY_LEN(now->bins)] = {0}, n = 0, seen = 0;
    for (uint32_t i = 0; i < s->list->n; i++)
        now = is_of(&s->list->rows[i], name, &labels) ? &s->list->rows[i] : now;
    for (uint32_t i = 0; i < s->before->n; i++)
        old = is_of(&s->before->rows[i], name, &labels) ? &s->before->rows[i] : old;
    if (!now || !(s->seconds > 0))
        return NAN;
    for (uint32_t i = 0; i < now->n_bins; i++) {
        bins[i] = fmax(0, now->bins[i] - (old ? old->bins[i] : 0));
        n += bins[i];
    }
    double bound = now->bound;
    for (uint32_t i = 0; i < now->n_bins; i++, bound *= 2) {
        seen += bins[i];
        if (seen > 0 && seen >= share * n)
            return bound;
    }
    return NAN;
}

static struct labels none(void)
{
    return (struct labels){NULL, NULL, NULL, NULL};
}

/* Appends how much of a resource all users hold, and the limit. */
static void put_share(const struct screen *s, char *line, const char *title, const char *resource)
{
    char held[TEXT], limit[TEXT];
    struct labels labels = {"resource", resource, NULL, NULL};
    gf_text_append(line, LINE, "%s %s of %s", title, put_bytes(held, now_of(s, "total_held", labels)),
                   put_bytes(limit, now_of(s, "total_limit", labels)));
}

static void put_daemon(struct screen *s, const char *title)
{
    char up[TEXT], opened[TEXT], front[TEXT], line[LINE] = "memory: ";
    double waiting = now_of(s, "connections_waiting", none());
    const char *uptime = put_uptime(up, now_of(s, "uptime_seconds", none()));
    int room = (int)s->columns - (int)strlen(uptime) - 5;
    put_line(s, "%-*.*s  up %s", room > 0 ? room : 0, room > 0 ? room : 0, title, uptime);
    put_line(s, "connections: %.0f open, %s/s new, %.0f waiting   requests: %.0f queued   front: %s cpu",
             now_of(s, "connections_open", none()), put_rate(opened, rate_of(s, "connections_total", none())), waiting,
             now_of(s, "requests_queued", none()), put_percent(front, rate_of(s, "front_cpu_seconds_total", none())));
    put_share(s, line, "inline", "inline_bytes");
    put_share(s, line, ", arenas", "arena_bytes");
    put_share(s, line, ", resident", "resident_bytes");
    put_line(s, "%s", line);
}

static void put_device(struct screen *s, const char *name)
{
    char rate[TEXT], in[TEXT], out[TEXT], load[TEXT], kernel[TEXT], p50[TEXT], p99[TEXT];
    struct labels own = {"device", name, NULL, NULL};
    put_line(s, "%-8s %-10s %7s %6s %6s %5.0f %6s %6s %6s %6s %4.0f", name,
             gf_device_state_word((uint32_t)now_of(s, "device_state", own)),
             put_rate(rate, rate_of(s, "device_answers_total", own)),
             put_bytes(in, rate_of(s, "device_bytes_total", (struct labels){"device", name, "direction", "in"})),
             put_bytes(out, rate_of(s, "device_bytes_total", (struct labels){"device", name, "direction", "out"})),
             now_of(s, "device_jobs", own), put_seconds(load, now_of(s, "device_load_seconds", own)),
             put_percent(kernel,
                         rate_of(s, "device_stage_seconds_total", (struct labels){"device", name, "stage", "kernel"})),
             put_seconds(p50, quantile_of(s, "request_seconds", own, 0.50)),
             put_seconds(p99, quantile_of(s, "request_seconds", own, 0.99)), now_of(s, "device_deaths_total", own));
}

/* Fits a text into the column of names. A long text loses its middle: names of many machines differ at their ends. */
static const char *fit_name(const char *from, char text[4 * NAME_COLUMNS + 1])
{
    size_t n = 0, columns = 0, at = 0;
    for (const char *p = from; *p; p += gf_text_utf8(p))
        n++;
    for (size_t i = 0; i < n; i++, from += gf_text_utf8(from)) {
        size_t bytes = gf_text_utf8(from);
        if (n > NAME_COLUMNS && i >= NAME_ENDS && i < n - NAME_ENDS) {
            if (i == NAME_ENDS) {
                memcpy(text + at, "..", 2);
                at += 2;
                columns += 2;
            }
            continue;
        }
        memcpy(text + at, from, bytes);
        at += bytes;
        columns++;
    }
    for (; columns < NAME_COLUMNS; columns++)
        text[at++] = ' ';
    text[at] = '\0';
    return text;
}

/* Shows the name of a local user. A client of a proxy, such as "CN=alice", is shown as it is. */
static const char *user_name(const char *uid, char text[4 * NAME_COLUMNS + 1])
{
    char *end, name[sizeof(((struct gf_label *)0)->value)];
    unsigned long number = strtoul(uid, &end, 10);
    const struct passwd *user = *end || end == uid ? NULL : getpwuid((uid_t)number);
    snprintf(name, sizeof(name), "%.*s", (int)sizeof(name) - 1, user ? user->pw_name : uid);
    return fit_name(gf_text_clean(name), text);
}

static double held_by(const struct screen *s, const char *uid, const char *resource)
{
    return now_of(s, "user_held", (struct labels){"uid", uid, "resource", resource});
}

static void put_user(struct screen *s, const struct subject *user)
{
    char name[4 * NAME_COLUMNS + 1], rate[TEXT], in[TEXT], out[TEXT], direct[TEXT], arena[TEXT], resident[TEXT];
    const char *uid = user->name;
    put_line(s, "%s %7s %6s %6s %6.0f %6.0f %6s %6s %8s %7.0f", user_name(uid, name), put_rate(rate, user->rate),
             put_bytes(in, rate_of(s, "user_bytes_total", (struct labels){"uid", uid, "direction", "in"})),
             put_bytes(out, rate_of(s, "user_bytes_total", (struct labels){"uid", uid, "direction", "out"})),
             held_by(s, uid, "requests"), held_by(s, uid, "connections"),
             put_bytes(direct, held_by(s, uid, "inline_bytes")), put_bytes(arena, held_by(s, uid, "arena_bytes")),
             put_bytes(resident, held_by(s, uid, "resident_bytes")),
             now_of(s, "user_refused_total", (struct labels){"uid", uid, NULL, NULL}));
}

/* Lists the values of a label, each once. */
static uint32_t list_subjects(const struct screen *s, const char *key, const char *rate, struct subject *subjects,
                              uint32_t max)
{
    uint32_t n = 0;
    struct gf_label label;
    for (uint32_t i = 0; i < s->list->n && n < max; i++) {
        if (!gf_label_find(&s->list->rows[i], key, &label))
            continue;
        bool seen = strlen(label.value) >= sizeof(subjects[0].name);
        for (uint32_t k = 0; k < n && !seen; k++)
            seen = strcmp(subjects[k].name, label.value) == 0;
        if (seen)
            continue;
        memcpy(subjects[n].name, label.value, strlen(label.value) + 1);
        subjects[n].rate = rate_of(s, rate, (struct labels){key, label.value, NULL, NULL});
        n++;
    }
    return n;
}

/* Sorts the busiest first; equal ones keep their order. */
static void sort_by_rate(struct subject *subjects, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && subjects[k].rate > subjects[k - 1].rate; k--) {
            struct subject other = subjects[k];
            subjects[k] = subjects[k - 1];
            subjects[k - 1] = other;
        }
}

static void put_end(struct screen *s, uint32_t devices, uint32_t users)
{
    char line[LINE] = "q quits";
    if (devices > 0)
        gf_text_append(line, sizeof(line), "; %" PRIu32 " more device%s", devices, devices == 1 ? "" : "s");
    if (users > 0)
        gf_text_append(line, sizeof(line), "%s %" PRIu32 " more user%s", devices > 0 ? "," : ";", users,
                       users == 1 ? "" : "s");
    fprintf(s->out, "%.*s", (int)s->columns, line);
}

void gf_top_screen(FILE *out, const char *title, const struct gf_metrics_list *list,
                   const struct gf_metrics_list *before, double seconds, uint32_t rows, uint32_t columns)
{
    struct screen s = {.out = out, .list = list, .before = before, .dense = rows < FEW_ROWS};
    s.seconds = before->n > 0 ? seconds : 0;
    s.columns = columns < LINE ? columns : LINE - 1;
    static struct subject devices[GF_MAX_DEVICES], users[MAX_USERS];
    uint32_t n_devices = list_subjects(&s, "device", "device_answers_total", devices, GF_MAX_DEVICES);
    uint32_t n_users = list_subjects(&s, "uid", "user_answers_total", users, MAX_USERS);
    sort_by_rate(users, n_users);
    uint32_t fixed = FIXED_ROWS + (s.dense ? 0 : BLANK_ROWS), room = rows > fixed ? rows - fixed : 0;
    uint32_t devices_shown = n_devices < room ? n_devices : room;
    if (devices_shown == room && n_users > 0 && room > 1)
        devices_shown--; /* leaves a row for the busiest user */
    uint32_t users_shown = n_users < room - devices_shown ? n_users : room - devices_shown;
    put_daemon(&s, title);
    put_blank(&s);
    put_line(&s, "%-8s %-10s %7s %6s %6s %5s %6s %6s %6s %6s %4s", "DEVICE", "STATE", "REQ/S", "IN/S", "OUT/S", "JOBS",
             "LOAD", "KERNEL", "P50", "P99", "DIED");
    for (uint32_t i = 0; i < devices_shown; i++)
        put_device(&s, devices[i].name);
    put_blank(&s);
    put_line(&s, "%-12s %7s %6s %6s %6s %6s %6s %6s %8s %7s", "USER", "REQ/S", "IN/S", "OUT/S", "ACTIVE", "CONNS",
             "INLINE", "ARENAS", "RESIDENT", "REFUSED");
    for (uint32_t i = 0; i < users_shown; i++)
        put_user(&s, &users[i]);
    put_blank(&s);
    put_end(&s, n_devices - devices_shown, n_users - users_shown);
}
