// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/palette_model.h"

#include "ui/window/fuzzy.h"

#include <algorithm>

namespace kf::ui {
namespace {

constexpr std::size_t rows_kept = 200;

} // namespace

void PaletteModel::type(const QString& text) {
    const PaletteSource* only = nullptr;
    for (const PaletteSource& source : m_sources)
        if (text.startsWith(source.prefix))
            only = &source;
    std::vector<Row> rows;
    for (const PaletteSource& source : m_sources) {
        if (only ? &source != only : !source.without_prefix)
            continue;
        const QString typed = (only ? text.mid(source.prefix.size()) : text).trimmed();
        for (PaletteEntry& entry : source.entries(typed)) {
            Row row{std::move(entry), {}, 0};
            if (source.ranked) {
                auto match = fuzzy_match(typed, row.entry.title);
                // The second text counts too, but less, and is not marked.
                const auto other = match ? std::nullopt : fuzzy_match(typed, row.entry.detail);
                if (!match && !other)
                    continue;
                row.score = match ? match->score : other->score / 2 - 4;
                if (match)
                    row.matched = std::move(match->characters);
            }
            if (const auto used = m_recent.indexOf(row.entry.id); used >= 0 && !row.entry.id.isEmpty())
                row.score += typed.isEmpty() ? 1000 - static_cast<int>(used) : 3;
            if (!row.entry.enabled)
                row.score -= 100;
            rows.push_back(std::move(row));
        }
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::score);
    if (rows.size() > rows_kept)
        rows.resize(rows_kept);
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

bool PaletteModel::perform(const QModelIndex& index) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return false;
    // By value: what it does may change the rows.
    const PaletteEntry entry = m_rows[static_cast<std::size_t>(index.row())].entry;
    if (!entry.enabled || !entry.perform)
        return false;
    entry.perform();
    return true;
}

int PaletteModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return row.entry.title;
    case Qt::AccessibleTextRole:
        return row.entry.keys.isEmpty() ? row.entry.title : row.entry.title + QStringLiteral(", ") + row.entry.keys;
    case Qt::ToolTipRole:
    case detail_role:
        return row.entry.detail;
    case keys_role:
        return row.entry.keys;
    case icon_role:
        return row.entry.icon;
    case id_role:
        return row.entry.id;
    case matched_role: {
        QVariantList all;
        for (const int at : row.matched)
            all << at;
        return all;
    }
    default:
        return {};
    }
}

Qt::ItemFlags PaletteModel::flags(const QModelIndex& index) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return Qt::NoItemFlags;
    const bool enabled = m_rows[static_cast<std::size_t>(index.row())].entry.enabled;
    return enabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren
                   : Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
}

} // namespace kf::ui
