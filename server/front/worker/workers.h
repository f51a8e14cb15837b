/* SPDX-License-Identifier: MIT */
/*
 * The devices and their worker processes: start, hello, watchdog, kill, restart, setting aside, and the memory that
 * each has mapped. A worker knows its tasks only as a list. Called by the dispatcher, routing, sessions and the server;
 * the worker_*.c files of this folder share struct gf_worker and worker.h.
 */
#ifndef GF_FRONT_WORKERS_H
#define GF_FRONT_WORKERS_H

#include "protocol/wire/gpu_msg.h"
#include "protocol/wire/worker_msg.h"
#include "server/front/resource/task.h"
#include "worker_link.h"
#include "worker_process.h"

#define GF_DEATHS_KEPT 16u
#define GF_CPU "cpu" /* the only device that is not a GPU */

/* The state of a device and its worker. Only the table in worker.c changes it and defines the transitions. The states
 * that clients can distinguish have the numbers of enum gf_device_state; gf_worker_device_state maps the others. */
enum gf_worker_state {
    GF_WORKER_NEW = 0,                           /* no process has been started or has joined yet */
    GF_WORKER_STARTING = GF_DEVICE_STARTING,     /* a process exists but has not sent its hello */
    GF_WORKER_READY = GF_DEVICE_READY,           /* the worker takes tasks */
    GF_WORKER_RESTARTING = GF_DEVICE_RESTARTING, /* the worker died; the timer delays the next start */
    GF_WORKER_ASIDE = GF_DEVICE_ASIDE,           /* the worker died too often; the timer is long */
    GF_WORKER_ABSENT = GF_DEVICE_ABSENT,         /* the worker said that the device does not exist, or none has joined;
                                                  * the timer delays the next look at a device of this daemon */
    GF_WORKER_IDLE = GF_DEVICE_IDLE,             /* the worker ended after being idle; a request starts the next one */
    GF_WORKER_FAILING,                           /* killed, or has closed its socket, before its hello */
    GF_WORKER_ENDING,                            /* the same after its hello: takes no more tasks and keeps its current
                                                  * ones */
    GF_WORKER_RESTING,                           /* told to end because it is idle; the process still exists */
    GF_WORKER_WAKING,                            /* the same, and a request waits for the next process */
    GF_WORKER_UNREADY,                           /* the system is not ready for the device; the timer delays the next
                                                  * start */
    GF_WORKER_DEAD,                              /* while a death is judged; never visible from outside */
    GF_WORKER_SEEKING,                           /* as STARTING, of a device that was absent */
    GF_WORKER_AWAITED,                           /* a process should join; the timer limits the wait */
    GF_WORKER_LEFT,      /* the joined process has ended; the timer limits the wait for another */
    GF_WORKER_DISMISSED, /* the same, and it was told to end; the timer is short */
    GF_WORKER_STOPPING,  /* the daemon ends; the process still exists */
    GF_WORKER_STOPPED,   /* the daemon ends; final */
    GF_WORKER_N_STATES
};

/* What the driver tells about a GPU. */
struct gf_worker_gpu {
    struct gf_gpu_figures figures; /* the latest; Xid errors are those of all its processes */
    uint64_t told_xids;            /* Xid errors that the current process has told */
    uint64_t asked_ns, told_ns;    /* when the current process was asked last, and when it answered; 0: never */
    bool waits;                    /* it has not answered yet */
    bool nothing;                  /* it has answered that it gets no figures */
};

struct gf_worker {
    struct gf_workers *all;
    struct gf_worker_link *link;       /* NULL without a process, and after the front has hung up */
    struct gf_worker_process *process; /* NULL in states without a process */
    uv_timer_t timer;                  /* until the next start, or the end of the wait for one that joins */
    struct gf_worker_hello hello;      /* of the current or last process; device.name is always valid */
    char reason[GF_ERROR_TEXT];        /* why the device is absent or unwell */
    char last_error[GF_ERROR_TEXT];    /* last words of the current process */
    struct gf_node tasks;
    uint64_t load_ns, short_ns;      /* estimated work of all its tasks, and of its short tasks */
    uint64_t scratch;                /* bytes that its tasks need besides operands and results */
    struct gf_cost cost;             /* cost model of the device */
    uint32_t dtypes[GF_N_OPS];       /* types of input 0 that the device supports, by the op's index */
    uint64_t started_ns, ready_ns;   /* of the current process; 0: it joined, or is not ready yet */
    uint64_t next_start_ns;          /* when the timer starts the next process; valid while the timer runs */
    uint64_t dying_ns;               /* since when it is FAILING, ENDING, RESTING, WAKING or STOPPING after one of them;
                                      * 0: none */
    uint64_t asked_ns;               /* when an unanswered sign of life was asked for; 0: none */
    uint64_t ran_ns, probe_ns;       /* when a kernel last ran for certain, and when one was last asked for */
    uint64_t worked_ns;              /* when it last had tasks or buffers */
    uint64_t probe, n_probes;        /* the unanswered probe, 0: none */
    uint64_t deaths[GF_DEATHS_KEPT]; /* times in a ring buffer; 0: empty or forgiven */
    uint64_t died_ns;                /* time of the latest death, while `died` is called; 0: it does not count */
    uint32_t state;                  /* enum gf_worker_state */
    uint32_t index, n_tasks, n_long, n_deaths;
    uint32_t backoff;    /* index of the delay before the next start; reset once a process stays well */
    uint32_t n_unready;  /* the same while the system is not ready; reset once it is */
    uint32_t n_suspects; /* its tasks whose earlier worker died */
    uint32_t n_buffers;  /* resident buffers in it */
    uint64_t n_cancels;  /* CANCELs sent to its processes */
    struct gf_expression_figures expressions; /* of all its processes: counters continue, other figures are the current
                                               * process's */
    struct gf_expression_figures told;        /* the latest figures of the current process */
    struct gf_worker_gpu gpu;                 /* of a GPU's worker */
    bool own;                                 /* the daemon has started a process for it; otherwise they join */
    bool listed;                              /* in the option devices, or its unit is enabled */
    bool elsewhere;                           /* listed, and its processes are started elsewhere */
    bool joined;                              /* a process has joined */
    bool dismissed;                           /* the latest process that joined was told to end */
    bool compiles;                            /* it has reported figures about expressions */
    bool assembles;        /* the current process is starting, and its driver assembles the kernels */
    bool is_twin;          /* it reported a GPU that another device already has */
    bool killed;           /* the front has killed it, because it hung or misbehaved */
    bool blameless;        /* the front has killed it, because the front itself failed */
    bool stalled;          /* it is READY, but gives no sign of life or one of its tasks makes no progress */
    bool death_is_fault;   /* the latest death, for `died`: a request may have caused it */
    bool death_is_charged; /* the same: caused by the only user with requests there */
};

struct gf_workers_ops {
    /* A worker became ready, or its state changed otherwise. */
    void (*changed)(void *data, struct gf_worker *worker);
    /* RESULT or ERROR of a task. */
    void (*answer)(void *data, struct gf_worker *worker, const struct gf_header *header, const uint8_t *body);
    /* The worker has compiled kernels for users. */
    void (*compiled)(void *data, const struct gf_compile_times *times);
    /* The worker stalls, or goes on; nothing was lost. */
    void (*stalled)(void *data, struct gf_worker *worker);
    /* The socket's queue is empty: the worker can take tasks again. */
    void (*drained)(void *data, struct gf_worker *worker);
    /* The process has ended; its state says what comes next, and its tasks are still in its list. */
    void (*died)(void *data, struct gf_worker *worker);
};

struct gf_workers {
    uv_loop_t *loop;
    struct gf_memories *memories;
    const struct gf_workers_ops *ops;
    void *data;
    struct gf_spawner *spawner; /* starts the workers of this daemon; NULL if all workers join */
    uint64_t device_memory;     /* bytes of each GPU that a worker may use; 0: its default */
    uint64_t host_mapped_max;   /* bytes of host memory that each GPU worker may take for images */
    uint64_t scratch;           /* bytes that the tasks of each worker may need besides operands and results */
    const uint64_t *deaths;     /* in ten minutes; a device that reaches it is set aside */
    const uint64_t *timeout_ms; /* after which a silent or stalled worker is killed */
    const uint64_t *idle_ms;    /* after which the worker of an idle GPU ends; 0: never */
    uint64_t figures_ns;        /* when a client last asked for figures; 0: never */
    uint64_t woke_ns;           /* when the daemon last resumed after it had not run */
    uv_timer_t watch;           /* runs while a worker has tasks */
    uint64_t watched_ns;        /* when it last fired or was started */
    int oom_fd;                 /* of gf_machine_oom_open; -1: none */
    uint64_t oom_kills;         /* what it told last */
    uint64_t oom_ns;            /* when it was seen to rise; 0: never, or that kill was a worker's */
    struct gf_worker *list[GF_MAX_DEVICES];
    struct gf_worker *cpu;  /* the CPU's entry in the list; may be NULL */
    uint32_t threads;       /* of the CPU device, or of a CPU device on this machine */
    struct joiner *joiners; /* owned by workers_join.c */
    uint32_t n;
    bool stopping; /* no worker may join any more */
};

/* Also sets memories->gone. The caller keeps `spawner` and the limits that are pointed to. */
void gf_workers_init(struct gf_workers *workers, uv_loop_t *loop, struct gf_memories *memories,
                     const struct gf_workers_ops *ops, void *data);
/* The loop must have run out. */
void gf_workers_deinit(struct gf_workers *workers);

/* Adds a device by name without starting a process. TOO_LARGE, EXISTS, NO_MEMORY. */
enum gf_status gf_workers_add(struct gf_workers *workers, const char *name, struct gf_error *err);
/* Starts the processes of all devices, and begins to wait for those that are started elsewhere. */
void gf_workers_start(struct gf_workers *workers);
/* The same for a device that was added later. */
void gf_worker_start(struct gf_worker *worker);
/* Starts processes for the absent devices, and now for those whose next start is far away. */
void gf_workers_look_again(struct gf_workers *workers);
/* A process has connected and will name its device; takes the descriptor. */
void gf_workers_join(struct gf_workers *workers, int fd, pid_t pid);
/* Ends all processes and starts none again. */
void gf_workers_stop(struct gf_workers *workers);
/* Kills the processes that have not ended. */
void gf_workers_kill_all(struct gf_workers *workers);
/* Stops waiting for processes that do not end even when killed. */
void gf_workers_give_up(struct gf_workers *workers);
/* Whether no process is left. */
bool gf_workers_gone(const struct gf_workers *workers);

/* Finds a device by name or UUID; may return NULL. */
struct gf_worker *gf_workers_find(const struct gf_workers *workers, const char *name);
/* Whether a device other than w, which may be NULL, has the GPU of this hello: an index and a UUID may name the same
 * GPU. ret_why receives the reason for a refusal. */
bool gf_workers_have_same_gpu(const struct gf_workers *workers, const struct gf_worker *w,
                              const struct gf_worker_hello *hello, char ret_why[GF_ERROR_TEXT]);
/* Whether the worker supports all steps of the work. */
bool gf_worker_supports(const struct gf_worker *worker, const struct gf_work *work);
bool gf_worker_is_cpu(const struct gf_worker *worker);
/* The worker's state as clients see it. */
enum gf_device_state gf_worker_device_state(const struct gf_worker *worker);
/* Whether a task could ever run there: false if the device is absent or set aside. */
bool gf_worker_usable(const struct gf_worker *worker);
/* Whether a task that is sent there would make progress, as far as is known: the device is usable and does not stall.
 */
bool gf_worker_serves(const struct gf_worker *worker);
/* Whether any does. */
bool gf_workers_serve(const struct gf_workers *workers);
/* Whether the device is usable, or is once the system is ready for it. */
bool gf_worker_may_come(const struct gf_worker *worker);

/* Whether the device is gone and nobody means it any more: its unit was disabled, or started by hand and stopped. */
bool gf_worker_is_forgotten(const struct gf_worker *worker);

/* Sends the task's memory and its frame. False if the worker is ending, or the front has no memory or descriptor. */
bool gf_worker_run(struct gf_worker *worker, struct gf_task *task);
/* Whether the worker takes no more tasks and will end by itself after its current ones. */
bool gf_worker_parts(struct gf_worker *worker);
/* Tells the worker to stop a running task; further calls do nothing. */
void gf_worker_cancel(struct gf_task *task);
/* Frees resident buffers that no task uses any more; at most GF_WORKER_MAX_FREE. */
void gf_worker_free_buffers(struct gf_worker *worker, const uint64_t *keys, uint32_t n);
/* The death at this time was a request's fault and no longer counts. */
void gf_worker_extend(struct gf_worker *worker, uint64_t died_ns);
/* Kills a worker that is no longer trusted; it counts as dead when its process has ended. */
void gf_worker_kill(struct gf_worker *worker, const char *why);
/* Kills a worker because the front has failed: the death counts neither against requests nor against the device. */
void gf_worker_kill_blameless(struct gf_worker *worker, const char *why);

/* A request arrived for the device with this index, GF_ANY_DEVICE or GF_EVERY_GPU: restarts the idle devices that it
 * needs. For any device this is one, if no GPU is in use or requests `wait`. (worker_idle.c) */
void gf_workers_wake(struct gf_workers *workers, uint32_t device, bool wait);

/* A client asks for figures: for some time those of GPUs are kept fresh. (worker_gpu.c) */
void gf_workers_watch_gpus(struct gf_workers *workers, uint64_t now_ns);
/* The figures of its GPU; without those of a process that has ended, or has not told any for long. */
struct gf_gpu_figures gf_worker_gpu_now(const struct gf_worker *worker, uint64_t now_ns);

/* Reads how many processes of the control group the kernel has killed for lack of memory. */
void gf_workers_read_oom_kills(struct gf_workers *workers, uint64_t now_ns);
/* Called once a second. */
void gf_workers_check(struct gf_workers *workers, uint64_t now_ns);
/* A worker has got a task: checks workers with tasks more often, until there are none. (worker_watch.c) */
void gf_workers_watch(struct gf_workers *workers);

/* Appends the name and state of a device, and when it is tried again: "cuda:0 is set aside for another 598 s". */
void gf_worker_tell_state(const struct gf_worker *worker, char *text, size_t size);
/* Appends the states of all devices, with reasons. */
void gf_workers_tell_states(const struct gf_workers *workers, char *text, size_t size);
/* Describes all devices with their states; returns the overall health, with its reason in ret_text. */
uint32_t gf_workers_describe(const struct gf_workers *workers, struct gf_device_entry *ret_devices, uint32_t *ret_n,
                             char *ret_text, size_t text_size);

#endif
