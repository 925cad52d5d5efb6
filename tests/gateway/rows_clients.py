#!/usr/bin/env python3
"""Clients: with wrong keys, of other origins, too many of them, and those that do not read."""

import hashlib
import re
import select
import threading
import time

from harness import CHAT, Serve, Sim, body, config, sim_is_idle, wait_until
from rows import FAST, LONG, at_once, main

# Answers that come as fast as they are taken.
ENDLESS = ("--token-time", "0.01ms", "--prefill", "1us", "--answer-tokens", "1000000",
           "--ctx-size", "10000000")


# ---- keys ----------------------------------------------------------------------------------------

def g9_a_rejected_key_is_not_repeated(f):
    """Neither whole nor a part of it: eight digits of its digest are all that may be said."""
    wrong = "sk-Wq7tZp3LmX9vBn5kRd2h"
    with Sim(*FAST) as sim, \
            Serve(config({"a": sim.url}, keys={"file": "keys.txt"}, access_log="access.jsonl"),
                  files={"keys.txt": "alice sk-0123456789abcdef0123\n"}) as gateway:
        replies = [gateway.chat(headers=h) for h in (
            {"Authorization": f"Bearer {wrong}"}, {"Authorization": f"bearer  {wrong} "},
            {"Authorization": wrong}, {"Authorization": f"Basic {wrong}"},
            {"Authorization": f"Bearer {wrong}{'x' * 9000}"},
            {"Authorization": f"Bearer sk-0123456789abcdef0123{wrong}"},
            {"X-Api-Key": wrong}, {"api-key": wrong})]
        replies.append(gateway.ask(body(), f"{CHAT}?api_key={wrong}"))
        replies.append(gateway.get("/v1/models", {"Authorization": f"Bearer {wrong}"}))
        f.equal("statuses", [r.status for r in replies], [401] * len(replies))
        gateway.stop()
        log = (gateway.path / "access.jsonl").read_text()
        parts = {wrong[at:at + 6] for at in range(len(wrong) - 5)}
        for what, content in [*((f"reply {n}", f"{r.headers}{r.body.decode()}")
                                for n, r in enumerate(replies)),
                              ("log", log), ("standard error", gateway.err)]:
            f.equal(f"{what}: parts of the key", [p for p in parts if p in content], [])
        digest = hashlib.sha256(wrong.encode()).hexdigest()
        f.true("the digits are told", digest[:8] in replies[0].body.decode(), replies[0].body)
        f.equal("no more of them", [w for w in (log, replies[0].body.decode()) if digest[:9] in w], [])
        sim.stop()
        f.equal("requests at the server", len(sim.lines("arrival")), 0)


# ---- pages of other origins ----------------------------------------------------------------------

ORIGIN = "https://page.example"
SDK = ["X-Stainless-Lang", "x-stainless-package-version", "X-Stainless-OS", "x-stainless-arch",
       "x-stainless-runtime", "x-stainless-retry-count", "OpenAI-Beta", "x!#$%&'*+-.^_`|~1",
       "Content-Type", "authorization"]


def preflight(gateway, asked, origin=ORIGIN, method="POST"):
    return gateway.get(CHAT, {"Origin": origin, "Access-Control-Request-Method": method,
                              "Access-Control-Request-Headers": asked}, "OPTIONS")


def names_in(reply, header="Access-Control-Allow-Headers"):
    return {name.strip().lower() for name in (reply.headers.get(header) or "").split(",")} - {""}


def g27_headers_of_sdks_are_allowed(f):
    with Sim(*FAST) as sim, \
            Serve(config({"a": sim.url}, cors={"origins": [ORIGIN]}, keys={"file": "keys.txt"}),
                  files={"keys.txt": "alice sk-0123456789abcdef0123\n"}) as gateway:
        got = preflight(gateway, ", ".join(SDK))
        f.true("status", got.status in (200, 204), got.status)
        f.equal("origin", got.headers["Access-Control-Allow-Origin"], ORIGIN)
        f.true("POST", "POST" in got.headers["Access-Control-Allow-Methods"])
        f.equal("missing names", {n.lower() for n in SDK} - names_in(got), set())
        for name in SDK:
            f.true(f"{name} alone", name.lower() in names_in(preflight(gateway, name)))
        other = preflight(gateway, ", ".join(SDK), "https://other.example")
        f.equal("another origin", other.headers["Access-Control-Allow-Origin"], None)


TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def head_is_legal(raw):
    """Lines of names and values without control characters."""
    lines = raw.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return re.fullmatch(rb"HTTP/1\.1 \d{3} [ -~]*", lines[0]) and all(
        re.fullmatch(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+: [\t -~]*", line) for line in lines[1:])


def g28_reflected_names_are_legal(f):
    values = [b"*, ", b"", b" ", b",", b",,,a,,", b"a b", b"*", b"x" * 8192, b", ".join([b"x%d" % n for n in range(1200)]),
              b"a\rSet-Cookie: b=c", b"a\nSet-Cookie: b=c", b"a\r\nSet-Cookie: b=c", b"a\0b", b"\xff\xfe",
              b"a\tb", b'"quoted"', b"(comment)", "nämé".encode()]
    with Sim(*FAST) as sim, Serve(config({"a": sim.url}, cors={"origins": [ORIGIN]})) as gateway:
        for origin in (ORIGIN.encode(), b"null", b"*, "):
            for value in values:
                with gateway.connect() as client:
                    client.socket.sendall(
                        b"OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: a\r\nOrigin: " + origin +
                        b"\r\nAccess-Control-Request-Method: POST\r\n"
                        b"Access-Control-Request-Headers: " + value + b"\r\n\r\n")
                    got = client.reply(5)
                    raw = bytes(client.raw)
                shown = f"{value[:40]!r}, {origin!r}"
                f.true(f"{shown}: a reply", got.status and got.end == "whole", (got.end, raw[:200]))
                f.true(f"{shown}: legal", head_is_legal(raw), raw[:400])
                names = names_in(got)
                f.equal(f"{shown}: no names", [n for n in names if not TOKEN.fullmatch(n)], [])
                f.true(f"{shown}: not all", "*" not in names, names)
                f.equal(f"{shown}: cookies", got.headers["Set-Cookie"], None)
                f.true(f"{shown}: size", len(raw) < 10000, len(raw))
                f.true(f"{shown}: origin", got.headers["Access-Control-Allow-Origin"] in
                       ((None, ORIGIN) if origin == ORIGIN.encode() else (None,)), got.headers)
        f.equal("and a usual request", gateway.chat(headers={"Origin": ORIGIN}).status, 200)


# ---- too many ------------------------------------------------------------------------------------

def g29_a_full_model_stops_nothing_else(f):
    with Sim("--token-time", "100ms") as sim, Sim(*FAST) as other, \
            Serve(config({"a": sim.url, "b": other.url}, {"m": ["a"], "n": ["b"]},
                         backends={"a": {"max_in_flight": 1}}, queue={"max_waiting": 0},
                         cors={"origins": [ORIGIN]})) as gateway:
        with gateway.open(body(stream=True, tokens=100)) as running:
            f.true("one runs", running.read_events(2))
            f.equal("its model is full", gateway.chat(tokens=1).status, 429)
            for path in ("/health", "/metrics", "/v1/models"):
                f.equal(path, gateway.get(path).status, 200)
                f.equal(f"HEAD {path}", gateway.get(path, method="HEAD").status, 200)
            f.equal("a preflight", preflight(gateway, "content-type").status, 204)
            f.equal("another model", gateway.chat(model="n").status, 200)
            f.equal("what is nowhere", gateway.get("/nowhere").status, 404)


def flood(gateway, count, leave_waiting):
    """So many requests at the same moment; the clients, and the seconds of each that was answered. It is
    over when all but `leave_waiting` were."""
    clients = [gateway.connect() for _ in range(count)]
    content = body(tokens=1)
    request = (f"POST {CHAT} HTTP/1.1\r\nHost: a\r\nContent-Length: {len(content)}\r\n\r\n"
               .encode() + content)
    sent, took, poll = {}, {}, select.poll()
    for client in clients:
        client.socket.sendall(request)
        sent[client.socket.fileno()] = time.monotonic()
        poll.register(client.socket, select.POLLIN)
    while len(took) < count - leave_waiting and (ready := poll.poll(2000)):
        for fd, _ in ready:
            took[fd] = time.monotonic() - sent[fd]
            poll.unregister(fd)
    return clients, took


def g65_a_flood_is_refused_at_once(f):
    """A hundred at the same time, one slot, three that may wait."""
    count, waiting = 100, 3
    with Sim("--token-time", "50ms") as sim, \
            Serve(config({"a": sim.url}, backends={"a": {"max_in_flight": 1}},
                         queue={"max_waiting": waiting})) as gateway:
        running = gateway.open(body(stream=True, tokens=100))
        f.true("one runs", running.read_events(2))
        clients, took = flood(gateway, count, waiting)
        f.equal("answered while the one runs", len(took), count - waiting)
        refused = [c for c in clients if c.socket.fileno() in took]
        replies = [c.reply() for c in refused]
        f.equal("statuses", {r.status for r in replies}, {429})
        f.equal("codes", {r.error.get("code") for r in replies}, {"queue_full"})
        f.true("Retry-After", all(int(r.headers["Retry-After"]) >= 1 for r in replies))
        medians = [sorted(took.values())[len(took) // 2]]
        while medians[-1] > 0.06 and len(medians) < 5:  # a machine that does other things
            more, took = flood(gateway, count, 0)
            medians.append(sorted(took.values())[len(took) // 2])
            for client in more:
                client.leave()
        f.between("ms, median", min(medians) * 1e3, 0, 60)
        f.true("the one", running.reply().has_end_mark)
        f.equal("those that waited", [c.reply().status for c in clients if c not in refused],
                [200] * waiting)
        f.equal("most at once", sim.metrics()["paretopilot_sim:open_requests_max"], 1)
        for client in [running, *clients]:
            client.leave()


# ---- who leaves ----------------------------------------------------------------------------------

def g3_leaving_while_nothing_comes(f):
    """Before the hold time and after it, when only comments of the gateway went by."""
    times, silence, timers = ((1, 12), "30s", {}) if LONG else ((0.15, 0.6), "20s", {"hold": 300})
    with Sim("--slots", "4", *FAST, "--fault", f"slow:{silence}", "--fault", "early-head") as sim, \
            Serve(config({"a": sim.url}, timeouts_ms=timers, access_log="access.jsonl")) as gateway:
        left = {}

        def leave(n):
            stay_s, stream = times[n // 2], n % 2 == 0
            with gateway.open(body(stream=stream)) as client:
                time.sleep(stay_s)
                left[n] = client.leave(reset=n == 3)
        at_once(4, leave)
        f.true("nobody is left", wait_until(lambda: sim_is_idle(sim)))
        sim.stop()
        ends = sorted((line["at_ns"] / 1e9, line["outcome"]) for line in sim.lines("end"))
        f.equal("how they ended there", [e for _, e in ends], ["gone"] * 4)
        for n, (at, (end_s, _)) in enumerate(zip(sorted(left.values()), ends)):
            f.between(f"s until the server knew, {n}", end_s - at, -0.01, 0.5)
        gateway.stop()
        lines = [line for line in gateway.access_log() if line["path"] == CHAT]
        f.equal("in the log", [line["client_gone"] for line in lines], [True] * 4)


# ---- who does not read ---------------------------------------------------------------------------

def g30_a_stream_that_is_never_read(f):
    """The log grows by a line for each request, however much waits for the one that does not read."""
    seconds, requests = (60, 200) if LONG else (2, 60)
    with Sim("--slots", "8", *ENDLESS) as sim, \
            Serve(config({"a": sim.url}, access_log="access.jsonl",
                         limits={"stream_buffer_bytes": 65536})) as gateway:
        with gateway.open(body(stream=True, tokens=1000000), receive_buffer=4096) as client:
            f.true("it has begun", client.read_until(b"data:"))
            began, replies = time.monotonic(), []
            while time.monotonic() - began < seconds or len(replies) < requests:
                if len(replies) < requests:
                    replies.append(gateway.chat(stream=len(replies) % 2 == 0, tokens=5))
                time.sleep(seconds / requests / 4)
            f.equal("others", {(r.status, r.end) for r in replies}, {(200, "whole")})
            f.equal("how many of them", len(replies), requests)
            f.true("it still runs", gateway.metric("paretopilot_backend_in_flight") == 1)
        f.true("it is let go", wait_until(
            lambda: gateway.metric("paretopilot_backend_in_flight") == 0))
        gateway.stop()
        log = [line for line in gateway.access_log() if line["path"] == CHAT]
        f.equal("lines", len(log), requests + 1)
        f.between("bytes of the log", (gateway.path / "access.jsonl").stat().st_size, 1,
                  100000 if requests < 100 else 200000)
        f.between("bytes on standard error", len(gateway.err), 0, 1000)


def g66_a_reader_that_stops(f):
    """What waited too long is cut: no end mark, no last chunk. Others do not notice."""
    stops_s, timers = (30, {"client_send": 20000}) if LONG else (1, {"client_send": 600})
    with Sim("--slots", "4", *ENDLESS) as sim, \
            Serve(config({"a": sim.url}, timeouts_ms=timers, access_log="access.jsonl",
                         limits={"stream_buffer_bytes": 65536})) as gateway:
        over = threading.Event()

        def stop():
            """The kernel takes some megabytes first, so the limit ends later than it seems."""
            with gateway.open(body(stream=True, tokens=1000000), receive_buffer=4096) as client:
                begun = client.read_until(b"data:")
                time.sleep(stops_s)
                wait_until(lambda: gateway.metric("paretopilot_client_gone_total") == 1, 30, 0.1)
                over.set()
                return begun, client.reply()

        def read():
            replies = []
            while not over.is_set():
                replies.append(gateway.chat(stream=True, tokens=50))
                over.wait(0.05)
            return replies
        (begun, got), others = at_once(2, lambda n: (stop, read)[n]())
        f.true("it has begun", begun)
        f.true("an interruption", got.end in ("cut", "reset"), got.end)
        f.true("no end mark", b"DONE" not in got.body)
        f.equal("others", {(r.status, r.end, r.has_end_mark) for r in others}, {(200, "whole", True)})
        f.true("others have all", all(len(r.text.split()) == 50 for r in others))
        f.true("the server is let go", wait_until(lambda: sim_is_idle(sim)))
        gateway.stop()
        gone = [line for line in gateway.access_log() if line.get("client_gone")]
        f.equal("in the log", len(gone), 1)


if __name__ == "__main__":
    raise SystemExit(main([
        ("G9: a rejected key is not repeated", g9_a_rejected_key_is_not_repeated),
        ("G27: headers of SDKs are allowed", g27_headers_of_sdks_are_allowed),
        ("G28: reflected names are legal", g28_reflected_names_are_legal),
        ("G29: a full model stops nothing else", g29_a_full_model_stops_nothing_else),
        ("G65: a flood is refused at once", g65_a_flood_is_refused_at_once),
        ("G3: leaving while nothing comes", g3_leaving_while_nothing_comes),
        ("G30: a stream that is never read", g30_a_stream_that_is_never_read),
        ("G66: a reader that stops", g66_a_reader_that_stops),
    ]))
