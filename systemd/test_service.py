#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The daemon under a service manager, which the test plays: passed sockets, notifications, separate workers.

GF_DAEMON, GF_WORKER, GF_CLIENT and GF_FAKE_WORKER name the programs. A test waits for notifications of the daemon, never for time.
"""
import os
import shlex
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import skips  # noqa: F401  pylint: disable=unused-import
from other_users import open_programs

if os.geteuid() == 0:
    open_programs()
DAEMON, WORKER, CLIENT, FAKE_WORKER = (os.environ[name] for name in ("GF_DAEMON", "GF_WORKER", "GF_CLIENT",
                                                                      "GF_FAKE_WORKER"))
TIMEOUT = 120  # seconds, for a program that hangs
SO_TIMESTAMPNS = 35
# Does what systemd does between fork and exec: passes descriptors from 3 on, names them and the process in the
# environment, and becomes the unit's user, if there is one.
STARTER = """
import os, sys
fds, names, user, *program = sys.argv[1:]
for number, fd in enumerate(fds.split(",")):
    os.dup2(int(fd), 3 + number)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(number + 1), LISTEN_FDNAMES=names)
if user:
    os.setgroups([])
    os.setgid(int(user))
    os.setuid(int(user))
os.execv(program[0], program)
"""
PIXELS = bytes([10, 20, 30, 40, 50, 60])


class Notifications:
    """The receiving end of NOTIFY_SOCKET; keeps each line with the time at which it was sent."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        self.socket.settimeout(TIMEOUT)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.lines = []

    def status(self):
        """Waits for a status, and returns its text."""
        return self.wait("STATUS=")[1].partition("=")[2]

    def reload(self):
        """Waits for the end of a reload, and returns the status after it."""
        for part in ("RELOADING=1", "MONOTONIC_USEC=", "READY=1"):
            self.wait(part)
        return self.status()

    def wait(self, part):
        """Returns the next line that contains this text, and drops all lines before it."""
        while True:
            while self.lines:
                when, line = self.lines.pop(0)
                if part in line:
                    return when, line
            data, ancillary, _, _ = self.socket.recvmsg(4096, 256)
            (when,) = [struct.unpack("qq", told) for _, kind, told in ancillary if kind == SO_TIMESTAMPNS]
            self.lines = [(when[0] + when[1] / 1e9, line) for line in data.decode().splitlines()]


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gf-service-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.path = os.path.join(self.dir, "d.sock")
        self.workers = os.path.join(self.dir, "w.sock")
        self.conf = self.write("conf", b"")
        self.input = self.write("in.raw", PIXELS)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("GPUFILTER_")}
        self.env.update(GPUFILTER_SOCKET=self.path, NOTIFY_SOCKET=os.path.join(self.dir, "notify"))
        self.told = Notifications(self.env["NOTIFY_SOCKET"])
        self.addCleanup(self.told.socket.close)
        self.fakes = []

    def write(self, name, data):
        path = os.path.join(self.dir, name)
        with open(path, "wb") as f:
            f.write(data)
        return path

    def start(self, argv, **options):
        env = dict(self.env, **options.pop("env", {}))
        process = subprocess.Popen(argv, env=env, stderr=subprocess.PIPE, **options)
        self.addCleanup(process.__exit__, None, None, None)
        self.addCleanup(process.kill)
        return process

    def daemon(self, *options, start=(), devices="cpu", **popen):
        return self.start([*start, DAEMON, "--config", self.conf, "--worker", WORKER, "--devices", devices, *options],
                          **popen)

    def worker(self, user=None, told=None):
        """A worker that joins; `told`: where it sends its notifications, otherwise nowhere."""
        return self.start([WORKER, "--device", "cpu", "--front", self.workers], user=user, group=user,
                          env={"NOTIFY_SOCKET": told or ""}, extra_groups=None if user is None else [])

    def notified(self, name):
        """The path of another notification socket, and what is sent to it."""
        path = os.path.join(self.dir, name)
        told = Notifications(path)
        self.addCleanup(told.socket.close)
        return path, told

    def front(self, devices):
        """A daemon, returned when workers can connect to it."""
        daemon = self.daemon("--socket", self.path, "--worker-socket", self.workers, devices=devices)
        while not os.path.exists(self.workers):
            self.assertIsNone(daemon.poll(), "the daemon ended")
            time.sleep(0.005)
        return daemon

    def listener(self, path=None, kind=socket.SOCK_STREAM):
        listener = socket.socket(socket.AF_UNIX, kind)
        self.addCleanup(listener.close)
        listener.bind(path or self.path)
        listener.listen(16)
        return listener

    def passed(self, *fds, names="gpufilterd", user="", options=(), devices="cpu"):
        """A daemon that is given these descriptors."""
        return self.daemon(*options, start=(sys.executable, "-c", STARTER, ",".join(map(str, fds)), names, str(user)),
                           devices=devices, pass_fds=fds)

    def fake(self, device):
        """A worker that serves a device that this machine need not have."""
        join = ("import os, socket, sys; s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(sys.argv[1]); "
                "os.dup2(s.fileno(), 3); os.set_inheritable(3, True); os.execv(sys.argv[2], sys.argv[2:])")
        self.fakes.append(self.start([sys.executable, "-c", join, self.workers, FAKE_WORKER, "--device", device]))

    def client(self, source=None, shape="3x2x1:u8", sigma="2"):
        return self.start([CLIENT, "gaussian", "--sigma", sigma, "--raw", shape, "--format", "raw", "--device", "cpu",
                           source or self.input, "-"], stdout=subprocess.PIPE)

    def answer(self, client):
        out, err = client.communicate(timeout=TIMEOUT)
        self.assertEqual(client.returncode, 0, err.decode())
        return out

    def figure(self, name):
        """The line of this metric in the daemon's output for Prometheus."""
        client = self.start([CLIENT, "metrics", "--prometheus"], stdout=subprocess.PIPE)
        return next(line for line in self.answer(client).decode().splitlines() if line.startswith(name + " "))

    def until(self, is_so):
        end = time.monotonic() + TIMEOUT
        while not is_so():
            self.assertLess(time.monotonic(), end)

    def ended(self, process, code=0):
        """Waits for the end of a process, and returns its log."""
        _, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, code, err.decode())
        return err.decode()

    def end(self, process):
        """Ends a process as a service manager does, and returns its log."""
        process.terminate()
        return self.ended(process)


class Sockets(Case):
    def test_a_passed_socket_is_served_and_left_alone(self):
        listener = self.listener()
        first = self.passed(listener.fileno())
        want = self.answer(self.client())
        self.assertEqual(len(want), len(PIXELS))
        self.end(first)
        self.assertTrue(os.path.exists(self.path))
        self.assertFalse(os.path.exists(self.path + ".lock"))
        # A client that connects while no daemon runs waits for the next daemon.
        waiting = self.client()
        second = self.passed(listener.fileno())
        self.assertEqual(self.answer(waiting), want)
        self.end(second)

    def test_it_is_started_by_the_first_client(self):
        activate = shutil.which("systemd-socket-activate")
        if not activate:
            self.skipTest("no systemd-socket-activate on this machine")
        daemon = self.daemon(start=(activate, "-l", self.path, "--fdname=gpufilterd", "-E", "NOTIFY_SOCKET"))
        self.assertIn(b"Listening on " + self.path.encode(), daemon.stderr.readline())
        self.assertEqual(len(self.answer(self.client())), len(PIXELS))
        self.told.wait("READY=1")
        self.end(daemon)
        self.assertTrue(os.path.exists(self.path))

    def test_what_cannot_be_listened_on_is_refused(self):
        with open(self.conf, "rb") as f:
            err = self.ended(self.passed(f.fileno()), 64)
        self.assertIn("must be a listening Unix stream socket", err)


@unittest.skipUnless("GF_METRICS" in os.environ, "a build without libmicrohttpd")
class Metrics(Case):
    """The socket of gpufilterd-metrics.socket, by its name."""

    def ask(self, listener, path):
        with socket.socket(listener.family) as s:
            s.settimeout(TIMEOUT)
            s.connect(listener.getsockname())
            s.sendall(b"GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path.encode())
            head, _, body = b"".join(iter(lambda: s.recv(65536), b"")).decode().partition("\r\n\r\n")
        return head.split()[1], body

    def tcp(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        return listener

    def test_a_passed_socket_is_served_and_left_open(self):
        clients, path = self.listener(), os.path.join(self.dir, "m.sock")
        for listener in (self.tcp(), self.listener(path)):
            for fds, names in (((clients, listener), "gpufilterd:metrics"), ((listener, clients), "metrics:other")):
                daemon = self.passed(*[s.fileno() for s in fds], names=names)
                self.told.wait("READY=1")
                self.assertEqual(self.ask(listener, "/readyz"), ("200", "ready: cpu is ready\n"))
                self.assertIn("\ngpufilter_connections_open 0\n", self.ask(listener, "/metrics")[1])
                self.assertEqual(len(self.answer(self.client())), len(PIXELS))
                self.end(daemon)
        self.assertTrue(os.path.exists(path))

    def test_a_scrape_between_two_daemons_waits_for_the_next(self):
        clients, listener = self.listener(), self.tcp()
        fds = clients.fileno(), listener.fileno()
        first = self.passed(*fds, names="gpufilterd:metrics")
        self.told.wait("READY=1")
        self.end(first)
        answers = []
        waiting = threading.Thread(target=lambda: answers.append(self.ask(listener, "/healthz")))
        waiting.start()
        daemon = self.passed(*fds, names="gpufilterd:metrics")
        waiting.join(TIMEOUT)
        self.assertEqual(answers, [("200", "ok\n")])
        self.end(daemon)

    def test_it_is_no_socket_for_clients(self):
        daemon = self.passed(self.tcp().fileno(), names="metrics", options=("--socket", self.path))
        self.told.wait("READY=1")
        self.assertEqual(len(self.answer(self.client())), len(PIXELS))
        self.end(daemon)

    def test_what_cannot_be_listened_on_is_refused(self):
        with open(self.conf, "rb") as f:
            err = self.ended(self.passed(self.listener().fileno(), f.fileno(), names="gpufilterd:metrics"), 64)
        self.assertIn('passed as "metrics", must be a listening stream socket', err)
        err = self.ended(self.passed(self.listener(os.path.join(self.dir, "2")).fileno(), self.tcp().fileno(),
                                     names="gpufilterd:metrics", options=("--metrics-listen", "127.0.0.1:1")), 64)
        self.assertIn("metrics-listen=127.0.0.1:1: a socket for metrics was passed as well", err)
        err = self.ended(self.passed(self.tcp().fileno(), names="other"), 64)
        self.assertIn("must be a listening Unix stream socket", err)


class Users(Case):
    """As in the units: daemon and worker run as different users and share two passed sockets."""

    FRONT, WORKER, OTHER = 65001, 65002, 65003

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("needs root for other users")
        os.chmod(self.dir, 0o711)
        os.chmod(self.conf, 0o644)
        os.chmod(self.env["NOTIFY_SOCKET"], 0o666)
        self.joining = self.listener(self.workers, socket.SOCK_SEQPACKET)
        os.chown(self.workers, self.WORKER, self.WORKER)
        os.chmod(self.workers, 0o600)

    def front(self, *options):
        # Keeps them clear of the descriptor numbers that the programs get.
        fds = [os.dup(os.dup(s.fileno())) for s in (self.listener(), self.joining)]
        return self.passed(*fds, names="gpufilterd:workers", user=self.FRONT, options=options, devices="none")

    def test_a_worker_of_another_user_serves_and_ends_with_the_front(self):
        front = self.front()
        err = self.ended(self.worker(self.OTHER), 75)
        self.assertIn("cannot reach the front at", err)
        self.assertIn("Permission denied", err)
        self.told.wait("READY=1")  # without a device of its own it has nothing to wait for
        worker = self.worker(self.WORKER)
        self.told.wait("cpu is ready")
        os.chmod(self.path, 0o666)
        self.assertEqual(len(self.answer(self.client())), len(PIXELS))
        source = self.write("large.raw", bytes(range(256)) * (1024 * 1024 * 4 // 256))
        self.assertEqual(len(self.answer(self.client(source, "2048x2048x1:u8"))), 1 << 22)
        front.kill()
        front.wait(TIMEOUT)
        self.ended(worker)

    def test_one_socket_for_workers_is_enough(self):
        front = self.front("--worker-socket", os.path.join(self.dir, "second.sock"))
        self.assertIn("a second socket for workers", self.ended(front, 64))


class Restarts(Case):
    """Daemons, one after another, serve a socket that stays open; some are ended and some killed, under load."""

    ENDS = (signal.SIGTERM, signal.SIGKILL) * 4

    def load(self, stop, outcomes):
        while not stop.is_set():
            client = self.client()
            out, err = client.communicate(timeout=TIMEOUT)
            outcomes.append((client.returncode, out, err))

    def test_nobody_notices_restarts(self):
        listener = self.listener()
        daemon = self.passed(listener.fileno())
        want = self.answer(self.client())
        stop, outcomes = threading.Event(), []
        clients = [threading.Thread(target=self.load, args=(stop, outcomes)) for _ in range(3)]
        for client in clients:
            client.start()
        for end in self.ENDS:
            before = len(outcomes)
            while len(outcomes) < before + 6:  # so that some requests are in flight
                clients[0].join(0.001)
            daemon.send_signal(end)
            self.ended(daemon, 0 if end == signal.SIGTERM else -end)
            daemon = self.passed(listener.fileno())
        self.answer(self.client())
        stop.set()
        for client in clients:
            client.join()
        self.end(daemon)
        self.assertEqual([o for o in outcomes if o[0] != 0 or o[1] != want], [])
        self.assertGreater(len(outcomes), 6 * len(self.ENDS))


class Notify(Case):
    def test_ready_status_reload_and_stop(self):
        daemon = self.daemon("--socket", self.path)
        self.told.wait("READY=1")
        self.assertIn("cpu is ready", self.told.status())
        daemon.send_signal(signal.SIGHUP)
        self.assertEqual(self.told.reload(), "cpu is ready")
        self.write("conf", b"no-such-option = 1\n")
        daemon.send_signal(signal.SIGHUP)
        refused = "configuration not changed: %s:1: unknown option 'no-such-option'; see gpufilterd --help" % self.conf
        self.assertEqual(self.told.reload(), "cpu is ready; " + refused)
        self.write("conf", b"max-inline = 1M\ndevices = none\nuser-requests = 7\n")
        daemon.send_signal(signal.SIGHUP)
        later = "takes effect at the next start: max-inline"  # the command line already sets devices
        self.assertEqual(self.told.status(), "cpu is ready; " + later)
        self.write("conf", b"")
        daemon.send_signal(signal.SIGHUP)
        self.assertEqual(self.told.status(), "cpu is ready")
        daemon.terminate()
        self.told.wait("STOPPING=1")
        log = self.end(daemon)
        self.assertIn("configuration reloaded; " + later, log)
        self.assertIn(refused, log)

    def test_a_reload_of_the_unit_fails_where_the_configuration_is_wrong(self):
        """Runs the ExecReload lines as systemd does: the first failing line ends the reload. The daemon is told first,
        so that its status has the reason."""
        with open(os.environ["GF_UNIT"]) as f:
            lines = [line.split("=", 1) for line in f.read().splitlines() if line.startswith("Exec")]
        commands = [shlex.split(line[1].replace("$$", "$")) for line in lines if line[0] == "ExecReload"]
        (start,) = [line[1].split() for line in lines if line[0] == "ExecStart"]
        self.assertEqual(commands, [["/bin/sh", "-c", "kill -HUP $MAINPID"], start + ["--check-config"]])
        self.write("conf", b"user-requests = 7\n")
        daemon = self.daemon("--socket", self.path)
        self.told.wait("STATUS=cpu is ready")

        def reload():
            for command in commands:
                if command == commands[1]:
                    command = [DAEMON] + command[1:] + ["--config", self.conf]
                r = subprocess.run(command, env=dict(self.env, MAINPID=str(daemon.pid)), capture_output=True, timeout=TIMEOUT)
                if r.returncode != 0:
                    return r.returncode, r.stderr.decode()
            return 0, ""

        self.write("conf", b"user-requests = many\n")
        code, err = reload()
        self.assertEqual(code, 78)
        why = "%s:1: user-requests=many; allowed: 1..1000000" % self.conf
        self.assertIn(why, err)
        self.assertEqual(self.told.reload(), "cpu is ready; configuration not changed: " + why)
        self.assertEqual(self.limit(), 7)
        self.write("conf", b"user-requests = 5\n")
        self.assertEqual(reload(), (0, ""))
        self.assertEqual(self.told.reload(), "cpu is ready")
        self.assertEqual(self.limit(), 5)
        log = self.end(daemon)
        self.assertEqual(log.count("configuration reloaded"), 1)
        self.assertEqual(log.count("configuration not changed: " + why), 1)

    def limit(self):
        """The daemon's limit of concurrent requests of a user."""
        return int(self.figure('gpufilter_limit{resource="requests"}').split()[1])

    def test_the_watchdog_is_fed_twice_per_period(self):
        period = 2.0
        daemon = self.daemon("--socket", self.path, env={"WATCHDOG_USEC": str(int(period * 1e6))})
        times = [self.told.wait("WATCHDOG=1")[0] for _ in range(6)]
        gaps = [b - a for a, b in zip(times, times[1:])]
        self.assertLess(statistics.median(gaps), period, gaps)
        self.assertGreater(sum(gaps), len(gaps) * period / 4, gaps)
        self.end(daemon)

    def test_a_watchdog_of_another_process_is_not_ours(self):
        daemon = self.daemon("--socket", self.path, env={"WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1"})
        self.told.wait("READY=1")
        self.answer(self.client())
        self.end(daemon)
        lines = []
        self.told.socket.setblocking(False)
        try:
            while True:
                lines.append(self.told.socket.recv(4096).decode())
        except BlockingIOError:
            pass
        self.assertIn("STOPPING=1", "".join(lines))
        self.assertNotIn("WATCHDOG", "".join(lines))


class Workers(Case):
    def test_a_worker_joins_leaves_and_joins_again(self):
        front = self.front("none")
        first = self.worker()
        self.told.wait("READY=1")
        want = self.answer(self.client())
        self.end(first)
        self.told.wait("its worker was stopped")
        waiting = self.client()
        second = self.worker()
        self.told.wait("cpu is ready")
        self.assertEqual(self.answer(waiting), want)
        log = self.end(front)
        self.assertIn("gpufilterd: worker of cpu was stopped: tasks=0", log)
        self.assertNotIn("killing", log)
        self.assertEqual(self.ended(second), "")

    def test_only_a_worker_that_ends_by_itself_is_a_death(self):
        front = self.front("cpu")
        deaths = 'gpufilter_device_deaths_total{device="cuda:0"}'
        self.fake("cuda:0")
        self.told.wait("cuda:0 is ready")
        self.assertEqual(self.figure(deaths), deaths + " 0")
        fake = self.fakes.pop()
        fake.send_signal(signal.SIGUSR1)  # says goodbye and ends
        self.ended(fake)
        self.told.wait("cuda:0 is absent (its worker was stopped)")
        self.assertEqual(self.figure(deaths), deaths + " 0")
        client = self.start([CLIENT, "metrics", "--prometheus"], stdout=subprocess.PIPE)
        metrics = self.answer(client)
        self.assertNotIn(b'device_stopped{device="cuda:0"}', metrics)
        self.assertNotIn(b'device_state{device="cuda:0"}', metrics)  # nobody misses it, so no alert fires
        client = self.start([CLIENT, "devices"], stdout=subprocess.PIPE)
        self.assertIn(b"cuda:0  absent", self.answer(client))
        self.fake("cuda:0")
        self.told.wait("cuda:0 is ready")
        self.fakes[-1].kill()
        self.told.wait("cuda:0 is restarting (its worker left)")
        self.assertEqual(self.figure(deaths), deaths + " 1")
        log = self.end(front)
        self.assertIn("gpufilterd: worker of cuda:0 was stopped: tasks=0", log)
        self.assertIn("warning: worker of cuda:0 left: tasks=0", log)

    def test_a_worker_has_started_when_the_front_has_taken_it(self):
        """So that systemctl enable --now fails where the worker cannot serve."""
        path, told = self.notified("first")
        refused, none = self.notified("second")
        listener = self.listener(self.workers, socket.SOCK_SEQPACKET)  # nobody takes it yet, as between two fronts
        first = self.worker(told=path)
        accepted = listener.accept()[0]
        self.addCleanup(accepted.close)
        self.assertEqual(accepted.recv(1 << 16)[6:8], b"\x40\0")  # its hello, 64
        told.socket.setblocking(False)
        self.assertRaises(BlockingIOError, told.socket.recv, 4096)
        told.socket.settimeout(TIMEOUT)
        accepted.send(struct.pack("<4sHHHHIQQ", b"GFPW", 1, 7, 0, 0, 0, 0, 0))  # a question, 7
        told.wait("READY=1")
        first.terminate()
        told.wait("STOPPING=1")
        goodbye = [accepted.recv(1 << 16), accepted.recv(1 << 16)][1]
        self.assertIn(b"told to end", goodbye)
        self.ended(first)
        listener.close()
        os.unlink(self.workers)
        front = self.front("cpu")
        self.ended(self.worker(told=refused), 75)
        none.socket.setblocking(False)
        self.assertRaises(BlockingIOError, none.socket.recv, 4096)
        self.end(front)

    def test_no_call_fails_however_often_the_front_is_killed(self):
        """The unit has no start limit, and its socket stays: clients wait there."""
        listener, over, done = self.listener(), threading.Event(), []

        def call():
            while not over.is_set():
                client = self.client()
                _, err = client.communicate(timeout=TIMEOUT)
                done.append((client.returncode, err))

        threads = [threading.Thread(target=call) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(7):
                daemon = self.passed(listener.fileno())
                self.told.wait("READY=1")
                enough = len(done) + 6
                while len(done) < enough:
                    self.assertIsNone(daemon.poll())
                    time.sleep(0.005)
                daemon.kill()
                daemon.communicate(timeout=TIMEOUT)
            daemon = self.passed(listener.fileno())
            self.told.wait("READY=1")
        finally:
            over.set()
            for thread in threads:
                thread.join()
        self.assertGreaterEqual(len(done), 7 * 6)
        self.assertEqual([failed for failed in done if failed != (0, b"")], [])
        self.end(daemon)

    def test_a_device_has_one_worker(self):
        front = self.front("none")
        first = self.worker()
        self.told.wait("READY=1")
        second = self.worker()
        self.assertEqual(self.ended(second, 75), "gpufilterd-worker: cpu: the daemon refuses this worker: the device already "
                                                 "has a worker\n")
        self.answer(self.client())
        log = self.end(front)
        self.assertIn("worker refused: the device already has a worker device=cpu pid=%d" % second.pid, log)
        self.ended(first)

    def test_a_device_of_the_daemon_itself_cannot_be_joined(self):
        front = self.front("cpu")
        self.told.wait("READY=1")
        _, err = self.worker().communicate(timeout=TIMEOUT)
        self.assertIn(b"refuses this worker: the daemon starts this device's worker itself\n", err)
        self.answer(self.client())
        log = self.end(front)
        self.assertIn("worker refused: the daemon starts this device's worker itself device=cpu", log)

    def test_jobs_of_a_worker_that_is_told_to_end_are_answered(self):
        front = self.front("none")
        first = self.worker()
        self.told.wait("READY=1")
        source = self.write("large.raw", bytes(range(256)) * (1024 * 1024 * 4 // 256))
        clients = [self.client(source, "2048x2048x1:u8", "8") for _ in range(6)]
        want = self.answer(clients[0])
        self.end(first)
        self.told.wait("its worker was stopped")
        second = self.worker()
        for client in clients[1:]:
            self.assertEqual(self.answer(client), want)
        self.end(front)
        self.ended(second)

    def test_a_worker_without_a_front_says_so(self):
        self.assertIn("cannot reach the front at " + self.workers, self.ended(self.worker(), 75))

    def with_cuda_beside(self, text, mode=0o755):
        """Copies the worker, and writes `text` beside it as the worker with CUDA; None: there is no such worker."""
        copy = shutil.copy(WORKER, os.path.join(self.dir, "worker"))
        if text is not None:
            os.chmod(self.write("worker-cuda", text), mode)
        return copy

    def test_a_worker_of_a_gpu_becomes_the_one_with_cuda(self):
        with_cuda = b"#!/bin/sh\necho became \"$@\" >&2\nexit 9\n"
        for device, front, text, mode, code, said in [
            ("cuda0", self.workers, with_cuda, 0o755, 9, "became --device cuda0 --front " + self.workers),
            ("GPU-1234", "fd:3", with_cuda, 0o755, 9, "became --device GPU-1234 --front fd:3"),
            ("cpu", self.workers, with_cuda, 0o755, 75, "cannot reach the front at " + self.workers),
            ("cuda:0", self.workers, b"no program", 0o600, 69, "cannot run %s-cuda: Permission denied" %
             os.path.realpath(os.path.join(self.dir, "worker"))),
        ]:
            with self.subTest(device=device, code=code):
                worker = self.start([self.with_cuda_beside(text, mode), "--device", device, "--front", front])
                self.assertIn(said, self.ended(worker, code))

    def test_without_it_the_worker_says_what_to_install(self):
        front = self.front("cpu")
        self.told.wait("READY=1")
        worker = self.start([self.with_cuda_beside(None), "--device", "cuda0", "--front", self.workers])
        self.ended(worker, 69)
        self.answer(self.client())
        self.assertIn("cuda:0: this worker has no CUDA; install gpufilterd-cuda", self.end(front))

    def test_a_worker_says_why_it_failed(self):
        """The reason is one line on standard error, which goes to the journal of the unit."""
        self.front("none")
        one_front = ["--front", self.workers]
        for code, argv, want in (
                (69, ["--device", "cuda:63", *one_front], "cuda:63: "),
                (69, ["--device", "gpu", *one_front], "gpu: unknown device gpu; allowed: cpu, cuda:N or a GPU's UUID\n"),
                (64, ["--device", "cpu"], "--front is missing; see gpufilterd-worker --help\n"),
                (64, one_front, "--device is missing; see gpufilterd-worker --help\n"),
                (64, ["--device", "cpu", *one_front, "now"],
                 "unexpected argument 'now'; see gpufilterd-worker --help\n"),
                (64, ["--device", "cpu", "--slots", "0"], "--slots 0; allowed: 1..64\n"),
                (75, ["--device", "cpu", "--front", "fd:0"], "--front fd:0: must be a SOCK_SEQPACKET socket\n")):
            for env, level in ({}, ""), ({"JOURNAL_STREAM": "9:9"}, "<3>"):
                err = self.ended(self.start([WORKER, *argv], env=env, stdin=subprocess.DEVNULL), code)
                self.assertTrue(err.startswith(level + "gpufilterd-worker: " + want), err)
                self.assertEqual(err.count("\n"), 1, err)

    def test_a_worker_without_memory_says_so(self):
        """The test plays the front: it tells the worker to map memory, but sends no descriptor."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        ours.settimeout(TIMEOUT)
        worker = self.start([WORKER, "--device", "cpu", "--front", "fd:%d" % theirs.fileno()],
                            pass_fds=[theirs.fileno()])
        theirs.close()
        self.assertEqual(ours.recv(1 << 16)[6:8], b"\x40\0")  # its hello, 64
        body = (struct.pack("<HBBIQ", 31, 2, 0, 8, 1) + struct.pack("<HBBIQ", 25, 2, 0, 8, 4096) +
                struct.pack("<HBBIII", 33, 1, 0, 4, 1, 0))  # key, size, staging
        ours.send(struct.pack("<4sHHHHIQQ", b"GFPW", 1, 65, 0, 0, len(body), 0, 0) + body)
        self.assertEqual(self.ended(worker, 70), "gpufilterd-worker: cpu: worker: cannot map 4096 bytes of the front's "
                                                 "memory: Too many open files\n")
        ours.close()

    def test_a_worker_whose_job_hangs_when_the_front_dies_says_so(self):
        if "GF_FAULT_WORKER" not in os.environ:
            self.skipTest("no worker that hangs on request in this build")
        front = self.front("none")
        worker = self.start([os.environ["GF_FAULT_WORKER"], "--device", "cpu", "--front", self.workers])
        self.told.wait("READY=1")
        hanging = self.client(self.write("hang.raw", bytes(4002)), "4002x1x1:u8")
        while self.figure('gpufilter_device_jobs{device="cpu"}').endswith(" 0"):
            self.assertIsNone(worker.poll())
        front.kill()
        self.assertEqual(self.ended(worker, 70), "gpufilterd-worker: the front hung up, and this worker did not end within "
                                                 "500 ms\n")
        hanging.communicate(timeout=TIMEOUT)

    def test_a_worker_of_the_daemon_says_why_it_failed(self):
        daemon = self.daemon("--socket", self.path, devices="cpu,cuda:63")
        self.told.wait("cuda:63 is absent")
        log = self.end(daemon)
        said = [line for line in log.splitlines() if line.startswith("gpufilterd-worker: cuda:63: ")]
        self.assertEqual(len(said), 1, log)
        self.assertIn("gpufilterd: warning: no device cuda:63: " + said[0].split(": ", 1)[1], log)

    def test_without_devices_somebody_must_be_able_to_join(self):
        daemon = self.daemon("--socket", self.path, devices="none")
        self.assertIn("devices=none requires worker-socket", self.ended(daemon, 78))


class Devices(Case):
    """As in the units, systemd passes the socket for workers: the daemon starts the CPU's worker alone, and knows the
    devices whose workers should join."""

    def serve(self, devices):
        return self.passed(self.listener().fileno(), self.listener(self.workers, socket.SOCK_SEQPACKET).fileno(),
                           names="gpufilterd:workers", devices=devices)

    def health(self):
        client = self.start([CLIENT, "health"], stdout=subprocess.PIPE)
        return self.answer(client).decode()

    def test_a_device_that_is_meant_is_missed(self):
        stopped = 'gpufilter_device_stopped{device="cuda:0"}'
        daemon = self.serve("cpu,cuda:0")
        self.told.wait("cpu is ready, cuda:0 is starting")
        worker = shutil.copy(WORKER, os.path.join(self.dir, "worker"))  # without the one with CUDA beside it
        path, told = self.notified("worker-notify")
        why = ("this worker has no CUDA; install gpufilterd-cuda (by pip: gpufilter-cuda; from source: configure with "
               "GF_CUDA=ON), or use --device cpu")
        err = self.ended(self.start([worker, "--device", "cuda0", "--front", self.workers],
                                    env={"NOTIFY_SOCKET": path}), 69)
        self.assertIn("gpufilterd-worker: cuda:0: " + why, err)
        told.socket.setblocking(False)
        self.assertRaises(BlockingIOError, told.socket.recv, 4096)
        self.told.wait("cuda:0 is absent (%s)" % why)
        self.assertEqual(self.health(), "degraded: cpu is ready, cuda:0 is absent (%s)\n" % why)
        self.assertEqual(self.figure('gpufilter_device_state{device="cuda:0"}')[-2:], " 5")
        self.assertEqual(self.figure(stopped)[-2:], " 0")
        client = self.start([CLIENT, "gaussian", "--sigma", "2", "--raw", "3x2x1:u8", "--format", "raw", "--device",
                             "cuda:0", self.input, "-"], stdout=subprocess.PIPE)
        self.assertIn("cuda:0 is absent: " + why, self.ended(client, 69))
        self.answer(self.client())
        self.fake("cuda:0")  # the driver was installed
        self.told.wait("cuda:0 is ready")
        self.assertEqual(self.health(), "ready: cpu is ready, cuda:0 is ready\n")
        fake = self.fakes[-1]
        fake.send_signal(signal.SIGUSR1)  # it was stopped, but the device is still meant
        self.ended(fake)
        self.told.wait("cuda:0 is absent (its worker was stopped)")
        self.assertEqual(self.health(), "degraded: cpu is ready, cuda:0 is absent (its worker was stopped)\n")
        self.assertEqual(self.figure('gpufilter_device_state{device="cuda:0"}')[-2:], " 5")
        self.assertEqual(self.figure(stopped)[-2:], " 1")
        self.ended(self.start([worker, "--device", "cuda0", "--front", self.workers]), 69)  # started again, in vain
        self.told.wait("cuda:0 is absent (%s)" % why)
        self.assertEqual(self.figure(stopped)[-2:], " 0")
        self.fake("cuda:0")
        self.told.wait("cuda:0 is ready")
        fake = self.fakes[-1]
        fake.send_signal(signal.SIGSTOP)  # so that it ends with an unread request, which resets the connection
        client = self.start([CLIENT, "gaussian", "--sigma", "2", "--raw", "3x2x1:u8", "--format", "raw", "--device",
                             "cuda:0", self.input, "-"], stdout=subprocess.PIPE)
        self.until(lambda: self.figure('gpufilter_device_jobs{device="cuda:0"}')[-2:] == " 1")
        fake.send_signal(signal.SIGUSR1)
        fake.send_signal(signal.SIGCONT)
        self.ended(fake)
        self.told.wait("cuda:0 is absent (its worker was stopped)")
        self.assertEqual(self.figure(stopped)[-2:], " 1")
        self.assertEqual(self.answer(client), self.answer(self.client()))  # by the CPU, with the same bits
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:  # a worker that dies before its hello
            s.connect(self.workers)
        self.until(lambda: self.figure(stopped)[-2:] == " 0")
        log = self.end(daemon)
        self.assertIn("worker refused: cuda:0: %s device=cuda:0" % why, log)

    def test_a_gpu_alone_is_served_when_its_worker_joins(self):
        daemon = self.serve("cuda:0")
        self.told.wait("READY=1")  # otherwise systemd would end the daemon of a GPU that is missing for long
        self.fake("cuda:0")
        self.told.wait("cuda:0 is ready")
        self.assertEqual(self.health(), "ready: cuda:0 is ready\n")
        self.end(daemon)

    def test_auto_starts_no_worker_of_a_gpu(self):
        daemon = self.serve("auto")
        self.assertTrue(self.told.status().startswith("cpu is ready"))
        self.assertNotIn("gpufilterd-worker: cuda:", self.end(daemon))


if __name__ == "__main__":
    unittest.main()
