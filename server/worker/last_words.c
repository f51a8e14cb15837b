/* SPDX-License-Identifier: MIT */
/* Messages that are made before the signals come; see last_words.h. */
#include "last_words.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#include "protocol/base/base.h"
#include "protocol/wire/frame.h"
#include "protocol/wire/response.h"

#define FRAME_SIZE 256u

struct words {
    int number;
    size_t size;
    uint8_t frame[FRAME_SIZE];
    struct sigaction before; /* of a sanitizer, say */
};

static struct words g_words[] = {{.number = SIGSEGV}, {.number = SIGABRT}, {.number = SIGBUS}, {.number = SIGILL},
                                 {.number = SIGTRAP}, {.number = SIGFPE},  {.number = SIGSYS}};
static int g_front;

/* Makes system calls alone. */
static void on_crash(int number)
{
    for (size_t i = 0; i < GF_ARRAY_LEN(g_words); i++) {
        const struct words *w = &g_words[i];
        if (w->number != number)
            continue;
        (void)send(g_front, w->frame, w->size, MSG_DONTWAIT | MSG_NOSIGNAL);
        (void)sigaction(number, &w->before, NULL);
    }
    (void)raise(number); /* comes when this function returns */
}

void gf_last_words_init(int front)
{
    struct sigaction action = {.sa_handler = on_crash};
    g_front = front;
    for (size_t i = 0; i < GF_ARRAY_LEN(g_words); i++) {
        struct words *w = &g_words[i];
        struct gf_error error;
        struct gf_writer writer;
        (void)gf_error_set(&error, GF_E_DEVICE_LOST, "it crashed: %s", strsignal(w->number));
        gf_writer_init(&writer, w->frame, sizeof(w->frame));
        gf_error_encode(&writer, &error, 0);
        if (!gf_writer_finish(&writer, GF_FRAME_ERROR, 0, 0, 0))
            continue;
        w->size = writer.size;
        (void)sigaction(w->number, &action, &w->before);
    }
}
