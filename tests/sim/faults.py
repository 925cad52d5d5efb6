"""Each named fault does what its row says, and a tape what stands in it. TAP.

A row: fault, path, what is asked for beside a prompt and four tokens, and what must hold. Bytes are
those that came over the wire, framing included."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from simulated import BINARY, Sim  # noqa: E402
from tap import Report  # noqa: E402

report = Report()
LLAMA, CHAT, TEXT = "/completion", "/v1/chat/completions", "/v1/completions"
STREAM = {"prompt": "hi", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 4, "stream": True}
WHOLE = dict(STREAM, stream=False)
USAGE = dict(STREAM, stream_options={"include_usage": True})


class Reply:
    """What came, and when the first bytes did."""

    def __init__(self, sim, path, body, patience_s):
        begin = time.monotonic()
        self.raw, self.end = sim.raw(path, body, patience_s, stop=b"\r\n0\r\n\r\n")
        self.seconds = time.monotonic() - begin
        self.head, _, self.rest = self.raw.partition(b"\r\n\r\n")
        self.chunks, self.body, self.last_chunk = self.unchunk()
        self.lines = self.body.split(b"\n")
        self.data = [line[6:] for line in self.lines if line.startswith(b"data: ")]
        self.text = self.body.decode(errors="replace")

    def unchunk(self):
        """Sizes of the chunks, the body, and whether the last chunk came."""
        if b"chunked" not in self.head:
            return [], self.rest, False
        sizes, body, left = [], b"", self.rest
        while b"\r\n" in left:
            line, _, left = left.partition(b"\r\n")
            size = int(line.split(b";")[0], 16)
            if size == 0:
                return sizes, body, True
            sizes.append(size)
            body, left = body + left[:size], left[size + 2:]
        return sizes, body, False

    def events(self):
        return [json.loads(d) for d in self.data if d not in (b"[DONE]", b"")]

    def contents(self):
        """Text of each event with a choice, in order."""
        found = []
        for event in self.events():
            for choice in event.get("choices") or []:
                found.append(choice.get("delta", {}).get("content") if "delta" in choice else choice["text"])
        return [text for text in found if text]


ROWS = [
    ("silent", CHAT, STREAM, lambda r: r.end == "silence" and r.raw == b""),
    ("head-only", CHAT, STREAM, lambda r: r.end == "silence" and r.head.startswith(b"HTTP/1.1 200") and r.rest == b""),
    ("wait:300ms", CHAT, STREAM, lambda r: r.seconds > 0.3 and r.data[-1] == b"[DONE]"),
    ("slow:300ms", CHAT, STREAM, lambda r: r.seconds > 0.3 and r.data[-1] == b"[DONE]"),
    ("cold:300ms", CHAT, STREAM, lambda r: r.seconds > 0.3),
    ("status:502 body:html", LLAMA, STREAM, lambda r: r.head.startswith(b"HTTP/1.1 502") and r.rest.startswith(b"<html>")),
    ("status:500 body:empty", LLAMA, STREAM, lambda r: b"Content-Length: 0" in r.head and r.rest == b""),
    ("status:429 retry-after:-1", LLAMA, STREAM,
     lambda r: b"\r\nRetry-After: -1" in r.head and json.loads(r.rest)["error"]["code"] == 429),
    ("interim:103", CHAT, STREAM, lambda r: r.raw.startswith(b"HTTP/1.1 103 Early Hints\r\n") and b"\r\n\r\nHTTP/1.1 200" in r.raw),
    ("interim:100", CHAT, STREAM, lambda r: r.raw.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200")),
    ("huge-head:100000", LLAMA, WHOLE, lambda r: len(r.head) > 100000 and json.loads(r.rest)),
    ("close", CHAT, STREAM, lambda r: b"Connection: close" in r.head and r.last_chunk),
    ("gzip", CHAT, STREAM, lambda r: b"Content-Encoding: gzip" in r.head and gzip.decompress(r.body).endswith(b"data: [DONE]\n\n")),
    ("gzip", CHAT, WHOLE, lambda r: json.loads(gzip.decompress(r.body))["object"] == "chat.completion"),
    ("content-type:text/plain", CHAT, STREAM, lambda r: b"Content-Type: text/plain" in r.head),
    ("wrong-length:-1", LLAMA, WHOLE, lambda r: length(r) == len(r.rest) - 1 and r.end == "close"),
    ("wrong-length:5", LLAMA, WHOLE, lambda r: length(r) == len(r.rest) + 5 and r.end == "close"),
    ("stream-length:40", CHAT, STREAM, lambda r: length(r) == 40 and b"chunked" not in r.head and r.rest.endswith(b"[DONE]\n\n")),
    ("read-to-close", CHAT, STREAM, lambda r: b"chunked" not in r.head and b"Length" not in r.head and r.end == "close"),
    ("odd-chunks", CHAT, STREAM, lambda r: b";a=1" in r.rest and b"X-Trailer: 1" in r.raw and r.data[-1] == b"[DONE]"),
    ("chunk-size:7", CHAT, STREAM, lambda r: max(r.chunks) == 7 and r.data[-1] == b"[DONE]"),
    ("no-last-chunk", CHAT, STREAM, lambda r: r.end == "close" and not r.last_chunk and r.data[-1] == b"[DONE]"),
    ("write-size:1", LLAMA, STREAM, lambda r: r.last_chunk and json.loads(r.data[-1])["stop"]),
    ("gather:3", CHAT, STREAM, lambda r: [c.count(b"data: ") for c in split(r)] == [3, 3, 1] and r.data[-1] == b"[DONE]"),
    ("reset-after:2", CHAT, STREAM, lambda r: r.end == "reset" and len(r.data) == 2),
    ("reset-after:0", CHAT, STREAM, lambda r: r.end == "reset" and len(r.data) == 0),
    ("close-after:2", CHAT, STREAM, lambda r: r.end == "close" and len(r.data) == 2 and not r.last_chunk),
    ("not-streamed", CHAT, STREAM, lambda r: b"application/json" in r.head and "message" in json.loads(r.rest)["choices"][0]),
    ("strict", TEXT, dict(STREAM, ignore_eos=True), lambda r: r.head.startswith(b"HTTP/1.1 400") and b"ignore_eos" in r.rest),
    ("strict", TEXT, STREAM, lambda r: r.data[-1] == b"[DONE]"),
    ("no-blank", CHAT, STREAM, lambda r: b"data:{" in r.body and b"data: " not in r.body),
    ("line-end:crlf", CHAT, STREAM, lambda r: b"}\r\n\r\n" in r.body and b"}\n" not in r.body),
    ("line-end:cr", CHAT, STREAM, lambda r: b"}\r\r" in r.body and b"\n" not in r.body),
    ("line-end:mixed", CHAT, STREAM, lambda r: b"}\r\r" in r.body and b"}\r\n\r\n" in r.body and b"}\n\n" in r.body),
    ("multi-line", CHAT, STREAM, lambda r: all(joined(r)) and len(joined(r)) < len(r.data) - 1),
    ("comments", CHAT, STREAM, lambda r: b"\n: noise" in r.body and b"\nevent: message\nid: 7\nretry: 10\ndata: {" in r.body and b"\ndata:\n\n" in r.body),
    ("comments-only", CHAT, STREAM, lambda r: r.body == b": ping\n\n" * 10 and r.last_chunk),
    ("byte-order-mark", CHAT, STREAM, lambda r: r.body.startswith(b"\xef\xbb\xbfdata: ")),
    ("ping:50ms slow:280ms", CHAT, STREAM, lambda r: 4 <= r.body.split(b"data: ")[0].count(b":\n\n") <= 6),
    ("no-done", CHAT, STREAM, lambda r: r.last_chunk and b"[DONE]" not in r.body),
    ("done-no-end", CHAT, STREAM, lambda r: r.body.endswith(b"data: [DONE]")),
    ("cut-character", CHAT, STREAM, lambda r: r.end == "close" and r.body.endswith(b"\xf0\x9f")),
    ("cumulative", CHAT, STREAM, lambda r: [len(c) for c in r.contents()] == [3, 6, 9, 12]),
    ("error:data error-after:2", CHAT, STREAM, lambda r: len(r.contents()) == 2 and "error" in r.events()[-1] and b"[DONE]" not in r.body),
    ("error:done", CHAT, STREAM, lambda r: "error" in r.events()[-1] and r.data[-1] == b"[DONE]"),
    ("error:field", LLAMA, STREAM, lambda r: r.lines[-3].startswith(b'error: {"code":500')),
    ("error:event", LLAMA, STREAM, lambda r: b"\nevent: error\ndata: {\"error\"" in r.body),
    ("error:text", LLAMA, STREAM, lambda r: r.events()[-1] == {"error": "simulated failure", "error_type": "generation"}),
    ("error:data error-after:0", CHAT, STREAM, lambda r: len(r.events()) == 1 and "error" in r.events()[0]),
    ("error:data", CHAT, WHOLE, lambda r: r.head.startswith(b"HTTP/1.1 200") and "error" in json.loads(r.rest)),
    ("nothing", CHAT, STREAM, lambda r: r.contents() == [] and r.data[-1] == b"[DONE]"),
    ("bad-json", LLAMA, STREAM, lambda r: broken(r.data) == [1]),
    ("nulls", CHAT, USAGE, lambda r: b'"tool_calls":null' in r.body and b'"content":null' in r.body and b'"prompt_tokens_details":null' in r.body),
    ("tool-calls", CHAT, STREAM, lambda r: r.contents() == [] and r.text.count('"arguments":" ') == 4),
    ("reasoning:3", CHAT, STREAM, lambda r: r.text.count('"reasoning_content":" ') == 3 and len(r.contents()) == 1),
    ("reasoning:3 reasoning-name:both", CHAT, STREAM, lambda r: r.text.count('"reasoning":" ') == 3 and r.text.count('"reasoning_content":" ') == 3),
    ("reasoning:9 reasoning-name:reasoning", CHAT, STREAM, lambda r: r.contents() == [] and r.text.count('"reasoning":" ') == 4 and '"reasoning_content"' not in r.text),
    ("reasoning:3", CHAT, USAGE, lambda r: usage(r)[0]["completion_tokens_details"]["reasoning_tokens"] == 3 and usage(r)[0]["completion_tokens"] == 4),
    ("usage:always", CHAT, STREAM, lambda r: len(usage(r)) == 1 and r.events()[-1]["choices"] == []),
    ("usage:never", CHAT, USAGE, lambda r: usage(r) == [] and "timings" not in r.text),
    ("usage:with-text", CHAT, STREAM, lambda r: [bool(e["choices"][0]["delta"]) for e in r.events() if "usage" in e] == [True]),
    ("usage:every-event", CHAT, STREAM, lambda r: [u["completion_tokens"] for u in usage(r)] == [1, 2, 3, 4]),
    ("usage:nulls", CHAT, STREAM, lambda r: usage(r)[0]["prompt_tokens_details"] is None),
    ("usage:floats", CHAT, STREAM, lambda r: b'"completion_tokens":4.0' in r.body),
    ("usage:null-choices", CHAT, STREAM, lambda r: r.events()[-1]["choices"] is None),
    ("usage:no-choices", CHAT, STREAM, lambda r: "choices" not in r.events()[-1]),
    ("usage:full-choices", CHAT, STREAM, lambda r: len(r.events()[-1]["choices"]) == 1 and "usage" in r.events()[-1]),
    ("usage:not-last", CHAT, STREAM, lambda r: "usage" in r.events()[-2] and "usage" not in r.events()[-1]),
    ("usage-pause:300ms", CHAT, USAGE, lambda r: r.seconds > 0.3 and r.data[-1] == b"[DONE]"),
    ("tokens-per-event:3", CHAT, STREAM, lambda r: [len(c) for c in r.contents()] == [9, 3]),
    ("draft-fields", LLAMA, STREAM, lambda r: r.events()[-1]["timings"]["draft_n"] == 0),
    ("split-emoji", CHAT, STREAM, lambda r: b'"content":"\xf0\x9f"' in r.body and b'"content":"\x98\x80"' in r.body),
    ("lone-surrogate", CHAT, STREAM, lambda r: b'"content":"\\ud83d"' in r.body),
    ("zero-logprobs", LLAMA, dict(STREAM, n_probs=2), lambda r: probs(r) == {0.0}),
    ("extra-tokens:3", LLAMA, STREAM, lambda r: r.events()[-1]["tokens_predicted"] == 7),
    ("short-answer:2", CHAT, STREAM, lambda r: len(r.contents()) == 2 and '"finish_reason":"stop"' in r.text),
    ("cached:3", LLAMA, dict(STREAM, prompt=[1] * 9), lambda r: (r.events()[-1]["timings"]["cache_n"], r.events()[-1]["timings"]["prompt_n"]) == (3, 6)),
    ("progress:10", LLAMA, STREAM, lambda r: [("prompt_progress" in e) for e in r.events()] == [True] * 10 + [False] * 5),
    ("long-event:70000", CHAT, STREAM, lambda r: len(r.data[0]) > 70000 and json.loads(r.data[0])),
    ("status:500@/props", CHAT, STREAM, lambda r: r.data[-1] == b"[DONE]"),
]


def length(reply):
    return int(reply.head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])


def split(reply):
    """The body, chunk by chunk."""
    at, out = 0, []
    for size in reply.chunks:
        out.append(reply.body[at:at + size])
        at += size
    return out


def joined(reply):
    """Events whose data lines, joined, are JSON."""
    out = []
    for event in reply.body.split(b"\n\n"):
        text = b"\n".join(line[6:] for line in event.split(b"\n"))
        if text and text != b"[DONE]":
            out.append(json.loads(text) is not None)
    return out


def broken(data):
    out = []
    for n, text in enumerate(data):
        try:
            json.loads(text)
        except ValueError:
            out.append(n)
    return out


def usage(reply):
    return [e["usage"] for e in reply.events() if "usage" in e]


def probs(reply):
    return {p["logprob"] for e in reply.events() for t in e.get("completion_probabilities", [])
            for p in [t] + t["top_logprobs"]}


def check_row(faults, path, body, holds):
    args = [word for fault in faults.split() for word in ("--fault", fault)]
    with Sim("--token-time", "2ms", *args) as sim:
        reply = Reply(sim, path, body, 0.8)
        try:
            good = holds(reply)
        except (ValueError, KeyError, IndexError, AssertionError) as error:
            good = False
            report.note(f"{type(error).__name__}: {error}")
        alive = sim.get("/health")[0] == 200
        code = sim.stop()
    wrong = [] if good else [f"came, {reply.end}: {reply.raw[:3000]!r}"]
    wrong += [] if alive and code == 143 else [f"alive {alive}, exit {code}: {sim.err}"]
    report.test(f"{faults} on {path}{', streamed' if body['stream'] else ''}", wrong)


def test_list():
    """Every fault of the list stands in a row here, or in test_others."""
    out = subprocess.run([BINARY, "sim", "--list-faults"], capture_output=True, text=True, timeout=20, check=True).stdout
    names = {line.split(":")[0] for line in out.splitlines() if not line.startswith(" ")}
    tried = {fault.split(":")[0].split("@")[0] for row in ROWS for fault in row[0].split()}
    report.test("every fault is tried", sorted(f"not tried: {n}" for n in names - tried - OTHERS))


OTHERS = {"metrics", "slots", "n-ctx", "total-slots", "sleeping", "foreign", "ignore-cancel", "busy-after",
          "falling-acceptance", "early-head", "early-role", "grow"}


def metrics_with(form):
    with Sim("--fault", f"metrics:{form}") as sim:
        sim.post("/completion", {"prompt": "a", "n_predict": 1})
        return [(status, text.decode()) for status, _, text in (sim.get("/metrics"), sim.get("/metrics"))]


def resident_kib(sim):
    status = pathlib.Path(f"/proc/{sim.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])


def test_others():
    wrong = []

    def must(what, holds):
        if not holds:
            wrong.append(what)

    must("string", "llamacpp:tokens_predicted_total 1\n" in json.loads(metrics_with("string")[0][1]))
    text = metrics_with("renamed")[0][1]
    must("renamed", "llamacpp:tokens_predicted 1\n" in text and "_total" not in text)
    text = metrics_with("nan")[0][1]
    must("nan", "llamacpp:requests_processing -nan\n" in text and "llamacpp:tokens_predicted_total 1\n" in text)
    first, second = metrics_with("reset")
    must("reset", "predicted_total 1\n" in first[1] and "predicted_total 0\n" in second[1])
    must("off", metrics_with("off")[0][0] == 501)
    for form, want in [("501", 501), ("404", 404), ("busy", 200)]:
        with Sim("--fault", f"slots:{form}") as sim:
            status, _, text = sim.get("/slots")
            must(f"slots:{form}", status == want and (want != 200 or json.loads(text)[0]["is_processing"]))
    with Sim("--fault", "n-ctx:512", "--fault", "total-slots:7", "--fault", "sleeping") as sim:
        props = sim.json("/props")
        must("n-ctx", props["default_generation_settings"]["n_ctx"] == 512 and sim.json("/slots")[0]["n_ctx"] == 512)
        must("total-slots, sleeping", (props["total_slots"], props["is_sleeping"]) == (7, True))
    with Sim("--fault", "foreign") as sim:
        must("foreign", "simulated" not in sim.json("/props"))
    with Sim("--speculation", "1/4", "--slots", "4", "--fault", "falling-acceptance", "--token-time", "20ms") as sim:
        long = {"prompt": "a", "n_predict": 3000, "stream": True}
        alone = sim.json("/completion", {"prompt": "a", "n_predict": 41})["timings"]
        with sim.connect("/completion", long), sim.connect("/completion", long), sim.connect("/completion", long):
            sim.wait_until(lambda: sim.metrics()["llamacpp:requests_processing"] == 3)
            beside = sim.json("/completion", {"prompt": "a", "n_predict": 41})["timings"]
        must("acceptance alone", alone["draft_n"] == alone["draft_n_accepted"] > 0)
        must("acceptance beside three others", beside["draft_n_accepted"] < 0.6 * beside["draft_n"])
    with Sim("--fault", "early-head", "--fault", "slow:30s") as sim:
        raw, _ = sim.raw("/completion", STREAM, 2, stop=b"\r\n\r\n")
        must("early-head", raw.startswith(b"HTTP/1.1 200"))
    with Sim("--fault", "early-role", "--fault", "slow:30s") as sim:
        raw, _ = sim.raw(CHAT, STREAM, 2, stop=b"}\n\n")
        must("early-role", b'"role":"assistant"' in raw)
    with Sim("--fault", "grow:30000000@after:1") as sim:
        kib = []
        for _ in range(3):
            sim.json("/completion", {"prompt": "a", "n_predict": 1})
            kib.append(resident_kib(sim))
        must(f"grow: {kib}", kib[1] - kib[0] > 25000 and kib[2] - kib[1] > 25000)
    report.test("faults of the other end points, of drafts, early bytes and memory", wrong)


TAPE = r'''
# first request: byte by byte; all others: an error
for request 1
    send "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    repeat 3
        chunk "data: \xf0\x9f\x98\x80\n\n"
        pause 100ms
    end
    last-chunk
for each request
    send "HTTP/1.1 500 No\r\n" "Content-Length: 0\r\n\r\n"
    close
for path /slots
    reset
'''


def test_tape():
    wrong = []
    with tempfile.NamedTemporaryFile("w", suffix=".tape") as file:
        file.write(TAPE)
        file.flush()
        with Sim("--tape", file.name) as sim:
            raw, end = sim.raw(LLAMA, STREAM, stop=b"\r\n0\r\n\r\n")
            want = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"c\r\ndata: \xf0\x9f\x98\x80\n\n\r\n" * 3 + b"0\r\n\r\n"
            if raw != want:
                wrong.append(f"expected {want!r}, got {raw!r}")
            got = sim.raw(CHAT, STREAM)
            if got != (b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", "close"):
                wrong.append(f"second request: {got!r}")
            if sim.get("/health")[0] != 200:
                wrong.append("/health is no part of the tape")
            try:
                wrong.append(f"/slots: {sim.get('/slots')!r}")
            except ConnectionError:
                pass
            sim.stop()
            at = [line["at_ns"] for line in sim.lines("event", 1)]
            begin = sim.lines("arrival", 1)[0]["at_ns"]
            # head, three chunks with pauses behind them, last chunk
            due = [begin + ms * 1_000_000 for ms in (0, 0, 100, 200, 300)]
            if len(at) != 5 or any(got < want for got, want in zip(at, due)):
                wrong.append(f"instants: {at}, not before {due}")
    report.test("a tape is played as it stands", wrong)


for row in ROWS:
    check_row(*row)
for test in test_list, test_others, test_tape:
    try:
        test()
    except Exception as error:  # the rest is still worth running
        report.test(test.__name__, [f"{type(error).__name__}: {error}"])
sys.exit(report.end())
