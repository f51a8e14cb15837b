# SPDX-License-Identifier: MIT
"""gpufilter-client bench: its rows, their plausibility, and how it ends. Speed is not tested."""
import json
import signal
import subprocess
import unittest

from support import CLIENT, TIMEOUT, DaemonCase, setUpModule, tearDownModule

ROW = ["name", "way", "device", "clients", "bytes_in", "bytes_out", "n", "p50_ns", "p99_ns", "stages_ns", "front_cpu_ns",
       "per_second",
       "in_per_second", "out_per_second", "floor", "floor_is"]
STAGES = ["queue", "copy_in", "kernel", "copy_out", "total"]


class Rows(DaemonCase):
    def bench(self, *args):
        return json.loads(self.good("bench", "--json", "--seconds", "0.001", *args, timeout=TIMEOUT * 5))

    def check_row(self, row):
        self.assertEqual(list(row), ROW)
        self.assertEqual(list(row["stages_ns"]), STAGES)
        self.assertGreaterEqual(row["n"], 3 * row["clients"])
        self.assertGreater(row["p50_ns"], 0)
        self.assertGreaterEqual(row["p99_ns"], row["p50_ns"])
        self.assertGreater(row["per_second"], 0)
        self.assertGreater(row["front_cpu_ns"], 0)
        self.assertLessEqual(row["in_per_second"], row["per_second"] * row["bytes_in"] * 1.0001)
        self.assertLessEqual(row["out_per_second"], row["per_second"] * row["bytes_out"] * 1.0001)
        self.assertEqual(row["floor"] > 0, row["floor_is"] != "")
        if row["name"] != "ping":
            self.assertEqual(row["device"], "cpu")
            self.assertGreater(row["stages_ns"]["kernel"], 0)
            self.assertLessEqual(row["stages_ns"]["kernel"], row["stages_ns"]["total"])
            self.assertLessEqual(row["stages_ns"]["total"], row["p50_ns"])

    def test_latency(self):
        report = self.bench("latency")
        self.assertEqual(list(report), ["server", "socket", "seconds", "interrupted", "latency"])
        self.assertEqual((report["socket"], report["seconds"], report["interrupted"]), (self.daemon.socket, 0.001, False))
        rows = report["latency"]
        for row in rows:
            self.check_row(row)
            self.assertEqual(row["clients"], 1)
            self.assertGreater(row["floor"], 0)
        ways = ["plain", "arena", "resident"]
        names = [("ping", "")] + [(name, way) for name in ["64 KiB", "1080p RGB", "24 MP"] for way in ways]
        self.assertEqual([(row["name"], row["way"]) for row in rows], names + [("24 MP f32 x5", "resident")])
        bytes_in = {(row["name"], row["way"]): row["bytes_in"] for row in rows}
        self.assertEqual(bytes_in["64 KiB", "arena"], 65536)
        self.assertEqual(bytes_in["1080p RGB", "plain"], 1920 * 1080 * 3)
        self.assertEqual(bytes_in["24 MP", "resident"], 0)

    def test_load(self):
        report = self.bench("throughput", "link", "--clients", "2,1,3", "--device", "cpu")
        self.assertEqual(list(report)[4:], ["link", "throughput"])
        for row in report["link"] + report["throughput"]:
            self.check_row(row)
        self.assertEqual([(row["way"], row["clients"]) for row in report["throughput"]],
                         [(way, n) for way in ["arena", "resident"] for n in [2, 1, 3]])
        up, down, both = report["link"]
        self.assertEqual([row["name"] for row in report["link"]], ["upload", "download", "both at once"])
        self.assertEqual([up["out_per_second"], down["in_per_second"]], [0, 0])
        self.assertEqual((up["bytes_in"], up["bytes_out"]), (1 << 26, 0))
        self.assertAlmostEqual(both["floor"], up["in_per_second"] + down["out_per_second"], delta=1)

    def test_fairness(self):
        report = self.bench("fairness")
        self.assertEqual(list(report)[4:], ["fairness", "p99_ratio", "jain"])
        rows = report["fairness"]
        for row in rows:
            self.check_row(row)
        self.assertEqual([(row["name"], row["clients"]) for row in rows],
                         [("light alone", 1), ("light beside a flood", 1), ("flood", 2), ("8 equal floods", 8)])
        self.assertEqual(rows[1]["floor"], rows[0]["p99_ns"])
        self.assertAlmostEqual(report["p99_ratio"], rows[1]["p99_ns"] / rows[0]["p99_ns"])
        self.assertTrue(1 / 8 <= report["jain"] <= 1.0000001)

    def test_the_table(self):
        out = self.good("bench", "throughput", "--clients", "1,2", "--seconds", "0.001").decode().splitlines()
        self.assertIn(" at %s, device auto, 0.001 s for each row" % self.daemon.socket, out[0])
        self.assertEqual(out[2].split()[:4], ["1080p", "clients", "device", "n"])
        self.assertEqual([line.split()[:3] for line in out[3:7]],
                         [[way, n, "cpu"] for way in ["arena", "resident"] for n in "12"])
        self.assertEqual(self.good("bench", "throughput", "--clients", "1", "--seconds", "0.001", "-q"), b"")


class Ends(DaemonCase):
    def test_ctrl_c_reports_what_was_measured(self):
        p = subprocess.Popen([CLIENT, "bench", "latency", "--seconds", "3000"], cwd=self.dir, env=self.env,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first = p.stdout.readline()
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=TIMEOUT)
        self.assertTrue(first.startswith(b"gpufilterd "), first)
        self.assertEqual((p.returncode, err), (0, b"gpufilter-client: bench: interrupted\n"))
        self.assertNotIn(b"24 MP", out)

    def test_what_is_refused(self):
        self.bad(64, "part speed: must be one of latency, link", "bench", "speed")
        for seconds in ["0", "1e9", "x", "nan"]:
            self.bad(64, "--seconds %s; allowed: 0.001..3600" % seconds, "bench", "--seconds", seconds)
        for clients in ["0", "65", "1,,2", "1,", "-1", "1 2", "1,2,3,4,5,6,7,8,9"]:
            self.bad(64, "--clients %s; allowed: up to 8 numbers from 1 to 64, separated by commas" % clients, "bench", "--clients", clients)
        self.bad(64, "does not take --quality", "bench", "--hash")

    def test_what_was_measured_is_told_where_a_part_fails(self):
        r = self.run_client("bench", "latency", "throughput", "--device", "cuda:7", "--json", "--seconds", "0.001")
        report = json.loads(r.stdout)
        self.assertEqual((r.returncode, r.stderr.count(b"no device")), (69, 2))
        self.assertEqual([row["name"] for row in report["latency"]], ["ping"])
        self.assertEqual(report["throughput"], [])
        self.assertEqual(report["error"]["status"], "UNAVAILABLE")
        self.assertIn("no device", report["error"]["text"])


if __name__ == "__main__":
    unittest.main()
