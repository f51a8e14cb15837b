/* SPDX-License-Identifier: MIT */
/* The addresses at which the library looks for a daemon, and the owners whose directories it trusts. */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/include/gpufilter/client.h"
#include "client/lib/discovery/address.h"
#include "client/lib/transport/channel.h"
#include "tests/support/resources.h"

static char *g_dir;
static const char *g_opened; /* a socket that a pause of the library makes usable; NULL: none */
static unsigned g_pauses;

/* Instead of libc's. */
int poll(struct pollfd *fds, nfds_t n, int ms)
{
    if (n == 0) {
        g_pauses++;
        return g_opened != NULL ? chmod(g_opened, 0600) : 0;
    }
    return ppoll(fds, n, &(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static int setup(void **state)
{
    UNUSED(state);
    g_dir = gf_temp_dir_new();
    return g_dir == NULL ? -1 : 0;
}

static int teardown(void **state)
{
    UNUSED(state);
    g_dir = gf_temp_dir_free(g_dir);
    return 0;
}

static struct gf_environment here(const char *socket, bool only_private)
{
    struct gf_environment s;
    assert_int_equal(gf_environment_read(socket, only_private, &s, NULL), GF_OK);
    return s;
}

static void caller_comes_before_environment(void **state)
{
    UNUSED(state);
    unsetenv("GPUFILTER_SOCKET");
    unsetenv("GPUFILTER_PRIVATE");
    assert_null(here(NULL, false).named);
    setenv("GPUFILTER_SOCKET", "/env", 1);
    assert_string_equal(here(NULL, false).named, "/env");
    assert_string_equal(here("/caller", false).named, "/caller");
    assert_null(here(NULL, true).named);
    setenv("GPUFILTER_SOCKET", "", 1);
    assert_null(here(NULL, false).named);
    setenv("XDG_RUNTIME_DIR", "relative", 1);
    assert_null(here(NULL, false).runtime_dir);
    assert_string_equal(here(NULL, false).system, "/run/gpufilter/gpufilterd.sock");
}

static void a_daemon_that_was_set_up_is_not_replaced(void **state)
{
    UNUSED(state);
    char path[200];
    snprintf(path, sizeof(path), "%s/system", g_dir);
    assert_true(gf_daemon_is_set_up(&(struct gf_environment){.named = "/none"}));
    assert_false(gf_daemon_is_set_up(&(struct gf_environment){.system = NULL})); /* only the private one is wanted */
    struct gf_environment s = {.system = path, .booted = "/none"};
    assert_false(gf_daemon_is_set_up(&s));
    s.booted = g_dir; /* systemd runs here, and the directory of the system's socket exists */
    assert_true(gf_daemon_is_set_up(&s));
    s.system = "/none/system";
    assert_false(gf_daemon_is_set_up(&s));
    s = (struct gf_environment){.system = path, .booted = "/none"};
    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600)); /* like the socket of a daemon that has ended */
    assert_true(gf_daemon_is_set_up(&s));
}

/* Connects as uid 65001 without groups, in a process of its own. Returns the status, and the text of an error. */
static enum gf_status connect_as_user(const char *path, const char *opened, char text[GF_ERROR_TEXT])
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct gf_error err = {.text = ""};
        uid_t uid;
        int fd = -1;
        g_opened = opened;
        bool user = setgid(65001) == 0 && setuid(65001) == 0;
        enum gf_status status = gf_socket_connect(path, gf_after_ms(60000), &fd, &uid, &err);
        bool told = write(ends[1], err.text, sizeof(err.text)) == sizeof(err.text);
        _exit(user && told && g_pauses <= 1 ? (int)status : 255);
    }
    int how = 0;
    close(ends[1]);
    assert_int_equal(read(ends[0], text, GF_ERROR_TEXT), GF_ERROR_TEXT);
    close(ends[0]);
    assert_int_equal(waitpid(pid, &how, 0), pid);
    assert_true(WIFEXITED(how));
    return (enum gf_status)WEXITSTATUS(how);
}

/* systemd makes its socket as root:root and gives it to the group a moment later; nobody is to join the group root. */
static void nobody_is_told_to_join_root(void **state)
{
    UNUSED(state);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *path = address.sun_path, text[GF_ERROR_TEXT], wanted[GF_ERROR_TEXT];
    if (geteuid() != 0) {
        print_message("skipped: needs root to be another user\n");
        skip();
    }
    snprintf(path, sizeof(address.sun_path), "%s/system", g_dir);
    assert_int_equal(chmod(g_dir, 0755), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(fd, 4), 0);
    assert_int_equal(chmod(path, 0660), 0);
    assert_int_equal(connect_as_user(path, NULL, text), GF_E_NOT_PERMITTED);
    snprintf(wanted, sizeof(wanted),
             "%s is only for uid 0 and the group root: ask the administrator to give the socket a group for users "
             "(SocketGroup= in gpufilterd.socket)",
             path);
    assert_string_equal(text, wanted);
    assert_int_equal(chown(path, 0, 65002), 0);
    assert_int_equal(connect_as_user(path, NULL, text), GF_E_NOT_PERMITTED);
    snprintf(wanted, sizeof(wanted),
             "%s is for members of group 65002: sudo usermod -aG 65002 $USER, then log in again", path);
    assert_string_equal(text, wanted);
    assert_int_equal(chown(path, 65001, 0), 0); /* as its owner the user may open it meanwhile */
    assert_int_equal(chmod(path, 0060), 0);
    assert_int_equal(connect_as_user(path, path, text), GF_OK);
    close(fd);
}

static void a_wait_is_in_seconds(void **state)
{
    UNUSED(state);
    static const struct {
        const char *text;
        uint32_t ms;
    } good[] = {{"", 0}, {"0", 0}, {"0.0001", 1}, {"1.5", 1500}, {"2.0001", 2001}, {"86400", 86400000}};
    static const char *const bad[] = {"-1", "86400.1", "nan", "inf", "5s", " ", "soon"};
    uint32_t ms = 1;
    struct gf_error err;
    char wanted[100];
    unsetenv("GPUFILTER_WAIT");
    assert_int_equal(gf_environment_wait_ms(&ms, &err), GF_OK);
    assert_int_equal(ms, 0);
    for (unsigned i = 0; i < GF_ARRAY_LEN(good); i++) {
        setenv("GPUFILTER_WAIT", good[i].text, 1);
        assert_int_equal(gf_environment_wait_ms(&ms, &err), GF_OK);
        assert_int_equal(ms, good[i].ms);
    }
    for (unsigned i = 0; i < GF_ARRAY_LEN(bad); i++) {
        setenv("GPUFILTER_WAIT", bad[i], 1);
        assert_int_equal(gf_environment_wait_ms(&ms, &err), GF_E_BAD_ARGUMENT);
        snprintf(wanted, sizeof(wanted), "GPUFILTER_WAIT=%s; allowed: 0..86400 seconds", bad[i]);
        assert_string_equal(err.text, wanted);
    }
    assert_int_equal(ms, 86400000);
    unsetenv("GPUFILTER_WAIT");
}

static void private_daemons_are_asked_for(void **state)
{
    UNUSED(state);
    struct gf_environment s;
    struct gf_error err;
    unsetenv("GPUFILTER_SOCKET");
    assert_null(here(NULL, true).system);
    setenv("GPUFILTER_PRIVATE", "1", 1);
    assert_null(here(NULL, false).system);
    assert_non_null(here("/caller", false).system);
    setenv("GPUFILTER_SOCKET", "/env", 1);
    assert_int_equal(gf_environment_read(NULL, false, &s, &err), GF_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "GPUFILTER_SOCKET and GPUFILTER_PRIVATE=1 name two daemons; unset one of them");
    setenv("GPUFILTER_PRIVATE", "0", 1);
    assert_string_equal(here(NULL, false).named, "/env");
    setenv("GPUFILTER_PRIVATE", "yes", 1);
    assert_int_equal(gf_environment_read(NULL, false, &s, &err), GF_E_BAD_ARGUMENT);
    assert_string_equal(err.text, "GPUFILTER_PRIVATE=yes; allowed: 0 and 1");
    unsetenv("GPUFILTER_SOCKET");
    unsetenv("GPUFILTER_PRIVATE");
}

static void private_socket_carries_user_and_protocol(void **state)
{
    UNUSED(state);
    struct gf_environment s = {.runtime_dir = "/run/user/7", .temp_dir = "/tmp", .uid = 7};
    char dir[GF_SOCKET_PATH], path[GF_SOCKET_PATH], deep[120];
    struct gf_error err;
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_OK);
    assert_string_equal(dir, "/run/user/7/gpufilter");
    assert_int_equal(gf_private_socket(dir, path, &err), GF_OK);
    assert_string_equal(path, "/run/user/7/gpufilter/gpufilterd-1.sock");
    s.runtime_dir = NULL;
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_OK);
    assert_string_equal(dir, "/tmp/gpufilter-7");
    memset(deep, 'a', sizeof(deep) - 1);
    deep[0] = '/';
    deep[sizeof(deep) - 1] = '\0';
    s.runtime_dir = deep;
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_E_BAD_ARGUMENT);
}

/* Another user made TEMP/gpufilter-UID: a directory beside it is used, the same one by every process of the user. */
static void a_squatted_name_is_stepped_aside_from(void **state)
{
    UNUSED(state);
    uid_t me = geteuid();
    struct gf_environment s = {.temp_dir = g_dir, .uid = me + 1}; /* whom the test's own directory is not for */
    char taken[GF_SOCKET_PATH], dir[GF_SOCKET_PATH], again[GF_SOCKET_PATH];
    struct gf_error err;
    snprintf(taken, sizeof(taken), "%s/gpufilter-%u", g_dir, (unsigned)s.uid);
    assert_int_equal(mkdir(taken, 0700), 0);
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_OK);
    assert_memory_equal(dir, taken, strlen(taken));
    assert_int_equal(strlen(dir), strlen(taken) + strlen(".XXXXXX"));
    assert_int_equal(rmdir(dir), 0);
    assert_int_equal(rmdir(taken), 0);
    if (me != 0) {
        print_message("skipped: needs root to give the name away\n");
        skip();
    }
    s.uid = me;
    snprintf(taken, sizeof(taken), "%s/gpufilter-%u", g_dir, (unsigned)me);
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_OK);
    assert_string_equal(dir, taken); /* free */
    assert_int_equal(mkdir(taken, 0700), 0);
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_OK);
    assert_string_equal(dir, taken); /* one's own */
    assert_int_equal(chown(taken, 65001, 65001), 0);
    snprintf(again, sizeof(again), "%.100s.AAAAAA", taken); /* what he puts there is no use either */
    assert_int_equal(mkdir(again, 0700), 0);
    assert_int_equal(chown(again, 65001, 65001), 0);
    assert_int_equal(gf_private_dir(&s, dir, &err), GF_OK);
    assert_string_not_equal(dir, taken);
    assert_string_not_equal(dir, again);
    assert_int_equal(gf_private_dir(&s, again, &err), GF_OK);
    assert_string_equal(again, dir); /* found again */
}

/* Opens DIR/gpufilter as that user. */
static enum gf_status open_as(uid_t uid, bool create, int *ret_fd, struct gf_error *err)
{
    struct gf_environment s = {.runtime_dir = g_dir, .uid = uid};
    char path[GF_SOCKET_PATH];
    assert_int_equal(gf_private_dir(&s, path, err), GF_OK);
    return gf_private_dir_open(&s, path, create, ret_fd, err);
}

static void private_directory_must_be_the_users_own(void **state)
{
    UNUSED(state);
    char path[200], other[200];
    struct gf_error err;
    int fd = 5;
    snprintf(path, sizeof(path), "%s/gpufilter", g_dir);
    snprintf(other, sizeof(other), "%s/other", g_dir);
    assert_int_equal(open_as(geteuid(), false, &fd, &err), GF_OK);
    assert_int_equal(fd, -1); /* not there */
    assert_int_equal(open_as(geteuid(), true, &fd, &err), GF_OK);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(open_as(geteuid() + 1, false, &fd, &err), GF_E_NOT_PERMITTED);
    assert_int_equal(chmod(path, 0750), 0);
    assert_int_equal(open_as(geteuid(), true, &fd, &err), GF_E_NOT_PERMITTED);
    assert_non_null(strstr(err.text, "mode 0750"));
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink("other", path), 0);
    assert_int_equal(open_as(geteuid(), true, &fd, &err), GF_E_NOT_PERMITTED);
}

static void nobody_there_is_no_daemon(void **state)
{
    UNUSED(state);
    char path[200];
    struct gf_error err;
    uid_t uid;
    int fd = -1;
    snprintf(path, sizeof(path), "%s/none", g_dir);
    assert_int_equal(gf_socket_connect(path, gf_after_ms(60000), &fd, &uid, &err), GF_E_NO_DAEMON);
    assert_non_null(strstr(err.text, "/none: No such file or directory"));
    assert_int_equal(fd, -1);
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_error error;
    gpufilter_client *client = NULL;
    options.socket = path;
    options.autostart = 1; /* not for a socket that was named */
    assert_int_equal(gpufilter_open(&options, &client, &error), GPUFILTER_E_NO_DAEMON);
    assert_non_null(strstr(error.text, path));
    assert_null(client);
}

static void bad_options_are_refused(void **state)
{
    UNUSED(state);
    gpufilter_options options = GPUFILTER_OPTIONS_INIT;
    gpufilter_client *client = NULL;
    options.autostart = 2;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_BAD_ARGUMENT);
    options = (gpufilter_options)GPUFILTER_OPTIONS_INIT;
    options.device = "no blanks";
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_BAD_ARGUMENT);
    options = (gpufilter_options)GPUFILTER_OPTIONS_INIT;
    options.server_uid = -2;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_BAD_ARGUMENT);
    options = (gpufilter_options)GPUFILTER_OPTIONS_INIT;
    options.only_private = 2;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_BAD_ARGUMENT);
    options.only_private = 1;
    options.socket = "/both";
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_BAD_ARGUMENT);
    options = (gpufilter_options)GPUFILTER_OPTIONS_INIT;
    options.struct_size = 0;
    assert_int_equal(gpufilter_open(&options, &client, NULL), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_open(NULL, NULL, NULL), GPUFILTER_E_BAD_ARGUMENT);
    assert_int_equal(gpufilter_ping(NULL, NULL, NULL), GPUFILTER_E_BAD_ARGUMENT);
    assert_null(gpufilter_close(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caller_comes_before_environment),
        cmocka_unit_test_setup_teardown(a_daemon_that_was_set_up_is_not_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_is_told_to_join_root, setup, teardown),
        cmocka_unit_test(a_wait_is_in_seconds),
        cmocka_unit_test(private_daemons_are_asked_for),
        cmocka_unit_test(private_socket_carries_user_and_protocol),
        cmocka_unit_test_setup_teardown(private_directory_must_be_the_users_own, setup, teardown),
        cmocka_unit_test_setup_teardown(a_squatted_name_is_stepped_aside_from, setup, teardown),
        cmocka_unit_test_setup_teardown(nobody_there_is_no_daemon, setup, teardown),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
