"""Studies of gateways: a configuration of `serve` as a candidate, in front of simulated servers whose speed is declared."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness import BINARY, CONSTRAINTS, DEADLINE_S, Sim, Study, beside, endpoint, main, plan

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
KEY = "sk-not-for-anybody-4711"


def config(urls, **members):
    """A model for each back end, and one, "any", of all."""
    return {"schema_version": "1.0", "document": "serve-config", "listen": {"port": 8080},
            "backends": [{"id": name, "url": url, "server": "llama-server"} for name, url in urls.items()],
            "models": [{"name": name, "backends": [name]} for name in urls] + [{"name": "any", "backends": list(urls)}],
            **members}


def gateway(name, text, model="any", path="serve.json", **more):
    file = beside(path, text)
    return {"kind": "serve", "id": name, "label": f"gateway {name}",
            "serve": {"config": path, "sha256": file["sha256"], "model": model, **more}}


def processes(word):
    """Process ids whose command line holds the word."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes() and path.parent.name != str(os.getpid()):
                found.append(int(path.parent.name))
        except OSError:
            pass
    return found


def it_stands_beside_the_server_behind_it(f):
    """Tokens come every 20 ms directly and through the gateway; behind the other model every 4 ms."""
    with Sim("--token-time", "20ms") as slow, Sim("--token-time", "4ms") as fast:
        text = json.dumps(config({"slow": slow.url, "fast": fast.url}, access_log="access.jsonl"))
        candidates = [endpoint("direct", slow.url, server="openai"), gateway("through", text, "slow"), gateway("quick", text, "fast")]
        stages = [{"name": "model", "candidate": "quick", "against": "through", "changes": "model"}]
        with Study(plan(candidates, stages=stages), files={"serve.json": text}) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            benchmarks = study.json("experiment/benchmark-set.json")
            f.equal("selected", study.json("experiment/recommendation.json")["selected_id"], "quick")
            f.equal("kind", (benchmarks["synthetic"], benchmarks["metadata"]["synthetic_kind"]), (True, "simulated"))
            f.true("the report says simulated", "simulated" in study.path("experiment/report.html").read_text())
            # eight tokens: seven steps after the first
            for name, token_ms in (("direct", 20), ("through", 20), ("quick", 4)):
                metrics = study.candidate(name)["metrics"]
                f.true(f"end to end of {name}", 7 * token_ms <= metrics["e2e_latency_ms_p50"] <= 7 * token_ms + 80,
                       str(metrics["e2e_latency_ms_p50"]))
                f.equal(f"figures of {name} that nobody could measure",
                        [key for key in ("peak_rss_mib", "model_size_mib", "core_seconds_per_token") if key in metrics], [])
                f.equal(f"completed of {name}", metrics["completion_rate"], 1)
            for number in (1, 2):
                f.equal("origin", study.json(f"experiment/candidates/quick/endpoint-pass-{number}.json")["origin"], "simulated")
                used = study.json(f"experiment/candidates/quick/resource-measurement-pass-{number}.json")
                f.equal("memory", (used["peak_rss_bytes"], used["cpu_ns"], used["after_requests"]["rss_bytes"]), (None, None, None))
                f.equal("why", used["absent_because"], "servers behind the gateway run already: what they use is not seen")
                # its own log, one for each pass: a warm-up and four measured ones
                lines = study.path(f"experiment/candidates/quick/gateway-pass-{number}/access.jsonl").read_text().splitlines()
                f.equal(f"requests in pass {number}", [json.loads(line)["backend"] for line in lines].count("fast"), 5)
            parameters = study.candidate("quick")["parameters"]
            f.equal("what is deployed", parameters["deployment_argv"][1:], ["serve", str(study.plan_path.parent / "serve.json")])
            f.equal("configuration", (parameters["serve"]["model"], parameters["serve"]["sha256"]),
                    ("fast", candidates[2]["serve"]["sha256"]))
            f.equal("its copy", study.path("experiment/candidates/quick/serve-config.json").read_text(), text)
            f.equal("rung", parameters["configuration"]["attribution_stage"], "model")
            f.true("its digest is in the journal", any(
                file["path"] == "experiment/candidates/quick/serve-config.json" and file["sha256"] == candidates[2]["serve"]["sha256"]
                for line in study.path("journal.jsonl").read_text().splitlines() for file in json.loads(line).get("files", [])))
            f.true("nothing beside the plan", not (study.plan_path.parent / "access.jsonl").exists())
            f.equal("processes left", processes(str(study.plan_path.parent)), [])
            done = study.verify()
            f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))
            f.extend(study.documents_are_valid())


def it_is_loaded_as_a_server(f):
    """Two clients over two slots: six requests in three rounds of four tokens."""
    load = {"steps": [{"loop": "closed", "clients": 2, "measured": 6}], "warmup": 1, "prompt_tokens": 16, "output_tokens": 4,
            "seed": 1, "slo": ["e2e.p50<=20s"]}
    with Sim("--token-time", "2ms", "--slots", "2") as sim:
        text = json.dumps(config({"a": sim.url}, access_log="access.jsonl"))
        with Study(plan([gateway("g", text)], passes=1, load=load), files={"serve.json": text}) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            level = study.candidate("g")["parameters"]["load"][0]
            f.equal("of the load", (level["issued_count"], level["failed_count"]), (6, 0))
            f.equal("its origin", study.json("experiment/candidates/g/load-report.json")["run"]["origin"], "simulated")
            lines = study.path("experiment/candidates/g/load-gateway/access.jsonl").read_text().splitlines()
            f.equal("in its own log", [json.loads(line)["backend"] for line in lines].count("a"), 7)
            f.equal("verify", study.verify().returncode, 0)
            f.extend(study.documents_are_valid())


def its_answers_are_judged(f):
    suite = (SOURCE / "examples/suites/small.json").read_text()
    limits = {**CONSTRAINTS, "preference_order": ["g", "direct"]}
    del limits["quality"]
    limits["max_quality_drop"] = None
    with Sim("--token-time", "1ms") as sim:
        text = json.dumps(config({"a": sim.url}))
        candidates = [gateway("g", text), endpoint("direct", sim.url, server="openai")]
        with Study(plan(candidates, passes=1, suite=beside("suite.json", suite)),
                   files={"serve.json": text, "suite.json": suite}) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            asked = {name: len(study.path(f"experiment/candidates/{name}/raw/suite-pass-1.jsonl").read_text().splitlines())
                     for name in ("g", "direct")}
            f.true("asked alike", asked["g"] == asked["direct"] > 0, str(asked))
            scores = [study.candidate(name)["parameters"]["measurement"]["quality"]["score"] for name in ("g", "direct")]
            f.equal("judged alike", scores[0], scores[1])
            f.equal("verify", study.verify().returncode, 0)


def what_is_wrong_is_found_before_anything_is_written(f):
    with Sim() as sim:
        good = config({"a": sim.url})
        text = json.dumps(good)
        broken = json.dumps({**good, "models": [{"name": "any", "backends": ["b"]}]})
        locked = json.dumps({**good, "keys": {"file": "keys.txt"}})
        rows = [
            ("no such model", text, {"model": "small"}, 2, ["$.candidates[0].serve", "expected the name of an item of $.models of 'serve.json', got 'small'"]),
            ("another file", text + " ", {"text": text}, 2, ["$.candidates[0].serve", "serve.json': found SHA-256 ", ", the plan says "]),
            ("no file", None, {"text": text}, 2, ["$.candidates[0].serve", "serve.json"]),
            ("a configuration that is none", broken, {}, 2,
             ["$.candidates[0].serve", "'serve.json': ", "expected the id of an item of $.backends, got 'b'"]),
            ("no key", locked, {"api_key_env": "PARETOPILOT_TEST_KEY"}, 3, ["candidate 'g'", "'PARETOPILOT_TEST_KEY', named by api_key_env, is not set"]),
            ("keys that cannot be read", locked, {}, 2,
             ["preflight of candidate 'g'", "the gateway of 'serve.json' ended with exit code 2", "its last log lines: error: ", "keys.txt"]),
        ]
        for name, file, changes, code, words in rows:
            changes = dict(changes)
            candidate = gateway("g", changes.pop("text", file), **changes)
            with Study(plan([candidate]), files={} if file is None else {"serve.json": file}) as study:
                f.equal(f"{name}: exit code", study.exit, code)
                for word in words:
                    f.true(f"{name}: says '{word}'", word in study.err, study.err.strip())
                f.true(f"{name}: nothing written", not study.bundle.exists())


def a_key_of_the_gateway_is_sent_and_kept_nowhere(f):
    with Sim("--token-time", "1ms") as sim:
        text = json.dumps(config({"a": sim.url}, keys={"file": "keys.txt"}))
        files = {"serve.json": text, "keys.txt": f"tester {KEY}\n"}
        candidates = [gateway("g", text, api_key_env="PARETOPILOT_TEST_KEY")]
        with Study(plan(candidates), env={"PARETOPILOT_TEST_KEY": KEY}, files=files) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            f.equal("completed", study.candidate("g")["metrics"]["completion_rate"], 1)
            holders = [str(path) for path in study.bundle.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
            f.equal("files with the key", holders, [])
        with Study(plan(candidates), env={"PARETOPILOT_TEST_KEY": "another-key-that-nobody-has"}, files=files) as study:
            f.equal("refused requests are results", study.exit in (0, 1), True)
            f.equal("completed", study.candidate("g")["metrics"]["completion_rate"], 0)


def an_origin_that_nobody_tells_is_unknown(f):
    """A server that wants a key which stands in a file is not asked what it is."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "key")
        file.write_text(KEY)
        file.chmod(0o600)
        with Sim("--token-time", "1ms", "--api-key-file", str(file)) as locked, Sim("--token-time", "1ms") as sim:
            document = config({"a": sim.url, "b": locked.url})
            document["backends"][1]["api_key_file"] = str(file)
            text = json.dumps(document)
            with Study(plan([gateway("g", text, "a")], passes=1), files={"serve.json": text}) as study:
                f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
                f.equal("the worst of both", study.json("experiment/candidates/g/endpoint-pass-1.json")["origin"], "unknown")
                f.equal("synthetic", study.json("experiment/benchmark-set.json")["synthetic"], True)


def the_plan_is_printed(f):
    with Sim() as sim:
        text = json.dumps(config({"a": sim.url}))
        with Study(plan([gateway("g", text)]), files={"serve.json": text}) as study:
            study.run("plan", study.plan_path)
            f.equal("exit code", (study.exit, study.err), (0, ""))
            binary = os.path.realpath(BINARY)
            f.equal("lines", study.out.splitlines()[1:3],
                    ["# requests, pass 1 of 2: g", f"{binary} serve {study.plan_path.parent}/serve.json --port 0"])


def the_example_names_its_configuration(f):
    done = subprocess.run([BINARY, "study", "plan", "examples/serve/plan.json"], cwd=SOURCE, capture_output=True, text=True)
    f.equal("exit code", (done.returncode, done.stderr), (0, ""))
    f.true("its line", "paretopilot serve examples/serve/two-endpoints.json --port 0" in done.stdout, done.stdout)


def a_gateway_that_dies_fails_its_run(f):
    """Killed while it is measured; the study goes on, and names candidate, pass and file."""
    with Sim("--token-time", "60ms") as sim:
        text = json.dumps(config({"a": sim.url}))

        def kill(folder):
            end = time.monotonic() + 60
            while time.monotonic() < end and sim.metrics()["llamacpp:tokens_predicted_total"] < 4:
                time.sleep(0.02)
            for pid in processes(f"{folder}/serve.json"):
                os.kill(pid, signal.SIGKILL)

        with tempfile.TemporaryDirectory(prefix="study-test-") as folder:
            pathlib.Path(folder, "serve.json").write_text(text)
            path = pathlib.Path(folder, "plan.json")
            path.write_text(json.dumps(plan([endpoint("direct", sim.url), gateway("g", text)], passes=1,
                                            requests={"prompt_tokens": 24, "output_tokens": 8, "warmup": 0, "measured": 3, "seed": 7},
                                            order={"kind": "mirrored", "seed": 0})))
            thread = threading.Thread(target=lambda: (wait_for_pass(folder), kill(folder)))
            thread.start()
            done = subprocess.run([BINARY, "study", "run", path, "--output-dir", f"{folder}/bundle"], capture_output=True, text=True,
                                  timeout=DEADLINE_S)
            thread.join()
            f.equal("exit code", (done.returncode, done.stderr[-300:] if done.returncode else ""), (0, ""))
            f.true("named", "failed: g, requests pass 1: the gateway of 'serve.json' ended with signal 9" in done.stdout
                   and "see experiment/candidates/g/requests-run-pass-1.json" in done.stdout, done.stdout)


def wait_for_pass(folder):
    end = time.monotonic() + 60
    out = pathlib.Path(folder, "bundle/experiment/candidates/g/server-command-pass-1.json")
    while time.monotonic() < end and not out.exists():
        time.sleep(0.02)


if __name__ == "__main__":
    os.environ.pop("PARETOPILOT_TEST_KEY", None)
    sys.exit(main([
        ("a gateway stands beside the server behind it, and everything is marked as simulated", it_stands_beside_the_server_behind_it),
        ("it is loaded as a server is", it_is_loaded_as_a_server),
        ("its answers to a suite are judged", its_answers_are_judged),
        ("what is wrong is found before anything is written", what_is_wrong_is_found_before_anything_is_written),
        ("a key of the gateway is sent, and kept nowhere", a_key_of_the_gateway_is_sent_and_kept_nowhere),
        ("an origin that nobody tells is unknown", an_origin_that_nobody_tells_is_unknown),
        ("the plan is printed with its command lines", the_plan_is_printed),
        ("the example is a plan that can be carried out", the_example_names_its_configuration),
        ("a gateway that dies fails its run, by name", a_gateway_that_dies_fails_its_run),
    ]))
