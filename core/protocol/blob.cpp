// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/protocol/blob.h"

#include "core/base/sha256.h"
#include "core/protocol/base64.h"

#include <algorithm>

namespace kf {

bool is_blob_hash(std::string_view text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(),
                                            [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

Result<Json> answer_blob_get(const Json& params, const BlobProvider& provider) {
    const std::string hash = get_string(params, "hash");
    const std::int64_t offset = get_int(params, "offset", 0);
    const std::int64_t limit = get_int(params, "limit", blob_chunk_bytes);
    if (!is_blob_hash(hash))
        return make_error("rpc-params", "blob.get: \"hash\" is not 64 lower-case hexadecimal digits");
    if (offset < 0 || limit < 1)
        return make_error("rpc-params", "blob.get: \"offset\" or \"limit\" is out of range");
    auto blob = provider(hash);
    if (!blob)
        return blob.error();
    const std::size_t begin = std::min(static_cast<std::size_t>(offset), blob->size());
    const std::size_t count = std::min(static_cast<std::size_t>(limit), blob_chunk_bytes);
    return Json{{"data", base64_encode(std::string_view(*blob).substr(begin, count))}, {"size", blob->size()}};
}

RpcServer::Handler blob_handler(BlobProvider provider) {
    return [provider = std::move(provider)](RpcCall& call) { return answer_blob_get(call.params(), provider); };
}

Result<std::string> fetch_blob(const Ask& ask, const std::string& hash, std::size_t limit) {
    const auto corrupt = [&](const std::string& why) {
        return make_error("blob-corrupt", "the blob " + hash.substr(0, 12) + " came wrong: " + why, "ask again");
    };
    std::string blob;
    std::int64_t size = -1;
    do {
        auto reply = ask("blob.get", Json{{"hash", hash}, {"offset", blob.size()}, {"limit", blob_chunk_bytes}});
        if (!reply)
            return reply.error();
        const std::int64_t told = get_int(*reply, "size", -1);
        if (told < 0 || (size >= 0 && told != size))
            return corrupt("its size is missing or changed on the way");
        size = told;
        if (static_cast<std::size_t>(size) > limit)
            return make_error("too-large", "the blob " + hash.substr(0, 12) + " has " + std::to_string(size) +
                                               " bytes, at most " + std::to_string(limit) + " are accepted");
        const auto chunk = base64_decode(get_string(*reply, "data"));
        if (!chunk)
            return corrupt(chunk.error().message);
        if (blob.size() + chunk->size() > static_cast<std::size_t>(size))
            return corrupt("more bytes came than it has");
        if (chunk->empty() && blob.size() < static_cast<std::size_t>(size))
            return corrupt("it ends early");
        blob += *chunk;
    } while (blob.size() < static_cast<std::size_t>(size));
    if (sha256(std::string_view(blob)) != hash)
        return corrupt("its bytes do not fit the hash");
    return blob;
}

} // namespace kf
