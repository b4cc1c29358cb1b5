// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/session.h"

#include "core/base/files.h"
#include "ui/window/settings.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace kf::ui {
namespace {

constexpr int version = 1;
constexpr std::size_t file_limit = std::size_t{16} << 20;

QJsonObject to_json(const Chosen& chosen) {
    return {{QStringLiteral("turn"), chosen.turn},
            {QStringLiteral("evaluation"), QString::fromStdString(chosen.evaluation)}};
}

Chosen chosen_from(const QJsonValue& value) {
    const QJsonObject object = value.toObject();
    return {object[QStringLiteral("turn")].toInt(-1), object[QStringLiteral("evaluation")].toString().toStdString()};
}

QStringList texts_from(const QJsonValue& value) {
    QStringList all;
    for (const QJsonValue& one : value.toArray())
        if (one.isString())
            all << one.toString();
    return all;
}

QByteArray bytes_from(const QJsonValue& value) {
    return QByteArray::fromBase64(value.toString().toLatin1());
}

QString to_base64(const QByteArray& bytes) {
    return QString::fromLatin1(bytes.toBase64());
}

} // namespace

QString session_file() {
    return config_folder() + QStringLiteral("/session.json");
}

Session load_session(const QString& file) {
    const auto text = read_file(file.toStdString(), file_limit);
    if (!text)
        return {};
    const QJsonObject root = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    if (root[QStringLiteral("version")].toInt() != version)
        return {};
    Session read;
    read.run = root[QStringLiteral("run")].toString();
    read.task = root[QStringLiteral("task")].toString();
    read.layout = root[QStringLiteral("layout")].toString(read.layout);
    const QJsonObject arrangements = root[QStringLiteral("arrangements")].toObject();
    for (auto one = arrangements.begin(); one != arrangements.end(); ++one)
        read.arrangements.insert(one.key(), one.value().toString().toUtf8());
    read.geometry = bytes_from(root[QStringLiteral("geometry")]);
    const QJsonObject panes = root[QStringLiteral("panes")].toObject();
    for (auto one = panes.begin(); one != panes.end(); ++one)
        read.panes.insert(one.key(), bytes_from(one.value()));
    read.pinned_tasks = texts_from(root[QStringLiteral("pinned_tasks")]);
    read.selected = chosen_from(root[QStringLiteral("selected")]);
    read.pinned = chosen_from(root[QStringLiteral("pinned")]);
    read.follow = root[QStringLiteral("follow")].toBool(true);
    read.recent_actions = texts_from(root[QStringLiteral("recent_actions")]);
    read.recent_runs = texts_from(root[QStringLiteral("recent_runs")]);
    return read;
}

Status save_session(const Session& session, const QString& file) {
    QJsonObject arrangements;
    for (auto one = session.arrangements.begin(); one != session.arrangements.end(); ++one)
        arrangements.insert(one.key(), QString::fromUtf8(one.value()));
    QJsonObject panes;
    for (auto one = session.panes.begin(); one != session.panes.end(); ++one)
        panes.insert(one.key(), to_base64(one.value()));
    const QJsonObject root{{QStringLiteral("version"), version},
                           {QStringLiteral("run"), session.run},
                           {QStringLiteral("task"), session.task},
                           {QStringLiteral("layout"), session.layout},
                           {QStringLiteral("arrangements"), arrangements},
                           {QStringLiteral("geometry"), to_base64(session.geometry)},
                           {QStringLiteral("panes"), panes},
                           {QStringLiteral("pinned_tasks"), QJsonArray::fromStringList(session.pinned_tasks)},
                           {QStringLiteral("selected"), to_json(session.selected)},
                           {QStringLiteral("pinned"), to_json(session.pinned)},
                           {QStringLiteral("follow"), session.follow},
                           {QStringLiteral("recent_actions"), QJsonArray::fromStringList(session.recent_actions)},
                           {QStringLiteral("recent_runs"), QJsonArray::fromStringList(session.recent_runs)}};
    const std::filesystem::path path = file.toStdString();
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    return write_file_atomic(path, QJsonDocument(root).toJson().toStdString());
}

} // namespace kf::ui
