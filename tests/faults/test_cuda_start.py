#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exit code and last line of a worker whose first call to CUDA fails. It is 72, after which the front tries again for
ever, if the system is not ready for the device; 69, after which the front starts no other worker, if build, driver and
device do not fit together; otherwise 70. Needs no GPU: GF_WORKER names gf_fault_worker_fake."""
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack"), os.path.join(HERE, "..", "support")]
from walk_cuda import CudaFaults, OPENING, RETRIED  # noqa: E402

NO_DEVICE, FAILED, NOT_READY = 69, 70, 72
CODES = {error: NOT_READY if verdict == RETRIED else NO_DEVICE for error, verdict in OPENING.items()}
CODES.update(dict.fromkeys((1, 2, 304, 400, 719, 800, 801, 999), FAILED))
# What the administrator is told beside CUDA's own text.
REMEDIES = {
    3: "dmesg", 34: "stubs", 35: "the NVIDIA driver is for CUDA |no NVIDIA driver: libcuda", 36: "update the driver",
    46: "another process", 100: "nvidia-smi", 102: "nvidia-gridd", 209: "kernels for .*-DGF_CUDA_ARCHITECTURES=",
    218: "update the driver", 221: "libnvidia-ptxjitcompiler", 222: "update the driver", 223: "CUDA_DISABLE_PTX_JIT",
    802: "nvidia-fabricmanager", 803: "reload the driver", 804: "cuda-compat",
    **dict.fromkeys(range(805, 811), "nvidia-cuda-mps-control"),
}


class Start(unittest.TestCase):
    def start(self, error=0, **more):
        """Runs a worker whose first call to CUDA fails. Returns its exit code, its message to the front and its line."""
        faults = CudaFaults()
        if error:
            faults.arm(1, error)
        front, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with front:
            done = subprocess.run(
                [os.environ["GF_WORKER"], "--device", "cuda:0", "--front", "fd:%d" % theirs.fileno()],
                pass_fds=[theirs.fileno()], env={**os.environ, **faults.env, **more}, timeout=30, stderr=subprocess.PIPE)
            theirs.close()
            return done.returncode, front.recv(4096), done.stderr

    def test_each_error_has_its_verdict(self):
        for error, code in CODES.items():
            with self.subTest(error=error):
                returned, told, said = self.start(error)
                self.assertEqual(returned, code)
                self.assertIn(b"(CUDA error %d)" % error, told)
                line = re.match(rb"gpufilterd-worker: (cuda:0: [^\n]*\(CUDA error %d\))\n" % error, said)
                self.assertTrue(line and line.group(1) in told, said)
                self.assertRegex(line.group(1).decode(), REMEDIES.get(error, "cuda:0: "))

    def test_a_device_without_memory_pools_is_refused(self):
        returned, told, said = self.start(GF_FAKE_NO_POOLS="1")
        self.assertEqual(returned, NO_DEVICE)
        for text in told, said:
            self.assertIn(b"cuda:0: no GPU has no memory pools", text)

    def test_a_worker_of_systemd_tells_the_front_and_ends(self):
        """Its unit's RestartSec and RestartSteps are the delay before the next one."""
        with tempfile.TemporaryDirectory(prefix="gf-start-") as folder, \
                socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as workers:
            workers.bind(os.path.join(folder, "workers.sock"))
            workers.listen()
            faults = CudaFaults()
            faults.arm(1, 802)
            with subprocess.Popen(
                    [os.environ["GF_WORKER"], "--device", "cuda:0", "--front", workers.getsockname()],
                    env={**os.environ, **faults.env}, stderr=subprocess.PIPE) as worker:
                front, _ = workers.accept()
                with front:
                    self.assertIn(b"(CUDA error 802)", front.recv(4096))
                self.assertEqual(worker.wait(30), NOT_READY)
                self.assertIn(b"nvidia-fabricmanager", worker.stderr.read())


if __name__ == "__main__":
    unittest.main()
