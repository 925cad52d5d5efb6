"""The workflow of the candidate study as a runner reads it, for tests."""

import os
import pathlib
import re
import subprocess

from tap import needs_module

needs_module("yaml")
import yaml  # noqa: E402 - may only be found now

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
FILE = SOURCE / ".github/workflows/candidate-study-arm64.yml"
STEPS = ["inputs", "program", "host", "engines", "models", "plan", "measure", "verify", "seal"]


def read(path=FILE):
    text = path.read_text()
    # YAML 1.1 takes the key "on" for true.
    return yaml.safe_load(re.sub(r"^on:", '"on":', text, flags=re.M))


class Runner:
    """What GitHub would put in: contexts by the text between the braces."""

    def __init__(self, repetitions="10", event="workflow_dispatch", ref="refs/heads/main", default="main"):
        self.contexts = {"inputs.repetitions": repetitions, "github.event_name": event, "github.ref": ref,
                         "github.event.repository.default_branch": default}

    def fill(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self.contexts[found[1]], text)

    def environment(self, **changes):
        job = read()["jobs"]["study"]["env"]
        filled = {name: self.fill(value) for name, value in job.items()}
        filled.update(PATH=os.environ["PATH"], HOME=os.environ.get("HOME", "/"), LC_ALL="C",
                      PARETOPILOT_BINARY=os.environ["PARETOPILOT_BINARY"])
        filled.update({name: str(value) for name, value in changes.items()})
        return filled

    def run(self, step, **changes):
        """The step's own script, in the project's folder, as `shell: bash` does it."""
        scripts = [s["run"] for s in read()["jobs"]["study"]["steps"] if s.get("run", "").split()[-1:] == [step]]
        assert len(scripts) == 1, f"{len(scripts)} steps are {step}"
        return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[0]], cwd=SOURCE,
                              env=self.environment(**changes), capture_output=True, text=True, timeout=240)
