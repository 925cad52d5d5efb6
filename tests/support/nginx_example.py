"""examples/serve/nginx.conf as nginx reads it, and the page that shows it against the file. TAP.

nginx itself is not needed to build or to run ParetoPilot; without it this is skipped.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile

from tap import Report

SOURCE = pathlib.Path(os.environ["PARETOPILOT_SOURCE"])
CONFIG = SOURCE / "examples/serve/nginx.conf"


def find_nginx():
    given = os.environ.get("PARETOPILOT_NGINX")
    return given or shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def refused(nginx, text):
    """What nginx says of a configuration that it does not take; None when it takes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "nginx.conf")
        path.write_text(text, encoding="utf-8")
        run = subprocess.run([nginx, "-t", "-p", folder, "-c", str(path)], capture_output=True, text=True, timeout=30)
        return None if run.returncode == 0 else run.stderr


def main():
    nginx = find_nginx()
    if not nginx:
        print("1..0 # SKIP no nginx (Debian: nginx)")
        return
    report = Report()
    text = CONFIG.read_text(encoding="utf-8")
    said = refused(nginx, text)
    report.test("nginx takes the example", [said] if said else [])
    for line in ("limit_req_status 429;", "proxy_buffering off;", "proxy_read_timeout 3660s;"):
        broken = text.replace(line, line.replace(" ", "_x ", 1), 1)
        report.test(f"nginx refuses it with {line.split()[0]} misspelt",
                    [] if broken != text and refused(nginx, broken) else ["accepted"])
    print(f"1..{report.number}")


main()
