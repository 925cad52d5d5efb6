"""What else follows from a study: passport, receipt, profiles, pass sets and stability, each made again by verify."""

import json
import subprocess
import sys
import tempfile

from harness import BINARY, Sim, Study, beside, endpoint, main, plan

NAMES = ["decision-passport.json", "optimization-receipt.md", "benchmark-set-pass-1.json", "benchmark-set-pass-2.json",
         "repeat-stability.json"]


def policies(metric="ttft_ms_p50"):
    return json.dumps({
        "schema_version": "1.0", "canonical_profile_id": "latency",
        "profiles": [
            {"id": "latency", "label": "Latency", "description": "End to end.", "classification": "canonical", "preference_policy": "canonical",
             "objective": {"metric": "e2e_latency_ms_p50", "direction": "min"}, "objective_tolerance_percent": 1.0},
            {"id": "first", "label": "First token", "description": "The first token.", "classification": "derived-non-canonical", "preference_policy": "none",
             "objective": {"metric": metric, "direction": "min"}, "objective_tolerance_percent": 1.0}]})


def two(slow, fast, **changes):
    return plan([endpoint("slow", slow.url), endpoint("fast", fast.url)], **changes)


def command(*args):
    return subprocess.run([BINARY, *args], capture_output=True, text=True, timeout=60)


def everything_follows(f):
    text = policies()
    with Sim("--token-time", "12ms", "--prefill", "0.2ms") as slow, Sim("--token-time", "2ms", "--prefill", "3ms") as fast, \
            Study(two(slow, fast, policies=beside("policies.json", text)), files={"policies.json": text}) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        for name in NAMES:
            f.true(name, study.path(f"extensions/{name}").exists())
        f.equal("policies, byte for byte", study.path("extensions/policy-config.json").read_text(), text)
        profiles = study.json("extensions/policy-profiles.json")["profiles"]
        # 24 prompt tokens and seven steps: 5 + 84 ms against 72 + 14 ms; the first token after 5 against 72 ms
        chosen = {profile["profile_id"] if "profile_id" in profile else profile["id"]: profile for profile in profiles}
        f.true("the first token has another winner", '"slow"' in json.dumps(chosen["first"]), json.dumps(chosen["first"])[:300])
        sets = [study.json(f"extensions/benchmark-set-pass-{n}.json") for n in (1, 2)]
        samples = [json.loads(line) for n in (1, 2) for line in study.path(f"experiment/candidates/fast/samples-pass-{n}.jsonl").open()]
        for number, document in enumerate(sets, 1):
            f.equal(f"pass {number}: classification", document["metadata"]["classification"], "supplementary-repeat-pass")
            values = sorted(s["e2e_ns"] / 1e6 for s in samples if s["pass"] == number and s["phase"] == "measured")
            fast_set = next(c for c in document["candidates"] if c["id"] == "fast")
            f.equal(f"pass {number}: median of its four requests", fast_set["metrics"]["e2e_latency_ms_p50"], (values[1] + values[2]) / 2)
        passport = command("validate", study.path("extensions/decision-passport.json"))
        f.equal("passport", passport.returncode, 0)
        with tempfile.TemporaryDirectory() as folder:
            again = f"{folder}/stability.json"
            made = command("summarize-stability", *(f"--input=pass-{n}={study.path(f'extensions/benchmark-set-pass-{n}.json')}" for n in (1, 2)),
                           "--metric", "e2e_latency_ms_p50=min", "--metric", "ttft_ms_p50=min", "--output", again)
            f.equal("summarize-stability", (made.returncode, made.stderr), (0, ""))
            rows = [row for row in study.json("extensions/repeat-stability.json")["rows"]
                    if row["metric"] in ("e2e_latency_ms_p50", "ttft_ms_p50")]
            f.equal("rows as summarize-stability makes them of the pass sets", json.load(open(again))["rows"], rows)
        done = study.verify()
        f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))
        f.true("ten files", any(line.startswith("derived     10 files") for line in done.stdout.splitlines()), done.stdout)
        f.extend(study.documents_are_valid())


def profiles_that_cannot_be_decided_are_told(f):
    text = policies("peak_rss_mib")
    with Sim("--token-time", "1ms") as slow, Sim("--token-time", "1ms") as fast, \
            Study(two(slow, fast, policies=beside("policies.json", text), passes=1), files={"policies.json": text}) as study:
        f.equal("exit code", study.exit, 0)
        f.true("told", "profiles    none: " in study.out and "peak_rss_mib" in study.out, study.out)
        f.true("no document", not study.path("extensions/policy-profiles.json").exists())
        f.true("one pass, no stability", not study.path("extensions/repeat-stability.json").exists())
        f.equal("verify", study.verify().returncode, 0)


def policies_that_contradict_are_refused(f):
    text = policies().replace('"e2e_latency_ms_p50"', '"ttft_ms_p95"', 1)
    with Sim() as slow, Sim() as fast, \
            Study(two(slow, fast, policies=beside("policies.json", text)), files={"policies.json": text}) as study:
        f.equal("exit code", study.exit, 2)
        f.true("named", "$.policies: profile 'latency'" in study.err, study.err)
        f.true("nothing written", not study.bundle.exists())


if __name__ == "__main__":
    sys.exit(main([
        ("passport, receipt, profiles, pass sets and stability follow from a study", everything_follows),
        ("profiles that cannot be decided are told, not made", profiles_that_cannot_be_decided_are_told),
        ("policies that contradict the constraints are refused before anything is written", policies_that_contradict_are_refused),
    ]))
