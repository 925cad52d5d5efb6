"""Studies over servers that run already: simulated ones, whose speed is declared."""

import os
import pathlib
import sys
import tempfile
import threading
import time

from harness import Sim, Study, endpoint, main, plan

KEY = "sk-not-for-anybody-4711"


def the_faster_one_wins(f):
    with Sim("--token-time", "20ms") as slow, Sim("--token-time", "4ms") as fast, \
            Study(plan([endpoint("slow", slow.url), endpoint("fast", fast.url)])) as study:
        f.equal("exit code", study.exit, 0)
        benchmarks = study.json("experiment/benchmark-set.json")
        f.equal("selected", study.json("experiment/recommendation.json")["selected_id"], "fast")
        f.equal("synthetic", benchmarks["synthetic"], True)
        f.equal("kind", benchmarks["metadata"]["synthetic_kind"], "simulated")
        f.true("the report says simulated", "simulated" in study.path("experiment/report.html").read_text())
        for name, token_ms in (("slow", 20), ("fast", 4)):
            candidate = study.candidate(name)
            metrics = candidate["metrics"]
            # eight tokens: seven steps after the first; the first after 24 prompt tokens of 0.2 ms
            low = 7 * token_ms + 24 * 0.2
            f.true(f"end to end of {name}", low <= metrics["e2e_latency_ms_p50"] <= low + 60,
                   f"{metrics['e2e_latency_ms_p50']} of {low}")
            f.equal("metrics that nobody could measure",
                    [key for key in ("peak_rss_mib", "model_size_mib", "generation_tokens_per_second") if key in metrics], [])
            f.equal("requests", candidate["parameters"]["measurement"]["request_count"], 8)
            f.equal("slots as told", candidate["parameters"]["endpoint"]["total_slots"], 1)
            f.true("why not", "did not start" in candidate["parameters"]["endpoint"]["absent_because"])
        f.equal("origin in each pass", study.json("experiment/candidates/fast/endpoint-pass-2.json")["origin"], "simulated")
        f.equal("order", [run["candidate_id"] for run in benchmarks["metadata"]["study"]["runs"]],
                ["slow", "fast", "fast", "slow"])
        done = study.verify()
        f.equal("verify", (done.returncode, done.stdout.splitlines()[-1:]), (0, ["verified"]))
        f.extend(study.documents_are_valid())


def chats_are_measured_as_well(f):
    with Sim("--token-time", "4ms") as one, Sim("--token-time", "15ms") as two, \
            Study(plan([endpoint("one", one.url, server="openai"), endpoint("two", two.url + "/v1", server="vllm", model="m")])) as study:
        f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
        f.equal("selected", study.json("experiment/recommendation.json")["selected_id"], "one")
        body = study.json("experiment/candidates/two/raw/requests-pass-1/measured-001.request.json")
        f.equal("model asked for", body.get("model"), "m")
        f.equal("field of vLLM", body.get("ignore_eos"), True)
        body = study.json("experiment/candidates/one/raw/requests-pass-1/measured-001.request.json")
        f.true("no foreign field for a strict server", "ignore_eos" not in body and "cache_prompt" not in body)
        f.equal("verify", study.verify().returncode, 0)


def the_key_is_nowhere(f):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "key")
        file.write_text(KEY)
        with Sim("--token-time", "1ms", "--api-key-file", str(file)) as sim:
            candidates = [endpoint("locked", sim.url, api_key_env="PARETOPILOT_TEST_KEY")]
            with Study(plan(candidates), env={"PARETOPILOT_TEST_KEY": KEY}) as study:
                f.equal("exit code", (study.exit, study.err if study.exit else ""), (0, ""))
                f.equal("failed requests", study.candidate("locked")["parameters"]["measurement"]["failed_request_count"], 0)
                holders = [str(path) for path in study.bundle.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
                f.equal("files with the key", holders, [])
                f.true("not printed", KEY not in study.out + study.err)
            with Study(plan(candidates)) as study:
                f.equal("without the variable", study.exit, 3)
                f.true("names it", "'PARETOPILOT_TEST_KEY', named by api_key_env, is not set" in study.err, study.err)
                f.true("nothing written", not study.bundle.exists())
            with Study(plan(candidates), env={"PARETOPILOT_TEST_KEY": "another-key"}) as study:
                f.equal("with another key", study.exit, 2)
                f.true("says so", "asking" in study.err and "key" in study.err and "another-key" not in study.err, study.err)


def what_cannot_be_asked_is_refused_before_anything_is_written(f):
    rows = [
        ("no server there", None, {}, ["nothing accepts connections"]),
        ("no tokenizer", ["--fault", "status:404@/tokenize"], {}, ["/tokenize"]),
        ("context too small", ["--ctx-size", "30"], {}, ["30"]),
        ("asleep, without a warm-up", ["--fault", "sleeping"],
         {"requests": {"prompt_tokens": 24, "output_tokens": 8, "warmup": 0, "measured": 4, "seed": 7}}, ["says that it sleeps"]),
    ]
    for name, faults, changes, words in rows:
        with Sim(*(faults or [])) as sim:
            if faults is None:
                sim.stop()
            with Study(plan([endpoint("x", sim.url)], **changes)) as study:
                f.equal(f"{name}: exit code", study.exit, 2)
                for word in ["preflight of candidate 'x'", *words]:
                    f.true(f"{name}: says '{word}'", word in study.err, study.err.strip())
                f.true(f"{name}: nothing written", not study.bundle.exists())


def one_that_sleeps_is_woken_by_the_warm_up(f):
    with Sim("--token-time", "1ms", "--fault", "sleeping", "--fault", "slow:1s@1") as sim, \
            Study(plan([endpoint("x", sim.url)], passes=1)) as study:
        f.equal("exit code", study.exit, 0)
        f.equal("sleeps", study.json("experiment/candidates/x/endpoint-pass-1.json")["is_sleeping"], True)
        f.true("its measured requests are quick", study.candidate("x")["metrics"]["e2e_latency_ms_p95"] < 500)


def one_that_vanishes_is_named(f):
    def leave(server):
        while server.metrics()["llamacpp:tokens_predicted_total"] < 24:  # the first pass
            time.sleep(0.05)
        server.stop()

    with Sim("--token-time", "1ms") as stays, Sim("--token-time", "60ms") as leaves:
        threading.Thread(target=leave, args=(leaves,)).start()
        with Study(plan([endpoint("stays", stays.url), endpoint("leaves", leaves.url)], passes=4,
                        requests={"prompt_tokens": 24, "output_tokens": 8, "warmup": 0, "measured": 3, "seed": 7})) as study:
            f.equal("exit code", study.exit, 0)
            f.equal("selected", study.json("experiment/recommendation.json")["selected_id"], "stays")
            f.true("the failed run is named", "failed: leaves, requests pass " in study.out, study.out)
            f.true("with its file", "see experiment/candidates/leaves/requests-run-pass-4.json" in study.out, study.out)
            f.equal("verify", study.verify().returncode, 0)


def b131_another_server_at_the_same_address_is_noticed(f):
    """After the first pass somebody starts a server with other settings at the port of the first."""
    servers = []

    def exchange(server):
        while server.metrics()["llamacpp:tokens_predicted_total"] < 24:  # the first pass
            time.sleep(0.02)
        time.sleep(0.3)
        server.stop()
        servers.append(Sim("--token-time", "1ms", "--slots", "3", "--port", str(server.port)))

    with Sim("--token-time", "10ms", "--slots", "2") as first:
        thread = threading.Thread(target=exchange, args=(first,))
        thread.start()
        with Study(plan([endpoint("x", first.url)], pause={"kind": "settle", "settle_ms": 6000},
                        requests={"prompt_tokens": 24, "output_tokens": 8, "warmup": 0, "measured": 3, "seed": 7})) as study:
            thread.join()
            f.true("named, with pass, what differs and file",
                   f"failed: x, requests pass 2: '{first.url}' says total_slots 3, in the preflight it said 2: another server" in study.out
                   and "see experiment/candidates/x/requests-run-pass-2.json" in study.out, study.out + study.err)
            f.equal("what it says is kept", study.json("experiment/candidates/x/endpoint-pass-2.json")["total_slots"], 3)
            f.equal("verify", study.verify().returncode, 0)
        for server in servers:
            server.stop()


if __name__ == "__main__":
    os.environ.pop("PARETOPILOT_TEST_KEY", None)
    sys.exit(main([
        ("of two servers the one that was declared faster is chosen, and everything is marked as simulated", the_faster_one_wins),
        ("other kinds of servers are asked in their own way", chats_are_measured_as_well),
        ("B145: a key reaches the server and nothing else", the_key_is_nowhere),
        ("a server that cannot be asked as planned is refused before anything is written",
         what_cannot_be_asked_is_refused_before_anything_is_written),
        ("B177: a server that sleeps is woken by the warm-up", one_that_sleeps_is_woken_by_the_warm_up),
        ("B131: another server at the same address is noticed", b131_another_server_at_the_same_address_is_noticed),
        ("a server that vanishes fails its runs, by name", one_that_vanishes_is_named),
    ]))
