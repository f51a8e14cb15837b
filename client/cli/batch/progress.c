/* SPDX-License-Identifier: MIT */
/* The progress bar of a batch. Called by batch.c. */
#include "batch.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "protocol/base/clock.h"

#define BAR 30
#define REDRAW_NS 100000000u /* between two redraws */

static struct {
    atomic_size_t n; /* 0: no batch runs */
    atomic_size_t done;
    bool bar, drawn;
    uint64_t begin_ns, drawn_ns;
} progress;

void gf_progress_begin(const struct gf_cli *cli, size_t n)
{
    const char *term = getenv("TERM");
    progress.bar = !cli->quiet && isatty(STDERR_FILENO) && !(term && strcmp(term, "dumb") == 0);
    progress.drawn = false;
    progress.begin_ns = gf_now_ns();
    progress.drawn_ns = 0;
    atomic_store(&progress.done, 0);
    atomic_store(&progress.n, n);
}

void gf_progress_count(void)
{
    atomic_fetch_add(&progress.done, 1);
}

size_t gf_progress_done(void)
{
    return atomic_load(&progress.done);
}

void gf_progress_draw(void)
{
    size_t n = atomic_load(&progress.n), done = atomic_load(&progress.done);
    uint64_t now = gf_now_ns();
    if (!progress.bar || now - progress.drawn_ns < REDRAW_NS)
        return;
    double seconds = (double)(now - progress.begin_ns) / 1e9;
    int full = (int)(done * BAR / n);
    fprintf(stderr, "\r[%.*s%*s] %zu of %zu", full, "==============================", BAR - full, "", done, n);
    if (done > 0)
        fprintf(stderr, ", %.1f/s, %.0f s left", (double)done / seconds, seconds / (double)done * (double)(n - done));
    fputs("\033[K", stderr);
    progress.drawn = true;
    progress.drawn_ns = now;
}

void gf_progress_clear(void)
{
    if (progress.drawn)
        fputs("\r\033[K", stderr);
    progress.drawn = false;
    progress.drawn_ns = 0;
}

void gf_progress_end(void)
{
    gf_progress_clear();
    atomic_store(&progress.n, 0);
}

/* Appends a number. snprintf is not async-signal-safe. */
static char *put_number(char *to, size_t number)
{
    char digits[24];
    int n = 0;
    do
        digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    while (n > 0)
        *to++ = digits[--n];
    return to;
}

void gf_progress_abort(void)
{
    static const char head[] = GF_CLI_NAME ": ended by a signal, ", of[] = " of ", tail[] = " files are done\n";
    char text[sizeof(head) + sizeof(of) + sizeof(tail) + 64], *at = text;
    size_t n = atomic_load(&progress.n);
    if (n == 0)
        return;
    if (progress.drawn) {
        memcpy(at, "\r\033[K", 4);
        at += 4;
    }
    memcpy(at, head, sizeof(head) - 1);
    at = put_number(at + sizeof(head) - 1, atomic_load(&progress.done));
    memcpy(at, of, sizeof(of) - 1);
    at = put_number(at + sizeof(of) - 1, n);
    memcpy(at, tail, sizeof(tail) - 1);
    (void)!write(STDERR_FILENO, text, (size_t)(at - text) + sizeof(tail) - 1);
}
