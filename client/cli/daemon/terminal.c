/* SPDX-License-Identifier: MIT */
/*
 * The terminal under `top`. Signal handlers call only async-signal-safe functions: write, tcsetattr. Called by
 * cmd_top.c.
 */
#include "top.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "protocol/base/base.h"
#include "protocol/base/clock.h"

#define SCREEN_BEGIN "\033[?1049h\033[?25l" /* alternate screen, no cursor */
#define SCREEN_END "\033[?25h\033[?1049l"
#define HOME "\033[H"
#define LINE_END "\033[K"
#define CLEAR_BELOW "\033[J"

static struct termios g_before;
static volatile sig_atomic_t g_keys; /* standard input is a terminal whose settings must be restored */
static volatile sig_atomic_t g_draw;
static sigset_t g_waiting; /* signal mask while waiting */

static void put(const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(STDOUT_FILENO, text, size);
        if (n < 0 && errno != EINTR)
            return;
        text += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
}

static void take(void)
{
    struct termios raw = g_before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (g_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    put(SCREEN_BEGIN, strlen(SCREEN_BEGIN));
}

void gf_terminal_end(void)
{
    put(SCREEN_END, strlen(SCREEN_END));
    if (g_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &g_before);
}

static void on_end(int number)
{
    (void)number;
    gf_terminal_end();
    _exit(0);
}

static void on_size(int number)
{
    (void)number;
    g_draw = 1;
}

/* Stops the process as SIGTSTP would, and takes the screen back when it continues. */
static void on_stop(int number)
{
    int saved = errno;
    (void)number;
    gf_terminal_end();
    raise(SIGSTOP);
    take();
    g_draw = 1;
    errno = saved;
}

static void handle_signals(void)
{
    static const struct {
        int number;
        void (*handler)(int);
        bool later; /* delivered only while waiting */
    } rows[] = {{SIGINT, on_end, false},  {SIGTERM, on_end, false},  {SIGHUP, on_end, false},
                {SIGQUIT, on_end, false}, {SIGWINCH, on_size, true}, {SIGTSTP, on_stop, true}};
    sigset_t later, ends;
    sigemptyset(&later);
    sigemptyset(&ends);
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++)
        sigaddset(rows[i].later ? &later : &ends, rows[i].number);
    for (size_t i = 0; i < GF_ARRAY_LEN(rows); i++)
        sigaction(rows[i].number, &(struct sigaction){.sa_handler = rows[i].handler, .sa_mask = ends}, NULL);
    sigprocmask(SIG_BLOCK, &later, &g_waiting);
}

void gf_terminal_begin(void)
{
    g_keys = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &g_before) == 0;
    g_draw = 0;
    handle_signals();
    take();
}

/* Returns whether q is among the pressed keys. At the end of input *ret_more becomes false. */
static bool read_quit(bool *ret_more)
{
    char keys[64];
    ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));
    *ret_more = n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
    for (ssize_t i = 0; i < n; i++)
        if (keys[i] == 'q' || keys[i] == 'Q')
            return true;
    return false;
}

enum gf_terminal_event gf_terminal_wait(uint64_t until_ns)
{
    static bool more = true;
    for (;;) {
        uint64_t now = gf_now_ns(), left = until_ns > now ? until_ns - now : 0;
        const struct timespec wait = {.tv_sec = (time_t)(left / GF_NS_PER_S), .tv_nsec = (long)(left % GF_NS_PER_S)};
        struct pollfd key = {.fd = g_keys && more ? STDIN_FILENO : -1, .events = POLLIN};
        int n = ppoll(&key, 1, &wait, &g_waiting);
        if (n > 0 && read_quit(&more))
            return GF_TERMINAL_QUIT;
        if (g_draw) {
            g_draw = 0;
            return GF_TERMINAL_DRAW;
        }
        if (n == 0)
            return GF_TERMINAL_TIME;
    }
}

void gf_terminal_size(uint32_t *ret_rows, uint32_t *ret_columns)
{
    struct winsize size = {.ws_row = 0};
    bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0;
    *ret_rows = known ? size.ws_row : 24;
    *ret_columns = known ? size.ws_col : 80;
}

bool gf_terminal_show(const char *text)
{
    gf_cleanup(gf_freep) char *screen = NULL;
    uint32_t rows, columns;
    size_t size;
    FILE *out = open_memstream(&screen, &size);
    if (!out)
        return false;
    gf_terminal_size(&rows, &columns);
    fputs(HOME, out);
    for (uint32_t row = 0; row < rows && *text; row++) {
        size_t n = strcspn(text, "\n");
        fprintf(out, "%s%.*s" LINE_END, row == 0 ? "" : "\r\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    fputs(CLEAR_BELOW, out);
    if (fclose(out) != 0)
        return false;
    put(screen, size);
    return true;
}
