"""Our own suite asked by `suite`, of simulated servers: one that knows passes everything, one that is nearly right passes
nothing, and lazy ones that say one thing to everybody pass next to nothing. TAP."""

import json
import pathlib
import subprocess
import sys
import tempfile

import behaviour
import matcher

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from simulated import BINARY, Sim  # noqa: E402
from tap import Report  # noqa: E402

DEADLINE_S = 120


def ask(rows):
    """What `suite` reports of a server with these answers."""
    with tempfile.TemporaryDirectory(prefix="suite-test-") as folder:
        path = pathlib.Path(folder, "answers.json")
        path.write_text(json.dumps({"schema_version": "1.0", "document": "sim-answers", "answers": rows}), encoding="utf-8")
        with Sim("--answers", path, "--prefill", "0s", "--token-time", "0s") as sim:
            run = subprocess.run([BINARY, "suite", sim.url, "--suite", behaviour.SUITE, "--json", "--quiet"],
                                 capture_output=True, text=True, encoding="utf-8", timeout=DEADLINE_S)
    if run.returncode != 0:
        raise RuntimeError(f"exit {run.returncode}: {run.stderr}")
    endpoint, = json.loads(run.stdout)["endpoints"]
    return endpoint


def faults_of(cases, answers, outcome):
    """Each answer arrives whole, at the limit that the suite sets, and has this outcome."""
    endpoint = ask([{"contains": case["prompt"], "answer": answer} for case, answer in zip(cases, answers)])
    total = len(cases) if outcome == "matched" else 0
    faults = [] if endpoint["score"]["passed"] == total else [f"{endpoint['score']['passed']} passed, expected {total}"]
    for case, answer, got in zip(cases, answers, endpoint["passes"][0]["results"]):
        want = (case["id"], answer, "stop", outcome, matcher.match(case, answer))
        found = (got["case"], got["answer"], got["finish_reason"], got["outcome"], got["matched_answer"])
        if found != want:
            faults.append(f"{found}, expected {want}")
    return faults


def faults_of_lazy(cases, answer):
    score = ask([{"answer": answer}])["score"]
    want = len(behaviour.passing(cases, answer))
    return [] if score["passed"] == want <= 4 and score["total"] == len(cases) else [f"{score}, expected {want} passed"]


def main():
    report, cases = Report(), behaviour.load(behaviour.SUITE)["cases"]
    rows = behaviour.load(behaviour.TABLE)["answers"]
    for side, outcome in [("right", "matched"), ("wrong", "missed")]:
        for place, which in [("first", 0), ("last", -1)]:
            answers = [row[side][which] for row in rows]
            report.test(f"the {place} {side} answers are {outcome}", faults_of(cases, answers, outcome))
    for answer in ["UNKNOWN", "7", "{}", "I'm sorry, I can't help with that.", "honey moth moon CO2"]:
        report.test(f"a server that says only {answer!r}", faults_of_lazy(cases, answer))
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
