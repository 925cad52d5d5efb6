"""What the files rows_*.py share: checks that run side by side, and what a back end was really sent.

Each check has the id of a public report of what went wrong in other gateways ("G13: ..."); what it
expects comes from the simulated server. Silences are scaled down with the timers that they are about;
with --long those checks that have it take the times of the reports, with the default timers.
"""

import concurrent.futures
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

from harness import CHAT, DEADLINE_S, Client, Faults, Unchecked, body, closed_port, wait_until
from tap import Report

FAST = ("--token-time", "2ms", "--prefill", "0.1ms")
LONG = "--long" in sys.argv
# They wait nearly all the time; more at once would wait for the machine.
SIDE_BY_SIDE = 6


def run(check):
    """What it found, why it was not run, and its seconds."""
    faults, began = Faults(), time.monotonic()
    try:
        check(faults)
    except Unchecked as why:
        return faults, str(why), time.monotonic() - began
    except Exception as error:  # a test that dies has failed, the others go on
        faults.append(f"{type(error).__name__}: {error}")
    return faults, None, time.monotonic() - began


def main(checks):
    """checks: (name, function) pairs, which must not compare times tightly."""
    report = Report()
    only = [word for word in sys.argv[1:] if not word.startswith("--")]
    checks = [c for c in checks if not only or any(word in c[0] for word in only)]
    with concurrent.futures.ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        for (name, _), (faults, skipped, seconds) in zip(
                checks, pool.map(run, [function for _, function in checks])):
            if skipped:
                report.skip(name, skipped)
            else:
                report.test(name, faults)
            report.note(f"{seconds:.1f} s")
    return report.end()


# ---- several at once -----------------------------------------------------------------------------

def at_once(count, ask):
    """The results of ask(0) ... ask(count - 1), called at the same time."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return list(pool.map(ask, range(count)))


# ---- tapes ---------------------------------------------------------------------------------------

def quoted(content):
    """Bytes as a tape writes them."""
    return '"' + "".join(f"\\x{byte:02x}" if byte in b'"\\' or not 32 <= byte < 127 else chr(byte)
                         for byte in content) + '"'


def event(value):
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def said(text, finish=None):
    """An event of a chat."""
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": finish}]})


STREAM_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
END_MARK = b"data: [DONE]\n\n"


@contextlib.contextmanager
def tape(*lines):
    """Path of a tape with these lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".tape") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        yield file.name


# ---- a back end that keeps what it was sent ------------------------------------------------------

class Witness:
    """Answers each request with one constant reply and keeps its head and the bytes behind it."""

    ANSWER = json.dumps({"choices": [{"index": 0, "finish_reason": "stop", "message":
                                      {"role": "assistant", "content": "seen"}}]}).encode()

    def __init__(self):
        self.requests = []  # (head as bytes, body as bytes)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = "http://127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def _accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer):
        """One request for each connection. A body without a length is read as what follows within
        half a second, so that it is seen, too."""
        with peer:
            peer.settimeout(DEADLINE_S)
            got = b""
            while b"\r\n\r\n" not in got:
                piece = peer.recv(65536)
                if not piece:
                    return
                got += piece
            head, _, content = got.partition(b"\r\n\r\n")
            length = [int(line.split(b":")[1]) for line in head.split(b"\r\n")
                      if line.lower().startswith(b"content-length:")]
            if not length:
                peer.settimeout(0.5)
            with contextlib.suppress(TimeoutError):
                while not length or len(content) < length[0]:
                    piece = peer.recv(65536)
                    if not piece:
                        break
                    content += piece
            if head.startswith(b"POST"):
                self.requests.append((head, content))
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
                         b"Content-Length: %d\r\n\r\n" % len(self.ANSWER) + self.ANSWER)


def header_values(head, name):
    """All values of a header in raw bytes of a head."""
    lines = [line.partition(b":") for line in head.split(b"\r\n")[1:]]
    return [value.strip().decode("latin-1") for key, _, value in lines
            if key.decode("latin-1").lower() == name.lower()]


# ---- nginx ---------------------------------------------------------------------------------------

NGINX = """daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/a;
    proxy_temp_path {folder}/b;
    fastcgi_temp_path {folder}/c;
    uwsgi_temp_path {folder}/d;
    scgi_temp_path {folder}/e;
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass {url}; {more} }}
    }}
}}
"""


@contextlib.contextmanager
def nginx(url, more=""):
    """Port of an nginx in front of `url`, with its own defaults but for `more`."""
    program = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
    if program is None:
        raise Unchecked("no nginx (Debian: nginx-light)")
    with tempfile.TemporaryDirectory(prefix="gateway-nginx-") as folder:
        port = closed_port()
        path = pathlib.Path(folder, "nginx.conf")
        path.write_text(NGINX.format(folder=folder, port=port, url=url, more=more))
        process = subprocess.Popen([program, "-p", folder, "-c", path], stderr=subprocess.DEVNULL)
        try:
            if not wait_until(lambda: listens(port), DEADLINE_S):
                raise RuntimeError("nginx does not listen")
            yield port
        finally:
            process.terminate()
            process.wait(DEADLINE_S)


def listens(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def event_instants(port, content, patience_s=DEADLINE_S):
    """When each read that brought an event was done, and the whole reply."""
    instants = []
    with Client(port, CHAT, content) as client:
        while b"[DONE]" not in client.raw:
            piece = client.read(patience_s)
            if not piece:
                break
            if b"data:" in piece:
                instants.append(time.monotonic())
        return instants, client.reply()


def longest_silence(client, patience_s):
    """Read to the end of a stream; the longest time without a byte."""
    longest, before = 0, time.monotonic()
    while b"[DONE]" not in client.raw and client.read(patience_s):
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    return longest


def stream_body(**members):
    return body(stream=True, **members)
