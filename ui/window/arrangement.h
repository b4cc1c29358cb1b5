// SPDX-License-Identifier: GPL-3.0-or-later
// Which pane stands where, as a value: the built-in layouts, what is saved, and what is restored. A saved text of
// another version or one that does not add up is refused; the built-in layout counts then.
#pragma once

#include "core/base/result.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <array>
#include <optional>

namespace kf::ui {

enum class Area { left, centre, bottom, right };
inline constexpr std::array<Area, 4> areas = {Area::left, Area::centre, Area::bottom, Area::right};
QString to_string(Area area);
std::optional<Area> parse_area(const QString& name);

struct AreaState {
    QStringList panes; // ids, in the order of their tabs
    QString current;   // the one in front
    bool shown = true;
    bool operator==(const AreaState&) const = default;
};

struct Arrangement {
    QString layout; // the built-in one it began as: "watch", "edit"
    std::array<AreaState, 4> places;
    int left_width = 236, right_width = 400, bottom_height = 302;

    AreaState& at(Area area) { return places[static_cast<std::size_t>(area)]; }
    const AreaState& at(Area area) const { return places[static_cast<std::size_t>(area)]; }
    std::optional<Area> area_of(const QString& pane) const;
    // Takes it away from where it is, and puts it at the end of the area, in front.
    void move(const QString& pane, Area to);
    void close(const QString& pane);
    // The same panes in the same places in the same order, whatever is in front and however wide it is.
    bool has_places_of(const Arrangement& other) const;
    bool operator==(const Arrangement&) const = default;
};

// "watch" or "edit"; anything else gives "watch". Watch of a run that asks a model has the transcript in the right
// column, where it is always to be seen, and the autopsy below; without a model there would be nothing to read there.
Arrangement built_in(const QString& layout, bool model = false);
// For windows that are too narrow for three columns: the right column's panes become tabs at the bottom.
Arrangement compact(const Arrangement& wide);

inline constexpr int arrangement_version = 3;
QByteArray to_text(const Arrangement& arrangement);
// Panes that are not `known` are left out; known ones that are missing stay closed. Errors: "layout-unreadable",
// "layout-version".
Result<Arrangement> arrangement_from_text(const QByteArray& text, const QStringList& known);

} // namespace kf::ui
