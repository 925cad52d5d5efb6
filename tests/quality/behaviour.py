"""Our own suite, examples/suites/behaviour.json: its shape, what must pass it and what must not. TAP.

Every answer is matched by matcher.py and by the program's own code, which have to agree."""

import collections
import json
import os
import pathlib
import re
import string
import subprocess
import sys
import tempfile

import matcher

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from tap import Report  # noqa: E402

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
SUITE = SOURCE / "examples/suites/behaviour.json"
TABLE = SOURCE / "tests/fixtures/quality/behaviour-answers.json"
RULES = SOURCE / "docs/method/quality-matching.md"
PAGE = SOURCE / "docs/method/behaviour-suite.md"
MATCH_ANSWERS = os.environ["PARETOPILOT_MATCH_ANSWERS"]

GROUPS = ["instruction", "extraction", "classification", "arithmetic", "json", "facts", "code", "refusal"]
MODES = ["trimmed-exact", "normalized-text", "json-exact", "contains", "number", "regex"]
MOST_CASES_OF_ONE_ANSWER = 4


def load(path):
    return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=matcher.no_twin)


def accepted_of(case):
    return [text for rule in matcher.rules_of(case) for text in rule["accepted_answers"]]


# ---- shape


def faults_of_shape(cases):
    faults = []
    sizes = collections.Counter(case["group"] for case in cases)
    if list(sizes) != GROUPS:
        faults.append(f"groups {list(sizes)}, expected {GROUPS}")
    if len(cases) < 96 or max(sizes.values()) - min(sizes.values()) > 1:
        faults.append(f"{len(cases)} cases, {dict(sizes)}")
    for case in cases:
        if not re.fullmatch(case["group"] + r"(-[a-z0-9]+)+", case["id"]):
            faults.append(f"{case['id']}: not '{case['group']}-' and words")
    for key in ["id", "prompt"]:
        twins = [text for text, n in collections.Counter(case[key] for case in cases).items() if n > 1]
        faults += [f"{key} twice: {text}" for text in twins]
    return faults


def faults_of_modes(cases):
    used = collections.Counter(rule["match_mode"] for case in cases for rule in matcher.rules_of(case))
    used["any-of"] = sum("any_of" in case for case in cases)
    return [f"{mode}: {used[mode]} times" for mode in MODES + ["any-of"] if used[mode] < 5]


def faults_of_prompts(cases):
    """Short, ASCII, and none inside another: the simulated server finds an answer by its prompt."""
    faults = [f"{c['id']}: {len(c['prompt'])} characters" for c in cases if not 10 < len(c["prompt"]) <= 300]
    faults += [f"{c['id']}: not ASCII" for c in cases if not c["prompt"].isascii()]
    return faults + [f"{a['id']} stands in {b['id']}" for a in cases for b in cases if a is not b and a["prompt"] in b["prompt"]]


def faults_of_accepted(cases):
    """What is no pattern is an answer that a person may give: it passes its own case."""
    return [f"{case['id']}: {accepted!r} does not match" for case in cases for rule in matcher.rules_of(case)
            if rule["match_mode"] != "regex" for accepted in rule["accepted_answers"] if matcher.match(case, accepted) is None]


# ---- what must not pass


def echoes(prompt):
    """The prompt and pieces of it that a server may say back."""
    words = prompt.split()
    found = [prompt, prompt * 2, prompt.upper(), prompt.lower(), prompt.splitlines()[-1], prompt.splitlines()[0]]
    found += re.split(r"(?<=[.?!:]) ", prompt)
    found += [words[-1], words[-1].strip(string.punctuation), words[0], " ".join(words[-2:]), " ".join(words[-3:])]
    found += [part for mark in "\"'`" for part in re.findall(f"{mark}([^{mark}]+){mark}", prompt)]
    found += [part for pattern in [r"\([^()]*\)", r"\[[^\[\]]*\]", r"\{[^{}]*\}"] for part in re.findall(pattern, prompt)]
    found += [part.strip() for part in prompt.split(":")[1:]] + [prompt.split(":")[-1].strip().rstrip(".")]
    return list(dict.fromkeys(found))


BLANKS = ["", " ", "\n", "\t \r\n", "\u00a0", "\u3000"]


def every(table, cases):
    """Each answer that a case accepts, and each that the table calls right, all in one."""
    texts = [text for case in cases for text in accepted_of(case)]
    texts += [text for row in table["answers"] for text in row["right"]]
    accepted = [text for case in cases for text in accepted_of(case)]
    return [mark.join(part) for mark in [" ", "\n", ", "] for part in (texts, accepted, texts[::-1])]


def passing(cases, answer):
    return [case["id"] for case in cases if matcher.match(case, answer) is not None]


def faults_of_one_for_all(cases, answers):
    found = {answer: passing(cases, answer) for answer in answers}
    return [f"{answer[:60]!r} passes {ids}" for answer, ids in found.items() if len(ids) > MOST_CASES_OF_ONE_ANSWER]


def faults_of_echoes(cases):
    return [f"{case['id']} is passed by {text!r}" for case in cases for text in BLANKS + echoes(case["prompt"])
            if matcher.match(case, text) is not None]


# ---- what must pass


def faults_of_table(cases, table, side, want):
    rows = {row["id"]: row[side] for row in table["answers"]}
    if list(rows) != [case["id"] for case in cases] or not all(rows.values()):
        return ["the table does not have each case once, in order, with answers"]
    return [f"{case['id']}: {text!r} is called {side}" for case in cases for text in rows[case["id"]]
            if (matcher.match(case, text) is not None) != want]


# ---- the program


def faults_of_program(suite, cases, answers):
    with tempfile.TemporaryDirectory(prefix="suite-test-") as folder:
        path = pathlib.Path(folder, "answers.json")
        path.write_text(json.dumps(answers), encoding="utf-8")
        emulate = os.environ.get("PARETOPILOT_EMULATE")
        run = subprocess.run(([emulate] if emulate else []) + [MATCH_ANSWERS, suite, path],
                             capture_output=True, text=True, encoding="utf-8", errors="surrogatepass")
    if run.returncode != 0:
        return [f"exit {run.returncode}: {run.stderr}"]
    faults, lines = [], run.stdout.split("\n")[:-1]
    if len(lines) != len(answers):
        return [f"{len(lines)} lines for {len(answers)} answers"]
    for answer, line in zip(answers, lines):
        ours = {case["id"]: matcher.match(case, answer) for case in cases}
        ours = {name: text for name, text in ours.items() if text is not None}
        if json.loads(line) != ours:
            faults.append(f"{answer[:80]!r}: the program {line}, this test {ours}")
    return faults


# ---- the pages


def faults_of_rules():
    """The rows of the page that says which answers count, as matcher.py sees them."""
    rows = re.findall(r'^\| ([a-z-]+)(?:, (\w+)(?: ([\d.]+))?)? \| `(".*")` \| `(".*")` \| (yes|no) \|$', RULES.read_text(encoding="utf-8"), re.M)
    faults = [] if len(rows) > 60 else [f"{len(rows)} rows"]
    for mode, word, amount, accepted, answer, verdict in rows:
        rule = {"match_mode": mode, "accepted_answers": [json.loads(accepted)], "ignore_case": word == "ignore_case"}
        if amount:
            rule["tolerance"] = {word: float(amount)}
        if (matcher.match(rule, json.loads(answer)) is not None) != (verdict == "yes") and accepted != '"中"':
            faults.append(f"{mode} {word} {accepted} {answer}: not {verdict}")
    return faults


def faults_of_page(cases):
    text = PAGE.read_text(encoding="utf-8")
    rows = [(name, int(count)) for name, count in re.findall(r"^\| `(\w+)` \| (\d+) \|", text, re.M)]
    total = re.search(r"^\| all \| (\d+) \|", text, re.M)
    want = list(collections.Counter(case["group"] for case in cases).items())
    if rows != want or not total or int(total[1]) != len(cases):
        return [f"the page has {rows} and {total and total[1]}, the suite {want} and {len(cases)}"]
    return []


def main():
    report, suite, table = Report(), load(SUITE), load(TABLE)
    cases = suite["cases"]
    right = [text for row in table["answers"] for text in row["right"]]
    wrong = [text for row in table["answers"] for text in row["wrong"]]
    accepted = [text for case in cases for text in accepted_of(case)]
    single = list(dict.fromkeys(BLANKS + table["lazy"] + accepted + right + wrong))
    lists = every(table, cases)
    said_back = list(dict.fromkeys(text for case in cases for text in echoes(case["prompt"])))

    report.test("the matcher of this test knows the rules", faults_of_rules())
    report.test("groups, sizes and ids", faults_of_shape(cases))
    report.test("every way of matching is used five times", faults_of_modes(cases))
    report.test("prompts are short, ASCII and apart", faults_of_prompts(cases))
    report.test("the licence gives everything away", [] if suite["license"] == "CC0-1.0" else [suite["license"]])
    report.test("accepted answers pass their case", faults_of_accepted(cases))
    report.test("right answers pass", faults_of_table(cases, table, "right", True))
    report.test("near misses do not", faults_of_table(cases, table, "wrong", False))
    report.test("nothing and echoes pass no case", faults_of_echoes(cases))
    report.test("no single answer passes many cases", faults_of_one_for_all(cases, single + said_back))
    report.test("no list of all answers passes many cases", faults_of_one_for_all(cases, lists))
    report.test(f"the program agrees about {len(single + lists + said_back)} answers to {len(cases)} cases",
                faults_of_program(SUITE, cases, single + lists + said_back))
    report.test("the page counts the groups", faults_of_page(cases))
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
