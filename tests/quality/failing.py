"""`suite` against servers that fail: each failure is a result with its class, and leaves the score
open; a signal keeps what came; a key is never shown. TAP."""

import json
import os
import signal
import subprocess
import tempfile
import time

from suites import BINARY, RIGHT, answering, command, document, main, suite
from peers import Peer

KEY = "sk-Zq83-secret-0123456789"

# The second case, "planet", is the one that fails.
FAULTS = (
    ("status:429@2", "http-status", "429"),
    ("status:500@2", "http-status", "500"),
    ("error:data@2", "stream-error", "simulated failure"),
    ("error:field@2", "stream-error", "simulated failure"),
    ("silent@2", "first-byte-timeout", ""),
    ("head-only@2", "first-byte-timeout", ""),
    ("wrong-length:1@2", "premature-end", "closed before the reply was whole"),
    ("wrong-length:-1@2", "protocol", "line 1"),
    ("gzip@2", "encoding", "compressed"),
)


def each_failure_has_its_class_and_leaves_the_score_open(f):
    for fault, name, text in FAULTS:
        with answering(RIGHT, "--fault", fault) as sim:
            run = suite(sim.url, "--timeout", "1s")
        f.exit(run, 3)
        f.equal(fault, [n for n, o in run.outcomes().items() if o == "failed"], ["planet"])
        failure = run.results()["planet"]["failure"]
        f.true(f"{fault}: class", failure.startswith(name + ":") and text in failure, failure)
        score = run.endpoint()["score"]
        f.equal(f"{fault}: score", (score["score"], score["gap"]), (None, "request-failed"))
        f.equal(f"{fault}: range", (score["score_min"], score["score_max"]), (5 / 6, 1))
        f.equal(f"{fault}: counts", (score["passed"], score["open"], score["failed_requests"]),
                (5, 1, 1))


def what_the_model_leaves_out_is_missed_and_not_failed(f):
    for fault in ("nothing@2", "tool-calls@2", "reasoning:64@2"):
        with answering(RIGHT, "--fault", fault) as sim:
            run = suite(sim.url)
        f.exit(run, 0)
        f.equal(fault, (run.outcomes()["planet"], run.results()["planet"]["answer"]), ("missed", ""))
        f.equal(f"{fault}: score", run.endpoint()["score"]["score"], 5 / 6)


def another_content_type_does_no_harm_where_the_body_is_a_reply(f):
    with answering(RIGHT, "--fault", "content-type:text/plain") as sim:
        run = suite(sim.url)
    f.equal("score", run.endpoint()["score"]["score"], 1)


def reply(status, kind, body):
    return (b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            % (status, kind, len(body)) + body)


def replies_that_are_none_are_refused_with_their_place(f):
    rows = (
        (b"text/html", b"<html><body>Welcome</body></html>", "protocol", "text/html"),
        (b"application/json", b'{"choices": []}', "protocol", "expected exactly one, got 0"),
        (b"application/json", b'{"choices":[{"message":{"content":"a\xff"}}]}', "protocol", "line 1"),
        (b"application/json", b'{"choices":[{"message":{"content":7}}]}', "protocol",
         "$.choices[0].message.content"),
        (b"application/json", b"[" * 5000, "protocol", "line 1"),
        (b"application/json", b"", "protocol", "line 1"),
        (b"text/event-stream", b'data: {"choices":[{"delta":{"content":"Paris"}}]}\n\n', "protocol",
         "text/event-stream"),
    )
    for kind, body, name, text in rows:
        with Peer(answer=lambda r: reply(b"200 OK", kind, body) if r["method"] == "POST" else None) as peer:
            run = suite(peer.url)
        f.exit(run, 3)
        f.equal(f"{body[:30]}: outcomes", set(run.outcomes().values()), {"failed"})
        failure = run.results()["sum"]["failure"]
        f.true(f"{body[:30]}", failure.startswith(name + ":") and text in failure, failure)


def a_strict_server_gets_only_what_it_knows(f):
    known = {"messages", "max_tokens", "seed", "temperature", "stream", "model"}

    def answer(request):
        if request["method"] != "POST":
            return None
        extra = sorted(set(json.loads(bytes(request["body"]))) - known)
        if extra:
            return reply(b"400 No", b"application/json", json.dumps({"error": f"unknown {extra}"}).encode())
        return reply(b"200 OK", b"application/json", b'{"choices":[{"message":{"content":"Paris"}}]}')
    with Peer(answer=answer) as peer:
        run = suite(peer.url)
    f.exit(run, 0)
    f.equal("kind", run.endpoint()["server"]["kind"], "openai")
    f.equal("score", run.endpoint()["score"]["score"], 1 / 6)
    f.equal("not told", run.results()["sum"]["output_tokens"], None)


def the_body_holds_what_the_original_sends(f):
    seen = []

    def answer(request):
        if request["method"] != "POST":
            return None
        seen.append(bytes(request["body"]))
        return reply(b"200 OK", b"application/json", b'{"choices":[{"message":{"content":"Paris"}}]}')
    with Peer(answer=answer) as peer:
        run = suite(peer.url, "--model", "m-1")
    f.exit(run, 0)
    f.equal("body", seen[0],
            b'{"messages":[{"role":"system","content":"Answer briefly."},{"role":"user","content":'
            b'"[capital] Which city is the capital of France?"}],"max_tokens":16,"seed":7,'
            b'"temperature":0,"stream":false,"model":"m-1"}')


def a_signal_keeps_what_came(f):
    """The third case hangs; by then two have been answered."""
    with answering(RIGHT, "--fault", "silent@3") as sim, tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "report.json")
        words = command(folder, document(), [f"a={sim.url}", f"b={sim.url}"], "--output", out)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)  # the second one does not wait for the hanging request
        shown, err = process.communicate(timeout=30)
        f.equal("exit", process.returncode, 130)
        f.true("report", os.path.exists(out), err)
        report = json.load(open(out))
        f.equal("valid", subprocess.run([BINARY, "validate", out], capture_output=True).returncode, 0)
    f.equal("partial", report["is_partial"], True)
    rows = report["endpoints"][0]["passes"][0]["results"]
    f.equal("first endpoint", [r["outcome"] for r in rows],
            ["matched", "matched", "failed", "failed", "failed", "failed"])
    f.equal("never asked", [r["latency_ns"] for r in rows[3:]], [None, None, None])
    f.equal("second endpoint", {r["failure"] for r in report["endpoints"][1]["passes"][0]["results"]},
            {"cut: never asked"})
    f.true("said", "interrupted" in shown, shown)


def a_key_is_sent_and_never_shown(f):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "key")
        with open(path, "w") as file:
            file.write(KEY + "\n")
        with answering(RIGHT, "--api-key-file", path) as sim:
            f.exit(suite(sim.url, "--api-key-file", path), 0)
            f.exit(suite(sim.url, "--api-key-env", "SUITE_KEY", env={"SUITE_KEY": KEY}), 0)
            without = suite(sim.url)
        f.exit(without, 2)
        f.true("what is missing", "--api-key-file" in without.stderr, without.stderr)

        def echo(request):
            """Gives the key back wherever text can stand."""
            if request["method"] != "POST":
                return None
            if b"[sum]" in bytes(request["body"]):
                return reply(b"401 No", b"application/json",
                             json.dumps({"error": {"message": f"bad key {KEY}"}}).encode())
            return reply(b"200 OK", b"application/json", json.dumps(
                {"choices": [{"finish_reason": KEY, "message": {"content": f"it is {KEY}"}}]}).encode())
        with Peer(answer=echo) as peer:
            out, table = os.path.join(folder, "r.json"), os.path.join(folder, "r.csv")
            args = ("--api-key-file", path)
            url = peer.url.replace("://", "://user:pass-word@")
            runs = [suite(peer.url, *args, "--output", out, "--csv", table),
                    suite(peer.url, *args, json_output=False), suite(url, *args)]
            f.true("sent", any(f"Bearer {KEY}" in str(r["head"]) for r in peer.requests))
        texts = [r.stdout + r.stderr for r in runs] + [open(out).read(), open(table).read()]
        for number, text in enumerate(texts):
            f.true(f"output {number}", KEY not in text and "pass-word" not in text, text[:300])
        f.true("marked", "it is [key]" in texts[0], texts[0][:300])


if __name__ == "__main__":
    raise SystemExit(main([(f.__name__.replace("_", " "), f) for f in (
        each_failure_has_its_class_and_leaves_the_score_open,
        what_the_model_leaves_out_is_missed_and_not_failed,
        another_content_type_does_no_harm_where_the_body_is_a_reply,
        replies_that_are_none_are_refused_with_their_place,
        a_strict_server_gets_only_what_it_knows,
        the_body_holds_what_the_original_sends,
        a_signal_keeps_what_came,
        a_key_is_sent_and_never_shown,
    )]))
