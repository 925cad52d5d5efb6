"""resume_whole.py PARETOPILOT LLAMA_FOLDER WORK - a study with every phase is killed in each of them and resumed.

TAP on standard output; the seed of each kill is printed."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time

import resume
from resume import BINARY, LLAMA, MODELS, SEED, WORK, call, faults_of_bundle, journal, no_children, report, status

KILLS = int(os.environ.get("PARETOPILOT_KILLS", "1"))
STATES = [f"q{i}?" for i in range(6)]
IDS = ("one", "two")
LOADED = 2 * (1 + 6)  # a warm-up and six measured requests in each of two steps

TABLE = {"schema_version": "1.0", "document": "model-table", "name": "whole", "vocabulary": STATES + ["yes", "no"],
         "rows": [{"state": state, "next": {"yes": 0.9, "no": 0.1}} for state in STATES], "otherwise": {"end": 1.0}}
SUITE = {"schema_version": "2.0", "document": "quality-suite", "id": "declared", "title": "for tests", "license": "Apache-2.0",
         "system_prompt": "Answer yes or no.", "sampling": {"max_tokens": 8, "seed": 7, "temperature": 0.0},
         "cases": [{"id": f"case-{i}", "group": "all", "prompt": f"Is it so: {state}", "match_mode": "trimmed-exact",
                    "accepted_answers": ["yes"]} for i, state in enumerate(STATES)],
         "fidelity": {"contexts": [{"id": f"context-{i}", "prompt": f"Well, {state}"} for i, state in enumerate(STATES)]}}
LOAD_PLAN = {"schema_version": "1.0", "prompts": ["Say one word.", "Name a colour."], "output_tokens": 8,
             "warmup_requests_per_level": 1, "measured_requests_per_level": 20, "concurrency_levels": [1, 2],
             "timeout_seconds": 60,
             "slo": {"min_completion_rate": 1.0, "max_ttft_ms_p95": 100000, "max_e2e_latency_ms_p95": 100000}}
POLICIES = {"schema_version": "1.0", "canonical_profile_id": "latency", "profiles": [
    {"id": "latency", "label": "Latency", "description": "End to end.", "classification": "canonical",
     "preference_policy": "canonical", "objective": {"metric": "e2e_latency_ms_p50", "direction": "min"},
     "objective_tolerance_percent": 1.0},
    {"id": "memory", "label": "Memory", "description": "The peak.", "classification": "derived-non-canonical",
     "preference_policy": "none", "objective": {"metric": "peak_rss_mib", "direction": "min"},
     "objective_tolerance_percent": 1.0}]}


def beside(name, document):
    text = json.dumps(document).encode()
    (WORK / name).write_bytes(text)
    return {"path": name, "sha256": hashlib.sha256(text).hexdigest()}


def write_plan():
    MODELS.mkdir(parents=True, exist_ok=True)
    model = MODELS / "table.gguf"
    beside("table.json", TABLE)
    subprocess.run([BINARY, "model", "synth", "--table", WORK / "table.json", "--type", "f16", "--quiet", "-o", model],
                   check=True, stdout=subprocess.DEVNULL)
    document = {
        "schema_version": "2.0", "document": "study-plan", "study_id": "whole", "title": "Everything", "baseline_id": "one",
        "engines": [{"id": "here", "path": LLAMA, "log_markers": {"required": ["model buffer size"], "forbidden": []}}],
        "models": [{"id": "table", "path": "models/table.gguf", "size_bytes": model.stat().st_size,
                    "sha256": hashlib.sha256(model.read_bytes()).hexdigest()}],
        "settings": {"threads": 1, "threads_batch": 1, "batch_size": 512, "ubatch_size": 128, "context_size": 1024,
                     "parallel": 2, "poll": 0, "cache_type_k": "f16", "cache_type_v": "f16", "flash_attention": "on",
                     "load_mode": "mmap", "repack": True},
        "candidates": [{"kind": "managed", "id": name, "label": name, "engine": "here", "model": "table",
                        "settings": {"ubatch_size": size}} for name, size in zip(IDS, (128, 256))],
        "stages": [], "order": {"kind": "mirrored", "seed": 0}, "passes": 2, "pause": {"kind": "settle", "settle_ms": 0},
        "throughput": {"prompt_tokens": 16, "generation_tokens": 4, "repetitions": 1},
        "suite": beside("suite.json", SUITE),
        "requests": {"prompt_tokens": 24, "output_tokens": 8, "warmup": 1, "measured": 20, "seed": 7},
        "load_plan": beside("load-plan.json", LOAD_PLAN),
        "load": {"steps": [{"loop": "closed", "clients": 2, "measured": 6},
                           {"loop": "open", "rate_per_second": 4.0, "arrivals": "poisson", "measured": 6}],
                 "warmup": 1, "prompt_tokens": 24, "output_tokens": 8, "seed": 5, "slo": ["e2e.p50<=60s"]},
        "policies": beside("policies.json", POLICIES),
        "deadlines": {"start_ms": 60000, "throughput_ms": 120000, "request_ms": 60000, "load_ms": 120000},
        "noise_limits": {"foreign_cpu_percent": 10000.0, "steal_percent": 100.0, "repeats": 0},
        "constraints": {"schema_version": "2.0", "quality": "judged", "quality_metric": "quality_score",
                        "min_quality_retention": 0.9, "max_values": {"peak_rss_mib": 4096},
                        "objective": {"metric": "e2e_latency_ms_p50", "direction": "min"},
                        "objective_tolerance_percent": 1.0,
                        "frontier_metrics": {"e2e_latency_ms_p50": "min", "quality_score": "max"},
                        "preference_order": list(IDS)},
    }
    path = WORK / "plan.json"
    path.write_text(json.dumps(document, indent=2) + "\n")
    return path


def run_line(path, folder):
    return [BINARY, "study", "run", path, "--output-dir", folder]


def begun(folder, step):
    path = folder / "journal.jsonl"
    return path.exists() and any(f'"step":"{step}"' in line and '"step-begin"' in line
                                 for line in path.read_text().splitlines())


def cut(folder, line, step, after_s, how):
    """Send a signal so long after a step has begun; the exit code."""
    process = resume.start(*line)
    resume.wait_until(120, lambda: begun(folder, step) or process.poll() is not None)
    time.sleep(after_s)
    process.send_signal(how)
    return process.wait()


def whole_faults(folder, reference):
    """The bundle of an uninterrupted study: also to verify, and in what every phase has left."""
    faults = faults_of_bundle(folder, reference)
    done = call(BINARY, "verify", folder)
    if done.returncode or done.stdout.splitlines()[-1:] != ["verified"]:
        faults.append(done.stdout + done.stderr)
    for name in IDS:
        samples = (folder / f"experiment/candidates/{name}/load-samples.jsonl").read_text().splitlines()
        if len(samples) != LOADED:
            faults.append(f"{name}: {len(samples)} requests in the load, expected {LOADED}")
        rows = json.loads((folder / f"extensions/load/{name}/load-evaluation.json").read_text())["rows"]
        if [(row["concurrency"], row["request_count"]) for row in rows] != [(1, 20), (2, 20)]:
            faults.append(f"{name}: levels of the load plan: {rows}")
    scores = [c["metrics"].get("quality_score") for c in
              json.loads((folder / "experiment/benchmark-set.json").read_text())["candidates"]]
    return faults if scores == [1.0, 1.0] else faults + [f"scores: {scores}"]


def kept_faults(folder, before):
    """What was complete before the kill is there, byte for byte, after it."""
    faults = []
    for step, files in before.items():
        for name, digest in files.items():
            path = folder / name
            if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
                faults.append(f"{step}: {name} is not what it was before the kill")
    return faults


def complete_steps(folder):
    return {line["step"]: {file["path"]: file["sha256"] for file in line["files"]}
            for line in journal(folder) if line["event"] == "step-end" and line["outcome"] == "complete"
            and not line["step"].startswith("assemble")}


def intact_journal(folder):
    """A kill may have cut off its last line."""
    data = (folder / "journal.jsonl").read_bytes()
    (folder / "journal.jsonl").write_bytes(data[:data.rfind(b"\n") + 1])


def test_cut(reference, path, step, share, how, times):
    folder = WORK / f"cut-{step.replace('/', '-')}-{how.name}"
    after_s = share * times[step]
    code = cut(folder, run_line(path, folder), step, after_s, how)
    faults = no_children(folder)
    if how is signal.SIGINT and code != 130:
        faults.append(f"exit {code}, expected 130")
    intact_journal(folder)
    before = complete_steps(folder)
    state = status(folder)["state"]
    if state != ("killed" if how is signal.SIGKILL else "stopped"):
        faults.append(f"state: {state}")
    done = call(BINARY, "study", "resume", folder)
    if done.returncode != 0:
        faults.append(f"exit {done.returncode}: {done.stderr}")
    again = [line["step"] for line in journal(folder) if line["event"] == "step-begin" and line["attempt"] > 1]
    if len(again) > 1 or set(again) & set(before) or (again == [] and step not in before):
        faults.append(f"made again: {again}")
    report.test(f"{how.name} {after_s * 1000:.0f} ms into {step}: at most one step is made again, and the bundle is whole",
                faults + kept_faults(folder, before) + whole_faults(folder, reference))
    return again == [step]


def test_kills(reference, path, times, wall):
    resume.run_line = run_line
    for number in range(1, KILLS + 1):
        dice = random.Random(SEED * 1000 + 500 + number)
        folder = WORK / f"killed-{number}"
        said = resume.kill_at_random(run_line(path, folder), folder, dice, times, wall)
        faults = no_children(folder)
        more, then = resume.finish(folder, path, dice, times, wall)
        faults += more
        if status(folder)["state"] != "complete":
            done = call(BINARY, "study", "resume", folder)
            faults += [] if done.returncode == 0 else [done.stderr]
        report.note(f"seed {SEED}, kill {number}: {', '.join([said, *then])}")
        report.test(f"kill {number}: the bundle is that of an uninterrupted study", faults + whole_faults(folder, reference))


def main():
    path = write_plan()
    reference = WORK / "reference"
    began = time.monotonic()
    done = call(*run_line(path, reference))
    wall = time.monotonic() - began
    report.test("an uninterrupted study with every phase ends", [] if done.returncode == 0 else [done.stdout + done.stderr])
    if done.returncode != 0:
        return report.end()
    report.test("its bundle is whole", whole_faults(reference, reference))
    times = {row["step"]: row["duration_ns"] / 1e9 for row in status(reference)["steps"] if row["step"] != "verify"}
    cuts = (("requests/one/pass-1", 0.4, signal.SIGKILL), ("requests/two/pass-2", 0.5, signal.SIGINT),
            ("load/one", 0.2, signal.SIGKILL), ("load/two", 0.6, signal.SIGKILL), ("load/two", 0.4, signal.SIGINT),
            ("load-plan/one", 0.4, signal.SIGKILL), ("load-plan/two", 0.5, signal.SIGINT))
    inside = [test_cut(reference, path, *how, times) for how in cuts]
    # a machine may be quicker in one run than in the other: then the step was over
    report.test("most of them fell into their step", [] if sum(inside) >= len(cuts) - 2 else [str(inside)])
    test_kills(reference, path, times, wall)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
