# SPDX-License-Identifier: MIT
"""Completions: the shells, if they are installed, offer everything that the help names."""
import os
import re
import shutil
import subprocess
import unittest

from support import CLIENT, TIMEOUT, Case, Daemon


class Completion(Case):
    def setUp(self):
        super().setUp()
        self.texts = {}
        for shell in ["bash", "zsh", "fish"]:
            self.texts[shell] = self.good("ops", "--completion", shell).decode()
            self.write(shell, self.texts[shell].encode())
        main = self.good("--help").decode()
        lists = main.split("\nOperations:\n")[1].split("\nOptions:\n")[0]
        self.commands = re.findall(r"^  (\w+) ", lists, re.M)
        self.assertIn("gaussian", self.commands)
        self.assertIn("session", self.commands)

    def options(self, command):
        """The options that the help of a command lists."""
        text = self.good(command, "--help").decode()
        return sorted(set(re.findall(r"^  (?:-\w, )?(--[\w-]+)", text, re.M)))

    def shell(self, name, script):
        path = shutil.which(name)
        if not path:
            self.skipTest("there is no " + name)
        r = subprocess.run([path, "-c", script], cwd=self.dir, env={**self.env, "HOME": self.dir}, capture_output=True, timeout=TIMEOUT)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        return r.stdout.decode().splitlines()

    def bash(self, lines):
        """The completions that bash offers for the last word of each line."""
        script = ". ./bash\n"
        for words in lines:
            quoted = " ".join("'%s'" % w for w in words)
            script += "COMP_WORDS=(gpufilter-client %s); COMP_CWORD=%d; _gpufilter_client\n" % (quoted, len(words))
            script += 'echo "${COMPREPLY[@]}"\n'
        return [line.split() for line in self.shell("bash", script)]

    def test_unknown_shell(self):
        self.bad(64, "--completion csh: must be one of bash, zsh, fish", "ops", "--completion", "csh")
        self.bad(64, "exclude each other", "ops", "--completion", "zsh", "--man")

    def test_bash_offers_what_help_tells(self):
        commands = [c for c in self.commands if c != "help"]
        got = self.bash([[""], ["help", ""], *[[c, "--"] for c in commands]])
        self.assertEqual(sorted(got[0]), sorted(self.commands))
        self.assertEqual(got[1], got[0])
        for command, offered in zip(commands, got[2:]):
            self.assertEqual(sorted(offered), self.options(command), command)

    def test_bash_offers_values(self):
        words = ["replicate", "wrap", "reflect", "reflect101", "constant"]
        got = self.bash([
            ["blur", "--border", ""], ["blur", "--border", "=", "refl"], ["blur", "--border", "="], ["gau"],
            ["--device", "cpu", "blur", "in.png", "--format", "pn"], ["--device", "=", "cpu", "sob"],
            ["blur", "--output", ""], ["blur", "--sigma", "-"], ["blur", "--trace", "-"], ["blur", "in"],
        ])
        want = [words, ["reflect", "reflect101"], words, ["gaussian"], ["png", "pnm"], ["sobel"], [], [], [], []]
        self.assertEqual(got, want)

    def devices(self):
        """The completions of each shell for --device; in bash also for several beginnings."""
        got = {"bash": self.bash([["blur", "--device", ""], ["blur", "--device", "=", "c"], ["blur", "--device", "g"]])}
        if shutil.which("fish"):
            got["fish"] = self.shell("fish", "source fish\ncomplete -C 'gpufilter-client blur --device '")
        if shutil.which("zsh"):
            got["zsh"] = self.shell("zsh", "_arguments() {}; compadd() { print -l -- $@[2,-1] }\n"
                                           ". ./zsh\n_gpufilter_client_devices")
        return got

    def test_devices_are_those_of_the_running_daemon(self):
        self.env["PATH"] = os.path.dirname(CLIENT) + ":" + self.env["PATH"]
        self.env["GPUFILTER_SOCKET"] = self.path("none")
        for shell, offered in self.devices().items():
            self.assertEqual([w for w in offered if w], [], shell)
        daemon = Daemon()
        self.addCleanup(daemon.stop)
        self.env["GPUFILTER_SOCKET"] = daemon.socket
        got = self.devices()
        self.assertEqual(got.pop("bash"), [["cpu"], ["cpu"], []])
        for shell, offered in got.items():
            self.assertEqual([line.split("\t")[0] for line in offered], ["cpu"], shell)

    def test_bash_takes_a_device_with_a_colon_for_one_word(self):
        with open(self.path("gpufilter-client"), "w") as f:
            f.write("#!/bin/sh\nprintf 'device  state\\ncpu     ready\\ncuda:0  ready\\ncuda:1  ready\\n'\n")
        os.chmod(f.name, 0o755)
        self.env["PATH"] = self.dir + ":" + self.env["PATH"]
        got = self.bash([
            ["blur", "--device", ""], ["blur", "--device", "cu"], ["blur", "--device", "cuda", ":"],
            ["blur", "--device", "cuda", ":", "1"], ["blur", "--device", "=", "cuda", ":"],
            ["blur", "--device", "=", "cuda", ":", "1"], ["--device", "cuda", ":", "0", "sob"],
            ["--device", "=", "cuda", ":", "0", "blur", "--bord"], ["blur", "--border", ":"],
        ])
        want = [["cpu", "cuda:0", "cuda:1"], ["cuda:0", "cuda:1"], ["0", "1"], ["1"], ["0", "1"], ["1"], ["sobel"],
                ["--border", "--border-value"], []]
        self.assertEqual(got, want)

    def test_fish_offers_what_help_tells(self):
        commands = [c for c in self.commands if c != "help"]
        script = "source fish\n"
        for command in commands:
            script += "echo @%s\ncomplete -C 'gpufilter-client %s --'\n" % (command, command)
        script += "echo @\ncomplete -C 'gpufilter-client '\necho @words\ncomplete -C 'gpufilter-client box --border '\n"
        offered, key = {}, None
        for line in self.shell("fish", script):
            if line.startswith("@"):
                key = line[1:]
                offered[key] = set()
            else:
                offered[key].add(line.split("\t")[0].rstrip("="))
        for command in commands:
            self.assertEqual(sorted(offered[command]), self.options(command), command)
        self.assertEqual(sorted(offered[""]), sorted(self.commands))
        self.assertEqual(offered["words"], {"replicate", "wrap", "reflect", "reflect101", "constant"})

    def test_zsh_names_what_help_tells(self):
        text = self.texts["zsh"]
        self.assertEqual(sorted(re.findall(r"^        '(\w+):", text, re.M)), sorted(self.commands))
        sets = {k: set(re.findall(r"'(--[\w-]+)", v)) for k, v in re.findall(r"local -a (common|work)=\((.*?)\)\n(?=    \S)", text, re.S)}
        cases = dict(re.findall(r"^    \(([\w|]+)\)\n(.*?);;\n", text, re.M | re.S))
        for names, body in cases.items():
            own = set(re.findall(r"'(--[\w-]+)", body)) | sets["common"] | (sets["work"] if "$work" in body else set())
            for name in names.split("|"):
                self.assertEqual(sorted(own), self.options(name), name)
        self.assertEqual(sorted(n for names in cases for n in names.split("|")), sorted(c for c in self.commands if c != "help"))

    def test_syntax(self):
        for shell, check in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")]:
            if shutil.which(shell):
                r = subprocess.run([shell, check, self.path(shell)], capture_output=True, timeout=TIMEOUT)
                self.assertEqual((r.returncode, r.stderr), (0, b""), shell)


class OfDaemon(Case):
    """The completions of gpufilterd, which the build makes from its help."""

    def setUp(self):
        super().setUp()
        self.files = {shell: os.path.join(os.environ["GF_COMPLETIONS"], name) for shell, name in
                      [("bash", "gpufilterd"), ("zsh", "_gpufilterd"), ("fish", "gpufilterd.fish")]}
        said = subprocess.run([os.environ["GF_DAEMON"], "--help"], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
        self.options = sorted(re.findall(r"^  (?:-\w, )?(--[\w-]+)", said, re.M))
        self.assertIn("--socket", self.options)
        self.assertIn("--version", self.options)

    def shell(self, name, script):
        path = shutil.which(name)
        if not path:
            self.skipTest("there is no " + name)
        r = subprocess.run([path, "-c", script], cwd=self.dir, env={**self.env, "HOME": self.dir}, capture_output=True, timeout=TIMEOUT)
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        return r.stdout.decode().splitlines()

    def test_bash(self):
        lines = [["--"], ["--log-level", ""], ["--log-level", "=", "n"], ["--user-identity", ""], ["--socket", ""], ["--arenas", ""]]
        script = ". '%s'\n" % self.files["bash"]
        for words in lines:
            quoted = " ".join("'%s'" % w for w in words)
            script += "COMP_WORDS=(gpufilterd %s); COMP_CWORD=%d; _gpufilterd\n" % (quoted, len(words))
            script += 'echo "${COMPREPLY[@]}"\n'
        got = [line.split() for line in self.shell("bash", script)]
        self.assertEqual(sorted(got[0]), self.options)
        self.assertEqual(got[1:], [["error", "warning", "notice", "info", "debug"], ["notice"], ["uid", "loginuid", "cgroup"], [], []])

    def test_fish(self):
        script = "source '%s'\ncomplete -C 'gpufilterd --'\necho @\ncomplete -C 'gpufilterd --user-identity '\n" % self.files["fish"]
        said = "\n".join(self.shell("fish", script)).split("\n@\n")
        names, words = [sorted(line.split("\t")[0].rstrip("=") for line in part.splitlines()) for part in said]
        self.assertEqual(names, self.options)
        self.assertEqual(words, ["cgroup", "loginuid", "uid"])

    def test_zsh(self):
        told = self.shell("zsh", "_arguments() { print -l -- $@ }\n. '%s'" % self.files["zsh"])
        self.assertEqual(sorted(re.match(r"--[\w-]+", spec).group(0) for spec in told), self.options)
        self.assertIn("--log-level=[error, warning, notice, info or debug (info) (r)]:WORD:(error warning notice info debug)", told)
        self.assertIn("--help[print this, then end]", told)
        for spec in told:
            if spec.startswith(("--socket=", "--config=")):
                self.assertTrue(spec.endswith(":TEXT:_files"), spec)


if __name__ == "__main__":
    unittest.main()
