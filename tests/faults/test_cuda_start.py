#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exit code of a worker whose first call to CUDA fails. It must be 69, after which the front starts no other worker,
only if there is no device; otherwise 70. Needs no GPU, since the call is not made. GF_WORKER names gf_fault_worker."""
import os
import socket
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "attack")]
from walk_cuda import ALL, CudaFaults  # noqa: E402

NO_DEVICE, FAILED = 69, 70
CODES = {
    100: NO_DEVICE,  # no device
    35: NO_DEVICE,   # the driver is too old
    803: NO_DEVICE,  # the driver's library does not match its kernel module
    2: FAILED,       # another process has the memory
    46: FAILED,      # another process has exclusive use of the device
    304: FAILED,
    719: FAILED,
    999: FAILED,
}


class Start(unittest.TestCase):
    def test_only_a_missing_device_is_given_up(self):
        for error, code in CODES.items():
            with self.subTest(error=error):
                faults = CudaFaults()
                faults.arm(ALL, 1, error)
                front, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                with front:
                    done = subprocess.run(
                        [os.environ["GF_WORKER"], "--device", "cuda:0", "--front", "fd:%d" % theirs.fileno()],
                        pass_fds=[theirs.fileno()], env={**os.environ, **faults.env}, timeout=30,
                        stderr=subprocess.PIPE)
                    theirs.close()
                    self.assertEqual(done.returncode, code)
                    self.assertIn(b"(CUDA error %d)" % error, front.recv(4096))
                    self.assertRegex(done.stderr, rb"^gpufilterd-worker: cuda:0: [^\n]*\(CUDA error %d\)\n$" % error)
                    if error == 35:
                        self.assertRegex(done.stderr, b"no NVIDIA driver: libcuda|the NVIDIA driver is for CUDA ")


if __name__ == "__main__":
    unittest.main()
