# SPDX-License-Identifier: MIT
"""gpufilter-client metrics and top: the daemon's figures as table, JSON, text for Prometheus, and on a screen."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import unittest

from support import CLIENT, GREY, TIMEOUT, DaemonCase, png, setUpModule, tearDownModule

UID = str(os.getuid())
SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(\w+="[^"\\]*"(?:,\w+="[^"\\]*")*)\})? (-?[0-9.]+(?:e[-+]?[0-9]+)?)$')


class WithDaemon(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))

    def figures(self):
        """By name and labels."""
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
        self.bad(64, "--interval 0: seconds from 0.1 to 3600 are allowed", "top", "--interval", "0")
        r = self.run_client("top", "--json")
        self.assertEqual((r.returncode, json.loads(r.stdout)["error"]["status"]), (64, "USAGE"))

    def test_screen_is_refreshed_and_left_as_it_was(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        p = subprocess.Popen([CLIENT, "top", "--interval", "0.1"], stdout=slave, stderr=subprocess.PIPE, env=self.env)
        os.close(slave)
        shown = b""
        while shown.count(b"\033[H") < 3:
            self.assertTrue(select.select([master], [], [], TIMEOUT)[0])
            shown += os.read(master, 65536)
        p.send_signal(signal.SIGINT)
        while b"\033[?1049l" not in shown:
            self.assertTrue(select.select([master], [], [], TIMEOUT)[0])
            shown += os.read(master, 65536)
        stderr = p.communicate(timeout=TIMEOUT)[1]
        self.assertEqual((p.returncode, stderr), (0, b""))
        self.assertTrue(shown.startswith(b"\033[?1049h\033[?25l"))
        self.assertTrue(shown.endswith(b"\033[?25h\033[?1049l"))
        self.assertIn(b"gpufilterd ", shown)


if __name__ == "__main__":
    unittest.main()
