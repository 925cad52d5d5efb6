"""What `load` says where there is one sample, none, or only failures; and the same run told in
three ways. TAP."""

import csv
import io
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import BINARY, Sim, Started, load, main, went
from peers import Prompts

FAST = ("--token-time", "1ms", "--prefill", "1us")
SHORT = ("--prompt-tokens", "32", "--output-tokens", "4")


def figures(level):
    """Every object of a level that has a count, a mean and percentiles, with its place."""
    def walk(value, at):
        if isinstance(value, dict):
            if "percentiles" in value:
                yield at, value
            for key, member in value.items():
                yield from walk(member, f"{at}.{key}")
        elif isinstance(value, list):
            for i, member in enumerate(value):
                yield from walk(member, f"{at}[{i}]")
    return list(walk(level, "$"))


def strict(text):
    """JSON as the standard has it: NaN and Infinity are refused, which Python's reader takes."""
    def refuse(word):
        raise ValueError(f"{word} is no JSON")
    return json.loads(text, parse_constant=refuse)


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for member in value:
            yield from numbers(member)
    elif isinstance(value, float):
        yield value


def b078_one_request_of_a_level_is_its_own_percentile(f):
    with Sim("--token-time", "10ms", "--prefill", "1us") as sim:
        run = load(sim.url, "--clients", "1,2,4", "--requests", "1", *SHORT)
    went(f, run)
    f.equal("levels", len(run.report["levels"]), 3)
    for level in run.report["levels"]:
        sample = next(s for s in run.measured if s["level"] == level["number"])
        f.equal("ok", level["counts"]["ok"], 1)
        for name, ns in (("ttft", sample["ttft_ns"]), ("e2e", sample["e2e_ns"])):
            figure = level["times"][name]["from_start"]["ok"]
            f.equal(f"{name}: n", figure["count"], 1)
            for key in ("mean_ms", "min_ms", "max_ms"):
                f.equal(f"{name}: {key}", figure[key], ns / 1e6)
            for p in figure["percentiles"]:
                f.equal(f"{name}: p{p['percent']}", (p["value_ms"], p["rank"], p["is_maximum"]),
                        (ns / 1e6, 1, True))
                f.equal(f"{name}: no end of its interval", p["high_ms"], None)


def b086_b051_b100_when_all_fail_there_is_null_and_n_is_zero(f):
    with Sim(*FAST, "--fault", "status:500") as sim, tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "levels.csv")
        run = load(sim.url, "--clients", "1,2", "--requests", "6", "--slo", "ttft.p95<=1s",
                   "--levels-csv", table, *SHORT)
        rows = list(csv.DictReader(open(table, newline="")))
    f.exit(run, 1)
    report = strict(run.stdout)
    for level in report["levels"]:
        f.equal("counts", [level["counts"][k] for k in ("issued", "ok", "failed", "cut")],
                [6, 0, 6, 0])
        f.equal("error share", level["counts"]["error_percent"], 100)
        f.equal("requests a second", level["throughput"]["whole"]["requests_per_second"], 0)
        for at, figure in figures(level):
            if ".lateness" in at or ".connect" in at or ".lag" in at:
                continue  # what the client did is known of failures, too
            f.equal(f"{at}: mean", figure.get("mean_ms", figure.get("mean_per_second")), None)
            f.equal(f"{at}: values", {p.get("value_ms", p.get("value_per_second"))
                                      for p in figure["percentiles"]}, {None})
            if at.endswith("with_failures"):
                f.equal(f"{at}: n", (figure["count"], figure["failed_count"]), (6, 6))
                f.equal(f"{at}: failed", {p["is_failed"] for p in figure["percentiles"]}, {True})
            else:
                f.equal(f"{at}: n", figure["count"], 0)
                f.equal(f"{at}: ranks", {p["rank"] for p in figure["percentiles"]}, {None})
    for row in rows:
        f.equal("CSV: n", row["ttft_ok_ms_count"], "0")
        f.equal("CSV: no figure", {row[f"ttft_ok_ms_{x}"] for x in ("mean", "p50", "p99", "max")},
                {""})


def b100_one_token_has_no_time_per_token(f):
    with Sim(*FAST) as sim:
        run = load(sim.url, "--requests", "5", "--prompt-tokens", "32", "--output-tokens", "1")
    went(f, run)
    tpot = strict(run.stdout)["levels"][0]["times"]["tpot"]
    f.equal("undefined", tpot["undefined_count"], 5)
    f.equal("n", tpot["ok"]["count"], 0)
    f.equal("mean", tpot["ok"]["mean_ms"], None)
    f.equal("gaps", [g["count"] for at, g in figures(run.level) if ".gaps" in at], [0])
    f.equal("TTFT is there", run.level["times"]["ttft"]["from_start"]["ok"]["count"], 5)


def b090_the_limit_that_ends_a_level_is_recorded(f):
    """Answers of 50 ms, one client: in 600 ms some 12."""
    cases = (("count", ("--requests", "4"), "requests", 4),
             ("time", ("--duration", "600ms"), "duration", None),
             ("both, count first", ("--requests", "4", "--duration", "60s"), "requests", 4),
             ("both, time first", ("--requests", "4000", "--duration", "600ms"), "duration", None))
    with Sim("--token-time", "10ms", "--prefill", "1us", "--fault", "slow:20ms") as sim:
        for what, args, ended_by, count in cases:
            run = load(sim.url, "--warm-up", "0", *args, *SHORT)
            level = run.level
            f.equal(f"{what}: ended by", level["observed"]["ended_by"], ended_by)
            if count is not None:
                f.equal(f"{what}: issued", level["counts"]["issued"], count)
            else:
                f.between(f"{what}: issued", level["counts"]["issued"], 1, 13)
                last = max(s["started_ns"] for s in run.measured)
                f.true(f"{what}: none begins after it",
                       last <= level["observed"]["measured_at_ns"] + 600e6, last)


def b092_b096_nothing_is_rounded_to_zero_and_no_rate_is_infinite(f):
    """A server that answers at once (its reply holds no text, so every request failed), and one
    that takes 1 us for a prompt token and 50 us for a further one."""
    with Sim("--null") as sim, Prompts() as prompts:
        null = load(sim.url, "--server", "openai", "--model", "m", "--keep-alive", "--requests", "5000",
                    "--prompts", prompts)
    f.exit(null, 1)
    check_small(f, null, [s["stream_end_ns"] for s in null.measured])
    with Sim("--token-time", "50us", "--prefill", "1us") as sim:
        run = load(sim.url, "--keep-alive", "--requests", "400", *SHORT)
    went(f, run)
    check_small(f, run, [s["ttft_ns"] for s in run.measured])
    for at, figure in figures(run.level):
        if figure["count"] and (figure.get("min_ms") or 0) > 0:
            f.true(f"{at}: p50 is not 0", all(p["value_ms"] > 0 for p in figure["percentiles"]))


def check_small(f, run, times_ns):
    f.true("all numbers are finite", all(map(math.isfinite, numbers(strict(run.stdout)))))
    f.true("samples", len(times_ns) in (400, 5000), len(times_ns))
    f.true("no time is 0, nor too short for the way there and back", min(times_ns) > 2000,
           min(times_ns))
    f.true("times are no whole microseconds", any(ns % 1000 for ns in times_ns))
    f.true("below 1 ms is seen as such", min(times_ns) < 1_000_000, min(times_ns))


def b094_b102_a_stop_before_the_first_reply_leaves_an_empty_report(f):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with Sim("--fault", "silent") as sim:
            started = Started(sim.url, "--clients", "3", "--warm-up", "0", "--duration", "60s",
                              "--drain", "100ms", *SHORT)
            f.true("three are in flight", sim.wait_until(
                lambda: sim.metrics()["paretopilot_sim:open_requests_max"] >= 3))
            started.process.send_signal(number)
            run = started.wait(30)
        f.exit(run, code)
        report = strict(run.stdout)
        level = report["levels"][0]
        f.equal("partial", report["is_partial"], True)
        f.equal("ended by", level["observed"]["ended_by"], "interrupted")
        f.equal("counts", [level["counts"][k] for k in ("issued", "ok", "failed", "cut")],
                [3, 0, 0, 3])
        f.equal("error share of none", level["counts"]["error_percent"], None)
        f.equal("n", level["times"]["ttft"]["from_start"]["with_failures"]["count"], 0)
        f.between("length, s", level["observed"]["ended_at_ns"] / 1e9, 0, 30)
        f.true("no number is huge", all(abs(x) < 1e12 for x in numbers(level["throughput"])))


def b102_b091_a_stop_in_front_of_everything_is_no_crash(f):
    with Sim("--fault", "silent@/props") as sim:
        started = Started(sim.url, "--requests", "4", *SHORT)
        time.sleep(0.3)
        started.process.send_signal(signal.SIGINT)
        run = started.wait(30)
    f.true("an exit code of its own", run.exit in (130, 2), run.exit)
    f.equal("nothing on standard output", run.stdout, "")


# ---- one run, three ways -------------------------------------------------------------------------

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def told(sim, *args):
    """Terminal text, report, rows of levels and of requests, samples: of one run."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {n: os.path.join(folder, n) for n in ("output", "levels-csv", "requests-csv",
                                                      "samples")}
        options = [word for name, path in paths.items() for word in (f"--{name}", path)]
        out = subprocess.run([BINARY, "load", sim.url, "--quiet", *options, *args],
                             capture_output=True, text=True, timeout=60)
        left = {n: pathlib.Path(p).read_bytes().decode() for n, p in paths.items()}
    return (out.stdout, json.loads(left["output"]),
            list(csv.reader(io.StringIO(left["levels-csv"], newline=""), strict=True)),
            list(csv.reader(io.StringIO(left["requests-csv"], newline=""), strict=True)),
            [json.loads(x) for x in left["samples"].split("\n") if x])


def milliseconds(cell):
    found = re.fullmatch(r"([0-9.]+)(us|ms|s)\*?", cell)
    return float(found[1]) * UNITS[found[2]] if found else None


def percentile(figure, percent):
    return next(p["value_ms"] for p in figure["percentiles"] if p["percent"] == percent)


def near(a, b):
    """As far apart as rounding to the digits of a table makes them."""
    return a is not None and b is not None and abs(a - b) <= 0.006 * abs(b) + 1e-9


def b099_terminal_report_and_tables_of_one_run_agree(f):
    """Times from microseconds to seconds, so that a wrong unit would show: first tokens after 1.1 s,
    further ones of 7 ms, connections of microseconds. One request of the second level fails."""
    with Sim("--token-time", "7ms", "--prefill", "1us", "--slots", "8", "--fault", "slow:1100ms",
             "--fault", "status:500@15") as sim:
        text, report, levels, requests, samples = told(
            sim, "--clients", "4,8", "--requests", "8", "--warm-up", "0", *SHORT)
    names = levels[0]
    for level, row in zip(report["levels"], levels[1:]):
        cells = dict(zip(names, row))
        line = next(x.split() for x in text.splitlines()
                    if x.split() and x.split()[0] == str(level["asked"]["clients"]))
        check_terminal(f, line, level)
        check_row(f, cells, level)
    check_requests(f, requests, samples)
    f.between("TTFT by construction, ms",
              percentile(report["levels"][1]["times"]["ttft"]["from_start"]["ok"], 50), 1100, 4000)


def check_terminal(f, line, level):
    """Columns: load, ok, failed [percent], req/s, tok/s, TTFT p50, p95, E2E p95, a token p50."""
    numbers_ = [cell for cell in line if not cell.startswith("(")]
    times = level["times"]
    f.equal("terminal: ok", int(numbers_[1]), level["counts"]["ok"])
    f.equal("terminal: failed", int(numbers_[2]), level["counts"]["failed"])
    wanted = (("TTFT p50", times["ttft"]["from_start"]["with_failures"], 50),
              ("TTFT p95", times["ttft"]["from_start"]["with_failures"], 95),
              ("E2E p95", times["e2e"]["from_start"]["with_failures"], 95),
              ("a token p50", times["tpot"]["with_failures"], 50))
    for (what, figure, percent), cell in zip(wanted, numbers_[5:9]):
        want = percentile(figure, percent)
        if want is None:
            f.equal(f"terminal: {what}", cell, "failed")
        else:
            f.true(f"terminal: {what}", near(milliseconds(cell), want), f"{cell} for {want} ms")
    window = level["throughput"]["steady"] or level["throughput"]["whole"]
    for what, key, cell in (("req/s", "requests_per_second", numbers_[3]),
                            ("tok/s", "generated_tokens_per_second", numbers_[4])):
        f.true(f"terminal: {what}", near(float(cell.rstrip("~")), window[key]),
               f"{cell} for {window[key]}")


def check_row(f, cells, level):
    times = level["times"]
    for column, figure in (("ttft_ok_ms", times["ttft"]["from_start"]["ok"]),
                           ("ttft_with_failures_ms", times["ttft"]["from_start"]["with_failures"]),
                           ("e2e_from_due_ok_ms", times["e2e"]["from_due"]["ok"]),
                           ("tpot_ok_ms", times["tpot"]["ok"]),
                           ("connect_ms", times["connect"]),
                           ("lateness_ms", times["lateness"])):
        f.equal(f"CSV: {column} n", int(cells[f"{column}_count"]), figure["count"])
        for percent in (50, 95):
            want, got = percentile(figure, percent), cells[f"{column}_p{percent}"]
            if want is None:
                f.equal(f"CSV: {column} p{percent}", got, "")
            else:
                f.true(f"CSV: {column} p{percent}", math.isclose(float(got), want, rel_tol=1e-12),
                       f"{got} for {want}")
    whole = level["throughput"]["whole"]
    f.true("CSV: requests a second", math.isclose(float(cells["whole_requests_per_second"]),
                                                  whole["requests_per_second"], rel_tol=1e-12))


def check_requests(f, requests, samples):
    names = requests[0]
    for row, sample in zip(requests[1:], samples, strict=True):
        cells = dict(zip(names, row))
        for column, ns in (("ttft_ms", sample["ttft_ns"]), ("e2e_ms", sample["e2e_ns"]),
                           ("started_ms", sample["started_ns"]),
                           ("stream_end_ms", sample["stream_end_ns"])):
            if ns is None:
                f.equal(f"request {cells['index']}: {column}", cells[column], "")
            else:
                f.true(f"request {cells['index']}: {column}",
                       math.isclose(float(cells[column]), ns / 1e6, rel_tol=1e-12), cells[column])


def b144_rows_have_the_fields_of_their_header(f):
    """Failures, cut requests and one-token answers leave holes; an independent reader counts."""
    with Sim(*FAST, "--fault", "status:500@every:3", "--fault", "slow:5s@after:7") as sim:
        _, report, levels, requests, samples = told(
            sim, "--clients", "1", "--duration", "400ms", "--prompt-tokens", "32",
            "--output-tokens", "uniform:1..2", "--warm-up", "1")
    f.equal("levels: fields of rows", {len(row) for row in levels}, {len(levels[0])})
    f.equal("requests: fields of rows", {len(row) for row in requests}, {len(requests[0])})
    f.equal("no name twice", len(set(levels[0])), len(levels[0]))
    rows = [dict(zip(requests[0], row)) for row in requests[1:]]
    f.equal("rows", len(rows), len(samples))
    f.equal("kinds of rows", {row["status"] for row in rows}, {"ok", "failed", "cut"})
    for row in rows:
        f.equal("text of what failed only where it did", row["failure"] == "", row["status"] == "ok")
        f.equal("TTFT where there is text", row["ttft_ms"] == "", row["status"] != "ok")
        f.true("flags last", row["flags"] is not None and not row["flags"].isdigit())


CHECKS = [(name.replace("_", " "), check) for name, check in list(globals().items())
          if re.match(r"b\d", name)]

if __name__ == "__main__":
    sys.exit(main(CHECKS))
