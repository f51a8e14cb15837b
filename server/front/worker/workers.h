/* SPDX-License-Identifier: MIT */
/*
 * The devices and their worker processes: starting, greeting, pinging, killing, starting again, setting aside; and the
 * memory each has mapped. Knows tasks only as the list of what a worker has. Called by dispatcher, routing, session and
 * server; the worker_*.c of this folder share struct gf_worker and worker.h.
 */
#ifndef GF_FRONT_WORKERS_H
#define GF_FRONT_WORKERS_H

#include "protocol/wire/worker_msg.h"
#include "server/front/resource/task.h"
#include "worker_link.h"
#include "worker_process.h"

#define GF_DEATHS_KEPT 16u
#define GF_CPU "cpu" /* the one device that is not a GPU */

/* Where a device is in the life of its worker. Only the table in worker.c changes it, and says which follows which. The
 * states that clients can tell apart have the numbers of enum gf_device_state; gf_worker_device_state has the others'.
 */
enum gf_worker_state {
    GF_WORKER_NEW = 0,                           /* no process was started yet, or has joined */
    GF_WORKER_STARTING = GF_DEVICE_STARTING,     /* there is a process; it has not said hello */
    GF_WORKER_READY = GF_DEVICE_READY,           /* it takes tasks */
    GF_WORKER_RESTARTING = GF_DEVICE_RESTARTING, /* it died; the next start waits for the timer */
    GF_WORKER_ASIDE = GF_DEVICE_ASIDE,           /* it died too often; the timer is set for long */
    GF_WORKER_ABSENT = GF_DEVICE_ABSENT,         /* it said that there is no such device */
    GF_WORKER_IDLE = GF_DEVICE_IDLE,             /* it ended for want of work; a request starts the next */
    GF_WORKER_FAILING,                           /* killed, or parted from us, before its hello */
    GF_WORKER_ENDING,                            /* the same after it: it takes no more tasks, and keeps those it has */
    GF_WORKER_RESTING,                           /* told to end for want of work; the process is still there */
    GF_WORKER_WAKING,                            /* the same, and a request waits for the next process */
    GF_WORKER_DEAD,                              /* while a death is judged; never seen from outside */
    GF_WORKER_LEFT,                              /* its process, which had joined, is gone; another may join */
    GF_WORKER_STOPPING,                          /* the daemon ends; the process is still there */
    GF_WORKER_STOPPED,                           /* the daemon ends; nothing follows */
    GF_WORKER_N_STATES
};

struct gf_worker {
    struct gf_workers *all;
    struct gf_worker_link *link;       /* NULL without a process, and once we have hung up */
    struct gf_worker_process *process; /* NULL in the states without one */
    uv_timer_t timer;                  /* to the next start; runs in RESTARTING and ASIDE alone */
    struct gf_worker_hello hello;      /* of the present or the last process; device.name always holds */
    char reason[GF_ERROR_TEXT];        /* why it is not there, or not well */
    char last_error[GF_ERROR_TEXT];    /* last words of the present process */
    struct gf_node tasks;
    uint64_t load_ns, short_ns;    /* estimated work in it; of it, what short tasks bring */
    uint64_t scratch;              /* bytes that tasks take in it beside operands and results */
    struct gf_cost cost;           /* what work takes there */
    uint32_t dtypes[GF_N_OPS];     /* of input 0 that its rows take, by the op's index */
    uint64_t started_ns, ready_ns; /* of the present process; 0: joined, and not ready yet */
    uint64_t dying_ns;             /* since when it is FAILING, ENDING, RESTING or WAKING, also once STOPPING; 0: not */
    uint64_t asked_ns;             /* for a sign of life that has not come; 0: none is missing */
    uint64_t ran_ns, probe_ns;     /* when a kernel was last known to have run, and was last asked for */
    uint64_t worked_ns;            /* when it last had something to do or to keep */
    uint64_t probe, n_probes;      /* the question that is open, 0: none */
    uint64_t deaths[GF_DEATHS_KEPT]; /* times, a ring; 0: forgiven */
    uint64_t died_ns;                /* the last of them, while `died` is called; 0: that death does not count */
    uint32_t state;                  /* enum gf_worker_state */
    uint32_t index, n_tasks, n_long, n_deaths;
    uint32_t backoff;    /* how long the next start waits; outlives processes until one stays well */
    uint32_t n_suspects; /* tasks in it that had another worker which died */
    uint32_t n_buffers;  /* resident ones in it */
    uint64_t n_cancels;  /* CANCELs sent to its processes */
    struct gf_expression_figures expressions; /* of its processes: earlier ones count only in what is counted */
    struct gf_expression_figures told;        /* what the present one last said of itself alone */
    bool own;                                 /* of the device: its processes are started here; those of others join */
    bool compiles;                            /* it has said what became of expressions */
    bool is_twin;                             /* it said that its GPU is another device's already */
    bool death_is_charged; /* of the last death, for `died`: the fault of the one user who had requests there */
};

struct gf_workers_ops {
    /* A worker is ready, or its state changed otherwise. */
    void (*changed)(void *data, struct gf_worker *worker);
    /* RESULT or ERROR of a task. */
    void (*answer)(void *data, struct gf_worker *worker, const struct gf_header *header, const uint8_t *body);
    /* Its socket has taken all that waited: it can have tasks again. */
    void (*drained)(void *data, struct gf_worker *worker);
    /* The process is gone; its state says what comes next, its tasks are still in its list. */
    void (*died)(void *data, struct gf_worker *worker);
};

struct gf_workers {
    uv_loop_t *loop;
    struct gf_memories *memories;
    const struct gf_workers_ops *ops;
    void *data;
    struct gf_spawner *spawner; /* starts the workers of this daemon; NULL where others start them all */
    uint64_t device_memory;     /* what they are given of it; 0: all */
    uint64_t scratch;           /* bytes that tasks may take in each beside operands and results */
    const uint64_t *deaths;     /* in ten minutes, after which a device is set aside */
    const uint64_t *timeout_ms; /* after which a worker that is silent or does not get on is killed */
    const uint64_t *idle_ms;    /* after which a GPU's worker without work ends; 0: never */
    uint64_t woke_ns;           /* when the daemon last went on after it had stood still */
    struct gf_worker *list[GF_MAX_DEVICES];
    struct gf_worker *cpu;  /* of them; NULL without */
    uint32_t threads;       /* of the CPU device, or as many as it would have */
    struct joiner *joiners; /* workers_join.c's */
    uint32_t n;
    bool stopping; /* nobody may join any more */
};

/* Also takes over memories->gone. `spawner` and the numbers stay the caller's. */
void gf_workers_init(struct gf_workers *workers, uv_loop_t *loop, struct gf_memories *memories,
                     const struct gf_workers_ops *ops, void *data);
/* After the loop has run out. */
void gf_workers_deinit(struct gf_workers *workers);

/* Adds a device by name; nothing is started. TOO_LARGE, EXISTS, NO_MEMORY. */
enum gf_status gf_workers_add(struct gf_workers *workers, const char *name, struct gf_error *err);
/* Starts the processes of all devices. */
void gf_workers_start(struct gf_workers *workers);
/* A process that connected by itself; takes the descriptor. It says which device it is. */
void gf_workers_join(struct gf_workers *workers, int fd, pid_t pid);
/* Lets all processes end; none is started again. */
void gf_workers_stop(struct gf_workers *workers);
/* Kills what has not ended. */
void gf_workers_kill_all(struct gf_workers *workers);
/* Waits no longer for processes that even killing does not end. */
void gf_workers_give_up(struct gf_workers *workers);
/* Whether no process is left. */
bool gf_workers_gone(const struct gf_workers *workers);

/* By name or UUID; NULL. */
struct gf_worker *gf_workers_find(const struct gf_workers *workers, const char *name);
/* Whether another device than w, which may be NULL, has the GPU of this hello: indices and UUIDs may both name one.
 * ret_why gets the sentence with which it is refused. */
bool gf_workers_have_twin(const struct gf_workers *workers, const struct gf_worker *w,
                          const struct gf_worker_hello *hello, char ret_why[GF_ERROR_TEXT]);
/* Whether the worker's rows have all these steps. */
bool gf_worker_supports(const struct gf_worker *worker, const struct gf_work *work);
bool gf_worker_is_cpu(const struct gf_worker *worker);
/* What clients see of its state. */
enum gf_device_state gf_worker_device_state(const struct gf_worker *worker);
/* Whether a task could ever run there: not when the device is absent or set aside. */
bool gf_worker_usable(const struct gf_worker *worker);

/* Maps what the task names and sends its frame. False when the worker is as good as dead, or parts. */
bool gf_worker_run(struct gf_worker *worker, struct gf_task *task);
/* Whether it takes no more tasks, but ends by itself after those it has. */
bool gf_worker_parts(struct gf_worker *worker);
/* Tells its worker to stop a running task; once, however often it is called. */
void gf_worker_cancel(struct gf_task *task);
/* Frees a resident buffer that no task names any more. */
void gf_worker_free_buffer(struct gf_worker *worker, uint32_t key);
/* The death at this time was a request's fault. */
void gf_worker_forgive(struct gf_worker *worker, uint64_t died_ns);
/* It is not to be trusted any more: killed now, and dead when its process has ended. */
void gf_worker_kill(struct gf_worker *worker, const char *why);

/* A request has come for the device of this index, GF_ANY_DEVICE or GF_EVERY_GPU: idle ones that are to do it start
 * again. For any device that is one, where no GPU is at work, or where requests `wait`. (worker_idle.c) */
void gf_workers_wake(struct gf_workers *workers, uint32_t device, bool wait);

/* Once in a second. */
void gf_workers_check(struct gf_workers *workers, uint64_t now_ns);

/* All devices with their states; returns the health of the whole, and why in words. */
uint32_t gf_workers_describe(const struct gf_workers *workers, struct gf_device_entry *ret_devices, uint32_t *ret_n,
                             char *ret_text, size_t text_size);

#endif
