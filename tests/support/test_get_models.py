"""What tools/get-models.sh fetches and refuses, from servers of our own. TAP."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from https_files import Files, content
from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
WORK = tempfile.TemporaryDirectory(prefix="get-models-test-")
SIZE = 300_000


class Outcome:
    def __init__(self, folder, run):
        self.folder, self.code, self.text = folder, run.returncode, run.stdout + run.stderr

    def files(self):
        return {str(p.relative_to(self.folder)): p.read_bytes() for p in self.folder.rglob("*")
                if p.is_file() and p.name != "plan.json"}


def model(url=None, size=SIZE, name="m.gguf", **changes):
    made = {"id": name.split(".")[0], "path": name, "size_bytes": size,
            "sha256": hashlib.sha256(content(size)).hexdigest()}
    if url:
        made["url"] = url
    made.update(changes)
    return made


def get(files, *models, before=None, arguments=(), text=None):
    folder = pathlib.Path(tempfile.mkdtemp(dir=WORK.name))
    for name, data in (before or {}).items():
        (folder / name).write_bytes(data)
    (folder / "plan.json").write_text(text if text is not None else json.dumps({"models": models}))
    # A hostile .curlrc would let every certificate pass; nobody reads it.
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    (home / ".curlrc").write_text("location-trusted\noutput=/dev/null\n")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "CURL_CA_BUNDLE": str(files.certificate),
                   "PARETOPILOT_FETCH_PAUSE_SECONDS": "0"}
    run = subprocess.run([SOURCE / "tools/get-models.sh", folder / "plan.json", *arguments], env=environment,
                         capture_output=True, text=True, timeout=60)
    return Outcome(folder, run)


def expect(outcome, code, files, *words):
    faults = [f"exit {outcome.code}, expected {code}: {outcome.text}"] if outcome.code != code else []
    got = outcome.files()
    if got != files:
        faults.append(f"files: expected { {n: len(d) for n, d in files.items()} }, got { {n: len(d) for n, d in got.items()} }")
    return faults + [f"does not say: {word}\n{outcome.text}" for word in words if word not in outcome.text]


def check_fetched(report, files):
    whole = {"m.gguf": content(SIZE)}
    for name, path, asked in (
        ("a model is fetched", "plain", [None]),
        ("a redirect within https is followed", "hop", [None]),
        ("a broken transfer goes on where it stopped", "broken",
         [None, f"bytes={SIZE // 2}-", f"bytes={SIZE // 2 + SIZE // 4}-"]),
        ("a busy server is asked again", "busy", [None, None, None]),
    ):
        del files.seen[:]
        o = get(files, model(f"{files.https}/{path}/{SIZE}"))
        ranges = files.asked(f"/{path}/{SIZE}")
        report.test(name, expect(o, 0, whole, "is whole") + (
            [] if ranges == asked else [f"ranges asked for: expected {asked}, got {ranges}"]))
    del files.seen[:]
    o = get(files, model(f"{files.https}/plain/{SIZE}"), before={"m.gguf.partial": content(SIZE)[:1000]})
    report.test("an earlier run's part is gone on with", expect(o, 0, whole) + (
        [] if files.asked(f"/plain/{SIZE}") == ["bytes=1000-"] else [str(files.seen)]))
    o = get(files, model(f"{files.https}/whole/{SIZE}"), before={"m.gguf.partial": content(SIZE)[:1000]})
    report.test("a server that knows no ranges is asked from the start", expect(o, 0, whole, "from the start again"))
    o = get(files, model(f"{files.https}/plain/{SIZE}"), before={"m.gguf.partial": content(SIZE) + b"x"})
    report.test("a part that is too long is thrown away", expect(o, 0, whole))


def check_kept(report, files):
    del files.seen[:]
    o = get(files, model(f"{files.https}/plain/{SIZE}"), before={"m.gguf": content(SIZE)})
    report.test("what is there is checked and kept; nothing is asked for", expect(
        o, 0, {"m.gguf": content(SIZE)}, "there already") + [str(seen) for seen in files.seen])
    o = get(files, model(), before={"m.gguf": content(SIZE)})
    report.test("what is there needs no address", expect(o, 0, {"m.gguf": content(SIZE)}))
    other = bytes(SIZE)
    for name, data, words in (("another digest", other, "found SHA-256 " + hashlib.sha256(other).hexdigest()),
                              ("another size", b"mine", f"found 4 bytes, expected {SIZE}")):
        o = get(files, model(f"{files.https}/plain/{SIZE}"), before={"m.gguf": data})
        report.test(f"a file of {name} is not overwritten", expect(o, 1, {"m.gguf": data}, words, "nothing is overwritten"))


def check_refused(report, files):
    https = files.https
    for name, code, words, made in (
        ("a wrong digest", 1, "found SHA-256 " + hashlib.sha256(content(SIZE)).hexdigest(),
         model(f"{https}/plain/{SIZE}", sha256="0" * 64)),
        ("one byte less", 1, f"found {SIZE - 1} bytes, expected {SIZE}", model(f"{https}/short/{SIZE}")),
        ("far more bytes than the plan says", 1, f"sends more than {SIZE} bytes", model(f"{https}/long/{SIZE}")),
        ("an address that is not https", 2, "begins with https://", model(f"{files.http}/plain/{SIZE}")),
        ("a redirect to plain http", 3, "curl ended with 1 ", model(f"{https}/down/{SIZE}")),
        ("a file that is gone", 3, "HTTP status 404", model(f"{https}/gone/{SIZE}")),
        ("no address and no file", 3, "has no address", model()),
    ):
        del files.seen[:]
        o = get(files, made)
        plain = [seen for seen in files.seen if seen[0] == "http"]
        report.test(f"{name}: exit {code}, nothing stays", expect(o, code, {}, words) + [
            f"asked without https: {seen}" for seen in plain])
    lone = pathlib.Path(tempfile.mkdtemp(dir=WORK.name))
    stranger = Files(lone)
    try:
        o = get(files, model(f"{stranger.https}/plain/{SIZE}"))
    finally:
        stranger.stop()
    report.test("a server with a certificate of nobody we know is not asked for the file",
                expect(o, 3, {}) + [str(seen) for seen in stranger.seen])
    o = get(files, model(f"{stranger.https}/plain/{SIZE}"))
    report.test("a server that does not answer is tried six times", expect(o, 3, {}, "given up after 5 retries"))


def check_plans(report, files):
    url = f"{files.https}/plain/{SIZE}"
    two = [model(url, name="a.gguf"), model(url, name="deep/b.gguf", id="b")]
    o = get(files, *two)
    report.test("every model of a plan is fetched, into folders too", expect(
        o, 0, {"a.gguf": content(SIZE), "deep/b.gguf": content(SIZE)}))
    o = get(files, *two, arguments=["--only", "b"])
    report.test("--only fetches one", expect(o, 0, {"deep/b.gguf": content(SIZE)}))
    o = get(files, *two, arguments=["--only", "c"])
    report.test("--only of nothing is refused", expect(o, 2, {}, "no such model"))
    for name, words, made in (
        ("a path out of the folder", "$.models[0].path", model(url, path="../m.gguf")),
        ("an absolute path", "$.models[0].path", model(url, path="/m.gguf")),
        ("a digest that is none", "$.models[0].sha256", model(url, sha256="A" * 64)),
        ("a size that is none", "$.models[0].size_bytes", model(url, size_bytes=0)),
        ("a size that is true", "$.models[0].size_bytes", model(url, size_bytes=True)),
        ("an address that is a number", "$.models[0].url", model(url=7)),
    ):
        report.test(f"{name} is refused", expect(get(files, made), 2, {}, words))
    for name, text in (("no JSON", "{"), ("no object", "[]"), ("no models", "{}"), ("a key twice", '{"models": [], "models": []}')):
        report.test(f"a plan that is {name}: refused", expect(get(files, text=text), 2, {}, "study_plan.py: plan"))


def check_last_second(report, _):
    """A download whose time is just over: for curl a limit of 0 would be none."""
    fake = pathlib.Path(tempfile.mkdtemp(dir=WORK.name))
    (fake / "curl").write_text('#!/bin/sh\nwhile [ "$1" != --max-time ]; do shift; done\necho "$2"\n')
    (fake / "curl").chmod(0o755)
    script = f'. {SOURCE}/tools/fetch.sh; SECONDS=100; fetch_try https://example.org/m {fake}/m 10 "$1"'
    for deadline, left in (("140", "40"), ("100", "1"), ("99", "1")):
        run = subprocess.run(["bash", "-euo", "pipefail", "-c", script, "bash", deadline], capture_output=True, text=True, timeout=30,
                             env={"PATH": f"{fake}:{os.environ['PATH']}"})
        report.test(f"at second 100 of {deadline}: curl has {left} s", [] if run.stdout == f"{left}\n" else [run.stdout + run.stderr])


def main():
    report = Report()
    missing = [name for name in ("curl", "openssl", "flock") if not shutil.which(name)]
    if missing:
        print(f"1..0 # SKIP not here: {', '.join(missing)}")
        return 0
    files = Files(pathlib.Path(WORK.name))
    for check in (check_fetched, check_kept, check_refused, check_plans, check_last_second):
        check(report, files)
    files.stop()
    return report.end()


sys.exit(main())
