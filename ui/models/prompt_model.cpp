// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/prompt_model.h"

#include "ui/models/exchange_texts.h"
#include "ui/models/texts.h"

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {
enum Part_number { heading, body, nothing };
} // namespace

void PromptModel::show(std::shared_ptr<const ChatRequest> request) {
    if (request == m_request)
        return;
    m_request = std::move(request);
    m_messages.clear();
    std::vector<ReadingRow> rows;
    if (m_request) {
        const std::size_t count = m_request->messages.size();
        m_messages.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            Message& message = m_messages[i];
            // The rules of every prompt are the same; what is new stands behind them.
            message.open = m_request->messages[i].role != "system" || count == 1;
            message.blocks.set(QString::fromStdString(m_request->messages[i].content));
            const auto fresh = rows_of(static_cast<int>(i));
            rows.insert(rows.end(), fresh.begin(), fresh.end());
        }
    }
    reset(std::move(rows));
}

std::vector<ReadingRow> PromptModel::rows_of(int message) const {
    std::vector<ReadingRow> made{{ReadingKind::heading, message, message, heading, -1}};
    const Message& one = m_messages[static_cast<std::size_t>(message)];
    if (!one.open)
        return made;
    const auto& blocks = one.blocks.blocks();
    for (std::size_t i = 0; i < blocks.size(); ++i)
        made.push_back(
            {blocks[i].code ? ReadingKind::code : ReadingKind::prose, message, message, body, static_cast<int>(i)});
    if (blocks.empty())
        made.push_back({ReadingKind::note, message, message, nothing, -1});
    return made;
}

void PromptModel::toggle(int at) {
    const int message = row(at).section;
    int first = at;
    while (first > 0 && row(first).part != heading)
        --first;
    int count = 1;
    while (first + count < rowCount() && row(first + count).section == message)
        ++count;
    Message& one = m_messages[static_cast<std::size_t>(message)];
    one.open = !one.open;
    replace(first, count, rows_of(message));
    touch(first, first);
}

QVariant PromptModel::row_data(const ReadingRow& row, int role) const {
    const auto section = static_cast<std::size_t>(row.section);
    if (!m_request || section >= m_messages.size())
        return {};
    const ChatMessage& message = m_request->messages[section];
    const Message& one = m_messages[section];
    if (row.part == nothing)
        return role == Qt::DisplayRole ? QVariant(u"This message is empty."_s) : QVariant();
    if (row.part == heading) {
        switch (role) {
        case ReadingRole::title:
            return message.role == "system"      ? u"Rules (system)"_s
                   : message.role == "user"      ? u"Asked (user)"_s
                   : message.role == "assistant" ? u"Answered (assistant)"_s
                                                 : plain(message.role);
        case ReadingRole::detail:
            return u"about %1 tokens"_s.arg(count_text(estimated_tokens(message.content.size())));
        case ReadingRole::open:
            return one.open;
        case ReadingRole::whole:
            return one.blocks.text();
        default:
            return {};
        }
    }
    const auto at = static_cast<std::size_t>(row.block);
    const auto& blocks = one.blocks.blocks();
    if (row.block < 0 || at >= blocks.size())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return one.blocks.text_of(at);
    case ReadingRole::first:
        return blocks[at].first;
    case ReadingRole::last:
        return blocks[at].last || at + 1 == blocks.size() || !blocks[at + 1].code || blocks[at + 1].first;
    case ReadingRole::first_line:
        return blocks[at].first_line;
    case ReadingRole::language:
        return blocks[at].language;
    case ReadingRole::in_comment:
        return blocks[at].in_comment;
    case ReadingRole::whole:
        return blocks[at].code ? one.blocks.code_of(at) : one.blocks.text();
    default:
        return {};
    }
}

QString PromptModel::text() const {
    QStringList parts;
    if (m_request)
        for (const ChatMessage& message : m_request->messages)
            parts << u"[%1]\n%2"_s.arg(plain(message.role), QString::fromStdString(message.content));
    return parts.join(u"\n\n"_s);
}

} // namespace kf::ui
