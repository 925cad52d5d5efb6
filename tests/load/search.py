"""Searches, sweeps, traces and shapes of load against a server whose capacity is known by algebra."""

import json
import os
import signal
import sys
import tempfile
import time

from harness import Sim, Started, disturbed, load, main, went

# Nine steps of 10 ms (5 ms) behind the first token: a request holds its slot for 90 ms (45 ms).
HOLD = ["--prefill", "0ms", "--token-time", "10ms"]
SHORT = ["--prefill", "0ms", "--token-time", "5ms"]
SMALL = ["--output-tokens", "10", "--prompt-tokens", "32"]


def clients_between_pass_and_fail(faults):
    """Four slots, c clients, first come first served: a client waits (c / 4 - 1) x 45 ms for its slot.
    10 clients wait 67.5 ms, 11 wait 78.75 ms: 74 ms lies between them."""
    with Sim("--slots", "4", *SHORT) as sim:
        run = load(sim.url, *SMALL, "--find-clients", "2..40", "--requests", "100",
                   "--slo", "ttft.p50<=74ms")
        found = run.report["find"]
        low, high = found["highest_pass"], found["lowest_fail"]
        faults.true("a pair is found", low is not None and high is not None, str(found))
        faults.between("highest pass", low, 8, 10)
        faults.between("lowest fail", high, 11, 12)
        faults.true("it was searched, not swept", len(run.report["levels"]) <= 12,
                    str([level["asked"]["clients"] for level in run.report["levels"]]))


def rate_between_pass_and_fail(faults):
    """Two slots of 45 ms carry 44.4 requests a second, whatever the arrivals: constant arrivals below
    that never wait, above it the queue grows by the difference until half of all waited too long."""
    with Sim("--slots", "2", *SHORT) as sim:
        run = load(sim.url, *SMALL, "--find-rate", "30/s..240/s", "--arrivals", "constant",
                   "--requests", "100", "--slo", "ttft.p50<=75ms")
        found = run.report["find"]
        faults.between("highest pass", found["highest_pass"], 30, 50)
        faults.between("lowest fail", found["lowest_fail"], 44.4, 120)


def never_passes(faults):
    with Sim("--fault", "slow:150ms", *HOLD, "--slots", "8") as sim:
        run = load(sim.url, "--output-tokens", "2", "--prompt-tokens", "32", "--find-clients", "1..4", "--requests", "6",
                   "--slo", "ttft.p50<=100ms")
        faults.equal("end", run.report["find"]["end"], "never-passed")
        faults.equal("highest pass", run.report["find"]["highest_pass"], None)
        faults.exit(run, 1)


def a_probe_that_was_disturbed_is_repeated(faults):
    """We are stopped for a second in the first probe: it says nothing, and runs again."""
    with Sim("--slots", "4", *SHORT) as sim:
        started = Started(sim.url, *SMALL, "--find-clients", "1..2", "--requests", "40",
                          "--slo", "ttft.p50<=1s")
        time.sleep(1)
        os.kill(started.process.pid, signal.SIGSTOP)
        time.sleep(1)
        os.kill(started.process.pid, signal.SIGCONT)
        run = started.wait()
        levels = run.report["levels"]
        faults.true("first probe: stalled", "stalled" in levels[0]["doubts"], levels[0]["doubts"])
        faults.equal("clients of the second", levels[1]["asked"]["clients"], 1)
        faults.equal("highest pass", run.report["find"]["highest_pass"], 2)
        faults.exit(run, 0)


def sweep_names_saturation(faults):
    """Four slots: the rate grows up to four clients and not beyond. A busy machine can take some percent
    of it away, so the rules are applied here to the rates that were seen."""
    with Sim("--slots", "4", *HOLD) as sim:
        run = load(sim.url, *SMALL, "--clients", "1,2,4,8", "--requests", "48")
        point = run.report["saturation"]
        rates = {p["clients"]: p["rate_per_second"] for p in point["points"]}
        order = sorted(rates)
        peak = max(rates.values())
        faults.equal("first within 5 % of the peak", point["near_peak"]["clients"],
                     next(c for c in order if rates[c] >= 0.95 * peak))
        faults.equal("first that gains under 10 %", point["gain_below"]["clients"],
                     next(c for b, c in zip(order, order[1:]) if rates[c] < 1.1 * rates[b]))
        faults.true("not before four", point["near_peak"]["clients"] >= 4, str(rates))
        for level, clients in zip(run.report["levels"], (1, 2, 4, 4)):
            rate = level["throughput"]["whole"]["requests_per_second"]
            faults.between(f"rate of {level['asked']['clients']} clients", rate,
                           0.75 * clients / 0.09, 1.02 * clients / 0.09)


def trace_is_replayed(faults):
    """The instants, lengths and prompts of the file; twice as fast they halve."""
    lines = [{"due_ms": 40 * i, "prompt_tokens": 10 + i, "output_tokens": 3 + i % 3}
             for i in range(12)]
    lines.append({"due_ms": 500, "prompt": "as written", "output_tokens": 2})
    with tempfile.TemporaryDirectory() as folder, Sim("--slots", "16", *HOLD) as sim:
        path = os.path.join(folder, "trace.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        for speed in (1, 2):
            run = load(sim.url, "--trace", path, "--speed", str(speed), "--api", "completion")
            went(faults, run)
            samples = run.measured
            faults.equal("requests", len(samples), 13)
            first = samples[0]["scheduled_ns"]
            faults.equal("instants", [(s["scheduled_ns"] - first) / 1e6 for s in samples],
                         [line["due_ms"] / speed for line in lines])
            faults.equal("prompt lengths", [s["tokens"]["prompt"] for s in samples[:12]],
                         [line["prompt_tokens"] for line in lines[:12]])
            faults.equal("answers", [s["tokens"]["generated"] for s in samples],
                         [line["output_tokens"] for line in lines])
            faults.equal("ended by", run.level["observed"]["ended_by"], "trace")


def ramp_and_think_time(faults):
    """Clients begin spread over the ramp, and rest between requests."""
    with Sim("--slots", "8", *HOLD) as sim:
        run = load(sim.url, *SMALL, "--clients", "4", "--requests", "16", "--ramp", "400ms",
                   "--think-time", "100ms", "--warm-up", "0")
        begins = sorted(s["started_ns"] / 1e6 for s in run.measured)
        faults.between("second begin after the first, ms", begins[1] - begins[0], 90, 200)
        faults.true("due before or when begun",
                    all(s["scheduled_ns"] <= s["started_ns"] for s in run.measured))
        span = run.level["throughput"]["whole"]
        # 16 requests of 90 ms with 15 rests of 100 ms on 4 clients take 3 x 190 + 90 ms at least
        faults.between("span, ms", span["to_ms"] - span["from_ms"], 660, 5000)


def a_level_ends_when_its_demands_are_decided(faults):
    """Wald's steps for p95: 72 good ones pass, 112 with one violation, two violations at once fail."""
    rows = [
        ("no violation", [], "400", ("pass", 72, 0, "decided")),
        ("the first is slow, and nothing is decided before it ends", ["slow:3s@first:1"], "400", ("pass", 112, 1, "decided")),
        ("all are slow", ["slow:1600ms"], "400", ("fail", 2, 2, "decided")),
        ("too few", [], "40", (None, 40, 0, "requests")),
    ]
    for name, named, requests, (verdict, counted, over, ended_by) in rows:
        options = [word for fault in named for word in ("--fault", fault)]
        with Sim("--slots", "4", "--prefill", "0ms", "--token-time", "10ms", *options) as sim:
            run = load(sim.url, *SMALL, "--clients", "4", "--requests", requests, "--warm-up", "0", "--slo",
                       "ttft.p95<=1500ms", "--stop-early")
        level = run.level
        got = level["verdicts"][0]
        faults.equal(f"{name}: counted, over, ended by", (got["counted"], got["violation_count"], level["observed"]["ended_by"]),
                     (counted, over, ended_by))
        if verdict is None:
            faults.equal(f"{name}: verdict", (got["verdict"], disturbed(run) or got["reason"] == "too-few"), ("undecided", True))
        elif not disturbed(run) and got["reason"] != "dependent":  # as times of a busy machine may be
            faults.equal(f"{name}: verdict", got["verdict"], verdict)
        faults.true(f"{name}: the rest was not sent", ended_by == "requests" or level["counts"]["issued"] < 300,
                    level["counts"])
        faults.equal(f"{name}: the rule", run.report["rules"]["stop_early"], True)


def what_does_not_go_with_stop_early(faults):
    rows = [
        ((), "needs a --slo on a percentile"),
        (("--slo", "error-rate<=1%"), "needs a --slo on a percentile"),
        (("--slo", "ttft.p95<=2s", "--duration", "5s"), "needs --requests"),
        (("--slo", "ttft.p95<=2s", "--requests", "9", "--confidence", "99%"), "--confidence"),
        (("--slo", "ttft.p95<=2s", "--requests", "9", "--clients", "2", "--ramp", "1s"), "--ramp"),
    ]
    for options, want in rows:
        run = load("http://127.0.0.1:9", *SMALL, "--stop-early", *options)
        faults.exit(run, 2)
        faults.true(want, want in run.stderr, run.stderr)


if __name__ == "__main__":
    sys.exit(main([
        ("--find-clients answers with the pair around the capacity", clients_between_pass_and_fail),
        ("--find-rate answers with the pair around the capacity", rate_between_pass_and_fail),
        ("a search that never passes says so", never_passes),
        ("a probe that was disturbed is repeated", a_probe_that_was_disturbed_is_repeated),
        ("a sweep names the saturation under each rule", sweep_names_saturation),
        ("a trace is replayed as written", trace_is_replayed),
        ("ramp and think time", ramp_and_think_time),
        ("--stop-early ends a level when its demands are decided", a_level_ends_when_its_demands_are_decided),
        ("--stop-early refuses what it cannot judge", what_does_not_go_with_stop_early),
    ]))
