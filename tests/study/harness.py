"""Studies over simulated servers, for tests in Python: what a plan needs, and what a study left."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from simulated import BINARY, Sim  # noqa: E402, F401
from tap import Report  # noqa: E402

DEADLINE_S = 120
CONSTRAINTS = {
    "schema_version": "2.0",
    "quality": "not-measurable",
    "objective": {"metric": "e2e_latency_ms_p50", "direction": "min"},
    "objective_tolerance_percent": 1.0,
    "frontier_metrics": {"e2e_latency_ms_p50": "min"},
}


def endpoint(name, url, **more):
    return {"kind": "endpoint", "id": name, "label": f"server {name}",
            "endpoint": {"url": url, "server": "llama-server", **more}}


def plan(candidates, **changes):
    names = [candidate["id"] for candidate in candidates]
    return {
        "schema_version": "2.0", "document": "study-plan", "study_id": "servers", "title": "Servers that run already",
        "baseline_id": names[0], "engines": [], "models": [], "settings": {}, "candidates": candidates, "stages": [],
        "order": {"kind": "mirrored", "seed": 0}, "passes": 2, "pause": {"kind": "settle", "settle_ms": 0},
        "throughput": None, "suite": None,
        "requests": {"prompt_tokens": 24, "output_tokens": 8, "warmup": 1, "measured": 4, "seed": 7},
        "load_plan": None, "load": None, "policies": None,
        "deadlines": {"start_ms": 10000, "throughput_ms": 10000, "request_ms": 10000, "load_ms": 60000},
        "noise_limits": {"foreign_cpu_percent": 5.0, "steal_percent": 1.0, "repeats": 0},
        "constraints": {**CONSTRAINTS, "preference_order": names},
        **changes}


class Study:
    """A study that has ended; its folder lives as long as it does."""

    def __init__(self, document, *args, env=None, files=None):
        self.holder = tempfile.TemporaryDirectory(prefix="study-test-")
        self.plan_path = pathlib.Path(self.holder.name, "plan.json")
        for name, text in (files or {}).items():
            pathlib.Path(self.holder.name, name).write_text(text)
        self.plan_path.write_text(json.dumps(document))
        self.bundle = pathlib.Path(self.holder.name, "bundle")
        self.run("run", self.plan_path, "--output-dir", self.bundle, *args, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.cleanup()

    def run(self, *args, env=None):
        done = subprocess.run([BINARY, "study", *args], capture_output=True, text=True, timeout=DEADLINE_S,
                              env={**os.environ, **(env or {})})
        self.exit, self.out, self.err = done.returncode, done.stdout, done.stderr
        return done

    def verify(self):
        return subprocess.run([BINARY, "verify", self.bundle], capture_output=True, text=True, timeout=DEADLINE_S)

    def json(self, name):
        return json.loads(self.path(name).read_text())

    def path(self, name):
        return self.bundle / name

    def candidate(self, name):
        return next(c for c in self.json("experiment/benchmark-set.json")["candidates"] if c["id"] == name)

    def documents_are_valid(self):
        files = [path for path in self.bundle.rglob("*.json*") if "raw" not in path.parts]
        checked = subprocess.run([os.environ["PARETOPILOT_CHECK_DOCUMENTS"], *files], capture_output=True, text=True,
                                 timeout=DEADLINE_S)
        return [] if checked.returncode == 0 else [checked.stdout + checked.stderr]


def beside(name, text):
    """The member of a plan for a file beside it."""
    return {"path": name, "sha256": hashlib.sha256(text.encode()).hexdigest()}


class Skipped(Exception):
    """What a test needs is not here."""


class Faults(list):
    def equal(self, what, found, expected):
        if found != expected:
            self.append(f"{what}: {found!r}, expected {expected!r}")

    def true(self, what, holds, but=""):
        if not holds:
            self.append(f"{what} {but}")


def main(rows):
    report = Report()
    for name, test in rows:
        faults = Faults()
        try:
            test(faults)
        except Skipped as why:
            report.skip(name, why)
            continue
        except Exception as error:  # a broken test is a failed one
            faults.append(f"{type(error).__name__}: {error}")
        report.test(name, faults)
    return report.end()
