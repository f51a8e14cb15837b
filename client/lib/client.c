/* SPDX-License-Identifier: MIT */
/* The client object: opening, closing, its options and limits, and the texts of the library. */
#include "client.h"
#include "arenas.h"
#include "requests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "protocol/base/shared_memory.h"

#define EXPORT __attribute__((visibility("default")))
#define CONNECT_TIMEOUT_MS 5000
#define WAIT_MS GF_PAUSE_MS /* for a second attempt, so that a loop of failing opens does not spin */

_Static_assert(sizeof(((gpufilter_error *)0)->text) == GF_ERROR_TEXT, "texts must fit");

enum gf_status gf_client_enter(gpufilter_client *client, struct gf_error *err)
{
    if (client == NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "client is NULL; open one by gpufilter_open");
    if (client->pid != getpid())
        return gf_error_set(err, GF_E_FORKED, "the client was opened by process %d; a child must open its own",
                            (int)client->pid);
    if (atomic_exchange_explicit(&client->busy, true, memory_order_acquire))
        return gf_error_set(err, GF_E_BAD_ARGUMENT,
                            "another thread is in a call on this client; give each thread its own client, or a lock");
    client->retry_ms = 0;
    return GF_OK;
}

int gf_client_leave(gpufilter_client *client, enum gf_status status, const struct gf_error *error, gpufilter_error *err)
{
    if (status != GF_OK && err != NULL)
        gf_error_out(error, client != NULL ? client->retry_ms : 0, err);
    if (client != NULL) {
        gf_watch_update(client);
        atomic_store_explicit(&client->busy, false, memory_order_release);
    }
    return (int)status;
}

void gf_error_out(const struct gf_error *error, uint32_t retry_ms, gpufilter_error *ret)
{
    ret->status = (int32_t)error->status;
    ret->retry_ms = error->status < GF_STATUS_LOCAL ? retry_ms : 0;
    ret->needed = error->needed;
    memcpy(ret->text, error->text, sizeof(ret->text));
}

void gf_client_say(const gpufilter_client *client, const char *fmt, ...)
{
    char text[GF_ERROR_TEXT + GF_SOCKET_PATH + 100];
    va_list args;
    if (!client->debug)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    fprintf(stderr, "gpufilter: %s\n", text);
}

/* Takes the span of calls that name none. An environment that is wrong was set by another program, so it ends none. */
static void take_context(gpufilter_client *client)
{
    const char *text = secure_getenv("TRACEPARENT");
    if (text != NULL && text[0] != '\0' && !gf_traceparent_read(text, &client->context))
        gf_client_say(client, "TRACEPARENT is ignored: it must be of the form " GF_TRACEPARENT_FORM);
}

/* Copies the string options. */
static enum gf_status copy_texts(gpufilter_client *client, const gpufilter_options *o, struct gf_error *err)
{
    struct gf_error why;
    const char *device = o->device != NULL ? o->device : "auto";
    if (gf_device_name_check(device, &why) != GF_OK)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "%s", why.text);
    snprintf(client->device, sizeof(client->device), "%s", device);
    client->socket = o->socket != NULL ? strdup(o->socket) : NULL;
    client->daemon = o->daemon != NULL ? strdup(o->daemon) : NULL;
    if ((o->socket != NULL && client->socket == NULL) || (o->daemon != NULL && client->daemon == NULL))
        return gf_error_set(err, GF_E_NO_MEMORY, "out of memory");
    return GF_OK;
}

/* The option takes precedence over the environment. */
static enum gf_status set_wait(gpufilter_client *client, uint32_t wait_ms, struct gf_error *err)
{
    enum gf_status status = wait_ms == 0 ? gf_environment_wait_ms(&wait_ms, err) : GF_OK;
    if (status != GF_OK)
        return status;
    client->waits_for_daemon = wait_ms != 0;
    client->wait_ms = wait_ms != 0 ? wait_ms : WAIT_MS;
    gf_retry_init(&client->retry, client->connect_timeout_ms, client->wait_ms);
    return GF_OK;
}

static enum gf_status set_options(gpufilter_client *client, const gpufilter_options *options, struct gf_error *err)
{
    gpufilter_options o = GPUFILTER_OPTIONS_INIT;
    if (options != NULL) {
        enum gf_status status = gf_struct_in(&o, sizeof(o), options, "gpufilter_options", err);
        if (status != GF_OK)
            return status;
    }
    if (o.autostart != 0 && o.autostart != 1)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "autostart=%" PRId32 "; allowed: 0 and 1", o.autostart);
    if (o.only_private != 0 && o.only_private != 1)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "only_private=%" PRId32 "; allowed: 0 and 1", o.only_private);
    if (o.only_private == 1 && o.socket != NULL)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "only_private=1 with a socket; give one of them");
    if (o.server_uid < -1 || o.server_uid > UINT32_MAX)
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "server_uid=%" PRId64 "; allowed: a uid and -1", o.server_uid);
    if (o.socket != NULL && o.socket[0] == '\0')
        return gf_error_set(err, GF_E_BAD_ARGUMENT, "socket is an empty path");
    client->autostart = o.autostart == 1;
    client->only_private = o.only_private == 1;
    client->server_uid = o.server_uid;
    client->connect_timeout_ms = o.connect_timeout_ms != 0 ? o.connect_timeout_ms : CONNECT_TIMEOUT_MS;
    client->deadline_ms = o.deadline_ms;
    enum gf_status status = set_wait(client, o.wait_ms, err);
    if (status == GF_OK)
        status = gf_environment_debug(&client->debug, err);
    client->memory.guards = client->debug;
    take_context(client);
    return status == GF_OK ? copy_texts(client, &o, err) : status;
}

EXPORT int gpufilter_open(const gpufilter_options *options, gpufilter_client **ret_client, gpufilter_error *err)
{
    struct gf_error error;
    gpufilter_client *client = ret_client != NULL ? malloc(sizeof(*client)) : NULL;
    if (client == NULL) {
        enum gf_status failed = ret_client == NULL ? gf_error_set(&error, GF_E_BAD_ARGUMENT, "ret_client is NULL")
                                                   : gf_error_set(&error, GF_E_NO_MEMORY, "out of memory");
        return gf_client_leave(NULL, failed, &error, err);
    }
    memset(client, 0, offsetof(gpufilter_client, channel));
    client->pid = getpid();
    client->probe = client->interrupts = -1;
    client->watch = GF_WATCH_NULL;
    gf_channel_init(&client->channel);
    gf_memory_init(&client->memory);
    client->memory.removed = gf_arena_drop;
    client->memory.user = client;
    enum gf_status status = set_options(client, options, &error);
    if (status == GF_OK)
        client->interrupts = gf_fd_raise(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), GF_FIRST_FD);
    if (status == GF_OK && client->interrupts < 0)
        status = gf_error_set(&error, GF_E_RESOURCE_FDS, "cannot make a descriptor: %s", strerror(errno));
    if (status == GF_OK)
        status = gf_client_connect(client, &error);
    gf_client_leave(client, status, &error, err);
    if (status != GF_OK)
        gpufilter_close(client);
    else
        *ret_client = client;
    return (int)status;
}

EXPORT gpufilter_client *gpufilter_close(gpufilter_client *client)
{
    struct gf_error why;
    if (client == NULL)
        return NULL;
    bool forked = client->pid != getpid();
    if (atomic_exchange_explicit(&client->busy, true, memory_order_acquire))
        return forked ? NULL : client; /* in a child: a thread of the parent was changing it at the fork */
    if (forked)
        client->channel.watch = -1; /* the epoll instance is also the parent's */
    client->connection = 0;
    gf_error_set(&why, GF_E_CANCELLED, "the client was closed");
    gf_channel_lose(&client->channel, &why);
    gf_channel_fail(&client->channel, &why, 0);
    for (struct gf_request *r; (r = gf_request_take(client, 0)) != NULL;)
        gf_request_free(r);
    gf_residents_deinit(&client->residents);
    gf_memory_deinit(&client->memory);
    gf_watch_close(&client->watch);
    gf_closep(&client->interrupts);
    free(client->recording);
    free(client->socket);
    free(client->daemon);
    free(client);
    return NULL;
}

EXPORT int gpufilter_interrupt(gpufilter_client *client)
{
    const int kept = errno; /* of the code that a signal handler has interrupted */
    if (client == NULL)
        return GPUFILTER_E_BAD_ARGUMENT;
    if (client->pid != getpid())
        return GPUFILTER_E_FORKED;
    (void)!eventfd_write(client->interrupts, 1); /* fails only where it is readable already */
    errno = kept;
    return GPUFILTER_OK;
}

EXPORT const char *gpufilter_socket(const gpufilter_client *client)
{
    return client != NULL ? client->path : "";
}

EXPORT const char *gpufilter_server(const gpufilter_client *client)
{
    return client != NULL ? client->software : "";
}

EXPORT const char *gpufilter_node(const gpufilter_client *client)
{
    return client != NULL ? client->node : "";
}

EXPORT const char *gpufilter_last_request(const gpufilter_client *client)
{
    return client != NULL ? client->request : "";
}

EXPORT uint32_t gpufilter_revision(const gpufilter_client *client, const char *op)
{
    const struct gf_op *found = client != NULL && op != NULL ? gf_op_by_word(op) : NULL;
    return found != NULL ? client->revisions[found->index] : 0;
}

EXPORT int gpufilter_alloc(gpufilter_client *client, uint64_t size, void **ret_data, gpufilter_error *err)
{
    struct gf_error error;
    struct gf_block *b = NULL;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (ret_data == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "ret_data is NULL");
    if (status == GF_OK)
        status = client->shares ? gf_memory_shared(&client->memory, size, &b, &error)
                                : gf_memory_plain(&client->memory, size, &b, &error);
    if (status == GF_OK)
        *ret_data = b->data;
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_free(gpufilter_client *client, void *data)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return (int)status;
    if (data != NULL && !gf_client_free(client, data))
        status = GF_E_BAD_ARGUMENT;
    gf_client_settle(client);
    return gf_client_leave(client, status, &error, NULL);
}

bool gf_client_free(gpufilter_client *client, void *data)
{
    struct gf_resident *r = gf_residents_find(&client->residents, data);
    if (r == NULL)
        return gf_memory_free(&client->memory, data);
    if (r->base != data)
        return false;
    gf_residents_remove(&client->residents, r);
    return true;
}

EXPORT const char *gpufilter_status_name(int status)
{
    return gf_status_name((uint32_t)status);
}

EXPORT const char *gpufilter_status_text(int status)
{
    return gf_status_text((uint32_t)status);
}

EXPORT const char *gpufilter_version(void)
{
    return GF_SOFTWARE_VERSION;
}
