"""Drafts that are accepted less and less as more sequences draft at once are seen in a sweep. TAP."""

import json
import pathlib
import subprocess
import sys
import tempfile

from harness import BINARY, Sim, doubts, load, main, went

SIM = ("--slots", "4", "--token-time", "4ms", "--prefill", "0.1ms")
SWEEP = ("--clients", "1,4", "--requests", "24", "--prompt-tokens", "30", "--output-tokens", "40")
FALLS = ("--speculation", "1/4", "--fault", "falling-acceptance")
FELL = "draft-acceptance-fell"


def sweep(*words, args=SWEEP):
    with Sim(*SIM, *words) as sim:
        run = load(sim.url, *args)
        sim.stop()
    return run


def of_samples(run, number):
    """Counted from the samples: requests, drafted and accepted tokens of a level."""
    told = [s["server"] for s in run.measured if s["level"] == number and s["status"] == "ok"]
    return [len(told), sum(t["draft_tokens"] for t in told), sum(t["draft_accepted_tokens"] for t in told)]


def notes(run):
    return [FELL in level["notes"] for level in run.report["levels"]]


def counted(f, run):
    for level in run.report["levels"]:
        s, number = level["speculation"], level["number"]
        requests, drafted, accepted = of_samples(run, number)
        f.equal(f"level {number}", [s["request_count"], s["drafted_tokens"], s["accepted_tokens"]],
                [requests, drafted, accepted])
        f.equal(f"level {number}: ratio", s["acceptance_ratio"], accepted / drafted)
        f.true(f"level {number}: interval", s["low_ratio"] <= s["acceptance_ratio"] <= s["high_ratio"], s)


def g39_acceptance_that_falls_is_noted(f):
    """Each token is accepted with one client. With four it is one of four, and none after one that was not:
    (1/4 + 1/16 + 1/64 + 1/256) / 4 = 8.3 %, more when a slot is idle."""
    run = sweep(*FALLS)
    counted(f, run)
    first, last = (level["speculation"] for level in run.report["levels"])
    f.equal("alone", (first["acceptance_ratio"], first["high_ratio"]), (1, 1))
    f.between("of four", last["acceptance_ratio"], 0.07, 0.3)
    f.equal("noted", notes(run), [False, True])
    f.equal("it takes no verdict", [doubts(level) for level in run.report["levels"]], [[], []])
    line = next((line for line in run.stderr.split("\n") if FELL in line), "")
    for figure in ("4 clients", f"{100 * last['acceptance_ratio']:.1f} %", "1 client", "100.0 %"):
        f.true(f"standard error says {figure}", figure in line, run.stderr)
    went(f, run)


def g39_acceptance_that_stays_is_not(f):
    run = sweep("--speculation", "0.5/4")
    counted(f, run)
    for level in run.report["levels"]:
        # (1/2 + 1/4 + 1/8 + 1/16) / 4
        f.between("share", level["speculation"]["acceptance_ratio"], 0.234 - 0.04, 0.234 + 0.04)
    f.equal("noted", notes(run), [False, False])
    f.true("nothing on standard error", FELL not in run.stderr, run.stderr)
    went(f, run)


def g39_without_drafts_nothing_is_said(f):
    run = sweep(args=("--clients", "1,2", "--requests", "4", "--prompt-tokens", "30", "--output-tokens", "4"))
    f.equal("member", ["speculation" in level for level in run.report["levels"]], [False, False])
    f.equal("noted", notes(run), [False, False])


def g39_the_table_says_it_and_the_report_follows_from_its_samples(f):
    with Sim(*SIM, *FALLS) as sim, tempfile.TemporaryDirectory(prefix="speculation-") as folder:
        report, samples, other = (str(pathlib.Path(folder, name)) for name in ("report.json", "s.jsonl", "other.json"))
        done = subprocess.run([BINARY, "load", sim.url, *SWEEP, "--output", report, "--samples", samples, "--quiet"],
                              capture_output=True, text=True, timeout=60, check=False)
        document = json.loads(pathlib.Path(report).read_text())
        document["levels"][1]["speculation"]["accepted_tokens"] += 1
        pathlib.Path(other).write_text(json.dumps(document))
        again, changed = (subprocess.run([BINARY, "validate", path, "--load-samples", samples], capture_output=True,
                                         text=True, timeout=60, check=False) for path in (report, other))
    f.equal("exit codes: again, of a changed report", [again.returncode, changed.returncode], [0, 1])
    f.true("a line of the table", "\ndrafts    " in done.stdout and "100.0 % of " in done.stdout, done.stdout)
    f.true("a note", "(draft-acceptance-fell)" in done.stdout, done.stdout)


if __name__ == "__main__":
    sys.exit(main([(name, check) for name, check in list(globals().items()) if name.startswith("g39")]))
