#!/usr/bin/env python3
"""A llama-server that lies, hangs, dies or is late: a real process with made-up answers.

Named llama-server in a folder of a test. --version and --help are those of the real one in $REAL_LLAMA. How it misbehaves
is said by $FAKE_MODE:
  lies      /props tells one slot more than was asked for
  drift     the same from its second start on ($FAKE_STATE counts them)
  crash     the process ends in the middle of its third answer
  hang      an answer never comes
  late      /health is 200 at once, and the first answer takes five seconds, as of a server that sleeps
  mute      from its second start on the log lacks "model buffer size"
  stuck     from its second start on /health never answers
Its environment is printed to the log, one line "env NAME=value" each.
"""

import http.server
import json
import os
import sys
import threading
import time

REAL = os.environ.get("REAL_LLAMA", "")
MODE = os.environ.get("FAKE_MODE", "")

if sys.argv[1:] in (["--version"], ["--help"]):
    os.execv(os.path.join(REAL, "llama-server"), ["llama-server", sys.argv[1]])


def option(name):
    return sys.argv[sys.argv.index(name) + 1]


def log(text):
    print(text, file=sys.stderr, flush=True)


def count_start():
    path = os.environ.get("FAKE_STATE")
    if not path:
        return 1
    with open(path, "a", encoding="utf-8") as file:
        file.write("x")
    return os.path.getsize(path)


SLOTS = int(option("--parallel"))
CONTEXT = int(option("--ctx-size")) // SLOTS
answers = starts = 0
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def reply(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/health":
            if MODE == "stuck" and starts > 1:
                time.sleep(3600)
            self.reply({"status": "ok"})
        elif self.path == "/props":
            self.reply({
                "total_slots": SLOTS + (MODE == "lies" or MODE == "drift" and starts > 1), "model_path": option("--model"), "build_info": "fake",
                "is_sleeping": MODE == "late", "default_generation_settings": {"n_ctx": CONTEXT}})
        elif self.path == "/slots":
            self.reply([{"id": i, "n_ctx": CONTEXT, "is_processing": False} for i in range(SLOTS)])
        else:
            self.send_error(404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path == "/tokenize":
            self.reply({"tokens": [1] + [2 + ord(c) for c in body["content"]]})
        elif self.path == "/completion":
            self.complete(body)
        else:
            self.send_error(404)

    def complete(self, body):
        global answers
        with lock:
            answers += 1
            number = answers
        if MODE == "hang":
            time.sleep(3600)
        if MODE == "late" and number == 1:
            time.sleep(5)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        wanted = body["n_predict"]
        for i in range(wanted):
            self.event({"content": "a", "tokens": [1], "stop": False, "index": 0})
            if MODE == "crash" and number == 3 and i == wanted // 2:
                log("the dog ate the weights")
                os._exit(9)
            time.sleep(0.001)
        self.event({
            "content": "", "tokens": [], "stop": True, "stop_type": "limit", "tokens_predicted": wanted,
            "tokens_evaluated": len(body["prompt"]), "tokens_cached": len(body["prompt"]) + wanted - 1,
            "timings": {"cache_n": 0, "prompt_n": len(body["prompt"]), "prompt_ms": 0.5, "predicted_n": wanted,
                        "predicted_ms": 1.0 * wanted}})
        self.close_connection = True

    def event(self, value):
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()


def main():
    global starts
    for name, value in sorted(os.environ.items()):
        log(f"env {name}={value}")
    starts = count_start()
    if not (MODE == "mute" and starts > 1):
        log("load_tensors: model buffer size = 1.00 MiB")
    server = http.server.ThreadingHTTPServer((option("--host"), int(option("--port"))), Handler)
    server.daemon_threads = True
    server.serve_forever()


main()
