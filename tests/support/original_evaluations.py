"""Every server evaluation inside the bundles of the original, made again from its parts.

Pass 1, pass 2 and the pooled one of every candidate of the two studies, and the evaluations and
wrappers of the capacity study: each is valid for `validate`, and each is, byte for byte, what our
functions make of suite, answers and samples, of the two passes, or of evaluation and command line.
Reads the archives in place and unpacks them into a folder of its own.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from tap import Report

BINARY = os.environ["PARETOPILOT_BINARY"]
REMAKE = os.environ["PARETOPILOT_REMAKE_EVALUATIONS"]
SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
SHARED = pathlib.Path(os.environ.get("PARETOPILOT_SHARED") or SOURCE.parent / "shared") / "original"
CAPACITY = "capacity-1000000021"
SUITES = {"contract-1.0-1000000001": SHARED / "evals/qwen-smoke-v1.json",
          "contract-1.1-1000000011": SHARED / "evals/qwen-behavior-v2.json",
          CAPACITY: SHARED / "evals/qwen-behavior-v2.json"}


def remake(folder, *args):
    """What the program wrote, or why it refused."""
    out = folder / "made.json"
    out.unlink(missing_ok=True)
    done = subprocess.run([REMAKE, args[0], out, *map(str, args[1:])], capture_output=True, timeout=60)
    return (out.read_bytes(), "") if done.returncode == 0 else (b"", done.stderr.decode())


def same(name, made, want):
    data, why = made
    return [] if data == want else [f"{name}: {why or f'{len(data)} bytes, expected {len(want)}, and they differ'}"]


def validate(paths, kind):
    done = subprocess.run([BINARY, "validate", "--json", *paths], capture_output=True, timeout=60)
    files = json.loads(done.stdout)["files"]
    faults = [f"{f['path']}: {f}" for f in files if not f["valid"] or f["kind"] != kind]
    return faults + [f"{len(files)} of {len(paths)} files told"] * (len(files) != len(paths))


def study(report, folder, name):
    candidates = sorted((folder / "experiment/candidates").iterdir())
    passes = [[c / f"server-evaluation-pass-{n}.json" for n in (1, 2)] for c in candidates]
    pooled = [c / "server-evaluation.json" for c in candidates]
    every = sum(passes, []) + pooled
    report.test(f"{name}: 12 evaluations are valid",
                validate(every, "server-evaluation") + ["not 12"] * (len(every) != 12))
    faults = []
    for path in sum(passes, []):
        faults += same(path, remake(folder, "build", SUITES[name], path), path.read_bytes())
    report.test(f"{name}: 8 of one pass are what suite, answers and samples give", faults)
    faults = []
    for pair, whole in zip(passes, pooled):
        faults += same(whole, remake(folder, "pool", *pair), whole.read_bytes())
    report.test(f"{name}: 4 pooled ones are what their passes give", faults)
    report.test(f"{name}: two candidates are not pooled", refused(
        remake(folder, "pool", passes[0][0], passes[1][1]), "differ in $.candidate_id"))
    flip(report, folder, name, passes[0])


def flip(report, folder, name, pair):
    """The second pass misses what the first matched, consistently written."""
    document = json.loads(pair[1].read_bytes())
    quality = document["quality"]
    changed = [c for c in quality["cases"] if c["matched"]][:2]
    for case in changed:
        case.update(response="none of these", matched=False, matched_answer=None)
    quality["passed"] -= 2
    quality["score"] = quality["passed"] / quality["total"]
    other = folder / "flipped.json"
    other.write_text(json.dumps(document))
    data, why = remake(folder, "pool", pair[0], other)
    faults = refused((data, why), "2 cases do not come out alike in every pass")
    faults += [f"{c['id']} is not named: {why}" for c in changed
               if f'"{c["id"]}"' not in why or f'{other}: no match in "none of these"' not in why]
    report.test(f"{name}: every case that flips is named", faults)


def refused(made, words):
    data, why = made
    return ["was made"] if data else [why] * (words not in why)


def capacity(report, folder):
    wrappers = [folder / f"quality/{c}/p{p}/quality-evidence.json"
                for c in ("q8-generic", "q4-kleidiai-tuned") for p in (1, 2, 4)]
    raw = [w.with_name("quality-evaluation.raw.json") for w in wrappers]
    report.test("capacity: 6 wrappers are valid", validate(wrappers, "capacity-quality-binding"))
    report.test("capacity: 6 evaluations are valid", validate(raw, "server-evaluation"))
    faults = []
    for path in raw:
        faults += same(path, remake(folder, "build", SUITES[CAPACITY], path), path.read_bytes())
    report.test("capacity: 6 evaluations are what suite, answers and samples give", faults)
    faults = []
    for path in wrappers:
        w = json.loads(path.read_bytes())
        faults += same(path, remake(folder, "bind", path.with_name("quality-evaluation.raw.json"),
                                    path.with_name("server-command.json"), w["candidate_id"],
                                    w["server_parallel"], w["run_id"], w["run_attempt"],
                                    w["request_base_url"]), path.read_bytes())
    report.test("capacity: 6 wrappers are what evaluation and command line give", faults)
    inputs = [folder / "capacity-plan.json", folder / "manifest.json"]
    for w in wrappers:
        candidate, slots = w.parts[-3:-1]
        inputs += [w] + [folder / f"runs/{p}/{candidate}/{slots}/server-command.json"
                         for p in ("forward", "reverse")]
    want = json.loads((folder / "capacity-study.json").read_bytes())["quality_checks"]
    data, why = remake(folder, "checks", *inputs)
    report.test("capacity: 6 quality checks are those of the study",
                [why] if why else [] if json.loads(data) == {"checks": want} else ["they differ"])
    inputs[-1] = inputs[-4]
    report.test("capacity: a wrapper is not of a server with other slots than those under load",
                refused(remake(folder, "checks", *inputs), "command line of load pass 2"))


def main():
    report = Report()
    for name in SUITES:
        archive = SHARED / f"bundles/{name}.zip"
        if not archive.exists():
            report.skip(name, f"{archive} is not there")
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="original-evaluations-"))
        try:
            zipfile.ZipFile(archive).extractall(folder)
            capacity(report, folder) if name == CAPACITY else study(report, folder, name)
        finally:
            shutil.rmtree(folder)
    return report.end()


sys.exit(main())
