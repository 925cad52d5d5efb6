"""llama-server for a test in Python: started on a free port, waited for, stopped.

    with LlamaServer(program, model, "--parallel", "4") as server:
        server.get("/metrics")
"""

import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

START_SECONDS = 30


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class LlamaServer:
    """One thread: several wait for each other where others use the machine too."""

    def __init__(self, program, model, *options):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen(
            [program, "--model", model, "--host", "127.0.0.1", "--port", str(port), "--cache-ram", "0",
             "--threads", "1", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.get("/health", 5)
                return self
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        self.process.kill()
        sys.exit("# llama-server does not answer")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)

    def get(self, path, seconds=30):
        return urllib.request.urlopen(self.url + path, timeout=seconds).read().decode()
