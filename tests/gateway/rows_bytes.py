#!/usr/bin/env python3
"""What goes through: usage, framings, characters, bodies of requests, and a proxy in front."""

import json
import tempfile

from harness import CHAT, TEXT, Serve, Sim, body, config, direct, masked
from rows import (END_MARK, FAST, STREAM_HEAD, Witness, at_once, event, event_instants,
                  header_values, main, nginx, quoted, said, tape)

ASK_USAGE = {"stream_options": {"include_usage": True}}


def lines_of(gateway):
    gateway.stop()
    return [line for line in gateway.access_log() if line["path"] == CHAT]


# ---- usage ---------------------------------------------------------------------------------------

def g4_usage_is_told_once(f):
    """Asked for: the last event before the end mark has it, alone and with empty choices. Not asked
    for: none has it."""
    with Sim(*FAST) as sim, Serve(config({"a": sim.url})) as gateway:
        got = gateway.chat(stream=True, **ASK_USAGE)
        f.equal("last", got.data[-1], "[DONE]")
        with_usage = [e for e in got.data[:-1] if e.get("usage")]
        f.equal("events with usage", with_usage, [got.data[-2]])
        f.equal("choices of it", with_usage and with_usage[0]["choices"], [])
        f.equal("tokens", with_usage and with_usage[0]["usage"]["completion_tokens"], 8)
        f.equal("not asked for", [e for e in gateway.chat(stream=True).data[:-1]
                                  if "usage" in e], [])


def usage_form(f, form):
    args = [*FAST, "--fault", f"usage:{form}"]
    ask = {"stream": True, **ASK_USAGE}
    with Sim(*args) as alone:
        want = [direct(alone, body(**ask)) for _ in range(2)]
    with Sim(*args) as sim, Serve(config({"a": sim.url}, access_log="access.jsonl")) as gateway:
        asked, not_asked = gateway.chat(**ask), gateway.chat(stream=True)
        f.equal(f"{form}: asked for", masked(asked.body), masked(want[0].body))
        f.equal(f"{form}: text when not asked for", not_asked.text, want[1].text)
        f.true(f"{form}: an end mark", not_asked.has_end_mark)
        # what is left is some of the server's own events, in its order
        blocks = iter(masked(want[1].body).split(b"\n\n"))
        f.true(f"{form}: no event is made up",
               all(block in blocks for block in masked(not_asked.body).split(b"\n\n")), not_asked.body)
        tokens = [line["usage"] and line["usage"]["completion_tokens"] for line in lines_of(gateway)]
        f.equal(f"{form}: totals", tokens, [8, 8])


def g5_usage_in_another_event(f):
    forms = ("always", "not-last", "with-text", "every-event", "nulls", "floats", "null-choices",
             "no-choices", "full-choices")
    at_once(3, lambda n: [usage_form(f, form) for form in forms[n::3]])


# ---- framings ------------------------------------------------------------------------------------

def g21_a_length_on_a_stream(f):
    """The length is that of all events, so it is wrong once one was taken out."""
    usage = event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})
    before, after = said("one ") + said("two ", "stop"), END_MARK
    content = before + usage + after
    steps = ["send " + quoted(STREAM_HEAD + b"Content-Length: %d\r\n\r\n" % len(content))]
    for part in (said("one "), said("two ", "stop"), usage, after):
        steps += [f"send {quoted(part)}", "pause 50ms"]
    with tape(*steps) as path, Sim("--tape", path) as sim, \
            Serve(config({"a": sim.url})) as gateway:
        for ask, want in (({}, before + after), (ASK_USAGE, content)):
            for _ in range(2):  # the connection stays usable on both sides
                got = gateway.chat(stream=True, **ask)
                f.equal("body", got.body, want)
                f.equal("end", got.end, "whole")
                f.true("no stale length", got.headers["Content-Length"] in (None, str(len(want))),
                       got.headers)
    for length in (1000000, 100):  # one that never comes, and one that ends within the stream
        with Sim(*FAST, "--fault", f"stream-length:{length}") as sim, \
                Serve(config({"a": sim.url})) as gateway:
            got = gateway.chat(stream=True)
            f.equal(f"{length}: status", got.status, 200 if length == 1000000 else 502)
            f.equal(f"{length}: an end mark", got.has_end_mark, length == 1000000)
            f.equal(f"{length}: end", got.end, "whole")


ODD = "naïve café – 東京 한국어 e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea \U00010348 \u202eabc\u202c \ufeff\u00a0end"


def g56_characters_in_single_bytes(f):
    answers = {"schema_version": "1.0", "document": "sim-answers", "answers": [{"answer": ODD}]}
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(answers, file, ensure_ascii=False)
        file.flush()
        common = ("--slots", "2", "--token-time", "1ms", "--answers", file.name)
        with Sim(*common) as whole, Sim(*common, "--fault", "write-size:1") as sim, \
                Serve(config({"a": sim.url})) as gateway:
            for ask in ({"stream": True, **ASK_USAGE}, {"stream": True}, {}):
                ask = body(tokens=200, **ask)
                got = gateway.ask(ask)
                f.equal("text", got.text, ODD)
                if b"include_usage" in ask or b"stream\"" not in ask:
                    f.equal("body", masked(got.body), masked(direct(whole, ask).body))


# ---- bodies of requests --------------------------------------------------------------------------

def send_raw(gateway, content):
    with gateway.connect() as client:
        for piece in content if isinstance(content, list) else [content]:
            client.socket.sendall(piece)
        return client.reply()


def in_chunks(content, size, trailers=b""):
    pieces = [content[at:at + size] for at in range(0, len(content), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in pieces) + b"0\r\n" + trailers + b"\r\n"


def check_seen(f, what, request, content):
    """It has one length, which is right, and no other framing."""
    head, got = request
    f.equal(f"{what}: body", got, content)
    f.equal(f"{what}: length", header_values(head, "Content-Length"), [str(len(content))])
    f.equal(f"{what}: coding", header_values(head, "Transfer-Encoding"), [])
    f.equal(f"{what}: Expect", header_values(head, "Expect"), [])
    f.equal(f"{what}: trailers", header_values(head, "X-Trailer"), [])


CHUNKED = b"POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" \
          b"Transfer-Encoding: chunked\r\n%b\r\n"


def g24_a_chunked_request(f):
    content = body(prompt="été " * 20)
    with Witness() as seen, Serve(config({"a": seen.url})) as gateway:
        for what, more, size, trailers in (
                ("single bytes", b"", 1, b""), ("one chunk", b"", 4096, b""),
                ("trailers", b"Trailer: X-Trailer\r\n", 1, b"X-Trailer: a\r\nContent-Length: 3\r\n")):
            whole = CHUNKED % more + in_chunks(content, size, trailers)
            got = send_raw(gateway, whole)
            f.equal(f"{what}: status", (got.status, got.text), (200, "seen"))
            check_seen(f, what, seen.requests[-1], content)
            # each byte on its own
            got = send_raw(gateway, [whole[at:at + 1] for at in range(len(whole))])
            f.equal(f"{what}, bytes: status", got.status, 200)
            check_seen(f, f"{what}, bytes", seen.requests[-1], content)
        f.equal("requests", len(seen.requests), 6)


def g25_every_body_has_a_length(f):
    content = body()
    head = b"POST %b HTTP/1.%d\r\nHost: a\r\nContent-Type: application/json\r\n%bContent-Length: %d\r\n\r\n"
    text = b'{"model":"m","prompt":"one","max_tokens":2}'
    renamed = content.replace(b'"m"', b'"another name"')
    forms = [
        ("a length", head % (CHAT.encode(), 1, b"", len(content)) + content, content),
        ("text", head % (TEXT.encode(), 1, b"", len(text)) + text, text),
        ("HTTP/1.0", head % (CHAT.encode(), 0, b"", len(content)) + content, content),
        ("asked first", [head % (CHAT.encode(), 1, b"Expect: 100-continue\r\n", len(content)), content],
         content),
        ("two pieces", [head % (CHAT.encode(), 1, b"", len(content)) + content[:9], content[9:]], content),
    ]
    with Witness() as seen, Serve(config({"a": seen.url, "b": seen.url}, {"m": ["a"], "n": ["b"]},
                                         backends={"b": {"model": "another name"}})) as gateway:
        for what, sent, want in forms:
            with gateway.connect() as client:
                for piece in sent if isinstance(sent, list) else [sent]:
                    client.socket.sendall(piece)
                    if b"Expect" in piece:  # an interim reply, then the real one
                        f.true("it is let on", client.read_until(b"100 Continue\r\n\r\n", 5))
                        client.raw.clear()
                f.equal(f"{what}: status", client.reply().status, 200)
            check_seen(f, what, seen.requests[-1], want)
        f.equal("renamed: status", gateway.ask(content.replace(b'"m"', b'"n"')).status, 200)
        check_seen(f, "renamed", seen.requests[-1], renamed)
        large = body(prompt="x" * 3000000)
        f.equal("large: status", gateway.ask(large).status, 200)
        check_seen(f, "large", seen.requests[-1], large)
        # a stream: usage is asked for, so the length is another one
        gateway.ask(body(stream=True))
        sent_head, sent_body = seen.requests[-1]
        f.equal("stream: length", header_values(sent_head, "Content-Length"), [str(len(sent_body))])
        f.equal("stream: usage", json.loads(sent_body)["stream_options"], {"include_usage": True})


# ---- nginx in front ------------------------------------------------------------------------------

def gaps(instants):
    return [b - a for a, b in zip(instants, instants[1:])]


def g26_nginx_in_front(f):
    """With its own defaults nginx speaks HTTP/1.0 and gathers the stream that it gets, which the control
    shows; not that of the gateway."""
    ask = body(stream=True)
    steps = ["send " + quoted(STREAM_HEAD + b"Connection: close\r\n\r\n"),
             "repeat 30", "pause 50ms", "send " + quoted(said("word ")), "end",
             "send " + quoted(said("", "stop") + END_MARK), "close"]
    with tape(*steps) as path, Sim("--tape", path) as sim, \
            Serve(config({"a": sim.url})) as gateway, \
            nginx(sim.url) as control, nginx(gateway.url) as port:
        (instants, got), (gathered, _) = at_once(2, lambda n: event_instants((port, control)[n], ask))
    f.true("an end mark", got.has_end_mark)
    f.equal("text", len(got.text.split()), 30)
    f.between("reads at the client", len(instants), 20, 60)
    f.between("longest gap, s", max(gaps(instants), default=None), 0.03, 0.7)
    f.between("from first to last, s", instants[-1] - instants[0], 1.2, 5)
    f.true("the control was gathered, so nginx has its defaults", len(gathered) <= 3, gathered)


if __name__ == "__main__":
    raise SystemExit(main([
        ("G4: usage is told once", g4_usage_is_told_once),
        ("G5: usage in another event than usual", g5_usage_in_another_event),
        ("G21: a length on a stream", g21_a_length_on_a_stream),
        ("G56: characters in single bytes", g56_characters_in_single_bytes),
        ("G24: a chunked request", g24_a_chunked_request),
        ("G25: every body has a length", g25_every_body_has_a_length),
        ("G26: nginx in front does not gather", g26_nginx_in_front),
    ]))
