#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""llama.cpp's own server (from the package xllamacpp) on a model file, until standard input closes.

Usage: serve.py MODEL.gguf [--key KEY] [--context TOKENS] [--tls KEY.pem CERT.pem]. Prints its URL.
"""
import argparse
import socket
import ssl
import sys
import threading

import xllamacpp


def carry(source, target) -> None:
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def encrypt(port: int, key: str, certificate: str) -> int:
    """A port that speaks TLS in front of `port`: the package's server is built without it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            plain, _ = listener.accept()
            try:
                outer = context.wrap_socket(plain, server_side=True)
            except (ssl.SSLError, OSError):
                continue  # the client did not like the certificate
            inner = socket.create_connection(("127.0.0.1", port))
            for pair in ((outer, inner), (inner, outer)):
                threading.Thread(target=carry, args=pair, daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--key")
    parser.add_argument("--context", type=int, default=32768)
    parser.add_argument("--tls", nargs=2)
    given = parser.parse_args()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    params = xllamacpp.CommonParams()
    params.model.path = given.model
    params.model_alias = ["one-reply"]
    params.n_ctx = given.context
    params.n_parallel = 1
    params.port = port
    params.cpuparams.n_threads = 1
    params.use_jinja = True
    if given.key:
        params.api_keys = [given.key]
    server = xllamacpp.Server(params)
    if given.tls:
        print(f"https://127.0.0.1:{encrypt(port, *given.tls)}", flush=True)
    else:
        print(server.listening_address, flush=True)
    sys.stdin.read()
    return 0


if __name__ == "__main__":
    sys.exit(main())
