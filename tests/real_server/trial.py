#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""kernelforge against llama.cpp's own server: a tiny model that this folder makes writes a kernel, on the CPU device.

Usage: trial.py FOLDER_OF_THE_PROGRAMS SOURCE_FOLDER. Needs the Python packages xllamacpp and gguf; without them it
ends with 77 (skipped). Each step says what was seen; the exit code is 1 when one was not as it has to be.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SECRET = "sk-real-server-5f1c"
failures = 0


def check(what: str, holds: bool, seen: str = "") -> None:
    global failures
    failures += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {what}" + (f"\n        {seen}" if seen and not holds else ""), flush=True)


class Server:
    """Gone at the end of the block, also when it fails."""

    def __init__(self, model: pathlib.Path, *options: str):
        self.command = [sys.executable, str(HERE / "serve.py"), str(model), *options]

    def __enter__(self) -> str:
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        return self.child.stdout.readline().strip() + "/v1"

    def __exit__(self, *_) -> None:
        self.child.stdin.close()
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.child.kill()


def reply_of(start: pathlib.Path) -> str:
    source = start.read_text()
    for old, new in ((r"expf\(-g\)", "__expf(-g)"), (r"BLOCK in \{.*\}", "BLOCK in {256}"),
                     (r"VEC in \{.*\}", "VEC in {4, 8}"), (r"ITEMS in \{.*\}", "ITEMS in {4}")):
        source, count = re.subn(old, new, source)
        if count != 1:
            raise SystemExit(f"trial.py: {start} is not what this reply was made from: {old}")
    thought = "The exponential is the dearest instruction; its fast form is within the tolerance of bfloat16."
    return f"<think>\n{thought}\n</think>\nThe fast exponential, and fewer points.\n\n```cuda\n{source}```\n"


def main() -> int:
    try:
        import gguf  # noqa: F401
        import xllamacpp  # noqa: F401
    except ImportError as missing:
        print(f"skipped: the Python package {missing.name} is not installed (pip install xllamacpp gguf)")
        return 77
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program = pathlib.Path(sys.argv[1]) / "kernelforge"
    home = pathlib.Path(tempfile.mkdtemp(prefix="kf-real-server-"))
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    environment.update(KERNELFORGE_HOME=str(home), LC_ALL="C.UTF-8")

    def run(*words: str, **more: str) -> subprocess.CompletedProcess:
        return subprocess.run([str(program), *words], env={**environment, **more}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=600)

    def task(url: str, *more: str) -> list[str]:
        return ["run", "silu_mul", "--provider", url, "--model", "one-reply", "--points", "2", *more]

    def last_journal() -> tuple[pathlib.Path, list[dict]]:
        folder = max((home / "data" / "runs").iterdir())
        return folder, [json.loads(line) for line in (folder / "journal.jsonl").read_text().splitlines()]

    (home / "reply.txt").write_text(reply_of(pathlib.Path(sys.argv[2]) / "tasks/stage1/silu_mul/start.cu"))
    model = home / "one-reply.gguf"
    subprocess.run([sys.executable, str(HERE / "make_model.py"), str(home / "reply.txt"), str(model)], check=True)

    with Server(model, "--key", SECRET) as url:
        done = run("models", "--provider", url, "--use-key-from", "TRIAL_KEY", TRIAL_KEY=SECRET)
        check("the list of models names it", done.returncode == 0 and "one-reply" in done.stdout, done.stderr)
        done = run(*task(url, "--turns", "1", "--use-key-from", "TRIAL_KEY"), TRIAL_KEY="sk-wrong")
        check("a wrong key ends the run with code 3 and one sentence",
              done.returncode == 3 and "key" in (done.stdout + done.stderr), done.stdout + done.stderr)
        done = run(*task(url, "--turns", "2", "--use-key-from", "TRIAL_KEY"), TRIAL_KEY=SECRET)
        folder, events = last_journal()
        check("a run ends in order", done.returncode == 0, done.stdout + done.stderr)
        turns = [one for one in events if one.get("type") == "turn_finished"]
        check("its kernel was judged, the same again was a duplicate", len(turns) == 3 and "same as turn 1" in done.stdout,
              done.stdout)
        exchanges = [one for one in events if one.get("type") == "model_exchange"]
        check("every exchange has one POST, an end and the server's count of tokens", len(exchanges) == 2 and all(
            one["finish_reason"] == "stop" and one["posts"] == 1 and one["tokens_in"] > 1000 and one["tokens_out"] > 20
            for one in exchanges), json.dumps(exchanges)[:900])
        check("the reasoning is apart from the answer", any("dearest instruction" in path.read_text(errors="replace")
              for path in folder.rglob("*") if path.is_file()), "not found in the run's folder")
        check("the key is nowhere in the home folder", not any(
            SECRET.encode() in path.read_bytes() for path in home.rglob("*") if path.is_file()))

        # Cut off by the limit of the reply: never a success.
        done = run(*task(url, "--turns", "1", "--max-tokens", "16", "--use-key-from", "TRIAL_KEY"), TRIAL_KEY=SECRET)
        check("a reply that is cut off is said to be", "ends inside its code block" in done.stdout, done.stdout + done.stderr)

        # Ctrl-C while it is asked or judged: in order, resumable.
        child = subprocess.Popen([str(program), *task(url, "--turns", "9", "--use-key-from", "TRIAL_KEY")],
                                 env={**environment, "TRIAL_KEY": SECRET}, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(6)
        child.send_signal(signal.SIGINT)
        told = child.communicate(timeout=60)[0]
        check("Ctrl-C stops it in order", child.returncode == 4, f"{child.returncode}: {told}")

    done = run("replay", str(folder), "--fast")
    check("replay needs no server", done.returncode == 0 and "same as turn 1" in done.stdout, done.stderr)
    done = run(*task(url, "--turns", "1", "--use-key-from", "TRIAL_KEY"), TRIAL_KEY=SECRET)
    check("a server that is gone is one sentence", done.returncode == 3 and "127.0.0.1" in done.stdout + done.stderr,
          done.stdout + done.stderr)

    with Server(model, "--context", "1024") as url:
        done = run(*task(url, "--turns", "1"))
        check("a prompt that is too long for the server is recognised",
              "context" in done.stdout + done.stderr, done.stdout + done.stderr)

    key, certificate = home / "key.pem", home / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out",
                    str(certificate)], check=True, capture_output=True)
    with Server(model, "--tls", str(key), str(certificate)) as url:
        done = run("models", "--provider", url)
        check("a certificate that nobody vouches for is refused", done.returncode != 0
              and "certificate" in (done.stdout + done.stderr).lower(), done.stdout + done.stderr)
        done = run("models", "--provider", url, SSL_CERT_FILE=str(certificate))
        check("one that the system's list vouches for is taken", done.returncode == 0 and "one-reply" in done.stdout,
              done.stdout + done.stderr)
    print(f"{failures} failures; llama.cpp of xllamacpp {xllamacpp.__version__ if hasattr(xllamacpp, '__version__') else ''}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
