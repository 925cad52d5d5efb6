"""A simulated server for a test: started on a free port, spoken to, stopped. Never waits for ever."""

import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time

BINARY = os.environ["PARETOPILOT_BINARY"]
DEADLINE_S = 20


class Sim:
    def __init__(self, *args):
        self.folder = tempfile.TemporaryDirectory(prefix="sim-test-")
        self.log_path = pathlib.Path(self.folder.name, "log.jsonl")
        self.process = subprocess.Popen(
            [BINARY, "sim", "--log", self.log_path, *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError(self.process.communicate()[1])
        self.port = int(self.url.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.folder.cleanup()

    def stop(self, number=signal.SIGTERM):
        """Exit code; afterwards self.log is there and self.err what was printed."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            _, err = self.process.communicate(timeout=DEADLINE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.err = getattr(self, "err", "") + (err or "")
        self.log = [json.loads(line) for line in self.log_path.read_text().splitlines()]
        return self.process.returncode

    def lines(self, what, request=None):
        return [line for line in self.log
                if line["log"] == what and request in (None, line.get("request"))]

    def get(self, path, headers={}):
        return self.ask("GET", path, None, headers)

    def post(self, path, body, headers={}):
        return self.ask("POST", path, body if isinstance(body, bytes) else json.dumps(body), headers)

    def ask(self, method, path, body, headers):
        """Status, headers, bytes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE_S)
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()

    def json(self, path, body=None):
        status, _, text = self.get(path) if body is None else self.post(path, body)
        assert status == 200, f"{path}: {status} {text[:200]!r}"
        return json.loads(text)

    def connect(self, path, body):
        """A socket with a request on it."""
        text = json.dumps(body).encode()
        peer = socket.create_connection(("127.0.0.1", self.port), timeout=DEADLINE_S)
        peer.sendall(b"POST %s HTTP/1.1\r\nHost: sim\r\nContent-Length: %d\r\n\r\n"
                     % (path.encode(), len(text)) + text)
        return peer

    def raw(self, path, body, patience_s=DEADLINE_S, stop=b"\0never"):
        """Every byte until the end, `stop` or our patience; and how it ended."""
        out = b""
        with self.connect(path, body) as peer:
            peer.settimeout(patience_s)
            try:
                while stop not in out:
                    data = peer.recv(65536)
                    if not data:
                        return out, "close"
                    out += data
            except TimeoutError:
                return out, "silence"
            except ConnectionResetError:
                return out, "reset"
        return out, "stop"

    def events(self, path, body):
        """Data of the events of a stream; JSON where it is."""
        status, _, text = self.post(path, dict(body, stream=True))
        assert status == 200, f"{path}: {status} {text[:200]!r}"
        data = [line[6:] for line in text.decode().split("\n") if line.startswith("data: ")]
        return [d if d == "[DONE]" else json.loads(d) for d in data]

    def metrics(self):
        text = self.get("/metrics")[2].decode()
        return {name: float(value) for name, value in
                (line.split() for line in text.splitlines() if not line.startswith("#"))}

    def wait_until(self, holds, seconds=5):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds():
                return True
            time.sleep(0.01)
        return False
