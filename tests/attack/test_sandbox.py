# SPDX-License-Identifier: MIT
"""The rights that the daemon's processes have dropped, seen from outside: in a daemon started directly, by a client,
and as another user. tests/unit/server/test_sandbox.c tries the forbidden calls from inside."""
import errno
import os
import re
import select
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

from support import *  # noqa: F403
from other_users import open_programs

CLOSED = "sandbox closed"  # said at log level debug
SANITIZED = os.environ["GF_SANITIZED"]  # such a build has no filters
HANGS = 4002  # columns of a picture upon which gf_fault_worker hangs
LISTENS = bool(os.environ["GF_METRICS"])  # whether this build has libmicrohttpd


def kind_of(pid):
    """The kind of a process. None for a closer and for a process that has ended."""
    if "--front" in cmdline(pid):
        return "worker"
    if cmdline(pid)[0].endswith("gpufilterd-metrics"):
        return "metrics listener"
    return {"gf-spawner": "spawner", "gpufilterd": "front"}.get(comm(pid))


def family(pid):
    """The front and its children by kind, once all have started."""
    end = time.monotonic() + WAIT
    kinds = {"front", "spawner", "worker"} | ({"metrics listener"} if "--metrics-listen" in cmdline(pid) else set())
    while time.monotonic() < end:
        found = {}
        for child in [pid, *children(pid)]:
            found.setdefault(kind_of(child), child)
        if kinds <= set(found):
            return {kind: found[kind] for kind in kinds}
    raise AssertionError("only %s" % found)


def core_limit(pid):
    return next(line.split()[4:6] for line in read_proc(pid, "limits").splitlines() if line.startswith("Max core"))


def ended(pids):
    """Waits until the processes are gone; returns the processes that are still there."""
    left = dict(pids)
    end = time.monotonic() + WAIT
    while left and time.monotonic() < end:
        ready, _, _ = select.select(list(left), [], [], end - time.monotonic())
        for fd in ready:
            del left[fd]
    return left


def watched(pids):
    return {os.pidfd_open(pid): pid for pid in pids}


def packets(pidfd, number):
    """A copy of another process's descriptor if it is a blocking socket of packets, as the spawner's is, else None."""
    fd = ctypes.CDLL(None, use_errno=True).syscall(438, pidfd, int(number), 0)  # pidfd_getfd
    if stat.S_ISSOCK(os.fstat(fd).st_mode) and os.get_blocking(fd):
        found = socket.socket(fileno=fd)
        if found.type == socket.SOCK_SEQPACKET:
            return found
        return found.close()
    return os.close(fd)


# In place of gpufilterd-metrics: sends frames to the front, and waits for its end.
TAKEN_OVER = """#!/usr/bin/env python3
import socket
front = socket.socket(fileno=3)
for line in open(__file__ + ".frames"):
    front.send(bytes.fromhex(line))
while front.recv(1 << 17):
    pass
"""


@unittest.skipUnless(LISTENS, "a build without libmicrohttpd")
class TakenOver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = os.path.join(self.folder, "gpufilterd-metrics")
        with open(self.program, "w", encoding="ascii") as f:
            f.write(TAKEN_OVER)
        os.chmod(self.program, 0o755)
        os.environ["GF_DAEMON"], was = shutil.copy(os.environ["GF_DAEMON"], self.folder), os.environ["GF_DAEMON"]
        self.addCleanup(os.environ.update, GF_DAEMON=was)

    def daemon(self, *frames):
        with open(self.program + ".frames", "w", encoding="ascii") as f:
            f.write("".join(data.hex() + "\n" for data in frames))
        daemon = Daemon("--log-level", "debug", "--metrics-listen", "unix:%s/m.sock" % self.folder)
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.stop())
        return daemon

    def test_a_metrics_listener_has_two_questions_and_reads_the_answers(self):
        stats = frame(INFO, 1, attr(27, U32, 3))
        for frames in ([frame(INFO, 1, attr(27, U32, 1))], [frame(INFO, 1, attr(27, U32, 4))], [frame(INFO, 1)],
                       [stats] * 2000, [frame(PING, 1)], [frame(RUN, 1, cross_body())], [frame(FREE, 1)],
                       [frame(HELLO, 1, attr(5, U32, 1) + attr(6, U32, 1))], [b"x" * 100], [stats + b"x"], [stats[:40]]):
            daemon = self.daemon(*frames)
            end = time.monotonic() + WAIT
            while "metrics are not served: their process died: signal 9 (Killed)" not in daemon.log():
                self.assertLess(time.monotonic(), end, frames[0])
                time.sleep(0.005)
            with daemon.conn() as c:
                self.assertEqual(c.ask(cross(1)).payload, CROSS)
            daemon.stop()


class Sandbox(unittest.TestCase):
    def daemon(self, *args, **options):
        if LISTENS:
            folder = tempfile.mkdtemp(prefix="gf-attack-")
            self.addCleanup(shutil.rmtree, folder)
            self.metrics = os.path.join(folder, "m.sock")
            args += ("--metrics-listen", "unix:" + self.metrics)
        daemon = Daemon("--log-level", "debug", "--sandbox", "1", *args, **options)
        self.addCleanup(lambda: daemon.process.poll() is None and daemon.stop())
        return daemon

    def closed(self, pid):
        for kind, process in family(pid).items():
            with self.subTest(kind):
                said = status_of(process)
                self.assertEqual(said["NoNewPrivs"], "1")
                self.assertEqual(core_limit(process), ["0", "0"])
                if not SANITIZED:
                    self.assertEqual(said["Seccomp"], "2")
                if said["Uid"].split()[0] != "0":
                    # The process itself owns these files only if it is dumpable.
                    self.assertEqual(os.stat("/proc/%d/environ" % process).st_uid, 0)

    def test_a_daemon_has_given_up_what_it_does_not_need(self):
        daemon = self.daemon()
        self.assertIn(CLOSED, daemon.log())
        self.closed(daemon.pid)

    def test_a_debugger_can_have_it_as_it_was(self):
        daemon = self.daemon("--sandbox", "0")
        self.assertNotIn(CLOSED, daemon.log())
        before = status_of(os.getpid())
        for kind, process in family(daemon.pid).items():
            with self.subTest(kind):
                said = status_of(process)
                self.assertEqual((said["NoNewPrivs"], said["Seccomp"]), (before["NoNewPrivs"], before["Seccomp"]))
                self.assertEqual(core_limit(process), core_limit(os.getpid()))

    def as_user(self, *command, folder):
        """Runs the command as an unprivileged user; without root, as the current user."""
        env = {"PATH": os.environ["PATH"], "XDG_RUNTIME_DIR": folder, "HOME": folder,
               "GPUFILTER_DAEMON": os.environ["GF_DAEMON"], "GPUFILTER_PRIVATE": "1"}
        other = {"user": 65001, "group": 65001, "extra_groups": []} if os.geteuid() == 0 else {}
        return subprocess.run(command, env=env, capture_output=True, timeout=WAIT, check=False, **other)

    def test_one_that_a_client_started_too(self):
        folder = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, folder)
        with open(os.path.join(folder, "in.raw"), "wb") as f:
            f.write(PIXELS)
        os.chmod(folder, 0o700)
        if os.geteuid() == 0:
            os.chown(folder, 65001, 65001)
        open_programs()
        done = self.as_user(os.environ["GF_CLIENT"], "blur", "--raw", "4x3x1:u8", "--format", "raw",
                            os.path.join(folder, "in.raw"), os.path.join(folder, "out.raw"), folder=folder)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        path = os.path.join(folder, "gpufilter", "gpufilterd-1.sock")
        fronts = [pid for pid in processes() if path in cmdline(pid) and kind_of(pid) == "front"]
        self.assertEqual(len(fronts), 1)
        gone = watched(family(fronts[0]).values())
        self.closed(fronts[0])
        os.kill(fronts[0], signal.SIGTERM)
        self.assertEqual(ended(gone), {})
        self.assertFalse(os.path.exists(path), "it could not take its socket away")

    def test_it_serves_reloads_and_replaces_its_worker_in_there(self):
        folder = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, folder)
        config = os.path.join(folder, "conf")
        with open(config, "w", encoding="ascii") as f:
            f.write("user-requests = 5\n")
        daemon = self.daemon("--config", config)
        # Replaced by rename, as editors do.
        with open(config + ".new", "w", encoding="ascii") as f:
            f.write("user-requests = 6\n")
        os.rename(config + ".new", config)
        daemon.process.send_signal(signal.SIGHUP)
        with daemon.conn() as c:
            self.assertEqual(c.ask(cross(1)).payload, CROSS)
            first = daemon.worker()
            os.kill(first, signal.SIGKILL)
            self.assertEqual(c.ask(cross(2)).payload, CROSS)
            self.assertNotIn(daemon.worker(), (first, None))
        self.assertIn("configuration reloaded", daemon.log())
        path = daemon.socket
        gone = watched(family(daemon.pid).values())
        daemon.stop()
        self.assertEqual(ended(gone), {})
        self.assertFalse(os.path.exists(path), "it could not take its socket away")

    def test_nothing_outlives_a_killed_front(self):
        daemon = self.daemon()
        gone = watched(family(daemon.pid).values())
        daemon.process.kill()
        daemon.process.wait(WAIT)
        self.assertEqual(ended(gone), {})

    @unittest.skipUnless("GF_FAULT_WORKER" in os.environ, "no worker that hangs in this build")
    def test_nor_does_a_worker_that_hangs(self):
        daemon = self.daemon("--worker", os.environ["GF_FAULT_WORKER"])
        with daemon.conn() as c:
            c.send(gaussian(1, HANGS, 1, bytes(HANGS)))
            jobs = 0
            while not jobs:
                found = figures(c.ask(frame(INFO, 2, attr(27, U32, 3))))
                jobs = sum(value for (name, _), value in found.items() if name == "gpufilter_device_jobs")
            gone = watched(family(daemon.pid).values())
            daemon.process.kill()
            daemon.process.wait(WAIT)
            self.assertEqual(ended(gone), {})

    def test_without_its_spawner_it_ends_for_another_to_begin(self):
        daemon = self.daemon()
        os.kill(family(daemon.pid)["spawner"], signal.SIGKILL)
        self.assertEqual(daemon.process.wait(WAIT), 71)
        self.assertIn("error: the process that starts workers was killed", daemon.log())

    @unittest.skipUnless(os.geteuid() == 0, "needs root to act as the front")
    def test_the_spawner_takes_no_options(self):
        """A front that has been taken over asks for a worker without a sandbox, and for other devices' names."""
        daemon = self.daemon()
        family(daemon.pid)
        front = os.pidfd_open(daemon.pid)
        self.addCleanup(os.close, front)
        daemon.process.send_signal(signal.SIGSTOP)  # the answers are not for the front
        os.waitid(os.P_PID, daemon.pid, os.WSTOPPED)
        link, = filter(None, [packets(front, fd) for fd in os.listdir("/proc/%d/fd" % daemon.pid)])
        self.addCleanup(link.close)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.addCleanup(ours.close)
        fds = [theirs.fileno()] * 2
        metrics = bytes(88) + b"\1".ljust(8, b"\0")
        for text, n in ((b"--device\0cpu\0--front\0fd:3\0--sandbox\x000\0", 1), (b"cpu\0".ljust(96, b"\0")[:95], 1),
                        (b"cpu --sandbox 0".ljust(96, b"\0"), 1), (bytes(96), 1), (b"c" * 88 + bytes(8), 1),
                        (b"cpu".ljust(96, b"\0"), 2), (b"cpu".ljust(88, b"\0") + b"\2".ljust(8, b"\0"), 1),
                        (b"cpu".ljust(88, b"\0") + b"\xff" * 8, 1), (metrics, 1), (metrics[:95], 2)):
            link.sendmsg([text], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds[:n]))])
            self.assertEqual(struct.unpack("<ii", link.recv(64)), (errno.EINVAL, 0), text)
        daemon.process.send_signal(signal.SIGCONT)
        theirs.close()
        self.assertEqual(ours.recv(1), b"")  # no process has the other end

    def test_no_honest_call_is_refused(self):
        """No call but clone3 may fail with ENOSYS while all kinds of work are done."""
        if not shutil.which("strace") or SANITIZED:
            self.skipTest("no strace here, or a build for a sanitizer, which has no filters")
        folder = tempfile.mkdtemp(prefix="gf-attack-")
        self.addCleanup(shutil.rmtree, folder)
        trace = os.path.join(folder, "trace")
        daemon = self.daemon()
        pids = [arg for pid in family(daemon.pid).values() for arg in ("-p", str(pid))]
        tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", trace, *pids], stderr=subprocess.PIPE)
        try:
            end = time.monotonic() + WAIT
            while any(status_of(pid)["TracerPid"] == "0" for pid in family(daemon.pid).values()):
                if tracer.poll() is not None or time.monotonic() > end:
                    self.skipTest("strace may not look into processes here: " + tracer.stderr.read().decode())
            self.work(daemon)
            daemon.stop()
        finally:
            tracer.terminate()
            tracer.communicate(timeout=WAIT)
        with open(trace, encoding="utf-8", errors="replace") as f:
            lines = f.readlines()
        refused = {re.split(r"[ (]+", line, maxsplit=2)[1] for line in lines if "ENOSYS" in line and "clone3" not in line}
        self.assertEqual(refused, set())
        self.assertGreater(sum("recvmsg(" in line for line in lines), 5)
        self.assertEqual([line for line in lines if "killed by SIGSYS" in line], [])

    def work(self, daemon):
        """Inline, with an arena, resident, statistics, pings, a dead worker, metrics over HTTP, a configuration reloaded."""
        with daemon.conn(fd_passing=True) as c:
            self.assertEqual(c.ask(cross(1)).payload, CROSS)
            fd = memfd(1 << 20)
            self.assertEqual(c.ask(arena_frame(2, 7, 1 << 20), [fd]).kind, DONE)
            os.close(fd)
            big = frame(RUN, 3, gaussian_body(512, 512, src=(2, 7, 0, 512 * 512), dst=(2, 7, 1 << 19, 512 * 512, 512)))
            self.assertIn(c.ask(big).kind, (RESULT, ERROR))
            for kind in (1, 2, 3):
                self.assertIn(c.ask(frame(INFO, 10 + kind, attr(27, U32, kind))).kind, (INFO_REPLY, ERROR))
            self.assertTrue(c.ping())
            os.kill(daemon.worker(), signal.SIGKILL)
            self.assertEqual(c.ask(cross(20)).payload, CROSS)
        for path in ("metrics", "healthz", "readyz", "none") if LISTENS else ():
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(WAIT)
                s.connect(self.metrics)
                s.sendall(b"GET /%s HTTP/1.1\r\nHost: a\r\n\r\n" % path.encode())
                answer = b"".join(iter(lambda: s.recv(65536), b""))
                self.assertTrue(answer.startswith(b"HTTP/1.1 404 " if path == "none" else b"HTTP/1.1 200 "), answer[:80])
        daemon.process.send_signal(signal.SIGHUP)


if __name__ == "__main__":
    unittest.main()
