# SPDX-License-Identifier: MIT
"""gpufilter-client metrics and top: the daemon's figures as a table, as JSON, as text for Prometheus, and on a
screen."""
import fcntl
import json
import os
import pty
import pwd
import re
import select
import signal
import struct
import subprocess
import termios
import threading
import unittest

from support import CLIENT, GREY, TIMEOUT, Daemon, DaemonCase, png, setUpModule, tearDownModule

UID = str(os.getuid())
SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(\w+="[^"\\]*"(?:,\w+="[^"\\]*")*)\})? (-?[0-9.]+(?:e[-+]?[0-9]+)?)$')


class WithDaemon(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))

    def figures(self):
        """The figures by name and labels."""
        rows = json.loads(self.good("metrics", "--json"))["metrics"]
        return {(row["name"], *sorted(row["labels"].items())): row for row in rows}


class Figures(WithDaemon):
    def test_json_counts_what_was_done(self):
        before = self.figures()
        self.good("blur", "in.png", "out.png")
        self.good("blur", "in.png", "out.png")
        self.bad(69, "no device", "blur", "--device", "cuda:7", "in.png", "out.png")
        after = self.figures()

        def grew(name, field="value", **labels):
            key = (name, *sorted(labels.items()))
            old = before[key][field] if key in before else 0
            return after[key][field] - old

        self.assertEqual(grew("gpufilter_device_answers_total", device="cpu", status="OK"), 2)
        self.assertEqual(grew("gpufilter_user_accepted_total", uid=UID), 2)
        self.assertEqual(grew("gpufilter_user_answers_total", uid=UID, status="OK"), 2)
        self.assertEqual(grew("gpufilter_user_refused_total", uid=UID, status="NO_DEVICE"), 1)
        self.assertEqual(grew("gpufilter_device_bytes_total", device="cpu", direction="in"), 12)
        self.assertEqual(grew("gpufilter_device_bytes_total", device="cpu", direction="out"), 12)
        self.assertEqual(grew("gpufilter_connections_total"), 4)
        self.assertGreater(grew("gpufilter_device_stage_seconds_total", device="cpu", stage="kernel"), 0)
        self.assertGreater(grew("gpufilter_request_seconds", "sum", device="cpu"), 0)
        times = after[("gpufilter_request_seconds", ("device", "cpu"))]
        done = after[("gpufilter_device_answers_total", ("device", "cpu"), ("status", "OK"))]["value"]
        self.assertEqual((times["kind"], sum(times["bins"])), ("histogram", done))
        self.assertEqual(after[("gpufilter_info", ("version", self.version()))]["value"], 1)
        self.assertEqual(after[("gpufilter_connections_open",)]["value"], 1)
        self.assertEqual(after[("gpufilter_metrics_left_out",)]["value"], 0)

    def version(self):
        return self.good("--version").decode().split()[1]

    def test_table_is_grouped(self):
        self.good("blur", "in.png", "out.png")
        text = self.good("metrics").decode()
        groups = re.findall(r"(?m)^(\w.*)$", text)
        self.assertEqual(groups, ["daemon", "device cpu", "user " + UID])
        device = text.split("device cpu\n")[1].split("user ")[0]
        self.assertRegex(device, r"(?m)^  state +ready$")
        self.assertRegex(device, r"(?m)^  answers OK +[1-9]\d*$")
        self.assertRegex(device, r"(?m)^  bytes in +\d+ B$")
        self.assertRegex(device, r"(?m)^  stage copy_in +[0-9.]+ m?u?s$")
        self.assertRegex(device, r"(?m)^  request +\d+   mean .*s, p50 [<>]=? .*s, p99 [<>]=? .*s$")
        self.assertRegex(text, r"(?m)^  limit arena +16\.0 GiB$")
        self.assertEqual(self.good("metrics", "--quiet"), b"")

    def test_two_formats(self):
        r = self.run_client("metrics", "--prometheus", "--json")
        self.assertEqual((r.returncode, json.loads(r.stdout)["error"]["status"]), (64, "USAGE"))


class Prometheus(WithDaemon):
    def parse(self):
        """The samples of each family, checked line by line."""
        families, name, kind = {}, None, None
        for line in self.good("metrics", "--prometheus").decode().splitlines():
            if line.startswith("# HELP "):
                name = line.split(" ", 3)[2]
                self.assertNotIn(name, families)
                self.assertTrue(line.split(" ", 3)[3].endswith("."), line)
                families[name] = []
            elif line.startswith("# TYPE "):
                self.assertEqual(line.split()[2], name)
                kind = line.split()[3]
                self.assertIn(kind, ["counter", "gauge", "histogram"])
                self.assertEqual(name.endswith("_total"), kind == "counter", line)
            else:
                m = SAMPLE.match(line)
                self.assertTrue(m, line)
                suffixes = ["_bucket", "_sum", "_count"] if kind == "histogram" else [""]
                self.assertIn(m[1], [name + s for s in suffixes], line)
                families[name].append((m[1], m[2] or "", float(m[3])))
        return families

    def test_format(self):
        self.good("blur", "in.png", "out.png")
        families = self.parse()
        self.assertGreater(len(families), 20)
        samples = families["gpufilter_device_answers_total"]
        self.assertIn('device="cpu",status="OK"', [s[1] for s in samples])
        for name, samples in families.items():
            self.assertEqual(len({s[:2] for s in samples}), len(samples), name)

    def test_buckets_are_cumulative(self):
        self.good("blur", "in.png", "out.png")
        samples = self.parse()["gpufilter_request_seconds"]
        buckets = [s for s in samples if s[0].endswith("_bucket")]
        counts = [s[2] for s in buckets]
        self.assertEqual(counts, sorted(counts))
        self.assertEqual(buckets[-1][1], 'device="cpu",le="+Inf"')
        bounds = [float(re.search('le="([^"]*)"', s[1])[1]) for s in buckets[:-1]]
        self.assertEqual(bounds[0], 1.024e-06)
        for a, b in zip(bounds, bounds[1:]):
            self.assertEqual(b, 2 * a)
        (count,) = [s[2] for s in samples if s[0].endswith("_count")]
        self.assertEqual(count, counts[-1])


class Top(WithDaemon):
    def test_once_where_there_is_no_terminal(self):
        text = self.good("top").decode()
        self.assertTrue(text.startswith("daemon\n"))
        self.assertNotIn("\033", text)
        self.assertEqual(self.good("top", "--quiet"), b"")

    def test_mistakes(self):
        self.bad(64, "--interval 0; allowed: 0.1..3600 seconds", "top", "--interval", "0")
        r = self.run_client("top", "--json")
        self.assertEqual((r.returncode, json.loads(r.stdout)["error"]["status"]), (64, "USAGE"))

    def test_a_dumb_terminal_is_none(self):
        self.env["TERM"] = "dumb"
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        r = self.run_client("top", stdout=slave)
        os.close(slave)
        self.assertEqual((r.returncode, os.read(master, 65536).split(b"\r\n")[0]), (0, b"daemon"))


class Screen:
    """A pseudo-terminal that runs `top`."""

    BEGIN, END = "\033[?1049h\033[?25l", "\033[?25h\033[?1049l"
    FRAME, WHOLE = "\033[H", "\033[J"

    def __init__(self, env, rows=24, columns=80, interval="0.1"):
        self.master, self.slave = pty.openpty()
        self.resize(rows, columns)
        self.settings = termios.tcgetattr(self.slave)
        self.text = ""
        self.process = subprocess.Popen(
            [CLIENT, "top", "--interval", interval],
            stdin=self.slave,
            stdout=self.slave,
            stderr=subprocess.PIPE,
            env={**env, "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )

    def close(self):
        self.process.kill()
        self.process.communicate()
        os.close(self.master)
        os.close(self.slave)

    def resize(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read_until(self, done):
        while not done(self.text):
            if not select.select([self.master], [], [], TIMEOUT)[0]:
                raise AssertionError("no more comes after " + repr(self.text[-2000:]))
            self.text += os.read(self.master, 65536).decode()

    def wait_for(self, text):
        """Reads the screen until the text appears."""
        self.text = ""
        self.read_until(lambda shown: text in shown)

    def frames(self, n):
        """The lines of the next whole screens."""
        self.text = ""
        self.read_until(lambda shown: shown.count(self.FRAME) > n + 1)
        frames = self.text.split(self.FRAME)[1:-1]
        return [re.sub(r"\033\[[?0-9]*[A-Za-z]", "", frame).replace("\r", "").split("\n") for frame in frames]

    def press(self, keys):
        os.write(self.master, keys)

    def end(self):
        """Waits for the end of `top`. Returns its status and standard error."""
        self.read_until(lambda shown: self.END in shown)
        stderr = self.process.communicate(timeout=TIMEOUT)[1]
        return self.process.returncode, stderr.decode()

    def is_as_before(self):
        return termios.tcgetattr(self.slave) == self.settings


class TopScreen(WithDaemon):
    def open(self, *args, **options):
        screen = Screen(self.env, *args, **options)
        self.addCleanup(screen.close)
        screen.wait_for(Screen.WHOLE)
        return screen

    def test_keys_and_signals_end_it_and_leave_the_terminal_as_it_was(self):
        def key(text):
            return lambda screen: screen.press(text)

        def kill(number):
            return lambda screen: screen.process.send_signal(number)

        for end in [key(b"q"), key(b"xQ"), key(b"\x03"), key(b"\x1c"), kill(signal.SIGTERM), kill(signal.SIGHUP)]:
            screen = self.open()
            self.assertFalse(screen.is_as_before())
            end(screen)
            self.assertEqual(screen.end(), (0, ""))
            self.assertTrue(screen.text.endswith(Screen.END))
            self.assertTrue(screen.is_as_before())

    def test_an_interval_does_not_delay_the_end(self):
        screen = self.open(interval="3600")
        screen.press(b"q")
        self.assertEqual(screen.end(), (0, ""))

    def test_a_stop_gives_the_terminal_back(self):
        screen = self.open()
        screen.press(b"\x1a")
        self.assertTrue(os.WIFSTOPPED(os.waitpid(screen.process.pid, os.WUNTRACED)[1]))
        self.assertTrue(screen.is_as_before())
        screen.process.send_signal(signal.SIGCONT)
        screen.wait_for(Screen.BEGIN + Screen.FRAME)
        self.assertFalse(screen.is_as_before())
        screen.press(b"q")
        self.assertEqual(screen.end(), (0, ""))

    def test_a_daemon_that_hangs_does_not_hold_it(self):
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        self.env["GPUFILTER_SOCKET"] = daemon.socket
        screen = self.open()
        daemon.process.send_signal(signal.SIGSTOP)
        self.addCleanup(daemon.process.send_signal, signal.SIGCONT)
        screen.press(b"\x03")
        self.assertEqual(screen.end(), (0, ""))
        self.assertTrue(screen.is_as_before())

    def test_an_error_is_told_when_the_screen_is_gone(self):
        daemon = Daemon()
        self.env["GPUFILTER_SOCKET"] = daemon.socket
        screen = self.open()
        daemon.stop()
        code, stderr = screen.end()
        self.assertIn(code, [69, 75])
        self.assertRegex(stderr, r"^gpufilter-client: top: .*\n$")
        self.assertTrue(screen.is_as_before())

    def test_rates_devices_users_and_queues_fit_24_rows(self):
        screen = self.open()
        over = threading.Event()

        def work():
            while not over.is_set():
                self.good("blur", "in.png", "out.png")

        thread = threading.Thread(target=work)
        thread.start()
        try:
            screen.read_until(lambda shown: re.search(r"cpu +ready +[1-9]", shown))
            frames = screen.frames(3)
        finally:
            over.set()
            thread.join()
        for lines in frames:
            self.assertLessEqual(len(lines), 24)
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertRegex(lines[0], r"^gpufilterd .* up \d+ min \d+ s$")
            self.assertRegex(lines[1], r"^connections: \d+ open, [\d.]+/s new, 0 waiting   requests: \d+ queued")
            self.assertRegex(lines[2], r"^memory: inline [\d.]+[KMG]? of 2\.00G, arenas [\d.]+[KMG]? of ")
            heads = [line.split() for line in lines if line[:6] in ("DEVICE", "USER  ")]
            self.assertEqual(heads[0], "DEVICE STATE REQ/S IN/S OUT/S JOBS LOAD KERNEL P50 P99 DIED".split())
            self.assertEqual(heads[1], "USER REQ/S IN/S OUT/S ACTIVE CONNS INLINE ARENAS RESIDENT REFUSED".split())
            name = pwd.getpwuid(os.getuid()).pw_name[:12]
            (device,) = [line.split() for line in lines if line.startswith("cpu ")]
            (user,) = [line.split() for line in lines if line.startswith(name + " ")]
            self.assertEqual((len(device), len(user)), (11, 10))
            self.assertEqual(lines[-1], "q quits")

    def test_the_screen_may_have_another_size(self):
        screen = self.open(interval="3600")
        for rows, columns in [(10, 40), (4, 20), (24, 80)]:
            screen.text = ""
            screen.resize(rows, columns)
            screen.read_until(lambda shown: Screen.WHOLE in shown)
            frame = re.sub(r"\033\[[?0-9]*[A-Za-z]", "", screen.text.split(Screen.FRAME)[1]).replace("\r", "")
            lines = frame.split("\n")
            self.assertLessEqual(len(lines), rows)
            self.assertLessEqual(max(map(len, lines)), columns)
            if rows >= 8:
                self.assertTrue([line for line in lines if line.startswith("cpu ")], lines)
                self.assertEqual(lines[-1], "q quits")
        screen.press(b"q")
        self.assertEqual(screen.end(), (0, ""))


if __name__ == "__main__":
    unittest.main()
