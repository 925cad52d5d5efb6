"""Servers of files for tests of downloads: HTTPS with a certificate of its own, and plain HTTP. What a path
does stands in its first part:

    /plain/N      N bytes, ranges honoured
    /broken/N     the same, but the first two replies end in the middle
    /whole/N      ranges are not honoured
    /short/N      one byte less than N
    /long/N       N + 1 MiB, without a length
    /busy/N       503 twice, then the bytes
    /gone/N       404
    /hop/N        redirects to /plain/N here
    /down/N       redirects to /plain/N over plain HTTP

and `given` has paths with bytes of the test's own.
"""

import http.server
import random
import ssl
import subprocess
import threading


def content(size):
    return random.Random(size).randbytes(size)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, start=0, length=True, cut=False):
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if length:
            self.send_header("Content-Length", str(len(body) - start))
        self.send_header("Connection", "close")
        self.end_headers()
        rest = body[start:]
        self.wfile.write(rest[:len(rest) // 2] if cut else rest)
        self.close_connection = True

    def say(self, code, location=None):
        self.send_response(code)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_GET(self):  # noqa: N802 - the name that http.server calls
        owner = self.server.owner
        owner.seen.append((self.server.scheme, self.path, self.headers.get("Range")))
        if self.path in owner.given:
            self.answer(owner.given[self.path])
            return
        kind, size = self.path.strip("/").split("/")
        size = int(size)
        earlier = sum(path == self.path for _, path, _ in owner.seen) - 1
        start = int(self.headers["Range"][len("bytes="):-1]) if "Range" in self.headers else 0
        if kind == "plain":
            self.answer(content(size), start)
        elif kind == "broken":
            self.answer(content(size), start, cut=earlier < 2)
        elif kind == "whole":
            self.answer(content(size))
        elif kind == "short":
            self.answer(content(size)[:-1])
        elif kind == "long":
            self.answer(content(size) + bytes(1 << 20), length=False)
        elif kind == "busy":
            self.say(503) if earlier < 2 else self.answer(content(size))
        elif kind == "hop":
            self.say(302, f"/plain/{size}")
        elif kind == "down":
            self.say(302, f"{owner.http}/plain/{size}")
        else:
            self.say(404)


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        pass  # a client that has had enough


class Files:
    def __init__(self, folder):
        self.seen, self.given = [], {}
        self.certificate = folder / "certificate.pem"
        key = folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", self.certificate],
                       check=True, capture_output=True, timeout=60)
        self.servers = []
        self.http = f"http://127.0.0.1:{self.serve('http')}"
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self.https = f"https://127.0.0.1:{self.serve('https', context)}"

    def serve(self, scheme, context=None):
        server = Server(("127.0.0.1", 0), Handler)
        server.owner, server.scheme = self, scheme
        if context:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.servers.append(server)
        return server.server_address[1]

    def asked(self, path):
        """The ranges of all requests for a path; None for a whole one."""
        return [asked for _, wanted, asked in self.seen if wanted == path]

    def stop(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()
