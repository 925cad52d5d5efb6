"""load_requests.py PRINT_REQUESTS LLAMA_SERVER MODEL - generated requests against the real llama-server.

The server's own counts are the truth: timings.cache_n + timings.prompt_n is the length of the whole
prompt, template and begin-of-text token included, and cache_n what it took from its cache.
"""

import json
import pathlib
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from llama_server import LlamaServer  # noqa: E402
from tap import Report  # noqa: E402

PRINTER, PROGRAM, MODEL = sys.argv[1:4]


def requests(server, *arguments, base_path=""):
    done = subprocess.run([PRINTER, server.url + base_path, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    path, *bodies = done.stdout.splitlines()
    return path, [json.loads(body) for body in bodies]


def timings(server, path, body):
    # The stream is read as text: the last event with timings holds the counts.
    request = urllib.request.Request(server.url + path, json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    found = None
    for line in urllib.request.urlopen(request, timeout=60):
        if line.startswith(b"data: {"):
            found = json.loads(line[6:]).get("timings", found)
    return found


def lengths(server, endpoint, reuse, tokens, shared, count, base_path=""):
    path, bodies = requests(server, endpoint, reuse, tokens, shared, count, base_path=base_path)
    if path is None:
        return [bodies], []
    faults, cached = [], []
    for number, body in enumerate(bodies, 1):
        seen = timings(server, path, body)
        whole = seen["cache_n"] + seen["prompt_n"]
        cached.append(seen["cache_n"])
        if whole != tokens:
            faults.append(f"request {number}: the server counts {whole} tokens, expected {tokens}")
        if seen["predicted_n"] != 4:
            faults.append(f"request {number}: {seen['predicted_n']} tokens of answer, expected 4")
    return faults, cached


report = Report()
# One slot with a cache of its own: what is cached is the request before, and nothing else.
with LlamaServer(PROGRAM, MODEL, "--ctx-size", "1024", "--parallel", "1") as server:
    for endpoint in ("chat", "text", "completion"):
        for tokens, count in ((64, 5), (257, 3), (900, 1)):
            faults, cached = lengths(server, endpoint, "cold", tokens, 0, count)
            faults += [f"from a cache: {cached}"] * any(cached)
            report.test(f"{endpoint}: cold prompts of {tokens} tokens, nothing cached", faults)
        for shared in (50, 128):
            faults, cached = lengths(server, endpoint, "unsaid", 200, shared, 4)
            # The first one follows another load; from then on the shared beginning is in the cache.
            faults += [f"from the cache {cached}, expected {shared}"] * (set(cached[1:]) != {shared})
            report.test(f"{endpoint}: {shared} of 200 tokens are shared, exactly", faults)
        faults, cached = lengths(server, endpoint, "warm", 120, 0, 3)
        # All but the last token, which has to be computed for the answer.
        faults += [f"from the cache {cached}, expected 119"] * (set(cached[1:]) != {119})
        report.test(f"{endpoint}: a warm prompt comes from the cache", faults)
    report.test("a base URL may end in /v1/", lengths(server, "chat", "cold", 100, 0, 2, "/v1/")[0])
    path, text = requests(server, "chat", "cold", 1021, 0, 1)
    report.test("1,021 and 4 tokens do not fit 1,024",
                [] if path is None and "do not fit" in text else [str(text)])
    report.test("1,020 and 4 tokens fit", lengths(server, "chat", "cold", 1020, 0, 1)[0])
sys.exit(report.end())
