#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts a private daemon and runs client.py against it: run.py GPUFILTERD WORKER CLIENT.PY."""
import os
import subprocess
import sys
import tempfile


def main():
    daemon, worker, client = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="gf-interop-") as folder:
        path = os.path.join(folder, "socket")
        ready, told = os.pipe()
        os.set_inheritable(told, True)
        process = subprocess.Popen([daemon, "--socket", path, "--worker", worker, "--devices", "cpu",
                                    "--ready-fd", str(told)], pass_fds=[told])
        os.close(told)
        try:
            with os.fdopen(ready) as pipe:
                word = pipe.readline().strip()
            if not word.startswith("READY"):
                print("the daemon did not start: %s" % word, file=sys.stderr)
                return 1
            status = subprocess.call([sys.executable, client, path, "cpu"], timeout=120)
        finally:
            process.terminate()
            code = process.wait(timeout=120)
        if code != 0:
            print("the daemon ended with %d" % code, file=sys.stderr)
            return 1
        return status


if __name__ == "__main__":
    sys.exit(main())
