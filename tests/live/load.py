"""load.py LLAMA_SERVER MODEL - `load` against the real llama-server with a model of ours.

The server's own totals are the truth: /metrics says how many tokens of prompts it has computed, those
from a cache left out, and how many it has generated. Warm-ups are among both.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "load"))
import harness  # noqa: E402
from llama_server import LlamaServer  # noqa: E402

PROGRAM, MODEL = sys.argv[1:3]
SLOTS, CONTEXT = 4, 512  # of each slot


class Server(LlamaServer):
    def __init__(self):
        super().__init__(PROGRAM, MODEL, "--ctx-size", str(SLOTS * CONTEXT), "--parallel", str(SLOTS),
                         "--metrics", "--no-webui")

    def totals(self):
        """Tokens of prompts computed, tokens generated, since its start."""
        found = {}
        for line in self.get("/metrics").splitlines():
            if not line.startswith("#"):
                name, value = line.split()
                found[name] = float(value)
        return [int(found["llamacpp:" + name]) for name in ("prompt_tokens_total", "tokens_predicted_total")]


def computed(samples):
    """What the server should have counted for these requests."""
    return [sum(s["tokens"]["prompt"] - s["tokens"]["cached"] for s in samples),
            sum(s["tokens"]["generated"] for s in samples)]


def add_up(f, run):
    """Every level's counts are those of its samples, and no request is lost between them."""
    for level in run.report["levels"]:
        counts, number = level["counts"], level["number"]
        of = [s for s in run.samples if s["level"] == number and s["phase"] == "measured"]
        cut = [s for s in of if s["failure"] and s["failure"]["class"] == "cut"]
        ok = [s for s in of if s["status"] == "ok"]
        f.equal(f"level {number}: issued", counts["issued"], len(of))
        f.equal(f"level {number}: ok, failed, cut", (counts["ok"], counts["failed"], counts["cut"]),
                (len(ok), len(of) - len(ok) - len(cut), len(cut)))
        f.equal(f"level {number}: ok + failed + cut", counts["ok"] + counts["failed"] + counts["cut"],
                counts["issued"])
        f.equal(f"level {number}: numbers", sorted(s["index"] for s in of), list(range(1, len(of) + 1)))


def counted(f, server, *args):
    """A load; its tokens held against the totals of the server."""
    before = server.totals()
    run = harness.load(server.url, "--pid", str(server.process.pid), *args)
    harness.went(f, run)
    f.equal("the server's tokens of prompts and answers", computed(run.samples),
            [b - a for a, b in zip(before, server.totals())])
    add_up(f, run)
    return run


def asked_lengths(f, run, prompt, answer):
    f.equal("tokens of prompts", {s["tokens"]["prompt"] for s in run.samples}, {prompt})
    # llama-server may go on for a character of several bytes, three tokens at most (F43)
    beyond = {s["tokens"]["generated"] - answer for s in run.samples}
    f.true("tokens of answers", beyond <= {0, 1, 2, 3}, f"{answer} and {beyond} more")


def closed_loop(f, server):
    run = counted(f, server, "-c", "1,2,4", "-n", "8", "--prompt-tokens", "60", "--output-tokens", "24")
    f.equal("levels", [level["asked"]["clients"] for level in run.report["levels"]], [1, 2, 4])
    f.equal("requests, warm-up included", len(run.samples), (8 + 1) + (8 + 2) + (8 + 4))
    f.equal("all well", {s["status"] for s in run.samples}, {"ok"})
    asked_lengths(f, run, 60, 24)
    f.equal("origin", run.report["run"]["origin"], "synthetic-weights")
    f.equal("dialect", run.report["run"]["dialect"], "llama-server /v1/chat/completions")
    for level in run.report["levels"]:
        f.between("at once", level["observed"]["in_flight_max"], 1, level["asked"]["clients"])


def open_loop(f, server):
    run = counted(f, server, "-r", "8/s", "--arrivals", "constant", "-n", "12", "--prompt-tokens", "40",
                  "--output-tokens", "8")
    due = [s["scheduled_ns"] for s in run.measured]
    f.equal("due every 125 ms", {round((b - a) / 1e6) for a, b in zip(due, due[1:])}, {125})
    f.true("none begins before it is due", all(s["started_ns"] >= s["scheduled_ns"] for s in run.measured))


def endpoints(f, server):
    for api, path in (("text", "/v1/completions"), ("completion", "/completion")):
        run = counted(f, server, "--api", api, "-c", "2", "-n", "6", "--prompt-tokens", "50",
                      "--output-tokens", "12")
        asked_lengths(f, run, 50, 12)
        f.equal("dialect", run.report["run"]["dialect"], f"llama-server {path}")


def cold(f, server):
    run = counted(f, server, "--cold", "-c", "2", "-n", "8", "--prompt-tokens", "90", "--output-tokens", "4")
    cache = run.level["cache"]
    f.equal("cached tokens", {s["tokens"]["cached"] for s in run.samples}, {0})
    f.equal("is cold", (cache["is_cold"], cache["cached_tokens"]), (True, 0))
    f.equal("tokens of prompts", cache["prompt_tokens"], 8 * 90)


def warm(f, server):
    # One slot's worth of clients: the one prompt is in the cache from the warm-up on.
    run = counted(f, server, "--warm", "-c", "1", "-n", "6", "--prompt-tokens", "90", "--output-tokens", "4")
    # All but the last token, which has to be computed for the answer.
    f.equal("cached tokens", {s["tokens"]["cached"] for s in run.measured}, {89})
    f.equal("is cold", (run.level["cache"]["is_cold"], run.level["cache"]["cached_tokens"]), (False, 6 * 89))


def process_figures(f, server):
    run = harness.load(server.url, "--pid", str(server.process.pid), "-c", "2", "-n", "8",
                       "--prompt-tokens", "60", "--output-tokens", "64")
    use = run.level["observed"]["server"]
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
        now = {line.split(":")[0]: line.split()[1] for line in status if line.startswith("Vm")}
    f.between("resident memory", use["rss_end_bytes"], 1 << 20, int(now["VmHWM"]) * 1024)
    f.between("peak", use["rss_peak_bytes"], use["rss_end_bytes"], int(now["VmHWM"]) * 1024)
    span_s = (run.level["observed"]["ended_at_ns"] - run.level["observed"]["measured_at_ns"]) / 1e9
    # Ticks of 10 ms at both ends
    f.between("CPU seconds", use["cpu_seconds"], 0.01, span_s * os.cpu_count() + 0.02)


def cut(f, server):
    run = harness.load(server.url, "-c", "3", "-d", "1s", "--prompt-tokens", "40", "--output-tokens", "400")
    harness.went(f, run)
    add_up(f, run)
    f.equal("ended by", run.level["observed"]["ended_by"], "duration")
    f.between("cut", run.level["counts"]["cut"], 1, 3)
    f.equal("failed", run.level["counts"]["failed"], 0)
    f.true("the server has given up what was cut", idle(server))


def idle(server, seconds=10):
    """No slot has work left."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        slots = json.loads(server.get("/slots"))
        if not any(slot["is_processing"] for slot in slots):
            return True
        time.sleep(0.1)
    return False


def validated(f, folder, *names):
    for name in names:
        done = subprocess.run([harness.BINARY, "validate", name], cwd=folder, capture_output=True, text=True)
        f.equal(f"validate {name}", (done.returncode, done.stderr), (0, ""))


def interrupted(f, server):
    with tempfile.TemporaryDirectory(prefix="load-live-") as folder:
        names = ["report.json", "samples.jsonl", "levels.csv", "requests.csv"]
        process = subprocess.Popen(
            [harness.BINARY, "load", server.url, "-c", "1,2", "-d", "60s", "--prompt-tokens", "40",
             "--output-tokens", "32", "--drain", "20s", "-o", names[0], "--samples", names[1],
             "--levels-csv", names[2], "--requests-csv", names[3]],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        before = server.totals()
        end = time.monotonic() + 30
        # the warm-up of the first level and a dozen requests behind it
        while time.monotonic() < end and server.totals()[1] < before[1] + 12 * 32:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        f.equal("exit code", process.returncode, 130)
        f.equal("files", sorted(os.listdir(folder)), sorted(names))
        with open(os.path.join(folder, names[0]), encoding="utf-8") as file:
            report = json.load(file)
        with open(os.path.join(folder, names[1]), "rb") as file:
            samples = [json.loads(line) for line in file.read().split(b"\n") if line]
        f.equal("partial", report["is_partial"], True)
        f.equal("levels", [level["observed"]["ended_by"] for level in report["levels"]], ["interrupted"])
        f.true("the level says so", "interrupted" in report["levels"][0]["notes"])
        add_up(f, harness.Run(130, json.dumps(report), err, samples))
        f.equal("cut: nothing, for there was time", report["levels"][0]["counts"]["cut"], 0)
        f.between("requests", report["levels"][0]["counts"]["ok"], 10, 10000)
        f.true("the table says partial", "interrupted" in out, out)
        f.equal("tokens", computed(samples), [b - a for a, b in zip(before, server.totals())])
        with open(os.path.join(folder, names[3]), encoding="utf-8") as file:
            f.equal("rows of requests.csv", len(file.read().splitlines()), 1 + len(samples))
        validated(f, folder, *names[:2])


def too_long(f, server):
    with tempfile.TemporaryDirectory(prefix="load-live-") as folder:
        path = os.path.join(folder, "report.json")
        run = harness.load(server.url, "--prompt-tokens", "500", "--output-tokens", "64", "-n", "1", "-o", path)
        f.equal("exit code", run.exit, 2)
        f.true("says what does not fit", f"500 prompt and up to 64 output tokens do not fit the server's "
               f"context of {CONTEXT} tokens per slot" in run.stderr, run.stderr)
        f.equal("written", (os.listdir(folder), run.samples), ([], []))


def main():
    with Server() as server:
        return harness.main([(check.__name__.replace("_", " "), lambda f, check=check: check(f, server))
                             for check in (closed_loop, open_loop, endpoints, cold, warm, process_figures,
                                           cut, interrupted, too_long)])


if __name__ == "__main__":
    sys.argv = [sys.argv[0], *sys.argv[3:]]
    sys.exit(main())
