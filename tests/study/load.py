"""The load of a study over simulated servers: steps in both loops, its report, and what verify says of a changed one."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile

from harness import BINARY, CONSTRAINTS, Sim, Study, endpoint, main, plan

STEPS = [
    {"loop": "closed", "clients": 1, "measured": 4},
    {"loop": "closed", "clients": 2, "measured": 8},
    {"loop": "open", "rate_per_second": 20.0, "arrivals": "poisson", "measured": 10},
]
LOAD = {"steps": STEPS, "warmup": 1, "prompt_tokens": 24, "output_tokens": 8, "seed": 5, "slo": ["e2e.p50<=5s"]}


def with_load(sims, **changes):
    names = ["one", "two", "three"]
    return plan([endpoint(name, sim.url) for name, sim in zip(names, sims)], passes=1, load={**LOAD, **changes.pop("load", {})},
                **changes)


def each_candidate_is_loaded_once(f):
    with Sim("--token-time", "5ms", "--slots", "2") as one, Sim("--token-time", "10ms", "--slots", "2") as two, \
            Study(with_load([one, two])) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        runs = [(run["candidate_id"], run["phase"], run["pass"]) for run in
                study.json("experiment/benchmark-set.json")["metadata"]["study"]["runs"]]
        f.equal("runs", runs, [("one", "requests", 1), ("two", "requests", 1), ("one", "load", 0), ("two", "load", 0)])
        for name, token_ms in (("one", 5), ("two", 10)):
            report = study.json(f"experiment/candidates/{name}/load-report.json")
            f.equal(f"{name}: levels", [level["asked"]["loop"] for level in report["levels"]], ["closed", "closed", "open"])
            f.equal(f"{name}: origin", report["run"]["origin"], "simulated")
            samples = [json.loads(line) for line in study.path(f"experiment/candidates/{name}/load-samples.jsonl").open()]
            measured = [s for s in samples if s["phase"] == "measured"]
            f.equal(f"{name}: measured requests", [sum(s["level"] == n for s in measured) for n in (1, 2, 3)], [4, 8, 10])
            f.equal(f"{name}: warm-up requests", len(samples) - len(measured), 3)
            f.equal(f"{name}: failures", [s for s in measured if s["failure"] not in (None, "none")], [])
            # one request takes at least 24 prompt tokens of 0.2 ms and seven steps after the first token
            least_s = (24 * 0.2 + 7 * token_ms) / 1000
            rows = study.candidate(name)["parameters"]["load"]
            f.equal(f"{name}: rows of the set", [row["clients"] for row in rows], [1, 2, None])
            # four comparisons of each measured request, and one of each level by the slots that the server says it has
            checks = study.candidate(name)["parameters"]["load_cross_checks"]
            f.equal(f"{name}: client against server", checks, {"checked": 4 * (4 + 8 + 10) + 3, "contradicted": 0, "first": None})
            laws = [(row["littles_law"], level["littles_law"]) for row, level in zip(rows, report["levels"])]
            f.true(f"{name}: Little's law of the client, as in its report", all(a == b for a, b in laws), str(laws))
            for row in rows[:2]:
                rate = row["requests_per_second"]
                f.true(f"{name}: {row['clients']} clients are not faster than declared", rate <= row["clients"] / least_s, str(rate))
                f.true(f"{name}: {row['clients']} clients are not much slower", rate >= 0.2 * row["clients"] / least_s, str(rate))
        done = study.verify()
        f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))
        f.true("derived", "derived     9 files made again from the raw ones, rules " in done.stdout, done.stdout)
        f.extend(study.documents_are_valid())
        validate = subprocess.run([BINARY, "validate", study.path("experiment/candidates/one/load-report.json")],
                                  capture_output=True, text=True, timeout=60)
        f.equal("validate", validate.returncode, 0)
        changed_figures_are_found(f, study)


def reseal(folder):
    subprocess.run("find . -type f ! -name SHA256SUMS -printf './%P\\n' | LC_ALL=C sort | xargs sha256sum > sums && mv sums SHA256SUMS",
                   shell=True, cwd=folder, check=True)


def changed_figures_are_found(f, study):
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        shutil.copytree(study.bundle, copy)
        path = os.path.join(copy, "experiment/candidates/two/load-report.json")
        text = open(path).read()
        report = json.loads(text)
        rate = report["levels"][0]["throughput"]["whole"]["requests_per_second"]
        with open(path, "w") as file:
            file.write(text.replace(repr(rate), repr(rate * 2)))
        reseal(copy)
        done = subprocess.run([BINARY, "verify", copy], capture_output=True, text=True, timeout=60)
        f.equal("verify of a changed report", done.returncode, 1)
        f.true("names it", "derived-differs  experiment/candidates/two/load-report.json" in done.stdout, done.stdout)


def servers_without_tokenizer_get_words(f):
    with Sim("--token-time", "1ms", "--slots", "2", "--fault", "status:404@/tokenize", "--fault", "status:404@/props",
             "--fault", "status:404@/v1/models") as sim:
        document = with_load([sim])
        document["candidates"] = [endpoint("one", sim.url, server="openai", model="m")]
        with Study(document) as study:
            f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
            f.equal("levels", [row["failed_count"] for row in study.candidate("one")["parameters"]["load"]], [0, 0, 0])
            f.equal("nobody knows where it comes from", study.json("experiment/benchmark-set.json")["metadata"]["synthetic_kind"], "unknown")
            f.equal("verify", study.verify().returncode, 0)


def a_load_that_takes_too_long_has_failed(f):
    with Sim("--token-time", "1ms") as quick, Sim("--token-time", "1ms", "--fault", "slow:9s@after:8") as slow:
        document = with_load([quick, slow])
        document["deadlines"]["load_ms"] = 8000
        with Study(document) as study:
            f.equal("exit code", study.exit, 0)
            f.true("named", "failed: two, load: step " in study.out and "was not over after 8.0 s; see experiment/candidates/two/load-run.json" in study.out,
                   study.out)
            f.equal("no figures of it", study.candidate("two")["parameters"]["load"], None)
            f.true("figures of the other", study.candidate("one")["parameters"]["load"] is not None)
            f.equal("verify", study.verify().returncode, 0)


def a_server_that_lies_about_its_slots_is_contradicted(f):
    """Four slots, and it says one: four requests of the same length at once cannot be one after another."""
    steps = [{"loop": "closed", "clients": 4, "measured": 40}]
    with Sim("--token-time", "20ms", "--slots", "4", "--fault", "total-slots:1") as liar, Sim("--slots", "4") as honest, \
            Study(with_load([liar, honest], load={"steps": steps})) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        checks = study.candidate("one")["parameters"]["load_cross_checks"]
        f.equal("one contradiction", (checks["checked"], checks["contradicted"]), (161, 1))
        f.true("by Little's law", checks["first"].startswith("load, level 1, Little's law: the server says that it worked ")
               and checks["first"].endswith(" at once, and that it has 1 slots"), checks["first"])
        f.equal("the honest one", study.candidate("two")["parameters"]["load_cross_checks"]["contradicted"], 0)
        page = study.path("experiment/report.html").read_text()
        f.true("the report says it", "contradicts each other in 1 of 161 comparisons" in page and "load, level 1, Little&#39;s law" in page)
        f.equal("verify", study.verify().returncode, 0)


ORIGINAL = json.dumps({
    "schema_version": "1.0", "prompts": ["Say one word.", "Name a colour.", "Count to three."], "output_tokens": 8,
    "warmup_requests_per_level": 1, "measured_requests_per_level": 8, "concurrency_levels": [1, 2, 4], "timeout_seconds": 20,
    "slo": {"min_completion_rate": 1.0, "max_ttft_ms_p95": 10000, "max_e2e_latency_ms_p95": 12000}})


def with_original(sims, text=ORIGINAL, **changes):
    file = {"path": "load-plan.json", "sha256": hashlib.sha256(text.encode()).hexdigest(), **changes}
    return plan([endpoint(name, sim.url) for name, sim in zip(("b", "a"), sims)], load_plan=file, passes=1,
                constraints={**CONSTRAINTS, "preference_order": ["b", "a"][:len(sims)]})


def a_load_plan_of_the_original_gives_its_documents(f):
    with Sim("--token-time", "2ms") as one, Sim("--token-time", "4ms") as two, \
            Study(with_original([one, two]), files={"load-plan.json": ORIGINAL}) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        f.equal("the plan, byte for byte", study.path("extensions/load-plan.json").read_text(), ORIGINAL)
        combined = study.json("extensions/load-evaluation.json")
        f.equal("candidates by id", sorted({row["candidate_id"] for row in combined["rows"]}), ["a", "b"])
        f.equal("levels", [row["concurrency"] for row in combined["rows"]], [1, 2, 4] * 2)
        f.equal("synthetic", combined["synthetic"], True)
        rows = study.json("extensions/load/b/load-evaluation.json")["rows"]
        f.equal("requests", [(row["request_count"], row["failed_requests"]) for row in rows], [(8, 0)] * 3)
        prompts = [sample["prompt_index"] for sample in rows[1]["samples"]]
        f.equal("prompts in turn", len(set(prompts)), 3)
        validated = subprocess.run([BINARY, "validate", study.path("extensions/load-evaluation.json"),
                                    study.path("extensions/load/a/load-evaluation.json")], capture_output=True, text=True, timeout=60)
        f.equal("validate", (validated.returncode, validated.stderr), (0, ""))
        done = study.verify()
        f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))
        f.extend(study.documents_are_valid())


def another_load_plan_is_refused(f):
    with Sim() as sim:
        with Study(with_original([sim], sha256="0" * 64), files={"load-plan.json": ORIGINAL}) as study:
            f.equal("exit code", study.exit, 2)
            f.true("names both digests", "$.load_plan: " in study.err and "the plan says " + "0" * 64 in study.err, study.err)
            f.true("nothing written", not study.bundle.exists())
        text = ORIGINAL.replace("[1, 2, 4]", "[1, 3]")
        with Study(with_original([sim], text=text), files={"load-plan.json": text}) as study:
            f.equal("wrong levels: exit code", study.exit, 2)
            f.true("wrong levels: named", "$.load_plan: 'load-plan.json': $.concurrency_levels" in study.err, study.err)


def what_will_be_asked_is_printed(f):
    document = plan([endpoint("one", "http://127.0.0.1:9")], passes=1, load=LOAD,
                    load_plan={"path": "load-plan.json", "sha256": hashlib.sha256(ORIGINAL.encode()).hexdigest()})
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"load-plan.json": ORIGINAL, "plan.json": json.dumps(document)}.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        done = subprocess.run([BINARY, "study", "plan", os.path.join(folder, "plan.json")], capture_output=True, text=True, timeout=60)
    f.equal("exit code", (done.returncode, done.stderr), (0, ""))
    f.equal("lines", done.stdout.splitlines()[1:], [
        "# requests, pass 1 of 1: one",
        "#   http://127.0.0.1:9",
        "#   then 1 warm-up and 4 measured requests of 24 prompt and 8 output tokens, one after another",
        "# load: one",
        "#   http://127.0.0.1:9",
        "#   then 1 warm-up requests, then 4 requests, 1 at once, of 24 prompt and 8 output tokens",
        "#   then 1 warm-up requests, then 8 requests, 2 at once, of 24 prompt and 8 output tokens",
        "#   then 1 warm-up requests, then 10 requests, 20 due each second (poisson), of 24 prompt and 8 output tokens",
        "# load-plan: one",
        "#   http://127.0.0.1:9",
        *(f"#   then 1 warm-up requests, then 8 requests, {n} at once, of 3 prompts in turn and 8 output tokens" for n in (1, 2, 4)),
    ])


def without_requests_nothing_is_decided(f):
    with Sim() as sim, Study(with_load([sim], requests=None)) as study:
        f.equal("exit code", study.exit, 2)
        f.true("says why", "$.requests: without requests nothing is known of 'one'" in study.err, study.err)


def a_demand_that_nobody_can_read_is_refused(f):
    with Sim() as sim, Study(with_load([sim], load={"slo": ["ttft.p95<=2s", "speed>9000"]})) as study:
        f.equal("exit code", study.exit, 2)
        f.true("names it", "$.load.slo[1]" in study.err, study.err)
        f.true("nothing written", not study.bundle.exists())


if __name__ == "__main__":
    sys.exit(main([
        ("each candidate is loaded once, in document order, and verify makes its report again", each_candidate_is_loaded_once),
        ("a load plan of the original gives its documents", a_load_plan_of_the_original_gives_its_documents),
        ("a load plan with another digest, or a wrong one, is refused before anything is written", another_load_plan_is_refused),
        ("study plan prints what a server that runs already will be asked", what_will_be_asked_is_printed),
        ("a study of servers that run already needs requests", without_requests_nothing_is_decided),
        ("servers that tell nothing of tokens get words", servers_without_tokenizer_get_words),
        ("a server that lies about its slots is contradicted by Little's law", a_server_that_lies_about_its_slots_is_contradicted),
        ("a load that takes too long has failed, by name", a_load_that_takes_too_long_has_failed),
        ("a demand that nobody can read is refused before anything is written", a_demand_that_nobody_can_read_is_refused),
    ]))
