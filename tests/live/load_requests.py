"""load_requests.py PRINT_REQUESTS LLAMA_SERVER MODEL - generated requests against the real llama-server.

The server's own counts are the truth: timings.cache_n + timings.prompt_n is the length of the whole
prompt, template and begin-of-text token included, and cache_n what it took from its cache.
"""

import json
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import Report  # noqa: E402

PRINTER, SERVER, MODEL = sys.argv[1:4]
START_SECONDS = 30


def free_port():
    import socket

    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


PORT = free_port()
URL = f"http://127.0.0.1:{PORT}"


def start():
    # One slot with a cache of its own: what is cached is the request before, and nothing else.
    process = subprocess.Popen(
        [SERVER, "--model", MODEL, "--host", "127.0.0.1", "--port", str(PORT), "--ctx-size", "1024",
         "--parallel", "1", "--cache-ram", "0", "--threads", "2"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(URL + "/health", timeout=5).read()
            return process
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.1)
    process.kill()
    sys.exit("# llama-server does not answer")


def requests(*arguments, base=URL):
    done = subprocess.run([PRINTER, base, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    path, *bodies = done.stdout.splitlines()
    return path, [json.loads(body) for body in bodies]


def timings(path, body):
    # The stream is read as text: the last event with timings holds the counts.
    request = urllib.request.Request(URL + path, json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    found = None
    for line in urllib.request.urlopen(request, timeout=60):
        if line.startswith(b"data: {"):
            found = json.loads(line[6:]).get("timings", found)
    return found


def lengths(endpoint, reuse, tokens, shared, count, base=URL):
    path, bodies = requests(endpoint, reuse, tokens, shared, count, base=base)
    if path is None:
        return [bodies], []
    faults, cached = [], []
    for number, body in enumerate(bodies, 1):
        seen = timings(path, body)
        whole = seen["cache_n"] + seen["prompt_n"]
        cached.append(seen["cache_n"])
        if whole != tokens:
            faults.append(f"request {number}: the server counts {whole} tokens, expected {tokens}")
        if seen["predicted_n"] != 4:
            faults.append(f"request {number}: {seen['predicted_n']} tokens of answer, expected 4")
    return faults, cached


report = Report()
server = start()
try:
    for endpoint in ("chat", "text", "completion"):
        for tokens, count in ((64, 5), (257, 3), (900, 1)):
            faults, cached = lengths(endpoint, "cold", tokens, 0, count)
            faults += [f"from a cache: {cached}"] * any(cached)
            report.test(f"{endpoint}: cold prompts of {tokens} tokens, nothing cached", faults)
        for shared in (50, 128):
            faults, cached = lengths(endpoint, "unsaid", 200, shared, 4)
            # The first one follows another load; from then on the shared beginning is in the cache.
            faults += [f"from the cache {cached}, expected {shared}"] * (set(cached[1:]) != {shared})
            report.test(f"{endpoint}: {shared} of 200 tokens are shared, exactly", faults)
        faults, cached = lengths(endpoint, "warm", 120, 0, 3)
        # All but the last token, which has to be computed for the answer.
        faults += [f"from the cache {cached}, expected 119"] * (set(cached[1:]) != {119})
        report.test(f"{endpoint}: a warm prompt comes from the cache", faults)
    report.test("a base URL may end in /v1/", lengths("chat", "cold", 100, 0, 2, URL + "/v1/")[0])
    path, text = requests("chat", "cold", 1021, 0, 1)
    report.test("1,021 and 4 tokens do not fit 1,024",
                [] if path is None and "do not fit" in text else [str(text)])
    report.test("1,020 and 4 tokens fit", lengths("chat", "cold", 1020, 0, 1)[0])
finally:
    server.terminate()
    server.wait(30)
sys.exit(report.end())
