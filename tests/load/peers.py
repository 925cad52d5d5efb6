"""A small server of the OpenAI kind for what a simulated server cannot be: one that shows the
heads it got, speaks TLS, has one address family, or is a process with memory of its own.

    with Peer(tokens=4) as peer:
        run = load(peer.url, *prompts_of(1), "--requests", "2")
        peer.requests[0]["head"]

As a program (`peers.py NAME`) it is a server process whose memory does what NAME says; it prints
its port, and takes its memory at its own pace, so that `load --pid` has something to see.
"""

import json
import mmap
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

from tapes import chunk, event

MIB = 1 << 20


def chat_events(tokens):
    """Tokens of one word each, usage in an event of its own, the end mark."""
    words = [event({"choices": [{"index": 0, "delta": {"content": f" w{i}"}, "finish_reason": None}]})
             for i in range(tokens)]
    end = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
    usage = event({"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": tokens,
                                            "prompt_tokens_details": {"cached_tokens": 0}}})
    return [*words, end, usage, event(b"[DONE]")]


class Peer:
    """Listens from the start; each connection has a thread. `requests` has all that came.

    answer(request): whole reply bytes for a request, or None for what is usual
    on_answer(n):    called before the n-th stream begins
    """

    def __init__(self, tokens=4, host="127.0.0.1", pause_s=0.0, tls=None, answer=None,
                 on_answer=None, port=0):
        self.tokens, self.pause_s, self.tls = tokens, pause_s, tls
        self.answer, self.on_answer = answer, on_answer
        self.requests, self.connections, self.written_ns = [], 0, []
        self.lock = threading.Lock()
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.listener = socket.create_server((host, port), family=family, backlog=128)
        self.port = self.listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if tls else 'http'}://{shown}:{self.port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        try:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                peer = self.tls.wrap_socket(peer, server_side=True)
            with peer, peer.makefile("rb") as stream:
                while self.take(peer, stream):
                    pass
        except OSError:  # a client that left, or one that does not trust us
            pass

    def take(self, peer, stream):
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = stream.readline()
            if not line:
                return False
            head += line
        lines = head.decode("latin-1").split("\r\n")
        method, path, _ = lines[0].split(" ")
        headers = {k.lower(): v.strip() for k, _, v in (x.partition(":") for x in lines[1:] if x)}
        body = stream.read(int(headers.get("content-length", 0)))
        request = {"method": method, "path": path, "headers": headers, "head": head, "body": body}
        with self.lock:
            self.requests.append(request)
        self.reply(peer, request)
        return headers.get("connection", "").lower() != "close"

    def reply(self, peer, request):
        made = self.answer(request) if self.answer else None
        if made is not None:
            peer.sendall(made)
        elif request["path"].endswith("/models"):
            peer.sendall(plain(200, {"object": "list", "data": [{"id": "canned"}]}))
        elif request["method"] == "POST":
            self.stream(peer)
        else:
            peer.sendall(plain(404, {"error": {"message": "no such path"}}))

    def stream(self, peer):
        if self.on_answer:
            with self.lock:
                self.on_answer(sum(r["method"] == "POST" for r in self.requests))
        peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                     b"Transfer-Encoding: chunked\r\n\r\n")
        for data in chat_events(self.tokens):
            if self.pause_s:
                time.sleep(self.pause_s)
            self.written_ns.append(time.monotonic_ns())
            peer.sendall(chunk(data))
        peer.sendall(b"0\r\n\r\n")

    @property
    def posts(self):
        return [r for r in self.requests if r["method"] == "POST"]


def plain(status, value, extra=b""):
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return (b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n"
            % (status, extra, len(body)) + body)


class Prompts:
    """A file of prompts, for servers that cannot tell tokens."""

    def __init__(self, content="one prompt\nanother prompt\n"):
        self.folder = tempfile.TemporaryDirectory(prefix="load-prompts-")
        self.path = os.path.join(self.folder.name, "prompts")
        data = content if isinstance(content, bytes) else content.encode()
        pathlib.Path(self.path).write_bytes(data)

    def __enter__(self):
        return self.path

    def __exit__(self, *_):
        self.folder.cleanup()


# ---- servers with memory -------------------------------------------------------------------------

def touched(size):
    """Anonymous memory with every page touched."""
    area = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for at in range(0, size, mmap.PAGESIZE):
        area[at] = 1
    return area


def grow(kept):
    """17 MiB more for each answer, as a cache of prompts would."""
    return lambda n: kept.append(touched(17 * MIB))


def late(kept):
    """Maps a file of 100 MiB at the start and reads it at the first answer."""
    file = tempfile.TemporaryFile()
    for _ in range(100):
        file.write(b"\1" * MIB)
    file.flush()
    area = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    kept.append((file, area))

    def read(n):
        if n == 1:
            sum(area[at] for at in range(0, len(area), mmap.PAGESIZE))
    return read


def peak(kept):
    """Takes 120 MiB at its start and gives them back, as a first start without a cache does."""
    touched(120 * MIB).close()
    return None


def shared(kept):
    """Parent and child that share 100 MiB."""
    area = mmap.mmap(-1, 100 * MIB)
    for at in range(0, len(area), mmap.PAGESIZE):
        area[at] = 1
    kept.append(area)
    if os.fork() == 0:
        sum(area[at] for at in range(0, len(area), mmap.PAGESIZE))
        sys.stdin.read()  # until the parent's starter closes it
        os._exit(0)
    return None


def steady(kept):
    return None


class Process:
    """`peers.py NAME` as a process."""

    def __init__(self, name):
        self.process = subprocess.Popen([sys.executable, "-B", __file__, name],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    @property
    def pid(self):
        return self.process.pid


def main(name):
    kept = []
    behaviour = {f.__name__: f for f in (grow, late, peak, shared, steady)}[name](kept)
    with Peer(on_answer=behaviour) as peer:
        print(peer.port, flush=True)
        sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
