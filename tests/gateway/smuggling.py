#!/usr/bin/env python3
"""Requests and replies that two servers in a row could read differently.

The back end is a server of this test that keeps every byte it gets. Behind each request stands a
second one, and a third comes over another connection: what the back end got must be exactly those
that are documented as tolerated, each framed anew, and nothing of those that are refused. Expected
values stand in http_server.h and docs/method/gateway.md ("What is refused, and what is tolerated").
"""

import json
import re
import socket
import threading
import time

from harness import Serve, config, main

GOOD = b'{"choices":[{"finish_reason":"stop","index":0,"message":{"role":"assistant","content":"%b"}}]}'


def answer(text):
    content = GOOD % text
    return (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
            % len(content)) + content


def ask(prompt):
    """The body of a request."""
    return json.dumps({"model": "m", "messages": [{"role": "user", "content": prompt}],
                       "max_tokens": 2}).encode()


class Recorder:
    """A server that keeps what it gets. It finds the end of a request by its Content-Length alone;
    what comes behind is the next request or an error of the gateway. `next_reply` are the bytes for
    the next request, else the good answer with the prompt in it; `parts`: pauses within them."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.connections = []  # all bytes of each
        self.requests = []     # (connection, head, body)
        self.next_reply = None
        self.closes = False
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
            self.connections.append(bytearray())
            threading.Thread(target=self._serve, daemon=True,
                             args=(peer, len(self.connections) - 1)).start()

    def _serve(self, peer, number):
        pending = b""
        with peer:
            try:
                while piece := peer.recv(65536):
                    self.connections[number] += piece
                    pending += piece
                    while found := split_request(pending):
                        head, content, pending = found
                        self.requests.append((number, head, content))
                        if self._answer(peer, content):
                            return
            except OSError:
                pass

    def _answer(self, peer, content):
        reply, self.next_reply = self.next_reply, None
        if reply is None:
            prompt = json.loads(content)["messages"][0]["content"].encode()
            peer.sendall(answer(prompt))
            return False
        pieces, then_close = reply
        for at, piece in enumerate(pieces):
            if at > 0:
                time.sleep(0.05)
            peer.sendall(piece)
        return then_close

    def forget(self):
        """What is to be seen from here on: the count of requests and of bytes so far."""
        return len(self.requests), sum(len(c) for c in self.connections)


def split_request(pending):
    head, mark, rest = pending.partition(b"\r\n\r\n")
    if not mark:
        return None
    lengths = re.findall(rb"(?im)^content-length:[ \t]*(\d+)[ \t]*\r?$", head)
    size = int(lengths[0]) if lengths else 0
    return None if len(rest) < size else (head, rest[:size], rest[size:])


HOP_BY_HOP = {"connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
              "http2-settings", "expect", "proxy-connection", "proxy-authorization",
              "proxy-authenticate"}
TOKEN = re.compile(rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


def read_strictly(raw, first_line):
    """Headers of a head, [(name, value)]; raises ValueError for what two readers could read
    differently. Shares nothing with the gateway's parsers."""
    lines = raw.split(b"\r\n")
    if not re.fullmatch(first_line, lines[0]):
        raise ValueError(f"first line {lines[0]!r}")
    headers = []
    for line in lines[1:]:
        name, colon, value = line.partition(b":")
        if not colon or not TOKEN.fullmatch(name):
            raise ValueError(f"header {line!r}")
        if re.search(rb"[\x00-\x08\x0a-\x1f\x7f]", value):
            raise ValueError(f"controls in {line!r}")
        headers.append((name.decode().lower(), value.strip(b" \t")))
    return headers


def faults_of_request(head, content, recorder):
    """What is wrong with the framing of a request at the back end."""
    try:
        headers = read_strictly(head, rb"POST /v1/chat/completions HTTP/1\.1")
    except ValueError as error:
        return [str(error)]
    names = [name for name, _ in headers]
    out = [f"hop by hop: {name}" for name in names if name in HOP_BY_HOP]
    lengths = [value for name, value in headers if name == "content-length"]
    if lengths != [b"%d" % len(content)]:
        out.append(f"Content-Length {lengths}, {len(content)} bytes")
    hosts = [value for name, value in headers if name == "host"]
    if hosts != [b"127.0.0.1:%d" % recorder.port]:
        out.append(f"Host {hosts}")
    types = [value for name, value in headers if name == "content-type"]
    if types != [b"application/json"]:
        out.append(f"Content-Type {types}")
    return out


def split_replies(raw):
    """(statuses, rest): whole replies at the front of what a client got; interim ones are dropped.
    Raises ValueError for a reply that is not well framed."""
    statuses = []
    while raw:
        head, mark, rest = raw.partition(b"\r\n\r\n")
        if not mark:
            raise ValueError(f"no head: {raw[:80]!r}")
        headers = read_strictly(head, rb"HTTP/1\.1 [1-5]\d\d [ -~]*")
        status = int(head[9:12])
        lengths = [v for n, v in headers if n == "content-length"]
        codings = [v for n, v in headers if n == "transfer-encoding"]
        if status < 200:
            raw = rest
            continue
        if len(lengths) + len(codings) > 1:
            raise ValueError(f"framed twice: {head!r}")
        if status == 204:
            size = 0
        elif codings == [b"chunked"]:
            size = rest.find(b"0\r\n\r\n") + 5
            if size < 5:
                raise ValueError("no last chunk")
        elif lengths and re.fullmatch(rb"\d+", lengths[0]):
            size = int(lengths[0])
        else:
            raise ValueError(f"not framed: {head!r}")
        if len(rest) < size:
            raise ValueError("cut body")
        statuses.append(status)
        raw = rest[size:]
    return statuses


# ---- requests ------------------------------------------------------------------------------------

B = ask("first")
SECOND = ask("second")
N = b"%d" % len(B)


def request(*headers, line=b"POST /v1/chat/completions HTTP/1.1", content=B, host=b"Host: a",
            length=True):
    """Header lines joined by CR LF."""
    lines = [line] + ([host] if host else []) + list(headers)
    if length:
        lines.append(b"Content-Length: %d" % len(content))
    return b"\r\n".join(lines) + b"\r\n\r\n" + content


def chunk(content, size=None, extension=b""):
    return (size or b"%x" % len(content)) + extension + b"\r\n" + content + b"\r\n"


def chunked(*headers, content=None, coding=b"Transfer-Encoding: chunked", trailers=b"",
            line=b"POST /v1/chat/completions HTTP/1.1"):
    content = chunk(B) + b"0\r\n" + trailers + b"\r\n" if content is None else content
    return request(coding, *headers, content=content, length=False, line=line)


def raw_lines(*lines):
    """Lines with their ends as they are given, and the body."""
    return b"".join(lines) + B


LINE = b"POST /v1/chat/completions HTTP/1.1\r\n"
HOST = b"Host: a\r\n"
LENGTH = b"Content-Length: " + N + b"\r\n"
CODING = b"Transfer-Encoding: chunked\r\n"
END = b"\r\n"

LENGTHS_AND_CODINGS = {
    "both, length first": (400, chunked(b"Content-Length: " + N)),
    "both, coding first": (400, request(b"Transfer-Encoding: chunked", content=chunk(B) + b"0\r\n\r\n")),
    "both, length 0": (400, chunked(b"Content-Length: 0")),
    "both, an unknown coding": (400, request(b"Transfer-Encoding: x")),
    "both, coding in HTTP/1.0": (400, request(b"Transfer-Encoding: chunked",
                                              line=LINE.strip().replace(b"1.1", b"1.0"))),
    "two equal lengths": (400, request(b"Content-Length: " + N)),
    "two lengths": (400, request(b"Content-Length: 5")),
    "two lengths, odd case": (400, request(b"cOnTeNt-lEnGtH: 0")),
    "a list of equal lengths": (400, request(b"Content-Length: " + N + b", " + N, length=False)),
    "a list of lengths": (400, request(b"Content-Length: 0, " + N, length=False)),
    "plus": (400, request(b"Content-Length: +" + N, length=False)),
    "minus": (400, request(b"Content-Length: -1", length=False)),
    "hexadecimal": (400, request(b"Content-Length: 0x10", length=False)),
    "a blank in it": (400, request(b"Content-Length: 1 0", length=False)),
    "empty": (400, request(b"Content-Length:", length=False)),
    "a fraction": (400, request(b"Content-Length: 5.0", length=False)),
    "beyond 64 bits": (400, request(b"Content-Length: 18446744073709551617", length=False)),
    "beyond int64": (400, request(b"Content-Length: 9223372036854775808", length=False)),
    "above the ceiling": (413, request(b"Content-Length: 9223372036854775807", length=False)),
    "identity": (501, chunked(coding=b"Transfer-Encoding: identity")),
    "gzip": (501, chunked(coding=b"Transfer-Encoding: gzip")),
    "chunked is not the last": (501, chunked(coding=b"Transfer-Encoding: chunked, identity")),
    "chunked is the last": (501, chunked(coding=b"Transfer-Encoding: gzip, chunked")),
    "chunked twice in a list": (501, chunked(coding=b"Transfer-Encoding: chunked, chunked")),
    "chunked twice": (400, chunked(b"Transfer-Encoding: chunked")),
    "chunked and identity": (400, chunked(b"Transfer-Encoding: identity")),
    "a comma behind it": (501, chunked(coding=b"Transfer-Encoding: chunked,")),
    "a parameter": (501, chunked(coding=b"Transfer-Encoding: chunked;q=1")),
    "quoted": (501, chunked(coding=b'Transfer-Encoding: "chunked"')),
    "xchunked": (501, chunked(coding=b"Transfer-Encoding: xchunked")),
    "an empty coding": (501, chunked(coding=b"Transfer-Encoding:")),
    "a vertical tab in it": (400, chunked(coding=b"Transfer-Encoding: \x0bchunked")),
    "a no-break space in it": (501, chunked(coding=b"Transfer-Encoding: chunked\xa0")),
    "a coding in HTTP/1.0": (400, chunked(line=LINE.strip().replace(b"1.1", b"1.0"))),
    "odd case": ("goes", chunked(coding=b"tRANSFER-eNCODING: cHuNkEd")),
    "blanks around it": ("goes", chunked(coding=b"Transfer-Encoding: \t chunked \t ")),
    "zeros in front": ("goes", request(b"Content-Length: 000" + N, length=False)),
    "a list of other headers": ("goes", request(b"X-Transfer-Encoding: chunked", b"X-A: b")),
}

LINE_ENDS = {
    "bare line feed behind the request line": (400, raw_lines(LINE[:-2], b"\n", HOST, LENGTH, END)),
    "bare line feed behind a header": (400, raw_lines(LINE, b"Host: a\n", LENGTH, END)),
    "bare line feed at the end of the head": (400, raw_lines(LINE, HOST, LENGTH, b"\n")),
    "bare line feed hides a header": (400, raw_lines(LINE, HOST, b"X: y\n" + CODING, LENGTH, END)),
    "bare carriage return hides a header": (400, raw_lines(LINE, HOST, b"X: y\r" + CODING, LENGTH,
                                                           END)),
    "carriage return twice": (400, raw_lines(LINE, HOST, b"X: y\r\r\n", LENGTH, END)),
    "carriage return in front of a header": (400, raw_lines(LINE, HOST, b"\r" + CODING, LENGTH, END)),
    "a folded header": (400, raw_lines(LINE, HOST, b"X: y\r\n " + CODING, LENGTH, END)),
    "a header folded by a tab": (400, raw_lines(LINE, HOST, b"X: y\r\n\tz\r\n", LENGTH, END)),
    "a folded coding": (400, raw_lines(LINE, HOST, b"Transfer-Encoding:\r\n chunked\r\n", LENGTH,
                                       END)),
    "the first header is folded": (400, raw_lines(LINE, b" X: y\r\n", HOST, LENGTH, END)),
    "an empty line in front": ("goes", b"\r\n" + request()),
    "two empty lines in front": (400, b"\r\n\r\n" + request()),
    "a line feed in front": (400, b"\n" + request()),
}

NAMES_AND_VALUES = {
    "blank before the colon": (400, raw_lines(LINE, HOST, b"Transfer-Encoding : chunked\r\n", LENGTH,
                                              END)),
    "tab before the colon": (400, raw_lines(LINE, HOST, b"Content-Length\t: 0\r\n", END)),
    "blank before the colon of another": (400, request(b"X : y")),
    "no colon": (400, request(b"Transfer-Encoding chunked")),
    "no name": (400, request(b": chunked")),
    "NUL in a name": (400, request(b"Content-Length\x00: 0")),
    "NUL in a value": (400, request(b"X: a\x00b")),
    "NUL in the target": (400, request(line=b"POST /v1/chat\x00/completions HTTP/1.1")),
    "NUL in the method": (400, request(line=b"PO\x00ST /v1/chat/completions HTTP/1.1")),
    "a control in a value": (400, request(b"X: a\x01b")),
    "escape in a value": (400, request(b"X: \x1b[2J")),
    "delete in a value": (400, request(b"X: a\x7fb")),
    "a form feed in a value": (400, request(b"X: a\x0cb")),
    "obs-text in a name": (400, request(b"X\xff: b")),
    "brackets in a name": (400, request(b"[X]: b")),
    "obs-text in a value": ("goes", request(b"X-Text: a\xe9\xffb")),
    "a tab in a value": ("goes", request(b"X-Text: a\tb")),
    "an underscore in a name": ("goes", request(b"X_Text: a")),
    "a byte order mark": (400, b"\xef\xbb\xbf" + request()),
}

TARGETS = {
    "absolute": ("goes", request(line=b"POST http://evil.example/v1/chat/completions HTTP/1.1")),
    "absolute, odd case": ("goes", request(line=b"POST HTTPS://e:1/v1/chat/completions HTTP/1.1")),
    "absolute, without a host": (400, request(line=b"POST http:///v1/chat/completions HTTP/1.1")),
    "absolute, with a user": (400, request(line=b"POST http://u@h/v1/chat/completions HTTP/1.1")),
    "absolute, another scheme": (400, request(line=b"POST ftp://h/v1/chat/completions HTTP/1.1")),
    "absolute, no Host header": (400, request(line=b"POST http://h/v1/chat/completions HTTP/1.1",
                                              host=None)),
    "authority": (400, request(line=b"CONNECT h:80 HTTP/1.1")),
    "asterisk": (400, request(line=b"POST * HTTP/1.1")),
    "a path without its slash": (400, request(line=b"POST v1/chat/completions HTTP/1.1")),
    "a fragment": (400, request(line=b"POST /v1/chat/completions#x HTTP/1.1")),
    "two blanks": (400, request(line=b"POST  /v1/chat/completions HTTP/1.1")),
    "a tab": (400, request(line=b"POST\t/v1/chat/completions HTTP/1.1")),
    "a blank in it": (400, request(line=b"POST /v1/chat/completions x HTTP/1.1")),
    "obs-text": (400, request(line=b"POST /v1/chat/completions\xff HTTP/1.1")),
    "a query": ("goes", request(line=b"POST /v1/chat/completions?a=%0d%0ab HTTP/1.1")),
    "a blank behind the version": (400, request(line=LINE.strip() + b" ")),
    "no version": (400, request(line=b"POST /v1/chat/completions")),
    "version in lower case": (400, request(line=LINE.strip().lower())),
    "version 1.2": (505, request(line=LINE.strip().replace(b"1.1", b"1.2"))),
    "version 2.0": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    "a long method": (400, request(line=b"P" * 40 + b" /v1/chat/completions HTTP/1.1")),
}

HOSTS = {
    "none": (400, request(host=None)),
    "two": (400, request(b"Host: b")),
    "two equal ones": (400, request(b"Host: a")),
    "a list": (400, request(host=b"Host: a, b")),
    "a blank in it": (400, request(host=b"Host: a b")),
    "a path in it": (400, request(host=b"Host: a/b")),
    "a user in it": (400, request(host=b"Host: u@a")),
    "obs-text in it": (400, request(host=b"Host: a\xff")),
    "another one": ("goes", request(host=b"Host: evil.example:99")),
}

EXPECTATIONS = {
    "another one": (417, request(b"Expect: 200-ok")),
    "a list": (417, request(b"Expect: 100-continue, x")),
    "odd case": ("goes", request(b"Expect: 100-Continue")),
}

CHUNKS = {
    "upper case": ("goes", chunked(content=chunk(B, b"%X" % len(B)) + b"0\r\n\r\n")),
    "zeros in front": ("goes", chunked(content=chunk(B, b"0000%x" % len(B)) + b"000\r\n\r\n")),
    "one byte each": ("goes", chunked(content=b"".join(chunk(B[i:i + 1]) for i in range(len(B)))
                                      + b"0\r\n\r\n")),
    "an extension": ("goes", chunked(content=chunk(B, extension=b";a=b;c=\"d\"") + b"0;e\r\n\r\n")),
    "an extension with obs-text": ("goes", chunked(content=chunk(B, extension=b";\xff")
                                                   + b"0\r\n\r\n")),
    "an extension with a line feed": (400, chunked(content=chunk(B, extension=b";a\nb") + b"0\r\n\r\n")),
    "an extension with a carriage return": (400, chunked(content=chunk(B, extension=b";a\rb")
                                                         + b"0\r\n\r\n")),
    "an extension with NUL": (400, chunked(content=chunk(B, extension=b";\x00") + b"0\r\n\r\n")),
    "an endless extension": (400, chunked(content=chunk(B, extension=b";" + b"a" * 2000)
                                          + b"0\r\n\r\n")),
    "many extensions": (400, chunked(content=b"".join(chunk(b" ", extension=b";" + b"a" * 1000)
                                                      for _ in range(40)) + b"0\r\n\r\n")),
    "blank behind the size": (400, chunked(content=chunk(B, extension=b" ") + b"0\r\n\r\n")),
    "blank before an extension": (400, chunked(content=chunk(B, extension=b" ;a") + b"0\r\n\r\n")),
    "blank before the size": (400, chunked(content=chunk(B, b" %x" % len(B)) + b"0\r\n\r\n")),
    "plus": (400, chunked(content=chunk(B, b"+%x" % len(B)) + b"0\r\n\r\n")),
    "minus": (400, chunked(content=chunk(B, b"-1") + b"0\r\n\r\n")),
    "hex prefix": (400, chunked(content=chunk(B, b"0x%x" % len(B)) + b"0\r\n\r\n")),
    "no size": (400, chunked(content=b"\r\n" + B + b"\r\n0\r\n\r\n")),
    "no hex digit": (400, chunked(content=chunk(B, b"%xg" % len(B)) + b"0\r\n\r\n")),
    "underscore": (400, chunked(content=chunk(B, b"1_0") + b"0\r\n\r\n")),
    "2^64 and the size": (413, chunked(content=chunk(B, b"1%016x" % len(B)) + b"0\r\n\r\n")),
    "2^32 and the size": (413, chunked(content=chunk(B, b"1%08x" % len(B)) + b"0\r\n\r\n")),
    "2^64 - 1": (413, chunked(content=chunk(B, b"f" * 16) + b"0\r\n\r\n")),
    "too small": (400, chunked(content=chunk(B, b"%x" % (len(B) - 1)) + b"0\r\n\r\n")),
    "too large": (400, chunked(content=chunk(B, b"%x" % (len(B) + 1)) + b"0\r\n\r\n")),
    "line feed behind the size": (400, chunked(content=b"%x\n" % len(B) + B + b"\r\n0\r\n\r\n")),
    "carriage return behind the size": (400, chunked(content=b"%x\r" % len(B) + B + b"\r\n0\r\n\r\n")),
    "line feed behind the data": (400, chunked(content=b"%x\r\n" % len(B) + B + b"\n0\r\n\r\n")),
    "line feed behind the last one": (400, chunked(content=chunk(B) + b"0\n\r\n")),
    "line feed at the end": (400, chunked(content=chunk(B) + b"0\r\n\n")),
}

TRAILERS = {
    "one": ("goes", chunked(trailers=b"X-Sum: 1\r\n")),
    "a length": ("goes", chunked(trailers=b"Content-Length: 0\r\n")),
    "a coding": ("goes", chunked(trailers=b"Transfer-Encoding: gzip\r\n")),
    "a host and a key": ("goes", chunked(trailers=b"Host: evil\r\nAuthorization: Bearer x\r\n")),
    "blank before the colon": (400, chunked(trailers=b"X : 1\r\n")),
    "folded": (400, chunked(trailers=b"X: 1\r\n y\r\n")),
    "NUL": (400, chunked(trailers=b"X: \x00\r\n")),
    "a bare line feed": (400, chunked(trailers=b"X: 1\n")),
    "no colon": (400, chunked(trailers=b"POST / HTTP/1.1\r\n")),
    "too large": (431, chunked(trailers=b"X: " + b"y" * 40000 + b"\r\n")),
}

CONNECTION = {
    "names Content-Length": ("goes", request(b"Connection: Content-Length")),
    "names Host": ("goes", request(b"Connection: Host")),
    "names Transfer-Encoding": ("goes", chunked(b"Connection: Transfer-Encoding")),
    "names Content-Type": ("goes", request(b"Connection: Content-Type", b"Content-Type: text/x")),
    "names another": ("goes", request(b"Connection: X-Gone, keep-alive", b"X-Gone: 1")),
    "its companions": ("goes", request(b"Keep-Alive: timeout=9", b"Proxy-Connection: keep-alive",
                                       b"TE: trailers", b"Trailer: X", b"Upgrade: h2c",
                                       b"HTTP2-Settings: AAA", b"Proxy-Authorization: Basic x",
                                       b"Connection: Upgrade, HTTP2-Settings, TE")),
    "other lengths": ("goes", request(b"Content-Encoding: identity", b"X-Content-Length: 3",
                                      b"Content-Length-: 3")),
}

SIZES = {
    "a large header": (431, request(b"X: " + b"y" * 40000)),
    "a long target": (414, request(line=b"POST /" + b"y" * 40000 + b" HTTP/1.1")),
    "many headers": (431, request(*[b"X%d: y" % i for i in range(300)])),
    "headers without values": (431, request(*[b"X%d:" % i for i in range(300)])),
}


def talk(gateway, content, patience_s=10):
    """What came back until the gateway closed, or until it had nothing more to say after two whole
    replies."""
    with gateway.connect() as client:
        try:
            client.socket.sendall(content)
        except OSError:
            pass  # it may have hung up while we were still talking
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            try:
                if not client.read(end - time.monotonic()):
                    return bytes(client.raw), True
                statuses = split_replies(bytes(client.raw))
            except ConnectionResetError:
                return bytes(client.raw), True
            except (ValueError, TimeoutError):
                continue
            if len(statuses) == 2:
                return bytes(client.raw), False
        return bytes(client.raw), False


def case(f, what, gateway, recorder, want, content):
    """`content` with a second request behind it, then another client's."""
    seen, byte_count = recorder.forget()
    raw, closed = talk(gateway, content + request(content=SECOND))
    try:
        statuses = split_replies(raw)
    except ValueError as error:
        f.append(f"{what}: badly framed: {error}")
        return
    witness = gateway.ask(ask("witness"))
    f.equal(f"{what}: the next client's answer", witness.status, 200)
    got = recorder.requests[seen:]
    bodies = [body for _, _, body in got]
    if want == "goes":
        f.equal(f"{what}: replies", statuses, [200, 200])
        f.equal(f"{what}: bodies at the back end", bodies, [B, SECOND, ask("witness")])
    else:
        f.equal(f"{what}: replies", (statuses, closed), ([want], True))
        f.equal(f"{what}: bodies at the back end", bodies, [ask("witness")])
    for _, head, body in got:
        f.extend(f"{what}: {fault}" for fault in faults_of_request(head, body, recorder))
    total = sum(len(head) + 4 + len(body) for _, head, body in got)
    f.equal(f"{what}: bytes at the back end",
            sum(len(c) for c in recorder.connections) - byte_count, total)


def one_back_end(recorder):
    return config({"a": recorder.url}, backends={"a": {"server": "openai", "max_in_flight": 4}})


def check_requests(cases):
    def check(f):
        with Recorder() as recorder, Serve(one_back_end(recorder)) as gateway:
            for what, (want, content) in cases.items():
                case(f, what, gateway, recorder, want, content)
    return check


def what_is_dropped(f):
    """Named by Connection, in a trailer, or claimed: none of it is at the back end."""
    with Recorder() as recorder, Serve(one_back_end(recorder)) as gateway:
        content = chunked(b"Connection: X-Named , x-also", b"X-Named: 1", b"X-ALSO: 2", b"X-Kept: 3",
                          b"Authorization: Bearer x", b"Cookie: x", b"X-Forwarded-For: 9.9.9.9",
                          b"X-Request-Id: a b", trailers=b"X-Trailer: 4\r\n")
        talk(gateway, content, 0.5)
        f.equal("requests", len(recorder.requests), 1)
        headers = dict(read_strictly(recorder.requests[0][1], rb"POST .*"))
        for name in ("x-named", "x-also", "authorization", "cookie", "x-trailer"):
            f.equal(name, headers.get(name), None)
        f.equal("x-kept", headers.get("x-kept"), b"3")
        f.equal("x-forwarded-for", headers.get("x-forwarded-for"), b"127.0.0.1")
        f.true("an id of our own", b" " not in headers.get("x-request-id", b" "))


def what_looks_like_another_request(f):
    """A request within a body is a part of the body; bytes behind a short body are no request of the
    one before."""
    inner = request(content=SECOND)
    content = json.dumps({"model": "m", "x": inner.decode("latin-1"),
                          "messages": [{"role": "user", "content": "first"}]}).encode()
    with Recorder() as recorder, Serve(one_back_end(recorder)) as gateway:
        raw, _ = talk(gateway, request(content=content), 0.5)
        f.equal("inside: replies", split_replies(raw), [200])
        f.equal("inside: bodies", [b for _, _, b in recorder.requests], [content])
        seen, _ = recorder.forget()
        for what, tricky, want in (
                ("no length", request(length=False), [400, 400]),
                ("a short length", request(b"Content-Length: 3", length=False), [400, 400]),
                ("a body of no JSON", request(content=b"0\r\n\r\n" + inner), [400, 200]),
                ("a GET with a body", request(line=b"GET /health HTTP/1.1", content=inner),
                 [200, 200]),
                ("a GET with chunks", chunked(line=b"GET /health HTTP/1.1",
                                              content=chunk(inner) + b"0\r\n\r\n"), [200, 200]),
                ("an upgrade", request(b"Connection: Upgrade", b"Upgrade: websocket",
                                       line=b"GET /v1/chat/completions HTTP/1.1", content=inner),
                 [405, 200])):
            raw, _ = talk(gateway, tricky + request(content=ask(what)))
            f.equal(f"{what}: replies", split_replies(raw), want)
            got = [b for _, _, b in recorder.requests[seen:]]
            f.equal(f"{what}: bodies", got, [ask(what)] if want[1] == 200 else [])
            seen, _ = recorder.forget()


def too_many_names_in_connection(f):
    with Recorder() as recorder, Serve(one_back_end(recorder)) as gateway:
        got = gateway.ask(B, headers={"Connection": ", ".join(f"x{i}" for i in range(400))})
        f.equal("status", (got.status, got.error.get("code")), (431, "headers_too_large"))
        f.equal("connections of the back end", recorder.connections, [])


# ---- replies -------------------------------------------------------------------------------------

OK = b"HTTP/1.1 200 OK\r\n"
JSON = b"Content-Type: application/json\r\n"
G = GOOD % b"first"
GL = b"Content-Length: %d\r\n" % len(G)
EVIL = answer(b"evil")


def plain(*headers, content=None, first=OK):
    return first + JSON + b"".join(headers) + b"\r\n" + (G if content is None else content)


def in_chunks(content, *headers, first=OK):
    return plain(CODING, *headers, content=content, first=first)


WELL_FRAMED = {
    "a length": plain(GL),
    "chunks": in_chunks(chunk(G) + b"0\r\n\r\n"),
    "chunks with extensions and trailers": in_chunks(chunk(G, extension=b";a=b")
                                                     + b"0\r\nX-Sum: 1\r\n\r\n"),
    "interim replies": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                       + plain(GL),
    "no reason": plain(GL, first=b"HTTP/1.1 200\r\n"),
}

# Refused as a whole, whatever stands in it.
BADLY_FRAMED = {
    "both, length first": plain(GL, CODING, content=chunk(G) + b"0\r\n\r\n"),
    "both, coding first": plain(CODING, GL, content=chunk(G) + b"0\r\n\r\n"),
    "both, length 0": plain(b"Content-Length: 0\r\n", CODING, content=chunk(G) + b"0\r\n\r\n"),
    "two equal lengths": plain(GL, GL),
    "two lengths": plain(GL, b"Content-Length: 5\r\n"),
    "two lengths, the other way": plain(b"Content-Length: 5\r\n", GL),
    "a list of lengths": plain(GL[:-2] + b", %d\r\n" % len(G)),
    "a negative length": plain(b"Content-Length: -1\r\n"),
    "a length with a sign": plain(b"Content-Length: +%d\r\n" % len(G)),
    "a length in hexadecimal": plain(b"Content-Length: 0x%x\r\n" % len(G)),
    "a length beyond 64 bits": plain(b"Content-Length: 1%020d\r\n" % len(G)),
    "an empty length": plain(b"Content-Length:\r\n"),
    "another coding": plain(b"Transfer-Encoding: identity\r\n", GL),
    "another coding in front": in_chunks(chunk(G) + b"0\r\n\r\n").replace(b"chunked", b"gzip, chunked"),
    "chunked twice": in_chunks(chunk(G) + b"0\r\n\r\n", CODING),
    "chunked in HTTP/1.0": in_chunks(chunk(G) + b"0\r\n\r\n", first=b"HTTP/1.0 200 OK\r\n"),
    "bare line feeds": plain(GL).replace(b"\r\n", b"\n"),
    "one bare line feed": plain(GL, b"X: y\n"),
    "a bare line feed at the end": (OK + JSON + GL + b"\n" + G),
    "a bare carriage return": plain(GL, b"X: y\rContent-Length: 5\r\n"),
    "a folded header": plain(GL, b"X: y\r\n z\r\n"),
    "a folded length": plain(b"Content-Length:\r\n %d\r\n" % len(G)),
    "a blank before the colon": plain(GL, b"Transfer-Encoding : chunked\r\n"),
    "no colon": plain(GL, b"nothing\r\n"),
    "no name": plain(GL, b": x\r\n"),
    "NUL in a value": plain(GL, b"X: a\x00b\r\n"),
    "a control in a value": plain(GL, b"X: a\x01b\r\n"),
    "escape in a value": plain(GL, b"X: \x1b[2J\r\n"),
    "no HTTP": b"hello\r\n\r\n",
    "another version": plain(GL, first=b"HTTP/1.2 200 OK\r\n"),
    "HTTP/2": plain(GL, first=b"HTTP/2 200\r\n"),
    "a status of four digits": plain(GL, first=b"HTTP/1.1 2000 OK\r\n"),
    "a control in the reason": plain(GL, first=b"HTTP/1.1 200 O\x01K\r\n"),
    "another protocol": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n" + plain(GL),
    "a flood of interim replies": b"HTTP/1.1 100 Continue\r\n\r\n" * 20000 + plain(GL),
    "an endless header": plain(GL, b"X: " + b"y" * 300000 + b"\r\n"),
    "endless headers": plain(GL, b"X: y\r\n" * 60000),
    "no size of a chunk": in_chunks(b"\r\n" + G + b"\r\n0\r\n\r\n"),
    "a chunk size that is none": in_chunks(chunk(G, b"xyz") + b"0\r\n\r\n"),
    "a negative chunk": in_chunks(chunk(G, b"-5") + b"0\r\n\r\n"),
    "a chunk with a sign": in_chunks(chunk(G, b"+%x" % len(G)) + b"0\r\n\r\n"),
    "a chunk beyond 64 bits": in_chunks(chunk(G, b"1%016x" % len(G)) + b"0\r\n\r\n"),
    "a chunk that is too small": in_chunks(chunk(G, b"%x" % (len(G) - 4)) + b"0\r\n\r\n"),
    "a chunk in hex with a prefix": in_chunks(chunk(G, b"0x%x" % len(G)) + b"0\r\n\r\n"),
    "another byte for the last line feed": in_chunks(chunk(G) + b"0\r\n\r") + b"x\r\n\r\n",
    "a blank before a chunk": in_chunks(chunk(G, b" %x" % len(G)) + b"0\r\n\r\n"),
}

# The answer is whole all the same; what stands behind it is nobody's.
BEHIND_A_LENGTH = {
    "a reply": plain(GL) + EVIL,
    "a line feed": plain(GL) + b"\n",
}
BEHIND_CHUNKS = {
    "a reply": in_chunks(chunk(G) + b"0\r\n\r\n") + EVIL,
    "a byte": in_chunks(chunk(G) + b"0\r\n\r\n") + b"x",
}

# Chunks that nobody should send; what goes on is framed anew.
ODD_CHUNKS = {
    "line feeds": in_chunks(b"%x\n" % len(G) + G + b"\n0\n\n"),
    "a blank behind the size": in_chunks(chunk(G, extension=b" ") + b"0\r\n\r\n"),
    "upper case and zeros": in_chunks(chunk(G, b"00%X" % len(G)) + b"000\r\n\r\n"),
    "one byte each": in_chunks(b"".join(chunk(G[i:i + 1]) for i in range(len(G))) + b"0\r\n\r\n"),
}


def reply_case(f, what, gateway, recorder, reply, want, reused):
    """The reply of the back end to one client, then another client asks."""
    seen, _ = recorder.forget()
    recorder.next_reply = reply
    with gateway.open(ask("first")) as client:
        got = client.reply(10)
        raw = bytes(client.raw)
    try:
        f.equal(f"{what}: replies", len(split_replies(raw)), 1)
    except ValueError as error:
        f.append(f"{what}: the client's reply: {error}")
    if want == "whole":
        f.equal(f"{what}: answer", (got.status, got.body), (200, G))
    else:
        f.equal(f"{what}: error", (got.status, got.error.get("code")), (502, want))
    witness = gateway.ask(ask("witness"))
    f.equal(f"{what}: the next answer", (witness.status, witness.body), (200, GOOD % b"witness"))
    connections = [number for number, _, _ in recorder.requests[seen:]]
    f.equal(f"{what}: requests", len(connections), 2)
    if reused is not None:
        f.equal(f"{what}: connection used again", len(set(connections)) == 1, reused)


def patient(recorder):
    """Nothing that a back end does here makes the gateway leave it alone."""
    return {**one_back_end(recorder), "breaker": {"failures": 64, "window_ms": 100}}


def replies(cases, want, reused):
    def check(f):
        with Recorder() as recorder, Serve(patient(recorder)) as gateway:
            for what, reply in cases.items():
                reply_case(f, what, gateway, recorder, ([reply], False), want, reused)
    return check


def what_comes_late(f):
    """Bytes that come when the reply is over: an idle connection on which a server speaks is
    closed."""
    with Recorder() as recorder, Serve(patient(recorder)) as gateway:
        in_two = in_chunks(chunk(G) + b"0\r\n\r\n")
        for what, pieces in (("length", [plain(GL), EVIL]), ("chunks", [in_two, EVIL]),
                             ("half of it behind chunks", [in_two + EVIL[:20], EVIL[20:]]),
                             ("a line feed", [plain(GL), b"\r\n"])):
            seen, _ = recorder.forget()
            recorder.next_reply = (pieces, False)
            got = gateway.ask(ask("first"))
            f.equal(f"{what}: answer", got.body, G)
            time.sleep(0.3)
            witness = gateway.ask(ask("witness"))
            f.equal(f"{what}: the next answer", witness.body, GOOD % b"witness")
            connections = [number for number, _, _ in recorder.requests[seen:]]
            f.equal(f"{what}: connections", len(set(connections)), 2)


def replies_that_end_early(f):
    with Recorder() as recorder, Serve(patient(recorder)) as gateway:
        for what, reply in (
                ("in the head", OK + JSON), ("behind an interim reply", b"HTTP/1.1 100 C\r\n\r\n"),
                ("in the body", plain(GL, content=G[:-1])), ("in a chunk", in_chunks(chunk(G)[:-5])),
                ("before the last chunk", in_chunks(chunk(G))),
                ("a chunk that is too large", in_chunks(chunk(G, b"%x" % (len(G) + 9))))):
            reply_case(f, what, gateway, recorder, ([reply], True), "upstream_broke", False)


def bodies_of_no_body(f):
    """204 has none, whatever its head says; what stands there is not the next reply."""
    with Recorder() as recorder, Serve(patient(recorder)) as gateway:
        seen, _ = recorder.forget()
        recorder.next_reply = ([plain(GL, first=b"HTTP/1.1 204 No Content\r\n")], False)
        with gateway.open(ask("first")) as client:
            client.reply(5)
            f.true("well framed", len(split_replies(bytes(client.raw))) == 1, bytes(client.raw))
        witness = gateway.ask(ask("witness"))
        f.equal("the next answer", witness.body, GOOD % b"witness")
        connections = [number for number, _, _ in recorder.requests[seen:]]
        f.equal("connections", len(set(connections)), 2)


if __name__ == "__main__":
    raise SystemExit(main(
        [(f"requests: {name}", check_requests(cases)) for name, cases in (
            ("lengths and codings", LENGTHS_AND_CODINGS), ("line ends", LINE_ENDS),
            ("names and values", NAMES_AND_VALUES), ("targets", TARGETS), ("hosts", HOSTS),
            ("expectations", EXPECTATIONS), ("chunks", CHUNKS), ("trailers", TRAILERS),
            ("connection", CONNECTION), ("sizes", SIZES))] + [
            ("requests: what is dropped", what_is_dropped),
            ("requests: what looks like another request", what_looks_like_another_request),
            ("requests: too many names in Connection", too_many_names_in_connection),
            ("replies: well framed ones, and the connection is used again",
             replies(WELL_FRAMED, "whole", True)),
            ("replies: badly framed ones are errors", replies(BADLY_FRAMED, "upstream_invalid", False)),
            ("replies: what stands behind a length is nobody's",
             replies(BEHIND_A_LENGTH, "whole", False)),
            # what libcurl read together with the last chunk it has dropped already
            ("replies: what stands behind chunks is nobody's", replies(BEHIND_CHUNKS, "whole", None)),
            ("replies: odd chunks", replies(ODD_CHUNKS, "whole", None)),
            ("replies: what comes late is nobody's", what_comes_late),
            ("replies: ends that come early", replies_that_end_early),
            ("replies: a body where none can be", bodies_of_no_body),
        ]))
