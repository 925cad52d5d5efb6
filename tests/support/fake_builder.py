"""Stands in for the tools that build llama.cpp, so that what build-engines.sh asks of them can be seen without
a network and half an hour. Called as git, cmake, gcc-13, ... by links of these names; notes every command
line in FAKE_LOG, as one list a line, and leaves the files that the real ones would.

    FAKE_HEAD      commit that git ends up with, whatever was asked for
    FAKE_CHANGED   what `git status --porcelain` prints
    FAKE_NETWORK   "none": git fetch fails
    FAKE_CACHE     "none": cmake leaves no cache; "silent": one without GGML_CPU_KLEIDIAI
    FAKE_COMPILE   "fails", or "nothing": no programs
    FAKE_PROGRAMS  folder of programs that the built ones start; else they print their name
"""

import json
import os
import pathlib
import sys

NAMES = ("git", "cmake", "gcc-13", "g++-13", "ninja", "nm")


def install(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} -B {pathlib.Path(__file__).resolve()} {name} "$@"\n')
        script.chmod(0o755)


def git(words):
    folder = pathlib.Path(words[words.index("-C") + 1]) if "-C" in words else None
    if "init" in words:
        (pathlib.Path(words[-1]) / ".git").mkdir(parents=True)
    elif "fetch" in words:
        return 128 if os.environ.get("FAKE_NETWORK") == "none" else 0
    elif "checkout" in words:
        (folder / ".git/HEAD").write_text(os.environ["FAKE_HEAD"])
    elif "rev-parse" in words:
        if not (folder / ".git/HEAD").exists():
            return 1
        print((folder / ".git/HEAD").read_text())
    elif "status" in words:
        print(os.environ.get("FAKE_CHANGED", ""), end="")
    else:
        return 2
    return 0


def configure(words):
    build = pathlib.Path(words[words.index("-B") + 1])
    build.mkdir(parents=True)
    print("-- Configuring done")
    if os.environ.get("FAKE_CACHE") == "none":
        return
    lines = []
    for word in words:
        name, _, value = word[2:].partition("=")
        if word.startswith("-D") and not (name == "GGML_CPU_KLEIDIAI" and os.environ.get("FAKE_CACHE") == "silent"):
            lines.append(f"{name}:{'BOOL' if value in ('ON', 'OFF') else 'STRING'}={value}\n")
    (build / "CMakeCache.txt").write_text("".join(lines))


def compile_targets(words):
    print("[2/2] Linking")
    if os.environ.get("FAKE_COMPILE") == "fails":
        return 1
    if os.environ.get("FAKE_COMPILE") == "nothing":
        return 0
    build = pathlib.Path(words[words.index("--build") + 1])
    targets = words[words.index("--target") + 1:words.index("--parallel")]
    (build / "bin").mkdir(exist_ok=True)
    for target in targets:
        real = os.environ.get("FAKE_PROGRAMS")
        body = f'exec {real}/{target} "$@"' if real else f"echo {target} of {build.name}"
        (build / "bin" / target).write_text(f"#!/bin/sh\n{body}\n")
        (build / "bin" / target).chmod(0o755)
    return 0


def main():
    name, words = sys.argv[1], sys.argv[2:]
    with open(os.environ["FAKE_LOG"], "a", encoding="utf-8") as log:
        log.write(json.dumps([name, *words]) + "\n")
    if "--version" in words:
        print(f"{name} 13.0 of a test")
    elif name == "git":
        return git(words)
    elif name == "cmake" and "--build" in words:
        return compile_targets(words)
    elif name == "cmake":
        configure(words)
    elif name == "nm":
        sys.stdout.write("".join(f"{n:016x} T kai_run_{n}\n" for n in range(700)) + "0000 T main\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
