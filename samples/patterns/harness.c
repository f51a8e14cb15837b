/* SPDX-License-Identifier: MIT */
/* Sets up a problem and its reference, and runs rungs on it; see harness.h. The problem on which a ladder is timed is
 * kept from one rung to the next. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product.h"

#define RUBBISH 0xA5
#define MAX_TIMES 20
#define ENOUGH_S 0.05 /* timing of one rung */
#define N_ORDERS 3u
#define ORDERED_N 1100u /* sizes up to this are emulated in every order of threads */
#define PRODUCT_TIMES 15u

/* A problem, with its buffers on the host and on the machine. */
struct problem {
    const struct ladder *ladder;
    size_t n;
    unsigned parameter;
    struct sizes sizes;
    void *host_in[MAX_INPUTS], *expected, *got; /* on the host */
    void *in[MAX_INPUTS], *out, *temp;          /* on the machine */
};

static struct problem g_kept;

static void drop_results(const struct machine *machine, struct problem *p)
{
    free(p->expected);
    free(p->got);
    machine->give(p->out);
    machine->give(p->temp);
    p->expected = p->got = p->out = p->temp = NULL;
}

static void drop(const struct machine *machine, struct problem *p)
{
    drop_results(machine, p);
    for (size_t i = 0; i < MAX_INPUTS; i++) {
        free(p->host_in[i]);
        machine->give(p->in[i]);
    }
    memset(p, 0, sizeof(*p));
}

void harness_close(const struct machine *machine)
{
    if (g_kept.ladder != NULL)
        drop(machine, &g_kept);
}

static size_t at_least_one(size_t size)
{
    return size > 0 ? size : 1;
}

size_t harness_memory(const struct ladder *ladder, const struct rung *rung, size_t n)
{
    struct sizes s = {0};
    ladder->sizes(n, rung->parameter, &s);
    size_t all = s.out + s.temp;
    for (size_t i = 0; i < MAX_INPUTS; i++)
        all += s.in[i];
    return all;
}

/* Makes the inputs unless they are there: parameters with inputs of the same sizes share them. Returns false if memory
 * runs out. */
static bool make_inputs(const struct machine *machine, const struct ladder *ladder, size_t n, const struct sizes *sizes,
                        struct problem *p)
{
    bool there = true;
    if (p->ladder == ladder && p->n == n && memcmp(p->sizes.in, sizes->in, sizeof(sizes->in)) == 0)
        return true;
    if (p->ladder != NULL)
        drop(machine, p);
    *p = (struct problem){.ladder = ladder, .n = n};
    for (size_t i = 0; i < MAX_INPUTS; i++) {
        p->host_in[i] = malloc(at_least_one(sizes->in[i]));
        p->in[i] = machine->take(sizes->in[i]);
        there = there && p->host_in[i] != NULL && p->in[i] != NULL;
    }
    if (!there)
        return false;
    ladder->fill(n, p->host_in);
    for (size_t i = 0; i < MAX_INPUTS; i++)
        machine->put(NULL, p->in[i], p->host_in[i], sizes->in[i]);
    return true;
}

/* Makes the problem unless it is there. Returns false if memory runs out. */
static bool make(const struct machine *machine, const struct ladder *ladder, size_t n, unsigned parameter,
                 struct problem *p)
{
    const void *in[MAX_INPUTS];
    struct sizes sizes = {0};
    if (p->ladder == ladder && p->n == n && p->parameter == parameter)
        return true;
    ladder->sizes(n, parameter, &sizes);
    drop_results(machine, p);
    bool there = make_inputs(machine, ladder, n, &sizes, p);
    p->parameter = parameter;
    p->sizes = sizes;
    p->expected = malloc(at_least_one(sizes.out));
    p->got = malloc(at_least_one(sizes.out));
    p->out = machine->take(sizes.out);
    p->temp = machine->take(sizes.temp);
    if (!there || p->expected == NULL || p->got == NULL || p->out == NULL || p->temp == NULL) {
        drop(machine, p);
        return false;
    }
    for (size_t i = 0; i < MAX_INPUTS; i++)
        in[i] = p->host_in[i];
    memset(p->expected, 0, sizes.out);
    ladder->reference(n, parameter, in, p->expected);
    return true;
}

/* Whether the rung takes host pointers. */
static bool is_here(const struct rung *rung)
{
    return rung->host != NULL && !rung->on_gpu;
}

static struct call call_of(const struct problem *p, const struct rung *rung)
{
    struct call call = {.n = p->n, .parameter = rung->parameter};
    for (size_t i = 0; i < MAX_INPUTS; i++)
        call.in[i] = is_here(rung) || rung->in_on_host ? p->host_in[i] : p->in[i];
    call.out = is_here(rung) || rung->out_on_host ? p->got : p->out;
    call.temp = is_here(rung) ? NULL : p->temp;
    return call;
}

/* The form of the rung for this machine, or NULL if there is none. */
static void (*form_of(const struct machine *machine, const struct rung *rung))(struct call *)
{
    bool emulated = machine->order != NULL;
    if (rung->host != NULL)
        return rung->on_gpu && emulated ? NULL : rung->host;
    return emulated ? rung->cpu : rung->cuda;
}

/* Runs the rung and returns the seconds. */
static double run_once(const struct machine *machine, const struct problem *p, const struct rung *rung,
                       struct call *ret_call)
{
    *ret_call = call_of(p, rung);
    return (is_here(rung) ? &g_machine_cpu : machine)->time(form_of(machine, rung), ret_call);
}

/* Runs the rung on buffers of rubbish and fetches the result. */
static void run_and_fetch(const struct machine *machine, struct problem *p, const struct rung *rung,
                          struct call *ret_call)
{
    memset(p->got, RUBBISH, p->sizes.out);
    machine->set(NULL, p->out, RUBBISH, p->sizes.out);
    machine->set(NULL, p->temp, RUBBISH, p->sizes.temp);
    run_once(machine, p, rung, ret_call);
    if (!is_here(rung) && !rung->out_on_host)
        machine->get(NULL, p->got, p->out, p->sizes.out);
}

static uint64_t count_wrong(const struct problem *p, uint64_t *ret_of)
{
    if (p->ladder->wrong != NULL)
        return p->ladder->wrong(p->n, p->parameter, p->got, p->expected, ret_of);
    const uint32_t *got = p->got, *expected = p->expected;
    size_t n = p->sizes.out / sizeof(*got);
    uint64_t wrong = 0, off = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        wrong += got[i] != expected[i];
        off += got[i] < expected[i] ? expected[i] - got[i] : got[i] - expected[i];
        sum += expected[i];
    }
    *ret_of = p->ladder->counters ? sum : n;
    return p->ladder->counters ? off : wrong;
}

static void judge(const struct machine *machine, const struct problem *p, struct row *row)
{
    uint64_t of, wrong = count_wrong(p, &of);
    bool racy = row->rung->racy && machine->order == NULL; /* emulated threads do not overlap */
    row->n = p->n;
    row->wrong = wrong;
    row->of = of;
    if (wrong > 0)
        row->verdict = racy ? WRONG_AS_EXPECTED : WRONG;
    else
        row->verdict = racy ? RIGHT_BY_LUCK : RIGHT;
    if (row->verdict == RIGHT && p->ladder->note != NULL)
        p->ladder->note(p->n, p->parameter, p->got, row->text, sizeof(row->text));
}

static void fail(struct row *row, enum verdict verdict, const char *text)
{
    row->verdict = verdict;
    snprintf(row->text, sizeof(row->text), "%s", text);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times, size_t n)
{
    qsort(times, n, sizeof(*times), by_value);
    return times[n / 2];
}

/* Runs the product's rung on a problem; times it if n_times > 0. */
static void run_product(const struct machine *machine, struct problem *p, unsigned n_times, struct row *row)
{
    char why[sizeof(row->text)] = "";
    double times[PRODUCT_TIMES];
    bool absent;
    memset(p->got, RUBBISH, p->sizes.out);
    row->n = p->n;
    if (!product_run(p->ladder, row->rung->program, machine->device, p->n, p->host_in, p->got, p->sizes.out, n_times,
                     times, &absent, why, sizeof(why))) {
        fail(row, absent ? NOT_RUN : FAILED, why);
        return;
    }
    judge(machine, p, row);
    row->seconds = n_times > 0 ? median(times, n_times) : 0;
}

/* Runs the rung on a problem and judges the result. Emulated rungs run in every order of threads at small sizes. */
static void check(const struct machine *machine, struct problem *p, struct row *row)
{
    struct call call;
    row->n = p->n;
    bool emulated = machine->order != NULL && !is_here(row->rung);
    unsigned orders = emulated && p->n <= ORDERED_N ? N_ORDERS : 1;
    for (unsigned i = 0; i < orders; i++) {
        if (emulated)
            machine->order(orders > 1 ? i : 2);
        run_and_fetch(machine, p, row->rung, &call);
        if (call.error[0] != '\0') {
            fail(row, call.absent ? NOT_RUN : FAILED, call.error);
            return;
        }
        judge(machine, p, row);
        if (row->verdict == WRONG)
            return;
    }
}

/* Times the rung: the median of as many runs as fit in ENOUGH_S. */
static void time_it(const struct machine *machine, struct problem *p, struct row *row)
{
    double times[MAX_TIMES], all = 0;
    size_t n = 0;
    struct call call = {0};
    for (; n < MAX_TIMES && (n == 0 || all < ENOUGH_S || (n < 3 && all < 6 * ENOUGH_S)); n++) {
        times[n] = run_once(machine, p, row->rung, &call);
        all += times[n];
    }
    row->seconds = median(times, n);
    row->has_facts = !is_here(row->rung) && machine->facts(&call, &row->facts);
}

static bool starts(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, struct row *row)
{
    *row = (struct row){.ladder = ladder, .rung = rung, .verdict = RIGHT};
    if (rung->program != NULL || form_of(machine, rung) != NULL)
        return true;
    fail(row, NOT_RUN, "it runs only on a GPU");
    return false;
}

/* On a GPU a racy rung may be wrong at any size. The daemon refuses inputs without elements. */
static bool is_checked_at(const struct machine *machine, const struct rung *rung, size_t n)
{
    if (machine->order != NULL && rung->max_emulated > 0 && n > rung->max_emulated)
        return false;
    return (rung->max_n == 0 || n <= rung->max_n) && !(rung->racy && machine->order == NULL) &&
           !(rung->program != NULL && n == 0);
}

/* Locks the host pages that a rung copies from or to. Returns false, with the row FAILED, if it cannot. */
static bool lock(const struct machine *machine, const struct problem *p, const struct rung *rung, struct row *row)
{
    void *memory = rung->in_on_host ? p->host_in[0] : p->got;
    size_t size = rung->in_on_host ? p->sizes.in[0] : p->sizes.out;
    if (!rung->locked || machine->lock == NULL || machine->lock(memory, at_least_one(size)))
        return true;
    fail(row, FAILED, "the host's pages cannot be locked");
    return false;
}

static void unlock(const struct machine *machine, const struct problem *p, const struct rung *rung)
{
    if (rung->locked && machine->unlock != NULL)
        machine->unlock(rung->in_on_host ? p->host_in[0] : p->got);
}

/* Makes the problem, checks the rung on it, and then times it if that is wanted. */
static void run_at(const struct machine *machine, size_t n, bool timed, struct problem *p, struct row *row)
{
    const struct ladder *ladder = row->ladder;
    if (!make(machine, ladder, n, row->rung->parameter, p)) {
        fail(row, FAILED, "no memory for the problem");
    } else if (row->rung->program != NULL) {
        run_product(machine, p, timed ? PRODUCT_TIMES : 0, row);
    } else if (lock(machine, p, row->rung, row)) {
        check(machine, p, row);
        if (timed && (ladder->bytes != NULL || ladder->flops != NULL) && row->verdict != FAILED &&
            row->verdict != NOT_RUN)
            time_it(machine, p, row);
        unlock(machine, p, row->rung);
    }
}

void harness_check(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, size_t n,
                   struct row *ret_row)
{
    struct problem p = {0};
    if (!starts(machine, ladder, rung, ret_row))
        return;
    ret_row->n = n;
    run_at(machine, n, false, &p, ret_row);
    if (p.ladder != NULL)
        drop(machine, &p);
}

void harness_run(const struct machine *machine, const struct ladder *ladder, const struct rung *rung, size_t timed_n,
                 struct row *ret_row)
{
    if (!starts(machine, ladder, rung, ret_row))
        return;
    for (size_t i = 0; i < ladder->n_checked && ret_row->verdict == RIGHT; i++)
        if (is_checked_at(machine, rung, ladder->checked[i]))
            harness_check(machine, ladder, rung, ladder->checked[i], ret_row);
    if (timed_n == 0 || ret_row->verdict != RIGHT)
        return;
    ret_row->bytes = ladder->bytes != NULL ? ladder->bytes(timed_n, rung->parameter) : 0;
    ret_row->flops = ladder->flops != NULL ? ladder->flops(timed_n, rung->parameter) : 0;
    run_at(machine, timed_n, true, &g_kept, ret_row);
}
