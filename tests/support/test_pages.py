"""The workflow that publishes docs/results: how it is written, and its steps, run as a runner runs them. TAP."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Report, needs_module

needs_module("yaml")
import study_workflow  # noqa: E402 - needs yaml

SOURCE = study_workflow.SOURCE
FLOW = SOURCE / ".github/workflows/pages.yml"
WORK = tempfile.TemporaryDirectory(prefix="pages-test-")
STEPS = ["program", "site", "check"]
GOLDEN = SOURCE / "tests/golden/report/index-unverified/results"


def same(**pairs):
    return [f"{name}: expected {want!r}, got {got!r}" for name, (got, want) in pairs.items() if got != want]


def expect(done, code, *words):
    text = done.stdout + done.stderr
    return same(exit=(done.returncode, code)) + [f"does not say: {word}\n{text}" for word in words if word not in text]


def new_path(name="site"):
    return pathlib.Path(tempfile.mkdtemp(dir=WORK.name), name)


def run(step, **changes):
    """The step's own script, in the project's folder, as `shell: bash` does it."""
    scripts = [s["run"] for s in study_workflow.read(FLOW)["jobs"]["site"]["steps"] if s.get("run", "").split()[-1:] == [step]]
    assert len(scripts) == 1, f"{len(scripts)} steps are {step}"
    env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C",
           "PARETOPILOT_BINARY": os.environ["PARETOPILOT_BINARY"], **{k: str(v) for k, v in changes.items()}}
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[0]], cwd=SOURCE, env=env,
                          capture_output=True, text=True, timeout=240)


def check_definition(report):
    flow = study_workflow.read(FLOW)
    site, publish = flow["jobs"]["site"], flow["jobs"]["publish"]
    report.test("it starts when results of the main branch change, or by hand", same(
        on=(sorted(flow["on"]), ["push", "workflow_dispatch"]),
        push=(flow["on"]["push"], {"branches": ["main"], "paths": ["docs/results/**"]})))
    report.test("every script is one step of tools/pages.sh, in its order", same(
        scripts=([s["run"] for s in site["steps"] if "run" in s], [f"tools/pages.sh {name}" for name in STEPS])))
    script = (SOURCE / "tools/pages.sh").read_text()
    report.test("the script knows these steps and no others", same(
        steps=(re.findall(r"^step_(\w+)\(\)", script, re.M), STEPS)))
    report.test("what is handed over is what the steps leave", same(
        last=(site["steps"][-1]["uses"].split("@")[0], "actions/upload-pages-artifact"),
        path=(site["steps"][-1]["with"]["path"], re.search(r"PAGES_SITE:-\$root/(\S+?)\}", script)[1])))
    report.test("only the job that runs nothing of ours may publish", same(
        all=(flow["permissions"], {"contents": "read"}), site=(site.get("permissions"), None),
        publish=(publish["permissions"], {"pages": "write", "id-token": "write"}),
        steps=([sorted(s) for s in publish["steps"]], [["id", "uses"]]), behind=(publish["needs"], "site")))
    report.test("Git leaves results as they are", same(
        text=(subprocess.run(["git", "check-attr", "text", "docs/results/a/SHA256SUMS"], cwd=SOURCE, capture_output=True,
                             text=True).stdout.split()[-1:], ["unset"])) if (SOURCE / ".git").exists() else [])


def check_steps(report):
    report.test("program: says which program", expect(run("program"), 0, "paretopilot "))
    site = new_path()
    none = expect(run("site", PAGES_SITE=site), 0)
    report.test("site: the results of the repository give a site", none + expect(run("check", PAGES_SITE=site), 0))
    site, empty = new_path(), new_path("results")
    empty.mkdir()
    report.test("site: no results give a page that says so", expect(
        run("site", PAGES_SITE=site, PAGES_RESULTS=empty), 0, "no bundle was found") + same(
        files=([p.name for p in site.iterdir()], ["index.html"]), says=("No study yet" in (site / "index.html").read_text(), True)))
    site = new_path()
    report.test("site: what cannot be verified is published with that word", expect(
        run("site", PAGES_SITE=site, PAGES_RESULTS=GOLDEN), 0, "not verified", "could not be verified") + expect(
        run("check", PAGES_SITE=site), 0, "no broken link"))
    report.test("site: nothing is overwritten", expect(run("site", PAGES_SITE=site, PAGES_RESULTS=GOLDEN), 2, "nothing is overwritten"))
    bad = new_path("results")
    make_differing(bad / "bad")
    report.test("site: a bundle that differs stops the publication", expect(
        run("site", PAGES_SITE=new_path(), PAGES_RESULTS=bad), 1, "nothing is published"))


def make_differing(folder):
    """The smallest bundle that can be checked, with a file that nobody listed."""
    folder.mkdir(parents=True)
    status = json.dumps({"schema_version": "1.0", "status": "complete", "reason": "none", "classification": "exploratory",
                         "measurement_valid": True, "valid_evidence": True}).encode()
    (folder / "status.json").write_bytes(status)
    (folder / "SHA256SUMS").write_text(f"{hashlib.sha256(status).hexdigest()}  ./status.json\n")
    (folder / "brought.txt").write_text("by somebody else\n")


def check_check(report):
    good = new_path()
    run("site", PAGES_SITE=good, PAGES_RESULTS=GOLDEN)
    page = next(p for p in good.iterdir() if p.name != "index.html")
    rows = [
        ("a script", lambda site: add(site / "index.html", "<script>1</script>"), "holds a script or an address"),
        ("an address", lambda site: add(site / page.name, "https://host.example/"), "holds a script or an address"),
        ("a lost page", lambda site: (site / page.name).unlink(), f"links to '{page.name}', which is not there"),
        ("a lost policy", lambda site: replace(site / page.name, "default-src", "default"), "has no policy"),
        ("a foreign file", lambda site: (site / "run.js").write_text("1"), "does not belong to a site"),
        ("no index", lambda site: (site / "index.html").unlink(), "has no index.html"),
    ]
    for what, spoil, says in rows:
        site = new_path()
        shutil.copytree(good, site)
        spoil(site)
        report.test(f"check: finds {what}", expect(run("check", PAGES_SITE=site), 1, says))


def add(path, text):
    path.write_text(path.read_text() + text)


def replace(path, old, new):
    path.write_text(path.read_text().replace(old, new))


def check_usage(report):
    done = subprocess.run([SOURCE / "tools/pages.sh", "nothing"], capture_output=True, text=True)
    report.test("a step that is none is refused, with the list of them", expect(done, 2, *STEPS))


def main():
    report = Report()
    for check in (check_definition, check_steps, check_check, check_usage):
        check(report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
