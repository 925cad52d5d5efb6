"""Pages that nobody can find, words that nobody explains, files that are not there. TAP."""

import os
import pathlib
import re
import sys

from tap import Report

# Where the program keeps the words of an enum, the pattern of the table, the page that explains them.
WORDS = [
    ("src/model/origin.c", r"rows\[\] = \{(.*?)\n\};", r'\] = \{"([^"]+)"', "docs/glossary.md"),
    ("src/machine/watch.c", r"pp_watch_verdict_name.*?names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/machine/watch.c", r"pp_watch_cause_name.*?names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/model/exchange.c", r"failure_names\[.*?\{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/model/exchange.c", r"phase_names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/decide/decision.c", r"names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/decide/gate.c", r"names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/decide/limits.c", r"names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/decide/change.c", r"names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/decide/passport.c", r"names\[\] = \{(.*?)\};", r'"([^"]+)"', "docs/glossary.md"),
    ("src/model/exchange.c", r"failure_names\[.*?\{(.*?)\};", r'"([^"]+)"', "docs/formats/samples.md"),
    ("src/model/sample.c", r"flag_names\[.*?\{(.*?)\};", r'"([^"]+)"', "docs/formats/samples.md"),
    ("src/model/sample.c", r"source_names\[.*?\{(.*?)\};", r'"([^"]+)"', "docs/formats/samples.md"),
]
NOT_WRITTEN = {"docs/formats/samples.md": {"none"}}  # a sample that did not fail has null there


def read(path):
    return path.read_text(encoding="utf-8")


def check_words(root, report):
    for source, table, word, page in WORDS:
        found = re.search(table, read(root / source), re.S)
        words = re.findall(word, found[1]) if found else []
        text = read(root / page)
        missing = [w for w in words if f"`{w}`" not in text and w not in NOT_WRITTEN.get(page, ())]
        report.test(f"{page} explains {len(words)} words of {source}", (
            [f"`{w}` is missing" for w in missing] if words else [f"no words found by {table}"]))


def check_exit_codes(root, report):
    codes = re.findall(r"PP_EXIT_\w+ = (\d+)", read(root / "src/cli/command.h"))
    listed = re.findall(r"\d+", " ".join(re.findall(r"^\| ([\d, ]+) \|", read(root / "docs/glossary.md"), re.M)))
    report.test("docs/glossary.md lists the exit codes", [] if codes and codes == listed else [
        f"src/cli/command.h has {codes}, the page has {listed}"])


def bundle_names(root):
    """Names of the files that a bundle may have, as src/evidence/layout.h puts them together."""
    text = read(root / "src/evidence/layout.h").replace("\\\n", " ")
    values = dict(re.findall(r'^#define (PP_BUNDLE_\w+)[ \t]+(.+)$', text, re.M))

    def joined(value):
        return "".join(part[1:-1] if part[0] == '"' else joined(values.get(part, ""))
                       for part in re.findall(r'"[^"]*"|\w+', value))
    return [joined(value) for name, value in values.items() if name not in ("PP_BUNDLE_CANDIDATES", "PP_BUNDLE_ATTEMPT",
                                                                              "PP_BUNDLE_CONTEXT_ATTEMPT", "PP_BUNDLE_CONTEXT")]


def check_bundle(root, report):
    """The page is the one list of them."""
    page = read(root / "docs/formats/bundle.md")
    names = bundle_names(root)
    last = [name.split("/")[-1].replace("%d", "N").replace("%s.json", "<model id>.json") for name in names]
    report.test("docs/formats/bundle.md lists every file of src/evidence/layout.h", (
        [f"{name} is missing" for name, word in zip(names, last) if word not in page] if len(names) > 50 else [str(names)]))


def check_reach(root, report):
    seen, todo = set(), [root / "docs/README.md"]
    while todo:
        page = todo.pop()
        if page in seen or not page.exists():
            continue
        seen.add(page)
        todo += [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#:]*\.md)", read(page))]
    for page in sorted((root / "docs").rglob("*.md")):
        report.test(f"{page.relative_to(root)} can be reached from docs/README.md",
                    [] if page in seen else ["no page that can be reached links to it"])
    front = read(root / "README.md")
    report.test("README.md links the index, the tutorial and the glossary", [
        f"no link to {page}" for page in ("docs/README.md", "docs/tutorial.md", "docs/glossary.md")
        if f"({page})" not in front])


def check_examples(root, report):
    walks = read(root / "docs/howto/README.md")
    for folder in sorted(p for p in (root / "examples").iterdir() if p.is_dir()):
        report.test(f"docs/howto/README.md lists examples/{folder.name}", [] if f"| `{folder.name}` |" in walks else ["no row"])


def check_index(root, report):
    """The index itself lists every command, document and method; a command with its own summary."""
    index = read(root / "docs/README.md")
    for page in sorted(p for folder in ("cli", "formats", "method") for p in (root / "docs" / folder).glob("*.md")):
        name = page.relative_to(root / "docs").as_posix()
        report.test(f"docs/README.md lists {name}", [] if f"]({name}) |" in index else ["no row"])
    commands = 0
    for source in sorted((root / "src/cli").glob("cmd_*.c")):
        fields = re.search(r'\.name = "([^"]+)".*?\.summary = "([^"]+)"', read(source), re.S)
        row = fields and f"| [{fields[1]}](cli/{fields[1].replace(' ', '-')}.md) | {fields[2]} |"
        commands += fields is not None
        report.test(f"docs/README.md has the summary of {source.name}", [] if row and row in index else [f"expected {row}"])
    report.test("there are commands in src/cli", [] if commands else ["none found"])


def check_links(root, report):
    """Links between the pages that git holds; build folders have pages of others."""
    pages = [p for p in root.rglob("*.md") if "build" not in p.relative_to(root).parts]
    for page in sorted(pages):
        links = re.findall(r"\]\(([^)#:]*\.md)", read(page))
        report.test(f"links of {page.relative_to(root)} lead to pages", [
            f"{link} is not there" for link in links if not (page.parent / link).exists()])


def exists(root, name):
    """A file or folder named in a text: from the root or from src/."""
    return any((base / name).exists() for base in (root, root / "src"))


def check_files(root, report):
    pages = [root / "ARCHITECTURE.md", root / "CONTRIBUTING.md", root / "docs/glossary.md"]
    pages += sorted((root / "docs/howto").glob("*.md")) + sorted((root / "docs/decisions").glob("*.md"))
    for page in pages:
        names = set(re.findall(r"`([a-zA-Z][\w.-]*/[\w./-]*\w/?)`", read(page)))
        names = [n for n in names if n.split("/")[0] in ("src", "tests", "docs", "tools", "examples")
                 or re.search(r"\.[ch]$", n)]
        report.test(f"files that {page.relative_to(root)} names are there", sorted(
            f"`{n}` is not there" for n in names if not exists(root, n)))


def check_decisions(root, report):
    index = read(root / "docs/decisions/README.md")
    for page in sorted((root / "docs/decisions").glob("*.md")):
        if page.name == "README.md":
            continue
        status = re.search(r"^\*\*Status:\*\* (in use \(`.+`\)|decided, not used yet)$", read(page), re.M)
        word = status[1].split(" (")[0] if status else None
        faults = [] if status else ["expected **Status:** in use (`file`), or decided, not used yet"]
        if status and not re.search(rf"\({re.escape(page.name)}\) \| {word} \|", index):
            faults.append(f"the index does not say '{word}'")
        report.test(f"{page.relative_to(root)} and its index agree on its status", faults)


def main():
    root = pathlib.Path(os.environ["PARETOPILOT_SOURCE"]).resolve()
    report = Report()
    check_words(root, report)
    check_exit_codes(root, report)
    check_bundle(root, report)
    check_reach(root, report)
    check_index(root, report)
    check_examples(root, report)
    check_links(root, report)
    check_files(root, report)
    check_decisions(root, report)
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
