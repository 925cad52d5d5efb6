"""The simulated server as its clients see it: shapes, counts, times, log, exit codes. TAP."""

import hashlib
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from simulated import BINARY, Sim  # noqa: E402
from tap import Report  # noqa: E402

MS = 1_000_000
SAMPLES = pathlib.Path(os.environ.get("PARETOPILOT_SHARED",
                                      pathlib.Path(os.environ["PARETOPILOT_SOURCE"]) / "../shared"),
                       "samples")
CHAT = {"messages": [{"role": "user", "content": "hi"}]}

report = Report()


def expect(faults, what, got, want):
    if got != want:
        faults.append(f"{what}: expected {want!r}, got {got!r}")


# ---- shapes ------------------------------------------------------------------------------------

def paths(value, at="$", into=None):
    """Every place of a JSON value; items of lists share one."""
    into = set() if into is None else into
    into.add(at)
    if isinstance(value, dict):
        for key, member in value.items():
            paths(member, f"{at}.{key}", into)
    elif isinstance(value, list):
        for item in value:
            paths(item, f"{at}[]", into)
    return into


def sample_events(name):
    lines = (SAMPLES / name).read_text().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("data: {")]


def metric_names(text):
    return {line.split()[0] for line in text.splitlines() if line and line[0] not in "#"}


def shapes(sim):
    asked = {"max_tokens": 4, "timings_per_token": True, "stream_options": {"include_usage": True}}
    stream = {"prompt": "Hello", "n_predict": 4, "n_probs": 3, "return_tokens": True}
    probed = dict(CHAT, max_tokens=4, logprobs=True, top_logprobs=3)
    return [
        ("chat, streamed", sample_events("llama-server.chat.sse"),
         [e for e in sim.events("/v1/chat/completions", dict(CHAT, **asked)) if e != "[DONE]"]),
        ("completion, streamed", sample_events("llama-server.completion.sse"),
         sim.events("/completion", stream)),
        ("chat with log-probabilities",
         json.loads((SAMPLES / "llama-server.chat-logprobs.json").read_text()),
         sim.json("/v1/chat/completions", probed)),
        ("properties", json.loads((SAMPLES / "llama-server.props.json").read_text()),
         sim.json("/props")),
        ("models", json.loads((SAMPLES / "llama-server.models.json").read_text()),
         sim.json("/v1/models")),
        ("slots", json.loads((SAMPLES / "llama-server.slots.json").read_text()),
         sim.json("/slots")),
    ]


def test_shapes():
    """A list that is empty here, or ours alone, is no difference of shape."""
    if not SAMPLES.is_dir():
        report.test(f"members of a real server # SKIP no samples in {SAMPLES}", [])
        return
    with Sim("--slots", "2", "--token-time", "1ms") as sim:
        for name, real, ours in shapes(sim):
            faults = []
            want, got = paths(real), paths(ours)
            more = {p for p in got - want if not p.endswith(".simulated")}
            less = {p for p in want - got if ".logit_bias[]" not in p
                    and not p.startswith("$.generation_settings.dry_sequence_breakers[")
                    and not p.startswith("$[].generation_settings.dry_sequence_breakers[")}
            expect(faults, "members that no real server has", sorted(more), [])
            expect(faults, "members that are missing", sorted(less), [])
            report.test(f"{name}: the members of a real server", faults)
        faults = []
        want = metric_names((SAMPLES / "llama-server.metrics.txt").read_text())
        got = metric_names(sim.get("/metrics")[2].decode())
        expect(faults, "missing", sorted(want - got), [])
        expect(faults, "foreign", sorted(n for n in got - want if "paretopilot_sim:" not in n), [])
        report.test("metrics: the names of a real server, and ours apart", faults)


def test_origin():
    faults = []
    with Sim("--token-time", "1ms", "--fault", "status:500@/missing") as sim:
        for path in ["/health", "/props", "/slots", "/metrics", "/v1/models", "/nothing", "/missing"]:
            expect(faults, path, sim.get(path)[1]["X-ParetoPilot-Origin"], "simulated")
        for body in [{"prompt": "a", "n_predict": 1}, {"prompt": "a", "n_predict": 1, "stream": True}]:
            expect(faults, str(body), sim.post("/completion", body)[1]["X-ParetoPilot-Origin"],
                   "simulated")
        expect(faults, "/props", sim.json("/props")["simulated"], True)
        expect(faults, "fingerprint",
               sim.json("/v1/chat/completions", dict(CHAT, max_tokens=1))["system_fingerprint"],
               "simulated")
    with Sim("--null") as sim:
        status, headers, body = sim.post("/whatever", {})
        expect(faults, "null", (status, headers["X-ParetoPilot-Origin"], json.loads(body)["simulated"]),
               (200, "simulated", True))
    report.test("everything says that it is simulated", faults)


def test_probabilities():
    faults = []
    with Sim("--token-time", "0ms") as sim:
        reply = sim.json("/completion", {"prompt": "a", "n_predict": 2, "n_probs": 100})
        for position in reply["completion_probabilities"]:
            told = position["top_logprobs"]
            logs = [t["logprob"] for t in told]
            expect(faults, "tokens", len({t["id"] for t in told}), 100)
            expect(faults, "descending", logs, sorted(logs, reverse=True))
            expect(faults, "the chosen one first", told[0]["id"], position["id"])
            expect(faults, "sum", round(sum(math.exp(x) for x in logs), 6), 1.0)
    report.test("the tokens that are listed differ and add up to 1", faults)


# ---- counts ------------------------------------------------------------------------------------

def test_counts():
    faults = []
    with Sim("--token-time", "0ms", "--prefill", "0ms") as sim:
        text = "The quick brown fox, \u00f6\u20ac\U0001f600 jumps."
        tokens = sim.json("/tokenize", {"content": text})["tokens"]
        expect(faults, "text of the tokens", sim.json("/detokenize", {"tokens": tokens})["content"], text)
        chat = sim.json("/apply-template", {"messages": [{"role": "user", "content": text}]})["prompt"]
        chat_tokens = len(sim.json("/tokenize", {"content": chat})["tokens"])
        prompts = [("/completion", {"prompt": text}, len(tokens)),
                   ("/completion", {"prompt": tokens}, len(tokens)),
                   ("/completion", {"prompt": [1] * 37}, 37),
                   ("/v1/completions", {"prompt": text}, len(tokens)),
                   ("/v1/chat/completions", {"messages": [{"role": "user", "content": text}]}, chat_tokens)]
        sum_prompt = sum_predicted = 0
        for n, (path, prompt, want) in enumerate(prompts):
            for stream in False, True:
                body = dict(prompt, max_tokens=5 + n)
                last = ([e for e in sim.events(path, body) if e != "[DONE]"][-1] if stream
                        else sim.json(path, body))
                timings = last["timings"]
                expect(faults, f"{path} {stream}", (timings["prompt_n"], timings["predicted_n"]),
                       (want, 5 + n))
                sum_prompt += want
                sum_predicted += 5 + n
        metrics = sim.metrics()
        expect(faults, "prompt tokens", metrics["llamacpp:prompt_tokens_total"], sum_prompt)
        expect(faults, "tokens", metrics["llamacpp:tokens_predicted_total"], sum_predicted)
        answer = sim.json("/completion", {"prompt": "a", "n_predict": 50})["content"]
        expect(faults, "/tokenize of an answer", len(sim.json("/tokenize", {"content": answer})["tokens"]), 50)
        expect(faults, "no token asked", sim.json("/completion", {"prompt": "a", "n_predict": 0})["tokens_predicted"], 0)
        expect(faults, "no limit: ends by itself", sim.json("/completion", {"prompt": "a"})["stop_type"], "eos")
        expect(faults, "a prompt that does not fit", sim.post("/completion", {"prompt": [1] * 4096})[0], 400)
        expect(faults, "prompt and answer end with the context",
               sim.json("/completion", {"prompt": [1] * 4000, "n_predict": 500})["tokens_predicted"], 96)
    report.test("tokens are counted the same by /tokenize, timings, usage and counters", faults)


def test_answers():
    faults = []
    document = {"schema_version": "1.0", "document": "sim-answers", "answers": [
        {"contains": "capital", "answer": "Paris \U0001f600!"}, {"answer": "I do not know."}]}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(document, file)
        file.flush()
        with Sim("--answers", file.name, "--token-time", "1ms") as sim:
            for prompt, want in [("the capital of", "Paris \U0001f600!"), ("else", "I do not know.")]:
                reply = sim.json("/completion", {"prompt": prompt})
                expect(faults, prompt, (reply["content"], reply["stop_type"]), (want, "eos"))
                pieces = [e["content"] for e in sim.events("/completion", {"prompt": prompt})]
                expect(faults, "streamed", "".join(pieces), want)
            reply = sim.json("/completion", {"prompt": "capital", "n_predict": 30, "ignore_eos": True})
            expect(faults, "goes on", (reply["tokens_predicted"], reply["content"][:7]), (30, "Paris \U0001f600"))
            reply = sim.json("/completion", {"prompt": "capital", "n_predict": 2})
            expect(faults, "cut", (reply["content"], reply["stop_type"]), ("Paris", "limit"))
    with Sim("--seed", "5") as one, Sim("--seed", "5") as same, Sim("--seed", "6") as other:
        body = {"prompt": "x", "n_predict": 8}
        texts = [s.json("/completion", body)["content"] for s in (one, one, same, other)]
        expect(faults, "same prompt and seed", texts[0] == texts[1] == texts[2], True)
        expect(faults, "another seed", texts[0] == texts[3], False)
    report.test("answers come from a file, or follow from seed and prompt", faults)


def test_cache_and_speculation():
    faults = []
    with Sim("--cache-n", "repeat", "--prefill", "0ms", "--token-time", "0ms") as sim:
        seen = [sim.json("/completion", {"prompt": [1] * 512, "n_predict": 1})["timings"] for _ in range(2)]
        expect(faults, "first", (seen[0]["cache_n"], seen[0]["prompt_n"]), (0, 512))
        expect(faults, "again", (seen[1]["cache_n"], seen[1]["prompt_n"]), (511, 1))
        off = sim.json("/completion", {"prompt": [1] * 512, "n_predict": 1, "cache_prompt": False})["timings"]
        expect(faults, "told not to", off["cache_n"], 0)
    with Sim("--speculation", "1/3", "--token-time", "1ms") as sim:
        events = sim.events("/completion", {"prompt": "a", "n_predict": 13, "return_tokens": True})
        expect(faults, "tokens of the events", [len(e["tokens"]) for e in events], [1, 4, 4, 4, 0])
        timings = events[-1]["timings"]
        expect(faults, "drafts", (timings["draft_n"], timings["draft_n_accepted"], timings["predicted_n"]), (9, 9, 13))
    report.test("prompt cache and speculation are counted as declared", faults)


# ---- times and log -----------------------------------------------------------------------------

def check_instants(faults, sim, request, want_start, prompt, tokens):
    """Declared: start + prompt x 1 ms, then 10 ms each. Never early; on a busy machine late."""
    start = sim.lines("start", request)[0]["at_ns"]
    expect(faults, f"start of {request}", start, want_start)
    instants = [line["at_ns"] for line in sim.lines("event", request)][:tokens]
    late = [at - (start + prompt * MS + k * 10 * MS) for k, at in enumerate(instants)]
    expect(faults, "events", len(instants), tokens)
    if min(late) < 0 or sorted(late)[len(late) // 2] > 20 * MS:
        faults.append(f"lateness of request {request} in ns: {late}")
    return start + prompt * MS + (tokens - 1) * 10 * MS


def test_times():
    faults = []
    with Sim("--prefill", "1ms", "--token-time", "10ms") as sim:
        peers = []
        for n in range(3):
            peers.append(sim.connect("/completion", {"prompt": [1] * 20, "n_predict": 10, "stream": True}))
            sim.wait_until(lambda: sim.metrics()["paretopilot_sim:requests_total"] == n + 1)
        for peer in peers:
            seen = b""
            while b"0\r\n\r\n" not in seen:
                seen += peer.recv(65536)
            peer.close()
        sim.stop()
        start = sim.lines("arrival", 1)[0]["at_ns"]
        for request in 1, 2, 3:  # each starts at the declared end of the one before
            start = check_instants(faults, sim, request, start, 20, 10)
    report.test("a queue of one slot: declared instants follow from each other without drift", faults)


def test_stall():
    faults = []
    with Sim("--token-time", "10ms", "--prefill", "0ms", "--stall", "50ms:300ms") as sim:
        sim.events("/completion", {"prompt": "a", "n_predict": 10})
        sim.stop()
        zero = sim.lines("arrival", 1)[0]["at_ns"]
        at = [(line["at_ns"] - zero) / MS for line in sim.lines("event", 1)]
        expect(faults, "before the stall", len([t for t in at if t < 60]) in range(1, 6), True)
        expect(faults, "in the stall", [t for t in at if 100 <= t < 350], [])
        # tokens 6 to 10 at 50, ..., 90 ms become 350, ..., 390
        for k, t in enumerate(at[5:10]):
            if not 350 + 10 * k <= t < 350 + 10 * k + 200:
                faults.append(f"token {k + 6} came at {t} ms")
    report.test("a stall holds everything back, and the work goes on behind it", faults)


def check_document(path):
    run = subprocess.run([os.environ["PARETOPILOT_CHECK_DOCUMENTS"], path],
                         capture_output=True, text=True, timeout=60, check=False)
    return [] if run.returncode == 0 else [run.stdout + run.stderr]


def test_log():
    with Sim("--token-time", "1ms", "--slots", "2", "--fault", "reset-after:2@2") as sim:
        for _ in range(2):
            sim.raw("/completion", {"prompt": "abcd", "n_predict": 4, "stream": True}, stop=b"0\r\n\r\n")
        sim.post("/v1/chat/completions", CHAT)
        with sim.connect("/completion", {"prompt": "a", "n_predict": 4000}):
            sim.wait_until(lambda: sim.json("/slots")[0]["is_processing"])
        sim.wait_until(lambda: not sim.json("/slots")[0]["is_processing"])
        sim.stop()
        faults = check_document(sim.log_path)
        expect(faults, "first", sim.log[0]["log"], "begin")
        expect(faults, "last", sim.log[-1]["log"], "summary")
        expect(faults, "records", sim.log[-1]["records"], len(sim.log) - 2)
        expect(faults, "dropped", sim.log[-1]["dropped"], 0)
        expect(faults, "requests", sim.log[-1]["requests"], 4)
        expect(faults, "outcomes", [line["outcome"] for line in sim.lines("end")],
               ["complete", "reset", "complete", "gone"])
        expect(faults, "arrival", [(line["path"], line["prompt_tokens"], line["asked_tokens"])
                                   for line in sim.lines("arrival")],
               [("/completion", 2, 4), ("/completion", 2, 4), ("/v1/chat/completions", 18, None),
                ("/completion", 1, 4000)])
        expect(faults, "digest of a body", sim.lines("arrival", 3)[0]["request_sha256"],
               hashlib.sha256(json.dumps(CHAT).encode()).hexdigest())
        expect(faults, "events", [(line["event"], line["tokens"]) for line in sim.lines("event", 1)],
               [(1, 1), (2, 2), (3, 3), (4, 4), (5, 4)])
        expect(faults, "events until the reset", len(sim.lines("event", 2)), 2)
    report.test("the log is a valid document and tells every event", faults)


# ---- the rest ----------------------------------------------------------------------------------

def test_leaving():
    faults = []
    for args, want_busy in [((), False), (("--fault", "ignore-cancel"), True), (("--fault", "busy-after:30s"), True)]:
        with Sim("--token-time", "20ms", *args) as sim:
            peer = sim.connect("/completion", {"prompt": "a", "n_predict": 2000, "stream": True})
            peer.recv(100)
            peer.close()
            free = sim.wait_until(lambda: not sim.json("/slots")[0]["is_processing"], 0.5)
            expect(faults, f"{args} busy", not free, want_busy)
            expect(faults, f"{args} exit", sim.stop(), 143)
    with Sim("--token-time", "2ms", "--fault", "ignore-cancel", "--fault", "reset-after:2") as sim:
        sim.raw("/completion", {"prompt": "a", "n_predict": 20, "stream": True})
        expect(faults, "free after a reset", sim.wait_until(lambda: not sim.json("/slots")[0]["is_processing"]), True)
        expect(faults, "exit", sim.stop(), 143)
    report.test("a client that leaves frees its slot, unless a fault says otherwise", faults)


def test_admission():
    faults = []
    long = {"prompt": "a", "n_predict": 2000, "stream": True}
    with Sim("--queue-max", "1", "--queue-full", "429") as sim:
        with sim.connect("/completion", long), sim.connect("/completion", long):
            sim.wait_until(lambda: sim.metrics()["llamacpp:requests_deferred"] == 1)
            status, headers, body = sim.post("/completion", long)
            expect(faults, "full", (status, headers["Retry-After"]), (429, "1"))
            expect(faults, "error", json.loads(body)["error"]["code"], 429)
            expect(faults, "most at once", sim.metrics()["paretopilot_sim:open_requests_max"], 3)
    with Sim("--loading", "400ms") as sim:
        expect(faults, "loading", sim.get("/health")[0], 503)
        expect(faults, "loaded", sim.wait_until(lambda: sim.get("/health")[0] == 200), True)
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("s3cret\n")
        file.flush()
        with Sim("--api-key-file", file.name) as sim:
            for path, want in [("/health", 200), ("/v1/models", 200), ("/props", 401), ("/slots", 401), ("/metrics", 401)]:
                expect(faults, path, sim.get(path)[0], want)
                expect(faults, path, sim.get(path, {"Authorization": "Bearer wrong"})[0], want)
                expect(faults, path, sim.get(path, {"Authorization": "Bearer s3cret"})[0], 200)
            body = sim.post("/completion", {"prompt": "a"}, {"Authorization": "Bearer guess"})[2]
            expect(faults, "echo of a key", b"guess" in body or b"s3cret" in body, False)
    report.test("queue, loading and key refuse as declared", faults)


def test_exits():
    faults = []
    for number, want in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
        with Sim() as sim:
            with sim.connect("/completion", {"prompt": "a", "n_predict": 999}):
                sim.wait_until(lambda: sim.json("/slots")[0]["is_processing"])
                expect(faults, number, sim.stop(number), want)
            expect(faults, "outcome", sim.lines("end")[0]["outcome"], "stopped")
    with tempfile.TemporaryDirectory() as folder:
        port_file = pathlib.Path(folder, "port")
        run = subprocess.run([BINARY, "sim", "--for", "10ms", "--port-file", port_file],
                             capture_output=True, text=True, timeout=20, check=False)
        expect(faults, "--for", run.returncode, 0)
        expect(faults, "port", run.stdout, f"http://127.0.0.1:{port_file.read_text()}")
        run = subprocess.run([BINARY, "sim", "--for", "10ms", "--port-file", port_file],
                             capture_output=True, text=True, timeout=20, check=False)
        expect(faults, "a file that is there", (run.returncode, run.stdout), (2, ""))
    report.test("exit codes, and files that are never replaced", faults)


def test_many():
    faults, n = [], 300
    # None may end before the last one has begun, and this client may be slow on a busy machine.
    with Sim("--slots", str(n), "--prefill", "2s", "--token-time", "50ms", "--jitter", "exponential") as sim:
        peers = [sim.connect("/completion", {"prompt": f"p{i}", "n_predict": 10, "stream": True}) for i in range(n)]
        for peer in peers:
            seen = b""
            while b'"stop":true' not in seen:
                data = peer.recv(65536)
                if not data:
                    faults.append("an early end")
                    break
                seen += data
            peer.close()
        expect(faults, "at once", sim.metrics()["paretopilot_sim:open_requests_max"], n)
        expect(faults, "exit", sim.stop(), 143)
        expect(faults, "ends", len(sim.lines("end")), n)
        expect(faults, "events", len(sim.lines("event")), n * 11)
    report.test(f"{n} streams at once", faults)


for test in [test_shapes, test_origin, test_probabilities, test_counts, test_answers, test_cache_and_speculation, test_times,
             test_stall, test_log, test_leaving, test_admission, test_exits, test_many]:
    try:
        test()
    except Exception as error:  # the rest is still worth running
        report.test(test.__name__, [f"{type(error).__name__}: {error}"])
sys.exit(report.end())
