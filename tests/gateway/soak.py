#!/usr/bin/env python3
"""Half of what it can carry, for long, with clients that leave at any moment.

    soak.py            SOAK_SECONDS (10) of load, then the account; `make soak` takes ten minutes

`serve` in front of two simulated servers. Every request has words of its own, so its digest finds it
in what the servers say they got, and an id, which finds it in the gateway's access log. When the load
is over the three accounts are held against one another: each client's, the gateway's, the servers'.
"""

import collections
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import threading
import time

from harness import (BINARY, CHAT, TEXT, Serve, Sim, config, direct, main, masked, not_here,
                     wait_until)

SECONDS = float(os.environ.get("SOAK_SECONDS", "10"))
SEED = int(os.environ.get("SOAK_SEED", str(random.randrange(10**6))))
SLOTS = 2
# 16 tokens in some 40 ms: four slots carry some hundred requests a second
SIM = ("--slots", str(SLOTS), "--token-time", "2ms", "--prefill", "0.05ms")
CLIENTS = 16
# Growth that is allowed from the second quarter to the last one. An allocator that splits its blocks
# another way takes some pages; a leak of 100 bytes for each request would be 3 MiB in ten minutes.
MEMORY_ALLOWANCE_BYTES = 1 << 20
# A client leaves, and the gateway closes two descriptors when it looks at its sockets next.
DESCRIPTOR_ALLOWANCE = 8
# Until a server knows that its client has left; on an idle machine it is a millisecond.
LEFT_S = 2
# Answers that are compared with what a server says when it is asked directly.
COMPARED_MAX = 3000

SANITIZED = any(mark in pathlib.Path(BINARY).read_bytes() for mark in (b"__asan_init", b"__tsan_init"))

# Where clients leave: the share of each, and whether the gateway has seen a whole request for certain.
LEAVING = {
    "within the head": (1, False),
    "within the body": (1, False),
    "at once": (2, None),
    "half-close": (1, None),
    "in a moment": (3, True),
    "behind the head": (2, True),
    "within the events": (4, True),
    "at the last byte": (1, True),
}
LEAVING_SHARE = 0.4

Asked = collections.namedtuple("Asked", "id path content sha256 stream")


class Account:
    """What the clients know."""

    def __init__(self):
        self.lock = threading.Lock()
        self.answered = []  # (Asked, digest of the masked body)
        self.errors = []    # (Asked, status, code)
        self.left = []      # (Asked, where, at_s, whole request for certain)
        self.faults = []

    def note(self, what, entry):
        with self.lock:
            getattr(self, what).append(entry)


def digest(content):
    return hashlib.sha256(masked(content)).hexdigest()


def ask(rng, number):
    """A request that nobody else makes."""
    stream, chat = rng.random() < 0.7, rng.random() < 0.7
    words = f"soak {number} " + "word " * rng.randrange(1, 20)
    request = {"model": "m", "max_tokens": rng.randrange(1, 33), "stream": stream}
    if chat:
        request["messages"] = [{"role": "user", "content": words}]
    else:
        request["prompt"] = words
    if stream:  # asked by the client, so that its bytes go on as they are
        request["stream_options"] = {"include_usage": True}
    content = json.dumps(request).encode()
    return Asked(f"soak-{SEED}-{number}", CHAT if chat else TEXT, content,
                 hashlib.sha256(content).hexdigest(), stream)


def head_of(asked):
    return (f"POST {asked.path} HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\n"
            f"X-Request-Id: {asked.id}\r\nContent-Length: {len(asked.content)}\r\n\r\n").encode()


def read_some(client, count):
    """So many events, or all that there are; of a plain reply its first bytes."""
    while client.raw.count(b"data:") < count and b"[DONE]" not in client.raw:
        if not client.read(20) or b"text/event-stream" not in client.raw:
            return


def leave(gateway, rng, asked, where):
    """Go away there; when it was."""
    raw = head_of(asked) + asked.content
    head = len(raw) - len(asked.content)
    with gateway.connect() as client:
        if where == "within the head":
            client.socket.sendall(raw[:rng.randrange(1, head)])
        elif where == "within the body":
            client.socket.sendall(raw[:rng.randrange(head, len(raw))])
        else:
            client.socket.sendall(raw)
        if where == "half-close":
            client.socket.shutdown(1)
            at_s = time.monotonic()
            client.socket.settimeout(5)
            try:
                while client.socket.recv(65536):
                    pass
            except ConnectionResetError:
                pass
            return at_s
        if where == "in a moment":
            time.sleep(rng.uniform(0.02, 0.06))
        elif where == "behind the head":
            client.read_until(b"\r\n\r\n", 20)
        elif where == "within the events":
            read_some(client, rng.randrange(1, 12) if asked.stream else 1)
        elif where == "at the last byte":
            client.reply(20)
        # a reset may overtake what was sent, so only where something has come back
        return client.leave(reset=bool(client.raw) and rng.random() < 0.3)


def stay(gateway, account, asked):
    with gateway.open(asked.content, asked.path, {"X-Request-Id": asked.id}) as client:
        reply = client.reply(60)
    if reply.end != "whole" or (asked.stream and reply.status == 200 and not reply.has_end_mark):
        account.note("faults", f"{asked.id}: {reply.end} with status {reply.status}")
    elif reply.status == 200:
        account.note("answered", (asked, digest(reply.body)))
    else:
        account.note("errors", (asked, reply.status, reply.error.get("code")))


def client(gateway, account, next_due):
    """Take the next request that is due, until there is none."""
    names, shares = list(LEAVING), [share for share, _ in LEAVING.values()]
    while (due := next_due()) is not None:
        number, due_s = due
        rng = random.Random(SEED * 10**9 + number)
        time.sleep(max(0, due_s - time.monotonic()))
        asked = ask(rng, number)
        try:
            if rng.random() >= LEAVING_SHARE:
                stay(gateway, account, asked)
                continue
            where = rng.choices(names, shares)[0]
            at_s = leave(gateway, rng, asked, where)
            account.note("left", (asked, where, at_s, LEAVING[where][1]))
        except Exception as error:  # also of our own patience
            account.note("faults", f"{asked.id}: {type(error).__name__}: {error}")


def schedule(rate):
    """Instants at which requests are due, at random, for SECONDS; called by all clients."""
    rng, lock = random.Random(SEED), threading.Lock()
    at_s, number, end_s = time.monotonic(), 0, time.monotonic() + SECONDS

    def next_due():
        nonlocal at_s, number
        with lock:
            at_s += rng.expovariate(rate)
            number += 1
            return (number, at_s) if at_s < end_s else None
    return next_due


def saturation(url):
    """Requests a second that our own load gets through, at the best of a short ramp."""
    seconds = min(5.0, max(1.0, SECONDS / 40))
    run = subprocess.run(
        [BINARY, "load", url, "--clients", "2,4,8", "--duration", f"{seconds}s", "--model", "m",
         "--output-tokens", "16", "--server", "openai", "--json", "--quiet",
         "--prompts", os.environ["SOAK_PROMPTS"]],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120)
    if not run.stdout:
        raise RuntimeError(f"load: exit code {run.returncode}: {run.stderr.strip()}")
    return max(level["littles_law"]["ended_per_second"] for level in json.loads(run.stdout)["levels"])


class Watch(threading.Thread):
    """Resident memory and open descriptors of a process, each second (ten times in a short run)."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.folder = pathlib.Path(f"/proc/{pid}")
        self.samples, self.over = [], threading.Event()
        self.start()

    def look(self):
        pages = int((self.folder / "statm").read_text().split()[1])
        return (pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(self.folder / "fd")))

    def run(self):
        while not self.over.wait(min(1.0, SECONDS / 200)):
            self.samples.append(self.look())

    def stop(self):
        self.over.set()
        self.join()
        return self.samples


def check_growth(f, samples, at_rest_before, at_rest_after):
    """The last quarter's maximum against the second one's; the first one warms up."""
    quarter = len(samples) // 4
    f.true("samples", quarter >= 10, len(samples))
    figures = []
    for at, name, allowance in ((0, "resident bytes", MEMORY_ALLOWANCE_BYTES),
                                (1, "descriptors", DESCRIPTOR_ALLOWANCE)):
        second = max(s[at] for s in samples[quarter:2 * quarter])
        last = max(s[at] for s in samples[-quarter:])
        figures.append(f"{name}: second quarter {second}, last quarter {last}")
        if at == 0 and SANITIZED:
            not_here("memory, which a sanitizer keeps for itself")
            continue
        f.between(f"{name} in the last quarter", last, 0, second + allowance)
    # what is left are kept connections to the servers: as many as there are slots
    f.between("descriptors at rest", at_rest_after[1], 1, at_rest_before[1] + 2 * SLOTS)
    figures.append(f"at rest before {at_rest_before}, after {at_rest_after}")
    return figures


def look_at_rest(watch):
    """Our own last question leaves a connection that the gateway has yet to close."""
    last = [watch.look()]

    def holds():
        time.sleep(0.2)
        last.append(watch.look())
        return last[-1][1] == last[-2][1]
    wait_until(holds)
    return last[-1]


# ---- the three accounts --------------------------------------------------------------------------

def servers_account(f, sims, begun_ns):
    """{digest of a request: (arrival, end)} behind the ramp; nobody got one twice."""
    out = {}
    for sim in sims:
        f.equal("lines that a server's log has lost", sim.lines("summary")[0]["dropped"], 0)
        ends = {line["request"]: line for line in sim.lines("end")}
        for line in sim.lines("arrival"):
            if line["at_ns"] < begun_ns:
                continue
            if line["request_sha256"] in out:
                f.append(f"a request came twice: {line}")
            out[line["request_sha256"]] = (line, ends.get(line["request"]))
    return out


def check_servers(f, account, got):
    """Answered once; left to itself when its client had left; nothing that nobody asked. `got` is
    used up."""
    for asked, _ in account.answered:
        arrival, end = got.pop(asked.sha256, (None, None))
        f.true(f"{asked.id}: answered, but not by a server", arrival)
        f.true(f"{asked.id}: answered, and the server says", end and end["outcome"] == "complete", end)
    for asked, _, _ in account.errors:
        got.pop(asked.sha256, None)
    slowest_s, gone = 0, 0
    for asked, where, at_s, whole in account.left:
        arrival, end = got.pop(asked.sha256, (None, None))
        if whole is False:
            f.true(f"{asked.id}: half a request went to a server", arrival is None, where)
        if arrival is None or not f_end(f, asked, end):
            continue
        if end["outcome"] == "gone":
            gone += 1
            slowest_s = max(slowest_s, end["at_ns"] / 1e9 - at_s)
    f.equal("requests of nobody", list(got.values()), [])
    f.between("seconds until a server knew that its client had left", slowest_s, 0, LEFT_S)
    f.true("servers lost clients", gone > 0)
    return gone, slowest_s


def f_end(f, asked, end):
    """A request that was left ends there, too."""
    f.true(f"{asked.id}: left, and the server says",
           end is not None and end["outcome"] in ("gone", "complete"), end)
    return end is not None


def check_log(f, account, lines):
    """The gateway's lines, by id: what it says of each client is what the client says."""
    by_id = collections.defaultdict(list)
    for line in lines:
        by_id[line["request_id"]].append(line)
    for asked, _ in account.answered:
        said = [(x["status"], x["client_gone"], x["code"]) for x in by_id.pop(asked.id, [])]
        f.equal(f"{asked.id}: answered, and the gateway says", said, [(200, False, None)])
    for asked, status, code in account.errors:
        said = [(x["status"], x["code"]) for x in by_id.pop(asked.id, [])]
        f.equal(f"{asked.id}: refused, and the gateway says", said, [(status, code)])
    unseen = 0
    for asked, where, _, whole in account.left:
        said = by_id.pop(asked.id, [])
        unseen += not said
        if whole is False:
            f.equal(f"{asked.id}: half a request, and the gateway says", said, [])
        elif whole or said:
            f.equal(f"{asked.id}: lines of one that left {where}", len(said), 1)
        for line in said:
            # it left, or had everything already when it did
            f.true(f"{asked.id}: left {where}, and the gateway says",
                   line["client_gone"] or (line["status"] == 200 and line["code"] is None), line)
    f.equal("lines of nobody", list(by_id), [])
    return unseen


def check_figures(f, before, after, lines, account):
    """What /metrics counted in between is what the lines say, one by one."""
    f.equal("lines with an error", [x for x in lines if x["code"] is not None and x["request_id"]
                                    not in {asked.id for asked, _, _ in account.errors}], [])

    def counted(name, **labels):
        def total(rows):
            return sum(v for row, v in rows.items() if row.split("{")[0] == "paretopilot_" + name
                       and all(f'{k}="{w}"' in row for k, w in labels.items()))
        return total(after) - total(before)

    classes = collections.Counter("gone" if x["status"] == 499 else f"{x['status'] // 100}xx"
                                  for x in lines)
    for code in ("2xx", "3xx", "4xx", "5xx", "gone"):
        f.equal(f"requests counted as {code}", sum(counted("requests_total", code=code, endpoint=e)
                                                   for e in ("chat", "text")), classes[code])
    gone = sum(x["client_gone"] for x in lines)
    f.equal("clients counted as gone", counted("client_gone_total"), gone)
    whole = sum(x["status"] == 200 and not x["client_gone"] for x in lines)
    ids = {asked.id for asked, _, _, _ in account.left}
    f.equal("whole answers", whole - sum(1 for x in lines if x["request_id"] in ids
                                         and not x["client_gone"]), len(account.answered))
    f.equal("failures counted", counted("failures_total"), len(account.errors))
    f.equal("attempts that failed", counted("upstream_attempts_total", outcome="failed"), 0)
    f.equal("lines dropped", counted("access_log_dropped_total"), 0)


def check_answers(f, account):
    """The same as without anybody in between."""
    sample = random.Random(SEED).sample(account.answered, min(COMPARED_MAX, len(account.answered)))
    with Sim("--slots", "4", "--token-time", "0.01ms", "--prefill", "0.001ms") as alone:
        for asked, got in sample:
            want = direct(alone, asked.content, asked.path)
            f.equal(f"{asked.id}: body", got, digest(want.body))
    return len(sample)


# ---- the run -------------------------------------------------------------------------------------

def settle(gateway):
    return wait_until(lambda: gateway.metric("paretopilot_backend_in_flight") == 0
                      and gateway.metric("paretopilot_connections") <= 1, 20, 0.05)


def run_clients(gateway, account, rate):
    next_due = schedule(rate)
    clients = [threading.Thread(target=client, args=(gateway, account, next_due), daemon=True)
               for _ in range(CLIENTS)]
    for thread in clients:
        thread.start()
    for thread in clients:
        thread.join(SECONDS + 120)
    if any(thread.is_alive() for thread in clients):
        account.faults.append("a client still waits")


def soak(f):
    account = Account()
    with Sim(*SIM) as a, Sim(*SIM) as b, \
            Serve(config({"a": a.url, "b": b.url}, access_log="access.jsonl",
                         backends={n: {"max_in_flight": SLOTS} for n in "ab"})) as gateway:
        prompts = gateway.path / "prompts.txt"
        prompts.write_text("\n".join(f"ramp {i} one two three" for i in range(50)) + "\n")
        os.environ["SOAK_PROMPTS"] = str(prompts)
        most = saturation(gateway.url)
        settle(gateway)
        begun_ns = time.monotonic_ns()
        watch = Watch(gateway.process.pid)
        before, at_rest_before = gateway.metrics(), look_at_rest(watch)
        run_clients(gateway, account, most / 2)
        samples = watch.stop()
        f.true("the gateway is idle again", settle(gateway))
        after, at_rest_after = gateway.metrics(), look_at_rest(watch)
        f.equal("exit code", gateway.stop(), 143)
        f.true("no complaint of the gateway", re.fullmatch(
            r"serve: \d+ requests; \d+ clients left early; 0 requests cut at the end\n", gateway.err),
            gateway.err)
        lines = [x for x in gateway.access_log() if (x["request_id"] or "").startswith("soak-")]
        for sim in (a, b):
            sim.stop()
        f.extend(account.faults)
        figures = check_growth(f, samples, at_rest_before, at_rest_after)
        gone, slowest_s = check_servers(f, account, servers_account(f, (a, b), begun_ns))
        unseen = check_log(f, account, lines)
        check_figures(f, before, after, lines, account)
        f.true("answers", len(account.answered) > SECONDS)
        f.true("errors are few", len(account.errors) <= len(account.answered) / 50,
               collections.Counter((s, c) for _, s, c in account.errors))
    compared = check_answers(f, account)
    for text in (f"seed {SEED}, {SECONDS:g} s at {most / 2:.0f} requests/s, half of {most:.0f}",
                 f"answered {len(account.answered)}, of these compared {compared}, errors "
                 f"{len(account.errors)}, left {len(account.left)}, of these unseen by the gateway "
                 f"{unseen}, seen by a server {gone}, the slowest after {slowest_s * 1e3:.0f} ms",
                 *figures):
        print(f"# {text}")
    del f[20:]  # one fault has many faces


if __name__ == "__main__":
    raise SystemExit(main([("half of saturation, with clients that leave", soak)]))
