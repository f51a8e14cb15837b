/* SPDX-License-Identifier: MIT */
/* A reader of the log that does not read stops nobody; what it missed is counted and said. */
#include "server/front/base/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/unit.h"

#define MANY 2000
#define LINE "gpufilterd: a line as long as a pipe needs for being full soon: number="

static void log_number(int i)
{
    struct gf_log_site site = {0}; /* as a place in the source that is reached for the first time */
    gf_log_line(&site, GF_LOG_INFO, "a line as long as a pipe needs for being full soon: number=%d", i);
}

/* In a process of its own, whose standard error is `to`, logs until lines are lost, then lets `from` be read, and logs
 * once more. Exits with 0 if the number of lost lines is not 0. */
static void log_many(int to, int go)
{
    char byte;
    dup2(to, STDERR_FILENO);
    unsetenv("JOURNAL_STREAM");
    for (int i = 0; i < MANY; i++)
        log_number(i);
    uint64_t lost = gf_log_lost();
    ssize_t n = write(go, "?", 1);
    n = n == 1 ? read(go, &byte, 1) : 0;
    log_number(MANY);
    close(to);
    _exit(n == 1 && lost > 0 && lost == gf_log_lost() ? 0 : 1);
}

/* The lines that arrive are whole and in order, the next one says how many are missing, and none is missing unsaid. */
static void check_lines(char *text)
{
    int next = 0, lost = 0, number;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (sscanf(line, LINE "%d", &number) == 1) {
            assert_int_equal(number, next);
            next++;
            continue;
        }
        assert_int_equal(lost, 0);
        assert_int_equal(sscanf(line, "gpufilterd: warning: lines lost, because nobody read the log: lost=%d", &lost),
                         1);
        next += lost;
    }
    assert_true(lost > 0);
    assert_int_equal(next, MANY + 1);
}

static void check_unread(int reader, int writer)
{
    static char text[1 << 20];
    int go[2], status;
    size_t n = 0;
    ssize_t got;
    char byte;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, go), 0);
    pid_t pid = fork();
    if (pid == 0)
        log_many(writer, go[1]);
    close(writer);
    close(go[1]);
    assert_int_equal(read(go[0], &byte, 1), 1); /* here the logging would have stopped for ever */
    assert_int_equal(fcntl(reader, F_SETFL, O_NONBLOCK), 0);
    while ((got = read(reader, text + n, sizeof(text) - 1 - n)) > 0)
        n += (size_t)got;
    assert_int_equal(fcntl(reader, F_SETFL, 0), 0);
    assert_int_equal(write(go[0], "!", 1), 1);
    while ((got = read(reader, text + n, sizeof(text) - 1 - n)) > 0)
        n += (size_t)got;
    text[n] = '\0';
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(reader);
    close(go[0]);
    check_lines(text);
}

static void a_full_pipe_stops_nobody(void **state)
{
    UNUSED(state);
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_true(fcntl(fds[1], F_SETPIPE_SZ, 4096) >= 4096);
    check_unread(fds[0], fds[1]);
    assert_int_equal(pipe(fds), 0);
    check_unread(fds[0], fds[1]);
}

static void a_full_socket_stops_nobody(void **state)
{
    UNUSED(state);
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(setsockopt(fds[1], SOL_SOCKET, SO_SNDBUF, &(int){4096}, sizeof(int)), 0);
    check_unread(fds[0], fds[1]);
}

/* Other processes that share the pipe go on waiting for its reader. */
static void the_pipe_of_others_stays_as_it_is(void **state)
{
    UNUSED(state);
    int fds[2], status;
    assert_int_equal(pipe(fds), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(fds[1], STDERR_FILENO);
        log_number(0);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(fcntl(fds[1], F_GETFL) & O_NONBLOCK, 0);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_pipe_stops_nobody),
        cmocka_unit_test(a_full_socket_stops_nobody),
        cmocka_unit_test(the_pipe_of_others_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
