#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs samples/cluster unchanged, as far as one machine can: the manifest's commands without Kubernetes, the Snakefile
with Snakemake, a forwarded socket with a real sshd. test_slurm.py tests the job array."""
import os
import shutil
import socket
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

# pylint: disable=wrong-import-position
from support import CLIENT, TIMEOUT, DaemonCase, ppm, setUpModule, tearDownModule  # noqa: E402

SAMPLES = os.path.join(HERE, "..", "..", "samples", "cluster")


class Pictures(DaemonCase):
    """Ten pictures, and the expected results of the samples' operation."""

    N = 10

    def setUp(self):
        super().setUp()
        self.env["PATH"] = os.path.dirname(CLIENT) + ":" + self.env["PATH"]
        os.mkdir(self.path("in"))
        for i in range(self.N):
            self.write("in/p%d.ppm" % i, ppm(5 + i, 9, bytes((x * (i + 3)) % 251 for x in range((5 + i) * 27))))
        self.write("list", b"".join(b"%s\0" % self.path("in/p%d.ppm" % i).encode() for i in range(self.N)))
        self.good("gaussian", "--sigma", "2", "--files-from", "list", "--parents", "-o", "want/{stem}.png")

    def sample(self, name):
        with open(os.path.join(SAMPLES, name), encoding="utf-8") as f:
            return f.read()

    def shell(self, *args, **env):
        return subprocess.run([*args], cwd=self.dir, env={**self.env, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=TIMEOUT, check=False)

    def right(self, folder):
        self.assertEqual(sorted(n for n in os.listdir(self.path(folder)) if n[0] != "."), sorted(os.listdir(self.path("want"))))
        for name in os.listdir(self.path("want")):
            self.assertEqual(self.read("%s/%s" % (folder, name)), self.read("want/" + name), name)


class Scripts(Pictures):
    def test_shells_can_read_them(self):
        for name in "slurm-array.sh", "ssh-forward.sh":
            r = self.shell("bash", "-n", os.path.join(SAMPLES, name))
            self.assertEqual((r.returncode, r.stdout), (0, ""))
            if shutil.which("shellcheck"):
                r = self.shell("shellcheck", os.path.join(SAMPLES, name))
                self.assertEqual((r.returncode, r.stdout), (0, ""))

    def test_what_is_missing(self):
        for name, says in ("slurm-array.sh", "usage: sbatch"), ("ssh-forward.sh", "usage: ssh-forward.sh HOST COMMAND..."):
            r = self.shell("bash", os.path.join(SAMPLES, name))
            self.assertNotEqual(r.returncode, 0)
            self.assertIn(says, r.stdout)

    def task(self, k, requeue="exit 0", **env):
        """Runs a task of the array without Slurm; `requeue` replaces `scontrol requeue`. Returns its status and
        output."""
        os.makedirs(self.path("bin"), exist_ok=True)
        for name, text in ("scontrol", 'echo "scontrol $*"; %s' % requeue), ("sleep", "exit 0"):
            os.chmod(self.write("bin/" + name, b"#!/bin/sh\n%s\n" % text.encode()), 0o755)
        r = self.shell("bash", os.path.join(SAMPLES, "slurm-array.sh"), "list", "out", "3", SLURM_ARRAY_TASK_ID=str(k), SLURM_JOB_ID="77",
                       SLURMD_NODENAME="node9", PATH=self.path("bin") + ":" + self.env["PATH"], **env)
        return r.returncode, r.stdout

    def test_a_task_asks_for_another_try_only_where_it_may_help(self):
        away = {"GPUFILTER_SOCKET": self.path("nosuch.sock")}
        code, text = self.task(1, **away)
        self.assertEqual(code, 69)
        self.assertTrue(text.endswith("exit status 69 on node9: try again\nscontrol requeue 77\n"), text)
        self.assertEqual((code, text.count("scontrol")), (69, 1))
        code, text = self.task(1, SLURM_RESTART_COUNT="5", **away)
        self.assertEqual((code, text.count("scontrol")), (69, 0))
        self.write("in/p3.ppm", b"P6\n3 3\n255\n")
        code, text = self.task(1)
        self.assertEqual((code, text.count("scontrol")), (2, 0), text)
        self.assertIn("in/p3.ppm: ", text)
        self.write("in/p3.ppm", ppm(8, 9, bytes((x * 6) % 251 for x in range(8 * 27))))
        self.assertEqual([self.task(k)[0] for k in (1, 2, 3)], [0, 0, 0])
        self.right("out")
        code, text = self.task(4)  # an array with more tasks than parts
        self.assertEqual(code, 64)
        self.assertIn("--shard 4/3; allowed", text)


class Kubernetes(Pictures):
    def setUp(self):
        super().setUp()
        try:
            import yaml
        except ImportError:
            self.skipTest("no python3-yaml to read the manifest with")
        self.job = yaml.safe_load(self.sample("kubernetes-job.yaml"))
        self.spec = self.job["spec"]
        self.container = self.spec["template"]["spec"]["containers"][0]

    def test_what_has_to_agree(self):
        """Checks the fields that the API server, by its reference, would refuse or handle differently; it is not
        run."""
        self.assertEqual((self.job["apiVersion"], self.job["kind"], self.spec["completionMode"]), ("batch/v1", "Job", "Indexed"))
        env = {e["name"]: e["value"] for e in self.container["env"]}
        self.assertEqual(env["PARTS"], str(self.spec["completions"]))
        self.assertEqual(self.spec["template"]["spec"]["restartPolicy"], "Never")  # podFailurePolicy needs it
        self.assertIn("backoffLimitPerIndex", self.spec)  # FailIndex needs it
        self.assertLessEqual(self.spec["maxFailedIndexes"], self.spec["completions"])
        codes = [rule["onExitCodes"] for rule in self.spec["podFailurePolicy"]["rules"] if "onExitCodes" in rule]
        self.assertEqual([(c["operator"], c["values"]) for c in codes], [("NotIn", [69, 75, 137, 143])])
        self.assertEqual(codes[0]["containerName"], self.container["name"])
        mounts = {m["name"]: m["mountPath"] for m in self.container["volumeMounts"]}
        self.assertEqual(mounts, {v["name"]: "/data" for v in self.spec["template"]["spec"]["volumes"]})

    def test_its_commands(self):
        os.mkdir(self.path("data"))
        shutil.copy(self.path("list"), self.path("data/list"))
        command = [a.replace("/data", self.path("data")) for a in [*self.container["command"], *self.container["args"]]]
        for index in range(self.spec["completions"]):
            r = self.shell(*command, JOB_COMPLETION_INDEX=str(index), PARTS=str(self.spec["completions"]))
            self.assertEqual(r.returncode, 0, r.stdout)
        self.right("data/out")


class Snakemake(Pictures):
    def run_it(self, *more):
        program = next((p for p in (shutil.which("snakemake"), os.path.join(os.path.dirname(os.environ.get("GF_DASK", "")), "snakemake"))
                        if p and os.path.exists(p)), None)
        if not program:
            self.skipTest("no snakemake to run the Snakefile with")
        return self.shell(program, "--snakefile", os.path.join(SAMPLES, "Snakefile"), "--cores", "2", "--config", "parts=3", *more)

    def test_all_parts_and_again(self):
        self.write("list", self.read("list").replace(b"\0", b"\n"))
        r = self.run_it()
        self.assertEqual(r.returncode, 0, r.stdout)
        self.assertEqual(sorted(n for n in os.listdir(self.path("results/.parts")) if not n.endswith(".log")),
                         ["1-of-3", "2-of-3", "3-of-3"])
        self.right("results")
        os.remove(self.path("results/.parts/2-of-3"))
        os.remove(self.path("results/p1.png"))
        r = self.run_it()
        self.assertEqual(r.returncode, 0, r.stdout)
        self.assertEqual(self.read("results/.parts/2-of-3.log"),
                         b"gpufilter-client: gaussian: 2 of 3 files are skipped: their results exist\n")
        self.right("results")

    def test_a_part_that_fails(self):
        self.env["GPUFILTER_SOCKET"] = self.path("nosuch.sock")
        r = self.run_it("out=away")
        self.assertEqual(r.returncode, 1, r.stdout)
        made = os.listdir(self.path("away/.parts"))
        self.assertTrue(made and all(name.endswith(".log") for name in made), made)
        self.assertIn(b"nosuch.sock", self.read("away/.parts/" + made[0]))


class Ssh(Pictures):
    def setUp(self):
        super().setUp()
        for program in "ssh", "sshd", "ssh-keygen":
            if not shutil.which(program):
                self.skipTest("no program %s" % program)
        if os.geteuid() == 0 and not os.path.isdir("/run/sshd"):
            self.skipTest("no directory /run/sshd, which sshd wants of root")
        for name in "host", "user":
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.path(name)], check=True, stdin=subprocess.DEVNULL)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.write("sshd.conf", b"Port %d\nListenAddress 127.0.0.1\nHostKey %s\nAuthorizedKeysFile %s\nStrictModes no\nUsePAM no\n"
                   b"PidFile none\nPasswordAuthentication no\n"
                   % (port, self.path("host").encode(), self.path("user.pub").encode()))
        self.write("ssh.conf", b"Host gpu1\nHostName 127.0.0.1\nPort %d\nIdentityFile %s\nUserKnownHostsFile %s\nBatchMode yes\n"
                   % (port, self.path("user").encode(), self.path("known").encode()))
        self.write("known", b"[127.0.0.1]:%d %s" % (port, self.read("host.pub")))
        os.mkdir(self.path("bin"))  # the sample says ssh, as a user with a configuration of his own does
        os.chmod(self.write("bin/ssh", b'#!/bin/sh\nexec %s -F %s "$@"\n' % (shutil.which("ssh").encode(), self.path("ssh.conf").encode())), 0o755)
        self.env["PATH"] = self.path("bin") + ":" + self.env["PATH"]
        del self.env["GPUFILTER_SOCKET"]
        sshd = subprocess.Popen([shutil.which("sshd"), "-D", "-e", "-f", self.path("sshd.conf")], stderr=subprocess.DEVNULL)
        self.addCleanup(sshd.wait, TIMEOUT)
        self.addCleanup(sshd.terminate)
        end = time.monotonic() + TIMEOUT
        while not self.listens(port):
            self.assertLess(time.monotonic(), end, "sshd does not listen")
            time.sleep(0.01)

    @staticmethod
    def listens(port):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    def forward(self, *words, remote=None):
        return self.shell("bash", os.path.join(SAMPLES, "ssh-forward.sh"), *words, REMOTE_SOCKET=remote or self.daemon.socket,
                          TMPDIR=self.dir)

    def test_a_command_with_the_other_machine(self):
        r = self.forward("gpu1", "gpufilter-client", "gaussian", "--sigma", "2", "--files-from", "list", "--parents", "-o", "out/{stem}.png")
        self.assertEqual((r.returncode, r.stdout), (0, ""))
        self.right("out")
        self.assertEqual([n for n in os.listdir(self.dir) if n.startswith("tmp.")], [])

    def test_what_can_be_wrong(self):
        r = self.forward("nosuch.invalid", "true")
        self.assertEqual(r.returncode, 69, r.stdout)
        r = self.forward("gpu1", "gpufilter-client", "ping", "--timeout", "2", remote=self.path("nosuch.sock"))
        self.assertIn(r.returncode, (69, 75), r.stdout)  # ssh takes the connection and ends it
        r = self.forward("gpu1", "sh", "-c", "exit 5")
        self.assertEqual(r.returncode, 5, r.stdout)
        self.assertEqual([n for n in os.listdir(self.dir) if n.startswith("tmp.")], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
