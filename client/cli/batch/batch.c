/* SPDX-License-Identifier: MIT */
/* The thread pool of a batch. Called by the commands that take several files. */
#include "batch.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "client/cli/base/cli.h"
#include "client/cli/base/connect.h"
#include "client/cli/base/exit_code.h"
#include "client/io/threads.h"

#define MAX_JOBS 32 /* each may hold two of the 64 outputs that can be open at a time */
#define AT_HAND 2

/* The outcome of a file. */
struct ending {
    char *out, *err; /* its messages, until they are printed */
    int code;
    bool over;
};

struct batch {
    const struct gf_cli *cli;
    const struct gf_batch_names *names;
    const struct gf_batch_work *work;
    uint32_t jobs;
    bool keep_going;
    pthread_mutex_t mutex; /* protects the members below */
    pthread_cond_t moved;  /* a file is finished, or a thread has ended */
    struct ending *endings;
    size_t next;    /* the next file to begin */
    size_t printed; /* files whose messages are printed */
    size_t running; /* threads that have not ended */
    bool stopped;   /* begin no more files */
};

/* A file in progress. */
struct slot {
    struct gf_batch_file file;
    struct gf_cli cli;
    size_t index, out_size, err_size;
    char *out, *err;
    void *at_hand;
};

/* A thread, its connection and its files. */
struct job {
    struct batch *batch;
    pthread_t thread;
    gpufilter_client *client;
    struct gf_image_memory memory;
    struct slot slots[AT_HAND];
};

void gf_batch_option_rows(struct gf_batch_options *options, struct gf_option rows[GF_BATCH_OPTIONS])
{
    rows[0] = (struct gf_option){"jobs", 'j', "N", "files to process at a time (one per core)", &options->jobs};
    rows[1] = (struct gf_option){"keep-going", 'k', NULL, "with several files, continue after a failure",
                                 &options->keep_going};
    rows[2] = (struct gf_option){"files-from", '\0', "FILE", "read the names of IN from a list; - is standard input",
                                 &options->files_from};
    rows[3] =
        (struct gf_option){"shard", '\0', "K/N", "take part K of N of the files: K, K+N, K+2N, ...", &options->shard};
    rows[4] =
        (struct gf_option){"skip-existing", '\0', NULL, "skip files whose results exist", &options->skip_existing};
}

int gf_batch_options_check(const struct gf_cli *cli, const struct gf_batch_options *options, uint32_t *ret_jobs)
{
    return gf_cli_number(cli, "jobs", options->jobs, MAX_JOBS, ret_jobs);
}

/* Collects the messages of a file in memory; without memory they are printed at once. */
static FILE *text_open(char **text, size_t *size, FILE *otherwise)
{
    FILE *file = open_memstream(text, size);
    return file ? file : otherwise;
}

static void text_close(FILE *file, FILE *otherwise)
{
    if (file != otherwise)
        fclose(file);
}

static bool take(struct batch *b, size_t *ret_index)
{
    pthread_mutex_lock(&b->mutex);
    bool more = !b->stopped && b->next < b->names->wish.n;
    if (more)
        *ret_index = b->next++;
    pthread_mutex_unlock(&b->mutex);
    return more;
}

/* Finishes a file and leaves its messages for the printing thread. */
static void leave(struct job *job, struct slot *slot, int code)
{
    struct batch *b = job->batch;
    struct ending *e = &b->endings[slot->index];
    bool failed = code != GF_EXIT_OK && code != GF_EXIT_DIFFERENT;
    b->work->reset(slot->at_hand);
    text_close(slot->cli.out, b->cli->out);
    text_close(slot->cli.err, b->cli->err);
    if (!failed)
        gf_progress_count();
    pthread_mutex_lock(&b->mutex);
    *e = (struct ending){.out = gf_steal_ptr(&slot->out), .err = gf_steal_ptr(&slot->err), .code = code, .over = true};
    b->stopped |= failed && !b->keep_going;
    pthread_cond_signal(&b->moved);
    pthread_mutex_unlock(&b->mutex);
}

/* Collects the messages of a file and begins it. Returns whether the file is in progress. */
static bool begin(struct job *job, struct slot *slot)
{
    struct batch *b = job->batch;
    const struct gf_batch_names *names = b->names;
    /* An arena does not pay for a job's first file, see connect.h. */
    bool several = names->wish.n > b->jobs;
    slot->cli = *b->cli;
    slot->cli.file = names->wish.in[slot->index];
    slot->cli.out = text_open(&slot->out, &slot->out_size, b->cli->out);
    slot->cli.err = text_open(&slot->err, &slot->err_size, b->cli->err);
    slot->file = (struct gf_batch_file){.cli = &slot->cli,
                                        .client = job->client,
                                        .how = b->cli->load,
                                        .in = names->wish.in[slot->index],
                                        .out = names->out + slot->index * names->wish.n_out};
    slot->file.how.memory = several ? &job->memory : NULL;
    slot->file.how.threads = b->cli->save.threads;
    int code = b->work->begin(b->work->data, &slot->file, slot->at_hand);
    if (code != GF_EXIT_OK)
        leave(job, slot, code);
    return code == GF_EXIT_OK;
}

/* The main function of a thread: begins a file, then ends the previous one, which the daemon has worked on
 * meanwhile. */
static void *run_job(void *data)
{
    struct job *job = data;
    struct batch *b = job->batch;
    struct slot *away = NULL;
    bool more = true;
    while (more || away) {
        struct slot *slot = away == &job->slots[0] ? &job->slots[1] : &job->slots[0], *begun = NULL;
        more = more && take(b, &slot->index);
        if (more && begin(job, slot))
            begun = slot;
        if (away)
            leave(job, away, b->work->end(b->work->data, &away->file, away->at_hand));
        away = begun;
    }
    pthread_mutex_lock(&b->mutex);
    b->running--;
    pthread_cond_signal(&b->moved);
    pthread_mutex_unlock(&b->mutex);
    return NULL;
}

static void print(FILE *to, char **text)
{
    if (*text && **text) {
        gf_progress_clear();
        fputs(*text, to);
        fflush(to);
    }
    gf_freep(text);
}

/* Prints the messages of the files, in their order, until all threads have ended. The caller holds the mutex. */
static void print_all(struct batch *b)
{
    for (;;) {
        bool over = b->running == 0;
        while (b->printed < b->names->wish.n && (over || b->endings[b->printed].over)) {
            struct ending *e = &b->endings[b->printed++];
            print(b->cli->err, &e->err);
            print(b->cli->out, &e->out);
        }
        if (over)
            return;
        gf_progress_draw();
        pthread_cond_wait(&b->moved, &b->mutex);
    }
}

/* Starts the threads with all signals blocked, so that signals reach the printing thread, which opens no files. */
static size_t start(struct batch *b, struct job *jobs)
{
    sigset_t all, before;
    size_t n = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_mutex_lock(&b->mutex);
    while (n < b->jobs && jobs[n].client && pthread_create(&jobs[n].thread, NULL, run_job, &jobs[n]) == 0)
        n++;
    b->running = n;
    pthread_mutex_unlock(&b->mutex);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

/* The exit code tells a scheduler whether to retry: one file that would fail again decides against it. */
static int code_of(const struct batch *b)
{
    int code = GF_EXIT_OK, passing = GF_EXIT_OK;
    for (size_t i = 0; i < b->names->wish.n; i++) {
        int one = b->endings[i].code;
        if (gf_exit_may_pass(one))
            passing = passing == GF_EXIT_OK || passing == one ? one : GF_EXIT_TRY_AGAIN;
        else if (one != GF_EXIT_OK && one != GF_EXIT_DIFFERENT)
            return b->keep_going ? GF_EXIT_SOME_FAILED : one;
        else if (one == GF_EXIT_DIFFERENT)
            code = one;
    }
    return passing != GF_EXIT_OK ? passing : code;
}

/* Processes all files. The jobs are initialised. */
static int run(struct batch *b, struct job *jobs)
{
    gf_progress_begin(b->cli, b->names->wish.n);
    size_t n = start(b, jobs);
    pthread_mutex_lock(&b->mutex);
    print_all(b);
    pthread_mutex_unlock(&b->mutex);
    for (size_t i = 0; i < n; i++)
        pthread_join(jobs[i].thread, NULL);
    gf_progress_end();
    int code = n > 0 ? code_of(b) : gf_cli_fail(b->cli, GF_EXIT_SOFTWARE, "cannot start a thread");
    if (code != GF_EXIT_OK && code != GF_EXIT_DIFFERENT && !b->cli->quiet)
        fprintf(b->cli->err, GF_CLI_NAME ": %s: %zu of %zu files are done\n", b->cli->command, gf_progress_done(),
                b->names->wish.n);
    return code;
}

/* Connects a job and allocates its memory. The batch fails if the first job fails; without a later job it runs
 * slower. */
static int job_init(struct job *job, struct batch *b, bool first)
{
    struct gf_cli quiet = *b->cli;
    gf_cleanup(gf_freep) char *text = NULL;
    size_t size = 0;
    job->batch = b;
    for (size_t i = 0; i < AT_HAND; i++) {
        job->slots[i].at_hand = calloc(1, b->work->capacity);
        if (!job->slots[i].at_hand)
            return first ? gf_cli_fail(b->cli, GF_EXIT_SOFTWARE, "out of memory") : GF_EXIT_SOFTWARE;
    }
    if (!first) {
        quiet.json = NULL;
        quiet.err = text_open(&text, &size, b->cli->err);
    }
    int code = gf_cli_connect(&quiet, &job->client);
    text_close(quiet.err, b->cli->err);
    job->memory = gf_cli_memory(job->client);
    return code;
}

static void job_deinit(struct job *job, const struct gf_batch_work *work)
{
    for (size_t i = 0; i < AT_HAND && job->slots[i].at_hand; i++) {
        work->deinit(job->slots[i].at_hand);
        free(job->slots[i].at_hand);
    }
    gf_cli_disconnectp(&job->client);
}

static int take_options(const struct gf_cli *cli, const struct gf_batch_options *options, struct batch *b)
{
    uint32_t cores = gf_count_cores();
    b->keep_going = options->keep_going;
    b->jobs = cores < MAX_JOBS ? cores : MAX_JOBS;
    if (cli->timing || cli->explain || cli->timeline)
        return gf_cli_fail(cli, GF_EXIT_USAGE, "--timing, --explain, --trace and --otlp are for one file at a time");
    int code = gf_batch_options_check(cli, options, &b->jobs);
    if (b->jobs > b->names->wish.n)
        b->jobs = (uint32_t)b->names->wish.n;
    return code;
}

int gf_batch_run(const struct gf_cli *cli, const struct gf_batch_options *options, const struct gf_batch_names *names,
                 const struct gf_batch_work *work)
{
    struct gf_cli own = *cli;
    struct batch b = {.cli = &own, .names = names, .work = work};
    gf_cleanup(gf_freep) struct job *jobs = calloc(MAX_JOBS, sizeof(*jobs));
    gf_cleanup(gf_freep) struct ending *endings = calloc(names->wish.n + 1, sizeof(*endings));
    int code = take_options(cli, options, &b);
    if (code == GF_EXIT_OK && names->wish.n == 0)
        return code;
    if (code == GF_EXIT_OK && (!jobs || !endings))
        code = gf_cli_fail(cli, GF_EXIT_SOFTWARE, "out of memory");
    if (code != GF_EXIT_OK)
        return code;
    b.endings = endings;
    own.save.threads = (gf_count_cores() + b.jobs - 1) / b.jobs;
    pthread_mutex_init(&b.mutex, NULL);
    pthread_cond_init(&b.moved, NULL);
    code = job_init(&jobs[0], &b, true);
    for (uint32_t i = 1; i < b.jobs && code == GF_EXIT_OK; i++)
        if (job_init(&jobs[i], &b, false) != GF_EXIT_OK)
            break;
    if (code == GF_EXIT_OK)
        code = run(&b, jobs);
    for (size_t i = 0; i < b.jobs; i++)
        job_deinit(&jobs[i], work);
    pthread_cond_destroy(&b.moved);
    pthread_mutex_destroy(&b.mutex);
    return code;
}
