"""Levels of a sweep must not pass for effects of the load where the server changed meanwhile (B104). TAP."""

import json
import pathlib
import subprocess
import sys
import tempfile

from harness import BINARY, Sim, disturbed, load, main

SWEEP = ("--clients", "1,2,4", "--repeat-first", "--requests", "20", "--warm-up", "2", "--prompt-tokens", "60", "--output-tokens", "4")
SIM = ("--slots", "4", "--token-time", "4ms", "--prefill", "0.2ms")
# Requests of a level with its warm-up, and of all four.
LEVEL, ALL = 22, 88


def sweep(*faults, args=SWEEP):
    words = [word for fault in faults for word in ("--fault", fault)]
    with Sim(*SIM, *words) as sim:
        run = load(sim.url, *args)
        sim.stop()
    return run, run.report.get("drift")


def change_of(drift, measure):
    return next(change for change in drift["changes"] if change["measure"] == measure)


def verdicts(drift):
    return {change["measure"]: change["verdict"] for change in drift["changes"]}


def expect(f, run, drift, seen, ttft_ms):
    """By the server's declared times: 60 tokens x 0.2 ms, and what the fault adds."""
    f.equal("levels compared", [drift["first_level"], drift["again_level"]], [1, 4])
    f.equal("clients", [level["asked"]["clients"] for level in run.report["levels"]], [1, 2, 4, 1])
    ttft = change_of(drift, "ttft")
    for name, want in zip(("first_ms_p50", "again_ms_p50"), ttft_ms):
        # never sooner than declared; a busy machine makes it later
        f.between(f"ttft {name}", ttft[name], want - 0.1, want + 40)
    if disturbed(run):
        f.equal("of levels that are not valid nothing is said", drift["verdict"], "undecided")
        f.exit(run, 3)
        return
    f.equal("verdict", drift["verdict"], "seen" if seen else drift["verdict"])
    if seen:
        f.equal("ttft, e2e", [verdicts(drift)[name] for name in ("ttft", "e2e")], ["seen", "seen"])
        f.exit(run, 3)
    else:
        f.true("none is seen", drift["verdict"] != "seen", drift)
        f.exit(run, 0 if drift["verdict"] == "none" else 3)


def b104_a_server_that_gets_slower_is_seen(f):
    run, drift = sweep(f"slow:60ms@after:{ALL - LEVEL}")
    expect(f, run, drift, True, (12, 72))
    f.true("slower", change_of(drift, "ttft")["change_percent"] > 50, drift)


def b104_a_cache_that_warms_up_is_seen(f):
    """Later levels are faster, which would read as gain from more clients."""
    run, drift = sweep(f"slow:60ms@first:{LEVEL}")
    expect(f, run, drift, True, (72, 12))
    f.true("faster", change_of(drift, "ttft")["change_percent"] < -20, drift)


def b104_a_server_that_stays_as_it_is_shows_none(f):
    run, drift = sweep()
    expect(f, run, drift, False, (12, 12))


def b104_the_terminal_says_it_and_the_report_follows_from_its_samples(f):
    with Sim(*SIM, "--fault", f"slow:60ms@after:{ALL - LEVEL}") as sim, tempfile.TemporaryDirectory(prefix="drift-") as folder:
        report, samples = (str(pathlib.Path(folder, name)) for name in ("report.json", "s.jsonl"))
        done = subprocess.run([BINARY, "load", sim.url, *SWEEP, "--output", report, "--samples", samples, "--quiet"],
                              capture_output=True, text=True, timeout=60, check=False)
        again = subprocess.run([BINARY, "validate", report, "--load-samples", samples], capture_output=True, text=True, timeout=60, check=False)
        verdict = json.loads(pathlib.Path(report).read_text())["drift"]["verdict"]
        other = pathlib.Path(report).read_text().replace(f'"verdict": "{verdict}"', '"verdict": "none"')
        pathlib.Path(folder, "other.json").write_text(other)
        changed = subprocess.run([BINARY, "validate", str(pathlib.Path(folder, "other.json")), "--load-samples", samples],
                                 capture_output=True, text=True, timeout=60, check=False)
    f.equal("exit codes: load, again, of a changed report", [done.returncode, again.returncode, changed.returncode], [3, 0, 1])
    f.true("a line says it", "\ndrift     " in done.stdout and "last level against the first: ttft +" in done.stdout, done.stdout)


def b104_the_order_of_a_sweep_is_that_of_the_command_line(f):
    run, drift = sweep(args=("--clients", "4,1", "--requests", "8", "--prompt-tokens", "60", "--output-tokens", "2"))
    f.equal("clients", [level["asked"]["clients"] for level in run.report["levels"]], [4, 1])
    f.equal("nothing is said of drift", drift, None)


def b104_prompts_of_a_level_are_not_those_of_the_one_before(f):
    """The first level again, and still no prompt that the server has seen."""
    with Sim(*SIM, "--cache-n", "repeat") as sim:
        run = load(sim.url, *SWEEP, "--cold")
        sim.stop()
    f.equal("cached", [level["cache"]["cached_tokens"] for level in run.report["levels"]], [0, 0, 0, 0])


def b104_too_few_requests_decide_nothing(f):
    run, drift = sweep(args=("--clients", "1", "--repeat-first", "--requests", "3", "--prompt-tokens", "60", "--output-tokens", "4"))
    f.equal("verdict", drift["verdict"], "undecided")
    f.exit(run, 3)


# Two at a time: both sides sleep nearly always, and the server's own times are what is compared.
if __name__ == "__main__":
    sys.exit(main([(name, check) for name, check in list(globals().items()) if name.startswith("b104")],
                  beside=("gets_slower", "order_of_a_sweep", "prompts_of_a_level")))
