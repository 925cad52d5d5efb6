"""A gateway in front of simulated servers, and clients of it, for tests in Python.

    with Sim("--token-time", "5ms") as sim, Serve(config({"a": sim.url})) as gateway:
        reply = gateway.chat(stream=True)
        reply.status, reply.body

Every process has a deadline and a free port. What a test expects comes from what the simulated
server was told to do, or says itself when it is asked directly; never from the gateway.
"""

import http.client
import importlib.util
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "support"))
from simulated import BINARY, Sim  # noqa: E402, F401

# The harness of `load` has the same name as this file.
spec = importlib.util.spec_from_file_location("load_harness", TESTS / "load" / "harness.py")
load_harness = importlib.util.module_from_spec(spec)
spec.loader.exec_module(load_harness)
Faults, Unchecked = load_harness.Faults, load_harness.Unchecked
main, not_here = load_harness.main, load_harness.not_here

DEADLINE_S = 30
CHAT = "/v1/chat/completions"
TEXT = "/v1/completions"


def config(urls, models=None, backends=None, **members):
    """A configuration with an endpoint for each name in `urls`. `models` maps a name to its list of
    back ends (default: one, "m", with all in order); `backends` adds members to single back ends;
    `members` are further members of the document, merged into it by one level."""
    document = {
        "schema_version": "1.0",
        "document": "serve-config",
        "listen": {"host": "127.0.0.1", "port": 0},
        "backends": [{"id": name, "url": url, "server": "llama-server",
                      **(backends or {}).get(name, {})} for name, url in urls.items()],
        "models": [{"name": name, "backends": list(ids)}
                   for name, ids in (models or {"m": list(urls)}).items()],
    }
    document.update(members)
    return document


def body(stream=False, tokens=8, model="m", prompt="one two three", **members):
    """A chat request as bytes; None leaves a member out."""
    request = {"model": model, "messages": [{"role": "user", "content": prompt}],
               "max_tokens": tokens, "stream": stream or None, **members}
    return json.dumps({k: v for k, v in request.items() if v is not None}).encode()


class Reply:
    """A whole reply, or what came of it: `end` is "whole", "cut" (closed too early), "reset" or
    "silence" (our patience was over)."""

    def __init__(self, status, headers, body, end, begun, first_byte, ended):
        self.status, self.headers, self.body, self.end = status, headers, body, end
        self.begun, self.first_byte, self.ended = begun, first_byte, ended

    @property
    def seconds(self):
        return self.ended - self.begun

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def error(self):
        """The error object of a plain reply, {} when there is none."""
        try:
            return json.loads(self.body).get("error", {})
        except (ValueError, AttributeError):
            return {}

    @property
    def blocks(self):
        """The stream, cut at its empty lines; comments included."""
        return [b for b in re.split(rb"\r\n\r\n|\n\n|\r\r", self.body) if b]

    @property
    def data(self):
        """Data of the events: JSON where it is, else text."""
        out = []
        for block in self.blocks:
            lines = [x[5:].lstrip() for x in block.decode("utf-8", "replace").splitlines()
                     if x.startswith("data:")]
            if lines:
                text = "\n".join(lines)
                try:
                    out.append(json.loads(text))
                except ValueError:
                    out.append(text)
        return out

    @property
    def comments(self):
        return [b for b in self.blocks if b.startswith(b":")]

    @property
    def has_end_mark(self):
        return "[DONE]" in self.data

    @property
    def stream_error(self):
        """The error object within the stream, {} when there is none."""
        for event in self.data:
            if isinstance(event, dict) and isinstance(event.get("error"), dict):
                return event["error"]
        return {}

    @property
    def text(self):
        """Generated text of a chat, streamed or not."""
        if not self.headers.get("Content-Type", "").startswith("text/event-stream"):
            return "".join(c["message"]["content"] or "" for c in self.json["choices"])
        return "".join(c.get("delta", {}).get("content") or ""
                       for event in self.data if isinstance(event, dict)
                       for c in event.get("choices") or [])


class Client:
    """One request on a connection of its own, sent at once; read piece by piece, left at any time."""

    def __init__(self, port, path=CHAT, content=None, headers={}, method="POST",
                 receive_buffer=None):
        self.socket = socket.socket()
        self.socket.settimeout(DEADLINE_S)
        if receive_buffer is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.connect(("127.0.0.1", port))
        head = [f"{method} {path} HTTP/1.1", "Host: gateway"]
        if content is not None:
            head += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
        head += [f"{name}: {value}" for name, value in headers.items()]
        self.is_head = method == "HEAD"
        self.begun = time.monotonic()
        self.raw = bytearray()  # grows by megabytes in some tests
        self.first_byte = None
        if path is not None:
            self.socket.sendall("\r\n".join(head).encode() + b"\r\n\r\n" + (content or b""))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.leave()

    def leave(self, reset=False):
        """Close, or reset; the instant of it."""
        if reset:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()
        return time.monotonic()

    def read(self, patience_s=DEADLINE_S, size=65536):
        """The next bytes; b"" at the end. Raises TimeoutError, ConnectionResetError."""
        self.socket.settimeout(patience_s)
        piece = self.socket.recv(size)
        if piece and self.first_byte is None:
            self.first_byte = time.monotonic()
        self.raw += piece
        return piece

    def read_until(self, mark, patience_s=DEADLINE_S):
        """Read until `mark` is among the raw bytes; False when the end or our patience comes first."""
        end = time.monotonic() + patience_s
        try:
            while mark not in self.raw:
                left = end - time.monotonic()
                if left <= 0 or not self.read(left):
                    return False
        except (TimeoutError, ConnectionResetError):
            return False
        return True

    def read_events(self, count, patience_s=DEADLINE_S):
        """Read until so many events with data are there."""
        end = time.monotonic() + patience_s
        while len(re.findall(rb"data:", self.raw)) < count:
            left = end - time.monotonic()
            if left <= 0 or not self.read(left):
                return False
        return True

    def reply(self, patience_s=DEADLINE_S):
        """Everything until the reply is whole or over."""
        end_at = time.monotonic() + patience_s
        end = None
        while end is None:
            # a reply in chunks is over where an empty line is; do not go through 10 MB each time
            parsed = None
            if b"chunked" not in self.raw[:4096] or self.raw.endswith(b"\r\n\r\n"):
                parsed = parse_reply(bytes(self.raw), False, self.is_head)
            if parsed and parsed[3]:
                end = "whole"
                break
            try:
                left = end_at - time.monotonic()
                if left <= 0:
                    end = "silence"
                elif not self.read(left):
                    parsed = parse_reply(bytes(self.raw), True, self.is_head)
                    end = "whole" if parsed and parsed[3] else "cut"
            except TimeoutError:
                end = "silence"
            except ConnectionResetError:
                end = "reset"
        parsed = parsed or parse_reply(bytes(self.raw), True, self.is_head)
        status, headers, content, _ = parsed or (None, {}, b"", False)
        return Reply(status, headers, content, end, self.begun, self.first_byte, time.monotonic())


def parse_reply(raw, closed, is_head=False):
    """Status, headers, body so far, and whether it is whole; None without a head. Our own reader, for
    http.client hides how a reply ended."""
    head, mark, rest = raw.partition(b"\r\n\r\n")
    if not mark:
        return None
    lines = head.decode("latin-1").split("\r\n")
    status = int(lines[0].split()[1])
    headers = http.client.HTTPMessage()
    for line in lines[1:]:
        name, _, value = line.partition(":")
        headers[name] = value.strip()
    if is_head or status in (204, 304):
        content, whole = rest, True
    elif "chunked" in headers.get("Transfer-Encoding", ""):
        content, whole = unchunk(rest)
    elif "Content-Length" in headers:
        content, whole = rest, len(rest) == int(headers["Content-Length"])
    else:
        content, whole = rest, closed
    return status, headers, content, whole


def unchunk(rest):
    """The data of the chunks, and whether the last one and the trailers are there."""
    out, at = [], 0
    while True:
        line_end = rest.find(b"\r\n", at)
        if line_end < 0:
            return b"".join(out), False
        size = int(rest[at:line_end].split(b";")[0], 16)
        at = line_end + 2
        if size == 0:
            return b"".join(out), rest[at:] == b"\r\n" or rest.endswith(b"\r\n\r\n")
        out.append(rest[at:at + size])
        at += size + 2
        if at > len(rest):
            return b"".join(out), False


class Serve:
    """A gateway that runs `serve` over a configuration (a dict, as config() makes it)."""

    def __init__(self, document, *args, env=None, files=None):
        self.folder = tempfile.TemporaryDirectory(prefix="gateway-test-")
        self.path = pathlib.Path(self.folder.name)
        for name, content in (files or {}).items():
            file = self.path / name
            file.write_text(content)
            file.chmod(0o600)
        self.config_path = self.path / "serve.json"
        self.config_path.write_text(json.dumps(document))
        self.process = subprocess.Popen(
            [BINARY, "serve", self.config_path, *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})})
        self.err = ""
        # read along, so that a full pipe never stops the gateway
        self.reader = threading.Thread(target=self._read_err, daemon=True)
        self.reader.start()
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http"):
            self.process.wait(DEADLINE_S)
            self.reader.join(DEADLINE_S)
            raise RuntimeError(f"serve did not start: {self.err.strip()}")
        self.port = int(self.url.rsplit(":", 1)[1])

    def _read_err(self):
        for line in self.process.stderr:
            self.err += line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def stop(self, number=signal.SIGTERM, deadline_s=DEADLINE_S):
        """Exit code; nothing when it has ended already."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(deadline_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise RuntimeError("serve did not end") from None
        self.reader.join(DEADLINE_S)
        return self.process.returncode

    def signal(self, number):
        self.process.send_signal(number)

    def connect(self):
        """A Client that has sent nothing."""
        return Client(self.port, None)

    def open(self, content, path=CHAT, headers={}, **options):
        """A Client with a request on its way."""
        return Client(self.port, path, content, headers, **options)

    def ask(self, content, path=CHAT, headers={}, patience_s=DEADLINE_S):
        with self.open(content, path, headers) as client:
            return client.reply(patience_s)

    def chat(self, patience_s=DEADLINE_S, headers={}, **members):
        return self.ask(body(**members), CHAT, headers, patience_s)

    def get(self, path, headers={}, method="GET"):
        with Client(self.port, path, None, headers, method) as client:
            return client.reply()

    def metrics(self):
        """{name{labels}: value}"""
        out = {}
        for line in self.get("/metrics").body.decode().splitlines():
            if line and not line.startswith("#"):
                name, _, value = line.rpartition(" ")
                out[name] = float(value)
        return out

    def metric(self, name, **labels):
        """Sum over all rows of that name that have these labels."""
        total = 0.0
        for row, value in self.metrics().items():
            if row.split("{")[0] == name and all(f'{k}="{v}"' in row for k, v in labels.items()):
                total += value
        return total

    def access_log(self, name="access.jsonl"):
        """Lines so far; the gateway writes them now and then, all at its end."""
        file = self.path / name
        if not file.exists():
            return []
        return [json.loads(line) for line in file.read_text().splitlines()]


def direct(sim, content, path=CHAT):
    """What the simulated server says when nobody stands in between."""
    with Client(sim.port, path, content) as client:
        return client.reply()


def wait_until(holds, seconds=5, step_s=0.005):
    """The instant at which it holds, None when it does not in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return time.monotonic()
        time.sleep(step_s)
    return None


def sim_is_idle(sim):
    """No slot of it is busy: what a server does whose client has left."""
    return sim.metrics().get("llamacpp:requests_processing") == 0


def masked(content):
    """A reply without what differs from request to request: ids and times of creation, durations."""
    content = re.sub(rb'("id":)"[^"]*"', rb'\1"ID"', content)
    content = re.sub(rb'("created":)\d+', rb"\g<1>0", content)
    return re.sub(rb'("(?:prompt_ms|predicted_ms|prompt_per_token_ms|predicted_per_token_ms|'
                  rb'prompt_per_second|predicted_per_second)":)[0-9.eE+-]+', rb"\g<1>0", content)


def closed_port():
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
