/* SPDX-License-Identifier: MIT */
/*
 * Requests for information from the daemon: ping, devices, health, metrics, and the buffers that it holds for this
 * client.
 */
#include <inttypes.h>
#include <string.h>

#include "client.h"
#include "protocol/wire/handle_entry.h"
#include "protocol/wire/metric.h"
#include "protocol/wire/request.h"

#define EXPORT __attribute__((visibility("default")))

_Static_assert(sizeof(((gpufilter_health_info *)0)->text) == GF_ERROR_TEXT, "texts must fit");
_Static_assert(sizeof(((gpufilter_device *)0)->name) > GF_MAX_DEVICE_NAME, "names must fit");

_Static_assert(sizeof(((gpufilter_metric *)0)->name) == GF_MAX_METRIC_TEXT + 1, "texts must fit");
_Static_assert(GF_ARRAY_LEN(((gpufilter_metric *)0)->bins) == GF_MAX_METRIC_BINS, "bins must fit");

/* The caller's array for rows, whose row type may be older and smaller. */
struct rows_out {
    unsigned char *to;
    size_t size; /* of one row */
    uint32_t room, n;
    const gpufilter_client *client;
};

#define MAX_NEXT 4096u /* families of metrics: a daemon that counts on for ever is not followed */

/* A request for a topic; 0: PING. */
struct info {
    uint32_t topic;
    uint32_t next; /* the page of the topic; 0: the first one */
    struct gf_info_reply reply;
    struct rows_out rows;
};

/* Stores the next row, truncated to the caller's row size, if there is room. */
static void row_out(struct rows_out *out, const void *from, size_t size)
{
    if (out->n++ >= out->room)
        return;
    unsigned char *to = out->to + (out->n - 1) * out->size;
    memset(to, 0, out->size);
    memcpy(to, from, out->size < size ? out->size : size);
}

static void device_out(struct rows_out *out, const struct gf_device_entry *from)
{
    gpufilter_device device = {.memory = from->memory, .units = from->units, .state = from->state};
    memcpy(device.name, from->name, sizeof(from->name));
    memcpy(device.title, from->title, sizeof(from->title));
    memcpy(device.uuid, from->uuid, sizeof(from->uuid));
    memcpy(device.detail, from->detail, sizeof(from->detail));
    row_out(out, &device, sizeof(device));
}

static void metric_out(void *data, const struct gf_metric *from)
{
    gpufilter_metric metric = {.kind = from->kind, .n_bins = from->n_bins, .value = from->value, .bound = from->bound};
    memcpy(metric.name, from->name, sizeof(metric.name));
    memcpy(metric.labels, from->labels, sizeof(metric.labels));
    memcpy(metric.help, from->help, sizeof(metric.help));
    memcpy(metric.bins, from->bins, sizeof(metric.bins));
    row_out(data, &metric, sizeof(metric));
}

static void resident_out(void *data, const struct gf_handle_entry *from)
{
    struct rows_out *out = data;
    gpufilter_resident resident = {.width = from->view.width,
                                   .height = from->view.height,
                                   .depth = 1,
                                   .bytes = from->bytes,
                                   .dtype = from->view.dtype,
                                   .channels = from->view.channels,
                                   .state = from->state};
    memcpy(resident.device, from->device, sizeof(from->device));
    resident.data = gf_residents_of_handle(&out->client->residents, from->id, out->client->connection);
    row_out(out, &resident, sizeof(resident));
}

static enum gf_prepared prepare(struct gf_exchange *x, struct gf_writer *head, struct gf_stream *payload,
                                struct gf_error *err)
{
    const struct info *info = x->context;
    (void)payload, (void)err;
    if (info->topic != 0)
        gf_info_request_encode(head, &(struct gf_info_request){.topic = info->topic, .next = info->next});
    return GF_PREPARED;
}

static enum gf_status check_reply(struct gf_exchange *x, const uint8_t *body, size_t size, struct gf_stream *payload,
                                  struct gf_error *err)
{
    struct info *info = x->context;
    struct gf_error why;
    (void)payload;
    if (gf_info_reply_decode(body, size, &info->reply, &why) != GF_OK ||
        (info->topic == GF_TOPIC_STATS && gf_metrics_decode(body, size, NULL, NULL, &why) != GF_OK) ||
        (info->topic == GF_TOPIC_HANDLES && gf_handle_entries_decode(body, size, NULL, NULL, &why) != GF_OK))
        return gf_error_set(err, GF_E_BAD_REPLY, "the daemon's answer is malformed: %s", why.text);
    if (info->reply.topic != info->topic)
        return gf_error_set(err, GF_E_BAD_REPLY,
                            "the daemon answered topic %" PRIu32 " to a request for topic %" PRIu32, info->reply.topic,
                            info->topic);
    if (info->reply.next != 0 && (info->reply.next <= info->next || info->reply.next > MAX_NEXT))
        return gf_error_set(err, GF_E_BAD_REPLY,
                            "after page %" PRIu32 " the daemon's answer goes on with page %" PRIu32
                            "; allowed: a later "
                            "one, up to %u",
                            info->next, info->reply.next, MAX_NEXT);
    for (uint32_t i = 0; info->topic == GF_TOPIC_DEVICES && i < info->reply.n_devices; i++)
        device_out(&info->rows, &info->reply.devices[i]);
    if (info->topic == GF_TOPIC_STATS)
        return gf_metrics_decode(body, size, metric_out, &info->rows, err);
    if (info->topic == GF_TOPIC_HANDLES)
        return gf_handle_entries_decode(body, size, resident_out, &info->rows, err);
    return GF_OK;
}

/* Sends the request; its limit is the client's deadline, otherwise the time for waiting and connecting. */
static enum gf_status ask(gpufilter_client *client, struct info *info, uint16_t kind, uint16_t answer_kind,
                          struct gf_error *err)
{
    uint64_t ms =
        client->deadline_ms != 0 ? client->deadline_ms : (uint64_t)client->connect_timeout_ms + client->wait_ms;
    struct gf_exchange x = {.kind = kind,
                            .answer_kind = answer_kind,
                            .fd = -1,
                            .again = GF_RESENDS,
                            .deadline = gf_after_ms(ms),
                            .context = info,
                            .prepare = prepare,
                            .check = info->topic != 0 ? check_reply : NULL};
    return gf_client_ask(client, &x, err);
}

EXPORT int gpufilter_ping(gpufilter_client *client, uint64_t *ret_ns, gpufilter_error *err)
{
    struct gf_error error;
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    struct info info = {.topic = 0};
    int64_t since = gf_now();
    status = ask(client, &info, GF_FRAME_PING, GF_FRAME_PONG, &error);
    if (status == GF_OK && ret_ns != NULL)
        *ret_ns = (uint64_t)(gf_now() - since);
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_health(gpufilter_client *client, gpufilter_health_info *health, gpufilter_error *err)
{
    struct gf_error error;
    gf_cleanup(gf_freep) struct info *info = calloc(1, sizeof(*info));
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    if (health == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "info is NULL");
    if (status == GF_OK && info == NULL)
        status = gf_error_set(&error, GF_E_NO_MEMORY, "out of memory");
    if (status == GF_OK) {
        info->topic = GF_TOPIC_HEALTH;
        status = ask(client, info, GF_FRAME_INFO, GF_FRAME_INFO_REPLY, &error);
    }
    if (status == GF_OK) {
        gpufilter_health_info out = {.state = info->reply.health};
        memcpy(out.text, info->reply.text, sizeof(out.text));
        status = gf_struct_out(health, &out, sizeof(out), "gpufilter_health_info", &error);
    }
    return gf_client_leave(client, status, &error, err);
}

/* Sends a request whose answer consists of rows, on one page or several. */
static int ask_rows(gpufilter_client *client, uint32_t topic, void *rows, size_t row_size, uint32_t room,
                    uint32_t *ret_n, gpufilter_error *err)
{
    struct gf_error error;
    gf_cleanup(gf_freep) struct info *info = calloc(1, sizeof(*info));
    enum gf_status status = gf_client_enter(client, &error);
    if (status != GF_OK)
        return gf_client_leave(NULL, status, &error, err);
    const char *name = topic == GF_TOPIC_DEVICES ? "device" : topic == GF_TOPIC_STATS ? "metric" : "resident";
    if ((rows == NULL && room > 0) || ret_n == NULL)
        status = gf_error_set(&error, GF_E_BAD_ARGUMENT, "%ss or ret_n is NULL", name);
    if (status == GF_OK)
        status = gf_row_size_check(row_size, room, name, &error);
    if (status == GF_OK && info == NULL)
        status = gf_error_set(&error, GF_E_NO_MEMORY, "out of memory");
    if (status == GF_OK) {
        info->topic = topic;
        info->rows = (struct rows_out){.to = rows, .size = row_size, .room = room, .client = client};
        do {
            status = ask(client, info, GF_FRAME_INFO, GF_FRAME_INFO_REPLY, &error);
            info->next = info->reply.next;
        } while (status == GF_OK && info->next != 0);
    }
    if (status == GF_OK)
        *ret_n = info->rows.n;
    return gf_client_leave(client, status, &error, err);
}

EXPORT int gpufilter_devices(gpufilter_client *client, gpufilter_device *devices, size_t device_size, uint32_t room,
                             uint32_t *ret_n, gpufilter_error *err)
{
    return ask_rows(client, GF_TOPIC_DEVICES, devices, device_size, room, ret_n, err);
}

EXPORT int gpufilter_metrics(gpufilter_client *client, gpufilter_metric *metrics, size_t metric_size, uint32_t room,
                             uint32_t *ret_n, gpufilter_error *err)
{
    return ask_rows(client, GF_TOPIC_STATS, metrics, metric_size, room, ret_n, err);
}

EXPORT int gpufilter_residents(gpufilter_client *client, gpufilter_resident *residents, size_t resident_size,
                               uint32_t room, uint32_t *ret_n, gpufilter_error *err)
{
    return ask_rows(client, GF_TOPIC_HANDLES, residents, resident_size, room, ret_n, err);
}
