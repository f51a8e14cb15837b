/* SPDX-License-Identifier: MIT */
/* The daemon's metrics as the body of an answer to INFO. The histograms come last, for clients that read the first page
 * alone. */
#include <stdarg.h>
#include <stdio.h>

#include "protocol/base/clock.h"
#include "protocol/wire/metric.h"
#include "server/front/base/log.h"
#include "session.h"

/* Shared by all parts of a report. */
struct report {
    struct gf_metric_writer m;
    const struct gf_sessions *all;
    const struct gf_metrics *metrics;
    gf_user_id asker; /* the identity of the client */
    bool everybody;   /* whether metrics of all users are reported */
};

static double seconds(uint64_t ns)
{
    return (double)ns / (double)GF_NS_PER_S;
}

/* Starts a family; the next values belong to it. */
static void begin(struct report *r, enum gf_family family)
{
    gf_metric_family(&r->m, gf_families[family].name, gf_families[family].kind, gf_families[family].help);
}

/* Adds a value of the family, with labels. */
gf_printf(3, 4) static void put(struct report *r, double value, const char *fmt, ...)
{
    char labels[GF_MAX_METRIC_TEXT + 1];
    va_list args;
    va_start(args, fmt);
    vsnprintf(labels, sizeof(labels), fmt, args);
    va_end(args);
    gf_metric_put(&r->m, labels, value);
}

/* Adds a family with a single value. */
static void put_one(struct report *r, enum gf_family family, double value)
{
    begin(r, family);
    gf_metric_put(&r->m, "", value);
}

/* Sets of statuses. The counters of a set are reported while they are 0, so that an alert sees the first count as an
 * increase; a counter outside it appears with its first count. */
#define SET_OF(status) ((uint64_t)1 << (status))
#define BY_DEVICE (SET_OF(GF_OK) | SET_OF(GF_E_INTERNAL) | SET_OF(GF_E_DEVICE_LOST) | SET_OF(GF_E_REQUEST_POISON))
#define BY_CONNECTIONS (SET_OF(GF_E_QUOTA) | SET_OF(GF_E_BUSY) | SET_OF(GF_E_RESOURCE_FDS))
#define BY_USER UINT64_C(0)

/* Adds the counters by status; `key` and `who` form a label before the status, or are NULL. */
static void put_statuses(struct report *r, const uint64_t counts[GF_STATUS_LOCAL], uint64_t set, const char *key,
                         const char *who)
{
    for (uint32_t i = 0; i < GF_STATUS_LOCAL; i++) {
        if (counts[i] == 0 && (i >= 64 || !(set & SET_OF(i))))
            continue;
        if (key)
            put(r, (double)counts[i], "%s=\"%s\",status=\"%s\"", key, who, gf_status_name(i));
        else
            put(r, (double)counts[i], "status=\"%s\"", gf_status_name(i));
    }
}

static const char *const g_resources[GF_N_RES] = {
    [GF_RES_CONNECTIONS] = "connections", [GF_RES_REQUESTS] = "requests",       [GF_RES_STAGING] = "inline_bytes",
    [GF_RES_ARENA_COUNT] = "arenas",      [GF_RES_ARENAS] = "arena_bytes",      [GF_RES_PINNED] = "pinned_bytes",
    [GF_RES_HANDLES] = "handles",         [GF_RES_RESIDENT] = "resident_bytes", [GF_RES_REPLIES] = "unread_bytes",
    [GF_RES_CLOSING] = "closing",         [GF_RES_SCRATCH] = "scratch_bytes",
};

static void report_daemon(struct report *r)
{
    const struct gf_sessions *all = r->all;
    begin(r, GF_FAMILY_info);
    put(r, 1, "version=\"%s\"", GF_SOFTWARE_VERSION);
    put_one(r, GF_FAMILY_uptime_seconds, seconds(gf_now_ns() - r->metrics->started_ns));
    put_one(r, GF_FAMILY_front_cpu_seconds_total, seconds(gf_clock_ns(CLOCK_PROCESS_CPUTIME_ID)));
    put_one(r, GF_FAMILY_connections_open, all->n);
    put_one(r, GF_FAMILY_connections_total, (double)r->metrics->connections);
    begin(r, GF_FAMILY_connections_refused_total);
    put_statuses(r, r->metrics->connections_refused, BY_CONNECTIONS, NULL, NULL);
    put_one(r, GF_FAMILY_connections_waiting, all->wait_queue.n);
    begin(r, GF_FAMILY_refused_total);
    for (uint32_t i = 0; i < GF_N_RES; i++)
        put(r, (double)all->quota->refused[i], "resource=\"%s\"", g_resources[i]);
    put_one(r, GF_FAMILY_log_lost_total, (double)gf_log_lost());
    put_one(r, GF_FAMILY_requests_decoded_total, (double)r->metrics->decoded);
    put_one(r, GF_FAMILY_requests_queued, all->dispatcher->scheduler.n_queued);
    put_one(r, GF_FAMILY_staging_bytes, (double)all->staging->total);
    put_one(r, GF_FAMILY_staging_used_bytes, (double)all->staging->used);
    put_one(r, GF_FAMILY_staging_limit_bytes, (double)all->staging->max);
}

static double jobs_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return w->n_tasks;
}

static double load_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return seconds(w->load_ns);
}

static double state_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return gf_worker_device_state(w);
}

static double stopped_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return gf_worker_device_state(w) == GF_DEVICE_ABSENT && w->dismissed;
}

static double ran_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return w->ran_ns > 0 ? seconds(gf_now_ns() - w->ran_ns) : 0;
}

static double deaths_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)w;
    return (double)d->deaths;
}

static double restarts_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)w;
    return d->starts > 0 ? (double)(d->starts - 1) : 0;
}

static double cancels_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return (double)w->n_cancels;
}

static double unsent_of(const struct gf_worker *w, const struct gf_device_metrics *d)
{
    (void)d;
    return w->link ? (double)gf_worker_link_queued(w->link) : 0;
}

static const struct {
    enum gf_family family;
    double (*get)(const struct gf_worker *w, const struct gf_device_metrics *d);
} g_device_rows[] = {
    {GF_FAMILY_device_state, state_of},
    {GF_FAMILY_device_stopped, stopped_of},
    {GF_FAMILY_device_jobs, jobs_of},
    {GF_FAMILY_device_load_seconds, load_of},
    {GF_FAMILY_device_ran_seconds, ran_of},
    {GF_FAMILY_device_unsent_bytes, unsent_of},
    {GF_FAMILY_device_cancels_total, cancels_of},
    {GF_FAMILY_device_deaths_total, deaths_of},
    {GF_FAMILY_device_restarts_total, restarts_of},
};

static const struct {
    const char *word;
    size_t at;
} g_stages[] = {
    {"queue", offsetof(struct gf_stage_times, queue)},   {"copy_in", offsetof(struct gf_stage_times, copy_in)},
    {"kernel", offsetof(struct gf_stage_times, kernel)}, {"copy_out", offsetof(struct gf_stage_times, copy_out)},
    {"total", offsetof(struct gf_stage_times, total)},
};

static void report_stages(struct report *r, const char *device, const struct gf_stage_times *stages)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_stages); i++) {
        uint64_t ns = *(const uint64_t *)(const void *)((const char *)stages + g_stages[i].at);
        put(r, seconds(ns), "device=\"%s\",stage=\"%s\"", device, g_stages[i].word);
    }
}

static void report_devices(struct report *r)
{
    const struct gf_workers *ws = r->all->workers;
    const struct gf_device_metrics *d = r->metrics->devices;
    for (size_t row = 0; row < GF_ARRAY_LEN(g_device_rows); row++) {
        begin(r, g_device_rows[row].family);
        for (uint32_t i = 0; i < ws->n; i++) {
            const struct gf_worker *w = ws->list[i];
            if (g_device_rows[row].family > GF_FAMILY_device_stopped || !gf_worker_is_forgotten(w)) /* no alert of it */
                put(r, g_device_rows[row].get(w, &d[i]), "device=\"%s\"", w->hello.device.name);
        }
    }
    begin(r, GF_FAMILY_device_answers_total);
    for (uint32_t i = 0; i < ws->n; i++)
        put_statuses(r, d[i].answers, BY_DEVICE, "device", ws->list[i]->hello.device.name);
    begin(r, GF_FAMILY_device_bytes_total);
    for (uint32_t i = 0; i < ws->n; i++) {
        put(r, (double)d[i].bytes_in, "device=\"%s\",direction=\"in\"", ws->list[i]->hello.device.name);
        put(r, (double)d[i].bytes_out, "device=\"%s\",direction=\"out\"", ws->list[i]->hello.device.name);
    }
    begin(r, GF_FAMILY_device_stage_seconds_total);
    for (uint32_t i = 0; i < ws->n; i++)
        report_stages(r, ws->list[i]->hello.device.name, &d[i].stages);
}

static const struct {
    enum gf_family family;
    const char *labels; /* after the device's label */
    enum gf_expression_figure figure;
} g_expressions[] = {
    {GF_FAMILY_device_expressions_total, ",how=\"compiled\"", GF_RUNS_COMPILED},
    {GF_FAMILY_device_expressions_total, ",how=\"interpreted\"", GF_RUNS_INTERPRETED},
    {GF_FAMILY_device_kernels_total, ",result=\"compiled\"", GF_KERNELS_COMPILED},
    {GF_FAMILY_device_kernels_total, ",result=\"from_file\"", GF_KERNELS_FROM_FILES},
    {GF_FAMILY_device_kernels_total, ",result=\"failed\"", GF_KERNELS_FAILED},
    {GF_FAMILY_device_kernels_loaded, "", GF_KERNELS_LOADED},
    {GF_FAMILY_device_kernels_waiting, "", GF_KERNELS_WAITING},
    {GF_FAMILY_device_compiler_off, "", GF_COMPILER_OFF},
};

static void report_expressions(struct report *r)
{
    const struct gf_workers *ws = r->all->workers;
    for (size_t row = 0; row < GF_ARRAY_LEN(g_expressions); row++) {
        if (row == 0 || g_expressions[row].family != g_expressions[row - 1].family)
            begin(r, g_expressions[row].family);
        for (uint32_t i = 0; i < ws->n; i++)
            if (ws->list[i]->compiles)
                put(r, (double)ws->list[i]->expressions.of[g_expressions[row].figure], "device=\"%s\"%s",
                    ws->list[i]->hello.device.name, g_expressions[row].labels);
    }
}

static void report_operations(struct report *r)
{
    const struct gf_operation_metrics *of = r->metrics->operations;
    begin(r, GF_FAMILY_operation_answers_total);
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        if (of[i].answers > 0)
            put(r, (double)of[i].answers, "op=\"%s\"", gf_ops[i].name);
    begin(r, GF_FAMILY_operation_seconds_total);
    for (uint32_t i = 0; i < GF_N_OPS; i++)
        if (of[i].answers > 0)
            put(r, seconds(of[i].ns), "op=\"%s\"", gf_ops[i].name);
}

static const struct {
    enum gf_family family;
    size_t at;
} g_times[] = {
    {GF_FAMILY_request_queue_seconds, offsetof(struct gf_device_metrics, queue)},
    {GF_FAMILY_request_device_seconds, offsetof(struct gf_device_metrics, device)},
    {GF_FAMILY_request_seconds, offsetof(struct gf_device_metrics, total)},
};

static void put_times(struct report *r, const char *labels, const struct gf_time_counts *t)
{
    gf_metric_put_bins(&r->m, labels, seconds(t->sum_ns), seconds(GF_TIME_BIN_NS), t->bins, GF_TIME_BINS);
}

static void report_times(struct report *r)
{
    const struct gf_workers *ws = r->all->workers;
    begin(r, GF_FAMILY_front_turn_seconds);
    put_times(r, "", &r->metrics->turns);
    for (size_t row = 0; row < GF_ARRAY_LEN(g_times); row++) {
        begin(r, g_times[row].family);
        for (uint32_t i = 0; i < ws->n; i++) {
            const char *device = (const char *)&r->metrics->devices[i];
            char labels[GF_MAX_METRIC_TEXT + 1];
            snprintf(labels, sizeof(labels), "device=\"%s\"", ws->list[i]->hello.device.name);
            put_times(r, labels, (const struct gf_time_counts *)(const void *)(device + g_times[row].at));
        }
    }
}

/* For each resource, the most that any single connection of the user holds. */
static void highest_of_connections(const struct gf_sessions *all, const struct gf_account *user,
                                   uint64_t highest[GF_N_RES])
{
    gf_list_each(it, after, &all->list)
    {
        const struct gf_account *a = gf_container(it, struct gf_session, node)->account;
        for (uint32_t i = 0; a->user == user && i < GF_N_RES; i++)
            highest[i] = a->used[i] > highest[i] ? a->used[i] : highest[i];
    }
}

static void report_connections(struct report *r)
{
    uint32_t n = 0;
    begin(r, GF_FAMILY_user_connection_held);
    for (const struct gf_account *u = r->all->quota->users; u && n < GF_METRICS_USERS; u = u->next) {
        uint64_t highest[GF_N_RES] = {0};
        char uid[GF_USER_TEXT];
        if (!r->everybody && u->id != r->asker)
            continue;
        n++;
        gf_user_text(r->all->names, u->id, uid);
        highest_of_connections(r->all, u, highest);
        for (uint32_t i = GF_RES_REQUESTS; i < GF_N_RES; i++)
            put(r, (double)highest[i], "uid=\"%s\",resource=\"%s\"", uid, g_resources[i]);
    }
}

static void report_resources(struct report *r)
{
    const struct gf_quota *quota = r->all->quota;
    begin(r, GF_FAMILY_limit);
    for (uint32_t i = 0; i < GF_N_RES; i++)
        put(r, (double)quota->per_user[i], "resource=\"%s\"", g_resources[i]);
    begin(r, GF_FAMILY_total_limit);
    for (uint32_t i = 0; i < GF_N_RES; i++)
        put(r, (double)quota->total[i], "resource=\"%s\"", g_resources[i]);
    begin(r, GF_FAMILY_total_held);
    for (uint32_t i = 0; i < GF_N_RES; i++)
        put(r, (double)quota->used[i], "resource=\"%s\"", g_resources[i]);
    begin(r, GF_FAMILY_connection_limit);
    for (uint32_t i = GF_RES_REQUESTS; i < GF_N_RES; i++)
        put(r, (double)quota->per_connection[i], "resource=\"%s\"", g_resources[i]);
    begin(r, GF_FAMILY_user_held);
    for (const struct gf_account *u = quota->users; u; u = u->next) {
        char uid[GF_USER_TEXT];
        gf_user_text(r->all->names, u->id, uid);
        for (uint32_t i = 0; i < GF_N_RES && (r->everybody || u->id == r->asker); i++)
            put(r, (double)u->used[i], "uid=\"%s\",resource=\"%s\"", uid, g_resources[i]);
    }
}

/* What is counted per user, in the order of the families. */
enum user_family {
    USER_CONNECTIONS,
    USER_FRONT,
    USER_COMPILE,
    USER_FRAMES,
    USER_ACCEPTED,
    USER_ANSWERS,
    USER_REFUSED,
    USER_BYTES,
    N_USER_FAMILIES
};

static void report_traffic(struct report *r, const struct gf_traffic *t, const char *uid)
{
    static const char *const ways[GF_N_WAYS] = {
        [GF_WAY_INLINE] = "inline", [GF_WAY_ARENA] = "arena", [GF_WAY_HANDLE] = "resident"};
    for (uint32_t way = GF_WAY_INLINE; way < GF_N_WAYS; way++) {
        if (t->in[way] == 0 && t->out[way] == 0)
            continue;
        put(r, (double)t->in[way], "uid=\"%s\",way=\"%s\",direction=\"in\"", uid, ways[way]);
        put(r, (double)t->out[way], "uid=\"%s\",way=\"%s\",direction=\"out\"", uid, ways[way]);
    }
}

static void report_user(struct report *r, enum user_family family, const struct gf_user_metrics *u, const char *uid)
{
    switch (family) {
    case USER_CONNECTIONS:
        put(r, (double)u->connections, "uid=\"%s\"", uid);
        break;
    case USER_FRONT:
        put(r, seconds(u->front_ns), "uid=\"%s\"", uid);
        break;
    case USER_COMPILE:
        if (u->compile_ns > 0)
            put(r, seconds(u->compile_ns), "uid=\"%s\"", uid);
        break;
    case USER_FRAMES:
        put(r, (double)u->frames, "uid=\"%s\"", uid);
        break;
    case USER_ACCEPTED:
        put(r, (double)u->accepted, "uid=\"%s\"", uid);
        break;
    case USER_ANSWERS:
        put_statuses(r, u->answers, BY_USER, "uid", uid);
        break;
    case USER_REFUSED:
        put_statuses(r, u->refused, BY_USER, "uid", uid);
        break;
    default:
        report_traffic(r, &u->traffic, uid);
    }
}

static void report_users(struct report *r)
{
    static const enum gf_family families[N_USER_FAMILIES] = {
        [USER_CONNECTIONS] = GF_FAMILY_user_connections_total, [USER_FRONT] = GF_FAMILY_user_front_seconds_total,
        [USER_COMPILE] = GF_FAMILY_user_compile_seconds_total, [USER_FRAMES] = GF_FAMILY_user_frames_total,
        [USER_ACCEPTED] = GF_FAMILY_user_accepted_total,       [USER_ANSWERS] = GF_FAMILY_user_answers_total,
        [USER_REFUSED] = GF_FAMILY_user_refused_total,         [USER_BYTES] = GF_FAMILY_user_bytes_total,
    };
    const struct gf_metrics *m = r->metrics;
    for (uint32_t i = 0; i < N_USER_FAMILIES; i++) {
        begin(r, families[i]);
        for (uint32_t k = 0; k < m->n_users; k++) {
            char uid[GF_USER_TEXT];
            gf_user_text(r->all->names, m->users[k].id, uid);
            if (r->everybody || m->users[k].id == r->asker)
                report_user(r, i, &m->users[k], uid);
        }
        if (r->everybody && m->others_told)
            report_user(r, i, &m->others, "other");
    }
}

static void report_bans(struct report *r)
{
    struct gf_refused_user refused[GF_PENALTIES_KEPT];
    uint32_t n =
        gf_penalties_list(&r->all->dispatcher->penalties, r->all->options->worker_deaths, gf_now_ns(), refused);
    begin(r, GF_FAMILY_user_banned_seconds);
    for (uint32_t i = 0; i < n; i++) {
        char uid[GF_USER_TEXT];
        gf_user_text(r->all->names, refused[i].user, uid);
        if (r->everybody || refused[i].user == r->asker)
            put(r, (double)refused[i].wait_s, "uid=\"%s\"", uid);
    }
}

void gf_metrics_report(const struct gf_sessions *all, const struct gf_account *asker, uint32_t next,
                       struct gf_writer *w)
{
    struct report r = {
        .all = all, .metrics = all->dispatcher->metrics, .everybody = !asker || gf_account_is_admin(asker)};
    if (asker)
        r.asker = asker->id;
    gf_workers_watch_gpus(all->workers, gf_now_ns());
    gf_metric_writer_init(&r.m, w, next);
    report_daemon(&r);
    report_devices(&r);
    report_resources(&r);
    report_connections(&r);
    report_users(&r);
    report_bans(&r);
    report_expressions(&r);
    gf_gpus_report(r.all->workers, &r.m);
    report_operations(&r);
    report_times(&r);
    gf_metric_writer_finish(&r.m);
}
