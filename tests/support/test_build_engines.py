"""What tools/build-engines.sh asks of git, cmake and the network, and what it refuses. TAP.

The compilers and git are those of fake_builder.py; the archive comes from a server of our own. No llama.cpp is
built here."""

import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import fake_builder
from https_files import Files
from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
WORK = tempfile.TemporaryDirectory(prefix="build-engines-test-")
COMMIT = "67b9b0e7f6ce45d929a4411907d3c48ec719e81c"
# The published study's builds: what they have in common, beside the switch they differ in.
FLAGS = {
    "CMAKE_BUILD_TYPE": "Release", "CMAKE_C_COMPILER": "gcc-13", "CMAKE_CXX_COMPILER": "g++-13",
    "BUILD_SHARED_LIBS": "OFF", "FETCHCONTENT_FULLY_DISCONNECTED": "ON", "GGML_NATIVE": "ON", "GGML_CPU_REPACK": "ON",
    "GGML_BLAS": "OFF", "GGML_CUDA": "OFF", "GGML_OPENCL": "OFF", "GGML_RPC": "OFF", "GGML_VULKAN": "OFF",
    "LLAMA_BUILD_TESTS": "OFF", "LLAMA_BUILD_EXAMPLES": "OFF", "LLAMA_BUILD_SERVER": "ON", "LLAMA_BUILD_TOOLS": "ON",
}
PUBLISHED = {
    "llama_repository": "https://github.com/ggml-org/llama.cpp.git", "llama_commit": COMMIT,
    "kleidiai_repository": "https://github.com/ARM-software/kleidiai", "kleidiai_version": "v1.24.0",
    "kleidiai_size_bytes": "2466038",
    "kleidiai_sha256": "9348b969e042d8890a54b01a463dbe71f5a4c074b5329e9c26a85ef3b68aa19b",
}


def archive(folder="kleidiai-src/kai"):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as tar:
        member = tarfile.TarInfo(f"{folder}/kai_common.h")
        member.size = 4
        tar.addfile(member, io.BytesIO(b"kai\n"))
    return data.getvalue()


class Place:
    """A folder with a lock, and the tools that stand in."""

    def __init__(self, files, data, **pins):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=WORK.name))
        self.tools = self.folder / "tools"
        self.log = self.folder / "log"
        self.files = files
        fake_builder.install(self.tools)
        files.given["/kleidiai-v1.24.0-src.tar.gz"] = data
        self.pins = {**PUBLISHED, "kleidiai_url": f"{files.https}/kleidiai-v1.24.0-src.tar.gz",
                     "kleidiai_size_bytes": str(len(data)), "kleidiai_sha256": hashlib.sha256(data).hexdigest(), **pins}
        self.write("".join(f"{name} {value}\n" for name, value in self.pins.items()))

    def write(self, text):
        (self.folder / "engines.lock").write_text(text)

    def build(self, **variables):
        self.log.write_text("")
        environment = {"PATH": f"{self.tools}:{os.environ['PATH']}", "HOME": WORK.name, "FAKE_LOG": str(self.log),
                       "FAKE_HEAD": COMMIT, "CURL_CA_BUNDLE": str(self.files.certificate),
                       "PARETOPILOT_FETCH_PAUSE_SECONDS": "0", **variables}
        run = subprocess.run([SOURCE / "tools/build-engines.sh", self.folder / "engines.lock"], env=environment,
                             capture_output=True, text=True, timeout=60)
        self.code, self.text = run.returncode, run.stdout + run.stderr
        self.commands = [json.loads(line) for line in self.log.read_text().splitlines()]
        return self

    def calls(self, *words):
        return [c for c in self.commands if all(word in c for word in words)]

    def at(self, *parts):
        return (self.folder / ".candidate-build").joinpath(*parts)


def expect(place, code, *words):
    return ([f"exit {place.code}, expected {code}: {place.text}"] if place.code != code else []) + [
        f"does not say: {word}\n{place.text}" for word in words if word not in place.text]


def same(name, got, want):
    return [] if got == want else [f"{name}: expected {want!r}, got {got!r}"]


def flags_of(command):
    return dict(word[2:].split("=", 1) for word in command if word.startswith("-D"))


def check_build(report, files):
    place = Place(files, archive()).build()
    root = place.at().resolve()
    report.test("both engines are built", expect(place, 0, "both builds are in"))
    fetches = place.calls("git", "fetch")
    report.test("git fetches that one commit, over https only", same("fetches", [c[3:] for c in fetches], [
        ["-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "fetch", "--quiet", "--depth", "1", "--no-tags",
         PUBLISHED["llama_repository"], COMMIT]]))
    checkout = [n for n, c in enumerate(place.commands) if "checkout" in c]
    asked = [n for n, c in enumerate(place.commands) if "rev-parse" in c]
    report.test("HEAD is asked again behind the checkout", [] if checkout and asked[-1] > checkout[0] else [str(place.commands)])
    configured = [c for c in place.calls("cmake") if "-S" in c]
    for name, switch, command in zip(("generic", "kleidiai"), ("OFF", "ON"), configured):
        want = {**FLAGS, "GGML_CPU_KLEIDIAI": switch, "FETCHCONTENT_SOURCE_DIR_KLEIDIAI_DOWNLOAD": str(root / "source/kleidiai")}
        report.test(f"the switches of {name} are those of the published study", same(
            "flags", flags_of(command), want) + same("the rest", [w for w in command if not w.startswith("-D")], [
                "cmake", "-S", str(root / "source/llama.cpp"), "-B", str(root / name), "-G", "Ninja"]))
    report.test("two builds are configured", same("count", len(configured), 2))
    report.test("two targets are compiled with four jobs", same("commands", [c[3:] for c in place.calls("cmake", "--build")], [
        ["--target", "llama-bench", "llama-server", "--parallel", "4"]] * 2))
    report.test("KleidiAI is unpacked without its outer folder", same(
        "file", place.at("source/kleidiai/kai/kai_common.h").read_text(), "kai\n"))
    check_records(report, place)
    check_again(report, place)


def check_records(report, place):
    records = place.at("records")
    want = {"gcc.txt", "g++.txt", "cmake.txt", "ninja.txt", "kleidiai-symbols.txt", "kleidiai-source.sha256",
            "optimization-library.json"} | {f"{name}-{end}" for name in ("generic", "kleidiai") for end in (
                "configure.log", "compile.log", "CMakeCache.txt", "inputs.txt", "llama-bench.sha256", "llama-server.sha256",
                "llama-bench.ldd.txt", "llama-server.ldd.txt")}
    report.test("everything about the builds is recorded", same("records", {p.name for p in records.iterdir()}, want))
    for name in ("generic", "kleidiai"):
        run = subprocess.run(["sha256sum", "--check", "--quiet", *(records / f"{name}-{p}.sha256" for p in (
            "llama-bench", "llama-server"))], cwd=place.at(name, "bin"), capture_output=True, text=True)
        report.test(f"the digests of {name} are those of its programs", same("exit", run.returncode, 0))
        report.test(f"logs and cache of {name} are what the tools wrote", same(
            "configure", (records / f"{name}-configure.log").read_text(), "-- Configuring done\n") + same(
            "compile", (records / f"{name}-compile.log").read_text(), "[2/2] Linking\n") + same(
            "cache", (records / f"{name}-CMakeCache.txt").read_text(), place.at(name, "CMakeCache.txt").read_text()))
    symbols = (records / "kleidiai-symbols.txt").read_text().splitlines()
    report.test("500 symbols at most, of KleidiAI only", same("count", len(symbols), 500) + [
        line for line in symbols if "kai_" not in line])
    report.test("the library is named with its archive", same("document", json.loads(
        (records / "optimization-library.json").read_text()), {
            "name": "KleidiAI", "repository": PUBLISHED["kleidiai_repository"], "version": "v1.24.0",
            "source_archive_sha256": place.pins["kleidiai_sha256"],
            "source_archive_size_bytes": int(place.pins["kleidiai_size_bytes"])}))


def check_again(report, place):
    place.build()
    report.test("what is there is left alone", expect(place, 0, "generic is there already", "kleidiai is there already") + same(
        "builds", place.calls("cmake", "--build"), []) + same("fetches", place.calls("git", "fetch"), []))
    place.at("kleidiai/bin/llama-server").write_text("something else")
    place.build()
    report.test("a program that changed is built again, and only its build", expect(place, 0, "generic is there already") + same(
        "builds", [c[2] for c in place.calls("cmake", "--build")], [str(place.at("kleidiai").resolve())]))


def check_refused(report, files):
    other = "0" * 40
    for name, code, words, pins, variables, compiled in (
        ("another commit", 1, f"HEAD is {other}, expected {COMMIT}", {}, {"FAKE_HEAD": other}, 0),
        ("changed sources", 1, "files are changed", {}, {"FAKE_CHANGED": " M ggml/CMakeLists.txt\n"}, 0),
        ("no network", 3, f"commit {COMMIT} cannot be had", {}, {"FAKE_NETWORK": "none"}, 0),
        ("an archive of another digest", 1, "found SHA-256", {"kleidiai_sha256": "0" * 64}, {}, 0),
        ("an archive of another size", 1, "expected 7", {"kleidiai_size_bytes": "7"}, {}, 0),
        ("no cache", 3, "nothing was configured", {}, {"FAKE_CACHE": "none"}, 0),
        ("a cache without the switch", 1, "has no line GGML_CPU_KLEIDIAI:BOOL=OFF; found none", {}, {"FAKE_CACHE": "silent"}, 0),
        ("a compiler that fails", 3, "compiling failed", {}, {"FAKE_COMPILE": "fails"}, 1),
        ("no programs", 3, "was not built", {}, {"FAKE_COMPILE": "nothing"}, 1),
    ):
        place = Place(files, archive(), **pins).build(**variables)
        report.test(f"{name}: exit {code}", expect(place, code, words) + same(
            "compiled", len(place.calls("cmake", "--build")), compiled) + [
            f"{path} says that it was built" for path in place.folder.rglob("*-inputs.txt")])
    place = Place(files, archive("kleidiai-src/other")).build()
    report.test("an archive without kai: exit 1", expect(place, 1, "has no folder kai"))


def check_locks(report, files):
    for name, words, old, new in (
        ("an unknown name", "unknown name 'llama_branch'", "llama_commit", "llama_branch"),
        ("a name that is missing", "'kleidiai_version' is missing", "kleidiai_version v1.24.0\n", ""),
        ("a short commit", "llama_commit: found '67b9b0e'", COMMIT, COMMIT[:7]),
        ("a repository without https", "llama_repository: found 'git:", "https://github.com/ggml-org", "git://github.com/ggml-org"),
        ("a name that stands twice", "'llama_commit' stands twice", "kleidiai_version", f"llama_commit {COMMIT}\nkleidiai_version"),
        ("more than one value", "kleidiai_version: found 'v1.24.0 v1.23.0'", "v1.24.0\n", "v1.24.0 v1.23.0\n"),
    ):
        place = Place(files, archive())
        text = (place.folder / "engines.lock").read_text()
        place.write(text.replace(old, new, 1) if old != "v1.24.0\n" else text.replace(f"kleidiai_version {old}", f"kleidiai_version {new}"))
        place.build()
        report.test(f"a lock with {name} is refused", expect(place, 2, words) + same("commands", place.commands, []))
    lines = (SOURCE / "examples/qwen2.5-ladder/engines.lock").read_text().splitlines()
    pins = dict(line.split() for line in lines if line and not line.startswith("#"))
    url = pins.pop("kleidiai_url")
    report.test("the ladder's lock has the pins of the published study", same("pins", pins, PUBLISHED) + (
        [] if re.fullmatch(r"https://github\.com/ARM-software/kleidiai/.*v1\.24\.0.*\.tar\.gz", url) else [url]))


def main():
    report = Report()
    missing = [name for name in ("curl", "openssl", "flock") if not shutil.which(name)]
    if missing:
        print(f"1..0 # SKIP not here: {', '.join(missing)}")
        return 0
    files = Files(pathlib.Path(WORK.name))
    for check in (check_build, check_refused, check_locks):
        check(report, files)
    files.stop()
    return report.end()


if __name__ == "__main__":
    sys.exit(main())
