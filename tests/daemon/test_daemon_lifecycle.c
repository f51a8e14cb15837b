/* SPDX-License-Identifier: MIT */
/* Start and end of the daemon: its socket, its starter, systemd, signals, and too few descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "harness.h"
#include "tests/unit/unit.h"

static void a_second_daemon_ends_with_75(void **state)
{
    UNUSED(state);
    struct daemon d, second;
    char text[512];
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    second = d;
    daemon_spawn(&second, "fake", (const char *[]){"--devices", "cpu", NULL});
    daemon_ready_text(&second, text, sizeof text);
    assert_non_null(strstr(text, "another gpufilterd serves"));
    assert_int_equal(daemon_wait(&second), 75);
    int fd = client_open(&d); /* the first one has its socket still */
    run_send(fd, 2, 1);
    assert_int_equal(result_expect(fd, 1), 2);
    close(fd);
    assert_int_equal(daemon_stop(&d), 0);
}

static void a_stale_socket_is_replaced(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct stat st;
    daemon_start(&d, (const char *[]){"--devices", "cpu", NULL});
    kill(d.pid, SIGKILL);
    assert_int_equal(daemon_wait(&d), 128 + SIGKILL);
    assert_int_equal(lstat(d.socket, &st), 0);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--socket-mode", "640", NULL});
    daemon_wait_ready(&d);
    assert_int_equal(lstat(d.socket, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    close(client_open(&d));
    kill(d.pid, SIGTERM);
    assert_int_equal(daemon_wait(&d), 0);
    assert_int_equal(lstat(d.socket, &st), -1); /* it takes its socket along */
    daemon_stop(&d);
}

static void sigterm_answers_what_was_sent(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--in-flight", "4", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    daemon_wait_ready(&d);
    int fd = client_open(&d), idle = client_open(&d);
    for (uint64_t id = 2; id < 12; id++)
        run_send(fd, id, 2); /* the last ones wait in the socket */
    for (int i = 0; i < 4; i++)
        fake_expect(&cpu, "job");
    kill(d.pid, SIGTERM);
    expect_kind(idle, GF_FRAME_GOAWAY, 0);
    expect_end(idle);
    expect_kind(fd, GF_FRAME_GOAWAY, 0);
    run_send(fd, 12, 2); /* too late */
    fake_tell(&cpu, 'A');
    static struct reply reply;
    uint64_t next = 2;
    while (receive(fd, &reply)) { /* 12 gets SHUTDOWN, unless the connection ended first */
        assert_int_equal(reply.h.kind, reply.h.id == 12 ? GF_FRAME_ERROR : GF_FRAME_RESULT);
        assert_true(reply.h.id == 12 || reply.h.id == next);
        next += reply.h.id != 12;
        free(reply.payload);
    }
    assert_int_equal(next, 12);
    close(fd);
    assert_int_equal(daemon_wait(&d), 0);
    close(cpu.fd);
    daemon_stop(&d);
}

static void a_drain_has_an_end(void **state)
{
    UNUSED(state);
    struct daemon d;
    for (int way = 0; way < 2; way++) { /* by its time, and by a second signal */
        daemon_init(&d, true);
        daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--drain-timeout", way ? "100" : "0.05", NULL});
        struct fake cpu = fake_accept(&d);
        fake_tell(&cpu, 'h');
        daemon_wait_ready(&d);
        int fd = client_open(&d);
        run_send(fd, 2, 2);
        fake_expect(&cpu, "job");
        kill(d.pid, SIGINT);
        expect_kind(fd, GF_FRAME_GOAWAY, 0);
        if (way)
            kill(d.pid, SIGTERM);
        expect_error(fd, 2, GF_E_SHUTDOWN, "shutting down");
        expect_end(fd);
        assert_int_equal(daemon_wait(&d), 0);
        close(cpu.fd);
        daemon_stop(&d);
    }
}

/* Even after a long drain, a worker that does not exit is killed and has ended before the daemon ends. */
static void a_worker_that_stays_is_killed_after_a_long_drain(void **state)
{
    UNUSED(state);
    struct daemon d;
    char events[64];
    ssize_t n;
    daemon_init(&d, true);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--drain-timeout", "4.1", NULL});
    struct fake cpu = fake_accept(&d);
    fake_tell(&cpu, 'h');
    fake_tell(&cpu, 's');
    daemon_wait_ready(&d);
    int fd = client_open(&d);
    run_send(fd, 2, 2);
    fake_expect(&cpu, "job");
    kill(d.pid, SIGTERM);
    expect_kind(fd, GF_FRAME_GOAWAY, 0);
    expect_error(fd, 2, GF_E_SHUTDOWN, "shutting down");
    expect_end(fd);
    fake_expect(&cpu, "gone");
    assert_int_equal(daemon_wait(&d), 0);
    while ((n = recv(cpu.fd, events, sizeof events, MSG_DONTWAIT)) > 0)
        ;
    assert_int_equal(n, 0); /* the end of its process */
    close(cpu.fd);
    daemon_stop(&d);
}

static void an_idle_daemon_ends(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct stat st;
    daemon_start(&d, (const char *[]){"--devices", "cpu", "--idle-exit", "0.05", NULL});
    assert_int_equal(daemon_wait(&d), 0);
    assert_int_equal(lstat(d.socket, &st), -1);
    daemon_stop(&d);
}

static void running_out_of_descriptors_makes_clients_wait(void **state)
{
    UNUSED(state);
    enum { N = 300 };
    struct daemon d;
    int fds[N], served = 0;
    daemon_init(&d, false);
    d.nofile = 512;
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    for (int i = 0; i < N; i++)
        fds[i] = client_connect(&d);
    for (int i = 0; i < N; i++) { /* as each served connection closes, the next one is accepted */
        uint8_t frame[512];
        struct gf_writer w;
        gf_writer_init(&w, frame, sizeof frame);
        gf_hello_encode(&w, &(struct gf_hello){GF_VERSION_MIN, GF_VERSION, "test", "auto"});
        send_frame(fds[i], &w, GF_FRAME_HELLO, 1, NULL, 0, -1);
        expect_kind(fds[i], GF_FRAME_HELLO_REPLY, 1);
        run_send(fds[i], 2, 1);
        assert_int_equal(result_expect(fds[i], 1), 2);
        close(fds[i]);
        served++;
    }
    assert_int_equal(served, N);
    assert_int_equal(daemon_stop(&d), 0);
}

static void too_many_connections_are_turned_away(void **state)
{
    UNUSED(state);
    struct daemon d;
    daemon_start(&d, (const char *[]){"--devices", "cpu", "--max-connections", "2", NULL});
    int a = client_open(&d), b = client_open(&d), c = client_open(&d);
    send_simple(c, GF_FRAME_PING, 1); /* it may look on */
    expect_kind(c, GF_FRAME_PONG, 1);
    int e = client_connect(&d); /* there is one such */
    expect_error(e, 0, GF_E_BUSY, "2 connections, the limit");
    expect_end(e);
    free_send(c, 2, 1);
    expect_error(c, 2, GF_E_BUSY, "2 connections, the limit");
    expect_end(c);
    shutdown(b, SHUT_WR);
    expect_end(b);
    close(a);
    assert_int_equal(daemon_stop(&d), 0);
}

static void sighup_changes_all_or_nothing(void **state)
{
    UNUSED(state);
    struct daemon d;
    char path[128];
    daemon_init(&d, false);
    snprintf(path, sizeof path, "%s/conf", d.dir);
    static const char *const texts[] = {"[gpufilterd]\nmax-connections = 5\n",
                                        "max-connections = 1\nframe-timeout = soon\n", "max-connections = 1\n"};
    static const bool turned_away[] = {false, false, true};
    for (int i = 0; i < 3; i++) {
        FILE *f = fopen(path, "we");
        assert_non_null(f);
        fputs(texts[i], f);
        assert_int_equal(fclose(f), 0);
        if (i == 0) {
            daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", "--config", path, NULL});
            daemon_wait_ready(&d);
        } else
            kill(d.pid, SIGHUP);
        int a = client_open(&d), b = client_connect(&d);
        uint8_t frame[512];
        struct gf_writer w;
        gf_writer_init(&w, frame, sizeof frame);
        gf_hello_encode(&w, &(struct gf_hello){GF_VERSION_MIN, GF_VERSION, "test", "auto"});
        gf_writer_finish(&w, GF_FRAME_HELLO, 1, 0, 0);
        send(b, w.data, w.size, MSG_NOSIGNAL);
        expect_kind(b, GF_FRAME_HELLO_REPLY, 1);
        free_send(b, 2, 1);
        if (turned_away[i])
            expect_error(b, 2, GF_E_BUSY, "1 connections");
        else
            expect_error(b, 2, GF_E_NO_SUCH_HANDLE, "1");
        shutdown(a, SHUT_WR);
        expect_end(a);
        shutdown(b, SHUT_WR);
        expect_end(b);
    }
    assert_int_equal(daemon_stop(&d), 0);
}

static void bad_configuration_ends_with_78(void **state)
{
    UNUSED(state);
    struct daemon d;
    char path[128];
    daemon_init(&d, false);
    snprintf(path, sizeof path, "%s/conf", d.dir);
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs("[gpufilterd]\nsocket-mode = 660\nmax-inline = lots\n", f);
    assert_int_equal(fclose(f), 0);
    daemon_spawn(&d, "fake", (const char *[]){"--check-config", "--config", path, NULL});
    assert_int_equal(daemon_wait(&d), 78);
    gf_closep(&d.ready);
    d.ready = -1;
    daemon_spawn(&d, "fake", (const char *[]){"--no-such-option", NULL});
    assert_int_equal(daemon_wait(&d), 64);
    daemon_stop(&d);
}

static void a_socket_of_systemd_is_served_and_left_alone(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct stat st;
    daemon_init(&d, false);
    int listener = listen_at(d.socket);
    int early = client_connect(&d); /* waits since before the daemon */
    d.listener = listener;
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    uint8_t frame[512];
    struct gf_writer w;
    gf_writer_init(&w, frame, sizeof frame);
    gf_hello_encode(&w, &(struct gf_hello){GF_VERSION_MIN, GF_VERSION, "test", "auto"});
    send_frame(early, &w, GF_FRAME_HELLO, 1, NULL, 0, -1);
    run_send(early, 2, 4);
    expect_kind(early, GF_FRAME_HELLO_REPLY, 1);
    assert_int_equal(result_expect(early, 4), 2);
    daemon_wait_ready(&d);
    kill(d.pid, SIGTERM);
    assert_int_equal(daemon_wait(&d), 0);
    close(early);
    assert_int_equal(lstat(d.socket, &st), 0);
    early = client_connect(&d); /* for the next daemon */
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    daemon_wait_ready(&d);
    send_all(early, frame, w.size);
    expect_kind(early, GF_FRAME_HELLO_REPLY, 1);
    close(early);
    close(listener);
    assert_int_equal(daemon_stop(&d), 0);
}

/* One message of a notification socket. */
static void expect_notice(int fd, const char *part)
{
    char text[1024];
    do {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, GF_WAIT_MS), 1);
        ssize_t n = recv(fd, text, sizeof text - 1, 0);
        assert_true(n >= 0);
        text[n] = '\0';
    } while (!strstr(text, part));
}

static void systemd_hears_of_beginning_life_and_end(void **state)
{
    UNUSED(state);
    struct daemon d;
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    daemon_init(&d, false);
    snprintf(a.sun_path, sizeof a.sun_path, "%s/notify", d.dir);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    setenv("NOTIFY_SOCKET", a.sun_path, 1);
    setenv("WATCHDOG_USEC", "40000", 1);
    daemon_spawn(&d, "fake", (const char *[]){"--devices", "cpu", NULL});
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    expect_notice(fd, "READY=1");
    expect_notice(fd, "STATUS=cpu is ready");
    expect_notice(fd, "WATCHDOG=1");
    expect_notice(fd, "WATCHDOG=1");
    kill(d.pid, SIGTERM);
    expect_notice(fd, "STOPPING=1");
    assert_int_equal(daemon_wait(&d), 0);
    close(fd);
    daemon_stop(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_daemon_ends_with_75),
        cmocka_unit_test(a_stale_socket_is_replaced),
        cmocka_unit_test(sigterm_answers_what_was_sent),
        cmocka_unit_test(a_drain_has_an_end),
        cmocka_unit_test(a_worker_that_stays_is_killed_after_a_long_drain),
        cmocka_unit_test(an_idle_daemon_ends),
        cmocka_unit_test(running_out_of_descriptors_makes_clients_wait),
        cmocka_unit_test(too_many_connections_are_turned_away),
        cmocka_unit_test(sighup_changes_all_or_nothing),
        cmocka_unit_test(bad_configuration_ends_with_78),
        cmocka_unit_test(a_socket_of_systemd_is_served_and_left_alone),
        cmocka_unit_test(systemd_hears_of_beginning_life_and_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
