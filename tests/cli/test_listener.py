# SPDX-License-Identifier: MIT
"""metrics-listen: metrics and health over HTTP, from a process of its own that may be attacked and killed."""
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time
import unittest
from http.client import HTTPConnection, HTTPException

from support import TIMEOUT, Case, ppm
from processes import children, cmdline, comm

PROGRAM = "gpufilterd-metr"  # as the kernel shortens it
# What Prometheus 2.42 sends.
SCRAPER = ("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
           "text/plain;version=0.0.4;q=0.5,*/*;q=0.1")
PLACES = 16  # connections at once
TEXT = "text/plain; charset=utf-8"
PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
HINT = "there are /metrics, /healthz and /readyz\n"


def until(get, what):
    """Waits until get() returns something, and returns it."""
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        found = get()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("in vain: " + what)


def free_port(family=socket.AF_INET, host="127.0.0.1"):
    with socket.socket(family) as s:
        s.bind((host, 0))
        return s.getsockname()[1]


class Listener:
    """A daemon with a listener, whose log is a file. It is ready unless its worker never is."""

    def __init__(self, case, address, *options, program=None):
        self.case, self.address, self.socket = case, address, case.path("d.sock")
        self.log_path = case.path("log")
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [program or os.environ["GF_DAEMON"], "--socket", self.socket, "--devices", "cpu", "--worker",
                 os.environ["GF_WORKER"], *(["--metrics-listen", address] if address else []), *options], stderr=log)
        case.addCleanup(self.process.wait, TIMEOUT)
        case.addCleanup(self.process.kill)

    def log(self):
        with open(self.log_path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def failure(self):
        """The log of a daemon that did not start, without the line that it begins with."""
        return re.sub(r"^gpufilterd: gpufilterd \S+ starts: .*\n", "", self.log())

    def says(self, text):
        """Waits for a line of the log."""
        return until(lambda: text in self.log(), text)

    def connect(self):
        if self.address.startswith("unix:"):
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(TIMEOUT)
            try:
                s.connect(self.address[5:])
            except OSError:
                s.close()
                raise
            return s
        host, _, port = self.address.rpartition(":")
        return socket.create_connection((host.strip("[]"), int(port)), timeout=TIMEOUT)

    def ask(self, path, method="GET", **headers):
        """The code, headers and text of an answer."""
        c = HTTPConnection("daemon")
        c.sock = self.connect()
        try:
            c.request(method, path, headers=headers)
            r = c.getresponse()
            return r.status, {name.lower(): value for name, value in r.getheaders()}, r.read().decode()
        finally:
            c.close()

    def figure(self, text):
        """The value of a figure with its labels."""
        found = re.search("(?m)^%s (.*)$" % re.escape(text), self.ask("/metrics")[2])
        return float(found.group(1)) if found else None

    def pid(self):
        """The process that listens; None while there is none."""
        return next((pid for pid in children(self.process.pid)
                     if comm(pid) == PROGRAM and cmdline(pid)[0].endswith("gpufilterd-metrics")), None)

    def is_ready(self):
        """False also if the closers of a daemon that was killed hold its socket still, and end before they answer."""
        try:
            return self.ask("/readyz")[0] == 200
        except (ConnectionRefusedError, ConnectionResetError, FileNotFoundError):
            return False

    def ready(self):
        until(self.is_ready, "a device")
        return self


class Served(Case):
    """Each test has a listener, and a client of its daemon."""

    def listener(self, address=None, *options, **more):
        listener = Listener(self, address or "unix:" + self.path("m.sock"), "--log-level", "debug", *options, **more)
        self.env["GPUFILTER_SOCKET"] = listener.socket
        until(lambda: os.path.exists(listener.socket) or listener.process.poll(), "a socket")
        self.assertIsNone(listener.process.poll(), listener.log())
        return listener

    def work(self):
        self.write("in.ppm", ppm(5, 4, bytes(60)))
        self.good("invert", "in.ppm", "out.ppm")
        self.assertTrue(self.read("out.ppm").endswith(b"\xff" * 60))


class Pages(Served):
    def check_pages(self, listener):
        for path in ("/healthz", "/readyz", "/metrics", "/metrics?x=y"):
            code, headers, text = listener.ask(path)
            head_code, head_headers, head_text = listener.ask(path, "HEAD")
            self.assertEqual((code, head_code, head_text), (200, 200, ""), path)
            self.assertEqual(headers["connection"], "close")
            self.assertEqual(int(headers["content-length"]), len(text))
            self.assertEqual(head_headers["content-type"], headers["content-type"])
            self.assertGreater(int(head_headers["content-length"]), 0)
            self.assertEqual(headers["content-type"], PROMETHEUS if path.startswith("/metrics") else TEXT)
        self.assertEqual(listener.ask("/healthz")[2], "ok\n")
        self.assertEqual(listener.ask("/readyz")[2], "ready: cpu is ready\n")
        for path in ("/", "/metrics/", "/metric", "//metrics", "/../metrics", "/%6detrics"):
            for method in ("GET", "HEAD", "POST", "DELETE"):
                code, _, text = listener.ask(path, method)
                self.assertEqual((code, text), (404, "" if method == "HEAD" else HINT), path)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "FOO"):
            for path in ("/metrics", "/healthz", "/readyz"):
                code, headers, text = listener.ask(path, method)
                self.assertEqual((code, headers["allow"], text), (405, "GET, HEAD", "only GET and HEAD\n"), method)

    def test_over_a_unix_socket_of_the_daemons_user(self):
        listener = self.listener().ready()
        self.check_pages(listener)
        self.assertEqual(stat.S_IMODE(os.stat(self.path("m.sock")).st_mode), 0o600)

    def test_over_loopback(self):
        self.check_pages(self.listener("127.0.0.1:%d" % free_port()).ready())

    def test_over_loopback_of_ipv6(self):
        try:
            port = free_port(socket.AF_INET6, "::1")
        except OSError as e:
            self.skipTest("no IPv6 here: %s" % e)
        self.check_pages(self.listener("[::1]:%d" % port).ready())

    def test_no_device_is_not_ready_but_alive(self):
        self.write("worker", b"#!/bin/sh\nexec cat <&3 >/dev/null\n")  # says nothing, and ends with the front
        os.chmod(self.path("worker"), 0o755)
        listener = self.listener(None, "--worker", self.path("worker"))
        until(lambda: os.path.exists(self.path("m.sock")), "the socket")
        self.assertEqual(listener.ask("/healthz")[::2], (200, "ok\n"))
        self.assertEqual(listener.ask("/readyz")[::2], (503, "starting: cpu is starting\n"))
        self.assertEqual(listener.figure('gpufilter_device_state{device="cpu"}'), 1)

    def test_a_front_that_hangs_is_not_alive_until_it_goes_on(self):
        listener = self.listener().ready()
        until(listener.pid, "the process")
        listener.process.send_signal(signal.SIGSTOP)
        self.addCleanup(listener.process.send_signal, signal.SIGCONT)
        silent = (503, "no answer from the daemon in time\n")
        until(lambda: listener.ask("/healthz")[::2] == silent, "silence")  # at first by an answer of before
        self.assertEqual([listener.ask(path)[::2] for path in ("/metrics", "/readyz", "/healthz")], [silent] * 3)
        listener.process.send_signal(signal.SIGCONT)
        until(lambda: listener.ask("/healthz")[0] == 200, "an answer")
        self.assertEqual(listener.ask("/readyz")[0], 200)
        self.assertEqual(listener.ask("/metrics")[0], 200)


class Figures(Served):
    def families(self, text):
        return dict(re.findall(r"(?m)^# TYPE (\w+) (\w+)$", text))

    def lasting(self, text):
        """The families without those of users who are connected."""
        return {name: kind for name, kind in self.families(text).items()
                if name not in ("gpufilter_user_held", "gpufilter_user_connection_held")}

    def test_they_are_those_of_the_command(self):
        listener = self.listener().ready()
        self.work()
        listed = until(lambda: listener.figure('gpufilter_user_answers_total{uid="%d",status="OK"}' % os.getuid()), "work")
        self.assertEqual(listed, 1)
        command = self.good("metrics", "--prometheus").decode()
        self.assertEqual(self.lasting(listener.ask("/metrics")[2]), self.lasting(command))

    def test_clients_choose_the_format(self):
        listener = self.listener().ready()
        for accept, kind in [(SCRAPER, OPENMETRICS), ("application/openmetrics-text", OPENMETRICS),
                             ("text/html, Application/OpenMetrics-Text ; version=1.0.0", OPENMETRICS),
                             ("text/plain", PROMETHEUS), ("*/*", PROMETHEUS), ("", PROMETHEUS),
                             ("application/openmetrics-textual", PROMETHEUS),
                             ("x/application/openmetrics-text", PROMETHEUS), (",,;,", PROMETHEUS)]:
            code, headers, text = listener.ask("/metrics", Accept=accept)
            self.assertEqual((code, headers["content-type"]), (200, kind), accept)
            self.assertEqual(text.endswith("\n# EOF\n"), kind == OPENMETRICS)
            self.assertIn("# TYPE gpufilter_connections%s counter\n" % ("" if kind == OPENMETRICS else "_total"), text)
            self.assertIn("\ngpufilter_connections_total ", text)

    def test_parsers_read_both_formats(self):
        try:
            from prometheus_client import openmetrics, parser  # pylint: disable=import-outside-toplevel
            import prometheus_client.openmetrics.parser  # noqa: F401 pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("no Python package prometheus_client on this machine (package python3-prometheus-client)")
        listener = self.listener().ready()
        self.work()
        for accept, parse in ((SCRAPER, openmetrics.parser), ("", parser)):
            text = listener.ask("/metrics", Accept=accept)[2]
            families = {f.name: f for f in parse.text_string_to_metric_families(text)}
            self.assertEqual(families["gpufilter_connections"].type, "counter")
            times = families["gpufilter_request_seconds"]
            self.assertEqual(times.type, "histogram")
            counts = [s.value for s in times.samples if s.name == "gpufilter_request_seconds_count"]
            self.assertEqual(counts, [1.0])
            self.assertEqual(len(families), len(self.families(text)))

    def test_promtool_finds_nothing_to_mend(self):
        tool = shutil.which("promtool")
        if not tool:
            self.skipTest("no promtool on this machine (package prometheus)")
        text = self.listener().ready().ask("/metrics")[2]
        r = subprocess.run([tool, "check", "metrics"], input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           timeout=TIMEOUT, text=True)
        self.assertEqual((r.returncode, r.stdout), (0, ""))

    def test_no_limit_of_connections_concerns_it(self):
        listener = self.listener(None, "--user-connections", "1", "--max-connections", "1").ready()
        self.write("in.ppm", ppm(5, 4, bytes(60)))
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(listener.socket)
            until(lambda: listener.figure("gpufilter_connections_open") == 1, "the connection")
            self.bad(75, "1 connection", "invert", "in.ppm", "out.ppm", "--timeout", "0.1")
            until(lambda: listener.figure("gpufilter_connections_total") == 2, "the second connection")
            for _ in range(20):
                self.assertEqual(listener.ask("/metrics")[0], 200)
            self.assertEqual(listener.figure("gpufilter_connections_total"), 2)
            self.assertEqual(listener.figure('gpufilter_total_held{resource="connections"}'), 1)

    def test_an_idle_daemon_ends_though_it_is_scraped(self):
        listener = self.listener(None, "--idle-exit", "1").ready()
        while listener.process.poll() is None:
            try:
                listener.ask("/metrics")
            except (OSError, HTTPException):
                break
        self.assertEqual(listener.process.wait(TIMEOUT), 0)
        self.assertFalse(os.path.exists(self.path("m.sock")))


class Hostile(Served):
    def send(self, listener, data):
        """The answer to bytes that are followed by no more; "" if there is none."""
        with listener.connect() as s:
            try:
                s.sendall(data)
                s.shutdown(socket.SHUT_WR)
                return b"".join(iter(lambda: s.recv(65536), b"")).decode("latin-1")
            except OSError:
                return ""

    def test_garbage_is_refused_and_harms_nobody(self):
        listener = self.listener("127.0.0.1:%d" % free_port()).ready()
        process = listener.pid()
        garbage = [b"\0" * 100, b"\r\n" * 10000, b"GET\r\n\r\n", b"GET /metrics\r\n\r\n", b"\x16\x03\x01" + os.urandom(500),
                   b"GET /metrics HTTP/9.9\r\n\r\n", b"GET /metrics HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
                   b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", b"GET /metrics HTTP/1.1\r\n\r\n",
                   b"GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
                   b"GET /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                   b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n" + b"x" * 70000,
                   b"GET /metrics%00 HTTP/1.1\r\nHost: a\r\n\r\n", b"GFPW\1\0\x0c\0" + bytes(40)]
        for data in garbage:
            answer = self.send(listener, data)
            self.assertFalse(answer.startswith("HTTP/1.1 200 ") and b" /metrics HTTP" not in data, (data[:80], answer[:80]))
            self.assertEqual(listener.ask("/healthz")[0], 200)
        for cut in range(0, 40, 3):
            self.send(listener, b"GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"[:cut])
        self.assertEqual(listener.ask("/metrics")[0], 200)
        self.assertEqual(listener.pid(), process)

    def test_a_thousand_connections_do_not_disturb_work(self):
        listener = self.listener("127.0.0.1:%d" % free_port()).ready()
        process, crowd = listener.pid(), []
        host, _, port = listener.address.rpartition(":")
        try:
            for i in range(1000):
                s = socket.socket()
                crowd.append(s)
                s.setblocking(False)
                s.connect_ex((host, int(port)))
                if select.select([], [s], [], 0)[1] and s.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == 0:
                    s.send(b"GET /metrics HTTP/1.1\r\nHost: a\r\n"[:i % 34])
                if i % 100 == 0:
                    self.work()
            self.work()
            self.assertEqual(self.good("health"), b"ready: cpu is ready\n")
        finally:
            for s in crowd:
                s.close()
        self.assertEqual(listener.ask("/metrics")[0], 200)
        self.assertEqual(listener.pid(), process)

    def test_connections_have_an_end(self):
        """All places are held by clients who say little by little nothing; another client has its turn."""
        listener = self.listener().ready()
        held = [listener.connect() for _ in range(PLACES)]
        over = threading.Event()

        def drip():
            while not over.wait(0.1):
                for s in held:
                    try:
                        s.send(b"G")
                    except OSError:
                        pass

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            self.assertEqual(listener.ask("/healthz")[0], 200)
            for s in held:
                try:
                    self.assertIn(s.recv(1), (b"", b"H"))  # ended, with an answer or without
                except ConnectionResetError:
                    pass  # ended before its last bytes were read
        finally:
            over.set()
            thread.join()
            for s in held:
                s.close()


class Life(Served):
    def test_a_killed_process_is_replaced_and_requests_go_on(self):
        listener = self.listener().ready()
        seen = set()
        for delay in (200, 500):
            process = until(listener.pid, "the process")
            self.assertNotIn(process, seen)
            seen.add(process)
            os.kill(process, signal.SIGKILL)
            self.work()
            self.assertEqual(listener.ask("/healthz")[0], 200)  # waits for the next process
            listener.says("warning: metrics are not served: their process died: signal 9 (Killed); restart_ms=%d\n" % delay)
        self.assertEqual(listener.figure('gpufilter_device_deaths_total{device="cpu"}'), 0)
        self.assertEqual(listener.log().count("died"), 2)

    def test_it_ends_with_the_daemon_and_leaves_nothing(self):
        for number, code in ((signal.SIGTERM, 0), (signal.SIGKILL, -9)):
            listener = self.listener().ready()
            ended = os.pidfd_open(listener.pid())
            self.addCleanup(os.close, ended)
            listener.process.send_signal(number)
            self.assertEqual(listener.process.wait(TIMEOUT), code)
            self.assertTrue(select.select([ended], [], [], TIMEOUT)[0], "it lives on")
        self.listener().ready()  # in place of the one that left its socket behind

    def test_a_daemon_that_ends_is_not_ready(self):
        listener = self.listener(None, "--drain-timeout", str(TIMEOUT)).ready()
        with socket.socket(socket.AF_UNIX) as s:
            s.connect(listener.socket)
            until(lambda: listener.figure("gpufilter_connections_open") == 1, "the connection")
            os.kill(listener.process.pid, signal.SIGSTOP)
            s.send(b"half")
            os.kill(listener.process.pid, signal.SIGTERM)
            os.kill(listener.process.pid, signal.SIGCONT)
            listener.says("ending: SIGTERM")
            until(lambda: not os.path.exists(self.path("m.sock")), "the end of the socket")
            with self.assertRaises(OSError):
                listener.ask("/readyz")
            self.assertIsNone(listener.process.poll())  # it waits for the client

    def test_reload_says_that_it_takes_effect_later(self):
        conf = self.write("conf", b"metrics-listen = unix:%s\n" % self.path("m.sock").encode())
        listener = self.listener(None, "--config", conf).ready()
        process = listener.pid()
        self.write("conf", b"metrics-listen = unix:/elsewhere\nuser-requests = 7\n")
        listener.address, address = "", listener.address
        listener.process.send_signal(signal.SIGHUP)
        listener.says("configuration reloaded")
        listener.address = address
        until(lambda: listener.figure('gpufilter_limit{resource="requests"}') == 7, "the reload")
        self.assertEqual(listener.pid(), process)

    def test_what_of_the_file_takes_effect_later(self):
        conf = self.write("conf", b"metrics-listen = unix:%s\n" % self.path("m.sock").encode())
        listener = Listener(self, "", "--config", conf)
        listener.address = "unix:" + self.path("m.sock")
        until(lambda: os.path.exists(self.path("m.sock")), "the socket")
        listener.ready()
        self.write("conf", b"metrics-listen =\n")
        listener.process.send_signal(signal.SIGHUP)
        listener.says("configuration reloaded; takes effect at the next start: metrics-listen\n")
        self.assertEqual(listener.ask("/healthz")[0], 200)

    def test_a_daemon_of_a_client_leaves_the_address_to_the_service(self):
        conf = self.write("conf", b"metrics-listen = unix:%s\n" % self.path("m.sock").encode())
        ready, told = os.pipe()
        with subprocess.Popen([os.environ["GF_DAEMON"], "--socket", self.path("d.sock"), "--devices", "cpu", "--config", conf,
                               "--ready-fd", str(told)], pass_fds=[told], stderr=subprocess.DEVNULL) as daemon:
            os.close(told)
            with os.fdopen(ready) as f:
                self.assertEqual(f.readline(), "READY\n")
            self.assertFalse(os.path.exists(self.path("m.sock")))
            daemon.terminate()
            self.assertEqual(daemon.wait(TIMEOUT), 0)


class Start(Served):
    def fails(self, address, code, text, *options, **more):
        listener = Listener(self, address, *options, **more)
        self.assertEqual(listener.process.wait(TIMEOUT), code, listener.log())
        self.assertEqual(listener.failure(), "gpufilterd: error: %s\n" % text)

    def test_an_address_in_use_is_named(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            s.listen()
            address = "127.0.0.1:%d" % s.getsockname()[1]
            self.fails(address, 71, "metrics-listen=%s: cannot listen: Address already in use" % address)
        self.assertFalse(os.path.exists(self.path("d.sock")))

    def test_a_path_in_use_is_named(self):
        path = self.path("m.sock")
        self.listener().ready()
        os.rename(self.path("log"), self.path("log.1"))
        self.fails("unix:" + path, 75, "metrics-listen=unix:%s: another gpufilterd serves %s (it holds %s.lock)" %
                   (path, path, path), "--socket", self.path("e.sock"))

    def test_a_folder_that_is_not_there_is_named(self):
        path = self.path("none/m.sock")
        self.fails("unix:" + path, 71, "metrics-listen=unix:%s: cannot open %s.lock: No such file or directory" %
                   (path, path))

    def test_wrong_addresses_are_refused(self):
        for address in ("9119", "localhost:9119", ":9119", "127.0.0.1", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536",
                        "127.0.0.1:99999999999999999999", "127.0.0.1:+80", "127.1:80", "::1:80", "[::1]", "[::1:80", "[]:80",
                        "[::1]80", "[127.0.0.1]:80", "unix:", "/run/x", "tcp:127.0.0.1:80", "[%s]:80" % ("1:" * 40)):
            r = subprocess.run([os.environ["GF_DAEMON"], "--check-config", "--metrics-listen", address], capture_output=True,
                               timeout=TIMEOUT, text=True)
            self.assertEqual((r.returncode, r.stderr),
                             (64, "gpufilterd: error: metrics-listen=%s: allowed: unix:PATH, 127.0.0.1:PORT, [::1]:PORT "
                              "or another numeric address\n" % address))
        for address in ("", "0.0.0.0:9119", "127.0.0.1:1", "[::]:65535", "unix:m"):
            r = subprocess.run([os.environ["GF_DAEMON"], "--check-config", "--metrics-listen", address], capture_output=True,
                               timeout=TIMEOUT, text=True)
            self.assertEqual((r.returncode, r.stdout), (0, "ok\n"))

    def test_without_its_program_there_is_no_listener(self):
        """As in a build without libmicrohttpd."""
        daemon = self.path("gpufilterd")
        shutil.copy(os.environ["GF_DAEMON"], daemon)
        listener = Listener(self, "unix:" + self.path("m.sock"), program=daemon)
        until(lambda: listener.process.poll() is not None or listener.pid(), "a start")
        if listener.process.poll() is None:
            self.skipTest("a listener is installed on this machine")
        self.assertEqual(listener.process.wait(TIMEOUT), 71)
        self.assertRegex(listener.failure(), r"^gpufilterd: error: metrics cannot be served: no program at /.*/gpufilterd-metrics: "
                         r"No such file or directory; builds without libmicrohttpd have none\n$")
        self.assertFalse(os.path.exists(self.path("m.sock")))

    def test_the_doctor_looks_for_the_program(self):
        for options, line in (([], ""), (["--metrics-listen", "127.0.0.1:1"], "ok    metrics        /")):
            r = subprocess.run([os.environ["GF_DAEMON"], "--doctor", "--socket", self.path("d.sock"), *options],
                               capture_output=True, timeout=TIMEOUT, text=True)
            found = "".join(line for line in r.stdout.splitlines() if line[6:13] == "metrics")
            self.assertEqual(found[:len(line)], line)
            self.assertEqual(found.endswith("/gpufilterd-metrics, on 127.0.0.1:1"), bool(options), r.stdout)

    def test_the_program_says_who_starts_it(self):
        program = os.path.join(os.path.dirname(os.environ["GF_DAEMON"]), "gpufilterd-metrics")
        r = subprocess.run([program], capture_output=True, timeout=TIMEOUT, text=True)
        self.assertEqual((r.returncode, r.stderr), (64, "gpufilterd-metrics: descriptors 3 and 4 must be the sockets that "
                                                    "gpufilterd passes; it starts this program if metrics-listen is set\n"))
        for args in (["--sandbox"], ["--sandbox", "2"], ["x"]):
            r = subprocess.run([program, *args], capture_output=True, timeout=TIMEOUT, text=True)
            self.assertEqual((r.returncode, r.stderr[:26]), (64, "usage: gpufilterd-metrics "))
        for option, text in (("--help", "usage: gpufilterd-metrics "), ("--version", "gpufilterd-metrics ")):
            r = subprocess.run([program, option], capture_output=True, timeout=TIMEOUT, text=True)
            self.assertEqual((r.returncode, r.stdout[:len(text)]), (0, text))


if __name__ == "__main__":
    unittest.main()
