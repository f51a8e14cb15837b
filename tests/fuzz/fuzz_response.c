/* SPDX-License-Identifier: MIT */
/* Fuzz target: bytes as a frame from a hostile server, its body through every decoder of answers. */
#include <stdlib.h>

#include "fuzz.h"
#include "protocol/handle_entry.h"
#include "protocol/metric.h"
#include "protocol/response.h"

/* Whatever is wrong with an answer is BAD_REPLY with a sentence. */
static void check(enum gf_status status, const struct gf_error *err)
{
    if (status != GF_OK && (status != GF_E_BAD_REPLY || err->status != status || err->text[0] == '\0'))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct gf_hello_reply hello;
    static struct gf_run_reply run;
    static struct gf_info_reply info;
    struct gf_header h;
    struct gf_error error, err;
    uint32_t retry_ms;
    if (size < GF_HEADER_SIZE || gf_header_decode(data, &h, &err) != GF_OK)
        return 0;
    const uint8_t *body = data + GF_HEADER_SIZE;
    size_t left = size - GF_HEADER_SIZE;
    left = h.body_len < left ? h.body_len : left;
    check(gf_hello_reply_decode(body, left, &hello, &err), &err);
    check(gf_run_reply_decode(body, left, &run, &err), &err);
    check(gf_info_reply_decode(body, left, &info, &err), &err);
    check(gf_metrics_decode(body, left, NULL, NULL, &err), &err);
    check(gf_handle_entries_decode(body, left, NULL, NULL, &err), &err);
    check(gf_error_decode(body, left, &error, &retry_ms, &err), &err);
    return 0;
}
