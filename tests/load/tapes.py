"""Tapes for tests of `load`: what a server shall say, written as Python values.

    reply = stream(token("a"), PAUSE(50), token("b"), finish(), DONE)
    run, sim = play(reply)                       # one request against it
    run, sim = play(each(reply_1, reply_2), "--requests", "2")

A reply is a list of steps: bytes (one write), PAUSE(ms), or a word of the tape. The truth about
times is the log of the server: `said` gives the instants at which its writes were handed over.
"""

import hashlib
import json
import os
import tempfile

from harness import Sim, load

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
DONE = b"data: [DONE]\n\n"


def PAUSE(ms):
    return f"pause {ms}ms"


def event(data, line_end=b"\n", blank=b" "):
    """One event of an event stream."""
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return b"data:" + blank + text + line_end + line_end


def choice(delta, finish_reason=None, **more):
    """A chunk of a chat."""
    return dict({"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}, **more)


def token(text, **more):
    return event(choice({"content": text}, **more))


def thought(text):
    return event(choice({"reasoning_content": text}))


def finish(reason="length", **more):
    return event(choice({}, reason, **more))


def usage(completion, prompt=5, **more):
    return event({"choices": [], "usage": dict({"completion_tokens": completion, "prompt_tokens": prompt}, **more)})


def chunk(data):
    return b"%X\r\n%s\r\n" % (len(data), data)


def stream(*steps):
    """A whole reply in chunks, one for each piece of bytes."""
    return [HEAD] + [chunk(s) if isinstance(s, bytes) else s for s in steps] + [b"0\r\n\r\n"]


def broken_off(*steps, end="close"):
    """The same without its last chunk."""
    return stream(*steps)[:-1] + [end]


def plain(status, body, content_type="application/json"):
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return [head.encode() + body]


def each(*replies):
    """The n-th reply for the n-th request."""
    return [(f"request {n + 1}", reply) for n, reply in enumerate(replies)]


def lines_of(reply):
    def quoted(data):
        return 'send "' + "".join(f"\\x{b:02x}" if b < 32 or b > 126 or b in b'"\\' else chr(b) for b in data) + '"'

    return [quoted(step) if isinstance(step, bytes) else step for step in reply]


def tape(replies):
    """Its text: of one reply for every request, or of (what it is for, reply) pairs."""
    if not isinstance(replies[0], tuple):
        replies = [("each request", replies)]
    return "\n".join(line for what, reply in replies for line in [f"for {what}"] + lines_of(reply)) + "\n"


def play(replies, *args, sim=(), prompt="hi", stop=True, env=None):
    """The run of a load against the tape, and the server. A prompts file, so that nothing is asked
    before the start but /props and /v1/models; no warm-up."""
    with tempfile.TemporaryDirectory(prefix="load-tape-") as folder:
        prompts = os.path.join(folder, "prompts.txt")
        with open(prompts, "w") as file:
            file.write(prompt + "\n")
        words = list(sim)
        if replies is not None:
            with open(os.path.join(folder, "tape"), "w") as file:
                file.write(tape(replies))
            words += ["--tape", file.name]
        default = [] if "--requests" in args or "--duration" in args else ["--requests", "1"]
        with Sim(*words) as server:
            run = load(server.url, "--prompts", prompts, "--warm-up", "0", *default, *args, env=env)
            server.stop()
    return run, server


def play_one(reply, *args, **more):
    """The sample of the only request, and the server."""
    run, server = play(reply, *args, **more)
    if len(run.measured) != 1:
        raise AssertionError(f"no sample: exit {run.exit}, {run.stderr}")
    return run.measured[0], server


def play_valid(*args, tries=3, **more):
    """As play(). A busy machine may make a level not valid, which takes its verdicts away; then again."""
    for _ in range(tries):
        run, server = play(*args, **more)
        if run.report is None or run.level["valid"]:
            break
    return run, server


def said(server, request=1):
    """When each write of a reply was handed over: ms from the arrival of its request. A client's
    instants, which count from before that, cannot be smaller."""
    arrived = server.lines("arrival", request)[0]["at_ns"]
    return [(line["at_ns"] - arrived) / 1e6 for line in server.lines("event", request)]


def sha256(text):
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()
