"""The steps of the candidate study's workflow, each by its own line of the workflow, with the ladder's plan on
tiny models and the real llama.cpp. TAP.

What is not real: the models have random weights and come from a server of our own, git and compilers are
stand-ins (fake_builder.py) whose builds start the llama.cpp that is there, and one archive stands in for
KleidiAI's."""

import hashlib
import json
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
sys.path.insert(0, str(SOURCE / "tests/support"))

import study_workflow  # noqa: E402
from study_workflow import Runner  # noqa: E402
import fake_builder  # noqa: E402
from https_files import Files  # noqa: E402
from tap import Report  # noqa: E402
from test_build_engines import COMMIT, archive  # noqa: E402

PROGRAM = os.environ["PARETOPILOT_BINARY"]
LLAMA = os.environ.get("PARETOPILOT_LLAMA_DIR", "")
BEFORE_MEASURING = ["inputs", "program", "host", "engines", "models", "plan"]


def expect(run, code, *words):
    text = run.stdout + run.stderr
    return ([f"exit {run.returncode}, expected {code}: {text[-2000:]}"] if run.returncode != code else []) + [
        f"does not say: {word}\n{text[-2000:]}" for word in words if word not in text]


def same(name, got, want):
    return [] if got == want else [f"{name}: expected {want!r}, got {got!r}"]


def tiny_plan(folder, files):
    """The ladder with small models and little work, in the same form: verbatim lines, two engines, a mirrored
    order, load and policies. Quality, which random weights do not have, is left out."""
    ladder = SOURCE / "examples/qwen2.5-ladder"
    plan = json.loads((ladder / "plan.json").read_text())
    policies = json.loads((ladder / "policies.json").read_text())
    policies["profiles"] = [profile for profile in policies["profiles"] if profile["id"] != "quality"]
    text = json.dumps(policies)
    (folder / "policies.json").write_text(text)
    plan["policies"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    for model in plan["models"]:
        made = folder / "made.gguf"
        subprocess.run([PROGRAM, "model", "synth", "--shape", "tiny", "--type", model["id"], "--output", made],
                       check=True, capture_output=True, timeout=120)
        data = made.read_bytes()
        made.unlink()
        files.given[f"/{model['id']}.gguf"] = data
        model.update(url=f"{files.https}/{model['id']}.gguf", size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
    for candidate in plan["candidates"]:
        shorter = {"-p": "64", "-n": "16", "-t": "1", "--threads": "1", "--threads-batch": "1", "--port": "{port}",
                   "--ctx-size": "1024"}
        for words in (candidate["argv"]["server"], candidate["argv"]["throughput"]):
            for place, word in enumerate(words[:-1]):
                words[place + 1] = shorter.get(word, words[place + 1])
    for engine in plan["engines"]:
        engine["log_markers"] = {"required": [], "forbidden": ["CPU_KLEIDIAI model buffer"]}
    plan["load"].update(warmup=1, prompt_tokens=24, output_tokens=8)
    for step in plan["load"]["steps"]:
        step.update(measured=4, **({"rate_per_second": 8.0} if step["loop"] == "open" else {}))
    plan.update(suite=None, pause={"kind": "settle", "settle_ms": 0},
                throughput={"prompt_tokens": 64, "generation_tokens": 16, "repetitions": 10},
                requests={"prompt_tokens": 48, "output_tokens": 16, "warmup": 1, "measured": 3, "seed": 4242})
    plan["noise_limits"]["repeats"] = 0
    limits = plan["constraints"]
    for key in ("quality_metric", "min_quality_retention", "min_values"):
        del limits[key]
    del limits["frontier_metrics"]["quality_score"]
    limits["quality"] = "not-measurable"
    (folder / "plan.json").write_text(json.dumps(plan, indent=2) + "\n")


class Place:
    def __init__(self, folder, files):
        self.folder, self.files = folder, files
        fake_builder.install(folder / "tools")
        tiny_plan(folder, files)
        data = archive()
        files.given["/kleidiai.tar.gz"] = data
        lock = (SOURCE / "examples/qwen2.5-ladder/engines.lock").read_text().splitlines()
        changed = {"kleidiai_url": f"{files.https}/kleidiai.tar.gz", "kleidiai_size_bytes": str(len(data)),
                   "kleidiai_sha256": hashlib.sha256(data).hexdigest()}
        (folder / "engines.lock").write_text("".join(
            f"{line.split()[0]} {changed[line.split()[0]]}\n" if line.split()[0] in changed else line + "\n" for line in lock))

    def variables(self, left):
        return {
            "STUDY_PLAN": self.folder / "plan.json", "STUDY_FOLDER": left, "STUDY_MACHINE": platform.machine(),
            "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}", "FAKE_LOG": self.folder / "log", "FAKE_HEAD": COMMIT,
            "FAKE_PROGRAMS": LLAMA, "CURL_CA_BUNDLE": self.files.certificate, "GITHUB_STEP_SUMMARY": self.folder / f"{left.name}.md"}

    def run(self, step, left, repetitions="10"):
        return Runner(repetitions).run(step, **self.variables(left))

    def start(self, step, left):
        """In a process group of its own."""
        return subprocess.Popen([SOURCE / "tools/candidate-study.sh", step], env=Runner().environment(**self.variables(left)),
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def holds(folder):
    return subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=folder, capture_output=True, text=True)


def check_study(report, place):
    left = place.folder / "left"
    for step in study_workflow.STEPS[:-1]:
        report.test(f"step {step}", expect(place.run(step, left), 0))
    sealed = place.run("seal", left)
    report.test("ten repetitions, by hand, on the default branch: canonical", expect(sealed, 0, "classification=canonical"))
    report.test("the plan that was measured is the given one", same(
        "plan", (left / "plan.json").read_bytes(), (place.folder / "plan.json").read_bytes()) + same(
        "in the bundle", (left / "bundle/plan.json").read_bytes(), (place.folder / "plan.json").read_bytes()))
    status = json.loads((left / "bundle/status.json").read_text())
    report.test("the bundle is complete, and verified", same("status", status["status"], "complete") + (
        [] if "verified" in (left / "verify.txt").read_text() else [(left / "verify.txt").read_text()]))
    ids = [c["id"] for c in json.loads((left / "bundle/experiment/benchmark-set.json").read_text())["candidates"]]
    report.test("all four candidates were measured", same("ids", sorted(ids), [
        "q4-generic", "q4-kleidiai", "q4-kleidiai-tuned", "q8-generic"]))
    rows = [json.loads(line) for line in (left / "bundle/experiment/candidates/q4-kleidiai-tuned/raw/pass-2.jsonl").read_text().splitlines()]
    report.test("with the lines of the plan: ten samples, micro-batch 512", same(
        "samples", [len(row["samples_ns"]) for row in rows], [10, 10]) + same("ubatch", {row["n_ubatch"] for row in rows}, {512}))
    loads = [json.loads((left / f"bundle/experiment/candidates/{name}/load-report.json").read_text()) for name in ids]
    report.test("each of them was loaded in the four steps of the plan", same("issued", [
        [(level["asked"]["loop"], level["asked"]["clients"], level["counts"]["issued"]) for level in load["levels"]] for load in loads], [
        [("closed", 1, 4), ("closed", 2, 4), ("closed", 4, 4), ("open", None, 4)]] * 4))
    report.test("the policies that need no quality decide", same("profiles", [
        profile["id"] for profile in json.loads((left / "bundle/extensions/policy-profiles.json").read_text())["profiles"]], [
        "latency", "memory", "first-token", "prompt-throughput", "generation-throughput"]))
    report.test("records of the builds are kept", [] if (left / "build/kleidiai-CMakeCache.txt").exists() else ["no cache"])
    commands = (left / "commands.txt").read_text()
    report.test("what would run was printed before", [f"no {word}" for word in ("llama-bench", "-r 10", "--port") if word not in commands])
    report.test("checksums of everything hold", expect(holds(left), 0))
    summary = (place.folder / "left.md").read_text()
    report.test("the summary of the job has the classification and the decision", [
        f"no {word}" for word in ("    classification=canonical", "    selected") if word not in summary])


def check_spoilt(report, place):
    """The same study, but somebody improves a figure before it is verified."""
    left = place.folder / "spoilt"
    shutil.copytree(place.folder / "left", left)
    steps = (left / "steps.txt").read_text().splitlines()
    (left / "steps.txt").write_text("".join(line + "\n" for line in steps if line != "verify 0"))
    path = left / "bundle/experiment/benchmark-set.json"
    document = json.loads(path.read_text())
    document["candidates"][0]["metrics"]["peak_rss_mib"] = 1.0
    path.write_text(json.dumps(document))
    report.test("a figure that was improved does not pass verify", expect(place.run("verify", left), 1, "differs"))
    report.test("and the study is sealed as incomplete", expect(
        place.run("seal", left), 0, "classification=incomplete", "not_done=verify"))


def check_cut_off(report, place):
    """A job that is cancelled in the middle of measuring: what is kept has the bundle, as far as it got."""
    left = place.folder / "cut"
    for step in BEFORE_MEASURING:
        place.run(step, left)
    journal = left / "bundle/journal.jsonl"
    process = place.start("measure", left)
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None and not (
            journal.exists() and '"step":"throughput/q4-generic/pass-1"' in journal.read_text()):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGTERM)
    code = process.wait(60)
    report.test("a cancelled step fails", [] if code != 0 else ["exit 0"])
    report.test("the study is sealed as incomplete", expect(
        place.run("seal", left), 0, "classification=incomplete", "not_done=measure verify"))
    listed = (left / "SHA256SUMS").read_text()
    report.test("the bundle is kept as far as it got, and says so", same(
        "status", json.loads((left / "bundle/status.json").read_text())["status"], "incomplete") + [
            f"not listed: {name}" for name in ("bundle/journal.jsonl", "bundle/experiment/candidates/q8-generic/raw/pass-1.jsonl")
            if name not in listed] + expect(holds(left), 0))


def check_more_repetitions(report, place):
    left = place.folder / "more"
    for step in BEFORE_MEASURING:
        run = place.run(step, left, "12")
        report.test(f"with 12 repetitions: {step}", expect(run, 0))
    plan = json.loads((place.folder / "plan-repetitions-12.json").read_text())
    report.test("a plan with twelve stands beside the given one", same("repetitions", plan["throughput"]["repetitions"], 12))
    commands = (left / "commands.txt").read_text()
    report.test("every line of llama-bench has twelve", same("lines", (commands.count(" -r 12 "), commands.count(" -r 10 ")), (8, 0)))
    report.test("it is an exploratory study", same(
        "class", (left / "intended-classification.txt").read_text(), "exploratory\n"))


def main():
    if not os.access(pathlib.Path(LLAMA) / "llama-server", os.X_OK) or not LLAMA:
        print("1..0 # SKIP no llama.cpp: PARETOPILOT_LLAMA_DIR is not set")
        return 0
    if subprocess.run([PROGRAM, "doctor", "--require-evidence-host"], capture_output=True, timeout=60).returncode != 0:
        print("1..0 # SKIP doctor: this machine cannot give evidence, so the study would rightly stop")
        return 0
    report = Report()
    with tempfile.TemporaryDirectory(prefix="candidate-study-") as name:
        folder = pathlib.Path(name)
        files = Files(folder)
        place = Place(folder, files)
        for check in (check_study, check_spoilt, check_cut_off, check_more_repetitions):
            check(report, place)
        files.stop()
    return report.end()


sys.exit(main())
