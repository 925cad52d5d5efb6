"""Failures, retries, limits and counting: a `load` against servers that fail in known ways. TAP.

Times have room for a busy machine on the side on which a busy machine errs; the other side is
exact."""

import csv
import datetime
import io
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from harness import BINARY, DEADLINE_S, Sim, Started, load, main, ms, went
from peers import Peer, plain

# Answers that take about 15 ms: 24 prompt tokens, 4 tokens 4 ms apart.
QUICK = ("--prompt-tokens", "24", "--output-tokens", "4", "--warm-up", "0")
SIM = ("--token-time", "4ms")
ONE = ("--clients", "1", *QUICK)


def percentile(figures, percent):
    return next(p for p in figures["percentiles"] if p["percent"] == percent)


def failure_class(sample):
    return sample["failure"] and sample["failure"]["class"]


def failure_text(sample):
    return sample["failure"]["text"] if sample["failure"] else ""


def command(*args):
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=DEADLINE_S)


# ---- one failure -------------------------------------------------------------------------------


def b042_every_failure_has_its_elapsed_time(f):
    with Sim("--fault", "status:500@1", "--fault", "status:503@2", "--fault", "wait:1s@2", *SIM) as sim:
        run = load(sim.url, *ONE, "--requests", "4")
    f.equal("statuses", [s["http_status"] for s in run.samples], [500, 503, 200, 200])
    f.between("500 at once, ms", ms(run.samples[0]["stream_end_ns"]), 0.001, 900)
    f.between("503 after 1 s, ms", ms(run.samples[1]["stream_end_ns"]), 1000, 3000)
    f.equal("failures", run.level["counts"]["failures"], {"http-status": 2})
    times = run.level["times"]
    f.equal("ends of good ones", times["stream_end"]["count"], 2)
    f.equal("e2e with failures", [times["e2e"]["from_start"]["with_failures"][k] for k in ("count", "failed_count")], [4, 2])
    f.between("whole window covers them, ms", run.level["throughput"]["whole"]["to_ms"], 1000, 5000)


def open_files(pid):
    try:
        return len(os.listdir(f"/proc/{pid}/fd"))
    except FileNotFoundError:
        return None


def b043_html_pages_of_502_leave_no_file_open(f):
    rows = [("kept", ("--keep-alive",)), ("fresh", ())]
    for name, options in rows:
        with Sim("--fault", "status:502@every:2", "--fault", "body:html@every:2", "--token-time", "10ms", "--slots", "4") as sim:
            started = Started(sim.url, "--clients", "4", *QUICK, "--requests", "200", *options)
            seen = []
            while started.process.poll() is None:
                seen.append(open_files(started.process.pid))
                time.sleep(0.02)
            run = started.wait()
            sim.stop()
        seen = [n for n in seen if n is not None]
        half = len(seen) // 2
        f.true(f"{name}: looked often", len(seen) >= 10, f"({len(seen)})")
        # 4 connections come and go; what leaks would be 100 files at the end
        f.between(f"{name}: files of the second half", max(seen[half:]), 1, max(seen[:half]) + 4)
        f.between(f"{name}: files at all", max(seen), 1, 40)
        f.equal(f"{name}: counts", [run.level["counts"][k] for k in ("ok", "failed")], [100, 100])
        f.equal(f"{name}: class", run.level["counts"]["failures"], {"http-status": 100})
        pages = {failure_text(s) for s in run.samples if s["failure"]}
        f.true(f"{name}: first bytes of the page", all(p.startswith("HTTP status 502: <html>") for p in pages), pages)
        summary = sim.lines("summary")[0]
        # 4, the control connection, and those whose end the server has not yet seen; leaked ones would be 100
        f.between(f"{name}: connections at once, server", summary["open_connections_max"], 1, 5 if options else 20)
        f.equal(f"{name}: connections opened", run.level["observed"]["connections_opened_count"], 4 if options else 200)
        went(f, run, 0)


def b044_429_is_counted_and_not_tried_again(f):
    with Sim("--fault", "status:429@1", "--fault", "retry-after:2@1", *SIM) as sim:
        run = load(sim.url, *ONE, "--requests", "3")
        sim.stop()
    f.equal("requests at the server", len(sim.lines("arrival")), 3)
    f.equal("statuses", [s["http_status"] for s in run.samples], [429, 200, 200])
    f.between("429 took, ms", ms(run.samples[0]["stream_end_ns"]), 0.001, 1500)
    f.true("the text says when", "HTTP status 429, retry after 2 s" in failure_text(run.samples[0]), failure_text(run.samples[0]))
    arrivals = [line["at_ns"] for line in sim.lines("arrival")]
    f.between("the next one did not wait 2 s, ms", ms(arrivals[1] - arrivals[0]), 0, 1900)
    f.equal("counts", [run.level["counts"][k] for k in ("ok", "failed")], [2, 1])


def http_date(seconds_from_now):
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds_from_now)
    return at.strftime("%a, %d %b %Y %H:%M:%S GMT")


def b057_retry_after_in_every_form(f):
    rows = [("3", (3, 3)), (http_date(600), (540, 600)), (http_date(-600), (0, 0)), ("0.5", None), ("", None),
            ("1234567890" * 4, None), ("-1", None)]
    for value, want in rows:
        tape = "".join(
            f"for request {number}\n    send \"HTTP/1.1 {status} No\\r\\nRetry-After: {value}\\r\\nContent-Length: 0\\r\\n\\r\\n\"\n"
            for number, status in ((1, 429), (2, 503)))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "tape")
            path.write_text(tape)
            with Sim("--tape", path) as sim:
                run = load(sim.url, *ONE, "--requests", "2")
        f.equal(f"'{value}' statuses", [s["http_status"] for s in run.samples], [429, 503])
        for sample in run.samples:
            text = failure_text(sample)
            if want is None:
                f.equal(f"'{value}'", text, f"HTTP status {sample['http_status']}")
            else:
                head, _, rest = text.partition(", retry after ")
                f.equal(f"'{value}' text", head, f"HTTP status {sample['http_status']}")
                f.between(f"'{value}' seconds", int(rest.split(" s")[0]), *want)
        f.equal(f"'{value}' exit", run.exit, 1)


def b045_a_timeout_keeps_its_time(f):
    with Sim("--fault", "silent@4", *SIM) as sim:
        run = load(sim.url, *ONE, "--requests", "10", "--first-byte-timeout", "700ms")
    f.equal("fourth", failure_class(run.samples[3]), "first-byte-timeout")
    f.between("its time, ms", ms(run.samples[3]["stream_end_ns"]), 700, 3000)
    e2e = run.level["times"]["e2e"]["from_start"]
    # three gaps of 4 ms: no good answer is faster
    for name in ("ok", "with_failures"):
        f.between(f"{name}: minimum, ms", e2e[name]["min_ms"], 12, 1000)
    f.equal("with failures", [e2e["with_failures"][k] for k in ("count", "failed_count")], [10, 1])
    f.equal("mean and maximum of an endless one", [e2e["with_failures"][k] for k in ("mean_ms", "max_ms")], [None, None])
    f.equal("p99 falls on it", [percentile(e2e["with_failures"], 99)[k] for k in ("is_failed", "value_ms")], [True, None])
    f.equal("p90 does not", percentile(e2e["with_failures"], 90)["is_failed"], False)


# ---- counting ----------------------------------------------------------------------------------


def table_rows(text):
    return [line.split() for line in text.splitlines()]


def b049_failures_are_shown_everywhere(f):
    rows = [("a tenth", ("--fault", "status:500@every:10"), 36, 4, "10"), ("none", (), 40, 0, "0")]
    for name, faults, ok, failed, percent in rows:
        with Sim(*faults, *SIM, "--slots", "2") as sim, tempfile.TemporaryDirectory() as folder:
            shared = ["load", sim.url, "--clients", "2", *QUICK, "--requests", "40", "--max-error-rate", "50%"]
            levels, requests, report = (pathlib.Path(folder, n) for n in ("levels.csv", "requests.csv", "report.json"))
            shown = command(*shared, "--levels-csv", levels, "--requests-csv", requests, "--output", report)
            row = next((r for r in table_rows(shown.stdout) if r[:2] == ["2", str(ok)]), None)
            want = [str(failed)] + ([f"({percent}%)"] if failed else [])
            f.equal(f"{name}: terminal", row and row[2:2 + len(want)], want)
            f.equal(f"{name}: the class on the terminal", f"{failed} http-status" in shown.stdout, failed > 0)
            f.true(f"{name}: standard error", f"{ok} ok, {failed} failed, 0 cut" in shown.stderr, shown.stderr)
            f.equal(f"{name}: why", "HTTP status 500: a simulated failure" in shown.stdout, failed > 0)
            counts = json.loads(report.read_text())["levels"][0]["counts"]
            f.equal(f"{name}: JSON", [counts["failed"], counts["error_percent"]], [failed, float(percent)])
            cells = list(csv.DictReader(io.StringIO(levels.read_text())))[0]
            f.equal(f"{name}: CSV", [cells["failed"], cells["error_percent"]], [str(failed), percent])
            each = list(csv.DictReader(io.StringIO(requests.read_text())))
            f.equal(f"{name}: CSV of requests", sum(r["failure"] == "http-status" for r in each), failed)


def b051_zero_stays_zero(f):
    rows = [("500", ("--fault", "status:500")), ("no text", ("--fault", "nothing"))]
    for name, fault in rows:
        with Sim(*fault, *SIM) as sim:
            run = load(sim.url, *ONE, "--requests", "12")
        level = run.level
        f.equal(f"{name}: counts", [level["counts"][k] for k in ("issued", "ok", "failed", "error_percent")], [12, 0, 12, 100])
        for window in ("steady", "whole"):
            w = level["throughput"][window]
            if w is not None:
                f.equal(f"{name}: {window}", [w["ended_count"], w["requests_per_second"]], [0, 0])
        for figure in ("ttft", "e2e"):
            for part in ("ok", "with_failures"):
                t = level["times"][figure]["from_start"][part]
                f.equal(f"{name}: {figure} {part}", [t["mean_ms"], t["min_ms"], t["max_ms"]], [None] * 3)
                f.true(f"{name}: {figure} percentiles", all(p["value_ms"] is None for p in t["percentiles"]))
        f.true(f"{name}: noted", "all-failed" in level["notes"], level["notes"])
        f.exit(run, 1)


def b055_failures_up_to_a_limit_are_no_failure(f):
    rows = [("1 of 100, 2 %", "@50", "2%", 0), ("1 of 100, 0.5 %", "@50", "0.5%", 1), ("1 of 100, standard", "@50", None, 0),
            ("all, 100 %", "", "100%", 1)]
    for name, which, limit, want in rows:
        with Sim("--fault", "status:500" + which, *SIM, "--slots", "4") as sim:
            run = load(sim.url, "--clients", "4", *QUICK, "--requests", "100", *(["--max-error-rate", limit] if limit else []))
        f.equal(f"{name}: failed", run.level["counts"]["failed"], 1 if which else 100)
        went(f, run, want)


def b056_a_missed_gate_leaves_everything(f):
    with Sim(*SIM, "--slots", "2") as sim, tempfile.TemporaryDirectory() as folder:
        names = {"--output": "report.json", "--samples": "s.jsonl", "--levels-csv": "l.csv", "--requests-csv": "r.csv"}
        options = [part for k, v in names.items() for part in (k, pathlib.Path(folder, v))]
        for attempt in range(3):
            run = command("load", sim.url, "--clients", "2", *QUICK, "--requests", "40", "--slo", "ttft.p50<=1us", *options)
            if run.returncode != 3:
                break
            for name in names.values():
                pathlib.Path(folder, name).unlink()
        f.equal("exit", run.returncode, 1)
        report = json.loads(pathlib.Path(folder, "report.json").read_text())
        f.equal("report", [report["is_partial"], report["levels"][0]["counts"]["ok"], report["levels"][0]["verdict"]], [False, 40, "fail"])
        f.equal("samples", len(pathlib.Path(folder, "s.jsonl").read_text().splitlines()), 40)
        f.equal("CSV", [len(pathlib.Path(folder, n).read_text().splitlines()) for n in ("l.csv", "r.csv")], [2, 41])
        f.true("table", "fail: 40 of 40 over" in run.stdout, run.stdout)
        f.equal("report is valid", command("validate", pathlib.Path(folder, "report.json")).returncode, 0)


# ---- limits ------------------------------------------------------------------------------------


def b052_every_limit_is_shown_and_long(f):
    with Sim("--token-time", "150ms") as sim:
        slow = ("--clients", "1", "--prompt-tokens", "24", "--output-tokens", "20", "--warm-up", "0", "--requests", "1")
        whole = load(sim.url, *slow)
        cut = load(sim.url, *slow, "--timeout", "600ms", "--first-byte-timeout", "500ms", "--idle-timeout", "400ms",
                   "--connect-timeout", "300ms", "--drain", "200ms", "--idle-wait", "5s")
    # a stream of 19 x 150 ms under limits that nobody gave
    f.equal("long stream", [failure_class(s) for s in whole.samples], [None])
    f.between("its time, ms", ms(whole.samples[0]["e2e_ns"]), 2850, 20000)
    limits = whole.report["run"]["limits"]
    f.equal("standard, s", {k: v / 1e9 for k, v in limits.items() if k.endswith("_ns")},
            {"connect_ns": 10, "first_token_ns": 600, "idle_ns": 120, "total_ns": 3600, "drain_ns": 10, "idle_wait_ns": 30})
    f.true("body", limits["body_max_bytes"] >= 1 << 20, limits)
    f.equal("asked, ms", {k: v / 1e6 for k, v in cut.report["run"]["limits"].items() if k.endswith("_ns")},
            {"connect_ns": 300, "first_token_ns": 500, "idle_ns": 400, "total_ns": 600, "drain_ns": 200, "idle_wait_ns": 5000})
    f.equal("cut stream", [failure_class(s) for s in cut.samples], ["total-timeout"])
    f.between("cut at, ms", ms(cut.samples[0]["stream_end_ns"]), 600, 2500)


# ---- nothing to hope for -----------------------------------------------------------------------


def b054_a_server_that_refuses_all_ends_it_early(f):
    # /props says llama-server, so its own fields are sent; this server refuses them
    with Sim("--fault", "strict", *SIM, "--slots", "4") as sim, tempfile.NamedTemporaryFile("w") as prompts:
        prompts.write("one\ntwo\n")
        prompts.flush()
        options = ("--clients", "4", "--output-tokens", "4", "--prompts", prompts.name)
        run = load(sim.url, *options, "--duration", "60s", deadline_s=30)
        shown = command("load", sim.url, *options, "--duration", "60s")
        early = load(sim.url, "--clients", "8", *options[2:], "--requests", "50", deadline_s=30)
        good = load(sim.url, *options, "--server", "openai", "--requests", "8")
        sim.stop()
    f.exit(run, 1)
    f.equal("ended by", run.level["observed"]["ended_by"], "hopeless")
    f.between("requests", len(run.samples), 8, 12)
    f.true("standard output is one document", run.report is not None and run.stdout.strip().startswith("{"))
    for what, text in (("with --json", run.stderr), ("with a table", shown.stderr)):
        said = [line for line in text.splitlines() if "HTTP status 400: " in line]
        f.equal(f"{what}: one message", len(said), 1)
        f.true(f"{what}: with the server's text", said and "given up" in said[0] and "unknown key 'ignore_eos'" in said[0], said)
    f.equal("exit with a table", shown.returncode, 1)
    # with 8 clients all of it happens in the warm-up: nothing was measured, and that is no success
    f.equal("in the warm-up", [early.exit, early.level["counts"]["issued"], early.level["observed"]["ended_by"]], [1, 0, "hopeless"])
    f.equal("without these fields", [good.level["counts"][k] for k in ("ok", "failed")], [8, 0])


class Vanishing:
    """Answers `count` requests with 404, then closes its door: nothing listens there any more."""

    def __init__(self, count):
        self.door = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.door.getsockname()[1]}"
        self.thread = threading.Thread(target=self.serve, args=(count,))
        self.thread.start()

    def serve(self, count):
        self.door.settimeout(DEADLINE_S)
        for number in range(count):
            peer, _ = self.door.accept()
            if number == count - 1:
                self.door.close()  # before the answer, so that the next one finds it closed
            with peer:
                peer.settimeout(DEADLINE_S)
                while b"\r\n\r\n" not in peer.recv(65536):
                    pass
                peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def b054_a_port_that_refuses_ends_it_early(f):
    rows = [("closed", ("--clients", "4")), ("open", ("--rate", "100/s", "--arrivals", "constant"))]
    for name, options in rows:
        server = Vanishing(2)  # /props and /v1/models
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as prompts:
            prompts.write("one\n")
            prompts.flush()
            run = load(server.url, *options, "--prompts", prompts.name, "--model", "m", "--warm-up", "0", "--duration", "60s", deadline_s=30)
        server.thread.join()
        f.exit(run, 1)
        f.equal(f"{name}: ended by", run.level["observed"]["ended_by"], "hopeless")
        f.between(f"{name}: requests", len(run.samples), 8, 16)
        f.equal(f"{name}: failures", {failure_class(s) for s in run.samples} - {"cut"}, {"refused"})
        f.true(f"{name}: message", "given up" in run.stderr and "refused" in run.stderr, run.stderr)


def a_server_that_dies_is_not_asked_without_pause(f):
    with Sim(*SIM, "--slots", "4") as sim:
        started = Started(sim.url, "--clients", "4", *QUICK, "--duration", "3s")
        f.true("it began", sim.wait_until(lambda: sim.metrics()["llamacpp:tokens_predicted_total"] > 40))
        sim.process.kill()
        run = started.wait()
    refused = [s for s in run.samples if failure_class(s) == "refused"]
    f.true("some were answered", run.level["counts"]["ok"] >= 1, run.level["counts"])
    # each of 4 clients at most every 100 ms of 3 s, and once more
    f.between("refused", len(refused), 4, 124)
    f.equal("ended by", run.level["observed"]["ended_by"], "duration")


# ---- what others left behind -------------------------------------------------------------------


def long_levels(sim, *options):
    """Two levels whose requests are cut after 300 ms, and the ms from the start of one to that of the other."""
    run = load(sim.url, "--clients", "1,2", "--prompt-tokens", "24", "--output-tokens", "1000", "--warm-up", "0", "--duration", "300ms", *options)
    starts = [level["observed"]["started_unix_ms"] for level in run.report["levels"]]
    return run, starts[1] - starts[0]


def b050_the_next_level_waits_until_the_server_is_idle(f):
    rows = [("by /slots", ()), ("by /metrics", ("--fault", "slots:501"))]
    for name, faults in rows:
        with Sim("--fault", "busy-after:1500ms", "--token-time", "50ms", "--slots", "2", *faults) as sim:
            run, between_ms = long_levels(sim)
        second = run.report["levels"][1]
        # the level took 300 ms, and the slot works 1500 ms longer than the client waited
        f.between(f"{name}: start to start, ms", between_ms, 1790, 15000)
        f.between(f"{name}: waited, ms", ms(second["observed"]["idle_wait_ns"]), 1300, 15000)
        f.equal(f"{name}: idle", [level["observed"]["server_was_idle"] for level in run.report["levels"]], [True, True])
        f.equal(f"{name}: doubts", "polluted" in second["doubts"], False)


def b050_a_server_that_stays_busy_makes_the_level_polluted(f):
    with Sim("--fault", "busy-after:20s", "--token-time", "50ms", "--slots", "2") as sim:
        run, between_ms = long_levels(sim, "--idle-wait", "400ms")
    first, second = run.report["levels"]
    f.between("start to start, ms", between_ms, 690, 10000)
    f.between("waited, ms", ms(second["observed"]["idle_wait_ns"]), 400, 5000)
    f.equal("idle", [first["observed"]["server_was_idle"], second["observed"]["server_was_idle"]], [True, False])
    f.equal("polluted", ["polluted" in first["doubts"], "polluted" in second["doubts"]], [False, True])
    f.equal("valid", second["valid"], False)
    f.exit(run, 3)


def b050_a_server_that_does_not_tell_is_not_waited_for(f):
    with Sim("--fault", "busy-after:1s", "--fault", "slots:404", "--fault", "metrics:off", "--token-time", "50ms", "--slots", "2") as sim:
        run, between_ms = long_levels(sim)
    second = run.report["levels"][1]
    f.equal("idle", second["observed"]["server_was_idle"], None)
    f.equal("polluted", "polluted" in second["doubts"], False)


def a_server_like_vllm_tells_by_its_gauges(f):
    vllm = ("--profile", "vllm", "--token-time", "50ms", "--slots", "2")
    common = ("--server", "vllm", "--warm-up", "0")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as prompts, Sim(*vllm, "--fault", "busy-after:1500ms") as sim:
        prompts.write("one\n")
        prompts.flush()
        run = load(sim.url, *common, "--clients", "1,2", "--prompts", prompts.name, "--output-tokens", "1000", "--duration", "300ms")
    second = run.report["levels"][1]
    f.equal("idle", [level["observed"]["server_was_idle"] for level in run.report["levels"]], [True, True])
    f.between("waited, ms", ms(second["observed"]["idle_wait_ns"]), 1300, 15000)
    f.equal("origin", run.report["run"]["origin"], "simulated")


def a_server_like_vllm_counts_tokens_in_its_own_way(f):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as prompts:
        prompts.write("one\n")
        prompts.flush()
        with Sim("--profile", "vllm", "--token-time", "1ms", "--fault", "usage:never", "--fault", "tokens-per-event:2") as sim:
            run = load(sim.url, "--server", "vllm", "--clients", "1", "--prompts", prompts.name, "--output-tokens", "7",
                       "--requests", "2", "--warm-up", "0")
    # seven tokens in four events, and no usage: only /tokenize knows
    f.equal("tokens", [(s["tokens"]["generated"], s["tokens"]["source"], s["text_event_count"]) for s in run.measured],
            [(7, "tokenized", 4)] * 2)


def kind_found(answers, *args):
    """What a server with these answers to GET is taken for: the load's run, what it sent, what it said, what it asked."""
    def answer(request):
        made = answers.get(request["path"]) if request["method"] == "GET" else None
        return None if made is None else plain(200, made)
    with Peer(answer=answer) as peer, tempfile.NamedTemporaryFile("w", suffix=".txt") as prompts:
        prompts.write("one\n")
        prompts.flush()
        done = subprocess.run([BINARY, "load", peer.url, "--json", "--prompts", prompts.name, "--output-tokens", "4", "--requests", "1",
                               "--warm-up", "0", *args], capture_output=True, text=True, timeout=DEADLINE_S, check=False)
    return (json.loads(done.stdout)["run"], json.loads(peer.posts[0]["body"]), done.stderr,
            [request["path"] for request in peer.requests if request["method"] == "GET"])


def models_of(owner):
    return {"object": "list", "data": [{"id": "m", "object": "model", "owned_by": owner, "root": "m", "max_model_len": 4096}]}


GAUGES = b"# HELP vllm:num_requests_running n\n# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine=\"0\"} 0.0\n"
OTHERS = b"# HELP other_total as vllm:num_requests_running\nother_vllm:num_requests_running 1.0\nother_total 1.0\n"


def a_server_that_is_vllm_is_recognised(f):
    rows = [("owner", {"/v1/models": models_of("vllm")}, (), "vllm", "/v1/models says owned_by vllm", "note: the server is taken for vLLM"),
            ("metrics", {"/v1/models": models_of("me"), "/metrics": GAUGES}, (), "vllm", "/metrics names vllm:...",
             "note: the server is taken for vLLM"),
            ("neither", {"/v1/models": models_of("vllm-like"), "/metrics": OTHERS}, (), "openai",
             "neither /props nor /v1/models nor /metrics tells another kind", "note: the server is taken for one that knows standard"),
            ("told", {"/v1/models": models_of("vllm"), "/metrics": GAUGES}, ("--server", "openai"), "openai", None, "")]
    for name, answers, args, kind, because, note in rows:
        run, sent, said, asked = kind_found(answers, *args)
        f.equal(f"{name}: dialect", run["dialect"], f"{kind} /v1/chat/completions")
        f.equal(f"{name}: because", run.get("server_recognised_by"), because)
        f.equal(f"{name}: fields of vLLM", [key in sent for key in ("ignore_eos", "min_tokens")], [kind == "vllm"] * 2)
        f.equal(f"{name}: it is said", ["the server is taken for" in said, note in said], [because is not None, True])
        if name == "told":
            f.equal("told: no end points beyond those of OpenAI", asked, ["/props", "/v1/models"])


def a_server_that_is_simulated_is_recognised_by_its_profile(f):
    for profile, because in (("vllm", "/metrics names vllm:..."), ("llama-server", "it answers /props as a llama-server does")):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as prompts, Sim("--profile", profile, "--token-time", "1ms") as sim:
            prompts.write("one\n")
            prompts.flush()
            run = load(sim.url, "--prompts", prompts.name, "--output-tokens", "4", "--requests", "2", "--warm-up", "0")
        f.equal(f"{profile}: dialect", run.report["run"]["dialect"], f"{profile} /v1/chat/completions")
        f.equal(f"{profile}: because", run.report["run"].get("server_recognised_by"), because)


class Silent:
    """What is usual of a server, but neither /slots nor /metrics ever answers."""

    def __init__(self):
        self.peer = Peer(answer=self.answer)
        self.over = threading.Event()

    def answer(self, request):
        if request["path"] in ("/slots", "/metrics"):
            self.over.wait(60)
        return None


def a_server_that_is_too_slow_to_tell_is_said_to_be(f):
    silent = Silent()
    with silent.peer as peer, tempfile.NamedTemporaryFile("w", suffix=".txt") as prompts:
        prompts.write("one\n")
        prompts.flush()
        done = subprocess.run([BINARY, "load", peer.url, "--json", "--server", "vllm", "--model", "m", "--clients", "1", "--prompts",
                               prompts.name, "--output-tokens", "4", "--requests", "1", "--warm-up", "0"],
                              capture_output=True, text=True, timeout=DEADLINE_S, check=False)
        silent.over.set()
    f.true("it is said", "too slow to tell" in done.stderr, done.stderr)
    observed = json.loads(done.stdout)["levels"][0]["observed"]
    f.equal("idle", observed["server_was_idle"], None)
    f.between("waited, ms", ms(observed["idle_wait_ns"]), 10000, 40000)


def b050_ctrl_c_ends_the_wait(f):
    with Sim("--fault", "slots:busy", *SIM) as sim:
        started = Started(sim.url, *ONE, "--requests", "3", "--idle-wait", "60s")
        sim.wait_until(lambda: sim.log_path.exists(), 1)
        time.sleep(1)
        began = time.monotonic()
        started.process.send_signal(signal.SIGINT)
        run = started.wait(30)
        took = time.monotonic() - began
        sim.stop()
    f.exit(run, 130)
    f.between("seconds until the end", took, 0, 15)
    f.equal("requests", [len(run.samples), len(sim.lines("arrival"))], [0, 0])
    f.equal("marked", [run.report["is_partial"], run.level["observed"]["ended_by"]], [True, "interrupted"])


if __name__ == "__main__":
    sys.exit(main([(name, check) for name, check in list(globals().items())
                   if name[:4].strip("b_").isdigit() or name.startswith("a_server")],
                  beside=("too_slow_to_tell", "dies_is_not_asked", "ctrl_c_ends_the_wait")))
