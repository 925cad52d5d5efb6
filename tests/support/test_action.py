"""What action.yml does: the step that decides, with the files a runner would give it. TAP."""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
EXAMPLE = SOURCE / "examples/recommend"
HOSTILE = "q4\n::error title=x::pwned\n::set-output name=selected-id::evil\r|</td><b>`[a](b)` \x1b[2J"
OUTPUTS = {"selected-id", "synthetic-source", "evidence-grade"} | {
    name + end for name in ("recommendation", "report", "decision-passport", "optimization-receipt", "receipt")
    for end in ("", "-sha256")}


WORK = tempfile.TemporaryDirectory(prefix="action-test-")


class Outcome:
    def __init__(self, folder, run):
        self.folder, self.code = folder, run.returncode
        self.log = run.stdout + run.stderr
        self.output = (folder / "output").read_bytes().decode()
        self.summary = (folder / "summary").read_bytes().decode()

    def outputs(self):
        """As a runner reads them; None when the file is not in its format."""
        found, lines = {}, self.output.split("\n")
        while lines and lines != [""]:
            match = re.fullmatch(r"([\w-]+)<<(\S+)", lines.pop(0))
            if not match or match[2] not in lines:
                return None
            end = lines.index(match[2])
            found[match[1]] = "\n".join(lines[:end])
            lines = lines[end + 1:]
        return found


def decide(change=None, **inputs):
    """Run the step in a new folder; `change` edits both documents first."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=WORK.name))
    benchmarks = json.loads((EXAMPLE / "benchmarks.json").read_text())
    constraints = json.loads((EXAMPLE / "constraints.json").read_text())
    if change:
        change(benchmarks, constraints)
    (folder / "b.json").write_text(json.dumps(benchmarks))
    (folder / "c.json").write_text(json.dumps(constraints))
    environment = {
        "PATH": os.environ["PATH"], "PARETOPILOT_BINARY": os.environ["PARETOPILOT_BINARY"],
        "GATE_BENCHMARKS": "b.json", "GATE_CONSTRAINTS": "c.json", "GATE_OUTPUT_DIR": "out",
        "GATE_REQUIRE_MEASURED": "false", "GATE_REQUIRE_ARM64_PROVENANCE": "false",
        "GITHUB_OUTPUT": str(folder / "output"), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
    }
    environment.update({f"GATE_{name.upper()}": value for name, value in inputs.items()})
    for name in ("output", "summary"):
        (folder / name).touch()
    run = subprocess.run([sys.executable, "-B", str(SOURCE / "tools/action.py")], cwd=folder, env=environment,
                         capture_output=True, text=True, timeout=60)
    return Outcome(folder, run)


def hostile(benchmarks, constraints):
    for candidate in benchmarks["candidates"]:
        if candidate["id"] == "q4-batch":
            candidate["id"] = candidate["label"] = HOSTILE
    constraints["preference_order"] = [HOSTILE if x == "q4-batch" else x for x in constraints["preference_order"]]


def too_small(_, constraints):
    constraints["max_values"]["peak_rss_mib"] = 100


def commands(log):
    """Lines that a runner would obey, as it reads them: not those between stop-commands."""
    found, token = [], None
    for line in re.split(r"\r\n|\r|\n", log):
        if token is not None:
            token = None if line == f"::{token}::" else token
        elif line.startswith("::stop-commands::"):
            token = line[len("::stop-commands::"):]
        elif line.startswith("::") or line.startswith("##["):
            found.append(line)
    return found


def broken_rows(summary):
    """Rows of the two tables that have not two cells; the receipt behind them has its own test."""
    head = summary.split("\n# ")[0]
    rows = [line for line in head.split("\n") if line.startswith("|")]
    bad = [row for row in rows if len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) != 3]
    return bad if rows else ["no rows"]


def expect(**pairs):
    return [f"{name}: expected {want!r}, got {got!r}" for name, (got, want) in pairs.items() if got != want]


# ---- the tests -----------------------------------------------------------------------------------


def check_passed(report):
    o = decide(expected_selected_id="q4-batch")
    got = o.outputs() or {}
    report.test("a passed gate exits 0 and gives 13 outputs", expect(
        code=(o.code, 0), names=(set(got), OUTPUTS), count=(len(got), 13), selected=(got.get("selected-id"), "q4-batch"),
        synthetic=(got.get("synthetic-source"), "true"), grade=(got.get("evidence-grade"), "synthetic"),
        commands=(commands(o.log), [])))
    report.test("each path has the digest beside it", [
        name for name in OUTPUTS if name + "-sha256" in OUTPUTS and
        hashlib.sha256((o.folder / got[name]).read_bytes()).hexdigest() != got[name + "-sha256"]])
    receipt = (o.folder / got["optimization-receipt"]).read_text()
    report.test("the summary holds the decision and the whole receipt", [
        text for text in ("| status | passed |", "q4\\-batch", "not measured", got["recommendation-sha256"],
                          got["decision-passport-sha256"], got["receipt-sha256"], "| inside the limits | 3 of 4 |",
                          "closest outside the cutoff | Q4\\_0, 4 threads (q4)", receipt)
        if text not in o.summary] + broken_rows(o.summary))


def check_hostile(report):
    o = decide(hostile)
    got = o.outputs() or {}
    report.test("a hostile id passes whole through the outputs, and only there", expect(
        code=(o.code, 0), selected=(got.get("selected-id"), HOSTILE), count=(len(got), 13),
        commands=(commands(o.log), [])))
    report.test("in the summary it is text", broken_rows(o.summary) + [
        bad for bad in ("</td>", "<b>", "\x1b", "\r", "\n::") if bad in o.summary])
    o = decide(hostile, expected_selected_id="q8")
    report.test("a miss that names it gives one error of one line", expect(
        code=(o.code, 1), outputs=(o.outputs(), {}),
        commands=([c[:26] for c in commands(o.log)], ["::error title=ParetoPilot::"[:26]])) + broken_rows(o.summary))


def check_refusals(report):
    for name, code, words, change, inputs in (
        ("figures that are not measured", 1, "synthetic", None, {"require_measured": "true"}),
        ("another selection than expected", 1, "unexpected\\-selection", None, {"expected_selected_id": "q8"}),
        ("a limit that nobody meets", 1, "nothing\\-eligible", too_small, {}),
        ("evidence that is not attributed", 1, "provenance", None, {"require_arm64_provenance": "true"}),
        ("neither true nor false", 2, None, None, {"require_measured": "yes"}),
        ("neither true nor false, the other one", 2, None, None, {"require_arm64_provenance": ""}),
        ("a set that is not there", 2, None, None, {"benchmarks": "none.json"}),
        ("an option in the place of a set", 2, None, None, {"benchmarks": "--help"}),
        ("a folder that is not empty", 2, None, None, {"output_dir": "."}),
        ("a regression without its limit", 2, None, None, {"against": "c.json"}),
    ):
        o = decide(change, **inputs)
        faults = expect(code=(o.code, code), outputs=(o.outputs(), {}), errors=(len(commands(o.log)), 1),
                        left=(sorted(p.name for p in o.folder.iterdir()), ["b.json", "c.json", "output", "summary"]))
        if words is None:
            faults += expect(summary=(o.summary, ""))
        elif f"| {words} |" not in o.summary or "**missed**" not in o.summary:
            faults.append(f"the summary does not name {words}: {o.summary}")
        report.test(f"{name}: exit {code}, no output, and the summary says why", faults + (
            broken_rows(o.summary) if words else []))


def check_regression(report):
    before = decide()
    old = str(before.folder / "out/recommendation.json")

    def slower(benchmarks, _):
        for candidate in benchmarks["candidates"]:
            candidate["metrics"]["e2e_latency_ms_p95"] *= 1.1

    o = decide(slower, against=old, max_regression="3%")
    report.test("slower than the earlier decision: exit 1, the metric and both values", expect(code=(o.code, 1)) + [
        text for text in ("regression", "worse\\: e2e\\_latency\\_ms\\_p95", "was 1850\\.0") if text not in o.summary])
    o = decide(slower, against=old, max_regression="11%")
    report.test("within what is allowed: exit 0", expect(code=(o.code, 0)))


def check_definition(report):
    """action.yml and the step agree; read without a YAML library, by its layout."""
    text = (SOURCE / "action.yml").read_text()
    script = (SOURCE / "tools/action.py").read_text()
    outputs = re.search(r"\noutputs:\n(.*?)\nruns:", text, re.S)[1]
    report.test("action.yml declares the outputs that the step gives", expect(
        names=(set(re.findall(r"^  ([\w-]+):$", outputs, re.M)), OUTPUTS),
        values=(set(re.findall(r"steps\.gate\.outputs\.([\w-]+)", outputs)), OUTPUTS)))
    inputs = re.findall(r"^  ([\w-]+):$", re.search(r"\ninputs:\n(.*?)\noutputs:", text, re.S)[1], re.M)
    passed = dict(re.findall(r"(GATE_\w+): \$\{\{ inputs\.([\w-]+) \}\}", text))
    report.test("every input reaches the step through the environment", expect(
        inputs=(sorted(passed.values()), sorted(inputs)),
        read=(sorted(set(re.findall(r"GATE_[A-Z0-9_]+[A-Z0-9]", script))), sorted(passed))))
    runs = re.findall(r"run: (.*)", text)
    report.test("no input is pasted into a script", [run for run in runs if "${{" in run] or
                ([] if runs else ["no scripts"]))


def main():
    report = Report()
    for check in (check_passed, check_hostile, check_refusals, check_regression, check_definition):
        check(report)
    return report.end()


sys.exit(main())
