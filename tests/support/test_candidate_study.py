"""The workflow of the candidate study: how it is written, and its steps that need no llama.cpp. TAP.

tests/live/candidate_study.py runs all of them."""

import hashlib
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import study_workflow
from study_workflow import Runner, SOURCE, STEPS
from tap import Report

WORK = tempfile.TemporaryDirectory(prefix="candidate-study-test-")

def new_folder():
    return pathlib.Path(tempfile.mkdtemp(dir=WORK.name)) / "left"


def same(**pairs):
    return [f"{name}: expected {want!r}, got {got!r}" for name, (got, want) in pairs.items() if got != want]


def expect(run, code, *words):
    text = run.stdout + run.stderr
    return same(exit=(run.returncode, code)) + [f"does not say: {word}\n{text}" for word in words if word not in text]


def check_definition(report):
    flow = study_workflow.read()
    job = flow["jobs"]["study"]
    steps = job["steps"]
    report.test("it starts by hand only, with one input", same(
        on=(sorted(flow["on"]), ["workflow_dispatch"]), inputs=(sorted(flow["on"]["workflow_dispatch"]["inputs"]), ["repetitions"]),
        default=(flow["on"]["workflow_dispatch"]["inputs"]["repetitions"]["default"], "10")))
    report.test("one job on an Arm machine, 180 minutes, and it may only read", same(
        jobs=(list(flow["jobs"]), ["study"]), machine=(job["runs-on"], "ubuntu-24.04-arm"), minutes=(job["timeout-minutes"], 180),
        permissions=(flow["permissions"], {"contents": "read"}), more=(job.get("permissions"), None),
        wanted=(job["env"]["STUDY_MACHINE"], "aarch64")))
    report.test("every script is one step of tools/candidate-study.sh, in its order", same(
        scripts=([s["run"] for s in steps if "run" in s], [f"tools/candidate-study.sh {name}" for name in STEPS])))
    script = (SOURCE / "tools/candidate-study.sh").read_text()
    report.test("the script knows these steps", same(
        steps=(re.search(r"all_steps=\((.*?)\)", script)[1].split() + ["seal"], STEPS)))
    always = [s.get("run", s.get("uses", "").split("@")[0]) for s in steps if "if" in s]
    report.test("after a failure it is still sealed and kept, and nothing else", same(
        steps=(always, ["tools/candidate-study.sh seal", "actions/upload-artifact"]),
        conditions=({s["if"] for s in steps if "if" in s}, {"always()"})))
    report.test("what is kept is what the steps leave; nothing to keep is an error", same(
        last=(steps[-1]["with"]["path"], job["env"]["STUDY_FOLDER"]), none=(steps[-1]["with"]["if-no-files-found"], "error")))


def check_pins(report):
    for path in sorted((SOURCE / ".github/workflows").glob("*.yml")):
        uses = re.findall(r"uses: *(\S+)", path.read_text())
        report.test(f"{path.name} pins every action by a whole commit", ([] if uses else ["no actions"]) + [
            name for name in uses if not re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", name)])
        report.test(f"{path.name} pastes nothing into a script", [
            line for line in re.findall(r"run:.*", path.read_text()) if "${{" in line])


def check_classification(report):
    main, other = "refs/heads/main", "refs/heads/other"
    for want, repetitions, event, ref in (
        ("canonical", "10", "workflow_dispatch", main),
        ("exploratory", "11", "workflow_dispatch", main),
        ("exploratory", "30", "workflow_dispatch", main),
        ("exploratory", "10", "workflow_dispatch", other),
        ("exploratory", "10", "workflow_dispatch", "refs/tags/main"),
        ("exploratory", "10", "push", main),
    ):
        folder = new_folder()
        run = Runner(repetitions, event, ref).run("inputs", STUDY_FOLDER=folder, GITHUB_RUN_ID="77", RUNNER_NAME="a b")
        report.test(f"{event} on {ref} with {repetitions} repetitions is {want}", expect(run, 0, want) + same(
            file=((folder / "intended-classification.txt").read_text(), want + "\n"),
            runner=((folder / "runner.txt").read_text(), "GITHUB_RUN_ID=77\nRUNNER_NAME=a\\ b\n")))
    folder = new_folder()
    run = Runner().run("inputs", STUDY_FOLDER=folder, STUDY_EVENT="", STUDY_REF="", STUDY_DEFAULT_REF="")
    report.test("what nobody dispatched is exploratory", expect(run, 0, "exploratory"))


def check_refusals(report):
    for value in ("9", "31", "010", "1e1", "10.0", "", " 10", "ten", "100", "10; touch pwned", "$(touch pwned)"):
        folder = new_folder()
        run = Runner(value).run("inputs", STUDY_FOLDER=folder)
        report.test(f"repetitions {value!r} are refused, nothing is written", expect(run, 2, "from 10 to 30") + (
            ["the folder is there"] if folder.exists() else []) + (
            ["the text was run"] if (SOURCE / "pwned").exists() else []))
    folder = new_folder()
    folder.mkdir()
    (folder / "mine").write_text("mine")
    report.test("a folder with something in it is refused", expect(Runner().run("inputs", STUDY_FOLDER=folder), 2, "not empty"))
    for step in ("measure", "verify", "plan"):
        folder = new_folder()
        Runner().run("inputs", STUDY_FOLDER=folder)
        report.test(f"{step} before what it needs is refused", expect(
            Runner().run(step, STUDY_FOLDER=folder), 2, "comes behind 'program'"))
    report.test("no step can be done twice", expect(Runner().run("inputs", STUDY_FOLDER=folder), 2, "not empty"))
    run = subprocess.run([SOURCE / "tools/candidate-study.sh", "all"], capture_output=True, text=True, timeout=30)
    report.test("an unknown step is refused", expect(run, 2, "no step 'all'"))


def check_failure(report):
    folder = new_folder()
    summary = pathlib.Path(WORK.name) / "summary.md"
    Runner().run("inputs", STUDY_FOLDER=folder)
    program = Runner().run("program", STUDY_FOLDER=folder)
    report.test("the given program says its version", expect(program, 0, "paretopilot"))
    wrong = "s390x" if platform.machine() != "s390x" else "aarch64"
    report.test("another machine than the wanted one: exit 3", expect(
        Runner().run("host", STUDY_FOLDER=folder, STUDY_MACHINE=wrong), 3, f"the study wants {wrong}"))
    unable = pathlib.Path(WORK.name) / "unable"
    unable.write_text("#!/bin/sh\nexit 3\n")
    unable.chmod(0o755)
    report.test("a step ends with the exit code of its program", expect(Runner().run(
        "host", STUDY_FOLDER=folder, STUDY_MACHINE=platform.machine(), PARETOPILOT_BINARY=unable), 3))
    report.test("steps and exit codes are kept", same(
        steps=((folder / "steps.txt").read_text(), "inputs 0\nprogram 0\nhost 3\nhost 3\n")))
    report.test("what comes behind a failed step is refused", expect(Runner().run("engines", STUDY_FOLDER=folder), 2, "comes behind 'host'"))
    sealed = Runner().run("seal", STUDY_FOLDER=folder, GITHUB_STEP_SUMMARY=summary)
    report.test("it is sealed as incomplete, with what was not done", expect(
        sealed, 0, "classification=incomplete", "not_done=host engines models plan measure verify"))
    report.test("the summary of the job says it", [] if "    classification=incomplete\n" in summary.read_text() else [summary.read_text()])
    check = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, capture_output=True, text=True)
    listed = {line.split("  ./", 1)[1] for line in (folder / "SHA256SUMS").read_text().splitlines()}
    report.test("checksums hold and list every file", expect(check, 0) + same(
        files=(listed, {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()} - {"SHA256SUMS"})))
    report.test("even nothing can be sealed", expect(
        Runner().run("seal", STUDY_FOLDER=new_folder()), 0, "classification=incomplete"))


def check_repetitions(report):
    tool = [sys.executable, "-B", SOURCE / "tools/study_plan.py", "repetitions"]
    ladder = SOURCE / "examples/qwen2.5-ladder/plan.json"
    run = subprocess.run([*tool, "10", ladder], capture_output=True, timeout=30)
    report.test("ten repetitions leave the ladder's plan byte for byte", same(
        code=(run.returncode, 0), bytes=(run.stdout == ladder.read_bytes(), True)))
    run = subprocess.run([*tool, "25", ladder], capture_output=True, timeout=30)
    before, after = json.loads(ladder.read_bytes()), json.loads(run.stdout)
    report.test("25 stand in the phase and in every given line", same(
        phase=(after["throughput"]["repetitions"], 25),
        lines=([w["argv"]["throughput"][w["argv"]["throughput"].index("-r") + 1] for w in after["candidates"]], ["25"] * 4)))
    before["throughput"]["repetitions"] = 25
    for candidate in before["candidates"]:
        words = candidate["argv"]["throughput"]
        words[words.index("-r") + 1] = "25"
    report.test("and nothing else changes", same(plan=(after == before, True)))
    made = pathlib.Path(WORK.name) / "plan-25.json"
    made.write_bytes(run.stdout)
    check = subprocess.run([os.environ["PARETOPILOT_BINARY"], "validate", made], capture_output=True, text=True, timeout=30)
    report.test("it is a plan", expect(check, 0, "study-plan 2.0"))
    for name, change in (("no -r", ["-p", "1"]), ("-r at the end", ["-p", "1", "-r"]), ("-r twice", ["-r", "1", "-r", "2"])):
        before["candidates"][1]["argv"]["throughput"] = change
        made.write_text(json.dumps(before))
        run = subprocess.run([*tool, "10", made], capture_output=True, text=True, timeout=30)
        report.test(f"a given line with {name} is refused", expect(run, 2, "$.candidates[1].argv.throughput: expected -r once"))


# The published study, from its record: id, build, model file, micro-batch, port of the server.
PUBLISHED = (
    ("q8-generic", "generic", "qwen2.5-1.5b-instruct-q8_0.gguf", "128", "18081"),
    ("q4-generic", "generic", "qwen2.5-1.5b-instruct-q4_0.gguf", "128", "18082"),
    ("q4-kleidiai", "kleidiai", "qwen2.5-1.5b-instruct-q4_0.gguf", "128", "18083"),
    ("q4-kleidiai-tuned", "kleidiai", "qwen2.5-1.5b-instruct-q4_0.gguf", "512", "18084"),
)
FILES = {
    "qwen2.5-1.5b-instruct-q8_0.gguf": (1894532128, "d7efb072e7724d25048a4fda0a3e10b04bdef5d06b1403a1c93bd9f1240a63c8"),
    "qwen2.5-1.5b-instruct-q4_0.gguf": (1066227232, "dcd819ff094852c38faba6873d8ff0c9d51eadb2844539e52042ae5d647bbfdb"),
}
REVISION = "91cad51170dc346986eccefdc2dd33a9da36ead9"
POLICIES = {"latency": ("e2e_latency_ms_p95", "min", 1.0), "memory": ("peak_rss_mib", "min", 0.0), "first-token": ("ttft_ms_p95", "min", 0.0),
            "prompt-throughput": ("prompt_tokens_per_second", "max", 0.0),
            "generation-throughput": ("generation_tokens_per_second", "max", 0.0), "quality": ("quality_score", "max", 0.0)}


def check_ladder(report):
    folder = SOURCE / "examples/qwen2.5-ladder"
    plan = json.loads((folder / "plan.json").read_text())
    for candidate, (name, build, file, ubatch, port) in zip(plan["candidates"], PUBLISHED):
        server = (f"./.candidate-build/{build}/bin/llama-server --model ./.candidate-models/{file} --threads 4 --threads-batch 4 "
                  f"--batch-size 512 --ubatch-size {ubatch} --ctx-size 2048 --parallel 1 --n-gpu-layers 0 -lv 4 --host 127.0.0.1 "
                  f"--port {port}")
        bench = (f"../.candidate-build/{build}/bin/llama-bench -m {file} -p 512 -n 128 -t 4 -b 512 -ub {ubatch} -r 10 -dev none "
                 "-ngl 0 -nopo 1 -v -o jsonl")
        report.test(f"the lines of {name} are the published ones", same(
            id=(candidate["id"], name), server=(" ".join(candidate["argv"]["server"]), server),
            bench=(" ".join(candidate["argv"]["throughput"]), bench), there=(candidate["argv"]["working_directory"], ".candidate-models")))
    report.test("four candidates, two passes in mirrored order, ten seconds between runs", same(
        count=(len(plan["candidates"]), 4), passes=(plan["passes"], 2), order=(plan["order"]["kind"], "mirrored"),
        pause=(plan["pause"], {"kind": "settle", "settle_ms": 10000})))
    report.test("the models are the published files, each with its address", same(
        files=({pathlib.PurePosixPath(m["path"]).name: (m["size_bytes"], m["sha256"]) for m in plan["models"]}, FILES),
        urls=({m["url"] for m in plan["models"]}, {
            f"https://huggingface.co/Qwen/Qwen2.5-1.5B-Instruct-GGUF/resolve/{REVISION}/{name}" for name in FILES})))
    limits = plan["constraints"]
    report.test("the limits are the published ones, and quality is judged", same(
        quality=(limits["quality"], "judged"), retention=(limits["min_quality_retention"], 0.95), metric=(limits["quality_metric"], "quality_score"),
        score=(limits["min_values"], {"quality_score": 0.8}), most=(limits["max_values"], {"e2e_latency_ms_p95": 15000, "peak_rss_mib": 4096})))
    for name in ("suite", "policies"):
        data = (folder / plan[name]["path"]).read_bytes()
        report.test(f"the plan has the digest of its {name}", same(sha256=(plan[name]["sha256"], hashlib.sha256(data).hexdigest())))
    policies = json.loads((folder / plan["policies"]["path"]).read_text())
    report.test("the policies are six objectives; the canonical one is the plan's own", same(
        policies=({p["id"]: (p["objective"]["metric"], p["objective"]["direction"], p["objective_tolerance_percent"])
                   for p in policies["profiles"]}, POLICIES),
        own=(POLICIES["latency"], (limits["objective"]["metric"], limits["objective"]["direction"], limits["objective_tolerance_percent"]))))


def main():
    report = Report()
    for check in (check_definition, check_pins, check_classification, check_refusals, check_failure, check_repetitions, check_ladder):
        check(report)
    return report.end()


sys.exit(main())
