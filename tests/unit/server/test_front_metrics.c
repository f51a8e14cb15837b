/* SPDX-License-Identifier: MIT */
/* Metrics: bins of times, statuses, bytes by way, users beyond the table; and which user may see which metric. */
#include "protocol/base/clock.h"
#include "server/front/metrics/metrics.h"

#include <stdio.h>
#include <string.h>

#include "protocol/wire/metric.h"
#include "protocol/wire/request.h"
#include "server/front/session/sessions.h"
#include "tests/unit/unit.h"

static struct gf_metrics m;

static int setup(void **state)
{
    UNUSED(state);
    gf_metrics_init(&m, 77);
    return 0;
}

/* A task of the user, read at 1000 and started at 3000, with 100 bytes of input in an arena and 40 inline bytes of
 * output. */
static struct gf_task task_of(struct gf_account *user)
{
    struct gf_task task = {.received_ns = 1000, .started_ns = 3000, .request_charge = {.account = user}};
    task.traffic.in[GF_WAY_ARENA] = 100;
    task.traffic.out[GF_WAY_INLINE] = 40;
    return task;
}

static void bins_double(void **state)
{
    UNUSED(state);
    assert_int_equal(gf_time_bin(0), 0);
    for (uint32_t k = 0; k + 1 < GF_TIME_BINS; k++) {
        assert_int_equal(gf_time_bin((uint64_t)GF_TIME_BIN_NS << k), k);
        assert_int_equal(gf_time_bin(((uint64_t)GF_TIME_BIN_NS << k) + 1), k + 1);
    }
    assert_int_equal(gf_time_bin(UINT64_MAX), GF_TIME_BINS - 1);
    assert_int_equal(m.started_ns, 77);
}

static void an_answer_counts_for_device_and_user(void **state)
{
    UNUSED(state);
    struct gf_account user = {.id = 5};
    struct gf_task task = task_of(&user);
    const struct gf_stage_times times = {.copy_in = 10, .kernel = 2000, .copy_out = 30};
    gf_metrics_accepted(&m, &task);
    gf_metrics_answered(&m, &task, 3, GF_OK, &times, 9000);
    const struct gf_device_metrics *d = &m.devices[3];
    assert_int_equal(d->answers[GF_OK], 1);
    assert_int_equal(d->bytes_in, 100);
    assert_int_equal(d->bytes_out, 40);
    assert_int_equal(d->stages.queue, 2000);
    assert_int_equal(d->stages.copy_in, 10);
    assert_int_equal(d->stages.kernel, 2000);
    assert_int_equal(d->stages.copy_out, 30);
    assert_int_equal(d->stages.total, 8000);
    assert_int_equal(d->queue.sum_ns, 2000);
    assert_int_equal(d->queue.bins[gf_time_bin(2000)], 1);
    assert_int_equal(d->device.bins[gf_time_bin(2040)], 1);
    assert_int_equal(d->total.bins[gf_time_bin(8000)], 1);
    assert_int_equal(m.n_users, 1);
    assert_int_equal(m.users[0].id, 5);
    assert_int_equal(m.users[0].accepted, 1);
    assert_int_equal(m.users[0].answers[GF_OK], 1);
    assert_int_equal(m.users[0].traffic.in[GF_WAY_ARENA], 100);
    assert_int_equal(m.users[0].traffic.out[GF_WAY_INLINE], 40);
}

static void errors_count_by_status_and_move_nothing(void **state)
{
    UNUSED(state);
    struct gf_account user = {.id = 5};
    struct gf_task task = task_of(&user);
    gf_metrics_answered(&m, &task, 3, GF_E_NO_MEMORY, NULL, 9000);
    gf_metrics_answered(&m, &task, GF_NO_DEVICE, GF_E_DEADLINE, NULL, 9000);
    gf_metrics_refused(&m, 5, GF_E_QUOTA);
    assert_int_equal(m.devices[3].answers[GF_E_NO_MEMORY], 1);
    assert_int_equal(m.devices[3].answers[GF_E_DEADLINE], 0);
    assert_int_equal(m.devices[3].bytes_in, 0);
    assert_int_equal(m.devices[3].total.sum_ns, 0);
    assert_int_equal(m.users[0].answers[GF_E_NO_MEMORY], 1);
    assert_int_equal(m.users[0].answers[GF_E_DEADLINE], 1);
    assert_int_equal(m.users[0].refused[GF_E_QUOTA], 1);
    assert_int_equal(m.users[0].traffic.in[GF_WAY_ARENA], 0);
}

static void users_beyond_the_room_take_the_place_of_who_did_least(void **state)
{
    UNUSED(state);
    for (uid_t uid = 0; uid < GF_METRICS_USERS + 10; uid++)
        gf_metrics_connected(&m, uid, GF_OK);
    gf_metrics_connected(&m, 17, GF_E_BUSY);
    assert_int_equal(m.n_users, GF_METRICS_USERS);
    assert_int_equal(m.others.connections, 10);
    for (uint32_t i = 0; i < GF_METRICS_USERS; i++) {
        assert_int_equal(m.users[i].connections, 1);
        assert_true(m.users[i].id >= 10); /* the first users are counted among the others */
    }
    assert_int_equal(m.connections, GF_METRICS_USERS + 10);
    assert_int_equal(m.connections_refused[GF_E_BUSY], 1);
}

static void uids_thrown_away_do_not_displace_who_works(void **state)
{
    UNUSED(state);
    struct gf_account victim = {.id = 7}, late = {.id = 8};
    struct gf_task task = task_of(&victim), later = task_of(&late);
    gf_metrics_accepted(&m, &task);
    for (uid_t uid = 100000; uid < 100000 + 10 * GF_METRICS_USERS; uid++) {
        gf_metrics_connected(&m, uid, GF_OK);
        if (uid == 100000 + 5 * GF_METRICS_USERS)
            gf_metrics_accepted(&m, &later);
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < m.n_users; i++)
        found += m.users[i].id == 7 || m.users[i].id == 8;
    assert_int_equal(found, 2);
    assert_int_equal(m.others.accepted, 0);
    assert_int_equal(m.others.connections, 9 * GF_METRICS_USERS + 2);
}

static void who_is_forgotten_is_among_the_others(void **state)
{
    UNUSED(state);
    for (gf_user_id user = 1; user <= 3; user++)
        gf_metrics_connected(&m, user << 32, GF_OK);
    gf_metrics_frame(&m, (gf_user_id)1 << 32);
    gf_metrics_compiled(&m, (gf_user_id)1 << 32, 500);
    gf_metrics_forget(&m, (gf_user_id)1 << 32);
    gf_metrics_compiled(&m, (gf_user_id)1 << 32, 70); /* the kernel was ready only then */
    gf_metrics_compiled(&m, (gf_user_id)2 << 32, 9);
    gf_metrics_forget(&m, 1); /* of whom there are no figures */
    assert_int_equal(m.n_users, 2);
    assert_true(m.users[0].id == (gf_user_id)3 << 32 && m.users[1].id == (gf_user_id)2 << 32);
    assert_int_equal(m.others.connections, 1);
    assert_int_equal(m.others.frames, 1);
    assert_int_equal(m.others.compile_ns, 570);
    assert_int_equal(m.users[1].compile_ns, 9);
    assert_true(m.others_told);
}

/* What a report tells. */
static struct {
    uint32_t n, n_mine, n_of_others, n_histograms, n_pages, n_of_gpus, n_of_ops;
    size_t size; /* of all bodies */
    double left_out;
} told;

static void look_at(void *data, const struct gf_metric *metric)
{
    UNUSED(data);
    told.n++;
    const bool mine = strncmp(metric->labels, "uid=\"1005\"", 10) == 0;
    told.n_mine += mine;
    told.n_of_others += !mine && strncmp(metric->labels, "uid=", 4) == 0;
    told.n_histograms += metric->kind == GF_METRIC_HISTOGRAM;
    told.n_of_ops += strstr(metric->labels, "op=\"") != NULL;
    for (uint32_t family = GF_FAMILY_device_gpu_info; family <= GF_FAMILY_device_xid_errors_total; family++)
        told.n_of_gpus += strcmp(metric->name, gf_families[family].name) == 0;
    if (strcmp(metric->name, "gpufilter_metrics_left_out") == 0)
        told.left_out = metric->value;
}

static struct gf_dispatcher dispatcher;
static struct gf_worker workers_list[GF_MAX_DEVICES];
static struct gf_quota quota;
static struct gf_account accounts[GF_METRICS_USERS + 1];

/* Reports one page. Returns the next one. */
static uint32_t report_page(const struct gf_sessions *all, uid_t asker, uint32_t page)
{
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    static struct gf_info_reply reply;
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_put_u32(&w, GF_ATTR_TOPIC, GF_TOPIC_STATS);
    gf_metrics_report(all, &(struct gf_account){.id = asker, .owner = asker}, page, &w);
    assert_true(gf_writer_finish(&w, GF_FRAME_INFO_REPLY, 1, 0, 0));
    const size_t size = w.size - GF_HEADER_SIZE;
    assert_int_equal(gf_info_reply_decode(frame + GF_HEADER_SIZE, size, &reply, NULL), GF_OK);
    assert_int_equal(gf_metrics_decode(frame + GF_HEADER_SIZE, size, look_at, NULL, NULL), GF_OK);
    told.n_pages++;
    told.size += size;
    return reply.next;
}

/* Reports to a user on this many devices. */
static void report(uint32_t n_devices, uid_t asker)
{
    static const struct gf_options options = {.worker_deaths = 1};
    static struct gf_sessions all;
    static struct gf_workers workers;
    static struct gf_staging staging;
    uint32_t page = 0;
    memset(&told, 0, sizeof told);
    all.options = &options;
    all.workers = &workers;
    all.dispatcher = &dispatcher;
    all.staging = &staging;
    all.quota = &quota;
    gf_node_init(&all.list);
    dispatcher.metrics = &m;
    workers.n = n_devices;
    for (uint32_t i = 0; i < n_devices; i++) {
        workers_list[i].all = &workers;
        workers.list[i] = &workers_list[i];
        snprintf(workers_list[i].hello.device.name, sizeof workers_list[i].hello.device.name, "cuda:%u", i);
    }
    do
        page = report_page(&all, asker, page);
    while (page != 0);
}

static void others_are_told_to_root_alone(void **state)
{
    UNUSED(state);
    gf_metrics_connected(&m, 1005, GF_OK);
    gf_metrics_connected(&m, 1006, GF_OK);
    gf_metrics_refused(&m, 1006, GF_E_QUOTA);
    report(2, 1005);
    assert_int_equal(told.n_mine, 4);
    assert_int_equal(told.n_of_others, 0);
    report(2, 1007);
    assert_int_equal(told.n_mine + told.n_of_others, 0);
    report(2, 0);
    assert_int_equal(told.n_mine, 4);
    assert_int_equal(told.n_of_others, 5);
    report(2, geteuid());
    assert_int_equal(told.n_of_others, 5);
    gf_penalties_add(&dispatcher.penalties, 1006, 1, gf_now_ns());
    report(2, 1005);
    assert_int_equal(told.n_mine, 4);
    assert_int_equal(told.n_of_others, 0);
    report(2, 0);
    assert_int_equal(told.n_mine, 4);
    assert_int_equal(told.n_of_others, 6);
    gf_penalties_forgive(&dispatcher.penalties, 1006);
}

/* Answers to 65 users, all connected, with each operation. */
static void be_busy(void)
{
    const struct gf_stage_times times = {.kernel = 5};
    for (uid_t uid = 1000; uid < 1000 + GF_METRICS_USERS + 1; uid++) {
        struct gf_account *user = &accounts[uid - 1000];
        struct gf_task task = task_of(user);
        *user = (struct gf_account){.id = uid, .next = quota.users};
        quota.users = user;
        gf_metrics_accepted(&m, &task);
        gf_metrics_answered(&m, &task, uid % GF_MAX_DEVICES, GF_OK, &times, 9000);
    }
    for (uint32_t op = 0; op < GF_N_OPS; op++) {
        struct gf_step_cost need = {.index = op};
        gf_metrics_computed(&m, &(struct gf_work){.needs = &need, .n_needs = 1}, NULL, &times);
    }
}

/* The worker's driver has told everything. */
static void tell_all_of_gpu(struct gf_worker *w)
{
    snprintf(w->hello.device.title, sizeof w->hello.device.title, "NVIDIA RTX PRO 6000 Blackwell Server Edition");
    snprintf(w->hello.device.uuid, sizeof w->hello.device.uuid, "GPU-01234567-89ab-cdef-0123-456789abcdef");
    for (uint32_t i = 0; i < GF_N_GPU_FIGURES; i++)
        gf_gpu_set(&w->gpu.figures, i, 1);
    gf_gpu_set_text(w->gpu.figures.pci, "00000000:1B:00.0");
    gf_gpu_set_text(w->gpu.figures.driver, "580.95.05");
    gf_gpu_set_text(w->gpu.figures.cuda, "13.0");
    w->gpu.told_ns = gf_now_ns();
}

static void the_longest_report_has_pages_and_loses_nothing(void **state)
{
    enum { GPUS = 8 };
    UNUSED(state);
    be_busy();
    report(GPUS, 0);
    assert_int_equal(told.n_of_gpus, 0);
    const uint32_t n = told.n, per_user = told.n_mine;
    for (uint32_t i = 0; i < GPUS; i++)
        tell_all_of_gpu(&workers_list[i]);
    report(GPUS, 0);
    print_message("%u figures in %u pages, %zu bytes\n", told.n, told.n_pages, told.size);
    assert_true(told.left_out == 0);
    assert_int_equal(told.n_of_gpus, GPUS * (GF_N_GPU_FIGURES + 2));
    assert_int_equal(told.n, n + told.n_of_gpus);
    assert_int_equal(told.n_of_ops, 2 * GF_N_OPS);
    assert_int_equal(told.n_histograms, 1 + 3 * GPUS); /* that of the front, and of each device */
    report(GF_MAX_DEVICES, 0);
    assert_true(told.left_out == 0);
    assert_int_equal(told.n_pages, 5);
    assert_int_equal(told.n_histograms, 1 + 3 * GF_MAX_DEVICES);
    assert_int_equal(told.n_mine, per_user);
    /* "other" has its row too; connections are those of 64 users alone. */
    assert_int_equal(told.n_of_others, GF_METRICS_USERS * per_user - (GF_N_RES - 1));
    quota.users = NULL;
    memset(workers_list, 0, sizeof workers_list);
}

/* What was found of a figure. */
static struct {
    const char *name, *labels;
    double value;
} sought;

static void seek(void *data, const struct gf_metric *metric)
{
    UNUSED(data);
    if (strcmp(metric->name, sought.name) == 0 && strcmp(metric->labels, sought.labels) == 0)
        sought.value = metric->value;
}

/* Expects a figure on the first page of a report on one device; -1: it is not there. */
static void expect(const char *name, const char *labels, double value)
{
    static uint8_t frame[GF_MAX_FRAME_HEAD];
    static struct gf_workers workers = {.list = {&workers_list[0]}, .n = 1};
    struct gf_metric_writer writer;
    struct gf_writer w;
    sought.name = name;
    sought.labels = labels;
    sought.value = -1;
    gf_writer_init(&w, frame, sizeof frame);
    gf_metric_writer_init(&writer, &w, 0);
    gf_gpus_report(&workers, &writer);
    gf_metric_writer_finish(&writer);
    assert_int_equal(gf_metrics_decode(frame + GF_HEADER_SIZE, w.size - GF_HEADER_SIZE, seek, NULL, NULL), GF_OK);
    if (sought.value != value)
        fail_msg("%s{%s} is %g, not %g", name, labels, sought.value, value);
}

static void gpus_are_told_in_their_units(void **state)
{
    UNUSED(state);
    struct gf_worker *w = &workers_list[0];
    *w = (struct gf_worker){.hello.device = {.name = "cuda:0"}};
    tell_all_of_gpu(w);
    gf_gpu_set(&w->gpu.figures, GF_GPU_UTILIZATION, 75);
    gf_gpu_set(&w->gpu.figures, GF_GPU_POWER, 123456);
    gf_gpu_set(&w->gpu.figures, GF_GPU_ENERGY, 5000500);
    gf_gpu_set(&w->gpu.figures, GF_GPU_CLOCK_MEMORY, UINT64_C(3201000000));
    gf_gpu_set(&w->gpu.figures, GF_GPU_MEMORY_USED, UINT64_C(300) << 20);
    gf_gpu_set(&w->gpu.figures, GF_GPU_XID_LAST, 79);
    expect("gpufilter_device_utilization_ratio", "device=\"cuda:0\"", 0.75);
    expect("gpufilter_device_power_watts", "device=\"cuda:0\"", 123.456);
    expect("gpufilter_device_energy_joules_total", "device=\"cuda:0\"", 5000.5);
    expect("gpufilter_device_clock_hertz", "device=\"cuda:0\",clock=\"memory\"", 3201e6);
    expect("gpufilter_device_memory_used_bytes", "device=\"cuda:0\"", 314572800);
    expect("gpufilter_device_throttled", "device=\"cuda:0\",reason=\"hw_thermal_slowdown\"", 1);
    expect("gpufilter_device_ecc_errors_total", "device=\"cuda:0\",kind=\"uncorrected\"", 1);
    expect("gpufilter_device_driver_info",
           "device=\"cuda:0\",pci=\"00000000:1B:00.0\",driver=\"580.95.05\",cuda=\"13.0\"", 1);
    expect("gpufilter_device_gpu_info",
           "device=\"cuda:0\",uuid=\"GPU-01234567-89ab-cdef-0123-456789abcdef\","
           "name=\"NVIDIA RTX PRO 6000 Blackwell Server Edition\"",
           1);
    w->gpu.told_ns -= UINT64_C(150) * GF_NS_PER_S; /* its driver hangs */
    expect("gpufilter_device_memory_used_bytes", "device=\"cuda:0\"", -1);
    expect("gpufilter_device_xid_last", "device=\"cuda:0\"", 79);
    memset(workers_list, 0, sizeof workers_list);
}

/* The client refuses an answer with a label that is none, and all its figures with it. */
static void hostile_names_of_gpus_become_labels(void **state)
{
    UNUSED(state);
    struct gf_worker *w = &workers_list[0];
    *w = (struct gf_worker){.hello.device = {.name = "cuda:0"}};
    tell_all_of_gpu(w);
    snprintf(w->hello.device.uuid, sizeof w->hello.device.uuid, "a\"} 1\\\xc3\xbc");
    snprintf(w->hello.device.title, sizeof w->hello.device.title, "b");
    expect("gpufilter_device_gpu_info", "device=\"cuda:0\",uuid=\"a?} 1???\",name=\"b\"", 1);
    memset(w->hello.device.name, 'n', GF_MAX_DEVICE_NAME);
    memset(w->hello.device.uuid, 'u', GF_MAX_DEVICE_NAME);
    memset(w->hello.device.title, 't', GF_MAX_DEVICE_NAME);
    char labels[GF_MAX_METRIC_TEXT + 1] = "device=\"";
    memset(labels + 8, 'n', 64);
    memcpy(labels + 72, "\",uuid=\"", 8);
    memset(labels + 80, 'u', 46);
    memcpy(labels + 126, "\"", 2);
    expect("gpufilter_device_gpu_info", labels, 1);
    memset(workers_list, 0, sizeof workers_list);
}

static void operations_are_counted_and_share_the_time(void **state)
{
    UNUSED(state);
    struct gf_cost gpu;
    struct gf_step_cost needs[3] = {
        {.index = 4, .touched = 1e6}, {.index = 9, .touched = 1e9}, {.index = 4, .touched = 1e6}};
    const struct gf_work work = {.needs = needs, .n_needs = 3}, alone = {.needs = needs, .n_needs = 1};
    const struct gf_stage_times times = {
        .queue = 1000000, .copy_in = 100, .kernel = 800, .copy_out = 100, .total = 2000000};
    const struct gf_operation_metrics *of = m.operations;
    gf_metrics_computed(&m, &alone, NULL, &times);
    assert_int_equal(of[4].answers, 1);
    assert_int_equal(of[4].ns, 1000);
    gf_metrics_computed(&m, &work, NULL, &times);
    assert_int_equal(of[4].answers, 2);
    assert_int_equal(of[4].ns, 1666);
    assert_int_equal(of[9].answers, 1);
    assert_int_equal(of[9].ns, 333);
    gf_metrics_init(&m, 0);
    gf_cost_init(&gpu, false, 0);
    gf_metrics_computed(&m, &work, &gpu, &times);
    assert_in_range(of[9].ns, 950, 990); /* 404 of 412.8 us */
    assert_in_range(of[4].ns, 10, 50);
    gf_metrics_computed(&m, &work, &gpu, &(struct gf_stage_times){.kernel = UINT64_MAX, .copy_in = UINT64_MAX});
    assert_true(of[9].ns < UINT64_C(2000000000000000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(bins_double, setup),
        cmocka_unit_test_setup(an_answer_counts_for_device_and_user, setup),
        cmocka_unit_test_setup(errors_count_by_status_and_move_nothing, setup),
        cmocka_unit_test_setup(users_beyond_the_room_take_the_place_of_who_did_least, setup),
        cmocka_unit_test_setup(uids_thrown_away_do_not_displace_who_works, setup),
        cmocka_unit_test_setup(who_is_forgotten_is_among_the_others, setup),
        cmocka_unit_test_setup(others_are_told_to_root_alone, setup),
        cmocka_unit_test_setup(the_longest_report_has_pages_and_loses_nothing, setup),
        cmocka_unit_test_setup(gpus_are_told_in_their_units, setup),
        cmocka_unit_test_setup(hostile_names_of_gpus_become_labels, setup),
        cmocka_unit_test_setup(operations_are_counted_and_share_the_time, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
