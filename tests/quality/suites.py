"""Suites, simulated servers that answer them, and `suite` runs, for tests in Python.

    with answering({"capital": "Paris"}) as sim:
        run = suite(CASES, sim.url)
        run.outcomes()

What a test expects is counted from the answers that it gave the servers, never taken from the
program.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "load"))
from harness import Faults, Sim, main  # noqa: E402, F401
from simulated import BINARY  # noqa: E402

DEADLINE_S = 60


def case(name, prompt, accepted, group="", mode="trimmed-exact", **more):
    out = {"id": name, "prompt": prompt, "match_mode": mode, "accepted_answers": [accepted], **more}
    return {**out, "group": group} if group else out


# Each prompt holds its own id, so that a simulated server can be told what to say to which.
CASES = [
    case("capital", "[capital] Which city is the capital of France?", "Paris", "fact"),
    case("planet", "[planet] Which planet is the largest?", "Jupiter", "fact"),
    case("sum", "[sum] What is 17 + 25?", "42", "arithmetic", "number"),
    case("product", "[product] What is 6 x 9?", "54", "arithmetic", "number"),
    case("object", "[object] Give a JSON object with a as 1.", '{"a":1}', "json", "json-exact"),
    case("shout", "[shout] Say the word go in capitals.", "GO", "instruction"),
]
RIGHT = {"capital": "Paris", "planet": "Jupiter", "sum": "42", "product": "54",
         "object": '{ "a": 1 }', "shout": "GO"}


def document(cases=CASES, system_prompt="Answer briefly.", **more):
    return {"schema_version": "2.0", "document": "quality-suite", "id": "test-suite",
            "title": "for tests", "license": "Apache-2.0", "system_prompt": system_prompt,
            "sampling": {"max_tokens": 16, "seed": 7, "temperature": 0.0}, "cases": cases, **more}


@contextlib.contextmanager
def answering(answers, *args):
    """A server that gives these answers by case, and something wrong to any other prompt."""
    rows = [{"contains": f"[{name}]", "answer": text} for name, text in answers.items()]
    rows.append({"answer": "I cannot say."})
    with tempfile.TemporaryDirectory(prefix="suite-answers-") as folder:
        path = os.path.join(folder, "answers.json")
        write(path, {"schema_version": "1.0", "document": "sim-answers", "answers": rows})
        with Sim("--answers", path, "--prefill", "1us", "--token-time", "1ms", *args) as sim:
            yield sim


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


class Run:
    def __init__(self, exit_code, stdout, stderr):
        self.exit, self.stdout, self.stderr = exit_code, stdout, stderr

    @property
    def report(self):
        if not self.stdout:
            raise RuntimeError(f"no report, exit code {self.exit}: {self.stderr.strip()}")
        return json.loads(self.stdout)

    def endpoint(self, name="url-1"):
        return next(e for e in self.report["endpoints"] if e["name"] == name)

    def results(self, name="url-1", number=1):
        rows = self.endpoint(name)["passes"][number - 1]["results"]
        return {row["case"]: row for row in rows}

    def outcomes(self, name="url-1", number=1):
        return {case: row["outcome"] for case, row in self.results(name, number).items()}


def command(folder, suite_document, urls, *args):
    path = os.path.join(folder, "suite.json")
    write(path, suite_document)
    return [BINARY, "suite", *urls, "--suite", path, "--quiet", *args]


def suite(urls, *args, suite_document=None, json_output=True, env=None):
    urls = [urls] if isinstance(urls, str) else urls
    with tempfile.TemporaryDirectory(prefix="suite-test-") as folder:
        words = command(folder, suite_document or document(), urls, *args)
        if json_output:
            words.append("--json")
        done = subprocess.run(words, capture_output=True, text=True, timeout=DEADLINE_S,
                              env={**os.environ, **(env or {})})
        return Run(done.returncode, done.stdout, done.stderr)
