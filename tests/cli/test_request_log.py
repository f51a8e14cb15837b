# SPDX-License-Identifier: MIT
"""--log-requests: which requests have a line in the daemon's log, and that its number is the one that the client has."""
import json
import os
import re
import subprocess
import unittest

from support import GREY, TIMEOUT, Case, png

LINE = re.compile(r"gpufilterd: request (refused|answered): (?:(.*) )?status=(\w+)(?: (op=.*))? request=(\d+)/(\d+) uid=(\d+) pid=\d+"
                  r"(?: trace=([0-9a-f]{32}) span=([0-9a-f]{16}))?$")
TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TIMES = re.compile(r"op=(\w+) steps=(\d+) device=(\w+) queue_us=\d+ device_us=\d+ total_us=\d+ inline_in=(\d+) inline_out=(\d+)$")


class RequestLog(Case):
    more = ()  # options of the first client

    def setUp(self):
        super().setUp()
        self.env.pop("TRACEPARENT", None)
        self.write("in.png", png(3, 2, 1, GREY))

    def log(self, *options):
        """Four requests to a daemon with these options: with two steps, of an unknown device, too large, and one that its
        deadline ends before it starts. Returns the numbers that the first client printed, and the log's lines about requests."""
        ready, told = os.pipe()
        socket = self.path("d.sock")
        with open(self.path("log"), "wb") as log:
            daemon = subprocess.Popen([os.environ["GF_DAEMON"], "--socket", socket, "--devices", "cpu", "--ready-fd", str(told),
                                       "--node-name", "node1", "--staging", "8K", *options], pass_fds=[told], stderr=log)
        os.close(told)
        with os.fdopen(ready) as f:
            self.assertEqual(f.readline(), "READY\n")
        self.env["GPUFILTER_SOCKET"] = socket
        said = json.loads(self.good("pipe", "in.png", "box size=3 | sobel", "-o", "out.png", "--json", *self.more))
        self.bad(69, "no device", "blur", "--device", "cuda:63", "in.png", "out.png")
        self.write("large.raw", bytes(128 * 128))
        self.bad(75, "inline data of", "blur", "--raw", "128x128x1:u8", "large.raw", "out.raw")
        daemon.terminate()
        self.assertEqual(daemon.wait(TIMEOUT), 0)
        lines = [line for line in self.read("log").decode().splitlines() if " request " in line]
        return said["request"], [LINE.match(line) or self.fail(line) for line in lines]

    def test_all(self):
        number, lines = self.log("--log-requests", "all")
        self.assertEqual([m[1] for m in lines], ["answered", "refused", "refused"])
        answered, absent, large = lines
        self.assertEqual(number, "node1/%s/%s" % (answered[5], answered[6]))
        self.assertEqual((answered[2], answered[3], int(answered[7])), (None, "OK", os.geteuid()))
        op, steps, device, came, went = TIMES.match(answered[4]).groups()
        self.assertEqual((op, device, came), ("box", "cpu", "6"))
        self.assertGreaterEqual(int(steps), 2)
        self.assertGreaterEqual(int(went), 6)
        self.assertEqual((absent[2], absent[3], absent[4]), (None, "NO_DEVICE", None))  # the text would repeat what the client sent
        self.assertEqual(large[3], "QUOTA")
        self.assertRegex(large[2], r"^inline data of \d+ bytes; the limit is 8192 \(staging, user-staging\)$")
        self.assertEqual(len({m[5] for m in lines}), 3)

    def test_lines_name_the_callers_span(self):
        self.assertEqual({m[8] for m in self.log("--log-requests", "all")[1]}, {None})
        self.env["TRACEPARENT"] = "00-%s-%s-01" % (TRACE, SPAN)
        _, lines = self.log("--log-requests", "all")
        self.assertEqual([(m[1], m[8], m[9]) for m in lines], [(word, TRACE, SPAN) for word in ("answered", "refused", "refused")])
        for wrong in "00-%s-%s-0" % (TRACE, SPAN), "00-%s-%s-01" % (TRACE.upper(), SPAN), "00-%s-%s-01" % (TRACE, "0" * 16), "\x1b":
            self.env["TRACEPARENT"] = wrong
            self.assertEqual({m[8] for m in self.log("--log-requests", "all")[1]}, {None}, wrong)
        self.env["GPUFILTER_DEBUG"] = "1"
        self.assertIn(b"gpufilter: TRACEPARENT is ignored: it must be of the form 00-TRACE-SPAN-FLAGS",
                      self.run_client("health").stderr)

    def test_the_span_is_that_of_the_command(self):
        """With --otlp the line in the log and the spans in the file join: the command's span is the line's."""
        self.more = ("--otlp", "spans.json")
        for parent in None, SPAN:
            if parent:
                self.env["TRACEPARENT"] = "00-%s-%s-01" % (TRACE, parent)
            answered = self.log("--log-requests", "all")[1][0]
            spans = [s for r in json.loads(self.read("spans.json"))["resourceSpans"] for s in r["scopeSpans"][0]["spans"]]
            (command,) = [s for s in spans if s["name"] == "pipe"]
            self.assertEqual((answered[8], answered[9]), (command["traceId"], command["spanId"]))
            self.assertEqual(command.get("parentSpanId"), parent)
            self.assertEqual(command["traceId"] == TRACE, parent is not None)
            self.assertEqual(len({s["spanId"] for s in spans}), len(spans))

    def test_refused_is_the_default_and_slow_adds_those_that_took_long(self):
        for options in (), ("--log-requests", "refused"), ("--log-requests", "slow"):
            self.assertEqual([m[3] for m in self.log(*options)[1]], ["NO_DEVICE", "QUOTA"], options)

    def test_none(self):
        self.assertEqual(self.log("--log-requests", "none")[1], [])


if __name__ == "__main__":
    unittest.main()
