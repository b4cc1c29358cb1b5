// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/arrangement.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <algorithm>

namespace kf::ui {
namespace {

constexpr int least = 120, most = 4000; // pixels that a saved width may have

int sane(const QJsonValue& value, int fallback) {
    const int pixels = value.toInt(fallback);
    return pixels >= least && pixels <= most ? pixels : fallback;
}

} // namespace

QString to_string(Area area) {
    switch (area) {
    case Area::left:
        return QStringLiteral("left");
    case Area::centre:
        return QStringLiteral("centre");
    case Area::bottom:
        return QStringLiteral("bottom");
    case Area::right:
        return QStringLiteral("right");
    }
    return {};
}

std::optional<Area> parse_area(const QString& name) {
    const auto found = std::ranges::find_if(areas, [&name](Area one) { return to_string(one) == name; });
    return found == areas.end() ? std::nullopt : std::optional(*found);
}

std::optional<Area> Arrangement::area_of(const QString& pane) const {
    for (const Area area : areas)
        if (at(area).panes.contains(pane))
            return area;
    return std::nullopt;
}

void Arrangement::close(const QString& pane) {
    for (AreaState& place : places) {
        const auto index = place.panes.indexOf(pane);
        if (index < 0)
            continue;
        place.panes.removeAt(index);
        if (place.current == pane)
            place.current = place.panes.isEmpty() ? QString() : place.panes[std::min(index, place.panes.size() - 1)];
    }
}

void Arrangement::move(const QString& pane, Area to) {
    close(pane);
    at(to).panes << pane;
    at(to).current = pane;
    at(to).shown = true;
}

bool Arrangement::has_places_of(const Arrangement& other) const {
    return std::ranges::all_of(areas, [&](Area area) {
        return at(area).panes == other.at(area).panes && at(area).shown == other.at(area).shown;
    });
}

Arrangement built_in(const QString& layout, bool model) {
    Arrangement made;
    const bool edit = layout == QLatin1String("edit");
    made.layout = edit ? QStringLiteral("edit") : QStringLiteral("watch");
    made.at(Area::left) = {{QStringLiteral("runs")}, QStringLiteral("runs")};
    if (edit) {
        made.at(Area::centre) = {{QStringLiteral("editor")}, QStringLiteral("editor")};
        made.at(Area::right) = {{QStringLiteral("autopsy"), QStringLiteral("prompt")}, QStringLiteral("autopsy")};
        made.at(Area::bottom) = {{QStringLiteral("timeline"), QStringLiteral("tree"), QStringLiteral("distribution"),
                                  QStringLiteral("transcript"), QStringLiteral("issues"), QStringLiteral("log")},
                                 QStringLiteral("timeline")};
        made.bottom_height = 324;
        made.right_width = 384;
    } else {
        made.at(Area::centre) = {{QStringLiteral("timeline"), QStringLiteral("tree")}, QStringLiteral("timeline")};
        AreaState& right = made.at(Area::right);
        AreaState& bottom = made.at(Area::bottom);
        right = {{QStringLiteral("transcript"), QStringLiteral("prompt")}, QStringLiteral("transcript")};
        bottom = {
            {QStringLiteral("distribution"), QStringLiteral("editor"), QStringLiteral("issues"), QStringLiteral("log")},
            QStringLiteral("distribution")};
        if (model) {
            bottom.panes.insert(1, QStringLiteral("autopsy"));
        } else {
            right.panes.prepend(QStringLiteral("autopsy"));
            right.current = QStringLiteral("autopsy");
        }
    }
    return made;
}

Arrangement compact(const Arrangement& wide) {
    Arrangement narrow = wide;
    AreaState& right = narrow.at(Area::right);
    AreaState& bottom = narrow.at(Area::bottom);
    if (right.shown) {
        bottom.panes << right.panes;
        if (bottom.current.isEmpty() && !bottom.panes.isEmpty())
            bottom.current = bottom.panes.front();
    }
    right = {};
    return narrow;
}

QByteArray to_text(const Arrangement& arrangement) {
    QJsonObject places;
    for (const Area area : areas) {
        const AreaState& place = arrangement.at(area);
        places.insert(to_string(area), QJsonObject{{QStringLiteral("panes"), QJsonArray::fromStringList(place.panes)},
                                                   {QStringLiteral("current"), place.current},
                                                   {QStringLiteral("shown"), place.shown}});
    }
    return QJsonDocument(QJsonObject{{QStringLiteral("version"), arrangement_version},
                                     {QStringLiteral("layout"), arrangement.layout},
                                     {QStringLiteral("places"), places},
                                     {QStringLiteral("left_width"), arrangement.left_width},
                                     {QStringLiteral("right_width"), arrangement.right_width},
                                     {QStringLiteral("bottom_height"), arrangement.bottom_height}})
        .toJson(QJsonDocument::Compact);
}

Result<Arrangement> arrangement_from_text(const QByteArray& text, const QStringList& known) {
    const QJsonDocument document = QJsonDocument::fromJson(text);
    if (!document.isObject())
        return make_error("layout-unreadable", "the saved layout is not readable");
    const QJsonObject root = document.object();
    if (root[QStringLiteral("version")].toInt(-1) != arrangement_version)
        return make_error("layout-version", "the saved layout is of another version of this program");
    Arrangement read = built_in(root[QStringLiteral("layout")].toString());
    const QJsonObject places = root[QStringLiteral("places")].toObject();
    QStringList seen;
    for (const Area area : areas) {
        const QJsonObject one = places[to_string(area)].toObject();
        AreaState place;
        for (const QJsonValue& pane : one[QStringLiteral("panes")].toArray()) {
            const QString id = pane.toString();
            if (!known.contains(id) || seen.contains(id))
                continue;
            seen << id;
            place.panes << id;
        }
        place.current = one[QStringLiteral("current")].toString();
        if (!place.panes.contains(place.current))
            place.current = place.panes.isEmpty() ? QString() : place.panes.front();
        place.shown = one[QStringLiteral("shown")].toBool(true);
        read.at(area) = place;
    }
    // A window without a centre cannot be worked with.
    if (read.at(Area::centre).panes.isEmpty())
        return make_error("layout-unreadable", "the saved layout has nothing in its centre");
    read.left_width = sane(root[QStringLiteral("left_width")], read.left_width);
    read.right_width = sane(root[QStringLiteral("right_width")], read.right_width);
    read.bottom_height = sane(root[QStringLiteral("bottom_height")], read.bottom_height);
    return read;
}

} // namespace kf::ui
