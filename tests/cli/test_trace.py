# SPDX-License-Identifier: MIT
"""--trace: a file in Chrome's trace-event format, whose events nest and have the names that the man page lists. --otlp:
the same as spans of OpenTelemetry, in a file or sent to a collector."""
import http.server
import json
import os
import threading
import time
import unittest

from support import GREY, DaemonCase, png, setUpModule, tearDownModule

PROCESSES = {1: "gpufilter-client", 2: "gpufilterd", 3: "cpu"}
THREADS = {(1, 1): "command", (2, 2): "requests", (3, 3): "copy in", (3, 4): "kernel", (3, 5): "copy out"}
IN_RUN = ["prepare", "send", "wait", "receive", "deliver"]


class Traces(DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))

    def trace(self, *args, code=0, **options):
        """Runs a command with --trace; its events, checked one by one and against each other."""
        r = self.run_client(*args, "--trace", "t.json", **options)
        self.assertEqual(r.returncode, code, r.stderr.decode())
        trace = json.loads(self.read("t.json"))
        self.assertEqual(list(trace), ["displayTimeUnit", "traceEvents"])
        names = [e for e in trace["traceEvents"] if e["ph"] == "M"]
        events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        self.assertEqual(len(names) + len(events), len(trace["traceEvents"]))
        processes = {e["pid"]: e["args"]["name"] for e in names if e["name"] == "process_name"}
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in names if e["name"] == "thread_name"}
        self.assertEqual((processes, threads), (PROCESSES, THREADS))
        self.check_names(args[0], events)
        for key in threads:
            self.check_nesting([e for e in events if (e["pid"], e["tid"]) == key])
        return events

    def check_names(self, command, events):
        page = self.good("ops", "--man").decode().replace("\\-", "-")
        page = page[page.index(".SH TRACE") : page.index(".SH FILES OF OPERATIONS")]
        for e in events:
            self.assertEqual(list(e), ["name", "ph", "ts", "dur", "pid", "tid", "args"])
            self.assertGreaterEqual(min(e["ts"], e["dur"]), 0)
            if e["name"] != command:
                self.assertRegex(page, r"\b%s\b" % e["name"])
            if e["pid"] == 3:
                self.assertEqual(e["name"], THREADS[e["pid"], e["tid"]])
                self.assertGreaterEqual(e["args"]["step"], 1)

    def check_nesting(self, events):
        """Of two events of a thread one holds the other, or they follow each other."""

        def ns(us):
            return round(us * 1000)

        spans = sorted((ns(e["ts"]), -ns(e["ts"] + e["dur"])) for e in events)
        stack = []
        for begin, minus_end in spans:
            while stack and stack[-1] <= begin:
                stack.pop()
            self.assertTrue(not stack or -minus_end <= stack[-1], (begin, -minus_end, stack))
            stack.append(-minus_end)

    def names(self, events, pid=1):
        return [e["name"] for e in sorted(events, key=lambda e: (e["ts"], -e["dur"])) if e["pid"] == pid]

    def inside(self, inner, outer):
        self.assertLessEqual(outer["ts"], inner["ts"])
        self.assertLessEqual(inner["ts"] + inner["dur"], outer["ts"] + outer["dur"] + 0.002)

    def one(self, events, name):
        found = [e for e in events if e["name"] == name]
        self.assertEqual(len(found), 1, name)
        return found[0]

    def test_an_operation(self):
        events = self.trace("blur", "in.png", "out.png")
        self.assertEqual(self.names(events), ["blur", "read", "decode", "connect", "run"] + IN_RUN + ["write"])
        self.assertEqual(self.names(events, 2), ["request", "queue"])
        self.assertEqual(self.one(events, "run")["args"], {"detail": "cpu"})
        run, request, kernel = (self.one(events, name) for name in ["run", "request", "kernel"])
        self.inside(request, run)
        self.inside(kernel, request)
        self.assertGreaterEqual(kernel["ts"], self.one(events, "queue")["ts"] + self.one(events, "queue")["dur"] - 0.002)
        self.good("blur", "in.png", "two.png")
        self.assertEqual(self.read("out.png"), self.read("two.png"))

    def test_a_pipe_has_its_steps(self):
        events = self.trace("pipe", "in.png", "box size=3 | sobel | reduce", "-o", "out.png", "-q", "--verify")
        kernels = [e["args"]["step"] for e in events if e["name"] == "kernel"]
        self.assertEqual(kernels, [1, 2, 3, 4, 5])  # the last two convert the result
        self.assertEqual(self.names(events).count("verify"), 1)
        self.assertEqual(self.one(events, "read")["args"], {"detail": "in.png"})
        self.assertEqual(self.one(events, "write")["args"], {"detail": "out.png"})

    def test_a_session_has_its_statements(self):
        script = b"load a in.png; b = box a | box size=5\nhistogram b bins=2\ncompare a b\nsave b out.png"
        events = self.trace("session", "-", stdin=script, code=1)
        said = [e["args"]["detail"] for e in events if e["name"] == "statement"]
        self.assertEqual(said, ["load a in.png", "b = box a | box size=5", "histogram b bins=2", "compare a b",
                                "save b out.png"])
        self.assertEqual(self.names(events).count("run"), 5)
        self.assertEqual(self.names(events, 2), ["request", "queue"] * 5)

    def test_what_fails_leaves_no_trace(self):
        self.bad(66, "nosuch.png: cannot be read", "blur", "nosuch.png", "out.png", "--trace", "t.json")
        self.bad(64, "--trace -: results go to standard output", "blur", "in.png", "out.png", "--trace", "-")
        self.bad(73, "nosuch/t.json: cannot be created", "blur", "in.png", "out.png", "--trace", "nosuch/t.json")
        self.assertEqual(os.listdir(self.dir), ["in.png"])

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
CONTEXT = "00-%s-%s-01" % (TRACE, PARENT)


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps what is posted, and answers as its server says."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posts.append((self.path, self.headers["Content-Type"], json.loads(body)))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *args):
        pass


class Spans(DaemonCase):
    def setUp(self):
        super().setUp()
        self.env.pop("TRACEPARENT", None)
        self.write("in.png", png(3, 2, 1, GREY))

    def check(self, sent, command, parent=None):
        """The spans by name; each is inside its parent, and all are of one trace."""
        spans, services = {}, []
        for resource in sent["resourceSpans"]:
            (service,) = resource["resource"]["attributes"]
            services.append(service["value"]["stringValue"])
            (scope,) = resource["scopeSpans"]
            for span in scope["spans"]:
                span["service"] = services[-1]
                span["attributes"] = {a["key"]: a["value"] for a in span["attributes"]}
                span["begin"], span["end"] = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
                self.assertRegex(span["traceId"] + span["spanId"], "^[0-9a-f]{48}$")
                spans[span["spanId"]] = span
        self.assertEqual(len({s["traceId"] for s in spans.values()}), 1)
        roots = [s for s in spans.values() if s.get("parentSpanId") == parent]
        self.assertEqual([s["name"] for s in roots], [command])
        for s in spans.values():
            if s is not roots[0]:
                outer = spans[s["parentSpanId"]]
                self.assertTrue(outer["begin"] <= s["begin"] <= s["end"] <= outer["end"] + 2, (s, outer))
        return services, {s["name"]: s for s in spans.values()}

    def test_a_file(self):
        before = time.time_ns()
        self.good("blur", "in.png", "out.png", "--otlp", "spans.json")
        services, spans = self.check(json.loads(self.read("spans.json")), "blur")
        self.assertEqual(services, ["gpufilter-client", "gpufilterd"])
        self.assertTrue(before <= spans["blur"]["begin"] <= spans["blur"]["end"] <= time.time_ns())
        self.assertEqual({name: s["kind"] for name, s in spans.items() if s["kind"] != 1}, {"run": 3, "request": 2})
        self.assertEqual({name for name, s in spans.items() if s["service"] == "gpufilterd"},
                         {"request", "queue", "kernel", "copy out"})
        self.assertEqual(spans["kernel"]["attributes"], {"gpufilter.step": {"intValue": "1"},
                                                         "gpufilter.device": {"stringValue": "cpu"}})
        self.assertEqual(spans["request"]["parentSpanId"], spans["run"]["spanId"])
        self.assertEqual(spans["blur"]["attributes"], {"process.exit.code": {"intValue": "0"}})
        self.assertNotIn("status", spans["blur"])

    def test_the_callers_span_is_the_parent(self):
        self.env["TRACEPARENT"] = CONTEXT
        self.good("blur", "in.png", "out.png", "--otlp", "spans.json")
        _, spans = self.check(json.loads(self.read("spans.json")), "blur", PARENT)
        self.assertEqual(spans["blur"]["traceId"], TRACE)
        for wrong in (CONTEXT[:-1], CONTEXT.upper(), CONTEXT.replace("00-", "01-"), CONTEXT.replace(PARENT, "0" * 16),
                      CONTEXT.replace(TRACE, "0" * 32), CONTEXT + "-1"):
            self.env["TRACEPARENT"] = wrong
            r = self.run_client("blur", "in.png", "out.png", "--otlp", "spans.json")
            self.assertEqual(r.returncode, 0)
            self.assertIn(b"TRACEPARENT is not of the form", r.stderr)
            _, spans = self.check(json.loads(self.read("spans.json")), "blur")
            self.assertNotEqual(spans["blur"]["traceId"], TRACE)

    def test_a_failure_is_a_span(self):
        self.bad(66, "nosuch.png: cannot be read", "blur", "nosuch.png", "out.png", "--otlp", "spans.json")
        services, spans = self.check(json.loads(self.read("spans.json")), "blur")
        self.assertEqual((services, list(spans)), (["gpufilter-client"], ["read", "blur"]))
        self.assertEqual(spans["blur"]["status"], {"code": 2})
        self.assertEqual(spans["blur"]["attributes"], {"process.exit.code": {"intValue": "66"}})

    def test_a_collector(self):
        server = http.server.HTTPServer(("127.0.0.1", 0), Collector)
        server.posts, server.status = [], 200
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        url = "http://127.0.0.1:%d" % server.server_address[1]
        r = self.run_client("blur", "in.png", "out.png", "--otlp", url)
        if b"this build does not include" in r.stderr:
            self.skipTest("this build has no libcurl")
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        self.good("blur", "in.png", "out.png", "--otlp", url + "/")
        self.good("blur", "in.png", "out.png", "--otlp", url + "/own/path")
        self.assertEqual([p[:2] for p in server.posts], [("/v1/traces", "application/json")] * 2 +
                         [("/own/path", "application/json")])
        self.check(server.posts[0][2], "blur")
        server.status = 503
        r = self.run_client("blur", "in.png", "out.png", "--otlp", url)
        self.assertEqual(r.returncode, 0)
        self.assertIn(b"warning: %s: the collector did not take the spans: HTTP 503" % url.encode(), r.stderr)
        r = self.run_client("blur", "in.png", "out.png", "--otlp", "http://127.0.0.1:1")
        self.assertEqual(r.returncode, 0)
        self.assertIn(b"warning: http://127.0.0.1:1: the spans were not sent: ", r.stderr)

    def test_wrong_use(self):
        self.bad(64, "--otlp -: results go to standard output", "blur", "in.png", "out.png", "--otlp", "-")
        self.bad(73, "nosuch/s.json: cannot be created", "blur", "in.png", "out.png", "--otlp", "nosuch/s.json")
        self.assertEqual(os.listdir(self.dir), ["in.png"])


if __name__ == "__main__":
    unittest.main()
