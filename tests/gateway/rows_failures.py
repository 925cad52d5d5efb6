#!/usr/bin/env python3
"""Back ends that fail, are silent, break off or are mistaken: what a client may see of it."""

import json
import time

from harness import CHAT, Serve, Sim, body, closed_port, config, direct, masked
from rows import (END_MARK, FAST, LONG, STREAM_HEAD, at_once, longest_silence, main, quoted,
                  said, tape)


def text_of(sim, **members):
    return direct(sim, body(**members)).text


# ---- silence -------------------------------------------------------------------------------------

def g12_silence_before_the_first_token(f):
    """A hop between client and gateway that allows no long silence."""
    silence_s, idle_s, timers = (70, 20, {}) if LONG else \
        (1.4, 0.8, {"hold": 100, "keep_alive_comment": 100})
    for early in ([], ["--fault", "early-head"]):
        with Sim(*FAST, "--fault", f"slow:{silence_s}s", *early) as sim, \
                Serve(config({"a": sim.url}, timeouts_ms=timers,
                             access_log="access.jsonl")) as gateway:
            with gateway.open(body(stream=True)) as client:
                longest = longest_silence(client, silence_s * 2)
                got = client.reply()
            f.between("longest silence, s", longest, 0, idle_s)
            f.true("an end mark", got.has_end_mark)
            f.true("comments", len(got.comments) >= 3, got.comments)
            gateway.stop()
            line = [x for x in gateway.access_log() if x["path"] == CHAT][0]
            f.between("TTFT, s: comments are no token", line["ttft_ms"] / 1e3,
                      silence_s, silence_s + 3)


def g32_a_first_token_after_more_than_a_minute(f):
    silence_s, timers = (75, {}) if LONG else (1.5, {"hold": 200})
    with Sim("--slots", "2", *FAST, "--fault", f"slow:{silence_s}s") as sim, \
            Serve(config({"a": sim.url}, timeouts_ms=timers)) as gateway:
        for got in at_once(2, lambda n: gateway.chat(stream=n == 0, patience_s=silence_s * 3)):
            f.equal("status", got.status, 200)
            f.equal("end", got.end, "whole")
            f.between("seconds", got.seconds, silence_s, silence_s + 5)
            f.equal("text", len(got.text.split()), 8)


def g13_timers_run_while_nothing_comes(f):
    timers = {"connect": 200, "first_byte": 500, "total": 180000}
    with Sim("--slots", "9", "--fault", "silent") as bad, Sim(*FAST) as good, \
            Serve(config({"bad": bad.url, "good": good.url}, {"m": ["bad", "good"], "b": ["bad"]},
                         timeouts_ms=timers, breaker={"failures": 64})) as gateway:
        for stream in (True, False):
            got = gateway.chat(model="b", stream=stream)
            f.equal("alone: status", got.status, 504)
            f.equal("alone: code", got.error.get("code"), "first_byte_timeout")
            f.between("alone: seconds", got.seconds, 0.49, 5)
            got = gateway.chat(stream=stream)
            f.equal("back end", got.headers["X-ParetoPilot-Backend"], "good")
            f.equal("text", got.text, text_of(good, stream=stream))
            f.between("seconds", got.seconds, 0.49, 5)


# ---- broken off ----------------------------------------------------------------------------------

def g15_a_dead_stream_has_no_end_mark(f):
    with Sim(*FAST, "--fault", "close-after:40") as sim, \
            Serve(config({"a": sim.url}, access_log="access.jsonl")) as gateway:
        got = gateway.chat(stream=True, tokens=60)
        f.equal("end", got.end, "cut")
        f.true("no end mark", not got.has_end_mark and b"DONE" not in got.body)
        f.equal("error, which is last", got.data[-1].get("error", {}).get("code"), "upstream_broke")
        f.equal("events before it", len(got.data) - 1, 40)
        f.equal("failures counted", gateway.metric("paretopilot_failures_total",
                                                   reason="upstream_broke"), 1)
        f.equal("attempts that failed", gateway.metric("paretopilot_upstream_attempts_total",
                                                       outcome="failed"), 1)
        gateway.stop()
        f.equal("code in the log", [x["code"] for x in gateway.access_log() if x["path"] == CHAT],
                ["upstream_broke"])


CHUNKED_HEAD = STREAM_HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
LENGTH_HEAD = STREAM_HEAD + b"Content-Length: 100000\r\n\r\n"
CLOSE_HEAD = STREAM_HEAD + b"Connection: close\r\n\r\n"
RED = said("\U0001f534 ")  # four bytes of UTF-8
IN_CHARACTER = RED[:RED.index("\U0001f534".encode()) + 2]
BREAKS = {
    "an end between two events": (b"", "close"),
    "a reset between two events": (b"", "reset"),
    "an end inside an event": (said("three")[:20], "close"),
    "a reset inside an event": (said("three")[:20], "reset"),
    "an end inside a character": (IN_CHARACTER, "close"),
    "a reset inside a character": (IN_CHARACTER, "reset"),
    "an end inside the end mark": (END_MARK[:9], "close"),
}


def broken(head, begun, rest, how):
    """Steps of a tape: a stream with `begun` that breaks off behind `rest`."""
    step = "chunk" if head == CHUNKED_HEAD else "send"
    steps = [f"send {quoted(head)}"]
    for part in (begun, rest):
        steps += [f"{step} {quoted(part)}", "pause 30ms"] if part else []
    return [*steps, how]


def g16_a_truncated_stream_is_no_answer(f):
    """After the first event: an error and no second answer; before it: another back end."""
    begun = said("one ") + said("two ")
    cases = [(f"{what}, {named}", broken(head, begun, rest, how), broken(head, b"", rest, how))
             for what, (rest, how) in BREAKS.items()
             for named, head in (("chunks", CHUNKED_HEAD), ("length", LENGTH_HEAD),
                                 ("neither", CLOSE_HEAD))]
    lines = []
    for at, (_, late, early) in enumerate(cases):
        lines += [f"for request {2 * at + 1}", *late, f"for request {2 * at + 2}", *early]
    with tape(*lines) as path, Sim("--tape", path) as bad, Sim(*FAST) as good, \
            Serve(config({"bad": bad.url, "good": good.url},
                         breaker={"failures": 64, "window_ms": 1})) as gateway:
        want = text_of(good, stream=True)
        for at, (what, _, _) in enumerate(cases):
            got = gateway.chat(stream=True)
            f.equal(f"{what}: text", got.text, "one two ")
            f.equal(f"{what}: error", got.stream_error.get("code"), "upstream_broke")
            f.equal(f"{what}: end", got.end, "cut")
            f.true(f"{what}: no end mark", b"DONE" not in got.body, got.body)
            f.true(f"{what}: whole events only", all(isinstance(e, dict) for e in got.data), got.body)
            f.equal(f"{what}: tries", gateway.metric("paretopilot_upstream_attempts_total",
                                                     backend="good"), at)
            got = gateway.chat(stream=True)
            f.equal(f"{what}, early: text", got.text, want)
            f.equal(f"{what}, early: end", got.end, "whole")
            f.true(f"{what}, early: an end mark", got.has_end_mark)


def g17_a_stream_that_begins_with_an_error(f):
    for form in ("data", "field", "event", "done", "text"):
        with Sim(*FAST, "--fault", f"error:{form}", "--fault", "error-after:0") as bad, \
                Sim(*FAST) as good, Sim(*FAST) as same, \
                Serve(config({"bad": bad.url, "good": good.url})) as gateway:
            usage = {"stream_options": {"include_usage": True}}
            got = gateway.chat(stream=True, **usage)
            f.equal(f"{form}: status", got.status, 200)
            f.equal(f"{form}: body, which has nothing of the error", masked(got.body),
                    masked(direct(same, body(stream=True, **usage)).body))
            f.equal(f"{form}: tries", gateway.metric("paretopilot_retries_total"), 1)


def g36_an_error_with_status_200(f):
    """To a plain request, alone and with another back end."""
    with Sim(*FAST, "--fault", "error:data", "--fault", "error-after:0") as bad, \
            Sim(*FAST) as good, \
            Serve(config({"bad": bad.url, "good": good.url}, {"m": ["bad", "good"], "b": ["bad"]},
                         access_log="access.jsonl")) as gateway:
        f.equal("status there", direct(bad, body()).status, 200)
        got = gateway.chat(model="b")
        f.equal("status", got.status, 502)
        f.true("an error", got.error.get("message"), got.body)
        f.equal("with another one", gateway.chat().text, text_of(good))
        f.equal("counted", gateway.metric("paretopilot_requests_total", code="5xx"), 1)


def g22_a_wrong_length(f):
    """One byte too many is told of; one too few: the length counts, and an answer that it cuts is
    none."""
    for off, name, code, words in ((1, "too large", "upstream_broke", "short of its length"),
                                   (-1, "too small", "upstream_invalid", "an answer that is none")):
        with Sim(*FAST, "--fault", f"wrong-length:{off}") as sim, Sim(*FAST) as good, \
                Serve(config({"a": sim.url, "good": good.url}, {"m": ["a"], "g": ["a", "good"]},
                             breaker={"failures": 64})) as gateway:
            got = gateway.chat()
            f.equal(f"{name}: status", got.status, 502)
            f.equal(f"{name}: code", got.error.get("code"), code)
            f.true(f"{name}: it says why", words in got.error.get("message", ""), got.body)
            f.equal(f"{name}: with another one", gateway.chat(model="g").text, text_of(good))


# ---- left alone ----------------------------------------------------------------------------------

def g33_one_that_fails_fast_gets_no_more(f):
    open_ms, began = 2000, time.monotonic()
    with Sim("--fault", "status:503") as bad, \
            Sim("--slots", "4", "--token-time", "5ms", "--prefill", "0.1ms") as good:
        document = config({"bad": bad.url, "good": good.url}, {"m": ["bad", "good"], "b": ["bad"]},
                          backends={n: {"max_in_flight": 4} for n in ("bad", "good")},
                          breaker={"failures": 5, "open_ms": open_ms, "probes": 1})
        document["models"][0]["choose"] = "least-busy"
        with Serve(document) as gateway:
            statuses = [s for four in at_once(4, lambda _: [
                gateway.chat(tokens=4).status for _ in range(50)]) for s in four]
            f.equal("statuses", statuses, [200] * 200)
            f.equal("state", gateway.metric("paretopilot_breaker_state", backend="bad",
                                            state="closed"), 0)
            # alone: refused without being asked
            for _ in range(5):
                f.true("alone", gateway.chat(model="b").status == 503)
        bad.stop()
        # five to open it, three that were under way then, one probe each time it is half-open
        probes = 1 + int((time.monotonic() - began) * 1e3 / open_ms)
        f.between("requests there", len(bad.lines("arrival")), 5, 5 + 3 + probes)


def fails_over(f, status, stream):
    with Sim("--fault", f"status:{status}@first:1", "--fault", "retry-after:2@first:1",
             *FAST) as bad, Sim("--seed", "5", *FAST) as good, \
            Serve(config({"bad": bad.url, "good": good.url})) as gateway:
        what, began = f"{status}, stream={stream}", time.monotonic()
        got = gateway.chat(stream=stream)
        f.equal(f"{what}: status", got.status, 200)
        f.equal(f"{what}: end", got.end, "whole")
        names, asked = [got.headers["X-ParetoPilot-Backend"]], time.monotonic()
        while names[-1] == "good" and asked - began < 10:
            asked = time.monotonic()
            time.sleep(0.05)
            names.append(gateway.chat(stream=stream).headers["X-ParetoPilot-Backend"])
        f.true(f"{what}: requests that the other one got meanwhile", len(names) >= 3, names)
        f.equal(f"{what}: asked again", names[-1], "bad")
        f.between(f"{what}: not before its time", time.monotonic() - began, 2, 10)
        bad.stop()
        f.equal(f"{what}: requests there", len(bad.lines("arrival")), 2)


def g34_each_status_fails_over(f):
    """And a Retry-After is waited for."""
    statuses = (408, 409, 429, 500, 502, 503, 504)
    at_once(len(statuses), lambda n: [fails_over(f, statuses[n], s) for s in (True, False)])


def g35_retry_after_reaches_the_client(f):
    page = {"Origin": "https://page.example"}
    with Sim("--fault", "status:429", "--fault", "retry-after:7") as sim, \
            Serve(config({"a": sim.url}, cors={"origins": ["https://page.example"]})) as gateway:
        got = gateway.chat(headers=page)
        f.equal("status", got.status, 429)
        f.equal("Retry-After", got.headers["Retry-After"], "7")
        exposed = [x.strip().lower() for x in
                   got.headers.get("Access-Control-Expose-Headers", "").split(",")]
        f.true("a page may read it", "retry-after" in exposed, exposed)
        f.equal("for this page", got.headers["Access-Control-Allow-Origin"], "https://page.example")


# ---- what is said of it --------------------------------------------------------------------------

def g10_errors_tell_nothing_of_back_ends(f):
    secret = "sk-upstream-5f1c0e9a7b"
    leak = b'{"error":{"message":"key ' + secret.encode() + b' is wrong"}}'
    refusal = b"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    with tape(f"send {quoted(refusal % len(leak) + leak)}") as path, Sim("--tape", path) as talks, \
            Sim("--fault", "silent") as silent:
        dead = f"http://127.0.0.1:{closed_port()}"
        urls = {"talks": talks.url, "silent": silent.url, "dead": dead}
        with Serve(config(urls, {n: [n] for n in urls}, timeouts_ms={"connect": 100, "first_byte": 200},
                          backends={n: {"api_key_env": "UPSTREAM"} for n in urls},
                          access_log="access.jsonl"), env={"UPSTREAM": secret}) as gateway:
            replies = [gateway.chat(model=name, stream=stream)
                       for name in ("another", *urls) for stream in (True, False)]
            replies += [gateway.get(path) for path in ("/v1/models", "/health", "/metrics", "/nowhere")]
            f.equal("unknown", [r.status for r in replies[:2]], [404, 404])
            f.true("all are errors", all(r.status >= 400 for r in replies[:8]),
                   [r.status for r in replies])
            gateway.stop()
            log = (gateway.path / "access.jsonl").read_text()
            for what, content in [*((f"reply {n}", f"{r.headers}\n{r.body.decode()}")
                                    for n, r in enumerate(replies)),
                                  ("log", log), ("standard error", gateway.err)]:
                f.true(f"{what}: no key", secret not in content, content)
            for n, reply in enumerate(replies):
                content = f"{reply.headers}\n{reply.body.decode()}"
                for url in urls.values():
                    f.true(f"reply {n}: no address", url[7:] not in content
                           and url.rsplit(":", 1)[1] not in content, content)


if __name__ == "__main__":
    raise SystemExit(main([
        ("G12: silence before the first token is filled with comments", g12_silence_before_the_first_token),
        ("G32: a first token after more than a minute", g32_a_first_token_after_more_than_a_minute),
        ("G13: timers run while nothing comes", g13_timers_run_while_nothing_comes),
        ("G15: a dead stream has no end mark", g15_a_dead_stream_has_no_end_mark),
        ("G16: a truncated stream is no answer", g16_a_truncated_stream_is_no_answer),
        ("G17: a stream that begins with an error", g17_a_stream_that_begins_with_an_error),
        ("G36: an error with status 200", g36_an_error_with_status_200),
        ("G22: a wrong length", g22_a_wrong_length),
        ("G33: one that fails fast gets no more", g33_one_that_fails_fast_gets_no_more),
        ("G34: each status fails over", g34_each_status_fails_over),
        ("G35: Retry-After reaches the client", g35_retry_after_reaches_the_client),
        ("G10: errors tell nothing of back ends", g10_errors_tell_nothing_of_back_ends),
    ]))
