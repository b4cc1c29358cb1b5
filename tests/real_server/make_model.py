#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes a tiny GGUF model that says one fixed reply, for a trial with a real llama.cpp server.

Usage: make_model.py REPLY.txt MODEL.gguf

The model is a chain: every line of the reply is a token of its own, embedded as a unit vector, and the output matrix
points from each to the next. Attention and feed-forward weights are zero, so nothing else counts. A prompt ends with
the token <|assistant|>, which leads to the first line; the last leads to the end of the text. Everything that is not a
line of the reply is spelt in bytes. A line that occurs again gets spaces at its end, since a vocabulary has each text once.
"""
import sys

import gguf
import numpy as np

WIDTH, CONTEXT = 1024, 65536
TEMPLATE = "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}<|assistant|>"


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    kinds = gguf.TokenType
    tokens = [("<unk>", kinds.UNKNOWN), ("<s>", kinds.CONTROL), ("</s>", kinds.CONTROL), ("<|assistant|>", kinds.CONTROL)]
    tokens += [(f"<0x{byte:02X}>", kinds.BYTE) for byte in range(256)]
    first = len(tokens)
    seen = set()
    for line in lines:
        while line in seen:
            line = line.rstrip("\n") + " \n"
        seen.add(line)
        tokens.append((line.replace(" ", "\u2581"), kinds.NORMAL))  # SentencePiece writes a space as U+2581
    if len(tokens) > WIDTH:
        print(f"make_model.py: at most {WIDTH - first} lines", file=sys.stderr)
        return 2

    count = len(tokens)
    embedding = np.zeros((count, WIDTH), dtype=np.float32)
    embedding[np.arange(count), np.arange(count)] = 1
    output = np.zeros((count, WIDTH), dtype=np.float32)
    chain = [3, *range(first, count), 2]
    for now, then in zip(chain, chain[1:]):
        output[then, now] = 2

    writer = gguf.GGUFWriter(sys.argv[2], "llama")
    writer.add_name("one reply")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(16)
    writer.add_head_count_kv(16)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // 16)
    writer.add_vocab_size(count)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text.encode() for text, _ in tokens])
    writer.add_token_scores([-1e4] * count)
    writer.add_token_types([int(kind) for _, kind in tokens])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    ones = np.ones(WIDTH, dtype=np.float32)
    square = np.zeros((WIDTH, WIDTH), dtype=np.float32)
    writer.add_tensor("token_embd.weight", embedding)
    writer.add_tensor("output_norm.weight", ones)
    writer.add_tensor("output.weight", output)
    writer.add_tensor("blk.0.attn_norm.weight", ones)
    writer.add_tensor("blk.0.ffn_norm.weight", ones)
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        writer.add_tensor(f"blk.0.{name}.weight", square)
    writer.add_tensor("blk.0.ffn_gate.weight", np.zeros((32, WIDTH), dtype=np.float32))
    writer.add_tensor("blk.0.ffn_up.weight", np.zeros((32, WIDTH), dtype=np.float32))
    writer.add_tensor("blk.0.ffn_down.weight", np.zeros((WIDTH, 32), dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
