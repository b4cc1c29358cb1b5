// SPDX-License-Identifier: GPL-3.0-or-later
// Blobs over the protocol: what is too large for a line is asked for by its SHA-256, chunk by chunk.
// `blob.get {hash, offset = 0, limit = blob_chunk_bytes}` → {data: base64, size: bytes of the whole blob}.
#pragma once

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/protocol/server.h"

#include <functional>
#include <string>

namespace kf {

// As base64 it stays below the limit of a line.
inline constexpr std::size_t blob_chunk_bytes = std::size_t{512} << 10;

// 64 lower-case hexadecimal digits: nothing else is ever made part of a path.
bool is_blob_hash(std::string_view text);

// The whole blob by its hash; "blob-missing" when there is none.
using BlobProvider = std::function<Result<std::string>(const std::string& hash)>;

// Answers one `blob.get`. Errors: "rpc-params", those of the provider.
Result<Json> answer_blob_get(const Json& params, const BlobProvider& provider);
RpcServer::Handler blob_handler(BlobProvider provider);

// Fetches a blob of at most `limit` bytes and checks its hash. `ask` sends one request: HelperClient::request or
// RpcServer::request_peer. Errors: "too-large", "blob-corrupt" (the peer's data do not fit the hash), those of `ask`.
using Ask = std::function<Result<Json>(const std::string& method, Json params)>;
Result<std::string> fetch_blob(const Ask& ask, const std::string& hash, std::size_t limit);

} // namespace kf
