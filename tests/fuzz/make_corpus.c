/* SPDX-License-Identifier: MIT */
/*
 * Writes the seed corpus: valid frames of every kind, malformed frames named after their fault, and pictures of every
 * kind (corpus_png.c, corpus_jpeg.c, corpus_simple.c). Run by hand when the protocol or the formats grow:
 * make_corpus DIR, then for each target scripts/corpus add with the files of DIR/TARGET.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "corpus.h"
#include "protocol/ops/op_codec.h"
#include "protocol/ops/params/recurrence.h"
#include "protocol/wire/gpu_msg.h"
#include "protocol/wire/handle_entry.h"
#include "protocol/wire/metric.h"
#include "protocol/wire/request.h"
#include "protocol/wire/worker_msg.h"
#include "tests/support/programs.h"

static const char *root;
static uint8_t frame[GF_MAX_FRAME_HEAD];
static struct gf_writer w;
static struct gf_program program;

void corpus_save(const char *target, const char *name, const void *data, size_t size)
{
    gf_cleanup(gf_freep) char *path = NULL;
    if (asprintf(&path, "%s/%s/%s", root, target, name) < 0)
        exit(1);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
}

static void begin(void)
{
    gf_writer_init(&w, frame, sizeof frame);
}

/* Finishes the frame and saves it. */
static void end(const char *target, const char *name, uint16_t kind, uint64_t payload_len, uint16_t nfds)
{
    if (!gf_writer_finish(&w, kind, 1, payload_len, nfds))
        exit(1);
    corpus_save(target, name, frame, w.size);
}

/* Stores the frame in `frame` with one byte changed to `value`. */
static void patched(const char *target, const char *name, size_t at, uint8_t value)
{
    uint8_t old = frame[at];
    frame[at] = value;
    corpus_save(target, name, frame, w.size);
    frame[at] = old;
}

static void requests(void)
{
    begin();
    gf_hello_encode(&w, &(struct gf_hello){1, 1, "corpus 1.0", "auto"});
    end("fuzz_frame", "hello", GF_FRAME_HELLO, 0, 1);
    begin();
    gf_hello_encode(&w, &(struct gf_hello){1, 2, "corpus 1.0", "cuda:0"});
    end("fuzz_frame", "hello_device", GF_FRAME_HELLO, 0, 0);
    begin();
    gf_hello_encode(&w, &(struct gf_hello){2, 3, "corpus 1.0", "auto"});
    end("fuzz_frame", "hello_bad_version", GF_FRAME_HELLO, 0, 0);
    begin();
    gf_hello_encode(&w, &(struct gf_hello){2, 1, "corpus 1.0", "auto"});
    end("fuzz_frame", "hello_bad_versions", GF_FRAME_HELLO, 0, 0);
    begin();
    gf_hello_encode(&w, &(struct gf_hello){1, 1, "corpus\t1.0", "auto"});
    end("fuzz_frame", "hello_control_character", GF_FRAME_HELLO, 0, 0);
    begin();
    gf_put_u64(&w, GF_ATTR_VERSION_MIN, 1);
    end("fuzz_frame", "hello_bad_type", GF_FRAME_HELLO, 0, 0);
    begin();
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = 1, .size = 1 << 20});
    end("fuzz_frame", "arena", GF_FRAME_ARENA, 0, 1);
    begin();
    gf_arena_request_encode(&w, &(struct gf_arena_request){.arena = 1});
    end("fuzz_frame", "arena_drop", GF_FRAME_ARENA_DROP, 0, 0);
    end("fuzz_frame", "arena_without_size", GF_FRAME_ARENA, 0, 1);
    gf_put_u64(&w, GF_ATTR_SIZE, 0);
    end("fuzz_frame", "arena_bad_size", GF_FRAME_ARENA, 0, 1);
    begin();
    gf_free_request_encode(&w, 7);
    end("fuzz_frame", "free", GF_FRAME_FREE, 0, 0);
    end("fuzz_frame", "info_bad_attribute", GF_FRAME_INFO, 0, 0);
    for (uint32_t topic = 1; topic <= 5; topic++) {
        static const char *const names[] = {"info_devices", "info_health", "info_stats", "info_handles",
                                            "info_bad_topic"};
        begin();
        gf_info_request_encode(&w, &(struct gf_info_request){.topic = topic});
        end("fuzz_frame", names[topic - 1], GF_FRAME_INFO, 0, 0);
    }
    begin();
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = GF_TOPIC_STATS, .next = 40});
    end("fuzz_frame", "info_stats_next", GF_FRAME_INFO, 0, 0);
    begin();
    end("fuzz_frame", "ping", GF_FRAME_PING, 0, 0);
    end("fuzz_frame", "cancel", GF_FRAME_CANCEL, 0, 0);
    end("fuzz_frame", "bad_kind", 999, 0, 0);
    end("fuzz_frame", "run_bad_empty", GF_FRAME_RUN, 0, 0);
}

static void headers(void)
{
    begin();
    gf_info_request_encode(&w, &(struct gf_info_request){.topic = 1});
    gf_writer_finish(&w, GF_FRAME_INFO, 1, 0, 0);
    patched("fuzz_frame", "header_bad_magic", 0, 'X');
    patched("fuzz_frame", "header_bad_version", 4, 9);
    patched("fuzz_frame", "header_bad_flags", 8, 1);
    patched("fuzz_frame", "header_bad_nfds", 10, 2);
    patched("fuzz_frame", "header_bad_body_len", 12, 17);
    patched("fuzz_frame", "header_large_body_len", 14, 2);
    patched("fuzz_frame", "header_large_payload_len", 31, 0x80);
    patched("fuzz_frame", "attr_bad_type", 34, 9);
    patched("fuzz_frame", "attr_bad_reserved", 35, 1);
    patched("fuzz_frame", "attr_bad_length", 36, 5);
    patched("fuzz_frame", "attr_long", 39, 0x7f);
    patched("fuzz_frame", "attr_bad_padding", 47, 1);
    corpus_save("fuzz_frame", "header_cut", frame, 31);
    corpus_save("fuzz_frame", "body_cut", frame, w.size - 1);
    corpus_save("fuzz_frame", "attr_cut", frame, GF_HEADER_SIZE + 4);
    corpus_save("fuzz_frame", "nothing", frame, 0);
}

static void runs(void)
{
    struct gf_prng prng = {.state = 42};
    gf_test_program_example(&program);
    begin();
    gf_program_encode(&w, &program);
    end("fuzz_frame", "run_example", GF_FRAME_RUN, program.payload_in, 0);
    /* DEVICE is at 32, the operands at 48 and 112, the step at 176, its parameter at 200, the result at 216. */
    patched("fuzz_frame", "run_bad_device", 40, ';');
    patched("fuzz_frame", "run_bad_order", 48, GF_ATTR_RESULT);
    patched("fuzz_frame", "run_bad_way", 56, 4);
    patched("fuzz_frame", "run_bad_reserved", 57, 1);
    patched("fuzz_frame", "run_bad_inline_offset", 64, 8);
    patched("fuzz_frame", "run_bad_length", 72, 11);
    patched("fuzz_frame", "run_bad_dtype", 80, 99);
    patched("fuzz_frame", "run_bad_channels", 81, 5);
    patched("fuzz_frame", "run_bad_width", 95, 0xff);
    patched("fuzz_frame", "run_bad_pitch", 104, 3);
    patched("fuzz_frame", "run_bad_op", 185, 0xff);
    patched("fuzz_frame", "run_bad_inputs", 188, 1);
    patched("fuzz_frame", "run_bad_ref_kind", 192, 2);
    patched("fuzz_frame", "run_bad_ref", 194, 9);
    patched("fuzz_frame", "run_bad_mask_ref", 196, 1);
    patched("fuzz_frame", "run_bad_param", 200, 0xff);
    patched("fuzz_frame", "run_bad_param_type", 202, 1);
    patched("fuzz_frame", "run_bad_param_value", 208, 9);
    patched("fuzz_frame", "run_bad_result_step", 224, 1);
    patched("fuzz_frame", "run_bad_result_output", 226, 1);
    patched("fuzz_frame", "run_bad_result_way", 227, 0);
    patched("fuzz_frame", "run_bad_result_offset", 232, 1);
    patched("fuzz_frame", "run_bad_result_pitch", 248, 1);
    patched("fuzz_frame", "run_bad_payload_len", 24, 99);
    for (int i = 0; i < 8; i++) {
        char name[32];
        snprintf(name, sizeof name, "run_random_%d", i);
        gf_test_program_random(&prng, &program);
        begin();
        gf_program_encode(&w, &program);
        end("fuzz_frame", name, GF_FRAME_RUN, program.payload_in, 0);
    }
}

/* Stores the frame in `frame` with attribute `id` repeated `times` times and the payload of the example. */
static void repeated(const char *name, uint16_t id, uint32_t times)
{
    static uint8_t example[GF_MAX_FRAME_HEAD];
    struct gf_reader r = {.data = example + GF_HEADER_SIZE};
    struct gf_attr a;
    gf_test_program_example(&program);
    begin();
    gf_program_encode(&w, &program);
    memcpy(example, frame, w.size);
    r.size = w.size - GF_HEADER_SIZE;
    begin();
    while (gf_attr_next(&r, &a, NULL) == 1)
        for (uint32_t i = 0; i < (a.id == id ? times : 1); i++)
            gf_put(&w, a.id, a.type, a.value, a.length);
    end("fuzz_frame", name, GF_FRAME_RUN, program.payload_in, 0);
}

/* What the example does not have. */
static void odd_runs(void)
{
    repeated("run_bad_operands", GF_ATTR_OPERAND, GF_MAX_OPERANDS + 1);
    repeated("run_bad_steps", GF_ATTR_STEP, GF_MAX_STEPS + 1);
    repeated("run_bad_results", GF_ATTR_RESULT, GF_MAX_RESULTS + 1);
    for (int valid = 0; valid < 2; valid++) {
        const uint8_t context[24] = {1, [23] = (uint8_t)valid};
        gf_test_program_example(&program);
        begin();
        gf_put(&w, GF_ATTR_TRACE_CONTEXT, GF_TYPE_BYTES, context, sizeof(context));
        gf_program_encode(&w, &program);
        end("fuzz_frame", valid ? "run_context" : "run_bad_context", GF_FRAME_RUN, program.payload_in, 0);
    }
    repeated("run_bad_twice", GF_ATTR_DEVICE, 2);
    repeated("run_bad_param_twice", GF_ATTR_PARAM + 5, 2);
    begin();
    gf_put_u32(&w, GF_ATTR_PID, 1);
    end("fuzz_frame", "run_bad_attribute", GF_FRAME_RUN, 0, 0);
    gf_test_program_example(&program);
    program.trace = true;
    program.deadline_ms = 1;
    program.part = 1;
    program.n_parts = 2;
    begin();
    gf_program_encode(&w, &program);
    end("fuzz_frame", "run_part", GF_FRAME_RUN, program.payload_in, 0);
    patched("fuzz_frame", "run_bad_part", 88, 2);
    patched("fuzz_frame", "run_bad_trace", 72, 2);
    memset(program.device, 'x', GF_MAX_DEVICE_NAME);
    begin();
    gf_program_encode(&w, &program);
    gf_put_string(&w, GF_ATTR_DEVICE, program.device);
    end("fuzz_frame", "run_bad_last", GF_FRAME_RUN, program.payload_in, 0);
    begin();
    gf_put_string(&w, GF_ATTR_DEVICE, "a name that is longer than 64 bytes is longer than any device's may be");
    end("fuzz_frame", "run_bad_device_length", GF_FRAME_RUN, 0, 0);
    gf_test_program_example(&program);
    program.operands[0].view = gf_view_tight(GF_F64, 4, 3, 1);
    program.operands[0].length = gf_view_bytes(&program.operands[0].view);
    program.n_operands = 1;
    program.steps[0] = (struct gf_step){.op = gf_op_by_name("recurrence")};
    gf_op_params_default(program.steps[0].op, &program.steps[0].params);
    GF_SET_PARAM(&program.steps[0].params, recurrence, a, 0.5);
    program.results[0] = (struct gf_result){.way = GF_WAY_INLINE};
    if (gf_program_check(&program, true, NULL) != GF_OK)
        exit(1);
    begin();
    gf_program_encode(&w, &program);
    end("fuzz_frame", "run_f64", GF_FRAME_RUN, program.payload_in, 0);
}

static void worker_messages(void)
{
    static struct gf_worker_hello hello = {
        .device = {.name = "cpu", .title = "a processor", .state = GF_DEVICE_READY}, .pid = 1, .slots = 8, .n_rows = 2};
    hello.rows[0] = (struct gf_op_row){.op = 0x0101, .dtypes = 0x20a};
    hello.rows[1] = (struct gf_op_row){.op = 0x0102, .dtypes = 0x20a};
    begin();
    gf_worker_hello_encode(&w, &hello);
    end("fuzz_frame", "worker_hello", GF_FRAME_WORKER_HELLO, 0, 0);
    gf_put_string(&w, GF_ATTR_DEVICE, "again");
    end("fuzz_frame", "worker_hello_bad_devices", GF_FRAME_WORKER_HELLO, 0, 0);
    begin();
    gf_worker_hello_encode(&w, &hello);
    gf_put_u32(&w, GF_ATTR_KEY, 1);
    end("fuzz_frame", "worker_hello_bad_attribute", GF_FRAME_WORKER_HELLO, 0, 0);
    begin();
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    end("fuzz_frame", "worker_hello_bad_slots", GF_FRAME_WORKER_HELLO, 0, 0);
    begin();
    gf_worker_map_encode(&w, &(struct gf_worker_map){.key = 3, .size = 4096, .staging = true});
    end("fuzz_frame", "worker_map", GF_FRAME_WORKER_MAP, 0, 1);
    patched("fuzz_frame", "worker_map_bad_kind", w.size - 8, 3);
    end("fuzz_frame", "worker_unmap_bad_size", GF_FRAME_WORKER_UNMAP, 0, 0);
    begin();
    gf_worker_map_encode(&w, &(struct gf_worker_map){.key = 3});
    end("fuzz_frame", "worker_unmap", GF_FRAME_WORKER_UNMAP, 0, 0);
    static struct gf_gpu_figures gpu;
    gf_gpu_set(&gpu, GF_GPU_UTILIZATION, 100);
    gf_gpu_set(&gpu, GF_GPU_XID_ERRORS, 3);
    gf_gpu_set_text(gpu.pci, "00000000:1B:00.0");
    gf_gpu_set_text(gpu.driver, "580.95.05");
    gf_gpu_set_text(gpu.cuda, "13.0");
    begin();
    gf_gpu_encode(&w, &gpu);
    end("fuzz_frame", "worker_gpu", GF_FRAME_WORKER_GPU, 0, 0);
}

/* INFO_REPLY of the topic stats. */
static void metrics(void)
{
    static const struct gf_info_reply info = {.topic = GF_TOPIC_STATS};
    static const uint64_t bins[3] = {1, 2, 3};
    struct gf_metric_writer m;
    begin();
    gf_info_reply_encode(&w, &info);
    gf_metric_writer_init(&m, &w, 0);
    gf_metric_family(&m, "answers_total", GF_METRIC_COUNTER, "How many.");
    gf_metric_put(&m, "device=\"cpu\",status=\"OK\"", 5);
    end("fuzz_response", "metrics_counter", GF_FRAME_INFO_REPLY, 0, 0);
    patched("fuzz_response", "metrics_bad_name", 56, '{');
    patched("fuzz_response", "metrics_bad_kind", 80, 0);
    gf_metric_family(&m, "time_seconds", GF_METRIC_HISTOGRAM, "How long.");
    gf_metric_put_bins(&m, "device=\"cpu\"", 2, 0.5, bins, GF_ARRAY_LEN(bins));
    gf_metric_writer_finish(&m);
    end("fuzz_response", "metrics_histogram", GF_FRAME_INFO_REPLY, 0, 0);
}

/* INFO_REPLY of the topic handles. */
static void handles(void)
{
    struct gf_handle_entry entry = {
        .id = 3, .state = GF_HANDLE_READY, .bytes = 12, .view = gf_view_tight(GF_U8, 4, 3, 1)};
    begin();
    gf_put_u32(&w, GF_ATTR_TOPIC, GF_TOPIC_HANDLES);
    gf_put_string(&w, GF_ATTR_DEVICE, "cpu");
    gf_handle_entry_encode(&w, &entry);
    end("fuzz_response", "handles", GF_FRAME_INFO_REPLY, 0, 0);
    patched("fuzz_response", "handles_bad_state", 76, 5);
    patched("fuzz_response", "handles_bad_view", 91, 1);
}

static void answers(void)
{
    static uint8_t spans[2 * GF_RECORD_SPAN];
    static struct gf_hello_reply hello = {
        .version = 1, .software = "gpufilterd 0.1.0", .fd_passing = true, .limits = {0, 1, 2, 3, 4, 5}, .n_devices = 2};
    static struct gf_run_reply run = {.device = "cpu", .times = {1, 2, 3, 4, 5}, .n_outputs = 1};
    static struct gf_info_reply info = {
        .topic = GF_TOPIC_HEALTH, .health = GF_HEALTH_DEGRADED, .text = "cuda:0 is aside", .n_devices = 1};
    struct gf_device_entry device = {.name = "cpu",
                                     .title = "a processor",
                                     .uuid = "GPU-0",
                                     .detail = "of one kind",
                                     .units = 2,
                                     .state = GF_DEVICE_READY};
    snprintf(hello.node, sizeof(hello.node), "node1");
    hello.connection = 523;
    hello.devices[0] = hello.devices[1] = info.devices[0] = device;
    begin();
    gf_hello_reply_encode(&w, &hello);
    end("fuzz_response", "hello_reply", GF_FRAME_HELLO_REPLY, 0, 0);
    patched("fuzz_response", "hello_reply_bad_version", 40, 2);
    run.outputs[0] = (struct gf_output){.view = gf_view_tight(GF_U8, 4, 3, 1), .length = 12};
    begin();
    gf_run_reply_encode(&w, &run);
    end("fuzz_response", "result", GF_FRAME_RESULT, 12, 0);
    patched("fuzz_response", "result_bad_dtype", 104, 0);
    patched("fuzz_response", "result_bad_width", 119, 0x7f);
    patched("fuzz_response", "result_bad_length", 144, 13);
    patched("fuzz_response", "result_without_times", 48, 99);
    gf_span_store(spans, &(struct gf_span){.stage = GF_STAGE_KERNEL, .step = GF_NO_STEP, .begin = 5, .length = 7});
    run.spans = spans;
    run.n_spans = 2;
    begin();
    gf_run_reply_encode(&w, &run);
    end("fuzz_response", "result_spans", GF_FRAME_RESULT, 12, 0);
    begin();
    gf_put(&w, GF_ATTR_SPANS, GF_TYPE_BYTES, spans, GF_RECORD_SPAN + 8);
    end("fuzz_response", "result_bad_spans", GF_FRAME_RESULT, 12, 0);
    begin();
    gf_error_encode(&w, &(struct gf_error){GF_E_OUTPUT_TOO_SMALL, 12, "result 0: room for 5 bytes"}, 10);
    end("fuzz_response", "error", GF_FRAME_ERROR, 0, 0);
    patched("fuzz_response", "error_ok", 40, 0);
    patched("fuzz_response", "error_local", 40, 97);
    patched("fuzz_response", "error_control_character", 56, 27);
    begin();
    gf_info_reply_encode(&w, &info);
    end("fuzz_response", "info_health", GF_FRAME_INFO_REPLY, 0, 0);
    patched("fuzz_response", "info_bad_health", 56, 9);
    metrics();
    handles();
    begin();
    gf_put_u32(&w, GF_ATTR_DEVICE_UNITS, 1);
    gf_put_u32(&w, GF_ATTR_VERSION, 1);
    end("fuzz_response", "device_bad_order", GF_FRAME_HELLO_REPLY, 0, 0);
    begin();
    end("fuzz_response", "nothing", GF_FRAME_DONE, 0, 0);
}

/* A text for parameter `which` in the numbering of fuzz_text.c, 0 for a mask. */
static void text(const char *name, uint8_t which, const char *words)
{
    char data[256];
    int size = snprintf(data, sizeof data, "%c%s", which, words);
    corpus_save("fuzz_text", name, data, (size_t)size);
}

static void texts(void)
{
    text("mask", 0, "1 2 1; 2 4 2; 1 2 1");
    text("mask_lines", 0, "# sobel\n-1,0,1\n-2,0,2\n-1,0,1\n");
    text("mask_numbers", 0, "1e-3 0x1p-4 .5 -0 +2");
    text("mask_ragged", 0, "1 2; 3");
    text("mask_not_finite", 0, "1 nan; inf 2");
    text("mask_huge", 0, "1e99 1e-99");
    text("mask_empty", 0, "");
    text("mask_words", 0, "1 two 3");
    text("scale", 1, "0.0625");
    text("scale_huge", 1, "1e39");
    text("border", 3, "reflect101");
    text("border_alias", 3, "scipy:mirror");
    text("border_bare", 3, "mirror");
    text("border_value", 4, "0,0,0,255");
    text("border_value_many", 4, "1,2,3,4,5");
    text("anchor", 6, "1,1");
    text("anchor_negative", 6, "-1,1");
    text("sigma", 19, "2x3.5");
    text("sigma_negative", 19, "-2");
    text("size", 25, "3x5");
    text("size_zero", 25, "0x5");
}

int main(int argc, char **argv)
{
    static const char *const targets[] = {"fuzz_frame", "fuzz_response", "fuzz_text", "fuzz_image"};
    if (argc != 2) {
        fprintf(stderr, "usage: make_corpus DIR\n");
        return 64;
    }
    root = argv[1];
    for (size_t i = 0; i < GF_ARRAY_LEN(targets); i++) {
        gf_cleanup(gf_freep) char *path = NULL;
        if (asprintf(&path, "%s/%s", root, targets[i]) < 0 || (mkdir(path, 0777) != 0 && errno != EEXIST))
            return 1;
    }
    requests();
    headers();
    runs();
    odd_runs();
    worker_messages();
    answers();
    texts();
    corpus_pictures(root);
    corpus_jpegs();
    corpus_simple();
    return 0;
}
