"""What a server may do to the framing of a stream, each fault as its public report has it. TAP.

Names begin with the number of the report; what is right follows from the bytes that the server was
told to send, and times from its own log."""

import gzip
import os
import re
import socket
import tempfile
import threading
import time

from harness import Sim, load, main, ms
from tapes import (DONE, HEAD, PAUSE, broken_off, choice, each, event, finish, plain, play, play_one, play_valid, said,
                   sha256, stream, token, usage)

PATIENCE_MS = 250  # for a busy machine, where the log of the server gives the other bound

# Three tokens, counted by the server; what every good form of them must give.
TEXT = "Hello, world"
THREE = [token("Hello"), token(","), token(" world"), finish(), usage(3), DONE]


def shape(sample):
    """All of a sample that does not depend on time, reads or keep-alives."""
    return {"status": sample["status"], "text": sample["text_sha256"], "texts": sample["text_event_count"],
            "events": sample["event_count"], "tokens": sample["tokens"]["generated"],
            "source": sample["tokens"]["source"], "finish": sample["finish"],
            "ttft": sample["ttft_ns"] is not None, "gaps": len(sample["gaps_ns"]),
            "flags": [f for f in sample["flags"] if f != "gathered"]}


def good(events=6):
    return {"status": "ok", "text": sha256(TEXT), "texts": 3, "events": events, "tokens": 3, "source": "usage",
            "finish": "length", "ttft": True, "gaps": 2, "flags": []}


THREE_TOKENS = ("--output-tokens", "3")


def b002_line_ends_and_blanks(f):
    forms = {}
    for name, end in [("LF", b"\n"), ("CRLF", b"\r\n"), ("CR", b"\r")]:
        for blank in [b" ", b""]:
            forms[f"{name}, {'a' if blank else 'no'} blank"] = [
                e.replace(b"data: ", b"data:" + blank).replace(b"\n", end) for e in THREE]
    forms["mixed"] = [e.replace(b"\n", (b"\r", b"\r\n", b"\n")[i % 3]).replace(b"data: ", (b"data:", b"data: ")[i % 2])
                      for i, e in enumerate(THREE)]
    run, _ = play(each(*(stream(*events) for events in forms.values())), "--requests", "7", *THREE_TOKENS)
    f.equal("requests", len(run.measured), 7)
    for name, sample in zip(forms, run.measured):
        f.equal(name, shape(sample), good())


def b002_faults_of_the_server(f):
    shapes = []
    for fault in [None, "no-blank", "line-end:crlf", "line-end:cr", "line-end:mixed"]:
        # one prompt and one seed: the words are the same each time
        sample, server = play_one(None, "--output-tokens", "5",
                                  sim=["--token-time", "2ms"] + (["--fault", fault] if fault else []))
        shapes.append(shape(sample))
        f.equal(f"{fault}: tokens", (sample["tokens"]["generated"], sample["text_event_count"]), (5, 5))
        f.equal(f"{fault}: as without", shapes[-1], shapes[0])


def b004_comments_and_other_fields(f):
    noise = [b": x\n", b"event: message\n", b"id: 7\n", b"retry: 10\n", b"nonsense\n", b": x\nevent: message\nid: 7\n\n"]
    steps = [piece for i, e in enumerate(THREE) for piece in (noise[i], e)]
    sample, _ = play_one(stream(*steps), *THREE_TOKENS)
    f.equal("the sample", shape(sample), good())
    f.equal("comments", sample["ping_count"], 2)


def b005_pings_do_not_feed_the_first_token_limit(f):
    reply = stream(b":\n\n", PAUSE(100), b":\n\n", PAUSE(100), b":\n\n", PAUSE(100), b":\n\n", PAUSE(100), b":\n\n",
                   PAUSE(100), *THREE)
    sample, _ = play_one(reply, "--first-byte-timeout", "300ms", *THREE_TOKENS)
    f.equal("short limit", (sample["failure"] or {}).get("class"), "first-byte-timeout")
    f.equal("no first token", sample["ttft_ns"], None)
    f.between("its elapsed time", ms(sample["stream_end_ns"]), 300, 499)
    sample, server = play_one(reply, "--first-byte-timeout", "5s", *THREE_TOKENS)
    f.equal("long limit", shape(sample), good())
    f.equal("pings", sample["ping_count"], 5)
    first = said(server)[6]  # behind the head and five pings
    f.between("TTFT", ms(sample["ttft_ns"]), first, first + PATIENCE_MS)
    f.true("it is that of the token", first >= 500, first)


def b007_empty_frames(f):
    sample, _ = play_one(stream(*[b": ping\n\n"] * 10, b"data:\n\n", b"data\n\n", *THREE), *THREE_TOKENS)
    f.equal("frames in front", shape(sample), good())
    f.equal("keep-alives", sample["ping_count"], 12)
    sample, _ = play_one(None, sim=["--fault", "comments-only"])
    f.equal("nothing else", (sample["status"], sample["event_count"], sample["ping_count"], sample["ttft_ns"]),
            ("failed", 0, 10, None))
    f.equal("its class", sample["failure"]["class"], "premature-end")


def b008_end_mark_without_a_line_end(f):
    null = event(choice({"role": "assistant", "content": None}))
    for name, end in [("none", b"data: [DONE]"), ("one", b"data: [DONE]\n"), ("blanks", b"data:[DONE]  ")]:
        sample, _ = play_one(stream(null, token("a"), null, token(" "), finish(), usage(2), end), "--output-tokens", "2")
        f.equal(f"{name}: ok", (sample["status"], shape(sample)["flags"]), ("ok", []))
        f.equal(f"{name}: a blank is text, null is none", (sample["text_event_count"], sample["text_sha256"]),
                (2, sha256("a ")))
        f.equal(f"{name}: events", sample["event_count"], 7)


def b009_cumulative_without_an_end_mark(f):
    grown = ["one", "one two", "one two six", "one two six ten"]
    sample, _ = play_one(stream(*(token(text) for text in grown), finish("stop")), "--output-tokens", "4",
                         "--server", "openai", sim=["--fault", "status:404@/tokenize"])
    f.equal("a success", (sample["status"], sample["finish"]), ("ok", "stop"))
    f.equal("flags", shape(sample)["flags"], ["no-end-mark", "tokens-estimated", "cumulative-text"])
    f.equal("the text", (sample["text_bytes"], sample["text_sha256"]), (len(grown[-1]), sha256(grown[-1])))
    sample, _ = play_one(stream(token("one")))
    f.equal("neither mark nor reason", sample["failure"] and sample["failure"]["class"], "premature-end")


def b010_error_as_a_field(f):
    reply = stream(token("a"), b'error: {"code":500,"message":"out of slots","type":"server_error"}\n\n')
    sample, _ = play_one(reply)
    f.equal("failure", sample["failure"], {"class": "stream-error", "text": "out of slots"})
    f.equal("what came", (sample["text_event_count"], sample["text_sha256"]), (1, sha256("a")))


def b011_error_then_end_mark(f):
    reply = stream(token("a"), token("b"), event({"error": {"message": "context is full", "code": 500}}), DONE)
    run, _ = play(each(reply, stream(*THREE)), "--requests", "2", *THREE_TOKENS)
    bad, fine = run.measured
    f.equal("failure", bad["failure"], {"class": "stream-error", "text": "context is full"})
    f.equal("tokens so far", (bad["text_event_count"], bad["text_sha256"]), (2, sha256("ab")))
    f.equal("the run goes on", shape(fine), good())
    f.equal("counts", (run.level["counts"]["ok"], run.level["counts"]["failed"]), (1, 1))
    f.equal("TTFT of one only", run.level["times"]["ttft"]["from_start"]["ok"]["count"], 1)
    f.equal("and an endless one", run.level["times"]["ttft"]["from_start"]["with_failures"]["failed_count"], 1)


def b012_reset_after_seven_tokens(f):
    words = [f" w{i}" for i in range(7)]
    run, _ = play(broken_off(*map(token, words), PAUSE(50), end="reset"))
    sample = run.measured[0]
    f.equal("class", sample["failure"] and sample["failure"]["class"], "reset")
    f.equal("events", (sample["event_count"], sample["text_event_count"], len(sample["gaps_ns"])), (7, 7, 6))
    f.equal("text", (sample["text_bytes"], sample["text_sha256"]), (21, sha256("".join(words))))
    f.true("its first token is kept", sample["ttft_ns"] is not None)
    f.exit(run, 1)  # all failed


def b013_arrivals_are_stamped_one_by_one(f):
    sample, server = play_one(None, "--output-tokens", "20", sim=["--prefill", "0ms", "--token-time", "50ms"])
    log = said(server)
    f.between("the server took", log[-1] - log[0], 940, 5000)
    f.between("TTFT", ms(sample["ttft_ns"]), log[0], log[0] + PATIENCE_MS)
    f.between("end", ms(sample["e2e_ns"]), log[-1], log[-1] + PATIENCE_MS)
    f.equal("gaps", len(sample["gaps_ns"]), 19)
    f.between("the smallest gap", ms(min(sample["gaps_ns"])), 10, 51)


def b015_gathered_events(f):
    five = b"".join(token(c) for c in "abcde")
    steps = [step for _ in range(8) for step in (five, PAUSE(25))]
    run, _ = play_valid(stream(*steps, finish(), usage(40), DONE), "--requests", "3", "--output-tokens", "40",
                        "--slo", "gap.p50<=1ms", "--slo", "ttft.p50<=10s")
    gaps = run.level["times"]["gaps"]
    for sample in run.measured:
        f.true("flag", "gathered" in sample["flags"], sample["flags"])
        f.between("events in a read", sample["events_per_read_max"], 5, 40)
        f.true("TTFT is kept", sample["ttft_ns"] is not None)
    f.equal("withheld", gaps["withheld"], "gathered")
    f.between("share of zero gaps", gaps["zero_gap_percent"], 100 * 32 / 39 - 0.1, 100)
    f.equal("percentiles", [p["value_ms"] for p in gaps["all"]["percentiles"] if p["value_ms"] is not None], [])
    f.equal("mean", (gaps["all"]["mean_ms"], gaps["all"]["max_ms"]), (None, None))
    f.true("note", "gathered" in run.level["notes"], run.level["notes"])
    verdict = next(v for v in run.level["verdicts"] if v["slo"].startswith("gap"))
    f.equal("no verdict on gaps", (verdict["verdict"], verdict["reason"]), ("undecided", "gathered"))
    f.equal("time per token is kept", run.level["times"]["tpot"]["ok"]["count"], 3)


def b017_an_object_over_several_lines(f):
    pretty = (b'data: {\ndata:   "choices": [\ndata:     {"index": 0,\ndata:      "delta": {"content": "Hello"}}\n'
              b"data:   ]}\n\n")
    sample, _ = play_one(stream(pretty, *THREE[1:]), *THREE_TOKENS)
    f.equal("as in one line", shape(sample), good())


def b019_compressed_although_not_asked(f):
    run, _ = play(None, sim=["--fault", "gzip"])
    sample = run.measured[0]
    f.equal("class", sample["failure"] and sample["failure"]["class"], "encoding")
    f.equal("nothing was read from it", (sample["text_event_count"], sample["tokens"]["generated"]), (0, None))
    f.exit(run, 1)
    packed = gzip.compress(b"".join(THREE))
    sample, _ = play_one([b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n"
                          b"Content-Length: %d\r\n\r\n" % len(packed) + packed])
    f.equal("with a length", sample["failure"] and sample["failure"]["class"], "encoding")


def b019_head_and_nothing_more(f):
    run, _ = play(None, "--first-byte-timeout", "200ms", sim=["--fault", "head-only"])
    sample = run.measured[0]
    f.equal("class", sample["failure"] and sample["failure"]["class"], "first-byte-timeout")
    f.equal("the head was seen", sample["http_status"], 200)
    f.between("elapsed", ms(sample["stream_end_ns"]), 200, 5000)
    f.exit(run, 1)


# ---- HTTP around the stream ----------------------------------------------------------------------


def b156_key(f):
    with tempfile.TemporaryDirectory() as folder:
        files = {"key": "sk-right-4711\n", "wrong": "sk-wrong-0815\n"}
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        right, wrong = (os.path.join(folder, name) for name in files)
        with Sim("--api-key-file", right, "--token-time", "1ms", "--prefill", "0ms") as server:
            f.equal("the server is closed", [server.get(path)[0] for path in ("/props", "/slots", "/metrics")], [401] * 3)
            few = ("--requests", "3", "--warm-up", "0", "--output-tokens", "4")
            run = load(server.url, *few)
            f.exit(run, 2)
            f.true("the message names the options", "--api-key-file" in run.stderr, run.stderr)
            run = load(server.url, *few, "--api-key-file", wrong)
            f.exit(run, 2)
            f.true("the wrong key is not told", "wrong-0815" not in run.stderr + run.stdout, run.stderr)
            for name, args, env in [("file", ("--api-key-file", right), None),
                                    ("variable", ("--api-key-env", "LOAD_TEST_KEY"), {"LOAD_TEST_KEY": "sk-right-4711"})]:
                # generated prompts: /props, /tokenize and /apply-template want the key as well
                run = load(server.url, *few, *args, env=env)
                f.equal(f"{name}: all answered", [s["status"] for s in run.samples], ["ok"] * 3)
                shown = run.stdout + run.stderr + repr(run.samples)
                f.true(f"{name}: the key is not told", "right-4711" not in shown, shown[-300:])


def b163_interim_replies(f):
    for status in ("100", "103"):
        sample, _ = play_one(None, "--output-tokens", "3", sim=["--fault", f"interim:{status}", "--token-time", "1ms"])
        f.equal(f"{status}: the reply behind it", (sample["http_status"], sample["status"]), (200, "ok"))
        f.equal(f"{status}: tokens", sample["tokens"]["generated"], 3)
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
    sample, server = play_one([early, PAUSE(60), b"HTTP/1.1 100 Continue\r\n\r\n"] + stream(*THREE), *THREE_TOKENS)
    f.equal("both, apart", (sample["http_status"], shape(sample)), (200, good()))
    f.true("the first byte is not the interim reply's", ms(sample["ttft_ns"]) >= said(server)[3], sample["ttft_ns"])
    sample, _ = play_one([early] + plain("404 Not Found", b'{"error":{"message":"gone"}}'))
    f.equal("an error behind it", (sample["http_status"], sample["failure"]["class"]), (404, "http-status"))


def b165_connections(f):
    for keep, want in [(("--keep-alive",), 1), ((), 20)]:
        run, server = play(None, "--requests", "20", "--output-tokens", "2", *keep,
                           sim=["--token-time", "1ms", "--prefill", "0ms"])
        seen = len({line["connection"] for line in server.lines("arrival")})
        observed = run.level["observed"]
        f.equal(f"{want}: the server saw", seen, want)
        f.equal(f"{want}: opened", observed["connections_opened_count"], want)
        f.equal(f"{want}: reused", observed["connections_reused_count"], 20 - want)
        f.equal(f"{want}: flags", sum("connection-reused" in s["flags"] for s in run.measured), 20 - want)
        f.equal(f"{want}: connecting is timed", run.level["times"]["connect"]["count"], want)


def b174_not_streamed(f):
    run, _ = play(None, "--requests", "2", "--output-tokens", "6", "--slo", "ttft.p50<=10s",
                  sim=["--fault", "not-streamed", "--token-time", "1ms"])
    for sample in run.measured:
        f.equal("a success without TTFT", (sample["status"], sample["ttft_ns"], sample["gaps_ns"]), ("ok", None, []))
        f.true("flag", "not-streamed" in sample["flags"], sample["flags"])
        f.equal("tokens", sample["tokens"]["generated"], 6)
    ttft = run.level["times"]["ttft"]
    f.equal("undefined", (ttft["undefined_count"], ttft["from_start"]["ok"]["count"]), (2, 0))
    f.equal("no verdict on it", run.level["verdict"], "undecided")
    f.exit(run, 3)
    whole = b'{"choices":[{"index":0,"message":{"content":"Hello, world"},"finish_reason":"length"}],"usage":{"completion_tokens":3}}'
    sample, _ = play_one(plain("200 OK", whole, "text/event-stream"), *THREE_TOKENS)
    f.equal("by its first byte, whatever the type says", (sample["status"], sample["text_sha256"], sample["ttft_ns"]),
            ("ok", sha256(TEXT), None))


# Upper-case and lower-case hex, extensions, chunk edges inside a line, a last chunk with zeros, trailers.
def odd_body():
    whole = b"".join(THREE)
    cut_at = whole.index(b"Hello") + 2
    rest = whole[cut_at + 171:]
    return b"".join([b"%X;a=1\r\n%s\r\n" % (cut_at, whole[:cut_at]),
                     b"ab;b=\"x;y\"\r\n%s\r\n" % whole[cut_at:cut_at + 171],
                     b"0%X\r\n%s\r\n" % (len(rest), rest), b"000;end\r\n", b"X-Trailer: 1\r\n\r\n"])


def b175_chunks_cut_at_each_byte(f):
    body = odd_body()
    replies = [[HEAD + body[:at], PAUSE(2), body[at:]] for at in range(1, len(body))]
    run, _ = play(each(*replies), "--requests", str(len(replies)), "--clients", "4", *THREE_TOKENS)
    f.equal("requests", len(run.measured), len(replies))
    wrong = [shape(s) for s in run.measured if shape(s) != good()]
    f.equal("differ", wrong[:3], [])
    sample, _ = play_one(None, "--output-tokens", "3", sim=["--fault", "odd-chunks", "--token-time", "1ms"])
    f.equal("the server's own", (sample["status"], sample["tokens"]["generated"]), ("ok", 3))


def b175_chunks_that_end_early(f):
    reply = HEAD + odd_body()
    # The LF behind the CR of the very last line says nothing any more.
    replies = [[reply[:at], "close"] for at in range(1, len(reply) - 1)]
    run, _ = play(each(*replies), "--requests", str(len(replies)), "--clients", "4", *THREE_TOKENS)
    f.equal("requests", len(run.measured), len(replies))
    fine = [s["index"] for s in run.measured if s["status"] == "ok"]
    f.equal("taken for whole", fine, [])
    f.equal("with a status", sum(s["http_status"] == 200 for s in run.measured), len(odd_body()) - 1)
    f.equal("classes", {s["failure"]["class"] for s in run.measured if s["http_status"]}, {"premature-end"})
    # behind a part of "HTTP/" nobody knows that it is HTTP
    f.equal("classes within the head", {s["failure"]["class"] for s in run.measured if not s["http_status"]} - {"protocol"},
            {"premature-end"})
    last = run.measured[-1]
    f.equal("all text is kept", (last["text_sha256"], last["text_event_count"]), (sha256(TEXT), 3))
    sample, _ = play_one(None, "--output-tokens", "3", sim=["--fault", "no-last-chunk", "--token-time", "1ms"])
    f.equal("without the last chunk", sample["failure"] and sample["failure"]["class"], "premature-end")


def b179_progress_events(f):
    steps = []
    for done in range(10):
        steps += [event({"choices": [], "prompt_progress": {"total": 100, "cache": 0, "processed": 10 * done,
                                                           "time_ms": 10}}), PAUSE(10)]
    sample, server = play_one(stream(*steps, *THREE), *THREE_TOKENS)
    f.equal("tokens", shape(sample), good(16))
    first = said(server)[11]
    f.between("TTFT", ms(sample["ttft_ns"]), first, first + PATIENCE_MS)
    f.true("it is that of the token", first >= 100, first)
    for api in ("chat", "completion"):
        sample, _ = play_one(None, "--output-tokens", "3", "--api", api,
                             sim=["--fault", "progress:10", "--token-time", "1ms"])
        f.equal(f"{api}: tokens", (sample["tokens"]["generated"], sample["text_event_count"]), (3, 3))


class Recorder:
    """A server that reads whole requests and says nothing before, no 100 either; it knows chats only."""

    def __init__(self, reply):
        self.reply, self.heads, self.body_s = reply, [], []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            with peer:
                peer.settimeout(20)
                self.answer(peer)

    def answer(self, peer):
        got = b""
        while b"\r\n\r\n" not in got:
            got += peer.recv(65536)
        head, _, body = got.partition(b"\r\n\r\n")
        if b"/chat/" not in head.split(b"\r\n")[0]:
            peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
            return
        began = time.monotonic()
        left = int(re.search(rb"(?i)content-length: *(\d+)", head)[1]) - len(body)
        while left > 0:
            left -= len(peer.recv(1 << 20))
        self.heads.append(head)
        self.body_s.append(time.monotonic() - began)
        peer.sendall(self.reply)


def b180_large_bodies_are_sent_at_once(f):
    server = Recorder(b"".join(stream(*THREE)))
    with tempfile.TemporaryDirectory() as folder:
        prompts = os.path.join(folder, "prompts.txt")
        with open(prompts, "w") as file:
            file.write("ab " * (700 * 1024) + "\n")  # 2.1 MiB
        run = load(server.url, "--prompts", prompts, "--requests", "1", "--warm-up", "0", *THREE_TOKENS)
    server.socket.close()
    f.equal("the sample", [shape(s) for s in run.measured], [good()])
    f.equal("requests", len(server.heads), 1)
    for head in server.heads:
        f.true("nothing is expected", b"expect:" not in head.lower(), head)
        f.true("no compression is asked for (B019)", b"accept-encoding: identity" in head.lower(), head)
    f.between("seconds between head and end of the body", max(server.body_s), 0, 0.8)  # a wait takes 1


if __name__ == "__main__":
    main([(name.replace("_", " ").replace("b0", "B0").replace("b1", "B1"), check)
          for name, check in list(globals().items()) if name[:1] == "b" and name[1:4].isdigit()])
