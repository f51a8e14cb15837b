# SPDX-License-Identifier: MIT
"""Files for Prometheus and Grafana: the text file of figures, the alerts, and the dashboard. All of them refer to
figures in protocol/wire/metrics.def, and the daemon reports exactly the figures listed there. promtool, if it is
installed, reads the files as Prometheus does. The runbook has what to do at each alert."""
import json
import os
import re
import shutil
import stat
import subprocess
import unittest

from support import GREY, TIMEOUT, Case, DaemonCase, png, setUpModule, tearDownModule

ROOT = os.path.join(os.path.dirname(__file__), "../..")
ALERTS = os.path.join(ROOT, "docs/monitoring/gpufilter-alerts.yml")
ROW = re.compile(r'GF_FAMILY\((\w+), (\w+), "([\w,]*)", "([^"]*)",\s*"([^"]+)"\)')
RUNBOOK = os.path.join(ROOT, "docs/runbook.md")
OF_GPUS = ("expressions_total kernels_total kernels_loaded kernels_waiting compiler_off gpu_info driver_info "
           "memory_total_bytes memory_used_bytes utilization_ratio memory_utilization_ratio temperature_celsius "
           "power_watts power_limit_watts energy_joules_total clock_hertz throttled ecc_errors_total remapped_rows "
           "row_remap_pending row_remap_failure xid_last xid_errors_total").split()
ADDED = {"instance", "le"}  # labels that Prometheus and the format of histograms add
WITHOUT_FIGURES = {"GpufilterFiguresOld", "GpufilterDown"}  # alerts that fire where there are no figures of the daemon


def table():
    """The kind, labels and panel of each figure."""
    with open(os.path.join(ROOT, "protocol/wire/metrics.def"), encoding="utf-8") as f:
        rows = ROW.findall(f.read())
    return {"gpufilter_" + name: (kind, set(labels.split(",")) - {""}, panel) for name, kind, labels, panel, _ in rows}


def statuses():
    with open(os.path.join(ROOT, "protocol/base/status.def"), encoding="utf-8") as f:
        return set(re.findall(r"(?m)^GF_STATUS\((\w+),", f.read()))


class Checked(Case):
    """Checks of the queries, and promtool's verdict."""

    def names(self, query):
        """The figures of a query; each has the labels that the query asks for."""
        found = set()
        for name, selector in re.findall(r"(gpufilter_\w+)(?:\{([^}]*)\})?", query):
            self.assertIn(re.sub("_bucket$", "", name), table(), query)
            name, bucket = re.sub("_bucket$", "", name), name.endswith("_bucket")
            self.assertEqual(bucket, table()[name][0] == "HISTOGRAM", query)
            asked = set(re.findall(r"(\w+)[=!]~?\"", selector))
            self.assertLessEqual(asked, table()[name][1] | ADDED, query)
            found.add(name)
        return found

    def promtool(self, *args, **options):
        tool = shutil.which("promtool")
        if not tool:
            self.skipTest("no promtool on this machine (package prometheus)")
        r = subprocess.run([tool, *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, text=True,
                           **options)
        self.assertEqual(r.returncode, 0, r.stdout)
        return r.stdout


class Text(Checked, DaemonCase):
    def setUp(self):
        super().setUp()
        self.write("in.png", png(3, 2, 1, GREY))
        self.good("blur", "in.png", "out.png")
        self.bad(69, "no device", "blur", "--device", "cuda:63", "in.png", "out.png")

    def test_what_is_reported_is_the_table(self):
        text = self.good("metrics", "--prometheus").decode()
        families = dict(re.findall(r"(?m)^# TYPE (\w+) (\w+)$", text))
        want = {name: row[0].lower() for name, row in table().items()}
        del want["gpufilter_user_compile_seconds_total"]  # nothing was compiled
        del want["gpufilter_user_banned_seconds"]  # nobody is
        for name in OF_GPUS:
            del want["gpufilter_device_" + name]
        self.assertEqual(families, want)
        for name, labels in re.findall(r"(?m)^(gpufilter_\w+)(?:\{(.*)\})? ", text):
            name = re.sub("_(bucket|sum|count)$", "", name)
            self.assertEqual(set(re.findall(r'(\w+)="', labels)) - {"le"}, table()[name][1], name)

    def test_promtool_finds_nothing_to_mend(self):
        text = self.good("metrics", "--prometheus").decode()
        self.assertEqual(self.promtool("check", "metrics", input=text), "")

    def test_file_is_replaced_in_one_step(self):
        self.write("figures.prom", b"old\n")
        os.chmod(self.path("figures.prom"), 0o644)
        before = os.stat(self.path("figures.prom"))
        self.assertEqual(self.good("metrics", "--prometheus", "--output", "figures.prom"), b"")
        after = os.stat(self.path("figures.prom"))
        self.assertNotEqual(before.st_ino, after.st_ino)
        self.assertEqual(stat.S_IMODE(after.st_mode), 0o644)
        self.assertTrue(self.read("figures.prom").startswith(b"# HELP gpufilter_info "))
        self.assertTrue(self.read("figures.prom").endswith(b"\n"))
        self.assertEqual(sorted(os.listdir(self.dir)), ["figures.prom", "in.png", "out.png"])

    def test_file_stays_where_there_are_no_figures(self):
        self.write("figures.prom", b"old\n")
        self.bad(69, "none.sock: No such file", "metrics", "--prometheus", "-o", "figures.prom", "--socket", self.path("none.sock"))
        self.assertEqual(self.read("figures.prom"), b"old\n")
        self.bad(73, "missing/figures.prom: cannot be created: No such file or directory", "metrics", "--prometheus", "-o",
                 "missing/figures.prom")
        self.assertFalse(os.path.exists(self.path("missing")))

    def test_wrong_use(self):
        self.bad(64, "--output out.txt: needs --prometheus; otherwise redirect standard output", "metrics", "-o",
                 "out.txt")
        self.bad(64, "--json, --prometheus and --dashboard exclude each other", "metrics", "--prometheus",
                 "--dashboard")
        self.assertFalse(os.path.exists(self.path("out.txt")))


class Dashboard(Checked):
    def setUp(self):
        super().setUp()
        self.board = json.loads(self.good("metrics", "--dashboard"))
        self.panels = [p for p in self.board["panels"] if p["type"] != "row"]
        self.queries = [(p, t["expr"], t) for p in self.panels for t in p["targets"]]

    def test_every_query_names_figures_that_exist(self):
        for panel, query, target in self.queries:
            names = self.names(query)
            self.assertEqual(len(names), 1, query)
            (name,) = names
            legend = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            self.assertEqual(legend, table()[name][1] | {"instance"}, query)
            self.assertEqual(re.sub(", (bytes|pieces)$", "", panel["title"]), table()[name][2])
            self.assertEqual("rate(" in query, table()[name][0] != "GAUGE", query)

    def test_every_figure_with_a_panel_is_drawn(self):
        drawn = set().union(*(self.names(query) for _, query, _ in self.queries))
        self.assertEqual(drawn, {name for name, row in table().items() if row[2]})

    def test_resources_are_drawn_by_their_unit(self):
        units = {p["title"]: p["fieldConfig"]["defaults"]["unit"] for p in self.panels}
        self.assertEqual((units["Held by user, bytes"], units["Held by user, pieces"]), ("bytes", "short"))
        self.assertEqual([units[of + " of GPUs"] for of in ("Memory", "Use", "Temperature", "Power", "Clocks")],
                         ["bytes", "percentunit", "celsius", "watt", "hertz"])
        self.assertEqual((units["Bytes by user"], units["Time to answer"], units["Uptime"]), ("Bps", "s", "s"))

    def test_panels_fill_the_page_without_overlap(self):
        taken = set()
        for panel in self.board["panels"]:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24)
            cells = {(x, y) for x in range(place["x"], place["x"] + place["w"])
                     for y in range(place["y"], place["y"] + place["h"])}
            self.assertFalse(cells & taken, panel["title"])
            taken |= cells
        ids = [p["id"] for p in self.board["panels"]]
        self.assertEqual(len(set(ids)), len(ids))
        self.assertEqual([p["title"] for p in self.board["panels"] if p["type"] == "row"],
                         ["Daemon", "Devices", "Users"])

    def test_what_grafana_needs(self):
        self.assertEqual((self.board["uid"], self.board["title"]), ("gpufilterd", "gpufilterd"))
        self.assertEqual([v["name"] for v in self.board["templating"]["list"]], ["datasource", "instance"])
        for panel, query, target in self.queries:
            self.assertEqual(target["datasource"], {"type": "prometheus", "uid": "${datasource}"})
            self.assertEqual(panel["datasource"], target["datasource"])
            self.assertIn('instance=~"$instance"', query)
        for panel in self.panels:
            refs = [t["refId"] for t in panel["targets"]]
            self.assertEqual(refs, sorted(set(refs)))
        (state,) = [p for p in self.panels if p["title"] == "Device state"]
        words = {k: v["text"] for k, v in state["fieldConfig"]["defaults"]["mappings"][0]["options"].items()}
        self.assertEqual(sorted(words), list("123456"))
        self.assertEqual((words["2"], words["6"]), ("ready", "idle"))

    def test_needs_no_daemon_and_takes_no_second_form(self):
        r = self.run_client("metrics", "--dashboard", "--json")
        self.assertEqual((r.returncode, json.loads(r.stdout)["error"]["status"]), (64, "USAGE"))

    def test_promtool_reads_every_query(self):
        rules = ["groups: [{name: panels, rules: ["]
        for i, (_, query, _) in enumerate(self.queries):
            query = query.replace("$__rate_interval", "5m").replace("$instance", ".*")
            rules.append(json.dumps({"record": "panel:%d" % i, "expr": query}) + ",")
        self.write("rules.yml", "\n".join([*rules, "]}]"]).encode())
        self.assertIn("%d rules found" % len(self.queries), self.promtool("check", "rules", self.path("rules.yml")))


SERIES = """
rule_files: [%s]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'gpufilter_info{instance="m",version="1"}', values: '1x20'}
      - {series: 'node_textfile_mtime_seconds{instance="m",file="/a/gpufilter.prom"}', values: '0x20'}
      - {series: 'up{instance="m",job="gpufilterd"}', values: '1x7 0 1x1 0x10'}
      - {series: 'up{instance="n",job="gpufilterd"}', values: '1x20'}
      - {series: 'up{instance="m",job="node"}', values: '0x20'}
      - {series: 'gpufilter_device_state{instance="m",device="cpu"}', values: '2x10 3x10'}
      - {series: 'gpufilter_device_state{instance="n",device="cpu"}', values: '4x20'}
      - {series: 'gpufilter_device_state{instance="n",device="cuda:0"}', values: '6x20'}
      - {series: 'gpufilter_device_deaths_total{instance="m",device="cpu"}', values: '0x10 1x10'}
      - {series: 'gpufilter_device_answers_total{instance="m",device="cpu",status="OK"}', values: '0+9x20'}
      - {series: 'gpufilter_device_answers_total{instance="m",device="cpu",status="INTERNAL"}', values: '50x10 0 20x9'}
      - {series: 'gpufilter_device_answers_total{instance="n",device="cpu",status="INTERNAL"}', values: '50x10 0x10'}
      - {series: 'gpufilter_connections_refused_total{instance="m",status="BUSY"}', values: '7x20'}
      - {series: 'gpufilter_connections_refused_total{instance="n",status="BUSY"}', values: '0x10 1x10'}
      - {series: 'gpufilter_refused_total{instance="n",resource="handles"}', values: '0x10 1x10'}
      - {series: 'gpufilter_refused_total{instance="m",resource="handles"}', values: '7x20'}
      - {series: 'gpufilter_user_banned_seconds{instance="m",uid="1000"}', values: '_x10 600-60x10'}
      - {series: 'gpufilter_total_held{instance="m",resource="handles"}', values: '95x20'}
      - {series: 'gpufilter_total_limit{instance="m",resource="handles"}', values: '100x20'}
      - {series: 'gpufilter_total_held{instance="m",resource="closing"}', values: '0x20'}
      - {series: 'gpufilter_total_limit{instance="m",resource="closing"}', values: '0x20'}
    promql_expr_test:
%s
"""

# Of a GPU that was well until minute 10.
GPU_SERIES = """
      - {series: 'gpufilter_device_xid_errors_total{instance="g",device="cuda:0"}', values: '0x10 1x10'}
      - {series: 'gpufilter_device_ecc_errors_total{instance="g",device="cuda:0",kind="corrected"}', values: '5+7x20'}
      - {series: 'gpufilter_device_ecc_errors_total{instance="g",device="cuda:0",kind="uncorrected"}', values: '3x10 4x10'}
      - {series: 'gpufilter_device_ecc_errors_total{instance="h",device="cuda:0",kind="uncorrected"}', values: '3x20'}
      - {series: 'gpufilter_device_row_remap_failure{instance="h",device="cuda:0"}', values: '0x20'}
      - {series: 'gpufilter_device_row_remap_failure{instance="i",device="cuda:0"}', values: '0x10 1x10'}
      - {series: 'gpufilter_device_throttled{instance="g",device="cuda:0",reason="hw_thermal_slowdown"}', values: '0x10 1x10'}
      - {series: 'gpufilter_device_throttled{instance="h",device="cuda:0",reason="sw_power_cap"}', values: '1x20'}
"""


class Alerts(Checked):
    def rules(self):
        with open(ALERTS, encoding="utf-8") as f:
            return f.read()

    def test_every_query_names_figures_that_exist(self):
        text = re.sub(r"(?m)^ *#.*$", "", self.rules())
        text = text.split("- name: gpufilter-cluster")[0]  # of other programs: tests/cluster/test_figures.py
        queries = re.split(r"- alert: ", text)[1:]
        self.assertGreater(len(queries), 8)
        known = statuses()
        for query in queries:
            names = self.names(query.split("labels: {")[0])
            alert = query.split("\n")[0]
            self.assertEqual(not names, alert in WITHOUT_FIGURES, query)
            self.assertRegex(query, r"severity: (warning|critical)\}")
            for words in re.findall(r'status=~"([^"]+)"', query):
                self.assertLessEqual(set(words.split("|")), known)
        alerts = [q.split("\n")[0] for q in queries]
        self.assertEqual(len(set(alerts)), len(alerts))

    def test_they_fire_when_they_should(self):
        """At minute 8 the CPU of n is set aside, and the figures of m stop being written. At minute 11 both daemons
        have restarted after 50 requests that failed. From then on the CPU of m restarts, 20 requests fail there, a user
        is refused, and no scrape of m succeeds; n reaches a limit and refuses a connection. What was counted before
        raises no alert, and neither does a single scrape that fails."""
        always = {"GpufilterFiguresOld": "m", "GpufilterDeviceOut": "n"}
        later = {**always, "GpufilterWorkerDied": "m", "GpufilterRequestsFailed": "m", "GpufilterTotalFull": "m",
                 "GpufilterUserRefused": "m", "GpufilterDown": "m", "GpufilterConnectionsRefused": "n",
                 "GpufilterLimitReached": "n"}
        last = {**later, "GpufilterDeviceOut": "mn", "GpufilterNoDevice": "m"}
        checks = []
        for minute, firing in ((8, always), (12, later), (18, last)):
            samples = ["{labels: '{alertname=\"%s\",instance=\"%s\"}', value: 1}" % (alert, machine)
                       for alert, machines in firing.items() for machine in machines]
            checks.append("      - {expr: 'count by (alertname, instance) (ALERTS{alertstate=\"firing\"})', "
                          "eval_time: %dm, exp_samples: [%s]}" % (minute, ", ".join(samples)))
        self.write("test.yml", (SERIES % (os.path.abspath(ALERTS), "\n".join(checks))).encode())
        self.assertIn("SUCCESS", self.promtool("test", "rules", self.path("test.yml")))

    def test_a_planned_stop_is_no_incident(self):
        """The GPU of s is stopped as planned after five minutes, for 13 hours; then it is started, in vain. That of t is away
        without a stop."""
        series = """
      - {series: 'gpufilter_device_state{instance="s",device="cpu"}', values: '2x860'}
      - {series: 'gpufilter_device_state{instance="s",device="cuda:0"}', values: '2x4 5x860'}
      - {series: 'gpufilter_device_stopped{instance="s",device="cpu"}', values: '0x860'}
      - {series: 'gpufilter_device_stopped{instance="s",device="cuda:0"}', values: '0x4 1x779 0x80'}
      - {series: 'gpufilter_device_state{instance="t",device="cpu"}', values: '2x860'}
      - {series: 'gpufilter_device_state{instance="t",device="cuda:0"}', values: '2x4 5x860'}
      - {series: 'gpufilter_device_stopped{instance="t",device="cuda:0"}', values: '0x860'}
"""
        out = {"GpufilterDeviceOut": "t"}
        checks = []
        for minute, firing in ((9, {}), (11, out), (700, out), (730, {**out, "GpufilterDeviceStopped": "s"}), (789, out),
                               (795, {"GpufilterDeviceOut": "st"})):
            samples = ["{labels: '{alertname=\"%s\",instance=\"%s\",device=\"cuda:0\"}', value: 1}" % (alert, machine)
                       for alert, machines in firing.items() for machine in machines]
            checks.append("      - {expr: 'count by (alertname, instance, device) (ALERTS{alertstate=\"firing\",instance=~"
                          "\"s|t\"})', eval_time: %dm, exp_samples: [%s]}" % (minute, ", ".join(samples)))
        text = (SERIES % (os.path.abspath(ALERTS), "\n".join(checks))).replace("    promql_expr_test", series + "    promql_expr_test")
        self.write("test.yml", text.encode())
        self.assertIn("SUCCESS", self.promtool("test", "rules", self.path("test.yml")))

    def test_those_of_gpus_fire_when_they_should(self):
        ill = {"GpufilterGpuXid": "g", "GpufilterGpuEcc": "gi"}
        checks = []
        for minute, firing in ((10, {}), (12, ill), (17, {**ill, "GpufilterGpuHot": "g"})):
            samples = ["{labels: '{alertname=\"%s\",instance=\"%s\"}', value: 1}" % (alert, machine)
                       for alert, machines in firing.items() for machine in machines]
            checks.append("      - {expr: 'count by (alertname, instance) (ALERTS{alertname=~\"GpufilterGpu.*\",alertstate=\"firing\"})', "
                          "eval_time: %dm, exp_samples: [%s]}" % (minute, ", ".join(samples)))
        text = SERIES.split("    input_series:")[0] + "    input_series:" + GPU_SERIES + "    promql_expr_test:\n%s\n"
        self.write("gpu.yml", (text % (os.path.abspath(ALERTS), "\n".join(checks))).encode())
        self.assertIn("SUCCESS", self.promtool("test", "rules", self.path("gpu.yml")))



def exit_codes():
    """The exit code of the command for each status. A status without a row is a bug."""
    with open(os.path.join(ROOT, "client/cli/base/exit_code.h"), encoding="utf-8") as f:
        numbers = {name: int(number) for name, number in re.findall(r"(GF_EXIT_\w+) = (\d+)", f.read())}
    with open(os.path.join(ROOT, "client/cli/base/exit_code.c"), encoding="utf-8") as f:
        rows = dict(re.findall(r"\{GF_E_(\w+), (GF_EXIT_\w+)\}", f.read()))
    return {status: numbers[rows.get(status, "GF_EXIT_SOFTWARE")] for status in statuses()}


class Runbook(Case):
    """The page names what exists: alerts, commands, options, statuses and their exit codes."""

    def setUp(self):
        super().setUp()
        with open(RUNBOOK, encoding="utf-8") as f:
            self.page = f.read()
        with open(os.path.join(ROOT, "docs/operating.md"), encoding="utf-8") as f:
            self.options = set(re.findall(r"(?m)^  (?:-h, )?--([\w-]+) ", f.read()))

    def test_every_alert_has_a_section(self):
        with open(ALERTS, encoding="utf-8") as f:
            alerts = re.findall(r"(?ms)- alert: (\w+)$(.*?)(?=\n      - alert:|\Z)", f.read())
        self.assertGreater(len(alerts), 8)
        sections = dict(re.findall(r"(?ms)^### (\w+)$(.*?)(?=^###? |\Z)", self.page))
        for alert, rule in alerts:
            self.assertIn(alert, sections, "docs/runbook.md has no section ### %s" % alert)
            self.assertRegex(rule, r'runbook_url: "\S+/runbook\.md#%s"' % alert.lower())
            for part in "Means", "Clients", "Look", "Do", "Over":
                self.assertRegex(sections[alert], r"(?m)^\*\*(\w+, )?%s\b" % part, alert)

    def test_every_section_is_in_the_contents(self):
        contents, rest = self.page.split("\n## ", 1)
        contents = re.sub(r"\s+", " ", contents)
        for heading in re.findall(r"(?m)^###? (.*)$", re.sub(r"(?ms)^```.*?^```", "", "## " + rest)):
            if not heading.startswith("Alerts: "):
                self.assertIn("[%s](#" % heading, contents)

    def test_every_command_is_one(self):
        calls = re.findall(r"gpufilter-client ([a-z]+)([^`|;>\n]*)", self.page)
        self.assertGreater(len(calls), 20)
        helps = {name: self.good(name, "--help").decode() for name in {call[0] for call in calls}}
        for name, words in calls:
            for option in re.findall(r"--[a-z-]+", words):
                self.assertRegex(helps[name], r"(?m)^ +(-\w, )?%s\b" % option, name)
        for words in re.findall(r"(?<!-u )gpufilterd ((?:--[\w-]+ ?)+)", self.page):
            self.assertLessEqual(set(re.findall(r"--([\w-]+)", words)), self.options)

    def test_every_option_of_a_limit_is_one(self):
        section = self.page.split("### GpufilterLimitReached\n")[1].split("\n### ")[0]
        rows = re.findall(r"(?m)^\| [\w, ]+ \| (`[^|]*) \|$", section)
        self.assertEqual(len(rows), 6)
        self.assertLessEqual(set(re.findall(r"`([\w-]+)`", " ".join(rows))), self.options)

    def test_every_status_has_its_exit_code(self):
        codes = exit_codes()
        found = re.findall(r"`([A-Z_]{4,})` \((\d+)[),]", self.page)
        self.assertGreater(len(found), 10)
        section = self.page.split("## What clients see\n")[1].split("\n## ")[0]
        rows = re.findall(r"(?m)^\| .* \| (.*) \| ([\d or]+) \|$", section)
        self.assertEqual(len(rows), 12)
        found += [(status, code) for cell, code in rows for status in re.findall(r"`([A-Z_]+)`", cell)]
        for status, code in found:
            self.assertIn(str(codes[status]), code.split(" or "), status)


class Page(unittest.TestCase):
    def test_every_figure_is_explained(self):
        with open(os.path.join(ROOT, "docs/operating.md"), encoding="utf-8") as f:
            page = f.read().split("\n## Figures\n")[1].split("\n## ")[0]
        explained = {word for line in page.splitlines() if line.startswith("| ")
                     for word in re.findall(r"\w+", line.split("|")[1])}
        self.assertEqual({name[len("gpufilter_"):] for name in table()} - explained, set())


if __name__ == "__main__":
    unittest.main()
