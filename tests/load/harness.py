"""A simulated server and a load against it, for tests in Python.

    with Sim("--fault", "silent@first:1") as sim:
        run = load(sim.url, "--clients", "2", "--requests", "8")
        run.level["counts"]["failed"]

Every process has a deadline and a free port. What a test expects comes from what the server was
told to do, never from the load itself.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from simulated import BINARY, Sim  # noqa: E402, F401
from tap import Report  # noqa: E402

DEADLINE_S = 120


class Run:
    """What a finished `load` left."""

    def __init__(self, exit_code, stdout, stderr, samples):
        self.exit, self.stdout, self.stderr, self.samples = exit_code, stdout, stderr, samples

    @property
    def report(self):
        if not self.stdout:
            raise RuntimeError(f"no report, exit code {self.exit}: {self.stderr.strip()}")
        return json.loads(self.stdout)

    @property
    def level(self):
        return self.report["levels"][0]

    @property
    def measured(self):
        return [s for s in self.samples if s["phase"] == "measured"]


class Started:
    """A `load` that runs; wait() gives the Run. Its samples go to a file of its own."""

    def __init__(self, url, *args, env=None):
        self.folder = tempfile.TemporaryDirectory(prefix="load-test-")
        self.samples_path = os.path.join(self.folder.name, "samples.jsonl")
        self.process = subprocess.Popen(
            [BINARY, "load", url, "--json", "--quiet", "--samples", self.samples_path, *args],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(env or {})})

    def wait(self, deadline_s=DEADLINE_S):
        try:
            out, err = self.process.communicate(timeout=deadline_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            err += "\n(killed after its deadline)"
        samples = []
        if os.path.exists(self.samples_path):
            with open(self.samples_path, "rb") as file:
                samples = [json.loads(line) for line in file.read().split(b"\n") if line]
        self.folder.cleanup()
        return Run(self.process.returncode, out, err, samples)


def load(url, *args, env=None, deadline_s=DEADLINE_S):
    return Started(url, *args, env=env).wait(deadline_s)


def ms(ns):
    return None if ns is None else ns / 1e6


class Faults(list):
    """Collects what is wrong: `f.equal("ok", got, want)`; empty means the check holds."""

    def equal(self, what, got, want):
        if got != want:
            self.append(f"{what}: expected {want!r}, got {got!r}")

    def between(self, what, got, low, high):
        if got is None or not low <= got <= high:
            self.append(f"{what}: expected {low} to {high}, got {got!r}")

    def true(self, what, condition, shown=""):
        if not condition:
            self.append(f"{what} {shown}")

    def exit(self, run, want):
        if run.exit != want:
            self.append(f"exit code: expected {want}, got {run.exit}; {run.stderr.strip()}")


# A busy machine may disturb the client, which then says so; the server is as it was.
DISTURBED = {"stalled", "late", "client-lag", "client-cpu"}


def doubts(level):
    """Those that do not come from a busy machine."""
    return [word for word in level["doubts"] if word not in DISTURBED]


def disturbed(run):
    return any(word in DISTURBED for level in run.report["levels"] for word in level["doubts"])


def went(f, run, want=0):
    """The load ended as it should: this exit code, or 3 where only the machine was too busy."""
    if run.exit == 3 and disturbed(run):
        f.equal("doubts", [doubts(level) for level in run.report["levels"] if doubts(level)], [])
    else:
        f.exit(run, want)


class Unchecked(Exception):
    """What set-up should have brought is absent: the check is skipped, with the reason."""


def not_here(what):
    """Says that this kernel lacks what a check is about."""
    print(f"# not checked here: {what}")


class Result:
    """What became of one check."""

    def __init__(self, check):
        self.check, self.faults, self.unchecked, self.took_s = check, Faults(), None, 0.0

    def run(self):
        began = time.monotonic()
        try:
            self.check(self.faults)
        except Unchecked as why:
            self.unchecked = why
        except Exception as error:  # a test that dies has failed, the others go on
            self.faults.append(f"{type(error).__name__}: {error}")
        self.took_s = time.monotonic() - began


def main(checks, beside=()):
    """checks: (name, function) pairs; a function gets an empty Faults and fills it.

    beside: words in names of checks that do nothing but wait, for a limit, a signal or a slow server, and hold on a busy
    machine. They run beside the others, one after the other, each against a server of its own; what is compared with declared
    times runs alone as before, for a process that waits takes no processor from it."""
    report = Report()
    only = sys.argv[1:]
    results = [(name, Result(check)) for name, check in checks if not only or any(word in name for word in only)]
    waiting = [result for name, result in results if any(word in name for word in beside)]
    thread = threading.Thread(target=lambda: [result.run() for result in waiting])
    thread.start()
    for _, result in results:
        if result not in waiting:
            result.run()
    thread.join()
    for name, result in results:
        if result.unchecked is not None:
            report.skip(name, result.unchecked)
            continue
        report.test(name, result.faults)
        report.note(f"{result.took_s:.1f} s")
    return report.end()
