/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: the bytes are a script for clients, workers, the clock and the system around a front (front_world.h):
 * frames that are valid, patched, cut or sent with descriptors; closes and half-closes; answers, garbage and deaths of
 * workers; EAGAIN, short counts, EMFILE, failed allocations; time; draining. A client must read complete frames, at
 * most one answer per use of an id, and nothing after the last frame. After the script all parties behave correctly.
 * Then every request of a well-behaved client must be answered, clients that left must be gone, and nothing may be
 * held.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "front_clients.h"
#include "fuzz.h"
#include "tests/support/resources.h"

#define CLIENTS 4u
#define MAX_ACTIONS 96

static struct client clients[CLIENTS];

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void act_client(struct gf_input *in, struct client *c, uint8_t what)
{
    static const char *const names[] = {"alice", "bob", "", NULL};
    switch (what % 8) {
    case 0:
        if (what & 128)
            client_open_by_proxy(c, names[what >> 4 & 3]);
        else
            client_open(c, 1 + (what >> 4) % 2);
        break;
    case 1:
        client_close(c);
        break;
    case 2:
        if (c->fd >= 0)
            shutdown(c->fd, SHUT_WR);
        c->half = true;
        break;
    case 3:
        client_read(c, what & 64 ? SIZE_MAX : gf_input_number(in, 2));
        break;
    case 4:
        client_send_garbage(c, in);
        break;
    default:
        client_send_frame(c, in);
    }
}

static void act_device(struct gf_input *in, struct world_device *d)
{
    static const enum gf_status statuses[] = {
        GF_OK,        GF_OK, GF_E_CANCELLED, GF_E_BAD_PARAM, GF_E_NO_DEVICE_MEMORY, GF_E_DEVICE_LOST, GF_E_HANDLE_LOST,
        GF_E_INTERNAL};
    static const int codes[] = {GF_WORKER_EXIT_OK, GF_WORKER_EXIT_NO_DEVICE, GF_WORKER_EXIT_DEVICE_LOST,
                                GF_EXIT_UNKNOWN};
    uint8_t what = gf_input_byte(in);
    size_t n;
    const uint8_t *data;
    world_device_read(d);
    switch (what % 8) {
    case 0:
    case 1:
        if (d == &world.devices[WORLD_OWN])
            world_device_join(d);
        world_device_greet(d);
        break;
    case 2:
    case 3:
    case 4:
        world_device_answer(d, what >> 6, statuses[what >> 3 & 7]);
        break;
    case 5:
        world_device_die(d, codes[what >> 3 & 3]);
        break;
    case 6:
        if (d->fd >= 0)
            shutdown(d->fd, what & 8 ? SHUT_RDWR : SHUT_RD);
        break;
    default:
        data = gf_input_bytes(in, what >> 1, &n);
        if (n > 0)
            world_device_send(d, data, n);
    }
}

static void act_fault(struct gf_input *in)
{
    static const int errors[] = {EAGAIN, EINTR, ECONNRESET, EPIPE, ENOMEM, ENOBUFS, EMFILE, ENFILE};
    uint8_t what = gf_input_byte(in);
    uint32_t error = (uint32_t)errors[what >> 3 & 7];
    switch (what % 8) {
    case 0:
        world_faults.recv_errno = error;
        break;
    case 1:
        world_faults.send_errno = error;
        break;
    case 2:
        world_faults.accept_errno = error == EAGAIN ? ECONNABORTED : error;
        break;
    case 3:
        world_faults.recv_most = 1 + gf_input_byte(in);
        break;
    case 4:
        world_faults.send_most = 1 + gf_input_byte(in);
        break;
    case 5:
        world_faults.recv_cut = true;
        break;
    case 6:
        if (what & 128)
            world_faults.memfd_errno = error;
        else
            world_faults.start_fails = true;
        break;
    default:
        world_faults.allocation = 1 + (what >> 3);
    }
}

static void act(struct gf_input *in)
{
    uint8_t what = gf_input_byte(in);
    struct client *c = &clients[what >> 3 & 3];
    switch (what % 8) {
    case 0:
        world_turn(1 + (what >> 3 & 3));
        break;
    case 1:
        world_pass(gf_input_size(in) % 100000);
        break;
    case 2:
        act_fault(in);
        break;
    case 3:
        act_device(in, &world.devices[(what >> 3) % WORLD_DEVICES]);
        break;
    case 4:
        if (what >= 248 && !world.sessions.draining)
            gf_sessions_drain(&world.sessions);
        world_turn(1);
        break;
    default:
        act_client(in, c, gf_input_byte(in));
        if (what & 128)
            world_turn(1);
    }
}

/* Whether a well-behaved client still waits for an answer. */
static bool somebody_waits(void)
{
    for (uint32_t i = 0; i < CLIENTS; i++)
        for (uint32_t id = 1; id < CLIENT_IDS && clients[i].fd >= 0 && !clients[i].wrong && !clients[i].over; id++)
            if (clients[i].asked[id] > 0)
                return true;
    return false;
}

/* Whether the front keeps a connection whose client has closed or half-closed it. */
static bool somebody_stays(void)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < CLIENTS; i++)
        n += clients[i].fd >= 0 && !clients[i].over && !clients[i].half;
    return world.sessions.n > n;
}

/* Makes a device behave correctly: a new process after one that ended, hello, answers. */
static void help_device(uint32_t i)
{
    struct world_device *d = &world.devices[i];
    bool joins = i == WORLD_OWN;
    world_device_read(d);
    if (d->process != NULL ? d->process->killed || d->fd < 0 : joins && d->fd >= 0)
        world_device_die(d, GF_EXIT_UNKNOWN);
    else if (joins && d->process == NULL && world.workers.n > WORLD_OWN) {
        world_device_join(d);
        world_device_greet(d);
    } else if (!joins && world.workers.list[i]->state == GF_DEVICE_STARTING)
        world_device_greet(d);
    while (d->n_jobs > 0)
        world_device_answer(d, 0, GF_OK);
}

/* From now on all goes well, and everybody reads. */
static void calm_down(void)
{
    memset(&world_faults, 0, sizeof world_faults);
    for (int n = 0; n < 100 && (n < 2 || somebody_waits() || somebody_stays()); n++) {
        for (uint32_t i = 0; i < WORLD_DEVICES; i++)
            help_device(i);
        world_turn(3);
        for (uint32_t i = 0; i < CLIENTS; i++)
            client_read(&clients[i], SIZE_MAX);
        world_pass(n < 4 ? 1 : 1000);
    }
    must(!somebody_waits() && !somebody_stays());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    struct gf_input in = {data, size};
    if (!ready) {
        client_prepare();
        world_open(); /* what libuv opens once and keeps is open then */
        world_close();
    }
    ready = true;
    int before = gf_fd_count();
    for (uint32_t i = 0; i < CLIENTS; i++)
        clients[i] = (struct client){.fd = -1};
    world_open();
    for (int n = 0; in.size > 0 && n < MAX_ACTIONS; n++)
        act(&in);
    calm_down();
    for (uint32_t i = 0; i < CLIENTS; i++)
        client_close(&clients[i]);
    world_close();
    must(gf_fd_count() == before);
    return 0;
}
