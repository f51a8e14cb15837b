# SPDX-License-Identifier: MIT
"""A booted system of run.sh, seen from outside, and the load on its service."""
import hashlib
import os
import subprocess
import threading
import time

TIMEOUT = 120  # seconds, for what hangs
SHAPE, INPUT = (512, 384), "/srv/in.raw"
CALL = ["gpufilter-client", "gaussian", "--sigma", "2", "--raw", "%dx%dx1:u8" % SHAPE, "--format", "raw"]


def wait_for(what, condition, seconds=TIMEOUT):
    """Returns the condition's value as soon as it is true."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("not within %d s: %s" % (seconds, what))


class Process:
    """A process of the system: its number there and here, its parent's number here, and its name."""

    def __init__(self, number):
        with open("/proc/%d/status" % number, encoding="utf-8") as f:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)
        self.here, self.parent, self.name = number, int(status["PPid"]), status["Name"]
        self.there, self.owner = int(status["NSpid"].split()[-1]), int(status["Uid"].split()[0])

    def signal(self, number):
        os.kill(self.here, number)


class Machine:
    def __init__(self, system, booter):
        self.system, self.booter = system, booter

    def first(self):
        """The number of systemd here; None: there is none now."""
        number = self.booter
        for _ in range(2):
            try:
                with open("/proc/%d/task/%d/children" % (number, number), encoding="ascii") as f:
                    children = f.read().split()
            except OSError:
                return None
            if not children:
                return None
            number = int(children[0])
        return number

    def wait_booted(self, other_than=None):
        """Waits until systemd has started every unit; returns the number of systemd here."""
        def booted():
            first = self.first()
            return first not in (None, other_than) and self.try_run("systemctl", "is-system-running").stdout.strip() in (
                b"running", b"degraded") and first
        return wait_for("the system has booted", booted)

    def reboot(self):
        before = self.first()
        self.try_run("systemctl", "reboot")
        self.wait_booted(before)

    def command(self, argv, user="root"):
        return ["nsenter", "-t", str(self.first()), "-m", "-u", "-i", "-n", "-p", "-C", "--", "setpriv", "--reuid", user,
                "--regid", user, "--init-groups", "--", "env", "-i", "LC_ALL=C", "HOME=/tmp",
                "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *argv]

    def try_run(self, *argv, user="root"):
        return subprocess.run(self.command(argv, user), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT,
                              check=False)

    def run(self, *argv, user="root", code=0):
        """Runs a command; returns its output with its errors. It must end with `code`."""
        r = self.try_run(*argv, user=user)
        text = (r.stdout + r.stderr).decode(errors="replace")
        assert r.returncode == code, "%s: exit code %d, not %d: %s" % (" ".join(argv), r.returncode, code, text)
        return text

    def show(self, unit, name):
        return self.run("systemctl", "show", "-p", name, "--value", unit).strip()

    def path(self, path):
        """Where a file of the system is here, /run too."""
        return "/proc/%d/root%s" % (self.first(), path)

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        with open(self.path(path), "w", encoding="utf-8") as f:
            f.write(text)

    def processes(self):
        """The processes of the system."""
        first, found = self.first(), []
        mine = os.readlink("/proc/%d/ns/pid" % first)
        for name in os.listdir("/proc"):
            try:
                if name.isdigit() and os.readlink("/proc/%s/ns/pid" % name) == mine:
                    found.append(Process(int(name)))
            except OSError:
                pass
        return found

    def main(self, unit):
        """The main process of a unit, once there is one."""
        def find():
            number = int(self.show(unit, "MainPID"))
            return number and next((p for p in self.processes() if p.there == number), None)
        return wait_for("%s has a process" % unit, find)

    def below(self, unit, name):
        """The first process of this name below the unit's main process, once there is one."""
        def find():
            mine, all_processes = {self.main(unit).here}, self.processes()
            for _ in range(3):
                mine |= {p.here for p in all_processes if p.parent in mine}
            return next((p for p in all_processes if p.here in mine and p.name.startswith(name)), None)
        return wait_for("%s has a process %s" % (unit, name), find)

    def figure(self, name):
        """The value of a metric; None: there is none."""
        for line in self.run("gpufilter-client", "metrics", "--prometheus").splitlines():
            if line.startswith(name + " "):
                return float(line.rsplit(" ", 1)[1])
        return None

    def health(self):
        r = self.try_run("gpufilter-client", "health")
        return r.stdout.decode().strip()

    def journal(self, *options):
        return self.run("journalctl", "--no-pager", "-q", *options)

    def cursor(self):
        return self.run("journalctl", "--no-pager", "-q", "-n", "0", "--show-cursor").split("-- cursor: ")[1].strip()


class Load:
    """Members of the group gpufilter who call the command without a pause; every answer is compared with the CPU's
    known one."""

    def __init__(self, machine, want, clients=3):
        self.machine, self.want, self.calls, self.over = machine, want, [], threading.Event()
        self.threads = [threading.Thread(target=self.loop) for _ in range(clients)]
        self.lock = threading.Lock()

    def loop(self):
        command = self.machine.command(CALL + [INPUT, "-"], "member")
        while not self.over.is_set():
            begin = time.monotonic()
            r = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            took = time.monotonic() - begin
            right = r.returncode == 0 and hashlib.sha256(r.stdout).hexdigest() == self.want
            with self.lock:
                self.calls.append((took, right, "" if right else "exit code %d: %s" % (
                    r.returncode, r.stderr.decode(errors="replace").strip() or "other bits")))

    def more(self, n=15):
        """Waits for that many further answers."""
        enough = len(self.calls) + n
        wait_for("%d further answers" % n, lambda: len(self.calls) >= enough)

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        self.more()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.more()
        self.over.set()
        for thread in self.threads:
            thread.join()

    def wrong(self):
        return [why for _, right, why in self.calls if not right]

    def longest(self):
        return max((took for took, _, _ in self.calls), default=0.0)
