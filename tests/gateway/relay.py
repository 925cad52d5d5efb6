#!/usr/bin/env python3
"""`serve` in front of simulated servers: what goes through, what is refused, and what happens when
somebody leaves, breaks or is slow."""

import json
import re
import signal
import socket
import threading
import time

from harness import (CHAT, TEXT, Serve, Sim, body, closed_port, config, direct, main,
                     sim_is_idle, wait_until)

FAST = ("--token-time", "2ms", "--prefill", "0.1ms")


def without_date(content):
    """The only thing that two fresh simulated servers say differently."""
    return re.sub(rb'("created":)\d+', rb"\g<1>0", content)


class Scripted:
    """A back end that answers every request with the given pieces, and pauses between them."""

    def __init__(self, *pieces, pause_s=0):
        self.pieces, self.pause_s = pieces, pause_s
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:  # closed by __exit__
                return
            with connection:
                self._answer(connection)

    def _answer(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            request += connection.recv(65536)
        head, _, rest = request.partition(b"\r\n\r\n")
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        while len(rest) < length:
            rest += connection.recv(65536)
        self.requests.append(head)
        for i, piece in enumerate(self.pieces):
            time.sleep(self.pause_s if i else 0)
            try:
                connection.sendall(piece)
            except OSError:  # the gateway has had enough
                return

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()


# ---- what goes through ---------------------------------------------------------------------------

def same_bytes(f, content, path, *sim_args, asked_directly=None):
    with Sim(*FAST, *sim_args) as alone:
        want = direct(alone, asked_directly or content, path)
        if asked_directly:
            want.body = re.sub(rb'data: [^\n]*"usage":\{[^\n]*\n\n', b"", want.body)
    with Sim(*FAST, *sim_args) as sim, Serve(config({"a": sim.url})) as gateway:
        got = gateway.ask(content, path)
    f.equal("status", got.status, want.status)
    f.equal("end", got.end, "whole")
    f.equal("body", without_date(got.body), without_date(want.body))
    f.equal("media type", got.headers["Content-Type"], want.headers["Content-Type"])
    f.equal("origin", got.headers["X-ParetoPilot-Origin"], "simulated")
    f.true("a request id", got.headers["X-Request-Id"])
    f.equal("back end", got.headers["X-ParetoPilot-Backend"], "a")
    return got


def stream_is_the_same(f):
    """The gateway asks for usage on its own account and takes that event out again; everything else
    is what a server says that was asked for usage."""
    usage = {"stream_options": {"include_usage": True}}
    for path in (CHAT, TEXT):
        ask = json.loads(body(stream=True, tokens=20))
        if path == TEXT:
            ask = {"model": "m", "prompt": "one two", "max_tokens": 20, "stream": True}
        got = same_bytes(f, json.dumps(ask).encode(), path,
                         asked_directly=json.dumps({**ask, **usage}).encode())
        f.true("an end mark", got.has_end_mark)
        f.true("no caching", "no-cache" in got.headers["Cache-Control"])
        f.true("no usage that nobody asked for", b'"usage"' not in got.body)


def plain_is_the_same(f):
    got = same_bytes(f, body(tokens=20), CHAT)
    f.equal("length", int(got.headers["Content-Length"]), len(got.body))
    f.true("usage", got.json["usage"]["completion_tokens"] == 20)


def usage_is_the_same(f):
    got = same_bytes(f, body(stream=True, stream_options={"include_usage": True}), CHAT)
    usages = [e for e in got.data if isinstance(e, dict) and e.get("usage")]
    f.equal("events with usage", len(usages), 1)
    f.equal("choices of it", usages[0]["choices"], [])


def odd_framings_are_the_same(f):
    """Bytes that are cut anywhere, odd line ends, tool calls, split characters: nothing is remade."""
    for fault in (["write-size:1"], ["chunk-size:3"], ["line-end:crlf"], ["line-end:cr"],
                  ["comments"], ["split-emoji"], ["tool-calls"], ["reasoning:2"],
                  ["read-to-close"], ["odd-chunks"], ["byte-order-mark"]):
        args = [word for name in fault for word in ("--fault", name)]
        content = body(stream=True, stream_options={"include_usage": True})
        with Sim(*FAST, *args) as alone:
            want = direct(alone, content)
        with Sim(*FAST, *args) as sim, Serve(config({"a": sim.url})) as gateway:
            got = gateway.ask(content)
        f.equal(f"{fault}: end", got.end, "whole")
        f.equal(f"{fault}: body", without_date(got.body), without_date(want.body))


def refusals_of_the_back_end_are_the_same(f):
    """A 4xx of the server is about the request: status and body are its own."""
    with Sim(*FAST, "--fault", "status:422") as sim, Serve(config({"a": sim.url})) as gateway:
        for stream in (False, True):
            want = direct(sim, body(stream=stream))
            got = gateway.chat(stream=stream)
            f.equal("status", got.status, 422)
            f.equal("body", got.body, want.body)
            f.equal("media type", got.headers["Content-Type"], want.headers["Content-Type"])


def other_name_upstream(f):
    """The client's bytes go on but for the name of the model."""
    with Sim(*FAST) as sim, Serve(config({"a": sim.url},
                                         backends={"a": {"model": "upstream"}})) as gateway:
        content = (b'{ "seed":12345678901234567,"model" : "m",\n"x":1.50, '
                   b'"messages":[{"role":"user","content":"a"}],"max_tokens":2 }')
        f.equal("status", gateway.ask(content).status, 200)
        want = content.replace(b'"m"', b'"upstream"')
        f.equal("status", direct(sim, want).status, 200)
        sim.stop()
        sums = [line["request_sha256"] for line in sim.lines("arrival")]
        f.equal("digests of both bodies", sums[0], sums[1])


# ---- who leaves ----------------------------------------------------------------------------------

def leaves(f, what, sim_args, content, before_leaving, reset=False, slots=1):
    """The server loses its client within 250 ms after ours left."""
    with Sim("--slots", str(slots), *sim_args) as sim, Serve(config({"a": sim.url})) as gateway:
        client = gateway.open(content)
        before_leaving(client, sim)
        left_s = client.leave(reset)
        f.true(f"{what}: idle again", wait_until(lambda: gateway.metric(
            "paretopilot_backend_in_flight", backend="a") == 0))
        f.true(f"{what}: the server noticed",
               wait_until(lambda: sim.metrics()["paretopilot_sim:open_requests"] == 0))
        again = gateway.chat(tokens=1) if "--fault" not in sim_args else None
        sim.stop()
        ends = [line for line in sim.lines("end", 1)]
        f.equal(f"{what}: how it ended there", [line["outcome"] for line in ends], ["gone"])
        if ends:
            f.between(f"{what}: ms until the server knew", ends[0]["at_ns"] / 1e6 - left_s * 1e3,
                      -1, 250)
        if again is not None:
            f.equal(f"{what}: the next request", again.status, 200)


def arrived(sim, count=1):
    return wait_until(lambda: sim.metrics()["paretopilot_sim:requests_total"] >= count)


def client_leaves_before_the_head(f):
    for stream in (False, True):
        leaves(f, f"silent, stream={stream}", ["--fault", "silent"], body(stream=stream),
               lambda client, sim: arrived(sim))


def client_leaves_between_head_and_first_event(f):
    leaves(f, "head only", ["--fault", "head-only"], body(stream=True),
           lambda client, sim: arrived(sim))
    leaves(f, "before the first token", ["--fault", "slow:20s", "--fault", "early-head"],
           body(stream=True), lambda client, sim: arrived(sim))


def client_leaves_in_the_stream(f):
    for reset in (False, True):
        leaves(f, f"third event, reset={reset}", ["--token-time", "200ms"],
               body(stream=True, tokens=100), lambda client, sim: client.read_events(3), reset)


def client_leaves_a_plain_request(f):
    leaves(f, "plain", ["--token-time", "200ms"], body(tokens=100),
           lambda client, sim: arrived(sim))


def client_leaves_the_line(f):
    """One that waits and leaves is never sent to the server."""
    with Sim("--token-time", "20ms") as sim, Serve(config({"a": sim.url})) as gateway:
        first = gateway.open(body(stream=True, tokens=40))
        f.true("the first one runs", first.read_events(2))
        waiting = gateway.open(body(stream=True, tokens=1))
        f.true("one waits", wait_until(
            lambda: gateway.get("/health").json["models"][0]["waiting"] == 1))
        waiting.leave()
        f.true("none waits", wait_until(
            lambda: gateway.get("/health").json["models"][0]["waiting"] == 0))
        f.equal("the first one's end", first.reply().has_end_mark, True)
        sim.stop()
        f.equal("requests at the server", len(sim.lines("arrival")), 1)
        gateway.stop()


def lost_client_is_not_the_back_ends_fault(f):
    """The client resets, and in the same turn of the gateway the rest of the reply is there: what it
    could not write any more says nothing about the server."""
    def chunk(event):
        return b"%x\r\n%b\r\n" % (len(event), event)

    event = chunk(b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n')
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(10)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with Serve(config({"a": url}, backends={"a": {"server": "openai"}})) as gateway:
            for _ in range(8):  # more than the breaker forgives
                client = gateway.open(body(stream=True))
                server, _ = listener.accept()
                server.recv(65536)
                server.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                               b"Transfer-Encoding: chunked\r\n\r\n" + event)
                f.true("the first event", client.read_events(1))
                gateway.signal(signal.SIGSTOP)
                time.sleep(0.02)
                client.leave(reset=True)
                server.sendall(event + event + chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n")
                time.sleep(0.02)
                gateway.signal(signal.SIGCONT)
                f.true("let go", wait_until(lambda: gateway.metric(
                    "paretopilot_backend_in_flight") == 0))
                server.close()
            f.equal("clients gone", gateway.metric("paretopilot_client_gone_total"), 8)
            f.equal("failed attempts", gateway.metric("paretopilot_upstream_attempts_total",
                                                      outcome="failed"), 0)
            f.equal("failures", gateway.metric("paretopilot_failures_total"), 0)


# ---- who breaks ----------------------------------------------------------------------------------

FAILURES = {
    "status 503": ["--fault", "status:503"],
    "status 429": ["--fault", "status:429"],
    "status 409": ["--fault", "status:409"],
    "status 500": ["--fault", "status:500"],
    "silent": ["--fault", "silent"],
}
STREAM_FAILURES = {
    "first event is an error": ["--fault", "error:data", "--fault", "error-after:0"],
    "reset at once": ["--fault", "reset-after:0"],
    "close at once": ["--fault", "close-after:0"],
}


def another_back_end_answers(f):
    for stream in (True, False):
        for what, args in {**FAILURES, **(STREAM_FAILURES if stream else {})}.items():
            with Sim(*FAST, *args) as bad, Sim(*FAST, "--seed", "7") as good, \
                    Serve(config({"bad": bad.url, "good": good.url},
                                 backends={n: {"max_in_flight": 1} for n in ("bad", "good")},
                                 timeouts_ms={"connect": 200, "first_byte": 400})) as gateway:
                got = gateway.chat(stream=stream)
                f.equal(f"{what}, stream={stream}: status", got.status, 200)
                f.equal(f"{what}, stream={stream}: end", got.end, "whole")
                f.equal(f"{what}, stream={stream}: back end",
                        got.headers["X-ParetoPilot-Backend"], "good")
                f.equal(f"{what}, stream={stream}: text", got.text,
                        direct(good, body(stream=stream)).text)
                bad.stop()
                f.equal(f"{what}, stream={stream}: tries", len(bad.lines("arrival")), 1)


def nobody_listens(f):
    """Refused connections go on to the next one; with none left it is a 502 without addresses."""
    dead = f"http://127.0.0.1:{closed_port()}"
    with Sim(*FAST) as good, Serve(config({"dead": dead, "good": good.url},
                                          {"m": ["dead", "good"], "d": ["dead"]})) as gateway:
        f.equal("with another one", gateway.chat().status, 200)
        got = gateway.chat(model="d")
        f.equal("alone", got.status, 502)
        f.equal("code", got.error.get("code"), "upstream_refused")
        f.true("no address", b"127.0.0.1" not in got.body, got.body)


def last_answer_is_given(f):
    """When every back end refuses, the client hears the last one, with its Retry-After."""
    with Sim("--fault", "status:429", "--fault", "retry-after:7") as a, \
            Serve(config({"a": a.url})) as gateway:
        got = gateway.chat()
        f.equal("status", got.status, 429)
        f.equal("Retry-After", got.headers["Retry-After"], "7")
        f.equal("message", got.error.get("message"), "a simulated failure")
        again = gateway.chat()
        f.equal("while it is to be left alone", again.status, 503)
        f.between("Retry-After then", int(again.headers["Retry-After"]), 1, 7)
        a.stop()
        f.equal("requests there", len(a.lines("arrival")), 1)


def endless_refusal_is_not_relayed(f):
    """What a client may not have of a refusal is hidden however long that is: here our key."""
    key = "a-key-of-the-gateway-alone"
    page = b"{'key': '%s'}" % key.encode() + b"." * (5 << 20)
    for status in (401, 500):
        head = (b"HTTP/1.1 %d No\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n"
                b"Connection: close\r\n\r\n" % (status, len(page)))
        with Scripted(head + page) as server, \
                Serve(config({"a": server.url}, backends={
                    "a": {"server": "openai", "api_key_env": "KEY_OF_A"}}),
                    env={"KEY_OF_A": key}) as gateway:
            got = gateway.chat()
            f.true(f"{status}: the key was sent", key.encode() in server.requests[0])
            f.equal(f"{status}: status", got.status, 502)
            f.equal(f"{status}: code", got.error.get("code"), "upstream_invalid")
            f.true(f"{status}: the key is not shown", key.encode() not in got.body)


def broken_stream_says_so(f):
    """After the first event nothing is tried again, and nothing ends as if it were whole."""
    for what in ("close-after:4", "reset-after:4", "cut-character"):
        for usage in (None, {"include_usage": True}):
            with Sim(*FAST, "--fault", what) as bad, Sim(*FAST) as good, \
                    Serve(config({"bad": bad.url, "good": good.url})) as gateway:
                got = gateway.chat(stream=True, tokens=20, stream_options=usage)
                f.equal(f"{what}: status", got.status, 200)
                f.equal(f"{what}: end", got.end, "cut")
                f.equal(f"{what}: error", got.stream_error.get("code"), "upstream_broke")
                f.true(f"{what}: the error is last", "error" in (got.data or [{}])[-1], got.data[-1:])
                f.true(f"{what}: no end mark", not got.has_end_mark)
                f.true(f"{what}: whole events only",
                       all(isinstance(e, dict) or e == "[DONE]" for e in got.data))
                good.stop()
                f.equal(f"{what}: requests at the other", len(good.lines("arrival")), 0)


def done_is_done(f):
    """After its end mark a server may frame as badly as it likes: the answer is whole (G21)."""
    for what in ("no-last-chunk", "stream-length:1000000", "read-to-close"):
        with Sim(*FAST, "--fault", what) as sim, Serve(config({"a": sim.url})) as gateway:
            got = gateway.chat(stream=True, tokens=20)
            f.equal(f"{what}: end", got.end, "whole")
            f.true(f"{what}: an end mark", got.has_end_mark)
            f.equal(f"{what}: text", got.text, direct(sim, body(stream=True, tokens=20)).text)


def plain_reply_that_breaks(f):
    """Nothing of it was given away, so it is a 502 (here with nobody else to ask)."""
    for what in (("wrong-length:1",), ("error:data", "error-after:0")):
        with Sim(*FAST, *(word for w in what for word in ("--fault", w))) as sim, Serve(config({"a": sim.url})) as gateway:
            got = gateway.chat()
            f.equal(f"{what}: status", got.status, 502)
            f.equal(f"{what}: type", got.error.get("type"), "upstream_error")


def breaker_opens(f):
    """One that fails fast is left alone, and found again when it has recovered (G33)."""
    with Sim(*FAST, "--fault", "status:503@first:3", "--fault", "retry-after:0") as bad, \
            Sim(*FAST) as good, \
            Serve(config({"bad": bad.url, "good": good.url},
                         breaker={"failures": 3, "window_ms": 10000, "open_ms": 500})) as gateway:
        for _ in range(8):
            f.equal("status", gateway.chat(tokens=1).status, 200)
        f.equal("state", gateway.get("/health").json["models"][0]["backends"][0]["breaker"], "open")
        time.sleep(0.6)
        f.equal("after the pause", gateway.chat(tokens=1).headers["X-ParetoPilot-Backend"], "bad")
        f.equal("state", gateway.get("/health").json["models"][0]["backends"][0]["breaker"],
                "closed")
        bad.stop()
        f.equal("requests there", len(bad.lines("arrival")), 4)


def timers_have_codes(f):
    # `wait` holds the reply back; `usage-pause` is silence within a stream
    rows = (
        ("first_byte", {"connect": 200, "first_byte": 300}, ["--fault", "silent"],
         {}, 504, "first_byte_timeout"),
        ("total", {"connect": 200, "first_byte": 400, "between_bytes": 400, "total": 500},
         ["--token-time", "50ms"], {"tokens": 100, "stream": True}, 200, "total_timeout"),
        ("between_bytes", {"between_bytes": 300}, ["--token-time", "2s"],
         {"tokens": 9, "stream": True}, 200, "idle_timeout"),
    )
    for what, timers, args, ask, status, code in rows:
        queue = {"max_wait_ms": 400}
        with Sim(*args) as sim, Serve(config({"a": sim.url}, timeouts_ms=timers,
                                             queue=queue)) as gateway:
            got = gateway.chat(**ask)
            f.equal(f"{what}: status", got.status, status)
            error = got.stream_error if status == 200 else got.error
            f.equal(f"{what}: code", error.get("code"), code)
            f.between(f"{what}: seconds", got.seconds, 0.25, 4)
            f.true(f"{what}: the server is let go", wait_until(lambda: sim_is_idle(sim)))


# ---- how many ------------------------------------------------------------------------------------

def full_line_is_refused_at_once(f):
    """The server gets one at a time; one waits; the rest is refused within 60 ms (G65)."""
    with Sim("--token-time", "20ms") as sim, \
            Serve(config({"a": sim.url}, queue={"max_waiting": 1})) as gateway:
        running = gateway.open(body(stream=True, tokens=40))
        f.true("one runs", running.read_events(2))
        waiting = gateway.open(body(tokens=1))
        f.true("one waits", wait_until(
            lambda: gateway.get("/health").json["models"][0]["waiting"] == 1))
        refused = [gateway.chat(tokens=1) for _ in range(10)]
        f.equal("statuses", {r.status for r in refused}, {429})
        f.equal("codes", {r.error.get("code") for r in refused}, {"queue_full"})
        f.true("Retry-After", all(int(r.headers["Retry-After"]) >= 1 for r in refused))
        f.between("ms, median", sorted(r.seconds for r in refused)[5] * 1e3, 0, 60)
        f.equal("health is served", gateway.get("/health").status, 200)
        f.equal("the one that ran", running.reply().has_end_mark, True)
        f.equal("the one that waited", waiting.reply().status, 200)
        f.equal("most at once", sim.metrics()["paretopilot_sim:open_requests_max"], 1)


def waiting_has_an_end(f):
    with Sim("--token-time", "50ms") as sim, \
            Serve(config({"a": sim.url}, queue={"max_wait_ms": 200})) as gateway:
        with gateway.open(body(stream=True, tokens=100)) as running:
            f.true("one runs", running.read_events(2))
            got = gateway.chat(tokens=1)
            f.equal("status", got.status, 429)
            f.equal("code", got.error.get("code"), "queue_timeout")
            f.true("Retry-After", got.headers["Retry-After"])
            f.between("seconds", got.seconds, 0.2, 2)


def slots_are_asked(f):
    """Where nobody says how many, a llama-server is asked for its slots."""
    with Sim("--slots", "3", "--token-time", "5ms") as sim, Serve(config({"a": sim.url})) as gateway:
        f.true("asked", wait_until(lambda: gateway.get("/health").json["models"][0]["backends"][0]
                                   ["in_flight_max"] == 3))
        clients = [gateway.open(body(stream=True, tokens=60)) for _ in range(8)]
        f.equal("whole", [c.reply().has_end_mark for c in clients], [True] * 8)
        f.equal("most at once", sim.metrics()["paretopilot_sim:open_requests_max"], 3)


def least_busy_is_chosen(f):
    with Sim("--slots", "4", "--token-time", "20ms") as a, \
            Sim("--slots", "4", "--token-time", "20ms") as b:
        document = config({"a": a.url, "b": b.url},
                          backends={n: {"max_in_flight": 4} for n in "ab"})
        document["models"][0]["choose"] = "least-busy"
        with Serve(document) as gateway:
            clients = [gateway.open(body(stream=True, tokens=20)) for _ in range(8)]
            names = [c.reply().headers["X-ParetoPilot-Backend"] for c in clients]
            f.equal("answers of each", sorted(names), ["a"] * 4 + ["b"] * 4)


# ---- silence -------------------------------------------------------------------------------------

def comments_keep_a_stream_alive(f):
    """No byte for 1.5 s from the server: the client hears something all the time (G12)."""
    timers = {"hold": 200, "keep_alive_comment": 200}
    with Sim(*FAST, "--fault", "wait:1500ms") as sim, \
            Serve(config({"a": sim.url}, timeouts_ms=timers)) as gateway:
        client = gateway.open(body(stream=True))
        pauses = []
        before = time.monotonic()
        while b"[DONE]" not in client.raw and client.read(10):
            pauses.append(time.monotonic() - before)
            before = time.monotonic()
        got = client.reply()
        f.equal("status", got.status, 200)
        f.true("media type", got.headers["Content-Type"].startswith("text/event-stream"))
        f.between("comments", len(got.comments), 4, 8)
        f.between("longest silence, s", max(pauses), 0.1, 0.8)
        f.true("an end mark", got.has_end_mark)
        f.equal("text", got.text, direct(sim, body(stream=True)).text)
        f.between("TTFT in the figures, s", gateway.metric(
            "paretopilot_time_to_first_token_seconds_sum"), 1.4, 9)


def plain_reply_to_a_stream(f):
    """A server that knows no streams takes longer than the hold time within its plain reply: it
    stays a plain reply, without our head or comments in it."""
    answer = b'{"choices":[{"message":{"content":"one two"},"finish_reason":"stop"}]}'
    head = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
            b"Connection: close\r\n\r\n" % len(answer))
    timers = {"hold": 200, "keep_alive_comment": 200}
    with Scripted(head + answer[:20], answer[20:], pause_s=1) as server, \
            Serve(config({"a": server.url}, backends={"a": {"server": "openai"}},
                         timeouts_ms=timers)) as gateway:
        got = gateway.chat(stream=True)
        f.equal("status", got.status, 200)
        f.equal("media type", got.headers["Content-Type"], "application/json")
        f.equal("bytes", got.body, answer)
        f.between("seconds", got.seconds, 0.9, 9)


def another_one_after_the_hold_time(f):
    """Our own head and comments are no answer yet: another back end may still give one."""
    timers = {"hold": 100, "connect": 100, "first_byte": 600}
    with Sim(*FAST, "--fault", "silent") as bad, Sim(*FAST) as good, \
            Serve(config({"bad": bad.url, "good": good.url}, {"m": ["bad", "good"], "b": ["bad"]},
                         timeouts_ms=timers)) as gateway:
        got = gateway.chat(stream=True)
        f.equal("status", got.status, 200)
        f.true("an end mark", got.has_end_mark)
        f.equal("text", got.text, direct(good, body(stream=True)).text)
        got = gateway.chat(stream=True, model="b")
        f.equal("alone: status", got.status, 200)
        f.equal("alone: error", got.stream_error.get("code"), "first_byte_timeout")
        f.true("alone: no end mark", not got.has_end_mark)
        f.equal("alone: end", got.end, "cut")


def refusal_after_the_hold_time(f):
    """The client has our 200 already; what the server says of the request still reaches it."""
    with Sim("--fault", "wait:500ms", "--fault", "status:422") as sim, \
            Serve(config({"a": sim.url}, timeouts_ms={"hold": 100})) as gateway:
        got = gateway.chat(stream=True)
        f.equal("status", got.status, 200)
        f.equal("error", got.stream_error.get("message"),
                json.loads(direct(sim, body(stream=True)).body)["error"]["message"])
        f.true("no end mark", not got.has_end_mark)
        f.equal("end", got.end, "cut")


def comments_in_line(f):
    """Refused by one server after the hold time, in line for the other: still no long silence."""
    timers = {"hold": 100, "keep_alive_comment": 100}
    with Sim("--fault", "wait:200ms", "--fault", "status:503") as bad, \
            Sim("--token-time", "20ms") as good, \
            Serve(config({"bad": bad.url, "good": good.url},
                         {"m": ["bad", "good"], "g": ["good"]},
                         backends={n: {"max_in_flight": 1} for n in ("bad", "good")},
                         timeouts_ms=timers)) as gateway:
        running = gateway.open(body(stream=True, tokens=80, model="g"))
        f.true("one runs", running.read_events(2))
        got = gateway.chat(stream=True, tokens=2)
        f.true("it had its answer", got.has_end_mark)
        f.equal("back end's tries", gateway.metric("paretopilot_upstream_attempts_total"), 3)
        # some 1.3 s in line
        f.between("comments", len(got.comments), 5, 20)
        f.equal("the other one", running.reply().has_end_mark, True)


# ---- the end -------------------------------------------------------------------------------------

def draining_lets_replies_end(f):
    with Sim("--token-time", "20ms") as sim, Serve(config({"a": sim.url})) as gateway:
        running = gateway.open(body(stream=True, tokens=40))
        waiting = gateway.open(body(tokens=1))
        f.true("one runs", running.read_events(2))
        gateway.signal(signal.SIGTERM)
        f.true("nobody is accepted", wait_until(lambda: refused(gateway.port)))
        f.equal("the running one", running.reply().has_end_mark, True)
        f.equal("the waiting one", waiting.reply().status, 200)
        f.equal("exit code", gateway.stop(), 143)


def refused(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return True
    return False


def draining_has_a_deadline(f):
    with Sim("--token-time", "100ms") as sim, \
            Serve(config({"a": sim.url}, timeouts_ms={"drain": 300})) as gateway:
        running = gateway.open(body(stream=True, tokens=200))
        waiting = gateway.open(body(tokens=1))
        f.true("one runs", running.read_events(2))
        began = time.monotonic()
        gateway.signal(signal.SIGTERM)
        cut = running.reply()
        f.equal("the running one", cut.stream_error.get("code"), "draining")
        f.true("no end mark", not cut.has_end_mark)
        f.equal("the waiting one", waiting.reply().status, 503)
        f.equal("exit code", gateway.stop(), 143)
        f.between("seconds", time.monotonic() - began, 0.3, 5)
        f.true("the server is let go", wait_until(lambda: sim_is_idle(sim)))


# ---- the other paths -----------------------------------------------------------------------------

def paths_and_methods(f):
    with Sim(*FAST) as sim, Serve(config({"a": sim.url}, {"one": ["a"], "two": ["a"]})) as gateway:
        models = gateway.get("/v1/models")
        f.equal("models", [m["id"] for m in models.json["data"]], ["one", "two"])
        f.equal("health", gateway.get("/health").json["status"], "ok")
        f.true("figures", b"# TYPE" in gateway.get("/metrics").body)
        for path, method, status, allow in (
                ("/v1/chat/completions", "GET", 405, "POST"),
                ("/v1/chat/completions", "HEAD", 405, "POST"),
                ("/health", "DELETE", 405, "GET, HEAD"),
                ("/v1/chat/completions", "OPTIONS", 204, "POST, OPTIONS"),
                ("/v1/embeddings", "GET", 404, None)):
            got = gateway.get(path, method=method)
            f.equal(f"{method} {path}", (got.status, got.headers["Allow"]), (status, allow))
        got = gateway.chat(model="three")
        f.equal("another model", (got.status, got.error.get("code")), (404, "model_not_found"))
        f.equal("no model", gateway.chat(model=None).status, 200)
        got = gateway.ask(b'{"model":"one","model":"two","messages":[]}')
        f.equal("a key twice", (got.status, got.error.get("type")), (400, "invalid_request_error"))
        for what, got, status, code in (
                ("no HTTP", raw(gateway, b"GET / HTTP/1.1\nHost: a\r\n\r\n"), 400, "bad_request"),
                ("a large body", raw(gateway, b"POST /v1/completions HTTP/1.1\r\nHost: a\r\n"
                                     b"Content-Length: 99999999999\r\n\r\n"),
                 413, "request_too_large"),
                ("a large head", raw(gateway, b"GET / HTTP/1.1\r\nHost: a\r\nX: %b\r\n\r\n"
                                     % (b"y" * 40000)), 431, "headers_too_large")):
            f.equal(what, (got.status, got.error.get("code")), (status, code))
        sim.stop()
        f.equal("requests at the server", len(sim.lines("arrival")), 1)


def raw(gateway, content):
    """The reply to these bytes."""
    with gateway.connect() as client:
        client.socket.sendall(content)
        return client.reply(5)


def keys_are_asked(f):
    keys = {"keys.txt": "alice sk-0123456789abcdef0123\n"}
    with Sim(*FAST) as sim, Serve(config({"a": sim.url}, keys={"file": "keys.txt"},
                                         access_log="access.jsonl"), files=keys) as gateway:
        f.equal("none", gateway.chat().error.get("code"), "missing_api_key")
        wrong = "sk-ffffffffffffffffffff"
        got = gateway.chat(headers={"Authorization": f"Bearer {wrong}"})
        f.equal("a wrong one", (got.status, got.error.get("code")), (401, "invalid_api_key"))
        f.true("it is not repeated", wrong.encode() not in got.body)
        got = gateway.chat(headers={"Authorization": "Bearer sk-0123456789abcdef0123"})
        f.equal("the right one", got.status, 200)
        f.equal("health needs none", gateway.get("/health").status, 200)
        f.equal("models need one", gateway.get("/v1/models").status, 401)
        gateway.stop()
        log = gateway.access_log()
        f.equal("names in the log", [line["key"] for line in log if line["path"] == CHAT],
                [None, None, "alice"])
        f.true("no key in it", wrong not in json.dumps(log))


def keys_are_not_guessed_fast(f):
    """Wrong keys count for the rate of their address; a right one, too."""
    with Sim(*FAST) as sim, Serve(config(
            {"a": sim.url}, keys={"file": "keys.txt"},
            rate={"per_address": {"per_second": 0.01, "burst": 3}}),
            files={"keys.txt": "alice sk-0123456789abcdef0123\n"}) as gateway:
        tries = [gateway.chat(headers={"Authorization": f"Bearer sk-wrong-{i:016}"})
                 for i in range(5)]
        f.equal("statuses", [got.status for got in tries], [401, 401, 401, 429, 429])
        f.between("seconds to wait", int(tries[4].headers.get("Retry-After", 0)), 90, 100)
        f.equal("health is not counted", gateway.get("/health").status, 200)


def every_request_is_counted(f):
    """Streams and plain requests, whole and left (G31, G2)."""
    with Sim("--token-time", "5ms") as sim, \
            Serve(config({"a": sim.url}, access_log="access.jsonl")) as gateway:
        for stream in (True, False):
            for _ in range(3):
                f.equal("status", gateway.chat(stream=stream, tokens=4).status, 200)
        with gateway.open(body(stream=True, tokens=1000)) as client:
            client.read_events(3)
        name = "paretopilot_requests_total"
        f.true("counted", wait_until(lambda: gateway.metric(name, endpoint="chat") == 7),
               gateway.metrics())
        f.equal("tokens", gateway.metric("paretopilot_completion_tokens_total"), 24)
        gateway.stop()
        log = [line for line in gateway.access_log() if line["path"] == CHAT]
        f.equal("lines", len(log), 7)
        f.equal("tokens in them", [line["usage"]["completion_tokens"] for line in log[:6]], [4] * 6)
        f.equal("the one that left", (log[6]["client_gone"], log[6]["usage"]["partial"]),
                (True, True))


def slow_reader_holds_nobody_up(f):
    """A client that does not read stops its own stream only; when it reads again all is there."""
    with Sim("--slots", "2", "--token-time", "0.01ms", "--answer-tokens", "200000",
             "--ctx-size", "1000000") as sim, \
            Serve(config({"a": sim.url}, limits={"stream_buffer_bytes": 65536})) as gateway:
        slow = gateway.open(body(stream=True, tokens=60000), receive_buffer=65536)
        f.true("it has begun", slow.read_until(b"data:"))
        time.sleep(0.5)
        other = gateway.chat(stream=True, tokens=50)
        f.true("another one", other.has_end_mark)
        f.between("its seconds", other.seconds, 0, 3)
        got = slow.reply(60)
        f.true("the slow one, in the end", got.has_end_mark, got.end)
        f.equal("its tokens", sum(1 for e in got.data if isinstance(e, dict)
                                  and e["choices"][0]["delta"].get("content")), 60000)


if __name__ == "__main__":
    raise SystemExit(main([
        ("a stream is what the server sends", stream_is_the_same),
        ("a plain reply is what the server sends", plain_is_the_same),
        ("G4: usage that was asked for is the server's", usage_is_the_same),
        ("odd framings go through unchanged", odd_framings_are_the_same),
        ("a refusal of the request is the server's", refusals_of_the_back_end_are_the_same),
        ("only the name of the model changes on the way", other_name_upstream),
        ("a client leaves before the head", client_leaves_before_the_head),
        ("G3: a client leaves before the first event", client_leaves_between_head_and_first_event),
        ("G2: a client leaves in the stream", client_leaves_in_the_stream),
        ("a client leaves a plain request", client_leaves_a_plain_request),
        ("a client leaves the line", client_leaves_the_line),
        ("a lost client is not the back end's fault", lost_client_is_not_the_back_ends_fault),
        ("another back end answers before anything was given", another_back_end_answers),
        ("nobody listens", nobody_listens),
        ("the last answer is given", last_answer_is_given),
        ("an endless refusal is not relayed", endless_refusal_is_not_relayed),
        ("G15 G16: a broken stream says so", broken_stream_says_so),
        ("G21: done is done", done_is_done),
        ("G22 G36: a plain reply that breaks", plain_reply_that_breaks),
        ("G33: a back end that fails is left alone", breaker_opens),
        ("timers have codes", timers_have_codes),
        ("G65: a full line is refused at once", full_line_is_refused_at_once),
        ("waiting has an end", waiting_has_an_end),
        ("slots are asked", slots_are_asked),
        ("the least busy one is chosen", least_busy_is_chosen),
        ("G12: comments keep a stream alive", comments_keep_a_stream_alive),
        ("a plain reply to a stream", plain_reply_to_a_stream),
        ("another one after the hold time", another_one_after_the_hold_time),
        ("a refusal after the hold time", refusal_after_the_hold_time),
        ("comments in line", comments_in_line),
        ("draining lets replies end", draining_lets_replies_end),
        ("draining has a deadline", draining_has_a_deadline),
        ("paths and methods", paths_and_methods),
        ("G9: keys are asked for", keys_are_asked),
        ("keys are not guessed fast", keys_are_not_guessed_fast),
        ("G2 G31: every request is counted", every_request_is_counted),
        ("a slow reader holds nobody up", slow_reader_holds_nobody_up),
    ]))
