# SPDX-License-Identifier: MIT
"""gpufilter-client without a daemon: help, mistakes on the command line, files that cannot be read or written."""
import json
import os
import pty
import re
import subprocess
import unittest

try:
    import jsonschema
except ImportError:
    jsonschema = None

from support import CLIENT, GREY, GREY_SHAPE, TIMEOUT, Case, png, ppm

COMMANDS = ["ops", "devices", "health", "admin", "ping", "metrics", "top", "bench"]


class Help(Case):
    def ops(self):
        """The operations; numbers are texts, as they are printed."""
        return json.loads(self.good("ops", "--json"), parse_float=str, parse_int=str)["ops"]

    def test_the_table_keeps_to_its_schema(self):
        table = json.loads(self.good("ops", "--json"))
        with open(os.environ["GF_OPS_SCHEMA"], encoding="utf-8") as f:
            schema = json.load(f)
        words = {e["name"]: {w["word"]: w["number"] for w in e["words"]} for e in table["enums"]}
        self.assertEqual(words["border"]["constant"], 4)
        self.assertEqual(words["rotate_angle"]["180"], 2)
        for op in table["ops"]:
            for out in op["outputs"]:
                self.assertEqual(set(out["dtypes"]), set(op["inputs"][0]["dtypes"]), (op["name"], out["name"]))
            for param in op["params"]:
                if param["type"] == "enum":
                    self.assertLessEqual(set(param["words"]), set(words[param["enum"]]))
        of = {op["name"]: {out["name"]: out["dtypes"] for out in op["outputs"]} for op in table["ops"]}
        self.assertEqual(of["histogram"]["counts"]["f32"], "u64")
        self.assertEqual(of["label"]["labels"]["u8"], "u32")
        self.assertEqual(of["scan"]["dst"]["u8"], "u64")
        if jsonschema is None:
            self.skipTest("Python's jsonschema is missing, so the schema was not applied")
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.Draft202012Validator(schema).validate(table)

    def test_operations_have_revisions(self):
        self.assertEqual({op["revision"] for op in self.ops()}, {"1"})

    def test_main_help_names_every_operation_and_command(self):
        text = self.good("--help").decode()
        for name in [op["name"] for op in self.ops()] + ["blur"] + COMMANDS:
            self.assertRegex(text, r"(?m)^  %s " % name)
        self.assertEqual(self.good("help").decode(), text)
        self.assertEqual(self.good("help", "help").decode(), text)
        self.assertRegex(text, r"(?m)^  69  no daemon")

    def test_help_of_an_operation_states_its_table(self):
        for op in self.ops():
            text = self.good(op["name"], "--help").decode()
            self.assertEqual(self.good("help", op["name"]).decode(), text)
            for param in op["params"]:
                option = "  --" + param["name"].replace("_", "-")
                if param.get("range") == "0..1" and param["type"] == "u32":
                    self.assertTrue(param["help"].startswith("1: "), param)
                    yes = " (yes)" if param["default"] == ["1"] else ""
                    self.assertRegex(text, "%s%s +%s\n" % (option, r"\[=0\|1\]", re.escape(param["help"][3:] + yes)))
                    continue
                self.assertIn(option + " ", text)
                self.assertIn(param["help"], text)
                default = "".join(param["default"])
                if param["name"] == "alpha" and default == "straight":
                    default = "auto if the file says so, otherwise straight"
                self.assertIn("(%s)" % default if default else param["help"], text)
                for word in param.get("words", [param.get("range")]):
                    self.assertIn(word, text)

    def test_the_contract_lists_the_operations_of_f16(self):
        with open(os.path.join(os.environ["GF_DOCS"], "numerics.md"), encoding="utf-8") as f:
            taken, given = re.search(r"As input f16 is taken by ([^.]+)\. As result [^.]+ by `dtype` of ([^.]+)\.",
                                     f.read()).groups()
        ops = self.ops()
        self.assertEqual(re.split(r",\s+|\s+and\s+", taken),
                         [op["name"] for op in ops if "f16" in op["inputs"][0]["dtypes"]])
        self.assertEqual(re.split(r",\s+|\s+and\s+", given),
                         [op["name"] for op in ops for param in op["params"]
                          if param["name"] == "dtype" and "f16" in param["words"]])

    def test_border_pictures_are_shown(self):
        self.assertRegex(self.good("blur", "--help").decode(), r"reflect101 +dcb\|abcdefgh\|gfe")

    def test_help_of_commands(self):
        for command in COMMANDS:
            text = self.good(command, "--help").decode()
            self.assertTrue(text.startswith("usage: gpufilter-client " + command))
            self.assertIn("Example:\n  gpufilter-client " + command, text)

    def test_help_of_formats(self):
        text = self.good("help", "formats").decode()
        self.assertTrue(text.startswith("Formats read, recognised by their first bytes"))
        for word in re.search(r"OUT .*: (.*)", self.good("help", "blur").decode()).group(1).replace(" or", ",").split(", "):
            self.assertRegex(text, r"(?m)^  %s  +[a-z]" % word)
        self.bad(64, "unknown command formats; gpufilter-client help formats explains them", "formats")
        self.assertIn("help formats", self.good("help", "blur").decode())

    def test_list_of_operations(self):
        self.assertRegex(self.good("ops").decode(), r"(?m)^gaussian +Gaussian blur$")


class Usage(Case):
    def test_did_you_mean(self):
        for word, meant in [("blru", "blur"), ("gausian", "gaussian"), ("helth", "health"), ("deviecs", "devices")]:
            self.bad(64, "unknown command %s; did you mean %s?" % (word, meant), word)
        for word, meant in [("--sgma", "sigma"), ("-sigma", "sigma"), ("--boder=wrap", "border")]:
            self.bad(64, "did you mean --%s?" % meant, "blur", word, "in.png", "out.png")
        self.bad(64, "did you mean --border-value?", "blur", "--border_value", "0", "in.png", "out.png")

    def test_words_of_other_tools(self):
        for word, meant in [("edges", "canny"), ("negate", "invert"), ("avg", "box"), ("binarize", "threshold"),
                            ("luma", "gray"), ("yuv", "ycbcr"), ("yuv420", "i420"), ("nv21", "nv12"),
                            ("yuv2rgb", "rgb420"), ("join", "merge"), ("medianblur", "median")]:
            self.bad(64, "unknown command %s; did you mean %s?" % (word, meant), word)
        self.bad(64, "unknown command percentiles; did you mean quantile?", "percentiles", "a.png")
        self.bad(64, "unknown command denoise; median removes single wrong samples", "denoise", "in.png", "out.png")
        for op, option, meant in [("blur", "--radius", "sigma"), ("box", "--radius", "size"), ("correlate", "--kernel=1", "mask"),
                                  ("blur", "--gpu", "device"), ("unsharp", "--strength=2", "amount")]:
            self.bad(64, "did you mean --%s?" % meant, op, option, "3", "in.png", "out.png")
        for op, option, word, meant in [("blur", "border", "reflekt", "reflect"), ("reduce", "op", "avg", "mean"),
                                        ("map", "dtype", "float", "f32"), ("sobel", "output", "x", "dx")]:
            self.bad(64, "%s=%s; allowed: " % (option, word), op, "--" + option, word, "in.png", "out.png")
            self.bad(64, "; did you mean %s?" % meant, op, "--" + option, word, "in.png", "out.png")
        self.bad(64, "there is no operation split; copy channel=1 extracts one channel", "pipe", "in.png", "blur | split", "-o", "a.png")

    def test_help_has_families_the_most_used_first(self):
        text = self.good("--help").decode().split("\nOperations:\n")[1].split("\nCommands:\n")[0]
        families = re.split(r"(?m)^ (?=\S)", text)[1:]
        heads = [family.splitlines()[0] for family in families]
        self.assertEqual(heads[:4], ["Size and place", "Blurs, gradients and masks", "Sample by sample, and tones",
                                     "Colours and channels"])
        rows = {head: re.findall(r"(?m)^  (\w+) ", family) for head, family in zip(heads, families)}
        self.assertEqual(rows["Size and place"][:3], ["crop", "pad", "flip"])
        self.assertEqual(rows["Ranks in a window"], ["median", "rank", "percentile"])
        self.assertIn("blur", rows["Other names"])
        listed = [word for head in heads[:-1] for word in rows[head]]
        self.assertEqual(sorted(listed), sorted(op["name"] for op in json.loads(self.good("ops", "--json"))["ops"]))

    def test_a_device_without_its_number(self):
        for name in ["cuda", "gpu", "GPU", "cuda0"]:
            self.bad(64, "there is no device %s; did you mean cuda:0?" % name, "blur", "--device", name, "in.png", "out.png")
            self.bad(64, "did you mean cuda:0?", "pipe", "--device=" + name, "in.png", "blur", "-o", "out.png")

    def test_steps_without_quotes(self):
        self.bad(64, "blur is an operation, and there is no such file; quote the steps: 'blur sigma=2'", "pipe", "in.png",
                 "blur", "sigma=2", "-o", "out.png")
        self.bad(64, "pipe: IN or the steps are missing, as in pipe in.png '", "pipe", "in.png")
        self.bad(64, "quote the steps: 'blur sigma=2'", "pipe", "blur", "sigma=2", "-o", "out.png")
        self.write("blur", png(3, 2, 1, GREY))
        self.assertNotIn("quote", self.bad(64, "no operation", "pipe", "blur", "sigma=2", "-o", "out.png"))

    def test_version(self):
        text = self.good("--version").decode()
        self.assertRegex(text, r"^gpufilter-client [0-9.]+ \(protocol 1\)\n"
                         r"TIFF: libtiff .+\nWebP: libwebp .+\nHEIC and AVIF: libheif .+\nGIF: giflib .+\n--srgb: lcms2 .+\n$")
        self.assertEqual(self.good("version").decode(), text)

    def test_help_lists_the_words_that_mean_something(self):
        for op, dtypes in [("sobel", ["same", "u8", "u16", "i16", "f32", "f16"]),
                           ("integral", ["same", "u32", "u64", "f32", "f64"]),
                           ("scan", ["same", "u32", "i32", "u64", "i64", "f32", "f64"])]:
            text = self.good(op, "--help").decode().split("  --dtype ")[1].split("\n  --")[0].split("\n\n")[0]
            self.assertEqual(re.findall(r"(?m)^ {28}(\w+) ", text), dtypes)
        for op, alphas in [("sobel", ["auto", "straight", "ignore"]), ("blur", ["auto", "premultiplied", "straight", "ignore"])]:
            text = self.good(op, "--help").decode().split("  --alpha ")[1].split("\n  --")[0].split("\n\n")[0]
            self.assertEqual(re.findall(r"(?m)^ {28}(\w+) ", text), alphas)
        self.assertIn("in sample units; 0 or more (0)", self.good("unsharp", "--help").decode())

    def test_long_names_are_told_whole(self):
        path = "/".join(["d" * 250] * 15) + "/in.png"
        line = self.bad(66, path + ": cannot be read: No such file or directory", "blur", path, "out.png")
        self.assertNotIn("...", line)
        text = json.loads(self.run_client("blur", "--json", path, "out.png").stdout)["error"]["text"]
        self.assertTrue(text.startswith(path + ": cannot be read"), text)

    def test_yes_or_no_is_a_flag(self):
        self.write("in.txt", b"1 2 3\n")
        for given, text in [("--exclusive 1", "--exclusive 1: write --exclusive, --no-exclusive or --exclusive=1; a file "
                             "of this name is ./1"), ("--reverse 0", "--reverse 0: write --reverse, --no-reverse or"),
                            ("--exclusive=2", "exclusive=2 outside 0..1"), ("--exclusive=", "exclusive"),
                            ("--no-exclusive=1", "--no-exclusive takes no value"),
                            ("--no-op", "unknown option --no-op"), ("--no-exclsive", "did you mean --exclusive?")]:
            self.bad(64, text, "scan", *given.split(" "), "in.txt", "out.npy")
        text = self.good("scan", "--help").decode()
        self.assertIn("  --exclusive[=0|1]       each result excludes its own element\n", text)

    def test_the_last_value_counts(self):
        text = "An option that is given again replaces its earlier value; -o of pipe and --set add to it."
        self.assertIn(text, self.good("--help").decode())
        self.bad(64, "--quality 102; allowed: 1..100", "copy", "--quality", "101", "--quality", "102", "a.png", "b.jpg")
        self.bad(66, "a.png: cannot be read", "copy", "--quality", "101", "--quality=2", "a.png", "b.jpg")

    def test_a_missing_value_is_named(self):
        self.bad(64, '--sigma needs a value, and "in.png" is not a number: --sigma NUMBER[,NUMBER]', "blur", "--sigma",
                 "in.png", "out.png")
        self.bad(64, "--sigma needs a value: --sigma NUMBER[,NUMBER]", "blur", "in.png", "out.png", "--sigma")
        self.bad(64, '--bins needs a value, and "--density" is not a number', "histogram", "--bins", "--density", "in.png")

    def test_far_words_get_no_suggestion(self):
        self.assertNotIn("did you mean", self.bad(64, "unknown command qqqqqqqq", "qqqqqqqq"))

    def test_parameters_are_refused_before_the_input_is_read(self):
        for text, args in [
            ("blur: sigma=-1 outside 0..2047", ["--sigma", "-1"]),
            ("blur: sigma=-1 outside 0..2047", ["--sigma=-1"]),
            ("blur: sigma=two: value 1 is not a number", ["--sigma", "two"]),
            ("blur: border=edge; allowed: replicate, wrap, reflect, reflect101 or constant", ["--border", "edge"]),
            ("scipy:mirror", ["--border", "mirror"]),
            ("--timeout 0; allowed: 0.001..86400 seconds", ["--timeout", "0"]),
            ("--wait 1m; allowed: 0.001..86400 seconds", ["--wait", "1m"]),
            ("does not describe raw samples", ["--raw", "3x2:f8"]),
        ]:
            self.bad(64, text, "blur", *args, "nosuch.png", "out.png")
        self.assertEqual(os.listdir(self.dir), [])

    def test_operands(self):
        self.bad(64, "IN is missing", "blur")
        self.bad(64, "OUT is missing", "blur", "in.png")
        self.bad(64, '"c.png" is one operand too many; with several files, -o names the results; see --help', "blur", "a.png",
                 "b.png", "c.png")
        self.bad(64, "takes no --device", "--device", "cpu", "ping")
        self.bad(64, "--sigma needs a value", "blur", "a.png", "b.png", "--sigma")
        self.bad(64, "--json takes no value", "ops", "--json=1")
        self.bad(64, "--count 0; allowed: 1..", "ping", "-c", "0")

    def test_no_command(self):
        r = self.run_client()
        self.assertEqual(r.returncode, 64)
        self.assertIn(b"usage: gpufilter-client OPERATION", r.stderr)

    def test_double_dash_ends_options(self):
        self.bad(66, "--sigma.png: cannot be read", "blur", "--sigma=2", "--", "--sigma.png", "out.png")

    def test_masks(self):
        self.bad(64, "--mask is missing", "correlate", "in.png", "out.png")
        self.bad(64, "correlate: mask: row 2 has 1 values, row 1 has 2", "correlate", "--mask", "1 2; 3", "in.png", "out.png")
        self.bad(64, "'x' is not a finite number", "correlate", "--mask", "1 x", "in.png", "out.png")
        self.bad(64, "matrix: coefs: row 1, value 2: 'inf' is not a finite number", "matrix", "--coefs", "1 inf", "in.png",
                 "out.png")
        self.bad(66, "nosuch.txt: cannot be read", "correlate", "--mask", "@nosuch.txt", "in.png", "out.png")
        self.write("binary", b"1 2\0 3")
        self.bad(64, "binary: is not a text file", "correlate", "--mask", "@binary", "in.png", "out.png")
        self.write("empty", b"")
        self.bad(64, "correlate: empty: no values", "correlate", "--mask", "@empty", "in.png", "out.png")

    def test_errors_as_json(self):
        r = self.run_client("blur", "--sigma", "-1", "in.png", "out.png", "--json")
        error = json.loads(r.stdout)
        self.assertEqual(r.returncode, 64)
        self.assertEqual(error, {"error": {"status": "BAD_PARAM", "text": "sigma=-1 outside 0..2047"}})
        r = self.run_client("blur", "--sgma", "--json", "in.png", "out.png")
        self.assertEqual(json.loads(r.stdout)["error"]["status"], "USAGE")

    def test_json_keeps_odd_file_names(self):
        r = self.run_client("blur", "--json", b'\xff"\n\xc3\xa4.png', "out.png")
        self.assertEqual(r.returncode, 66)
        self.assertTrue(json.loads(r.stdout)["error"]["text"].startswith('\ufffd"\n\u00e4.png: cannot be read'))


class Files(Case):
    def test_input(self):
        self.write("text.png", b"not a picture at all\n")
        self.write("empty.png", b"")
        self.write("cut.png", png(3, 2, 1, GREY)[:-30])
        os.mkdir(self.path("dir"))
        self.bad(66, "nosuch.png: cannot be read", "blur", "nosuch.png", "out.png")
        self.bad(66, "dir", "blur", "dir", "out.png")
        self.bad(65, "text.png: is neither a supported image file", "blur", "text.png", "out.png")
        self.bad(65, "empty.png: is empty", "blur", "empty.png", "out.png")
        self.bad(65, "cut.png", "blur", "cut.png", "out.png")
        self.bad(65, "raw", "blur", "--raw", "4x2:u8", self.write("raw", GREY), "out.png")
        self.assertFalse(os.path.exists(self.path("out.png")))

    def test_output_is_tried_before_the_input_is_read(self):
        self.bad(73, "nosuch/out.png: cannot be created", "blur", "nosuch.png", "nosuch/out.png")
        os.mkdir(self.path("dir.png"))
        os.mkdir(self.path("dir.png/nosuch.png"))
        self.bad(73, "dir.png/nosuch.png: is a directory", "blur", "nosuch.png", "dir.png")
        self.bad(64, "it must be one of png, jpeg", "blur", "nosuch.png", "out.xyz")
        self.bad(64, "has no extension", "blur", "nosuch.png", "out")
        self.bad(64, "--format", "histogram", "nosuch.png", "-o", "-")
        self.bad(64, 'unknown format "jp2"', "blur", "--format", "jp2", "nosuch.png", "out.png")
        self.assertEqual(os.listdir(self.dir), ["dir.png"])

    def test_format_that_cannot_hold_the_result(self):
        self.write("in.png", png(2, 1, 1, b"\1\2\3\4", 16))
        self.bad(65, "out.pfm: pfm holds f32", "blur", "in.png", "out.pfm")

    def test_shape_that_the_operation_refuses(self):
        self.write("in.ppm", ppm(2, 1, bytes(6)))
        self.bad(65, "size=valid leaves nothing", "correlate", "--mask", "1;1", "--size", "valid", "in.ppm", "out.ppm")
        self.bad(64, "border_value has 2 values for 3 channels", "blur", "--border-value", "1,2", "in.ppm", "out.ppm")

    def test_json_and_picture_both_on_standard_output(self):
        self.bad(64, "name a file", "blur", "-q", "in.png", "-", "--format", "png", "--json")

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            self.bad(74, "standard output", "ops", stdout=full)

    def test_picture_is_not_written_to_a_terminal(self):
        self.write("in.png", png(3, 2, 1, GREY))
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        self.bad(64, "terminal", "blur", "in.png", "-", "--format", "png", stdout=slave)

    def test_interrupt_leaves_nothing(self):
        os.mkfifo(self.path("in.raw"))
        p = subprocess.Popen(
            [CLIENT, "blur", "--raw", GREY_SHAPE, "in.raw", "out.png"], cwd=self.dir, env=self.env, stderr=subprocess.PIPE
        )
        with open(self.path("in.raw"), "wb"):  # returns when the command is reading
            p.send_signal(2)
            stderr = p.communicate(timeout=TIMEOUT)[1]
        self.assertEqual((p.returncode, stderr), (-2, b""))
        self.assertEqual(os.listdir(self.dir), ["in.raw"])


class NoDaemon(Case):
    def test_named_socket_is_told_and_nothing_is_started(self):
        self.write("in.png", png(3, 2, 1, GREY))
        del self.env["GPUFILTER_AUTOSTART"]
        before = os.listdir(self.dir)
        for args in [["blur", "in.png", "out.png"], ["ping"], ["devices"], ["health"], ["metrics"], ["top"], ["bench"],
                     ["admin", "unban", "root"]]:
            line = self.bad(69, self.path("none.sock"), *args, "--socket", self.path("none.sock"))
            self.assertRegex(line, "start one with gpufilterd, or with systemctl start gpufilterd.socket$")
            self.env["GPUFILTER_SOCKET"] = self.path("other.sock")
            self.bad(69, self.path("other.sock"), *args)
            del self.env["GPUFILTER_SOCKET"]
        self.assertEqual(os.listdir(self.dir), before)

    def test_json(self):
        r = self.run_client("health", "--json", "--socket", self.path("none.sock"))
        self.assertEqual(r.returncode, 69)
        self.assertEqual(json.loads(r.stdout)["error"]["status"], "NO_DAEMON")


class Pages(Case):
    def test_man_page_has_every_option(self):
        text = self.good("ops", "--man").decode().replace("\\-", "-")
        for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", self.good("--help").decode(), re.M):
            self.assertIn(option, text)

    def test_man_page_has_the_formats(self):
        page = self.good("ops", "--man").decode().replace("\\-", "-")
        self.assertIn(self.good("help", "formats").decode(), page)

    def test_daemon_pages_have_every_option(self):
        for variable in ["GF_DAEMON", "GF_WORKER"]:
            program = os.environ.get(variable)
            if not program:
                self.skipTest("no " + variable)
            page = os.path.join(os.environ["GF_DOCS"], "man", os.path.basename(program) + ".8.in")
            with open(page, encoding="utf-8") as f:
                text = f.read().replace("\\-", "-")
            usage = subprocess.run([program, "--help"], stdout=subprocess.PIPE, timeout=TIMEOUT, check=True)
            for option in re.findall(r"--[a-z-]+", usage.stdout.decode()):
                self.assertIn(option, text, page)


if __name__ == "__main__":
    unittest.main()
