#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs under valgrind: the unit tests of a build; the front, with clients and workers simulated by the seeds of
fuzz_session; and the worker of a real daemon under the malformed frames and the handles of tests/attack. Fails on
errors that memcheck finds, on lost memory, and on descriptors that are open at the end. usage: memcheck.py BUILD

A real front does not run under valgrind, because valgrind before 3.22 does not know pidfd_open. test_front_doctor is
left out because it reports the limits of descriptors, some of which valgrind keeps for itself, and test_untrusted
because it starts itself from /proc/self/exe, which is valgrind. test_sandbox is left out because its filters would also
apply to valgrind; for the same reason the worker keeps its rights."""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ATTACK = os.path.join(HERE, "..", "attack")
SUITES = ("test_corpus.py", "test_handles.py")
NOT_HERE = ("test_front_doctor", "test_sandbox", "test_untrusted")
SESSION = "fuzz_session"
# A forked child ends with the memory that it inherited from its parent.
VALGRIND = ["valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite",
            "--error-exitcode=9", "--child-silent-after-fork=yes"]


def complaints(log):
    """The lines of a log except the count of descriptors and the descriptors that the program inherited."""
    with open(log, encoding="utf-8", errors="replace") as f:
        text = re.sub(r"^==\d+== ?", "", f.read(), flags=re.M)
    parts = re.split(r"\n\s*\n", text.strip())
    kept = []
    for part in parts:
        part = re.sub(r"^FILE DESCRIPTORS: .*\n?", "", part, flags=re.M).strip()
        if part and "<inherited from parent>" not in part:
            kept.append(part)
    return "\n".join(kept)


def tests_of(build):
    shown = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True, capture_output=True,
                           text=True).stdout
    for test in json.loads(shown)["tests"]:
        labels = next((p["value"] for p in test.get("properties", ()) if p["name"] == "LABELS"), [])
        if "command" in test and test["name"] not in NOT_HERE and ("unit" in labels or test["name"] == SESSION):
            yield test["name"], test["command"]


def run_test(folder, name, command):
    log = os.path.join(folder, name)
    try:
        # The players of SESSION keep two descriptors for all of its runs; it counts them itself after each.
        track = "--track-fds=" + ("no" if name == SESSION else "yes")
        done = subprocess.run(VALGRIND + [track, "--log-file=" + log] + command, capture_output=True, text=True, timeout=600,
                              check=False)
    except subprocess.TimeoutExpired:
        return name, "it did not end in time"
    found = complaints(log)
    if done.returncode not in (0, 77):
        found += "\nexit code %d\n%s" % (done.returncode, (done.stdout + done.stderr)[-2000:])
    return name, found


def wrapper(folder, program):
    """Makes a script that runs the program under valgrind; the logs are NAME.PID."""
    path = os.path.join(folder, os.path.basename(program))
    with open(path, "w", encoding="ascii") as f:
        f.write("#!/bin/sh\nexec %s --track-fds=yes --log-file=%s.%%p '%s' \"$@\" --sandbox 0\n" % (" ".join(VALGRIND), path, program))
    os.chmod(path, 0o755)
    return path


def run_suite(build, folder, suite):
    here = os.path.join(folder, suite + ".logs")
    os.mkdir(here)
    programs = os.path.join(os.path.abspath(build), "bin")
    env = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", GF_DAEMON=os.path.join(programs, "gpufilterd"),
               GF_WORKER=wrapper(here, os.path.join(programs, "gpufilterd-worker")))
    done = subprocess.run([sys.executable, os.path.join(ATTACK, suite)], env=env, capture_output=True, text=True,
                          timeout=600, check=False)
    logs = glob.glob(os.path.join(here, "*.[0-9]*"))
    found = "\n".join(filter(None, map(complaints, logs)))
    if done.returncode:
        found += "\n" + done.stderr[-3000:]
    if not logs:
        found += "\nnothing ran under valgrind"
    return suite, found


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: memcheck.py BUILD")
    build, bad, n = sys.argv[1], 0, 0
    with tempfile.TemporaryDirectory(prefix="gf-memcheck-") as folder:
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            jobs = [pool.submit(run_test, folder, *test) for test in tests_of(build)]
            jobs += [pool.submit(run_suite, build, folder, suite) for suite in SUITES]
            for job in concurrent.futures.as_completed(jobs):
                name, found = job.result()
                n += 1
                bad += bool(found)
                if found:
                    print("== %s\n%s\n" % (name, found), flush=True)
    print("memcheck: %d of %d with reports" % (bad, n))
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
