# SPDX-License-Identifier: MIT
"""gpufilter-client with daemons that do not run yet, that end, and that come back."""
import os
import shutil
import signal
import subprocess
import threading
import unittest

from support import CLIENT, TIMEOUT, Case, ppm

LONG = str(TIMEOUT)


class Wait(Case):
    """Each test has a socket, and starts daemons behind it."""

    def setUp(self):
        super().setUp()
        self.socket = self.env["GPUFILTER_SOCKET"] = self.path("d.sock")

    def start(self):
        ready, told = os.pipe()
        daemon = subprocess.Popen([os.environ["GF_DAEMON"], "--socket", self.socket, "--devices", "cpu", "--ready-fd",
                                   str(told)], pass_fds=[told], stderr=subprocess.DEVNULL)
        self.addCleanup(self.end, daemon, signal.SIGKILL)
        os.close(told)
        with os.fdopen(ready) as f:
            self.assertEqual(f.readline(), "READY\n")
        return daemon

    def end(self, daemon, number):
        daemon.send_signal(number)
        return daemon.wait(TIMEOUT)

    def test_a_command_waits_for_a_daemon(self):
        for option, variable in [(["--wait", LONG], {}), ([], {"GPUFILTER_WAIT": LONG})]:
            client = subprocess.Popen([CLIENT, "ping", *option], env={**self.env, **variable}, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE)
            daemon = self.start()
            out, err = client.communicate(timeout=TIMEOUT)
            self.assertEqual((client.returncode, err), (0, b""))
            self.assertNotEqual(out, b"")
            self.end(daemon, signal.SIGTERM)

    def test_a_wait_has_an_end(self):
        del self.env["GPUFILTER_AUTOSTART"]
        self.bad(69, self.socket + ": No such file or directory", "ping", "--wait", "0.02")
        self.env["GPUFILTER_WAIT"] = "0.02"
        self.bad(69, self.socket, "devices")
        self.env["GPUFILTER_WAIT"] = "a while"
        self.bad(64, "GPUFILTER_WAIT=a while; allowed: 0..86400 seconds", "ping")

    def test_no_daemon_is_started_beside_the_systems(self):
        """The system's socket exists, but no process listens, as during a restart of its daemon or proxy; or it is gone,
        and systemd runs on this machine, where the service is installed. A private daemon that runs is no substitute."""
        apart = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec",
                 'mount -t tmpfs none /run; mkdir /run/gpufilter; [ -z "$1" ] || mkdir -p "$1"; shift; exec "$@"', "sh"]
        if shutil.which("unshare") is None or subprocess.run([*apart, "", "true"], stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("this user may not make a mount namespace, in which the system's socket can be there")
        del self.env["GPUFILTER_SOCKET"], self.env["GPUFILTER_AUTOSTART"]
        self.env.update(XDG_RUNTIME_DIR=self.dir, GPUFILTER_DAEMON="/none/gpufilterd")
        self.write("in.ppm", ppm(2, 2, bytes(12)))
        os.mkdir(self.path("gpufilter"), 0o700)
        self.socket = self.path("gpufilter/gpufilterd-1.sock")
        installed = ("/run/systemd/system", [], 69, "/run/gpufilter/gpufilterd.sock: No such file or directory; the system's "
                     "service does not run: ask its administrator; ")

        def check(there, wait, code, text):
            r = subprocess.run([*apart, there, CLIENT, "invert", "in.ppm", "out.ppm", *wait], env=self.env,
                               cwd=self.dir, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
            self.assertEqual(r.returncode, code, r.stderr)
            self.assertIn(text, r.stderr)
            self.assertEqual("none is started beside the system's" in r.stderr, there != "", r.stderr)
            self.assertEqual("GPUFILTER_PRIVATE=1 starts one\n" in r.stderr, there != "", r.stderr)
        for case in [
            ("", [], 69, "cannot start /none/gpufilterd"),
            ("/run/gpufilter/gpufilterd.sock", [], 69, "/run/gpufilter/gpufilterd.sock: Connection refused"),
            installed,
            ("", ["--wait", "0.02"], 69, "/run/gpufilter/gpufilterd.sock: No such file or directory"),
        ]:
            check(*case)
        self.start()
        check(*installed)
        self.assertFalse(os.path.exists(self.path("out.ppm")))

    def files_while(self, number):
        """Many small files while daemons end by a signal, one after another, each after some work, and come back."""
        names = ["%03d.ppm" % i for i in range(300)]
        pictures = {name: bytes((x * 7 + i) % 251 for x in range(40 * 30 * 3)) for i, name in enumerate(names)}
        for name in names:
            self.write(name, ppm(40, 30, pictures[name]))
        daemon = self.start()
        over = threading.Event()

        def disturb():
            nonlocal daemon
            for n in range(20, 300, 50):
                while len(os.listdir(self.path("out"))) < n and not over.wait(0.001):
                    pass
                self.end(daemon, number)
                daemon = self.start()

        thread = threading.Thread(target=disturb)
        os.mkdir(self.path("out"))
        thread.start()
        try:
            self.good("invert", *names, "-o", "out/", "--wait", LONG, "-j", "4", timeout=4 * TIMEOUT)
        finally:
            over.set()
            thread.join()
        for name in names:
            self.assertEqual(self.read("out/" + name), ppm(40, 30, bytes(255 - x for x in pictures[name])))

    def test_files_outlive_killed_daemons(self):
        self.files_while(signal.SIGKILL)

    def test_files_outlive_daemons_that_end(self):
        self.files_while(signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
