#!/usr/bin/env python3
"""action.py - the deciding step of action.yml: ci-gate, outputs, job summary.

Reads GATE_* (the inputs), GITHUB_OUTPUT and GITHUB_STEP_SUMMARY from the environment. The program is
PARETOPILOT_BINARY, or what `make build` left beside this file. Exits as ci-gate does: 0 passed, 1 a rule
missed, 2 invalid; the summary says what was missed.

Ids, labels and paths come from documents of strangers: they reach the log only between stop-commands,
outputs only behind a random delimiter, and the summary only escaped.
"""

import json
import os
import pathlib
import re
import secrets
import subprocess
import sys

SUMMARY_MAX_BYTES = 1_000_000  # GitHub drops a summary above 1 MiB
OPTIONS = {  # left out when the input is empty
    "constraints": "GATE_CONSTRAINTS",
    "expect-selected-id": "GATE_EXPECTED_SELECTED_ID",
    "against": "GATE_AGAINST",
    "max-regression": "GATE_MAX_REGRESSION",
}
FILES = ("recommendation", "report", "decision_passport", "optimization_receipt", "receipt")
OUTPUTS = ("selected_id", "synthetic_source", "evidence_grade") + tuple(
    name for file in FILES for name in (file, f"{file}_sha256"))


# ---- the command ---------------------------------------------------------------------------------


class Refused(Exception):
    """An input that is none."""


def switch(name):
    value = os.environ.get(name, "")
    if value not in ("true", "false"):
        raise Refused(f"{name[5:].lower().replace('_', '-')}: expected true or false, got {value!r}")
    return value == "true"


def command():
    binary = os.environ.get("PARETOPILOT_BINARY") or str(
        pathlib.Path(__file__).resolve().parent.parent / "build/release/src/cli/paretopilot")
    argv = [binary, "ci-gate", "--json", f"--output-dir={os.environ['GATE_OUTPUT_DIR']}"]
    if not switch("GATE_REQUIRE_MEASURED"):
        argv.append("--allow-synthetic")
    if switch("GATE_REQUIRE_ARM64_PROVENANCE"):
        argv.append("--require-arm64-provenance")
    for option, name in OPTIONS.items():
        if os.environ.get(name):
            argv.append(f"--{option}={os.environ[name]}")
    return argv + ["--", os.environ["GATE_BENCHMARKS"]]


# ---- the log and the outputs ---------------------------------------------------------------------


def log(text):
    """Print text in which no line is a workflow command."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}\n{text}\n::{token}::", flush=True)


def annotate(text):
    """Show one error beside the workflow."""
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::error title=ParetoPilot::{escaped}", flush=True)


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else value


def write_outputs(gate):
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8", newline="\n") as out:
        for name in OUTPUTS:
            delimiter = f"end-{secrets.token_hex(16)}"
            out.write(f"{name.replace('_', '-')}<<{delimiter}\n{text_of(gate[name])}\n{delimiter}\n")


# ---- the summary ---------------------------------------------------------------------------------


def cell(value):
    """Foreign text as plain text of a Markdown table."""
    text = " ".join(str(value).split())
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]{}()#+\-.!|~:@$])", r"\\\1", text)


def table(rows):
    return "| | |\n| --- | --- |\n" + "".join(f"| {name} | {value} |\n" for name, value in rows)


def named(candidate, what, amount):
    if candidate is None:
        return "none"
    return f"{cell(candidate['label'])} ({cell(candidate['candidate_id'])}){what}{amount}"


def closest(passport):
    outside = passport["closest_outside_shortlist"]
    if outside is None:
        return "none"
    shortfall = outside["shortfall_to_shortlist"]["absolute"]
    amount = "" if shortfall is None else cell(f"{shortfall:g} {passport['objective']['metric']}")
    return named(outside, ", outside by ", amount) if amount else named(outside, "", "")


def summary_of_passed(gate, read):
    recommendation = json.loads(read(gate["recommendation"]))
    passport = json.loads(read(gate["decision_passport"]))
    rows = [
        ("status", "passed"),
        ("selected", cell(recommendation["selected"]["label"])),
        ("id", cell(gate["selected_id"])),
        ("figures", "not measured" if gate["synthetic_source"] else "measured"),
        ("evidence", cell(gate["evidence_grade"])),
        ("inside the limits", f"{gate['eligible_count']} of {gate['candidate_count']}"),
        ("on the frontier", gate["frontier_count"]),
        ("reason", cell(recommendation["selection"]["reason"])),
        ("closest outside the cutoff", closest(passport)),
        ("needs less memory", named(passport["resource_alternative"], "", "")),
    ]
    digests = [(cell(file.replace("_", " ")), f"`{gate[file + '_sha256']}`")
               for file in ("recommendation", "decision_passport", "receipt")]
    text = f"## Deployment decision\n\n{table(rows)}\n{table(digests)}\n"
    receipt = read(gate["optimization_receipt"])
    if len((text + receipt).encode()) > SUMMARY_MAX_BYTES:
        return text + f"The receipt is too long for a summary: {cell(gate['optimization_receipt'])}\n"
    return text + receipt


def summary_of_missed(failure):
    rows = [("status", "**missed**"), ("selected id", cell(failure["selected_id"] or "nobody"))]
    rows += [(cell(miss["kind"]), cell(miss["text"])) for miss in failure["misses"]]
    rows += [(cell(f"worse: {row['metric']}"), cell(f"{row['now']}, was {row['earlier']}"))
             for row in failure["regressions"] if row["missed"]]
    rows += [(cell(f"rejected: {name}"), cell("; ".join(texts)))
             for name, texts in sorted(failure["rejected"].items())]
    text = f"## Deployment decision\n\n{table(rows[:200])}"
    return text + (f"\n{len(rows) - 200} more lines are in the log.\n" if len(rows) > 200 else "")


def write_summary(text):
    with open(os.environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8", newline="\n") as out:
        out.write(text + "\n")


# ---- all of it -----------------------------------------------------------------------------------


def main():
    try:
        argv = command()
    except Refused as refused:
        annotate(str(refused))
        return 2
    run = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8",
                         errors="replace")
    log(f"{run.stdout}{run.stderr}")
    if run.returncode == 0:
        gate = json.loads(run.stdout)
        write_outputs(gate)
        write_summary(summary_of_passed(gate, lambda path: pathlib.Path(path).read_text(encoding="utf-8")))
        return 0
    annotate(run.stderr.strip() or f"ci-gate ended with {run.returncode}")
    if run.returncode == 1:
        write_summary(summary_of_missed(json.loads(run.stdout)))
    return run.returncode if run.returncode > 0 else 4


if __name__ == "__main__":
    sys.exit(main())
