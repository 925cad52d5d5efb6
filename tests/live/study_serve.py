"""A started llama-server behind a gateway, as a candidate beside the same server alone. Prints TAP.

Expected values come from what the kernel counts of both, from counts of what the plan asks, and from the logs that gateway and
server leave.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TESTS / "study"))
import harness  # noqa: E402
from harness import BINARY, Faults, Report, Study  # noqa: E402

LLAMA = os.environ.get("PARETOPILOT_LLAMA_DIR", "")
SETTINGS = {"threads": 2, "threads_batch": 2, "batch_size": 256, "ubatch_size": 256, "context_size": 1024, "parallel": 2, "poll": 0,
            "cache_type_k": "f16", "cache_type_v": "f16", "flash_attention": "on", "load_mode": "mmap", "repack": True}


def config(model):
    return json.dumps({
        "schema_version": "1.0", "document": "serve-config", "listen": {"port": 8080},
        "engines": [{"id": "llama", "path": LLAMA}], "files": [{"id": "tiny", "path": str(model)}],
        "backends": [{"id": "tiny", "start": {"engine": "llama", "model": "tiny", "settings": SETTINGS}}],
        "models": [{"name": "tiny", "backends": ["tiny"]}], "access_log": "access.jsonl"})


def plan(model, text, **changes):
    content = model.read_bytes()
    candidates = [
        {"kind": "managed", "id": "alone", "label": "alone", "engine": "llama", "model": "tiny", "settings": {}},
        {"kind": "serve", "id": "through", "label": "behind a gateway",
         "serve": {"config": "serve.json", "sha256": harness.beside("serve.json", text)["sha256"], "model": "tiny"}}]
    return harness.plan(candidates, **{
        "passes": 1, "settings": SETTINGS,
        "engines": [{"id": "llama", "path": LLAMA, "log_markers": {"required": ["model buffer size"], "forbidden": []}}],
        "models": [{"id": "tiny", "path": str(model), "size_bytes": len(content),
                    "sha256": harness.hashlib.sha256(content).hexdigest()}],
        "deadlines": {"start_ms": 60000, "throughput_ms": 60000, "request_ms": 60000, "load_ms": 60000}, **changes})


def processes(folder):
    """{pid: command line} of those whose command line names the folder, zombies left out."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (path / "cmdline").read_bytes()
            state = (path / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if str(folder).encode() in words and state != "Z":
            found[int(path.name)] = words.replace(b"\0", b" ").decode()
    return found


def wait_until(holds, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.05)
    return False


def one_pass(f, folder, model):
    text = config(model)
    # long enough for the watch, which says nothing of less than half a second
    requests = {"prompt_tokens": 24, "output_tokens": 400, "warmup": 1, "measured": 4, "seed": 7}
    with Study(plan(model, text, requests=requests), files={"serve.json": text}) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        f.equal("origin", study.json("experiment/benchmark-set.json")["metadata"]["synthetic_kind"], "synthetic-weights")
        f.equal("said before the pass", study.json("experiment/candidates/through/endpoint-pass-1.json")["origin"], "synthetic-weights")
        alone, through = (study.json(f"experiment/candidates/{name}/resource-measurement-pass-1.json") for name in ("alone", "through"))
        f.equal("nothing is missing", through["absent_because"], None)
        # a gateway has a few MiB of its own; the same server with the same model stands behind it
        more = through["peak_rss_bytes"] - alone["peak_rss_bytes"]
        f.true("peak of gateway and server together", -0.2 * alone["peak_rss_bytes"] < more < 64 << 20,
               f"{alone['peak_rss_bytes']} {through['peak_rss_bytes']}")
        f.true("more than the gateway alone", through["peak_rss_bytes"] > 0.8 * alone["peak_rss_bytes"])
        run = study.json("experiment/candidates/through/requests-run-pass-1.json")
        f.true("CPU time, of at most all cores", 0 < through["cpu_ns"] < run["duration_ns"] * os.cpu_count(), str(through["cpu_ns"]))
        # all of it is ours, and not somebody's who disturbs
        f.true("the run is long enough for the watch", run["duration_ns"] > 1e9, str(run["duration_ns"]))
        ours = run["watch"]["children_percent"] / 100 * run["duration_ns"]
        f.true("the watch counts it as ours", ours >= 0.9 * through["cpu_ns"] - 20e6, f"{ours} of {through['cpu_ns']}")
        f.equal("how it ended", run["exit"]["how"], "exit code 143")
        metrics = study.candidate("through")["metrics"]
        samples = [json.loads(line) for line in study.path("experiment/candidates/through/samples-pass-1.jsonl").read_text().splitlines()]
        tokens = sum(s["tokens"]["generated"] for s in samples if s["phase"] == "measured")
        f.true("core-seconds of each token", abs(metrics["core_seconds_per_token"] - through["cpu_ns"] / 1e9 / tokens) < 1e-9)
        logs = study.path("experiment/candidates/through/gateway-pass-1")
        f.true("the server's log", "llama_server" in (logs / "servers/tiny.1.log").read_text())
        asked = [json.loads(line)["backend"] for line in (logs / "access.jsonl").read_text().splitlines()]
        f.equal("requests in the access log", asked.count("tiny"), 5)
        command = study.json("experiment/candidates/through/server-command-pass-1.json")["argv"]
        f.equal("the port of the configuration is not used", command[command.index("--port") + 1], "0")
        done = study.verify()
        f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))
        f.extend(study.documents_are_valid())
        f.equal("processes left", processes(study.holder.name), {})


def killed_and_resumed(f, folder, model):
    """The study is killed while both run; later the configuration is another one, and then the old one again."""
    work = folder / "killed"
    work.mkdir()
    text = config(model)
    (work / "serve.json").write_text(text)
    document = plan(model, text, requests={"prompt_tokens": 24, "output_tokens": 60, "warmup": 1, "measured": 4, "seed": 7})
    document["candidates"].reverse()
    (work / "plan.json").write_text(json.dumps(document))
    ready = work / "bundle/experiment/candidates/through/endpoint-pass-1.json"
    with open(work / "err", "w") as err:
        study = subprocess.Popen([BINARY, "study", "run", work / "plan.json", "--output-dir", work / "bundle"],
                                 stdout=subprocess.DEVNULL, stderr=err)
    f.true("it measures", wait_until(ready.exists, 60), (work / "err").read_text())
    servers = {pid for pid, line in processes(model).items() if "llama-server" in line}
    gateways = {pid for pid, line in processes(work).items() if " serve " in line}
    f.equal("a gateway and its server", (len(gateways), len(servers)), (1, 1))
    study.send_signal(signal.SIGKILL)
    study.wait(10)
    f.true("neither is left", wait_until(lambda: not processes(work) and not processes(model), 10),
           str([processes(work), processes(model)]))

    def resume():
        return subprocess.run([BINARY, "study", "resume", work / "bundle"], capture_output=True, text=True, timeout=120)
    (work / "serve.json").write_text(text.replace("8080", "8081"))
    done = resume()
    f.equal("another configuration", done.returncode, 2)
    f.true("is named", "candidate 'through'" in done.stderr and "serve.json': found SHA-256" in done.stderr, done.stderr)
    (work / "serve.json").write_text(text)
    done = resume()
    f.equal("resumed", (done.returncode, done.stderr if done.returncode else ""), (0, ""))
    f.true("the first attempt is kept", (work / "bundle/attempts/requests/through/pass-1/attempt-1").is_dir())
    done = subprocess.run([BINARY, "verify", work / "bundle"], capture_output=True, text=True)
    f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))


def server_that_does_not_start(f, folder, model):
    text = config(model).replace('"model": "tiny", "settings"', '"model": "tiny", "extra_arguments": ["--cpu-mask", "zz"], "settings"')
    with Study(plan(model, text, deadlines={"start_ms": 4000, "throughput_ms": 60000, "request_ms": 60000, "load_ms": 60000}),
               files={"serve.json": text}) as study:
        f.equal("exit code", study.exit, 3)
        for word in ("preflight of candidate 'through'", "was not ready after 4.0 s", "back end 'tiny' is", "step 'preflight/through'",
                     "llama-server ended with"):
            f.true(f"says '{word}'", word in study.err, study.err)
        f.true("nothing written", not study.bundle.exists())
        f.equal("processes left", processes(study.holder.name), {})


def main():
    if not os.access(os.path.join(LLAMA, "llama-server"), os.X_OK):
        print("1..0 # SKIP no llama.cpp: PARETOPILOT_LLAMA_DIR is not set")
        return 0
    report = Report()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="study-serve-"))
    model = folder / "tiny.gguf"
    try:
        subprocess.run([BINARY, "model", "synth", "--shape", "tiny", "--type", "q8_0", "-o", model], check=True, capture_output=True)
        for name, test in (("a gateway with its server is measured as one, beside the server alone", one_pass),
                           ("a study that is killed leaves neither, and goes on with the same configuration only", killed_and_resumed),
                           ("a server that does not start is named before anything is written", server_that_does_not_start)):
            f = Faults()
            try:
                test(f, folder, model)
            except Exception as problem:  # a finding like the others
                f.append(f"{type(problem).__name__}: {problem}")
            report.test(name, f)
    finally:
        shutil.rmtree(folder)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
