"""tally.py JUNIT - count what Meson's test run gave: prints "PASSED FAILED SKIPPED", and a line for each
test that failed or was skipped: "failed: TEST: SUBTEST".

Meson writes the results of each test program into JUNIT, and how the program ended into the .json
beside it. A program that met its time limit, or died behind results that were all fine, stands in the
first without a mark; it is a failure all the same, and one that gave no result of its own has not passed.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

BAD = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"}


def mark(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def read_results(junit):
    """Marks by name of the test: of its subtests, each with its name, or its own where it has none."""
    own, subtests = {}, {}
    for suite in ElementTree.parse(junit).getroot():
        project, _, test = suite.get("name").partition(".")
        if test:
            subtests[test] = [(mark(case), f"{test}: {case.get('name')}") for case in suite.findall("testcase")]
        else:
            own.update((case.get("name"), mark(case)) for case in suite.findall("testcase"))
    return own, subtests


def marks_of(name, result, own, subtests):
    if name not in subtests:
        return [("failed" if result in BAD else own.get(name, "passed"), name)]
    marks = subtests[name]
    if result == "TIMEOUT" or (result in BAD and "failed" not in dict(marks)):
        return marks + [("failed", f"{name}: {result}")]
    return marks


def tally(junit):
    own, subtests = read_results(junit)
    marks = []
    for line in pathlib.Path(str(junit).replace(".junit.xml", ".json")).read_text(encoding="utf-8").splitlines():
        test = json.loads(line)
        marks += marks_of(test["name"], test["result"], own, subtests)
    return marks


def main(junit):
    marks = tally(junit)
    kinds = [kind for kind, _ in marks]
    print(*[kinds.count(kind) for kind in ("passed", "failed", "skipped")])
    for kind, name in marks:
        if kind != "passed":
            print(f"{kind}: {name}")


if __name__ == "__main__":
    main(sys.argv[1])
