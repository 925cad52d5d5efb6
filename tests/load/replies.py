"""Replies as servers really give them: cut anywhere, whole instead of streamed, late after a sleep,
with progress in front. TAP."""

import json
import random
import re
import socket
import subprocess
import sys
import threading
import time

from harness import BINARY, Sim, load, main, went
from peers import Peer, Prompts, chat_events, chunk, plain

SHORT = ("--prompt-tokens", "32", "--output-tokens", "4")


# ---- one object instead of a stream --------------------------------------------------------------

def b174_a_reply_that_is_no_stream_is_flagged_and_has_no_first_token(f):
    for fault in (("not-streamed",), ("not-streamed", "content-type:text/event-stream"),
                  ("not-streamed", "content-type:text/plain")):
        args = [word for name in fault for word in ("--fault", name)]
        with Sim("--token-time", "1ms", "--prefill", "1us", *args) as sim:
            run = load(sim.url, "--requests", "4", *SHORT)
        went(f, run)
        for s in run.measured:
            f.true(f"{fault}: flag", "not-streamed" in s["flags"], s["flags"])
            f.equal(f"{fault}: TTFT, gaps", (s["ttft_ns"], s["gaps_ns"]), (None, []))
            f.equal(f"{fault}: tokens", s["tokens"]["generated"], 4)
        ttft = run.level["times"]["ttft"]
        f.equal(f"{fault}: undefined", (ttft["undefined_count"], ttft["from_start"]["ok"]["count"]),
                (4, 0))


# ---- zero and nothing ----------------------------------------------------------------------------

def timed(value):
    """A stream whose server tells times of `value`, a JSON text."""
    def answer(request):
        if request["method"] != "POST":
            return None
        last = (b'data: {"choices":[],"timings":{"cache_n":0,"prompt_n":5,"prompt_ms":%s,'
                b'"predicted_n":2,"predicted_ms":%s}}\n\n' % (value, value))
        events = [e for e in chat_events(2) if b"usage" not in e]
        body = b"".join(map(chunk, [*events[:-1], last, events[-1]]))
        return (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n" + body + b"0\r\n\r\n")
    return answer


def b097_zero_is_a_value_and_null_is_none(f):
    with Prompts() as prompts:
        for text, want in ((b"0.0", 0.0), (b"0", 0.0), (b"null", None)):
            with Peer(answer=timed(text)) as peer:
                run = load(peer.url, "--requests", "2", "--prompts", prompts, "--output-tokens", "2")
            went(f, run)
            for s in run.measured:
                f.equal(f"times of {text}", (s["server"]["prompt_ms"], s["server"]["predicted_ms"]),
                        (want, want))
                f.equal(f"cached of {text}", s["tokens"]["cached"], 0)
                f.equal(f"drafts of {text}", s["server"]["draft_tokens"], None)


# ---- cuts ----------------------------------------------------------------------------------------

HEAD = (b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
        b"Connection: close\r\n\r\n")


def odd_chunks():
    """Sizes in upper-case hex with extensions and leading zeros, edges inside events, a trailer."""
    data = b"".join(chat_events(2))
    sizes = [1, 27, 10, 171, 2]
    out, at = b"", 0
    for i, size in enumerate([*sizes, len(data) - sum(sizes)]):
        out += b"%s%X%s\r\n" % (b"00" * (i % 2), size, [b"", b";name=value", b' ; q="a;b"'][i % 3])
        out += data[at:at + size] + b"\r\n"
        at += size
    return HEAD + out + b"0;last\r\nX-Sum: 7\r\nX-More: a\r\n\r\n"


class Cutter:
    """Answers the n-th request with the first pieces[n] bytes in so many writes, and closes."""

    def __init__(self, reply, plans):
        self.reply, self.plans = reply, plans
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        posts = iter(self.plans)
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            with peer:
                peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self.answer(peer, posts)

    def answer(self, peer, posts):
        got = b""
        while b"\r\n\r\n" not in got:
            got += peer.recv(65536)
        head, _, body = got.partition(b"\r\n\r\n")
        length = re.search(rb"(?i)content-length: (\d+)", head)
        while length and len(body) < int(length[1]):
            body += peer.recv(65536)
        if not got.startswith(b"POST"):
            peer.sendall(plain(404, {}, b"Connection: close\r\n"))
            return
        at = 0
        for end in next(posts, [len(self.reply)]):
            peer.sendall(self.reply[at:end])
            at = end
            if len(self.reply) > at:
                time.sleep(0.0005)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


def cut_run(reply, plans):
    with Cutter(reply, plans) as server, Prompts() as prompts:
        return load(server.url, "--server", "openai", "--model", "m", "--requests", str(len(plans)),
                    "--warm-up", "0", "--prompts", prompts, "--output-tokens", "2")


def b175_a_reply_that_is_cut_anywhere_is_a_failure(f):
    """A body whose chunk of size 0 has come is whole (RFC 9112, 8); when only the trailer is cut,
    both outcomes are right."""
    reply = odd_chunks()
    enough = reply.index(b"0;last\r\n") + len(b"0;last\r\n")
    plans = [[end] for end in range(len(reply))] + [[len(reply)]]
    run = cut_run(reply, plans)
    f.equal("requests", len(run.measured), len(plans))
    for cut, s in zip(range(len(plans)), run.measured):
        if enough <= cut < len(reply):
            continue
        whole = cut == len(reply)
        f.equal(f"cut behind {cut} bytes", s["status"], "ok" if whole else "failed")
        if not whole and s["failure"]:
            f.true(f"class behind {cut}", s["failure"]["class"] in ("premature-end", "reset",
                                                                    "protocol"), s["failure"])
        f.true(f"text behind {cut} bytes", s["text_bytes"] in (0, 3, 6), s["text_bytes"])
    f.equal("text of the whole", run.measured[-1]["text_bytes"], 6)
    texts = [s["text_bytes"] for s in run.measured]
    f.true("what arrived is kept", texts == sorted(texts), texts)


def b175_a_reply_in_two_writes_is_the_same_wherever_it_is_split(f):
    reply = odd_chunks()
    plans = [[at, len(reply)] for at in range(1, len(reply))] + [list(range(1, len(reply) + 1))]
    run = cut_run(reply, plans)
    f.equal("requests", len(run.measured), len(plans))
    for plan, s in zip(plans, run.measured):
        f.equal(f"split at {plan[:2]}", (s["status"], s["text_bytes"], s["tokens"]["generated"],
                                         s["text_sha256"]),
                ("ok", 6, 2, run.measured[0]["text_sha256"]))


def b175_framing_of_a_simulated_server_in_all_forms(f):
    for fault, good in (("odd-chunks", True), ("chunk-size:1", True), ("chunk-size:7", True),
                        ("write-size:1", True), ("read-to-close", True), ("no-last-chunk", False)):
        with Sim("--token-time", "1ms", "--prefill", "1us", "--fault", fault) as sim:
            run = load(sim.url, "--requests", "3", *SHORT)
        went(f, run) if good else f.exit(run, 1)
        f.equal(f"{fault}: ok", run.level["counts"]["ok"], 3 if good else 0)
        f.equal(f"{fault}: classes", run.level["counts"]["failures"],
                {} if good else {"premature-end": 3})


# ---- servers that are not ready ------------------------------------------------------------------

def b177_a_sleeping_server_is_named_and_woken_by_the_warm_up(f):
    """/health is 200, /props says that it sleeps, the first answer comes after 1.5 s."""
    for warmup in ("1", "0"):
        with Sim("--token-time", "1ms", "--prefill", "1us", "--fault", "sleeping", "--fault",
                 "slow:1500ms@first:1") as sim:
            f.equal("health", sim.get("/health")[0], 200)
            out = subprocess.run([BINARY, "load", sim.url, "--json", "--requests", "3", "--warm-up",
                                  warmup, *SHORT], capture_output=True, text=True, timeout=60)
        report = json.loads(out.stdout)
        f.equal("the report says it", report["run"].get("server_was_sleeping"), True)
        f.true("it is said", "the server sleeps" in out.stderr, out.stderr)
        f.equal("and that the warm-up takes it", "which the warm-up takes" in out.stderr, warmup == "1")
        worst = report["levels"][0]["times"]["ttft"]["from_start"]["ok"]["max_ms"]
        f.between(f"largest TTFT with {warmup} warm-ups, ms", worst, *(
            (0, 1400) if warmup == "1" else (1500, 30000)))
    with Sim("--token-time", "1ms", "--prefill", "1us") as sim:
        run = load(sim.url, "--requests", "1", *SHORT)
        f.true("nothing is said of one that is awake", "server_was_sleeping" not in run.report["run"])


def b179_progress_events_are_no_tokens(f):
    with Sim("--token-time", "1ms", "--prefill", "1ms", "--fault", "progress:10") as sim:
        run = load(sim.url, "--requests", "3", *SHORT)
        sim.stop()
        went(f, run)
        for s in run.measured:
            f.equal("events with text", s["text_event_count"], 4)
            f.equal("tokens", s["tokens"]["generated"], 4)
            f.true("progress was there", s["event_count"] >= 14, s["event_count"])
            f.between("TTFT is behind the prompt, ms", s["ttft_ns"] / 1e6, 31, 20000)


# ---- large bodies --------------------------------------------------------------------------------

def b180_a_prompt_of_2_mib_is_sent_at_once(f):
    """The server never sends 100. libcurl would wait a second for it."""
    words = random.Random(1).choices(["alpha ", "beta ", "gamma "], k=1)
    text = (words[0] * (2 << 20))[:2 << 20]
    with Peer() as peer, Prompts(json.dumps({"prompt": text}) + "\n") as prompts:
        run = load(peer.url, "--requests", "5", "--warm-up", "0", "--prompts", prompts)
        went(f, run)
        f.equal("sizes", {len(json.loads(r["body"])["messages"][0]["content"]) for r in peer.posts},
                {2 << 20})
        f.true("no request expects anything", all("expect" not in r["headers"] for r in peer.posts))
        f.true("the fastest took no second", min(s["ttft_ns"] for s in run.measured) < 900e6,
               [s["ttft_ns"] for s in run.measured])


CHECKS = [(name.replace("_", " "), check) for name, check in list(globals().items())
          if re.match(r"b\d", name)]

if __name__ == "__main__":
    sys.exit(main(CHECKS))
