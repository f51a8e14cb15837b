#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rows of run.sh: what is done to the installed service while members of its group use it. A row holds if every
answer had the CPU's bits, no call failed that may not fail, no client started a daemon of its own, and the service was
in the expected state afterwards. The GPU of these rows is a stand-in: the packaged unit gpufilterd-worker@cuda0 with a
worker that computes as the CPU does.

usage: lab.py --list | lab.py --system FOLDER --booter PID --log FILE [ROW...]"""
import argparse
import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

from machine import CALL, INPUT, SHAPE, Load, Machine, wait_for

SOCKET, PROM = "/run/gpufilter/gpufilterd.sock", "/var/lib/prometheus/node-exporter/gpufilter.prom"
CONF, WORKER = "/etc/gpufilter/gpufilterd.conf", "/usr/libexec/gpufilterd/gpufilterd-worker-cuda"
GPU = "gpufilterd-worker@cuda0"
DEATHS = 'gpufilter_device_deaths_total{device="cuda:0"}'
STATE = 'gpufilter_device_state{device="cuda:0"}'
STOPPED = 'gpufilter_device_stopped{device="cuda:0"}'
ABSENT = 5
KILLS, RESTARTS = 5, 8
ROWS = {}


def row(function):
    ROWS[function.__name__] = function
    return function


class Lab(Machine):
    """The machine with the service: `packaged` is the configuration of the package, `want` the hash of the CPU's answer."""

    def __init__(self, system, booter):
        super().__init__(system, booter)
        self.packaged = self.want = None
        self.loads = []  # of the current row

    @contextlib.contextmanager
    def load(self):
        """The load of a row, of which no call may fail."""
        with self.any_load() as load:
            yield load
        assert not load.wrong(), "%d of %d calls: %s" % (len(load.wrong()), len(load.calls), load.wrong()[0])

    @contextlib.contextmanager
    def any_load(self):
        """A load of which calls may fail."""
        with Load(self, self.want) as load:
            self.loads.append(load)
            yield load

    def ready(self, device="cpu"):
        """Waits until the service says that this device is ready."""
        wait_for(device + " is ready", lambda: (device + " is ready") in self.health())

    def call(self, user="member", code=0):
        return self.run(*CALL, INPUT, "/dev/null", user=user, code=code)

    def reset(self, name):
        """The state in which a row begins: the packaged configuration, the socket alone."""
        self.set_option("")
        if name != "first_call":  # which finds what the installation made
            self.run("systemctl", "unmask", "--runtime", GPU)
            self.run("systemctl", "disable", "--now", GPU, "gpufilter-metrics.timer", "gpufilterd-metrics.socket",
                     "gpufilterd")
            self.run("systemctl", "start", "gpufilterd.socket")

    def start_gpu(self):
        self.run("systemctl", "start", GPU)
        self.ready("cuda:0")

    @contextlib.contextmanager
    def packaged_worker(self):
        """The unit runs the packaged worker, not the stand-in."""
        self.use_worker(WORKER + ".distrib")
        yield
        self.use_worker("/srv/stand-in")

    def use_worker(self, path):
        """Puts a program in the place of a GPU's worker, in one step, because the old one may run."""
        self.run("cp", path, WORKER + ".new")
        self.run("mv", WORKER + ".new", WORKER)

    def set_option(self, text):
        """Writes the configuration: the packaged one, then `text`."""
        self.write(CONF, self.packaged + text)


@row
def first_call(lab):
    """The socket's unit is active, the service is not; the first call starts it. A stranger is told the group."""
    assert lab.show("gpufilterd.socket", "ActiveState") == "active"
    assert lab.show("gpufilterd", "ActiveState") == "inactive"
    begin = time.monotonic()
    lab.call()
    took = time.monotonic() - begin
    assert lab.show("gpufilterd", "ActiveState") == "active"
    told = lab.call("stranger", 77)
    assert "is for members of group gpufilter" in told, told
    return 1, "first call of a service that does not run: %.2f s" % took


@row
def enabled_at_boot(lab):
    """After a boot an enabled service is warm before its first client, with the GPU whose unit is enabled."""
    lab.run("systemctl", "enable", "gpufilterd", GPU)
    lab.reboot()
    wait_for("the unit has started", lambda: lab.show(GPU, "ActiveState") == "active")
    log = lab.journal("-b", "-u", "gpufilterd")
    assert "device cuda:0 is ready" in log and "device cpu is ready" in log, log
    begin = time.monotonic()
    lab.call()
    took = time.monotonic() - begin
    assert lab.health() == "ready: cpu is ready, cuda:0 is ready", lab.health()
    return 1, "first call: %.2f s" % took


@row
def reboot_without_clients(lab):
    """After a boot nothing is left of the figures of the time before, so no alert looks at them."""
    lab.run("systemctl", "enable", "--now", "gpufilter-metrics.timer")
    wait_for("figures are written", lambda: os.path.exists(lab.path(PROM)))
    lab.run("systemctl", "disable", "gpufilterd")
    lab.reboot()
    assert lab.show("gpufilterd", "ActiveState") == "inactive"
    assert not os.path.exists(lab.path(PROM)), "old figures"
    lab.call()  # and the timer begins with the service
    wait_for("figures are written", lambda: os.path.exists(lab.path(PROM)))
    lab.run("systemctl", "stop", "gpufilterd")
    assert not os.path.exists(lab.path(PROM)), "figures after a planned stop"
    return 2, "figures are gone after a boot and after a planned stop"


def kill_under_load(lab, unit, name=None, device="cpu"):
    """Kills the main process of a unit, or the process of this name below it, each time when the device is ready."""
    restarts = []
    with lab.load() as load:
        for _ in range(KILLS):
            lab.ready(device)
            process = lab.below(unit, name) if name else lab.main(unit)
            process.signal(signal.SIGKILL)
            begin = time.monotonic()
            wait_for("another process", lambda: (lab.below(unit, name) if name else lab.main(unit)).here != process.here)
            restarts.append(time.monotonic() - begin)
            load.more(6)
    assert lab.show(unit, "ActiveState") == "active"
    return KILLS, "another process after %.2f to %.2f s" % (min(restarts), max(restarts))


@row
def front_killed(lab):
    return kill_under_load(lab, "gpufilterd")


@row
def worker_killed(lab):
    """SIGKILL of the CPU's worker, the only device: nobody is refused, the device is not set aside."""
    told = kill_under_load(lab, "gpufilterd", "gpufilterd-wo")
    lab.ready()
    assert "set aside" not in lab.health()
    return told


@row
def spawner_killed(lab):
    return kill_under_load(lab, "gpufilterd", "gf-spawner")


@row
def closer_killed(lab):
    return kill_under_load(lab, "gpufilterd", "gpufilter-close")


@row
def metrics_killed(lab):
    """The process that serves HTTP; its socket is systemd's."""
    lab.run("systemctl", "enable", "gpufilterd-metrics.socket")
    lab.run("systemctl", "restart", "gpufilterd")
    lab.ready()
    return kill_under_load(lab, "gpufilterd", "gpufilterd-me")


@row
def unit_worker_killed(lab):
    """SIGKILL of the GPU's worker: the CPU answers until the unit has started another."""
    lab.start_gpu()
    told = kill_under_load(lab, GPU, device="cuda:0")
    lab.ready("cuda:0")
    deaths = lab.figure(DEATHS)
    assert deaths == KILLS, deaths
    return told


@row
def restart_storm(lab):
    """No number of starts ends the service."""
    cursor = lab.cursor()
    with lab.load() as load:
        for _ in range(RESTARTS):
            lab.run("systemctl", "restart", "gpufilterd")
        load.more(6)
        for _ in range(RESTARTS):
            lab.run("systemctl", "restart", "gpufilterd.socket")
    assert lab.show("gpufilterd.socket", "ActiveState") == "active"
    assert "start-limit-hit" not in lab.journal("--after-cursor", cursor)
    return 2 * RESTARTS, "%d of the service, %d of its socket" % (RESTARTS, RESTARTS)


@row
def stop_start_reload(lab):
    """A stopped service is started by the next call; a reload is not noticed."""
    with lab.load() as load:
        for _ in range(RESTARTS):
            lab.run("systemctl", "stop", "gpufilterd")
            load.more(3)
            wait_for("the service is active", lambda: lab.show("gpufilterd", "ActiveState") == "active")
            lab.run("systemctl", "reload", "gpufilterd")
            load.more(3)
            lab.run("systemctl", "stop", "gpufilterd")
            lab.run("systemctl", "start", "gpufilterd")
    return 4 * RESTARTS, "%d times stop, start by a call, reload, stop and start" % RESTARTS


@row
def socket_stopped(lab):
    """Where the socket's unit is stopped a call fails and says so; no client starts a daemon beside the service."""
    lab.run("systemctl", "stop", "gpufilterd.socket", "gpufilterd")
    told = lab.call(code=69)
    assert "the system's service does not run" in told, told
    lab.run("systemctl", "start", "gpufilterd.socket")
    lab.call()
    return 1, "exit code 69, and the unit to start"


@row
def stop_is_no_death(lab):
    """systemctl stop and restart of a GPU's worker, under load."""
    lab.start_gpu()
    before = lab.figure(DEATHS)
    cursor = lab.cursor()
    with lab.load() as load:
        for _ in range(KILLS):
            lab.run("systemctl", "restart", GPU)
            load.more(6)
        lab.run("systemctl", "stop", GPU)
        wait_for("the device is absent", lambda: "cuda:0 is absent (its worker was stopped)" in lab.health())
    assert lab.figure(DEATHS) == before, lab.figure(DEATHS)
    log = lab.journal("-u", "gpufilterd", "--after-cursor", cursor)
    assert log.count("worker of cuda:0 was stopped") == KILLS + 1 and " left: " not in log, log
    return KILLS + 1, "deaths: %d" % (lab.figure(DEATHS) - before)


@row
def front_stopped(lab):
    """SIGSTOP of the front for good: systemd's watchdog replaces it after 20 s. Calls may end with 75 meanwhile, with
    a message, and none hangs."""
    cursor = lab.cursor()
    with lab.any_load() as load:
        front = lab.main("gpufilterd")
        begin = time.monotonic()
        front.signal(signal.SIGSTOP)
        wait_for("another front", lambda: lab.main("gpufilterd").here != front.here)
        took = time.monotonic() - begin
        load.more(6)
    assert all(why.startswith("exit code 75: ") for why in load.wrong()), load.wrong()
    assert "Watchdog timeout" in lab.journal("--after-cursor", cursor)
    return 1, "replaced after %.1f s; %d calls ended with 75" % (took, len(load.wrong()))


@row
def unit_worker_hangs(lab):
    """SIGSTOP of the GPU's worker: out of rotation, then given up; the unit starts another when it goes on."""
    lab.set_option("worker-timeout = 4\n")
    lab.run("systemctl", "restart", "gpufilterd")
    lab.start_gpu()
    cursor = lab.cursor()
    with lab.load() as load:
        worker = lab.main(GPU)
        begin = time.monotonic()
        worker.signal(signal.SIGSTOP)
        wait_for("out of rotation", lambda: "stalls and gets no more requests" in lab.journal(
            "-u", "gpufilterd", "--after-cursor", cursor))
        noticed = time.monotonic() - begin
        load.more(6)
        wait_for("given up", lambda: re.search("worker of cuda:0 left|killing the worker of cuda:0", lab.journal(
            "-u", "gpufilterd", "--after-cursor", cursor)))
        given_up = time.monotonic() - begin
        load.more(6)
        worker.signal(signal.SIGCONT)
        wait_for("another worker", lambda: lab.main(GPU).here != worker.here)
        lab.ready("cuda:0")
    return 1, "worker-timeout 4 s: out of rotation after %.1f s, given up after %.1f s" % (noticed, given_up)


@row
def worker_hangs(lab):
    """SIGSTOP of the CPU's worker, the only device: killed after worker-timeout."""
    lab.set_option("worker-timeout = 4\n")
    lab.run("systemctl", "restart", "gpufilterd")
    with lab.load() as load:
        worker = lab.below("gpufilterd", "gpufilterd-wo")
        begin = time.monotonic()
        worker.signal(signal.SIGSTOP)
        wait_for("another worker", lambda: lab.below("gpufilterd", "gpufilterd-wo").here != worker.here)
        took = time.monotonic() - begin
        load.more(6)
    return 1, "worker-timeout 4 s: replaced after %.1f s" % took


@row
def journal_stopped(lab):
    """SIGSTOP of journald: the daemon never waits for the reader of its log."""
    journal = lab.main("systemd-journald")
    with lab.load() as load:
        journal.signal(signal.SIGSTOP)
        load.more(60)
        journal.signal(signal.SIGCONT)
    return 1, "for %d calls" % len(load.calls)


@row
def maintenance(lab):
    """The commands of docs/runbook.md, Take a GPU out of service and Upgrade the driver, as far as they are systemd's."""
    lab.run("systemctl", "enable", GPU)
    lab.run("systemctl", "restart", "gpufilterd")
    lab.ready("cuda:0")
    served = 'gpufilter_device_answers_total{device="%s",status="OK"}'
    seen = []
    with lab.load() as load:
        for _ in range(KILLS):
            before = [lab.figure(served % device) or 0 for device in ("cuda:0", "cpu")]
            wait_for("the GPU computes", lambda: (lab.figure(served % "cuda:0") or 0) >= before[0] + 5)
            lab.run("systemctl", "mask", "--runtime", "--now", GPU)
            away = [lab.figure(served % device) or 0 for device in ("cuda:0", "cpu")]
            load.more(15)
            now = [lab.figure(served % device) or 0 for device in ("cuda:0", "cpu")]
            assert now[0] == away[0] and now[1] >= away[1] + 15, (away, now)
            assert "cuda:0 is absent (its worker was stopped)" in lab.health(), lab.health()
            assert lab.figure(STATE) == ABSENT and lab.figure(STOPPED) == 1  # no alert fires for twelve hours
            seen.append((away[0] - before[0], now[1] - away[1]))
            lab.run("systemctl", "unmask", "--runtime", GPU)
            lab.run("systemctl", "start", GPU)
            lab.ready("cuda:0")
    lab.run("systemctl", "disable", "--now", GPU)
    lab.run("systemctl", "reload", "gpufilterd")
    assert lab.figure(STATE) is None and lab.health().startswith("ready: "), lab.health()
    return KILLS, "answers by the GPU before, by the CPU meanwhile: " + ", ".join("%d, %d" % pair for pair in seen)


@row
def driver_away(lab):
    """The GPU's worker ends, and its driver is away when the next ones start, as after half an upgrade: the CPU answers,
    and the GPU comes back without a command."""
    lab.run("systemctl", "enable", GPU)
    lab.start_gpu()
    with lab.load() as load:
        with lab.packaged_worker():
            lab.main(GPU).signal(signal.SIGKILL)
            wait_for("the reason", lambda: "cuda:0 is absent (no NVIDIA driver" in lab.health())
            load.more(15)
            assert lab.figure(STATE) == ABSENT and lab.figure(STOPPED) == 0  # the alert fires
        begin = time.monotonic()
        lab.ready("cuda:0")
        took = time.monotonic() - begin
        load.more(15)
    tries = lab.show(GPU, "NRestarts")
    return 1, "%s starts by systemd; ready %.1f s after the driver was there" % (tries, took)


@row
def absent_gpu(lab):
    """devices names a GPU that this machine has not: degraded, with the reason, and calls are answered."""
    lab.set_option("devices = cpu,cuda:0\n")
    lab.run("systemctl", "restart", "gpufilterd")
    lab.ready()
    with lab.packaged_worker():
        assert lab.try_run("systemctl", "start", GPU).returncode != 0, "the unit of an absent GPU has started"
        wait_for("the device is absent", lambda: "cuda:0 is absent" in lab.health())
        health, state = lab.health(), lab.figure(STATE)
        assert health.startswith("degraded: ") and state == ABSENT, (health, state)
        with lab.load():
            pass
        lab.run("systemctl", "stop", GPU)
    return 1, health


@row
def wrong_configuration(lab):
    """A reload with a wrong file fails, and the daemon stays; a restart ends with 78 until the file is right."""
    wrongs = [("devices = banana\n", "devices=banana"), ("user-requests = many\n", "user-requests=many"),
              ("no-such-option = 1\n", "unknown option 'no-such-option'"), ("max-inline = 9X\n", "max-inline=9X")]
    line = lab.packaged.count("\n") + 1
    lab.ready()
    for text, said in wrongs:
        lab.set_option(text)
        with lab.load():
            lab.run("systemctl", "reload", "gpufilterd", code=1)
            status = "configuration not changed: %s:%d: %s" % (CONF, line, said)
            wait_for(status, lambda: status in lab.show("gpufilterd", "StatusText"))  # pylint: disable=cell-var-from-loop
        cursor = lab.cursor()
        lab.try_run("systemctl", "restart", "gpufilterd")
        wait_for("exit code 78", lambda: "status=78" in lab.journal("-u", "gpufilterd", "--after-cursor", cursor))
        assert said in lab.journal("-u", "gpufilterd", "--after-cursor", cursor)
        lab.set_option("")
        lab.ready()
        lab.call()
    return 2 * len(wrongs), "reload: exit code 1 with file, line and value; restart: 78, and served again by itself"


@row
def upgrade(lab):
    """The packages are installed again under load, with a changed configuration."""
    lab.set_option("; changed here\n")
    with lab.load() as load:
        for _ in range(3):
            lab.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive dpkg -i --force-confold /srv/debs/*.deb")
            load.more(6)
    with open(lab.path(CONF), encoding="utf-8") as f:
        assert f.read().endswith("; changed here\n")
    return 3, "dpkg -i of all packages"


def large_calls(lab, command, clients, each):
    """Some clients call a command at once, each several times; every call must succeed, with the same bits."""
    results, lock = [], threading.Lock()

    def loop():
        for _ in range(each):
            begin = time.monotonic()
            r = subprocess.run(lab.command(command, "member"), stdin=subprocess.DEVNULL, capture_output=True, check=False)
            took = time.monotonic() - begin
            with lock:
                results.append((r.returncode, hashlib.sha256(r.stdout).hexdigest(), r.stderr.decode(), took))

    threads = [threading.Thread(target=loop) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    failed = [r for r in results if r[0] != 0]
    assert not failed, "%d of %d: exit code %d: %s" % (len(failed), len(results), failed[0][0], failed[0][2])
    assert len({r[1] for r in results}) == 1, "different bits"
    return "%d calls, longest %.1f s" % (len(results), max(r[3] for r in results))

@row
def out_of_memory(lab):
    """The unit's control group has too little memory for the calls of one moment, and the daemon is told that it has
    more: the kernel kills workers, and every call is answered."""
    version = "2" if os.path.exists("/sys/fs/cgroup/cgroup.controllers") else "1"
    with open(lab.path("/srv/large.raw"), "wb") as f:
        f.write(os.urandom(1000) * 3000)
    lab.set_option("worker-scratch = 4G\nuser-scratch-bytes = 4G\n")
    lab.run("systemctl", "set-property", "--runtime", "gpufilterd", "MemoryMax=180M", "MemoryHigh=infinity")
    cursor = lab.cursor()
    lab.run("systemctl", "restart", "gpufilterd")
    lab.ready()
    large = ["gpufilter-client", "pipe", "--raw", "2000x1500x1:u8", "/srv/large.raw", "resize size=8000x6000 |"
             " median size=3 | gaussian sigma=2 | median size=3 | resize size=200x150", "--format", "raw", "-o", "-"]
    told = large_calls(lab, large, 4, 3)
    log = lab.journal("-u", "gpufilterd", "--after-cursor", cursor)
    kills = log.count("signal 9 (Killed), out of memory")
    lab.run("systemctl", "revert", "gpufilterd")
    lab.run("systemctl", "restart", "gpufilterd")
    assert "memory limit: 180 MiB for the control group; staging-max" in log, "no warning at the start"
    return 1, "control groups of version %s, limit of 180 MiB: %s; killed for lack of memory: %d" % (version, told, kills)


@row
def exposure(lab):
    """systemd-analyze security of the running units."""
    told = []
    for unit, most in (("gpufilterd", 0.4), (GPU, 0.7), ("gpufilter-metrics", 0.9)):
        out = lab.run("systemd-analyze", "security", "--no-pager", unit + ".service")
        score = float(re.search(r"exposure level for \S+: ([0-9.]+)", out).group(1))
        assert score <= most, "%s: %.1f, %.1f at most" % (unit, score, most)
        told.append("%s %.1f" % (unit, score))
    return len(told), ", ".join(told)


@row
def purge(lab):
    """A purge leaves nothing but the users. It must be the last row, because the service is gone afterwards."""
    lab.run("systemctl", "enable", "--now", "gpufilterd", "gpufilter-metrics.timer", "gpufilterd-metrics.socket")
    lab.run("systemctl", "enable", GPU)
    wait_for("figures are written", lambda: os.path.exists(lab.path(PROM)))
    lab.run("sh", "-c", "rm %s; dpkg-divert --quiet --rename --remove %s" % (WORKER, WORKER))
    lab.run("dpkg", "--purge", "gpufilterd-cuda", "gpufilterd", "gpufilter-client", "libgpufilterimage0")
    places = ("/proc", "/sys", "/srv", "/tmp", "/var/log", "/var/lib/dpkg", "/var/tmp")
    left = lab.run("sh", "-c", "find / -xdev \\( -path %s \\) -prune -o -name '*gpufilter*' -print;"
                   " find /run -name '*gpufilter*' ! -path '/run/systemd/system.control/*'" % " -o -path ".join(places))
    units = lab.run("sh", "-c", "systemctl list-units --all --no-legend 'gpufilter*'")
    running = [p.name for p in lab.processes() if p.name.startswith(("gpufilter", "gf-"))]
    assert not (left + units).strip() and not running, (left, units, running)
    return 1, "no file, no unit, no process; the users stay"


def install(lab):
    """Installs the packages into the booted system, with the stand-in for a GPU's worker, and learns the CPU's bits."""
    lab.run("dpkg-divert", "--quiet", "--rename", "--add", WORKER)
    lab.run("sh", "-c", "DEBIAN_FRONTEND=noninteractive dpkg -i /srv/debs/*.deb")
    lab.use_worker("/srv/stand-in")
    with open(lab.path(CONF), encoding="utf-8") as f:
        lab.packaged = f.read()
    with open(lab.path(INPUT), "wb") as f:
        f.write(os.urandom(SHAPE[0] * SHAPE[1]))
    out = lab.try_run(*CALL, "--private", "--device", "cpu", INPUT, "-", user="member")
    assert len(out.stdout) == SHAPE[0] * SHAPE[1], out.stderr
    lab.want = hashlib.sha256(out.stdout).hexdigest()
    for process in lab.processes():
        if process.name == "gpufilterd":  # the private daemon
            process.signal(signal.SIGTERM)


def try_row(lab, name):
    """Runs a row; returns whether it held, how often it was tried, and what was seen."""
    lab.loads = []
    try:
        lab.reset(name)
        tried, seen = ROWS[name](lab)
        owner = int(lab.run("id", "-u", "gpufilter")) if name != "purge" else None
        beside = [p.there for p in lab.processes() if p.name == "gpufilterd" and p.owner != owner]
        assert not beside, "daemons beside the service: %s" % beside
        return True, tried, seen
    except Exception as e:  # pylint: disable=broad-except
        traceback.print_exc()
        return False, 1, str(e).strip().replace("\n", "; ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--system")
    parser.add_argument("--booter", type=int)
    parser.add_argument("--log")
    parser.add_argument("rows", nargs="*", metavar="ROW")
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(ROWS))
        return 0
    unknown = set(arguments.rows) - ROWS.keys()
    if unknown:
        parser.error("no row %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(ROWS)))
    lab = Lab(arguments.system, arguments.booter)
    lab.wait_booted()
    install(lab)
    lines = ["%s, systemd %s" % (re.search('PRETTY_NAME="(.*)"', lab.run("cat", "/etc/os-release")).group(1),
                                 lab.run("systemctl", "--version").split()[1]),
             "| row | tried | held | calls | not answered | longest, s | seen |",
             "| --- | ---: | --- | ---: | ---: | ---: | --- |"]
    print("\n".join(lines))
    held = True
    for name in arguments.rows or ROWS:
        row_held, tried, seen = try_row(lab, name)
        calls = [call for load in lab.loads for call in load.calls]
        lines.append("| %s | %d | %s | %d | %d | %.2f | %s |" % (
            name, tried, "yes" if row_held else "NO", len(calls), sum(not right for _, right, _ in calls),
            max((took for took, _, _ in calls), default=0), seen))
        print(lines[-1], flush=True)
        held &= row_held
    with open(arguments.log, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n\n" + lab.journal("-o", "short-precise"))
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
