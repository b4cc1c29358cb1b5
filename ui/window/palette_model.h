// SPDX-License-Identifier: GPL-3.0-or-later
// What the command palette offers for what was typed. Sources are functors by prefix; the model ranks their entries.
#pragma once

#include <QAbstractListModel>

#include <functional>
#include <vector>

namespace kf::ui {

struct PaletteEntry {
    QString id; // for "recent first"; may be empty
    QString title, detail, keys, icon;
    bool enabled = true;
    std::function<void()> perform;
};

struct PaletteSource {
    QString prefix; // ">", "#", ":", "t "
    QString what;   // "actions": shown below the field
    // `typed`: without the prefix. Sources that match by themselves (a line's number) set `ranked` to false.
    std::function<std::vector<PaletteEntry>(const QString& typed)> entries;
    bool ranked = true;
    bool without_prefix = true; // also asked when no prefix was typed
};

enum PaletteRole { detail_role = Qt::UserRole + 1, keys_role, icon_role, matched_role, id_role };

class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;

    void add_source(PaletteSource source) { m_sources.push_back(std::move(source)); }
    const std::vector<PaletteSource>& sources() const { return m_sources; }
    void set_recent(const QStringList& ids) { m_recent = ids; }
    void type(const QString& text);
    // Does what the row says; false when it cannot be done now.
    bool perform(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;

private:
    struct Row {
        PaletteEntry entry;
        std::vector<int> matched;
        int score = 0;
    };
    std::vector<PaletteSource> m_sources;
    std::vector<Row> m_rows;
    QStringList m_recent;
};

} // namespace kf::ui
