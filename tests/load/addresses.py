"""`load` and addresses, proxies, keys, clocks, locales, connections, TLS. TAP."""

import json
import os
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time

from harness import BINARY, Faults, Sim, Started, Unchecked, load, main, not_here, went  # noqa: F401
from peers import Peer, Prompts, plain

FAST = ("--token-time", "1ms", "--prefill", "1us")
SHORT = ("--prompt-tokens", "32", "--output-tokens", "4")
KEY = "sk-Zk7-t0p-secret-0123456789"


def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def has_ipv6():
    try:
        with socket.create_server(("::1", 0), family=socket.AF_INET6):
            return True
    except OSError:
        return False


# ---- proxies -------------------------------------------------------------------------------------

def b153_proxies_of_the_environment_are_used_by_nothing_and_named_once(f):
    trap = f"http://127.0.0.1:{closed_port()}"
    names = ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
    with Sim(*FAST) as sim:
        env = {**{name: trap for name in names}, "no_proxy": "", "NO_PROXY": ""}
        out = subprocess.run([BINARY, "load", sim.url, "--json", "--requests", "2", *SHORT],
                             env={**os.environ, **env}, capture_output=True, text=True, timeout=60)
        f.true("exit code", out.returncode in (0, 3), out.returncode)  # 3: a busy machine
        f.equal("ok", json.loads(out.stdout)["levels"][0]["counts"]["ok"], 2)
        f.equal("times that a proxy is named", out.stderr.count("proxies are not used"), 1)
        f.true("which variable it is stands there", "http_proxy" in out.stderr, out.stderr)
        bare = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        out = subprocess.run([BINARY, "load", sim.url, "--json", "--requests", "1", *SHORT],
                             env=bare, capture_output=True, text=True, timeout=60)
        f.true("nothing is said without one", "prox" not in out.stderr, out.stderr)


# ---- addresses -----------------------------------------------------------------------------------

def b154_an_ipv6_literal_is_called_and_named_with_brackets(f):
    if not has_ipv6():
        return not_here("no IPv6")
    with Peer(host="::1") as peer, Prompts() as prompts:
        for url in (peer.url, peer.url + "/v1", peer.url + "/v1/"):
            run = load(url, "--requests", "1", "--prompts", prompts)
            went(f, run)
            f.equal("address", run.level["observed"]["server_address"], "::1")
        f.equal("Host of all requests", {r["headers"]["host"] for r in peer.requests},
                {f"[::1]:{peer.port}"})
        f.equal("paths", {r["path"] for r in peer.posts}, {"/v1/chat/completions"})


def b155_localhost_reaches_a_server_of_either_family(f):
    # libcurl knows both addresses of localhost by itself
    hosts = ["127.0.0.1"] + (["::1"] if has_ipv6() else [])
    if len(hosts) == 1:
        not_here("no IPv6")
    for host in hosts:
        with Peer(host=host) as peer, Prompts() as prompts:
            run = load(f"http://localhost:{peer.port}", "--requests", "2", "--prompts", prompts)
            went(f, run)
            f.equal(f"ok on {host}", run.level["counts"]["ok"], 2)
            f.equal(f"address on {host}", run.level["observed"]["server_address"], host)
            f.equal("Host", {r["headers"]["host"] for r in peer.requests},
                    {f"localhost:{peer.port}"})


# ---- keys ----------------------------------------------------------------------------------------

class Key:
    """The key in a file, as an option."""

    def __init__(self, key=KEY):
        self.folder = tempfile.TemporaryDirectory(prefix="load-key-")
        self.path = pathlib.Path(self.folder.name, "key")
        self.path.write_text(key + "\n")

    def __enter__(self):
        return str(self.path)

    def __exit__(self, *_):
        self.folder.cleanup()


def b156_a_key_opens_a_server_that_demands_it_everywhere(f):
    with Key() as path, Sim(*FAST, "--api-key-file", path) as sim:
        for door in ("/props", "/slots", "/metrics"):
            f.equal(f"{door} without the key", sim.get(door)[0], 401)
        run = load(sim.url, "--requests", "2", *SHORT)
        f.exit(run, 2)
        f.true("what is missing is said", "--api-key-file" in run.stderr, run.stderr)
        run = load(sim.url, "--requests", "2", "--api-key-file", path, *SHORT)
        went(f, run)
        f.equal("ok, key of a file", run.level["counts"]["ok"], 2)
        f.equal("what it is, from /props", run.report["run"]["origin"], "simulated")
        run = load(sim.url, "--requests", "2", "--api-key-env", "A_KEY", *SHORT, env={"A_KEY": KEY})
        went(f, run)
        f.equal("ok, key of a variable", run.level["counts"]["ok"], 2)
        run = load(sim.url, "--requests", "2", "--api-key-env", "A_KEY", *SHORT,
                   env={"A_KEY": KEY + "x"})
        f.exit(run, 2)
        f.true("a wrong key is not shown", KEY not in run.stderr + run.stdout, run.stderr)


def outputs_of(url, key_path, *args):
    """Every byte that a load leaves: streams, files, and the command line that others see."""
    with tempfile.TemporaryDirectory(prefix="load-out-") as folder:
        files = {name: os.path.join(folder, name) for name in
                 ("output", "samples", "levels-csv", "requests-csv")}
        options = [word for name, path in files.items() for word in (f"--{name}", path)]
        process = subprocess.Popen([BINARY, "load", url, "--api-key-file", key_path, *options, *args],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        listed = b""
        for _ in range(20):
            try:
                listed += pathlib.Path(f"/proc/{process.pid}/cmdline").read_bytes()
                listed += pathlib.Path(f"/proc/{process.pid}/comm").read_bytes()
            except OSError:
                break
            time.sleep(0.01)
        out, err = process.communicate(timeout=60)
        left = {name: pathlib.Path(path).read_bytes() for name, path in files.items()
                if os.path.exists(path)}
    return process.returncode, {"stdout": out, "stderr": err, "process list": listed, **left}


def search(f, what, outputs, words):
    for name, data in outputs.items():
        for word in words:
            if word.encode() in data:
                at = data.index(word.encode())
                f.append(f"{what}: {word!r} stands in {name}: {data[max(0, at - 60):at + 60]!r}")


def b145_the_key_is_in_no_output(f):
    with Key() as path, Sim(*FAST, "--api-key-file", path) as sim:
        code, outputs = outputs_of(sim.url, path, "--requests", "2", *SHORT)
        f.true("exit code", code in (0, 3), code)  # 3: a busy machine
        f.equal("files", sorted(outputs), sorted(["stdout", "stderr", "process list", "output",
                                                  "samples", "levels-csv", "requests-csv"]))
        search(f, "a good run", outputs, [KEY])


def echoing(status, text):
    """Refuses each request with the key that it carries, as some gateways do."""
    def answer(request):
        if request["method"] != "POST":
            return None
        key = request["headers"]["authorization"].removeprefix("Bearer ")
        return plain(status, text(key))
    return answer


ECHOES = (
    ("an error object", 401, lambda key: {"error": {"message": f"Incorrect API key: {key}."}}),
    ("a page", 500, lambda key: f"<html>bad Authorization: Bearer {key}</html>".encode()),
    ("twice, at the end", 503, lambda key: {"error": f"{key} is not {key}"}),
    ("a page that is cut inside it", 502, lambda key: b"x" * 285 + key.encode()),
    ("an error in a stream", 200, lambda key: {"error": {"message": f"key {key} has no credit"}}),
)


def b145_a_server_that_echoes_the_key_does_not_bring_it_into_an_output(f):
    with Key() as path, Prompts() as prompts:
        for what, status, text in ECHOES:
            with Peer(answer=echoing(status, text)) as peer:
                code, outputs = outputs_of(peer.url, path, "--requests", "3", "--prompts", prompts)
                f.equal(f"{what}: exit code", code, 1)
                search(f, what, outputs, [KEY, KEY[:12]])
                f.true(f"{what}: that something was taken out is shown",
                       b"[key]" in outputs["samples"], outputs["samples"][:400])


def b145_a_key_echoed_before_the_load_is_not_in_the_message(f):
    """Once by a server that seems a llama-server and refuses to tell tokens, once by one that has
    put the key into the name of its model."""
    def answer(request):
        key = request["headers"]["authorization"].removeprefix("Bearer ")
        if request["path"] == "/props" and like_llama:
            return plain(200, {"default_generation_settings": {"n_ctx": 512}, "total_slots": 1,
                               "build_info": key, "model_path": key})
        if request["path"] == "/v1/models":
            return plain(200, {"data": [{"id": f"model of {key}"}]})
        return plain(400, {"error": {"message": f"no, {key}"}})

    with Key() as path, Peer(answer=answer) as peer, Prompts() as prompts:
        like_llama = True
        code, outputs = outputs_of(peer.url, path, "--requests", "1", *SHORT)
        f.equal("exit code", code, 2)
        search(f, "tokens cannot be asked", outputs, [KEY])
        like_llama = False
        code, outputs = outputs_of(peer.url, path, "--requests", "1", "--prompts", prompts)
        f.equal("exit code of refused requests", code, 1)
        search(f, "named by the server", outputs, [KEY])
        f.equal("model of the report", json.loads(outputs["output"])["run"]["model"],
                "model of [key]")


def b145_user_and_password_of_a_url_are_in_no_output(f):
    with Key() as path, Peer() as peer, Prompts() as prompts:
        url = peer.url.replace("://", "://anna:pass-w0rd@")
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder, "report.json")
            out = subprocess.run([BINARY, "load", url, "--requests", "1", "--prompts", prompts,
                                  "--output", report], capture_output=True, timeout=60)
            left = report.read_bytes() if report.exists() else b""
        search(f, "a URL", {"stdout": out.stdout, "stderr": out.stderr, "report": left},
               ["pass-w0rd"])
        peer.listener.close()
        out = subprocess.run([BINARY, "load", url, "--requests", "1", "--prompts", prompts],
                             capture_output=True, timeout=60)
        f.equal("nobody answers", out.returncode, 2)
        search(f, "an error", {"stderr": out.stderr}, ["pass-w0rd"])


# ---- clocks --------------------------------------------------------------------------------------

SHIFT = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The wall clock jumps by SHIFT_S, SHIFT_AFTER_MS after the first look at it. */
static long long now_ns(clockid_t id)
{
    struct timespec t;

    syscall(SYS_clock_gettime, id, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
    static long long first_ns;
    long long mono_ns = now_ns(CLOCK_MONOTONIC);

    if (syscall(SYS_clock_gettime, id, t) != 0)
        return -1;
    if (first_ns == 0)
        first_ns = mono_ns;
    if (id == CLOCK_REALTIME && mono_ns - first_ns > atoll(getenv("SHIFT_AFTER_MS")) * 1000000LL)
        t->tv_sec += atol(getenv("SHIFT_S"));
    return 0;
}

time_t time(time_t *out)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    if (out != NULL)
        *out = t.tv_sec;
    return t.tv_sec;
}

int gettimeofday(struct timeval *out, void *zone)
{
    struct timespec t;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &t);
    out->tv_sec = t.tv_sec;
    out->tv_usec = t.tv_nsec / 1000;
    return 0;
}
"""


def library_of(source, folder):
    """A shared library of C text, or None where there is no compiler or a sanitizer stands first."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    text, out = pathlib.Path(folder, "shift.c"), pathlib.Path(folder, "shift.so")
    text.write_text(source)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", out, text, "-ldl"], check=True,
                   timeout=60)
    return str(out)


def is_sanitized():
    return b"__asan_init" in pathlib.Path(BINARY).read_bytes()


def b158_b159_a_wall_clock_that_jumps_changes_no_duration_and_is_flagged(f):
    if is_sanitized():
        raise Unchecked("a sanitizer wants to be the first library")
    with tempfile.TemporaryDirectory() as folder, Sim("--token-time", "20ms") as sim:
        library = library_of(SHIFT, folder)
        if library is None:
            raise Unchecked("no C compiler")
        for shift_s in (-7200, 7200):
            began = time.time()
            run = load(sim.url, "--requests", "30", "--prompt-tokens", "32", "--output-tokens", "3",
                       "--slo", "ttft.p50<=10s", env={"LD_PRELOAD": library, "SHIFT_S": str(shift_s),
                                                      "SHIFT_AFTER_MS": "700"})
            took_s = time.time() - began
            f.exit(run, 3)
            f.equal("samples", len(run.measured), 30)
            check_durations(f, run, took_s)
            check_flagged(f, run, shift_s, began)


def check_durations(f, run, took_s):
    """The last token is 40 ms after the first, however late we woke for either; the rest is bounded by
    what we waited."""
    for s in run.measured:
        f.between("TTFT, ms", s["ttft_ns"] / 1e6, 0, took_s * 1e3)
        f.between("E2E, ms", s["e2e_ns"] / 1e6, 40, took_s * 1e3)
        f.true("the end is behind the first token", s["e2e_ns"] >= s["ttft_ns"])
        f.true("nothing is negative", min(s["gaps_ns"]) >= 0 and s["started_ns"] >= 0)
    observed = run.level["observed"]
    f.between("length of the level, s", observed["ended_at_ns"] / 1e9, 1.2, took_s)


def check_flagged(f, run, shift_s, began):
    observed = run.level["observed"]
    f.equal("clock_was_set", observed["clock_was_set"], True)
    f.between("drift, s", observed["clock_drift_ns"] / 1e9, shift_s - 1, shift_s + 1)
    f.true("a doubt", "clock-set" in run.level["doubts"], run.level["doubts"])
    f.equal("verdict", run.level["verdict"], "undecided")
    f.between("start by the wall clock", run.report["run"]["started_unix_ms"] / 1e3, began - 1,
              began + 5)
    cut = [s for s in run.measured if "clock-was-set" in s["flags"]]
    f.true("the request under way is flagged, and few others are", 1 <= len(cut) <= 3, len(cut))


# ---- locale --------------------------------------------------------------------------------------

LOCALE = r"""
#include <locale.h>

/* As a library does that sets the locale of the environment before our main. */
__attribute__((constructor)) static void set(void)
{
    setlocale(LC_ALL, "");
}
"""


def german(folder):
    """The environment of a locale with a decimal comma, made here where it is not installed."""
    if shutil.which("localedef") is None:
        return None
    made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8",
                           os.path.join(folder, "de_DE.UTF-8")], capture_output=True, timeout=60)
    if made.returncode != 0:
        return None
    return {"ASAN_OPTIONS": "detect_leaks=0",  # glibc keeps a copy of LOCPATH
            "LOCPATH": folder, "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


def b161_a_decimal_comma_of_the_locale_changes_no_byte(f):
    with tempfile.TemporaryDirectory() as folder, Sim(*FAST) as sim:
        env = german(folder)
        if env is None:
            raise Unchecked("no localedef with de_DE")
        comma = subprocess.run(["printf", "%.1f", "0,5"], env={**os.environ, **env}, text=True,
                               capture_output=True)
        f.equal("the locale has a comma", comma.stdout, "0,5")
        run = load(sim.url, "--rate", "100.5/s", "--requests", "3", "--slo", "ttft.p99.5<=1.5s", *SHORT,
                   env=env)
        f.true("options with a point are read", run.report is not None, run.stderr)
        f.equal("rate", run.level["asked"]["rate_per_second"], 100.5)
        f.equal("demand", run.report["rules"]["slos"][0]["limit_ns"], 1_500_000_000)
        if not is_sanitized():
            library = library_of(LOCALE, folder)
            env = {**env, "LD_PRELOAD": library} if library else env
        f.equal("the same report made in both locales", documents(env), documents({}))


def documents(env):
    """What pure commands write: reports and tables of fixtures of the tree."""
    source = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
    out = {}
    study = sorted(source.glob("tests/fixtures/load/**/*.json"))
    for path in study:
        made = subprocess.run([BINARY, "validate", path], env={**os.environ, **env},
                              capture_output=True, timeout=60)
        out[path.name] = (made.returncode, made.stdout)
    rows = sorted(source.glob("tests/golden/import-llama-bench/**/*.json*"))[:5]
    for path in rows:
        made = subprocess.run([BINARY, "compare-llama-bench", path, path],
                              env={**os.environ, **env}, capture_output=True, timeout=60)
        out[path.name] = (made.returncode, made.stdout)
    return out


# ---- replies and connections ---------------------------------------------------------------------

def b163_interim_replies_are_not_the_reply(f):
    for number in ("100", "102", "103"):
        with Sim("--token-time", "5ms", "--fault", f"interim:{number}") as sim:
            run = load(sim.url, "--requests", "2", *SHORT)
            went(f, run)
            f.equal(f"status behind {number}", {s["http_status"] for s in run.measured}, {200})
            f.equal(f"tokens behind {number}", {s["tokens"]["generated"] for s in run.measured}, {4})


def b163_an_early_interim_reply_is_not_the_first_byte(f):
    """103 at once, the answer 300 ms later: time to first token is that of the answer."""
    head = "HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n"
    tape = "\n".join([
        'send "HTTP/1.1 103 Early Hints\\r\\nLink: </x>\\r\\n\\r\\n"',
        "pause 300ms",
        f'send "{head}Transfer-Encoding: chunked\\r\\n\\r\\n"',
        'chunk "data: {\\"choices\\":[{\\"delta\\":{\\"content\\":\\" a\\"}}]}\\n\\n"',
        'chunk "data: [DONE]\\n\\n"',
        "last-chunk", ""])
    with Prompts(tape) as path, Sim("--tape", path) as sim:
        run = load(sim.url, "--requests", "2", "--free-length", "--first-byte-timeout", "5s", *SHORT)
        went(f, run)
        for s in run.measured:
            f.between("TTFT, ms", (s["ttft_ns"] or 0) / 1e6, 295, 5000)


def b165_kept_connections_are_one_and_fresh_ones_are_as_many_as_requests(f):
    for args, opened, reused in (((), 20, 0), (("--keep-alive",), 1, 19)):
        with Sim(*FAST) as sim:
            run = load(sim.url, "--requests", "20", "--warm-up", "0", *args, *SHORT)
            sim.stop()
            went(f, run)
            observed = run.level["observed"]
            f.equal(f"opened {args}", observed["connections_opened_count"], opened)
            f.equal(f"reused {args}", observed["connections_reused_count"], reused)
            f.equal(f"samples that reused {args}",
                    sum("connection-reused" in s["flags"] for s in run.measured), reused)
            f.equal(f"connections that the server saw {args}",
                    len({line["connection"] for line in sim.lines("arrival")}), opened)


def b165_a_server_that_closes_gets_new_connections_though_they_could_be_kept(f):
    with Sim(*FAST, "--fault", "close") as sim:
        run = load(sim.url, "--requests", "6", "--warm-up", "0", "--keep-alive", *SHORT)
        went(f, run)
        f.equal("opened", run.level["observed"]["connections_opened_count"], 6)
        f.equal("reused", run.level["observed"]["connections_reused_count"], 0)


def b166_many_workers_with_one_request_each(f):
    with Sim(*FAST, "--slots", "32") as sim:
        run = load(sim.url, "--clients", "32", "--workers", "32", "--requests", "32", "--warm-up", "0",
                   *SHORT)
        sim.stop()
        f.equal("ok", run.level["counts"]["ok"], 32)
        f.equal("workers", run.level["observed"]["worker_count"], 32)
        f.equal("numbers", sorted(s["index"] for s in run.measured), list(range(1, 33)))
        f.equal("requests that the server saw", len(sim.lines("arrival")), 32)
        f.true("none begins before the measured part",
               all(s["started_ns"] >= run.level["observed"]["measured_at_ns"] for s in run.measured))


# ---- TLS -----------------------------------------------------------------------------------------

class Certificate:
    """Signed by itself, for 127.0.0.1 and localhost, made here."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="load-tls-")
        self.path, self.key = (os.path.join(self.folder.name, n) for n in ("cert.pem", "key.pem"))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                        "-keyout", self.key, "-out", self.path],
                       check=True, capture_output=True, timeout=60)

    @property
    def context(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path, self.key)
        return context


def tls_trusts_what_it_is_told_to_and_keeps_the_stamps_of_the_kernel(f):
    certificate = Certificate()
    with Peer(tokens=5, pause_s=0.03, tls=certificate.context) as peer, Prompts() as prompts:
        for args in (("--ca-file", certificate.path), ("--insecure",)):
            peer.written_ns.clear()
            run = load(peer.url, "--requests", "3", "--warm-up", "0", "--prompts", prompts, *args,
                       "--output-tokens", "5")
            went(f, run)
            f.equal(f"ok {args[0]}", run.level["counts"]["ok"], 3)
            check_tls_times(f, run, args[0])


def check_tls_times(f, run, what):
    """Five tokens 30 ms apart: four gaps, whose sum is at least 120 ms by the server's sleeps."""
    for s in run.measured:
        f.equal(f"tokens {what}", s["tokens"]["generated"], 5)
        f.equal(f"gaps {what}", len(s["gaps_ns"]), 4)
        f.between(f"last - first, ms {what}", (s["e2e_ns"] - s["ttft_ns"]) / 1e6, 105, 5000)
        f.true(f"stamps are the kernel's {what}", s["kernel_arrival_count"] >= 5, s["kernel_arrival_count"])
        f.equal(f"stamps of our own {what}", s["user_arrival_count"], 0)


def tls_refuses_what_nobody_vouches_for(f):
    certificate, other = Certificate(), Certificate()
    with Peer(tls=certificate.context) as peer, Prompts() as prompts:
        for args in ((), ("--ca-file", other.path)):
            run = load(peer.url, "--requests", "2", "--prompts", prompts, *args)
            f.exit(run, 2)
            f.true("the reason is the certificate", "certificate" in run.stderr, run.stderr)
        f.equal("requests that came through", len(peer.requests), 0)
        run = load(peer.url, "--requests", "2", "--prompts", prompts, "--ca-file", "/nowhere.pem")
        f.exit(run, 2)
        f.true("a missing file is named", "/nowhere.pem" in run.stderr, run.stderr)


def tls_checks_the_name(f):
    certificate = Certificate()
    with Peer(tls=certificate.context, host="127.0.0.2") as peer, Prompts() as prompts:
        run = load(peer.url, "--requests", "1", "--prompts", prompts, "--ca-file", certificate.path)
        f.exit(run, 2)
        f.equal("requests that came through", len(peer.requests), 0)


CHECKS = [(name.replace("_", " "), check) for name, check in list(globals().items())
          if name.startswith(("b1", "tls_"))]

if __name__ == "__main__":
    sys.exit(main(CHECKS))
