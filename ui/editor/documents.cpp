// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/documents.h"

#include <algorithm>

namespace kf::ui {
namespace {

QString turn_word(int turn) {
    return turn == 0 ? QStringLiteral("start kernel") : QStringLiteral("turn %1").arg(turn);
}

} // namespace

DocumentSet::DocumentSet(RunStore& store, QObject* parent) : QObject(parent), m_store(store) {
    connect(&store, &RunStore::changed, this, &DocumentSet::refresh);
    connect(&store, &RunStore::was_reset, this, [this] {
        m_opened.clear();
        refresh();
    });
    refresh();
}

std::optional<Document> DocumentSet::of_turn(DocumentKind kind, int number) const {
    const auto found = m_store.state().turns.find(number);
    if (found == m_store.state().turns.end() || found->second.source.empty())
        return std::nullopt;
    const TurnState& turn = found->second;
    Document document;
    document.kind = kind;
    document.turn = number;
    document.blob = QString::fromStdString(turn.source);
    document.file_name = QString::fromStdString(turn.file_name);
    if (document.file_name.isEmpty())
        document.file_name = QStringLiteral("candidate.cu");
    switch (kind) {
    case DocumentKind::champion:
        document.id = QStringLiteral("champion");
        document.title = QStringLiteral("champion · ") + turn_word(number);
        document.star = turn.mark == TurnMark::promoted;
        break;
    case DocumentKind::start:
        document.id = QStringLiteral("start");
        document.title = turn_word(0);
        break;
    case DocumentKind::proposal:
        document.id = QStringLiteral("proposal");
        document.title = QString::fromStdString(turn.author) + QStringLiteral(" · ") + turn_word(number);
        if (!turn.finished)
            document.title += QStringLiteral(" …");
        break;
    default:
        document.id = QStringLiteral("turn:%1").arg(number);
        document.title = turn_word(number);
        break;
    }
    return document;
}

void DocumentSet::refresh() {
    const RunState& state = m_store.state();
    std::vector<Document> next;
    const int champion = state.champion() ? state.champion()->turn : -1;
    if (champion >= 0)
        if (auto document = of_turn(DocumentKind::champion, champion))
            next.push_back(std::move(*document));
    // The latest text of model or tuner that is not the champion itself.
    for (auto it = state.turns.rbegin(); it != state.turns.rend(); ++it) {
        const TurnState& turn = it->second;
        if ((turn.author != "model" && turn.author != "tuner") || turn.source.empty())
            continue;
        if (it->first != champion)
            if (auto document = of_turn(DocumentKind::proposal, it->first))
                next.push_back(std::move(*document));
        break;
    }
    if (champion != 0)
        if (auto document = of_turn(DocumentKind::start, 0))
            next.push_back(std::move(*document));
    for (const int turn : m_opened)
        if (auto document = of_turn(DocumentKind::turn, turn))
            next.push_back(std::move(*document));
    if (next == m_documents)
        return;
    m_documents = std::move(next);
    Q_EMIT changed();
}

const Document* DocumentSet::find(const QString& id) const {
    const auto found = std::find_if(m_documents.begin(), m_documents.end(),
                                    [&](const Document& document) { return document.id == id; });
    return found == m_documents.end() ? nullptr : &*found;
}

Result<QByteArray> DocumentSet::source_of(const Document& document) const {
    auto text = m_store.blob(document.blob.toStdString());
    if (!text)
        return text.error();
    return QByteArray::fromStdString(*text);
}

QString DocumentSet::open_turn(int turn) {
    for (const Document& document : m_documents)
        if (document.turn == turn)
            return document.id;
    if (!of_turn(DocumentKind::turn, turn))
        return {};
    m_opened.push_back(turn);
    refresh();
    return QStringLiteral("turn:%1").arg(turn);
}

void DocumentSet::close_turn(const QString& id) {
    const Document* document = find(id);
    if (!document || document->kind != DocumentKind::turn)
        return;
    std::erase(m_opened, document->turn);
    refresh();
}

} // namespace kf::ui
