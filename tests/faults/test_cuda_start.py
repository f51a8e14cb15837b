#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a worker makes of an error of CUDA's first call: exit code 69, after which nobody tries again, only where there
is no device; else 70. Needs no GPU, since the call is not made. GF_WORKER names gf_fault_worker."""
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
    100: NO_DEVICE,  # there is none
    35: NO_DEVICE,   # the driver is too old
    803: NO_DEVICE,  # or does not belong to the kernel's part
    2: FAILED,       # somebody else has the memory
    46: FAILED,      # or the device for himself
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
