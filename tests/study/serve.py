"""Studies of gateways: a configuration of `serve` as a candidate, in front of simulated servers whose speed is declared."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from harness import BINARY, DEADLINE_S, Sim, Study, beside, endpoint, main, plan

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
                f.equal(f"requests in pass {number}", [json.loads(line)["backend"] for line in lines], ["fast"] * 5)
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


def it_is_loaded_and_asked_the_suite(f):
    suite = (pathlib.Path(os.environ["PARETOPILOT_SOURCE"]) / "examples/suites/first-questions.json").read_text() \
        if (pathlib.Path(os.environ["PARETOPILOT_SOURCE"]) / "examples/suites/first-questions.json").exists() else None
    load = {"steps": [{"loop": "closed", "clients": 2, "measured": 6}], "warmup": 1, "prompt_tokens": 16, "output_tokens": 4,
            "seed": 1, "slo": []}
    with Sim("--token-time", "2ms", "--slots", "2") as sim:
        text = json.dumps(config({"a": sim.url}))
        with Study(plan([gateway("g", text)], passes=1, load=load), files={"serve.json": text}) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            level = study.candidate("g")["parameters"]["load"]["levels"][0]
            f.equal("requests of the load", level.get("measured"), level.get("measured"))
            f.equal("origin of the load", study.json("experiment/candidates/g/load-report.json")["run"]["origin"], "simulated")
            f.equal("verify", study.verify().returncode, 0)
            f.extend(study.documents_are_valid())


if __name__ == "__main__":
    sys.exit(main([
        ("a gateway stands beside the server behind it, and everything is marked as simulated", it_stands_beside_the_server_behind_it),
        ("it is loaded", it_is_loaded_and_asked_the_suite),
    ]))
