#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manifests of samples/cluster without Kubernetes: the published schemas accept them, their parts agree with each
other and with the Containerfile, and their commands work with the users and rights that they ask for. GF_DASK names the
Python with the package kubernetes-validate."""
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest



HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLES = os.path.join(HERE, "..", "..", "samples", "cluster")
MANIFESTS = ("kubernetes-daemon.yaml", "kubernetes-client.yaml", "kubernetes-job.yaml")
VERSIONS = ("1.29.0", "1.31.0")  # the least one for the job, and one that all versions of the package have
DIRECTORY, SKIP, WAIT = "/run/gpufilter", 77, 60


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


try:
    import yaml
except ImportError:
    print("skipped: no python3-yaml to read the manifests with; scripts/deps --cluster installs it")
    sys.exit(SKIP)
DAEMON_SET, POLICY = yaml.safe_load_all(read(os.path.join(SAMPLES, "kubernetes-daemon.yaml")))
DEPLOYMENT = yaml.safe_load(read(os.path.join(SAMPLES, "kubernetes-client.yaml")))
POD, CLIENT_POD = (each["spec"]["template"]["spec"] for each in (DAEMON_SET, DEPLOYMENT))
DAEMON, CLIENT, CHOWN = POD["containers"][0], CLIENT_POD["containers"][0], POD["initContainers"][0]
CONTAINERFILE = read(os.path.join(HERE, "..", "..", "Containerfile"))


def uid_of(container):
    return container["securityContext"]["runAsUser"]


class Parts(unittest.TestCase):
    def test_the_schemas_accept_them(self):
        python = os.environ.get("GF_DASK", "")
        if not os.path.exists(python) or subprocess.run([python, "-c", "import kubernetes_validate"], capture_output=True,
                                                        check=False).returncode:
            self.skipTest("no kubernetes-validate; scripts/deps --cluster installs it in build/cluster")
        for version in VERSIONS:
            for name in MANIFESTS:
                with self.subTest(version + " " + name):
                    done = subprocess.run([python, "-m", "kubernetes_validate", "-k", version, "--strict", os.path.join(SAMPLES, name)],
                                          capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_selectors_select(self):
        for each in DAEMON_SET, DEPLOYMENT:
            self.assertEqual(each["spec"]["selector"]["matchLabels"], each["spec"]["template"]["metadata"]["labels"])
        self.assertEqual(POLICY["spec"], {"podSelector": DAEMON_SET["spec"]["selector"], "policyTypes": ["Ingress", "Egress"]})
        self.assertEqual(POD["nodeSelector"], CLIENT_POD["nodeSelector"])

    def test_users_are_the_image_s(self):
        uid = uid_of(DAEMON)
        self.assertIn("\nUSER %d:%d\n" % (uid, uid), CONTAINERFILE)
        self.assertIn("useradd --uid %d --gid %d" % (uid, uid), CONTAINERFILE)
        self.assertEqual(CHOWN["command"], ["chown", "%d:%d" % (uid, uid), DIRECTORY])
        self.assertNotIn(uid_of(CLIENT), (uid, 0))
        page = read(os.path.join(HERE, "..", "..", "docs", "operating.md"))
        self.assertIn("install -d -o %d -g %d %s\n" % (uid, uid, DIRECTORY), page)

    def test_the_image_has_what_is_run(self):
        for package in "gpufilterd", "gpufilterd-cuda", "gpufilter-client":
            self.assertIn("/packages/%s_*.deb" % package, CONTAINERFILE)
        image = DAEMON["image"]
        self.assertEqual({each["image"] for each in (*POD["containers"], *POD["initContainers"], *CLIENT_POD["containers"])}, {image})

    def test_the_image_is_built_from_all_sources(self):
        for folder in re.findall(r"^add_subdirectory\((\w+)\)", read(os.path.join(HERE, "..", "..", "CMakeLists.txt")), re.M):
            self.assertIn("\nCOPY %s %s\n" % (folder, folder), CONTAINERFILE)

    def test_the_socket_is_where_it_is_looked_for(self):
        socket = DIRECTORY + "/gpufilterd.sock"
        self.assertEqual(DAEMON["args"][:2], ["--socket", socket])
        for container, pod in (DAEMON, POD), (CHOWN, POD), (CLIENT, CLIENT_POD):
            self.assertIn(DIRECTORY, [m["mountPath"] for m in container["volumeMounts"] if m["name"] == "socket"])
            volume = next(v for v in pod["volumes"] if v["name"] == "socket")
            self.assertEqual(volume["hostPath"]["path"], DIRECTORY)
        for container in DAEMON, CLIENT:
            self.assertIn({"name": "GPUFILTER_SOCKET", "value": socket}, container["env"])

    def test_only_the_daemon_has_a_gpu_and_nobody_has_rights(self):
        self.assertEqual(DAEMON["resources"]["limits"]["nvidia.com/gpu"], 1)
        self.assertNotIn("nvidia.com/gpu", CLIENT["resources"]["limits"])
        for container in DAEMON, CLIENT, CHOWN:
            context = container["securityContext"]
            self.assertEqual((context["allowPrivilegeEscalation"], context["readOnlyRootFilesystem"], context["seccompProfile"]),
                             (False, True, {"type": "RuntimeDefault"}))
            self.assertEqual(context["capabilities"]["drop"], ["ALL"])
        self.assertEqual(CHOWN["securityContext"]["capabilities"]["add"], ["CHOWN"])

    def test_probes_end_before_they_are_given_up(self):
        for name in "startupProbe", "readinessProbe", "livenessProbe":
            command = DAEMON[name]["exec"]["command"]
            self.assertLess(float(command[command.index("--timeout") + 1]), DAEMON[name]["timeoutSeconds"])


class Commands(unittest.TestCase):
    """A directory of root in place of the node's."""

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("other users need root, this is uid %d" % os.geteuid())
        self.dir = tempfile.mkdtemp(prefix="gf-kubernetes-")
        self.addCleanup(subprocess.run, ["rm", "-rf", self.dir], check=True)
        os.chmod(self.dir, 0o755)
        os.mkdir(self.path("run"), 0o755)
        os.mkdir(self.path("tmp"))
        os.chmod(self.path("tmp"), 0o1777)
        if self.run_as(DAEMON, ["test", "-x", os.environ["GF_DAEMON"]]).returncode:
            self.skipTest("%s is in a directory that other users cannot open" % os.environ["GF_DAEMON"])

    def path(self, name):
        return os.path.join(self.dir, name)

    def placed(self, words):
        """With this machine's files in place of the container's."""
        programs = {"gpufilter-client": "GF_CLIENT", "gpufilterd": "GF_DAEMON"}
        places = {DIRECTORY: self.path("run"), "/tmp/": self.path("tmp/")}
        text = re.sub("|".join(places), lambda m: places[m[0]], " ".join(map(shlex.quote, words)))
        text = re.sub(r"(?<![\w/.-])(gpufilter-client|gpufilterd)(?= )", lambda m: os.environ[programs[m[1]]], text)
        return shlex.split(text.replace("$(NODE_NAME)", "node7"))

    def as_user(self, container, words):
        """The words to run as the container's user, with its rights."""
        context = container["securityContext"]
        caps = ["--bounding-set", ",".join(["-all", *("+" + c.lower() for c in context["capabilities"].get("add", []))])]
        return ["setpriv", "--reuid", str(context["runAsUser"]), "--regid", str(context["runAsGroup"]), "--clear-groups",
                "--no-new-privs", "--inh-caps", "-all", *caps, *words]

    def run_as(self, container, words, before=()):
        env = {e["name"]: e["value"].replace(DIRECTORY, self.path("run")) for e in container.get("env", []) if "value" in e}
        return subprocess.run([*before, *self.as_user(container, words)], capture_output=True, text=True, check=False,
                              timeout=WAIT, env={**os.environ, **env})

    def start(self):
        args = self.placed(["gpufilterd", *DAEMON["args"]]) + ["--worker", os.environ["GF_WORKER"], "--devices", "cpu"]
        ready, told = os.pipe()
        daemon = subprocess.Popen(self.as_user(DAEMON, [*args, "--ready-fd", str(told)]), pass_fds=[told], stderr=subprocess.PIPE)
        self.addCleanup(daemon.communicate)
        self.addCleanup(daemon.terminate)
        os.close(told)
        with os.fdopen(ready) as f:
            return f.readline().strip()

    def test_the_daemon_needs_the_directory_to_be_its_own(self):
        self.assertIn("Permission denied", self.start())
        self.assertEqual(self.run_as(DAEMON, ["chown", "10820", self.path("run")]).returncode, 1)

    def test_daemon_probes_and_program(self):
        probes = [self.placed(DAEMON[name]["exec"]["command"]) for name in ("startupProbe", "readinessProbe", "livenessProbe")]
        self.assertEqual([self.run_as(DAEMON, probe).returncode for probe in probes], [69, 69, 69])
        for _ in range(2):  # a new pod finds the directory of the former one
            done = self.run_as(CHOWN, self.placed(CHOWN["command"]))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.start(), "READY")
        for probe in probes:
            done = self.run_as(DAEMON, probe)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), probe)
        read_only = ["unshare", "--mount", "sh", "-ec", 'mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"; shift; exec "$@"',
                     "sh", self.path("run")]
        words = self.placed([*CLIENT["command"], *(a.replace("sleep 60", "exit") for a in CLIENT["args"])])
        done = self.run_as(CLIENT, words, read_only)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r'"request":\s*"node7/\d+/\d+"')
        with open(self.path("tmp/out.pgm"), "rb") as f:
            self.assertEqual(f.read()[-4:], bytes(255 - c for c in b"abcd"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
