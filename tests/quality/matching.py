"""The program's matching against matcher.py, on answers that are hard to judge and on thousands made of them. TAP."""

import json
import pathlib
import random
import sys
import tempfile

import behaviour

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))

from tap import Report  # noqa: E402

ACCEPTED = {
    "trimmed-exact": ["A b", "\u00e9", "O2", "\u00df", "x.", "\u00a0z\u3000q"],
    "normalized-text": ["Stra\u00dfe", "p-a r.is", "K", "\ufb01 1", "\u0130x"],
    "json-exact": ['{"a":1}', "42", "42.0", "0", "-0.0", "1e2", "1.1", '"a"', "[1,2]", '{"b":[1,{"c":null}],"a":"\u00e9"}', "1E-7",
                   "123456789012345678901234567890", '"\\ud800"', "1e22", "1e16", "5e-324"],
    "contains": ["moon", "carbon dioxide", "CO2", "C++", "7", "-7", "1.5", "\u00df", "e"],
    "number": ["7", "-27", "1234.5", "0", "6.02e23"],
    "regex": ["[a-c]+", "a|bc", "(ab)*c", "a{2,3}b?", "[^0-9]x", "O\\( ?n\\)", ".b.", "[A-Z'-]+"],
}
TOLERATED = [("31.4", {"relative": 0.002}), ("0.7", {"absolute": 0.1}), ("0", {"relative": 0.1}), ("6.02e23", {"relative": 0.01})]
HARD = """
    0.8|0.80|0.6|0.5999|31.46|1,234.5|1,234.50|12,34.5|1234,5|+7|7.|7.0|07|7,000|\u221227|- 27|-27.|7..|7 .|.7|7e0|7E+0|70e-1|1e|$7|7%
    seven|7 7|\u0667|\uff16|7\u00a0|1 234.5|0.0|-0|+0|1e999|1e-999|600,000,000,000,000,000,000,000|6.02E+23|6.0e23|7\u200b|\u20287
    The moon.|moonlight|MOON|moon's|honeymoon|full-moon|moon_|_moon|moon2|carbon  dioxide|carbon-dioxide|H2CO2|CO2.|CO\u2082|C++11|c++
    C+++|is 7.|17|7.5|-7|a-7|1.57|1.5.|(1.5)|21.5|1.5e3|$1.5|4,7|4, 7|7,5|7,|strasse|STRASSE \u00df|e\u0301|E|\u0130x|i\u0307x|ix|fi1|\u212a|PARIS!
    {"a":1,"a":1}|{"a":1.0}|```{"a":1}```|\ufeff{"a":1}|{"a":1}{"a":1}|[2,1]|[1, 2]|[1,2,]|4.2e1|42.00|1e400|NaN|Infinity|1E2|1.10
    "\\u0061"|"\\ud800\\udc00"|"\\ud800"|{"a":"\\u00e9","b":[1,{"c":null}]}|1e-7|0.0000001|10000000000000000000000|1.0e22|4.9e-324|2e-324|01
    aab|aaab|ab|abc|bc|ababc|ax|\u00e9x|abb|xb|xbx|O(n)|O( n)|O'N-X"""
SPLIT = ["carbon\ndioxide", "\nx", "a\nb", "x\0", "7\u0085", "7\u001f", "\u000b42", "\u00a042\u00a0", "|", ""]
LETTERS = list("aAbc xX.,-+0127e \n'{}[]\"_")
MADE = 2000


def cases():
    out = [dict(match_mode=mode, accepted_answers=[text]) for mode, texts in ACCEPTED.items() for text in texts]
    out += [dict(match_mode="contains", accepted_answers=[text], ignore_case=True) for text in ACCEPTED["contains"]]
    out += [dict(match_mode="number", accepted_answers=[text], tolerance=tolerance) for text, tolerance in TOLERATED]
    return [dict(case, id=f"c{i}", group="hard", prompt=f"Question {i}") for i, case in enumerate(out)]


def made(rng, given):
    """Given answers with a letter exchanged, put in front or behind; and letters at random."""
    for _ in range(MADE):
        text, at, letter = rng.choice(given), rng.random(), rng.choice(LETTERS)
        i = int(at * (len(text) + 1))
        yield text[:i] + letter + text[i + rng.randrange(2):]
        yield "".join(rng.choices(LETTERS, k=rng.randrange(1, 7)))


def main():
    report, asked = Report(), cases()
    given = [text for texts in ACCEPTED.values() for text in texts] + SPLIT
    given += [text for line in HARD.strip().splitlines() for text in line.strip().split("|")]
    answers = list(dict.fromkeys(given + list(made(random.Random(7), given))))
    with tempfile.TemporaryDirectory(prefix="suite-test-") as folder:
        path = pathlib.Path(folder, "suite.json")
        path.write_text(json.dumps({
            "schema_version": "2.0", "document": "quality-suite", "id": "hard", "title": "Hard to judge", "license": "CC0-1.0",
            "system_prompt": None, "sampling": {"max_tokens": 32, "seed": 1, "temperature": 0}, "cases": asked}), encoding="utf-8")
        faults = behaviour.faults_of_program(path, asked, answers)
    report.test(f"the program agrees about {len(answers)} answers to {len(asked)} cases", faults)
    return report.end()


if __name__ == "__main__":
    raise SystemExit(main())
