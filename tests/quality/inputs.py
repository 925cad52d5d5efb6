"""`suite` refuses what is wrong before it asks anybody: exit code 2, the place, nothing written.
TAP."""

import json
import os
import subprocess
import tempfile

from suites import BINARY, CASES, RIGHT, answering, case, document, main, write
from peers import Peer

ORIGINAL = {
    "schema_version": "1.0", "id": "small", "license": "Apache-2.0",
    "quality_cases": [{"id": "a", "prompt": "[capital] Which city?", "accepted_answers": ["Paris"],
                       "match_mode": "trimmed-exact"}],
    "performance": {"prompt": "Go on.", "generation_tokens": 8, "repetitions": 5, "warmups": 1},
}
NOWHERE = "http://127.0.0.1:1"


def start(folder, words):
    return subprocess.run([BINARY, "suite", *words], capture_output=True, text=True, timeout=30,
                          cwd=folder)


def suites():
    """Name, text of the file, and what the message names."""
    good = document()
    yield "no JSON", "{", "line 1"
    yield "no document", "[]", "suite.json"
    yield "no cases", {**good, "cases": []}, "$.cases"
    yield "unknown member", {**good, "extra": 1}, "extra"
    yield "one id twice", {**good, "cases": [CASES[0], CASES[0]]}, "$.cases[1].id"
    yield "an answer that is no number", {**good, "cases": [case("a", "p", "x", "g", "number")]}, "$.cases[0].accepted_answers[0]"
    yield "an expression that is none", {**good, "cases": [case("a", "p", "(", "g", "regex")]}, "$.cases[0].accepted_answers[0]"
    yield "an unknown mode", {**good, "cases": [case("a", "p", "x", "g", "fuzzy")]}, "$.cases[0].match_mode"
    yield "no tokens", {**good, "sampling": {"max_tokens": 0, "seed": 1, "temperature": 0.0}}, "$.sampling.max_tokens"
    yield "a deep one", "{\"a\":" * 2000, "suite.json"


def a_wrong_suite_is_refused_with_its_place(f):
    with Peer() as peer:
        for name, text, place in suites():
            with tempfile.TemporaryDirectory() as folder:
                write(os.path.join(folder, "suite.json"), text)
                done = start(folder, [peer.url, "--suite", "suite.json", "--output", "r.json", "--csv", "r.csv"])
                f.equal(name, (done.returncode, done.stdout, sorted(os.listdir(folder))),
                        (2, "", ["suite.json"]))
                f.true(f"{name}: place", place in done.stderr, done.stderr)
        f.equal("requests", len(peer.requests), 0)


ARGUMENTS = (
    ([], "URL"),
    ([NOWHERE], "--suite"),
    (["ftp://x", "--suite", "s.json"], "http://"),
    (["a b=http://x", "--suite", "s.json"], "name"),
    (["a=http://x", "a=http://y", "--suite", "s.json"], "two endpoints are called 'a'"),
    (["url-2=http://x", "http://y", "--suite", "s.json"], "two endpoints"),
    (["a=http://x", "--suite", "s.json", "--reference", "b"], "no endpoint is called 'b'"),
    (["a=http://x", "--suite", "s.json", "--model-file", "b=m.gguf"], "no endpoint is called 'b'"),
    (["http://x", "--suite", "s.json", "--passes", "0"], "--passes"),
    (["http://x", "--suite", "s.json", "--clients", "1000000"], "--clients"),
    (["http://x", "--suite", "s.json", "--min-score", "1"], "below 1"),
    (["http://x", "--suite", "s.json", "--min-score", "0"], "above 0"),
    (["http://x", "--suite", "s.json", "--min-score", "80%"], "--min-score"),
    (["http://x", "--suite", "s.json", "--certify"], "--min-score"),
    (["http://x", "--suite", "s.json", "--min-retention", "0.9"], "two or more"),
    (["http://x", "--suite", "s.json", "--fidelity"], "two or more"),
    (["http://x", "http://y", "--suite", "s.json", "--fidelity"], "contexts"),
    (["http://x", "--suite", "s.json", "--timeout", "0s"], "--timeout"),
    (["http://x", "--suite", "s.json", "--timeout", "5"], "--timeout"),
    (["http://x", "--suite", "missing.json"], "missing.json"),
    (["http://x", "--suite", "s.json", "--system-prompt", "no"], "schema 1.0"),
    (["http://x", "--suite", "s.json", "--evaluation", "e.json", "--candidate", "q4"], "performance"),
    (["http://x", "--suite", "o.json", "--system-prompt", "@none"], "none"),
    (["http://x", "--suite", "o.json", "--evaluation", "e.json"], "--candidate"),
    (["http://x", "--suite", "o.json", "--candidate", "q4"], "--evaluation"),
    (["http://x", "--suite", "o.json", "--evaluation", "e.json", "--candidate", "q4", "--passes", "2"], "one pass"),
    (["http://x", "http://y", "--suite", "o.json", "--evaluation", "e.json", "--candidate", "q4"], "one endpoint"),
    (["http://x", "--suite", "s.json", "--output", "s.json"], "exists already"),
    (["http://x", "--suite", "s.json", "--output", "r", "--csv", "r"], "the same file"),
    (["http://x", "--suite", "s.json", "--output", "no/where.json"], "no folder"),
    (["http://x", "--suite", "s.json", "--api-key-env", "NOT_SET_HERE"], "NOT_SET_HERE"),
    (["http://x", "--suite", "s.json", "--api-key-env", "A", "--api-key-file", "b"], "exclude"),
    (["--pool", "a.json", "--pool", "b.json"], "--evaluation"),
    (["--pool", "s.json", "--evaluation", "e.json"], "2 to 8"),
    (["--pool", "s.json", "--pool", "./s.json", "--evaluation", "e.json"], "the same file"),
    (["--pool", "s.json", "--pool", "o.json", "--evaluation", "e.json"], "s.json"),
    (["http://x", "--pool", "s.json", "--pool", "o.json", "--evaluation", "e.json"], "no URL"),
    (["--pool", "s.json", "--pool", "o.json", "--evaluation", "e.json", "--passes", "2"], "--passes"),
    ([NOWHERE, "--suite", "s.json", "--output", "r.json"], "nothing accepts connections"),
    ([NOWHERE, "--suite", "s.json", "--model-file", "s.json"], "nothing accepts connections"),
)


def a_wrong_command_line_is_refused(f):
    for words, text in ARGUMENTS:
        with tempfile.TemporaryDirectory() as folder:
            write(os.path.join(folder, "s.json"), document())
            write(os.path.join(folder, "o.json"), ORIGINAL)
            done = start(folder, words)
            f.equal(f"{words}", (done.returncode, done.stdout, sorted(os.listdir(folder))),
                    (2, "", ["o.json", "s.json"]))
            f.true(f"{words}", text in done.stderr, done.stderr)


# ---- evaluations of the original -----------------------------------------------------------------

def evaluate(folder, sim, name, *args):
    return start(folder, [sim.url, "--suite", "o.json", "--evaluation", name, "--candidate", "q4",
                          "--quiet", *args])


def an_evaluation_holds_answers_and_latencies_and_is_pooled(f):
    with tempfile.TemporaryDirectory() as folder, answering(RIGHT) as sim:
        write(os.path.join(folder, "o.json"), ORIGINAL)
        write(os.path.join(folder, "prompt"), "Be brief.\n")
        for name in ("1.json", "2.json"):
            f.equal(name, evaluate(folder, sim, name, "--system-prompt", "@prompt").returncode, 0)
        done = start(folder, ["--pool", "1.json", "--pool", "2.json", "--evaluation", "p.json"])
        f.equal("pool", done.returncode, 0)
        one, pooled = (json.load(open(os.path.join(folder, n))) for n in ("1.json", "p.json"))
        for name in ("1.json", "p.json"):
            done = subprocess.run([BINARY, "validate", name], cwd=folder, capture_output=True)
            f.equal(f"{name} is valid", done.returncode, 0)
        sim.stop()
    f.equal("candidate", one["candidate_id"], "q4")
    f.equal("synthetic", one["synthetic"], True)
    f.equal("score", (one["quality"]["passed"], one["quality"]["total"]), (1, 1))
    samples = one["latency"]["samples"]
    f.equal("samples", [s["predicted_tokens"] for s in samples], [8] * 5)
    f.equal("events", [s["event_count"] for s in samples], [9] * 5)  # one each, and the end
    for s in samples:
        f.true("seven token times of 1 ms at least", s["e2e_latency_ms"] - s["ttft_ms"] >= 6.9, s)
    f.equal("pooled", (len(pooled["latency"]["samples"]), pooled["suite"]["performance_warmups"]), (10, 2))


def no_evaluation_is_better_than_a_wrong_one(f):
    """Requests 1 is the case; 2 is the warm-up; 3 to 7 are measured."""
    rows = (("status:500@1", "case 'a'"), ("status:500@2", "warmup latency request 1"),
            ("short-answer:7@5", "expected 8 generated tokens, got 7"),
            ("not-streamed@7", "no stream"), ("error:data@4", "measured latency request 2"))
    for fault, text in rows:
        with tempfile.TemporaryDirectory() as folder, answering(RIGHT, "--fault", fault) as sim:
            write(os.path.join(folder, "o.json"), ORIGINAL)
            done = evaluate(folder, sim, "e.json", "--output", "r.json", "--csv", "r.csv")
            f.equal(fault, (done.returncode, done.stdout, os.listdir(folder)), (2, "", ["o.json"]))
            f.true(fault, text in done.stderr, done.stderr)


if __name__ == "__main__":
    raise SystemExit(main([(f.__name__.replace("_", " "), f) for f in (
        a_wrong_suite_is_refused_with_its_place,
        a_wrong_command_line_is_refused,
        an_evaluation_holds_answers_and_latencies_and_is_pooled,
        no_evaluation_is_better_than_a_wrong_one,
    )]))
