"""Schedule, number in flight, warm-up and ends: what the server saw is held against what was asked. TAP."""

import os
import pty
import signal
import subprocess
import sys
import tempfile
import termios
import time

from harness import BINARY, DEADLINE_S, Sim, Started, load, main, ms

PROMPT = ("--prompt-tokens", "24")
# Answers of one token that come at once.
INSTANT = ("--prefill", "1us", "--slots", "1000")


def arrivals(sim):
    return [line["at_ns"] for line in sim.lines("arrival")]


def open_maximum(sim):
    return sim.lines("summary")[0]["open_requests_max"]


# ---- rate --------------------------------------------------------------------------------------


def b060_everything_asked_is_issued(f):
    with Sim(*INSTANT) as sim:
        run = load(sim.url, "--rate", "500/s", "--arrivals", "constant", "--duration", "4s", "--warm-up", "0", *PROMPT,
                   "--output-tokens", "1", "--keep-alive")
        sim.stop()
    rate = run.level["arrivals"]
    f.equal("issued", run.level["counts"]["issued"], 2000)
    f.equal("at the server", len(arrivals(sim)), 2000)
    f.equal("planned", run.level["observed"]["planned_count"], 2000)
    f.equal("asked", rate["asked_per_second"], 500)
    # overshoot that adds up loses 8 % (183.5 of 200); one late request at an end loses little
    f.between("delivered", rate["delivered_per_second"], 485, 515)
    seconds = (arrivals(sim)[-1] - arrivals(sim)[0]) / 1e9
    f.between("server saw, 1/s", 1999 / seconds, 485, 515)
    due = [s["scheduled_ns"] for s in run.samples]
    f.equal("due every 2 ms", {b - a for a, b in zip(due, due[1:])}, {2_000_000})


def b060_a_poisson_rate_is_issued_as_drawn(f):
    with Sim(*INSTANT) as sim:
        runs = [load(sim.url, "--rate", "500/s", "--duration", "2s", "--warm-up", "0", *PROMPT, "--output-tokens", "1",
                     "--seed", "11", "--workers", workers) for workers in ("1", "3")]
        sim.stop()
    drawn = [[s["scheduled_ns"] - run.level["observed"]["measured_at_ns"] for s in run.samples] for run in runs]
    f.equal("workers change nothing", drawn[0] == drawn[1], True)
    f.equal("issued", [r.level["counts"]["issued"] for r in runs], [r.level["observed"]["planned_count"] for r in runs])
    f.equal("at the server", len(arrivals(sim)), sum(len(d) for d in drawn))
    # 1000 expected, deviation sqrt(1000) = 31.6
    f.between("drawn", len(drawn[0]), 840, 1160)


def b062_a_rate_beyond_the_client_is_marked(f):
    # 4000 requests within 20 ms: 5 us each, which is less than writing one takes
    with Sim("--null") as sim, tempfile.NamedTemporaryFile("w") as prompts:
        prompts.write("one\n")
        prompts.flush()
        run = load(sim.url, "--rate", "200000/s", "--arrivals", "constant", "--requests", "4000", "--warm-up", "0",
                   "--prompts", prompts.name, "--keep-alive", "--max-error-rate", "100%")
    level = run.level
    f.equal("issued", level["counts"]["issued"], 4000)  # late, but none is left out (F79)
    f.true("doubt", "schedule-not-kept" in level["doubts"], level["doubts"])
    f.equal("valid", level["valid"], False)
    f.between("delivered of drawn", level["arrivals"]["delivered_per_second"] / level["arrivals"]["drawn_per_second"], 0, 0.98)
    f.between("lateness, ms", level["times"]["lateness"]["max_ms"], 1, 60000)


def b071_overload_is_named(f):
    # a request takes 24 x 0.4 + 4 x 10 = 49.6 ms: 20.2/s; asked 40/s for 3 s
    with Sim("--prefill", "400us", "--token-time", "10ms") as sim:
        run = load(sim.url, "--rate", "40/s", "--arrivals", "constant", "--duration", "3s", "--drain", "30s", "--warm-up", "0", *PROMPT,
                   "--output-tokens", "5", "--slo", "e2e.p50<=1h")
    level, times = run.level, run.level["times"]
    f.equal("issued", [level["counts"]["issued"], level["counts"]["ok"]], [120, 120])
    f.equal("named", [level["arrivals"]["is_overloaded"], "overloaded" in level["notes"]], [True, True])
    thirds = level["arrivals"]["in_flight_thirds"]
    f.true("it grows", thirds[0] * 1.25 < thirds[1] and thirds[1] * 1.25 < thirds[2], thirds)
    # request k is due at 25 k ms and ends at 49.6 (k + 1): k = 59 is 1.50 s late, k = 119 3.0 s
    due = times["e2e"]["from_due"]["ok"]
    f.between("p50 from due, ms", next(p["value_ms"] for p in due["percentiles"] if p["percent"] == 50), 1450, 4000)
    f.between("maximum from due, ms", due["max_ms"], 2970, 9000)
    # what the server takes for a token stands beside, and did not grow
    tpot = times["tpot"]["ok"]
    f.between("time of a token p50, ms", next(p["value_ms"] for p in tpot["percentiles"] if p["percent"] == 50), 9.5, 25)
    f.equal("a demand that every request met does not pass", [level["verdicts"][0]["violation_count"], level["verdict"]], [0, "undecided"])
    f.exit(run, 3)


def b067_from_due_is_never_below_from_start(f):
    with Sim("--stall", "500ms:500ms", "--token-time", "2ms", "--slots", "100") as sim:
        started = Started(sim.url, "--rate", "50/s", "--arrivals", "constant", "--duration", "3s", "--warm-up", "0", *PROMPT,
                          "--output-tokens", "3")
        f.true("it began", sim.wait_until(lambda: sim.metrics()["llamacpp:tokens_predicted_total"] > 150, 10))
        started.process.send_signal(signal.SIGSTOP)
        time.sleep(0.5)
        started.process.send_signal(signal.SIGCONT)
        run = started.wait()
    for name in ("ttft", "e2e"):
        pair = [run.level["times"][name][way]["ok"]["percentiles"] for way in ("from_start", "from_due")]
        for start, due in zip(*pair):
            f.true(f"{name} p{start['percent']}", due["value_ms"] >= start["value_ms"], f"{due['value_ms']} < {start['value_ms']}")
    for s in run.samples:
        f.true(f"request {s['index']} began before it was due", s["started_ns"] >= s["scheduled_ns"])
    # what waited in a client that stood still for 500 ms is seen only from the instant due: at 50/s
    # 25 of 150 requests were late by 480, 460, ... ms, so the 8th of them, p95, by 340 ms
    late = [next(p["value_ms"] for p in run.level["times"]["lateness"]["percentiles"] if p["percent"] == 95)]
    f.between("lateness p95, ms", late[0], 300, 3000)
    with_, without = (next(p["value_ms"] for p in run.level["times"]["e2e"][w]["ok"]["percentiles"] if p["percent"] == 95)
                      for w in ("from_due", "from_start"))
    f.true("p95 with it is not less", with_ >= without, (with_, without))


# ---- number in flight --------------------------------------------------------------------------


def b063_never_more_than_asked(f):
    for workers in ("1", "3"):
        with Sim("--slots", "64", "--token-time", "5ms", "--jitter", "exponential") as sim:
            run = load(sim.url, "--clients", "32", "--requests", "320", "--workers", workers, *PROMPT, "--output-tokens", "4")
            sim.stop()
        f.equal(f"{workers} workers: most at once, server", open_maximum(sim), 32)
        f.equal(f"{workers} workers: most at once, client", run.level["observed"]["in_flight_max"], 32)
        f.equal(f"{workers} workers: requests", len(arrivals(sim)), 352)  # 32 to warm up


def in_flight_mean(sim, clients):
    """At the server, from the first instant with all clients to the last arrival."""
    steps = sorted([(line["at_ns"], 1) for line in sim.lines("arrival")] + [(line["at_ns"], -1) for line in sim.lines("end")])
    open_, area, since, last_arrival = 0, 0, None, arrivals(sim)[-1]
    for (at, step), (following, _) in zip(steps, steps[1:]):
        open_ += step
        since = since or (at if open_ == clients else None)
        if since and at < last_arrival:
            area += open_ * (min(following, last_arrival) - at)
    return area / (last_arrival - since)


def b066_an_end_starts_the_next(f):
    with Sim("--slots", "8", "--token-time", "5ms", "--fault", "slow:300ms@every:8") as sim:
        load(sim.url, "--clients", "8", "--requests", "120", "--warm-up", "0", *PROMPT, "--output-tokens", "4", "--keep-alive")
        sim.stop()
    f.equal("requests", len(arrivals(sim)), 120)
    # in waves of 8, 300 ms each: (320 + 7 x 20) / 320 = 1.4 in the mean
    f.between("mean number in flight of 8, server", in_flight_mean(sim, 8), 6, 8)


# ---- warm-up -----------------------------------------------------------------------------------


def b068_any_warm_up_ends(f):
    with tempfile.NamedTemporaryFile("w") as prompts:
        prompts.write("one\ntwo\nthree\n")
        prompts.flush()
        for warmup in (1, 0, 10):  # of 4 clients; above the 3 prompts
            with Sim("--slots", "4", "--token-time", "2ms") as sim:
                run = load(sim.url, "--clients", "4", "--requests", "12", "--warm-up", str(warmup), "--prompts", prompts.name,
                           "--output-tokens", "3", deadline_s=30)
                sim.stop()
            counts = run.level["counts"]
            f.equal(f"warm-up {warmup}: counts", [counts[k] for k in ("warmup", "issued", "ok")], [warmup, 12, 12])
            f.equal(f"warm-up {warmup}: at the server", len(arrivals(sim)), warmup + 12)


def g62_the_warm_up_covers_every_client(f):
    rows = [("standard", (), 4, 0), ("2 for 4 clients", ("--warm-up", "2"), 2, 2)]
    for name, options, warmup, cold in rows:
        # the first request of each connection takes 400 ms longer
        with Sim("--slots", "4", "--token-time", "2ms", "--fault", "cold:400ms") as sim:
            run = load(sim.url, "--clients", "4", "--requests", "40", *PROMPT, "--output-tokens", "3", "--keep-alive", *options)
        slow = [s for s in run.samples if s["ttft_ns"] >= 400_000_000]
        f.equal(f"{name}: warm-up is reported", run.level["counts"]["warmup"], warmup)
        f.equal(f"{name}: warm-up is not measured", run.level["counts"]["issued"], 40)
        f.equal(f"{name}: cold ones while warming up", sum(s["phase"] == "warmup" for s in slow), warmup)
        f.equal(f"{name}: cold ones that were measured", sum(s["phase"] == "measured" for s in slow), cold)


def g63_the_warm_up_keeps_to_the_clients(f):
    rows = [("closed", ("--clients", "3", "--workers", "2"), 3), ("open", ("--rate", "50/s"), 1)]
    for name, options, want in rows:
        with Sim("--slots", "16", "--token-time", "10ms") as sim:
            run = load(sim.url, *options, "--requests", "1", "--warm-up", "12", *PROMPT, "--output-tokens", "4")
            sim.stop()
        # one measured request: more than one at once can only be the warm-up
        f.equal(f"{name}: most at once, server", open_maximum(sim), want)
        f.equal(f"{name}: requests", [len(arrivals(sim)), run.level["counts"]["warmup"]], [13, 12])


# ---- prompts -----------------------------------------------------------------------------------


def b069_few_prompts_are_used_again_and_none_is_an_error(f):
    for count in (0, 1, 3):
        with tempfile.NamedTemporaryFile("w") as prompts:
            prompts.write("".join(f"prompt {i}\n" for i in range(count)))
            prompts.flush()
            with Sim("--token-time", "2ms") as sim:
                run = load(sim.url, "--clients", "2", "--requests", "10", "--warm-up", "0", "--prompts", prompts.name,
                           "--output-tokens", "3", deadline_s=30)
                sim.stop()
        if count == 0:
            f.exit(run, 2)
            f.true("0: message", prompts.name in run.stderr and "expected prompts, got an empty file" in run.stderr, run.stderr)
            f.equal("0: at the server", len(arrivals(sim)), 0)
        else:
            want = [f"prompt-{i % count + 1:05}" for i in range(10)]
            f.equal(f"{count}: prompts in turn", [s["prompt_id"] for s in run.samples], want)
            f.equal(f"{count}: ok", run.level["counts"]["ok"], 10)


def b069_prompts_that_do_not_fit_are_refused(f):
    with tempfile.NamedTemporaryFile("w") as prompts:
        prompts.write(("many words " * 40 + "\n") * 3)
        prompts.flush()
        rows = [("a file", ("--prompts", prompts.name)), ("generated", ("--prompt-tokens", "128"))]
        for name, options in rows:
            with Sim("--ctx-size", "64") as sim:
                run = load(sim.url, "--clients", "2", "--requests", "10", *options, "--output-tokens", "4", deadline_s=30)
                sim.stop()
            f.exit(run, 2)
            f.true(f"{name}: message", "context" in run.stderr and "64" in run.stderr, run.stderr)
            f.equal(f"{name}: at the server", len(arrivals(sim)), 0)


# ---- threads and outputs that hang -------------------------------------------------------------


def b074_many_workers_survive_a_stop(f):
    with Sim("--slots", "16", "--token-time", "2ms") as sim:
        started = Started(sim.url, "--rate", "8/s", "--arrivals", "constant", "--requests", "10", "--workers", "16", "--warm-up", "0",
                          *PROMPT, "--output-tokens", "3")
        f.true("it began", sim.wait_until(lambda: sim.metrics()["llamacpp:tokens_predicted_total"] >= 3, 10))
        started.process.send_signal(signal.SIGSTOP)
        time.sleep(2)
        started.process.send_signal(signal.SIGCONT)
        run = started.wait(30)
        sim.stop()
    f.equal("all came", [run.level["counts"][k] for k in ("issued", "ok")], [10, 10])
    f.equal("at the server", len(arrivals(sim)), 10)
    f.true("doubts", {"stalled", "late"} <= set(run.level["doubts"]), run.level["doubts"])
    f.between("stall, ms", ms(run.level["observed"]["stall_ns_max"]), 1900, 20000)
    f.equal("valid", run.level["valid"], False)
    f.exit(run, 3)


def fill(descriptor):
    """Until a write would wait."""
    os.set_blocking(descriptor, False)
    try:
        while True:
            os.write(descriptor, b"." * 512)
    except BlockingIOError:
        os.set_blocking(descriptor, True)


def drain(descriptor, process):
    """Read what a terminal shows until the process has ended."""
    os.set_blocking(descriptor, False)
    end = time.monotonic() + DEADLINE_S
    while process.poll() is None and time.monotonic() < end:
        try:
            os.read(descriptor, 65536)
        except (BlockingIOError, OSError):
            time.sleep(0.01)
    return process.poll() is not None


def b151_a_terminal_that_hangs_does_not_slow_the_load(f):
    master, slave = pty.openpty()
    attributes = termios.tcgetattr(slave)
    attributes[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, attributes)
    fill(slave)  # the first line of progress waits
    with Sim(*INSTANT) as sim:
        # no --quiet: the running figures go to the terminal twice a second
        process = subprocess.Popen([BINARY, "load", sim.url, "--rate", "100/s", "--arrivals", "constant", "--duration", "3s",
                                    "--warm-up", "0", *PROMPT, "--output-tokens", "1"], stdout=slave, stderr=slave)
        f.true("all came while nobody read", sim.wait_until(lambda: sim.metrics()["llamacpp:tokens_predicted_total"] >= 300, 30))
        f.equal("it waits for the terminal", process.poll(), None)
        f.true("it ends when it is read", drain(master, process))
        sim.stop()
    os.close(master)
    os.close(slave)
    at = arrivals(sim)
    f.equal("at the server", len(at), 300)
    f.between("from first to last, ms", ms(at[-1] - at[0]), 2900, 6000)


if __name__ == "__main__":
    sys.exit(main([(name, check) for name, check in list(globals().items()) if name[:3].strip("bg").isdigit()]))
