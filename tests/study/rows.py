"""What went wrong in other people's tools (the ids are theirs), tried on a study over simulated servers."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

from harness import BINARY, Sim, Study, beside, endpoint, main, plan

STEPS = [{"loop": "closed", "clients": 2, "measured": 6}]
LOAD = {"steps": STEPS, "warmup": 1, "prompt_tokens": 24, "output_tokens": 8, "seed": 5, "slo": []}


def idle_as_told(f, faults, expected):
    """Does a load say whether the server was idle before it, as this server's /metrics tell?"""
    with Sim("--token-time", "1ms", "--fault", "slots:404", *faults) as sim, \
            Study(plan([endpoint("x", sim.url)], passes=1, load=LOAD)) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        level = study.json("experiment/candidates/x/load-report.json")["levels"][0]
        f.equal("the server was idle", level["observed"]["server_was_idle"], expected)
        f.equal("requests", (level["counts"]["issued"], level["counts"]["failed"]), (6, 0))
        f.equal("verify", study.verify().returncode, 0)


def b123_metrics_as_a_json_string_say_nothing(f):
    idle_as_told(f, ["--fault", "metrics:string"], None)


def b125_gauges_that_a_look_resets_do_not_change_a_figure(f):
    idle_as_told(f, ["--fault", "metrics:reset"], True)


def b127_counters_of_another_name_are_not_needed(f):
    idle_as_told(f, ["--fault", "metrics:renamed"], True)
    idle_as_told(f, ["--fault", "metrics:off"], None)


def b129_a_context_that_is_too_small_is_refused_before_measuring(f):
    requests = {"prompt_tokens": 700, "output_tokens": 100, "warmup": 0, "measured": 2, "seed": 7}
    with Sim("--ctx-size", "4096", "--fault", "n-ctx:512") as sim, Study(plan([endpoint("x", sim.url)], requests=requests)) as study:
        f.equal("exit code", study.exit, 2)
        for word in ("preflight of candidate 'x'", "700 prompt and 100 output tokens", "512", "step 'preflight/x', before pass 1"):
            f.true(f"says {word}", word in study.err, study.err)
        f.true("nothing written", not study.bundle.exists())


def b130_a_cached_prompt_gives_no_prompt_rate(f):
    with Sim("--token-time", "1ms", "--fault", "cached:23") as sim, Study(plan([endpoint("x", sim.url)], passes=1)) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        samples = [json.loads(line) for line in study.path("experiment/candidates/x/samples-pass-1.jsonl").open()]
        f.equal("each sample says it", [sample["tokens"]["cached"] for sample in samples], [23] * 5)
        rates = [name for name in study.candidate("x")["metrics"] if name.startswith("prompt_")]
        f.equal("no rate of prompts", rates, [])


def b143_ctrl_c_while_a_server_hangs_ends_and_keeps_what_was_measured(f):
    """The second server answers what the preflight asks, and then never again."""
    with Sim("--token-time", "1ms") as quick, Sim("--token-time", "1ms", "--fault", "silent@/completion") as hangs, \
            tempfile.TemporaryDirectory() as folder:
        document = plan([endpoint("quick", quick.url), endpoint("hangs", hangs.url)])
        document["deadlines"]["request_ms"] = 600000
        path, bundle = pathlib.Path(folder, "plan.json"), pathlib.Path(folder, "bundle")
        path.write_text(json.dumps(document))
        process = subprocess.Popen([BINARY, "study", "run", path, "--output-dir", bundle], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        journal = bundle / "journal.jsonl"
        while time.monotonic() < end and not (journal.exists() and '"step":"requests/hangs/pass-1"' in journal.read_text()):
            time.sleep(0.02)
        time.sleep(0.3)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        f.equal("exit code", process.returncode, 130)
        f.true("soon", time.monotonic() - began < 20, f"{time.monotonic() - began:.1f} s")
        f.true("the other's samples are kept", (bundle / "experiment/candidates/quick/samples-pass-1.jsonl").exists(), err)
        f.equal("status", json.loads((bundle / "status.json").read_text())["status"], "incomplete")


def b146_bytes_that_are_no_text_are_refused_with_their_place(f):
    with Sim() as sim, tempfile.TemporaryDirectory() as folder:
        data = b'{"schema_version": "1.0", "prompts": ["\x00\x80\xff"]}'
        pathlib.Path(folder, "load-plan.json").write_bytes(data)
        document = plan([endpoint("x", sim.url)], load_plan={"path": "load-plan.json", "sha256": hashlib.sha256(data).hexdigest()})
        pathlib.Path(folder, "plan.json").write_text(json.dumps(document))
        done = subprocess.run([BINARY, "study", "run", f"{folder}/plan.json", "--output-dir", f"{folder}/bundle"],
                              capture_output=True, text=True, timeout=60)
        f.equal("exit code", done.returncode, 2)
        f.true("named with its place", "load-plan.json" in done.stderr and "line 1" in done.stderr, done.stderr)
        f.true("nothing written", not os.path.exists(f"{folder}/bundle"))


def b148_the_content_of_a_file_decides_not_its_name(f):
    text = json.dumps({"schema_version": "1.0", "canonical_profile_id": "latency", "profiles": [
        {"id": "latency", "label": "Latency", "description": "End to end.", "classification": "canonical",
         "preference_policy": "canonical", "objective": {"metric": "e2e_latency_ms_p50", "direction": "min"},
         "objective_tolerance_percent": 1.0},
        {"id": "first", "label": "First", "description": "The first token.", "classification": "derived-non-canonical",
         "preference_policy": "none", "objective": {"metric": "ttft_ms_p50", "direction": "min"},
         "objective_tolerance_percent": 1.0}]})
    with Sim("--token-time", "1ms") as sim, \
            Study(plan([endpoint("x", sim.url)], passes=1, policies=beside("policies.jsonl", text)), files={"policies.jsonl": text}) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        f.true("profiles", study.path("extensions/policy-profiles.json").exists())


def b151_a_terminal_that_hangs_does_not_reach_the_figures(f):
    """Standard error is a full pipe that nobody reads for three seconds."""
    with Sim("--token-time", "4ms") as sim, tempfile.TemporaryDirectory() as folder:
        path, bundle = pathlib.Path(folder, "plan.json"), pathlib.Path(folder, "bundle")
        path.write_text(json.dumps(plan([endpoint("x", sim.url)])))
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        try:
            while True:
                os.write(writing, b"." * 4096)
        except BlockingIOError:
            os.set_blocking(writing, True)
        process = subprocess.Popen([BINARY, "study", "run", path, "--output-dir", bundle], stdout=subprocess.DEVNULL, stderr=writing)
        os.close(writing)
        time.sleep(3)
        hung = process.poll() is None
        while os.read(reading, 1 << 16):
            pass
        os.close(reading)
        f.equal("exit code", process.wait(60), 0)
        f.true("it waited for its reader", hung)
        samples = [json.loads(line) for n in (1, 2) for line in (bundle / f"experiment/candidates/x/samples-pass-{n}.jsonl").open()]
        # 24 prompt tokens of 0.2 ms and seven steps of 4 ms; nothing near three seconds
        late = [s["e2e_ns"] / 1e6 for s in samples if not 32 <= s["e2e_ns"] / 1e6 < 1500]
        f.equal("latencies", late, [])


if __name__ == "__main__":
    sys.exit(main([(name.replace("_", " "), test) for name, test in list(globals().items())
                   if name.startswith("b1") and callable(test)]))
