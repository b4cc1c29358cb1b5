// SPDX-License-Identifier: GPL-3.0-or-later
// Which texts of the run stand beside the draft: champion, start kernel, the latest proposal of model or tuner, turns
// that were opened. Follows the store; knows no widget.
#pragma once

#include "ui/models/run_store.h"

#include <QByteArray>
#include <QObject>
#include <QString>

#include <optional>
#include <vector>

namespace kf::ui {

enum class DocumentKind { draft, champion, start, proposal, turn };

struct Document {
    DocumentKind kind = DocumentKind::turn;
    QString id;    // "draft", "champion", "start", "proposal", "turn:7"
    QString title; // "champion · turn 8"
    int turn = -1;
    bool star = false; // promoted
    QString blob;      // hash of the source
    QString file_name;
    bool operator==(const Document&) const = default;
};

class DocumentSet : public QObject {
    Q_OBJECT
public:
    explicit DocumentSet(RunStore& store, QObject* parent = nullptr);

    // Read-only documents in the order of their tabs; the draft is not among them.
    const std::vector<Document>& documents() const { return m_documents; }
    const Document* find(const QString& id) const;
    Result<QByteArray> source_of(const Document& document) const;

    // Opens a turn's source as a tab of its own; false when it has none. The champion's turn gives the champion's tab.
    QString open_turn(int turn);
    void close_turn(const QString& id);
    // Turns that are open, for the session.
    std::vector<int> opened() const { return m_opened; }

Q_SIGNALS:
    void changed();

private:
    void refresh();
    std::optional<Document> of_turn(DocumentKind kind, int turn) const;

    RunStore& m_store;
    std::vector<Document> m_documents;
    std::vector<int> m_opened;
};

} // namespace kf::ui
