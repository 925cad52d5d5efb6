"""Our own suite asked over HTTP: a simulated server that knows the right answers passes, one that is nearly right does not. TAP.

What it says arrives through the same requests that a server gets from us, cut at the limits that the suite sets."""

import json
import pathlib
import sys
import tempfile

import behaviour
import matcher

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from simulated import Sim  # noqa: E402
from tap import Report  # noqa: E402


def ask(suite, answers):
    """What a server that gives these answers, one to each prompt, is heard to say to each case."""
    with tempfile.TemporaryDirectory(prefix="suite-test-") as folder:
        path = pathlib.Path(folder, "answers.json")
        rows = [{"contains": case["prompt"], "answer": answer} for case, answer in zip(suite["cases"], answers)]
        path.write_text(json.dumps({"schema_version": "1.0", "document": "sim-answers", "answers": rows}), encoding="utf-8")
        with Sim("--answers", path, "--prefill", "0s", "--token-time", "0s") as sim:
            return [hear(sim, suite["sampling"], case) for case in suite["cases"]]


def hear(sim, sampling, case):
    body = {"messages": [{"role": "user", "content": case["prompt"]}], "max_tokens": case.get("max_tokens", sampling["max_tokens"]),
            "seed": sampling["seed"], "temperature": sampling["temperature"], "stream": False, "cache_prompt": False}
    choice, = sim.json("/v1/chat/completions", body)["choices"]
    return choice["message"]["content"], choice["finish_reason"]


def passed(suite, heard):
    return [case["id"] for case, (text, _) in zip(suite["cases"], heard) if matcher.match(case, text) is not None]


def faults_of_right(suite, answers):
    heard = ask(suite, answers)
    ids = passed(suite, heard)
    return [f"{case['id']}: {text!r}, {why}" for case, (text, why) in zip(suite["cases"], heard)
            if case["id"] not in ids or why != "stop"]


def main():
    report, suite = Report(), behaviour.load(behaviour.SUITE)
    rows = behaviour.load(behaviour.TABLE)["answers"]
    for side, which in [("first", 0), ("last", -1)]:
        report.test(f"the {side} right answers pass, and none is cut", faults_of_right(suite, [row["right"][which] for row in rows]))
        ids = passed(suite, ask(suite, [row["wrong"][which] for row in rows]))
        report.test(f"the {side} near misses do not pass", [f"{ids} pass"] if ids else [])
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
