// SPDX-License-Identifier: GPL-3.0-or-later
// Base of the models behind what is read from top to bottom: a list of rows that is replaced piece by piece, so that a
// view keeps what it has laid out. A row says only what it is; its text is made when it is asked for.
#pragma once

#include "ui/models/reading_rows.h"

#include <QAbstractListModel>

#include <vector>

namespace kf::ui {

struct ReadingRow {
    ReadingKind kind = ReadingKind::note;
    int turn = -1;
    int section = 0; // an exchange of the turn, or a message
    int part = 0;    // what it is within the section; the model's own numbers
    int block = -1;  // of ReplyBlocks; −1: none
    bool operator==(const ReadingRow&) const = default;
};

class ReadingModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    const ReadingRow& row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }
    // What a click on it does: folds or unfolds, or nothing.
    virtual void toggle(int row) { Q_UNUSED(row); }
    // Everything that the row says, as text.
    QString line(int row) const;
    // The next row whose text holds the words, from `from` on (exclusive) and round; −1: none.
    int find(const QString& words, int from, bool forward) const;
    // How many rows hold them.
    int count_of(const QString& words) const;

protected:
    virtual QVariant row_data(const ReadingRow& row, int role) const = 0;
    QString line_of(const ReadingRow& row) const;
    const std::vector<ReadingRow>& rows() const { return m_rows; }
    // Rows that stay what they are, are not told. `first` + `count`: the rows that `fresh` replaces.
    void replace(int first, int count, const std::vector<ReadingRow>& fresh);
    void reset(std::vector<ReadingRow> rows);
    void touch(int first, int last); // their text has changed

private:
    std::vector<ReadingRow> m_rows;
};

} // namespace kf::ui
