"""A load by plan: what the server saw is what the plan says, and the evaluation is what the server
did. The server's own log is the truth; the document is read back by `validate`."""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from harness import BINARY, Faults, Sim, load, main, went  # noqa: F401

PROMPTS = ["first prompt", "another one", "and the third"]


def plan(**changes):
    return {
        "schema_version": "1.0", "prompts": PROMPTS, "output_tokens": 8,
        "warmup_requests_per_level": 2, "measured_requests_per_level": 4,
        "concurrency_levels": [1, 2, 4], "timeout_seconds": 20,
        "slo": {"min_completion_rate": 1.0, "max_ttft_ms_p95": 5000,
                "max_e2e_latency_ms_p95": 10000},
        **changes,
    }


class Folder:
    """A plan on disk, and what a load by it left."""

    def __init__(self, **changes):
        self.temporary = tempfile.TemporaryDirectory(prefix="load-plan-")
        self.path = pathlib.Path(self.temporary.name)
        self.plan = plan(**changes)
        self.plan_path = self.path / "plan.json"
        self.plan_path.write_text(json.dumps(self.plan))
        self.evaluation_path = self.path / "evaluation.json"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def arguments(self, *more, candidate="q8"):
        return ("--plan", str(self.plan_path), "--candidate", candidate,
                "--evaluation", str(self.evaluation_path), *more)

    def load(self, url, *more, candidate="q8"):
        return load(url, *self.arguments(*more, candidate=candidate))

    def write(self, name, document):
        path = self.path / name
        path.write_text(json.dumps(document))
        return str(path)

    @property
    def evaluation(self):
        return json.loads(self.evaluation_path.read_text())


def validates(f, path):
    done = subprocess.run([BINARY, "validate", path], capture_output=True, text=True, timeout=20)
    f.equal("exit of validate", done.returncode, 0)
    return done.stdout


def bodies(samples, level):
    """Indexes of the prompts of a level, warm-up and measured, in the order of their numbers."""
    return [[s["prompt_id"] for s in sorted((s for s in samples if s["level"] == level
                                             and s["phase"] == phase), key=lambda s: s["index"])]
            for phase in ("warmup", "measured")]


def body(text, tokens):
    """The request, from its description: sorted keys, no blanks."""
    return json.dumps({
        "prompt": text, "n_predict": tokens, "ignore_eos": True, "seed": 4242, "temperature": 0.0,
        "cache_prompt": False, "stream": True, "timings_per_token": False,
    }, sort_keys=True, separators=(",", ":")).encode()


def the_plan_is_what_is_sent(f):
    with Folder() as folder, Sim("--slots", "4", "--token-time", "2ms", "--prefill", "0.1ms") as sim:
        run = folder.load(sim.url)
        went(f, run)
        evaluation = folder.evaluation
        holds = validates(f, folder.evaluation_path)
        sim.stop()
    f.true("validate names version 1.0", "load-evaluation 1.0, q8, 3 levels" in holds, holds)
    f.true("no order in 1.0", "execution_order" not in evaluation)
    f.equal("rows", [r["concurrency"] for r in evaluation["rows"]], [1, 2, 4])
    f.equal("simulated figures are synthetic", evaluation["synthetic"], True)
    f.equal("levels of the report", [level["asked"]["clients"] for level in run.report["levels"]],
            [1, 2, 4])
    names = [f"prompt-0000{i}" for i in (1, 2, 3, 1)]
    for level in (1, 2, 3):
        f.equal(f"prompts of level {level}", bodies(run.samples, level), [names[:2], names])
    want = {f"prompt-0000{i + 1}": hashlib.sha256(body(text, 8)).hexdigest()
            for i, text in enumerate(PROMPTS)}
    f.equal("bodies", {s["prompt_id"]: s["request_sha256"] for s in run.samples}, want)
    asked = sim.lines("arrival")
    f.equal("requests that came", len(asked), 3 * (2 + 4))
    f.equal("paths", {line["path"] for line in asked}, {"/completion"})
    f.equal("connections", run.report["levels"][2]["observed"]["connections_reused_count"], 0)
    for row in evaluation["rows"]:
        f.equal("prompts of the document", [s["prompt_index"] for s in row["samples"]],
                [1, 2, 3, 1])
        f.equal("completed", row["completed_requests"], 4)


def the_order_is_kept(f):
    with Folder() as folder, Sim("--slots", "4", "--token-time", "2ms") as sim:
        run = folder.load(sim.url, "--execution-order", "4,1,2")
        went(f, run)
        evaluation = folder.evaluation
        holds = validates(f, folder.evaluation_path)
    f.true("validate names version 1.1", "load-evaluation 1.1" in holds, holds)
    f.equal("order", evaluation["execution_order"], [4, 1, 2])
    f.equal("rows", [r["concurrency"] for r in evaluation["rows"]], [1, 2, 4])
    f.equal("levels that ran", [level["asked"]["clients"] for level in run.report["levels"]],
            [4, 1, 2])
    starts = {r["concurrency"]: min(s["started_at_seconds"] for s in r["samples"])
              for r in evaluation["rows"]}
    f.true("one clock for all levels", starts[4] < starts[1] < starts[2], starts)


def failed_requests_are_rows_that_miss(f):
    # 2 + 4 requests of the first level; the second fails in its third measured one
    with Folder(concurrency_levels=[1, 2]) as folder, \
            Sim("--slots", "4", "--token-time", "2ms", "--fault", "status:503@11") as sim:
        run = folder.load(sim.url)
        went(f, run)  # one level met the limits
        evaluation = folder.evaluation
        validates(f, folder.evaluation_path)
    first, second = evaluation["rows"]
    f.equal("first", (first["failed_requests"], first["slo_met"]), (0, True))
    f.equal("second", (second["failed_requests"], second["slo_failures"]),
            (1, ["completion_rate_below_minimum"]))
    errors = [s["error"] for s in second["samples"] if not s["completed"]]
    f.true("the error names the status", len(errors) == 1 and errors[0].startswith("HTTP 503"),
           errors)
    f.equal("highest", evaluation["highest_slo_concurrency"], 1)


def limits_that_no_level_meets_are_a_no(f):
    slo = {"min_completion_rate": 1.0, "max_ttft_ms_p95": None, "max_e2e_latency_ms_p95": 20}
    with Folder(concurrency_levels=[1], slo=slo) as folder, \
            Sim("--token-time", "10ms") as sim:  # 7 further tokens take 70 ms
        run = folder.load(sim.url)
        f.exit(run, 1)
        evaluation = folder.evaluation
        validates(f, folder.evaluation_path)
    f.equal("failures", evaluation["rows"][0]["slo_failures"], ["e2e_latency_ms_p95_above_maximum"])
    f.equal("highest", evaluation["highest_slo_concurrency"], None)


def a_warm_up_that_fails_ends_it(f):
    # the eighth request is the second warm-up of the second level
    with Folder(concurrency_levels=[1, 2]) as folder, \
            Sim("--slots", "4", "--token-time", "2ms", "--fault", "status:500@8") as sim:
        run = folder.load(sim.url)
        f.exit(run, 3)
        f.true("no evaluation", not folder.evaluation_path.exists())
    f.true("said so", "no evaluation was written: level 2, clients 2: warm-up request 2 failed: "
           "HTTP 500" in run.stderr, run.stderr)
    f.equal("the report has both", [level["observed"]["ended_by"] for level in run.report["levels"]],
            ["requests", "warm-up"])
    f.equal("nothing was measured in the second",
            [s for s in run.samples if s["level"] == 2 and s["phase"] == "measured"], [])
    f.equal("the report is partial", run.report["levels"][1]["notes"].count("warm-up-failed"), 1)


def a_warm_up_that_says_nothing_ends_it(f):
    # an answer that is 200 all the same: found when it is decoded
    with Folder(concurrency_levels=[1, 2]) as folder, \
            Sim("--slots", "4", "--token-time", "2ms", "--fault", "error:data@1") as sim:
        run = folder.load(sim.url)
        f.exit(run, 3)
        f.true("no evaluation", not folder.evaluation_path.exists())
    f.true("said so", "level 1, clients 1: warm-up request 1 failed" in run.stderr, run.stderr)
    f.equal("the second level never ran", len(run.report["levels"]), 1)


def the_plan_has_the_patience(f):
    # with no warm-up nothing ends early; the second of four hangs
    with Folder(concurrency_levels=[1], warmup_requests_per_level=0, timeout_seconds=0.5) as folder, \
            Sim("--token-time", "2ms", "--fault", "silent@2") as sim:
        run = folder.load(sim.url)
        f.exit(run, 1)  # the only level has a failed request
        evaluation = folder.evaluation
        validates(f, folder.evaluation_path)
    failed = [s for s in evaluation["rows"][0]["samples"] if not s["completed"]]
    f.equal("failed", [s["index"] for s in failed], [2])
    f.true("timeout", failed and failed[0]["error"].startswith("network error: "), failed)
    f.between("it took", failed[0]["e2e_latency_ms"], 500, 5000)


def argv(port, host="127.0.0.1", threads="4"):
    return {"schema_version": "1.0",
            "argv": ["./llama-server", "--model", "m.gguf", "--threads", threads,
                     "--parallel", "1", "--host", host, "--port", str(port)]}


def it_is_bound_to_its_server(f):
    with Folder(concurrency_levels=[1]) as folder, Sim("--token-time", "2ms") as sim:
        load_path = folder.write("load.json", argv(sim.port))
        canonical_path = folder.write("canonical.json", argv(18081))
        run = folder.load(sim.url, "--load-command", load_path,
                          "--canonical-command", canonical_path)
        went(f, run)
        binding = folder.evaluation["evidence_binding"]
        holds = validates(f, folder.evaluation_path)
        digests = {name: hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
                   for name, path in (("load", load_path), ("canonical", canonical_path))}
        plan_digest = hashlib.sha256(folder.plan_path.read_bytes()).hexdigest()
    f.true("validate says bound", "bound to" in holds and "bound to no" not in holds, holds)
    f.equal("plan", binding["plan_sha256"], plan_digest)
    f.equal("address", binding["request_base_url"], sim.url)
    server = binding["server_configuration"]
    f.equal("differing", server["differing_binding_options"], ["--port"])
    for name, digest in digests.items():
        f.equal(f"digest of {name}", server[f"{name}_server_command_sha256"], digest)


def another_server_is_refused_before_it_is_asked(f):
    with Folder() as folder, Sim("--token-time", "2ms") as sim:
        run = folder.load(sim.url,
                          "--load-command", folder.write("load.json", argv(sim.port)),
                          "--canonical-command",
                          folder.write("canonical.json", argv(18081, threads="8")))
        f.exit(run, 2)
        f.true("named", '"4" and "8" make different servers' in run.stderr, run.stderr)
        f.true("nothing is written", sorted(os.listdir(folder.path)) ==
               ["canonical.json", "load.json", "plan.json"], os.listdir(folder.path))
        sim.stop()
    f.equal("requests that came", len(sim.lines("arrival")), 0)


def memory_is_that_of_the_server(f):
    with Folder(concurrency_levels=[1]) as folder, Sim("--token-time", "2ms") as sim:
        run = folder.load(sim.url, "--pid", str(sim.process.pid))
        went(f, run)
        row = folder.evaluation["rows"][0]
        status = pathlib.Path(f"/proc/{sim.process.pid}/status").read_text()
    now_mib = int(next(line.split()[1] for line in status.splitlines()
                       if line.startswith("VmHWM:"))) / 1024
    f.between("peak_rss_mib", row["peak_rss_mib"], now_mib / 2, now_mib)


def an_interrupted_load_keeps_the_rest(f):
    with Folder(measured_requests_per_level=256) as folder, Sim("--token-time", "10ms") as sim:
        with tempfile.TemporaryDirectory(prefix="load-plan-") as out:
            report = os.path.join(out, "report.json")
            process = subprocess.Popen(
                [BINARY, "load", sim.url, *folder.arguments("--quiet", "--output", report)],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            arrived = sim.wait_until(
                lambda: sim.log_path.read_text().count('"arrival"') > 6, seconds=20)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
            document = json.loads(pathlib.Path(report).read_text())
        f.true("requests were under way", arrived)
        f.equal("exit", process.returncode, 130)
        f.true("no evaluation", not folder.evaluation_path.exists())
    f.true("said so", "no evaluation was written: level 1, clients 1: it was interrupted" in err, err)
    f.true("measured requests are reported", document["levels"][0]["counts"]["issued"] > 0)


def two_become_one(f):
    with Folder(concurrency_levels=[1, 2]) as folder, Sim("--slots", "2", "--token-time", "2ms") as sim:
        paths = []
        for candidate in ("b", "a"):
            run = folder.load(sim.url, candidate=candidate)
            went(f, run)
            paths.append(folder.path / f"{candidate}.json")
            folder.evaluation_path.rename(paths[-1])
        out = folder.path / "combined.json"
        done = subprocess.run(
            [BINARY, "combine-load", "--input", paths[0], "--input", paths[1], "--output", out],
            capture_output=True, text=True, timeout=20)
        f.equal("exit of combine-load", done.returncode, 0)
        holds = validates(f, out)
        combined = json.loads(out.read_text())
        rows = [json.loads(path.read_text())["rows"] for path in reversed(paths)]
    f.true("validate", "combined-load 1.0, 2 candidates" in holds, holds)
    f.equal("rows", combined["rows"], rows[0] + rows[1])


if __name__ == "__main__":
    raise SystemExit(main([
        ("the plan is what is sent", the_plan_is_what_is_sent),
        ("the order is kept", the_order_is_kept),
        ("failed requests are rows that miss", failed_requests_are_rows_that_miss),
        ("limits that no level meets are a no", limits_that_no_level_meets_are_a_no),
        ("a warm-up that fails ends it", a_warm_up_that_fails_ends_it),
        ("a warm-up that says nothing ends it", a_warm_up_that_says_nothing_ends_it),
        ("the plan has the patience", the_plan_has_the_patience),
        ("it is bound to its server", it_is_bound_to_its_server),
        ("another server is refused before it is asked",
         another_server_is_refused_before_it_is_asked),
        ("memory is that of the server", memory_is_that_of_the_server),
        ("an interrupted load keeps the rest", an_interrupted_load_keeps_the_rest),
        ("two become one", two_become_one),
    ]))
