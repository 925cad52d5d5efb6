"""Sites over bundles of real (small) studies of simulated servers: verified, side by side, never across machines."""

import base64
import hashlib
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness import BINARY, Sim, Study, endpoint, main, plan

WORK = tempfile.TemporaryDirectory(prefix="site-test-")
RESULTS = pathlib.Path(WORK.name, "results")


def run(*args, env=None):
    return subprocess.run([BINARY, *map(str, args)], capture_output=True, text=True, timeout=120, cwd=WORK.name,
                          env={**os.environ, **(env or {})})


def new_path(name):
    return pathlib.Path(tempfile.mkdtemp(dir=WORK.name), name)


def measure():
    """Two studies alike, one of other work; the figures of the first: 7 steps of 4 ms and 24 tokens of 0.2 ms."""
    other = {"prompt_tokens": 48, "output_tokens": 8, "warmup": 1, "measured": 4, "seed": 7}
    with Sim("--token-time", "12ms") as slow, Sim("--token-time", "4ms") as fast:
        both = [endpoint("slow", slow.url), endpoint("fast", fast.url)]
        for name, changes in (("first", {}), ("second", {"title": "The same again"}), ("more/other", {"requests": other})):
            with Study(plan(both, **changes)) as study:
                assert study.exit == 0, study.err
                shutil.copytree(study.bundle, RESULTS / name)


def spoil():
    """Copies of the second in which something is wrong, or missing, or of another machine."""
    for name in ("tampered", "elsewhere"):
        shutil.copytree(RESULTS / "second", RESULTS / name)
    sample = next((RESULTS / "tampered/experiment/candidates/fast").glob("samples-pass-1.jsonl"))
    # an end before the stream's: what follows from it cannot be derived, and the finding names the file
    first, rest = sample.read_bytes().split(b"\n", 1)
    record = json.loads(first)
    record["e2e_ns"] = record["stream_end_ns"] - 1
    sample.write_bytes(json.dumps(record, separators=(",", ":")).encode() + b"\n" + rest)
    file = RESULTS / "elsewhere/experiment/benchmark-set.json"
    document = json.loads(file.read_text())
    document["metadata"]["host"]["cpu"]["model"] = "Another CPU"
    file.write_text(json.dumps(document))
    (RESULTS / "elsewhere/SHA256SUMS").unlink()
    (RESULTS / "stopped").mkdir()
    shutil.copy(RESULTS / "second/status.json", RESULTS / "stopped")
    (RESULTS / ".hidden").mkdir()
    shutil.copy(RESULTS / "second/status.json", RESULTS / ".hidden")
    (RESULTS / "link").symlink_to(RESULTS / "second")


def page_name(name):
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return f"{slug}-{hashlib.sha256(name.encode()).hexdigest()[:16]}.html"


def lines_of(text):
    """A table row of each bundle by its name: tags taken out."""
    rows = {}
    for row in re.findall(r"<tr><th scope=\"row\">(.*?)</tr>", text, re.S):
        name = re.search(r"<code class=\"below\"><bdi>(.*?)</bdi>", row) or re.search(r"<bdi>(.*?)</bdi>", row)
        rows.setdefault(name[1], []).append(re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", row))))
    return rows


def the_site_says_what_verify_says(f):
    site = new_path("site")
    done = run("report", "--index", RESULTS, "--output", site)
    f.equal("exit code: one differs", done.returncode, 1)
    f.equal("files", sorted(p.name for p in site.iterdir() if not p.name.startswith("group-")),
            sorted(["index.html", *map(page_name, ("first", "second", "more/other", "tampered", "elsewhere"))]))
    index = (site / "index.html").read_text()
    rows = lines_of(index)
    for name in ("first", "second", "more/other"):
        found = json.loads(run("verify", RESULTS / name, "--json").stdout)
        f.equal(f"verify {name}", found["verdict"], "verified")
        line = " ".join(rows[name])
        f.true(f"counts of {name}", f"verified {found['hashed_count']} files hashed, {found['journal_line_count']} journal lines, "
               f"{found['derived_count']} files made again" in line, line)
        f.true(f"origin of {name}", " simulated " in line, line)
        f.true(f"choice of {name}", "server fast" in line, line)
    f.true("tampered is said to differ", "differs" in " ".join(rows["tampered"]), str(rows["tampered"]))
    f.true("its figure is left out", " ms" not in " ".join(rows["tampered"]), str(rows["tampered"]))
    f.true("what lost its checksums is not verified", "not verified" in " ".join(rows["elsewhere"]) and
           "SHA256SUMS" in " ".join(rows["elsewhere"]), str(rows["elsewhere"]))
    f.true("what has no decision says why", "benchmark-set.json" in " ".join(rows["stopped"]), str(rows["stopped"]))
    f.true("nothing hidden, nothing behind a link", ".hidden" not in index and ">link<" not in index)
    f.true("no path of this machine", WORK.name not in "".join(p.read_text() for p in site.iterdir()))
    f.equal("on standard output", done.stdout.splitlines(), [
        f"not verified  elsewhere  {page_name('elsewhere')}",
        f"verified      first  {page_name('first')}",
        f"verified      more/other  {page_name('more/other')}",
        f"verified      second  {page_name('second')}",
        "not verified  stopped  no page: it has no decision",
        f"differs       tampered  {page_name('tampered')}"])


def figures_are_those_of_the_documents(f):
    site = new_path("site")
    run("report", "--index", RESULTS, "--output", site)
    rows = lines_of((site / "index.html").read_text())
    for name in ("first", "second", "more/other"):
        document = json.loads((RESULTS / name / "experiment/benchmark-set.json").read_text())
        fast = next(c for c in document["candidates"] if c["id"] == "fast")["metrics"]["e2e_latency_ms_p50"]
        shown = re.search(r"([\d.]+) ms", " ".join(rows[name]))
        f.true(f"objective of {name}", shown and abs(float(shown[1]) - fast) <= 0.00005, f"{fast}: {rows[name]}")
        low = 7 * 4 + (48 if name == "more/other" else 24) * 0.2
        f.true(f"the sim's time for {name}", low <= float(shown[1]) <= low + 60, shown[1])


def machines_and_work_stand_apart(f):
    site = new_path("site")
    run("report", "--index", RESULTS, "--output", site)
    index = (site / "index.html").read_text()
    sections = re.findall(r"<section aria-labelledby=\"machine-\d+\">.*?</section>", index, re.S)
    f.equal("machines", len(sections), 2)
    f.equal("the other machine has its own section", [("elsewhere" in s, "first" in s) for s in sections].count((True, False)), 1)
    groups = list(site.glob("group-*.html"))
    f.equal("groups of several", len(groups), 1)
    beside = groups[0].read_text()
    f.equal("who is in it", sorted(name for name in ("first", "second", "tampered", "more/other", "elsewhere")
                                   if f"<bdi>{name}</bdi>" in beside), ["first", "second", "tampered"])
    f.true("a link to it from the index", f'href="{groups[0].name}"' in index)


def every_page_is_inert_and_every_link_leads_somewhere(f):
    site = new_path("site")
    run("report", "--index", RESULTS, "--output", site)
    for page in site.iterdir():
        text = page.read_text()
        style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        f.true(f"policy of {page.name}", f"content=\"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\"" in text)
        f.equal(f"scripts and addresses in {page.name}", re.findall(r"<script|https?://|<img|<link|<style.*<style", text), [])
        links = re.findall(r'href="([^"]*)"', text)
        f.equal(f"links of {page.name} that lead nowhere", [
            link for link in links if not (f'id="{link[1:]}"' in text if link.startswith("#") else (site / link).is_file())], [])
        f.equal(f"one way back from {page.name}", "index.html" in links, page.name != "index.html")


def the_same_bundles_give_the_same_bytes(f):
    sites = [new_path("site"), new_path("site")]
    copy = new_path("moved")
    shutil.copytree(RESULTS, copy, symlinks=True)
    for site, folder in zip(sites, (RESULTS, copy)):
        run("report", "--index", folder, "--output", site)
    bytes_of = [{p.name: p.read_bytes() for p in site.iterdir()} for site in sites]
    f.equal("names", sorted(bytes_of[0]), sorted(bytes_of[1]))
    f.equal("pages that differ", [name for name in bytes_of[0] if bytes_of[0][name] != bytes_of[1].get(name)], [])


def nothing_is_overwritten(f):
    taken = new_path("site")
    taken.mkdir()
    (taken / "mine").write_text("mine")
    done = run("report", "--index", RESULTS, "--output", taken)
    f.equal("exit code", done.returncode, 2)
    f.equal("what is there", [p.name for p in taken.iterdir()], ["mine"])
    f.equal("nothing beside it", [p.name for p in taken.parent.iterdir()], ["site"])
    empty = new_path("site")
    empty.mkdir()
    f.equal("an empty folder is taken", run("report", "--index", RESULTS / "more", "--output", empty).returncode, 0)
    f.true("and filled", (empty / "index.html").is_file())


def a_set_and_its_options_are_refused(f):
    for what in (["some.json"], *([f"--{name}", "some.json"] for name in ("constraints", "policies", "load", "stability"))):
        site = new_path("site")
        done = run("report", "--index", RESULTS / "more", *what, "--output", site)
        f.equal(f"exit code with {what}", done.returncode, 2)
        f.true(f"{what[0]} is named", what[0] in done.stderr, done.stderr)
        f.true("nothing is written", not site.exists())


def exit_codes_tell_the_worst(f):
    rows = [("verified alone", ["first", "second"], 0), ("one without checksums", ["first", "elsewhere"], 3),
            ("one that differs", ["first", "tampered", "elsewhere"], 1), ("nothing decided", ["stopped"], 1)]
    for what, names, code in rows:
        folder = new_path("some")
        folder.mkdir()
        for name in names:
            shutil.copytree(RESULTS / name, folder / name)
        done = run("report", "--index", folder, "--output", new_path("site"))
        f.equal(what, done.returncode, code)
    f.equal("a folder that is a bundle", run("report", "--index", RESULTS / "first", "--output", new_path("site")).stdout,
            f"verified      first  {page_name('first')}\n")


def two_side_by_side(f):
    page = new_path("both.html")
    done = run("report-compare", RESULTS / "first", RESULTS / "second", "--output", page)
    f.equal("exit code", (done.returncode, done.stderr), (0, ""))
    values = [next(c for c in json.loads((RESULTS / name / "experiment/benchmark-set.json").read_text())["candidates"]
                   if c["id"] == "fast")["metrics"]["e2e_latency_ms_p50"] for name in ("first", "second")]
    row = re.search(r"<tr><th scope=\"row\"><bdi>End-to-end latency, median</bdi></th>(.*?)</tr>", page.read_text())[1]
    shown = re.search(r"([-+]?[\d.]+)&nbsp;%</td>$", row)
    change = 100 * (values[1] - values[0]) / values[0]
    f.true("the difference", shown and abs(float(shown[1]) - change) <= 0.0051, f"{change}: {row}")
    for second, says in (("elsewhere", "Not compared with each other"), ("more/other", "Not compared with each other")):
        page = new_path("both.html")
        done = run("report-compare", RESULTS / "first", RESULTS / second, "--output", page)
        f.equal(f"exit code with {second}", done.returncode, 1)
        f.true(f"{second} is not compared", says in page.read_text() and "Difference</th>" not in page.read_text())
    page = new_path("both.html")
    run("report-compare", f"{RESULTS}/first/", f"{RESULTS}/elsewhere/", "--output", page)
    f.equal("a slash at the end tells nothing of this machine", str(RESULTS) in page.read_text(), False)


FAKE = """#!/bin/sh
printf '%s\\n' "$#" "$@" > "$PARETOPILOT_TEST_OPENED"
exit {code}
"""


def a_page_is_shown_when_asked(f):
    for program, code in (("xdg-open", 0), ("open", 0), ("xdg-open", 3)):
        tools = new_path("bin")
        tools.mkdir()
        (tools / program).write_text(FAKE.replace("{code}", str(code)))
        (tools / program).chmod(0o755)
        opened = tools / "opened"
        env = {"PATH": f"{tools}", "PARETOPILOT_TEST_OPENED": str(opened)}
        folder = new_path("a site; touch broken")
        done = run("report", "--index", RESULTS / "more", "--output", folder, "--open", env=env)
        f.equal(f"exit code with {program} that gives {code}", done.returncode, 0)
        f.equal(f"what {program} was given", opened.read_text().splitlines(), ["1", f"{folder.resolve()}/index.html"])
        f.equal(f"warned with {code}", "warning: --open" in done.stderr and f"exit code {code}" in done.stderr, code != 0)
        page = new_path("one.html")
        opened.unlink()
        done = run("report", RESULTS / "first", "--output", page, "--open", env=env)
        f.equal("a report, too", (done.returncode, opened.read_text().splitlines()[1:]), (0, [str(page.resolve())]))


def what_cannot_be_shown_is_a_warning(f):
    page = new_path("one.html")
    done = run("report", RESULTS / "first", "--output", page, "--open", env={"PATH": "/nonexistent"})
    f.equal("exit code", done.returncode, 0)
    f.true("the page is there", page.is_file())
    f.true("warned", "PATH has neither xdg-open nor open" in done.stderr, done.stderr)
    tools = new_path("bin")
    tools.mkdir()
    (tools / "xdg-open").write_text(FAKE.replace("{code}", "0"))
    (tools / "xdg-open").chmod(0o755)
    opened = tools / "opened"
    page = new_path("two.html")
    run("report", RESULTS / "first", "--output", page, env={"PATH": str(tools), "PARETOPILOT_TEST_OPENED": str(opened)})
    f.true("not without --open", not opened.exists())
    run("report", RESULTS / "first", "--output", page, "--open", env={"PATH": str(tools), "PARETOPILOT_TEST_OPENED": str(opened)})
    f.true("not when nothing was written", not opened.exists())


def bundles_of_many_candidates_have_the_whole_beside_them(f):
    folder = new_path("many")
    (folder / "bundle/experiment").mkdir(parents=True)
    shutil.copy(RESULTS / "first/status.json", folder / "bundle")
    document = {"schema_version": "1.0", "baseline_id": "c0", "synthetic": True,
                "candidates": [{"id": f"c{i}", "metrics": {"m": 100 + i}} for i in range(401)]}
    (folder / "bundle/experiment/benchmark-set.json").write_text(json.dumps(document))
    (folder / "bundle/experiment/constraints.json").write_text(json.dumps(
        {"schema_version": "2.0", "quality": "not-measurable", "objective": {"metric": "m", "direction": "min"},
         "frontier_metrics": {"m": "min"}}))
    site = new_path("site")
    f.equal("exit code", run("report", "--index", folder, "--output", site).returncode, 3)
    stem = page_name("bundle")[:-5]
    f.equal("files", sorted(p.name for p in site.iterdir()),
            sorted(["index.html", f"{stem}.html", f"{stem}.benchmark-set.json", f"{stem}.decision-details.json"]))
    f.equal("the set as it is", (site / f"{stem}.benchmark-set.json").read_bytes(), (folder / "bundle/experiment/benchmark-set.json").read_bytes())
    details = json.loads((site / f"{stem}.decision-details.json").read_text())
    f.equal("everything about each", len(details["candidates"]), 401)


def a_taken_name_beside_a_page_stops_all_of_it(f):
    folder = new_path("many")
    folder.mkdir()
    (folder / "set.json").write_text(json.dumps({
        "schema_version": "1.0", "baseline_id": "c0", "synthetic": True,
        "candidates": [{"id": f"c{i}", "metrics": {"m": 100 + i}} for i in range(401)]}))
    (folder / "limits.json").write_text(json.dumps({
        "schema_version": "2.0", "quality": "not-measurable", "objective": {"metric": "m", "direction": "min"},
        "frontier_metrics": {"m": "min"}}))
    (folder / "page.decision-details.json").write_text("mine")
    done = run("report", folder / "set.json", "--constraints", folder / "limits.json", "--output", folder / "page.html")
    f.equal("exit code", done.returncode, 2)
    f.equal("files", sorted(p.name for p in folder.iterdir()), ["limits.json", "page.decision-details.json", "set.json"])
    f.equal("what was there", (folder / "page.decision-details.json").read_text(), "mine")


if __name__ == "__main__":
    measure()
    spoil()
    sys.exit(main([(row.__name__.replace("_", " "), row) for row in (
        the_site_says_what_verify_says, figures_are_those_of_the_documents, machines_and_work_stand_apart,
        every_page_is_inert_and_every_link_leads_somewhere, the_same_bundles_give_the_same_bytes, nothing_is_overwritten, a_set_and_its_options_are_refused,
        exit_codes_tell_the_worst, two_side_by_side, a_page_is_shown_when_asked, what_cannot_be_shown_is_a_warning,
        bundles_of_many_candidates_have_the_whole_beside_them,
        a_taken_name_beside_a_page_stops_all_of_it)]))
