"""What must be shown of a stall: of the server, of the client, and of a load that is interrupted. TAP.

The algebra of a stall (B075): at 50/s for 10 s, 500 requests are due 20 ms apart. Those due while
nothing moves for D wait until its end, the first one D, the next D - 20 ms, ... Nearest rank of the
99th percentile is ceil(0.99 x 500) = 495, the sixth largest: D - 5 x 20 ms, and up to 20 ms more or
less for where the first one falls. For D = 1 s that is 0.90 s. A closed loop of one client would
have had one slow request, and a p99 of some milliseconds."""

import json
import pathlib
import signal
import sys
import tempfile
import time

from harness import BINARY, Sim, Started, load, main, ms  # noqa: F401

PROMPT = ("--prompt-tokens", "24")
SIM = ("--prefill", "10us", "--token-time", "2ms", "--slots", "200")
OPEN = ("--rate", "50/s", "--arrivals", "constant", "--duration", "10s", "--warm-up", "0", *PROMPT, "--output-tokens", "4")
SERVICE_MS = 6  # 3 x 2 ms, and 0.24 ms of prompt


def p99(run, way, name="e2e"):
    figures = run.level["times"][name][way]["with_failures"]
    return next(p["value_ms"] for p in figures["percentiles"] if p["percent"] == 99)


def stop_client(started, sim):
    """Stops it for a second in its middle; the true time in ms."""
    sim.wait_until(lambda: sim.metrics()["llamacpp:tokens_predicted_total"] >= 4 * 150, 20)
    began = time.monotonic()
    started.process.send_signal(signal.SIGSTOP)
    time.sleep(1)
    started.process.send_signal(signal.SIGCONT)
    return (time.monotonic() - began) * 1e3


def check_server(f, run):
    f.equal("server: requests", [run.level["counts"][k] for k in ("issued", "ok")], [500, 500])
    f.between("server: p99 from due, ms", p99(run, "from_due"), 850, 950)
    f.between("server: p50 from due, ms", run.level["times"]["e2e"]["from_due"]["ok"]["percentiles"][0]["value_ms"], SERVICE_MS, 100)
    # 50 of the 500 were due while nothing moved; those of the last 100 ms do not show it
    slow = sum(s["started_ns"] + s["e2e_ns"] - s["scheduled_ns"] > 100e6 for s in run.samples)
    f.between("server: requests that saw it", slow, 43, 60)


def check_client(f, run, stopped_ms):
    f.equal("client: requests", [run.level["counts"][k] for k in ("issued", "ok")], [500, 500])
    f.between("client: p99 from due, ms", p99(run, "from_due"), stopped_ms - 150, stopped_ms - 50)
    f.between("client: p99 from start, ms", p99(run, "from_start"), SERVICE_MS, 250)
    f.equal("client: valid", run.level["valid"], False)
    f.true("client: doubts", {"stalled", "late"} <= set(run.level["doubts"]), run.level["doubts"])
    f.between("client: stall, ms", ms(run.level["observed"]["stall_ns_max"]), stopped_ms - 50, stopped_ms + 100)
    f.exit(run, 3)


def once(f):
    """Both at the same time, each against a server of its own; true when only a neighbour can be blamed."""
    with Sim(*SIM, "--stall", "4s:1s") as stalling, Sim(*SIM) as steady:
        loads = Started(stalling.url, *OPEN), Started(steady.url, *OPEN)
        stopped_ms = stop_client(loads[1], steady)
        server, client = (started.wait(60) for started in loads)
    check_server(f, server)
    check_client(f, client, stopped_ms)
    return not server.level["valid"] or stopped_ms > 1100


def b075_a_stall_of_server_and_of_client(f):
    for _ in range(2):
        f.clear()
        if not once(f) or not f:
            return


# ---- interrupted -------------------------------------------------------------------------------


def interrupted_loads():
    yield "closed", ("--clients", "4")
    yield "open", ("--rate", "100/s")
    yield "first of two levels", ("--clients", "4,8")


def b143_a_signal_in_the_middle_keeps_what_was_measured(f):
    for number, want in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        for name, options in interrupted_loads():
            with Sim(*SIM) as sim, tempfile.TemporaryDirectory() as folder:
                report = pathlib.Path(folder, "report.json")
                started = Started(sim.url, *options, "--duration", "60s", *PROMPT, "--output-tokens", "4", "--output", report)
                sim.wait_until(lambda: sim.metrics()["llamacpp:tokens_predicted_total"] >= 200, 20)
                started.process.send_signal(number)
                run = started.wait(30)
                saved = json.loads(report.read_text())
                sim.stop()
            what = f"{name}, {number.name}"
            f.exit(run, want)
            f.equal(f"{what}: partial", [run.report["is_partial"], saved["is_partial"]], [True, True])
            f.equal(f"{what}: levels", len(run.report["levels"]), 1)
            f.equal(f"{what}: ended by", [run.level["observed"]["ended_by"], "interrupted" in run.level["notes"]], ["interrupted", True])
            f.between(f"{what}: requests that ended well", run.level["counts"]["ok"], 30, 100000)
            f.equal(f"{what}: what was in flight could end", run.level["counts"]["cut"], 0)
            f.equal(f"{what}: every request is a sample", len(run.samples), len(sim.lines("arrival")))


def b143_a_second_ctrl_c_does_not_wait(f):
    with Sim("--fault", "silent@after:4", *SIM) as sim:
        started = Started(sim.url, "--clients", "4", "--duration", "60s", "--drain", "60s", *PROMPT, "--output-tokens", "4")
        sim.wait_until(lambda: sim.metrics()["paretopilot_sim:open_requests"] >= 4, 20)
        time.sleep(0.2)
        started.process.send_signal(signal.SIGINT)
        time.sleep(0.7)
        f.equal("it waits after the first", started.process.poll(), None)
        began = time.monotonic()
        started.process.send_signal(signal.SIGINT)
        run = started.wait(30)
        f.between("seconds until the end", time.monotonic() - began, 0, 10)
    f.exit(run, 130)
    f.equal("counts", [run.level["counts"][k] for k in ("warmup", "issued", "cut")], [4, 4, 4])
    f.equal("partial", run.report["is_partial"], True)
    for sample in run.measured:
        f.between("time of a cut request, ms", ms(sample["stream_end_ns"]), 850, 60000)


def b143_the_wait_after_the_first_is_bounded(f):
    with Sim("--fault", "silent", *SIM) as sim:
        started = Started(sim.url, "--clients", "4", "--duration", "60s", "--drain", "500ms", "--warm-up", "0", *PROMPT, "--output-tokens", "4")
        sim.wait_until(lambda: sim.metrics()["paretopilot_sim:open_requests"] >= 4, 20)
        began = time.monotonic()
        started.process.send_signal(signal.SIGINT)
        run = started.wait(30)
        f.between("seconds until the end", time.monotonic() - began, 0.5, 10)
    f.exit(run, 130)
    f.equal("counts", [run.level["counts"][k] for k in ("issued", "ok", "cut")], [4, 0, 4])


if __name__ == "__main__":
    sys.exit(main([(name, check) for name, check in list(globals().items()) if name[:1] == "b" and name[1:4].isdigit()]))
