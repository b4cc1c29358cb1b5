// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_notes.h"

#include "core/base/files.h"

#include <QCryptographicHash>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <unistd.h>

namespace kf::ui {
namespace {

constexpr std::size_t file_limit = std::size_t{4} << 20;
constexpr qsizetype note_limit = 4000;
constexpr int version = 1;

std::filesystem::path file_for(const QString& place) {
    const QFileInfo info(place);
    if (info.isDir() && info.isWritable())
        return std::filesystem::path(place.toStdString()) / "notes.json";
    const QByteArray name = QCryptographicHash::hash(info.absoluteFilePath().toUtf8(), QCryptographicHash::Sha256);
    return data_folder() / "notes" / (name.toHex().left(24).toStdString() + ".json");
}

} // namespace

void RunNotes::open(const QString& place) {
    m_marks.clear();
    m_file = place.isEmpty() ? std::filesystem::path() : file_for(place);
    std::error_code ignored;
    if (!m_file.empty() && std::filesystem::exists(m_file, ignored)) {
        const auto text = read_file(m_file, file_limit);
        QJsonDocument document;
        if (text)
            document = QJsonDocument::fromJson(QByteArray::fromStdString(*text));
        const QJsonObject root = document.object();
        if (root[QStringLiteral("version")].toInt() == version) {
            const QJsonObject turns = root[QStringLiteral("turns")].toObject();
            for (auto one = turns.begin(); one != turns.end(); ++one) {
                bool ok = false;
                const int turn = one.key().toInt(&ok);
                const QJsonObject mark = one.value().toObject();
                if (ok && turn >= 0)
                    m_marks[turn] = {mark[QStringLiteral("note")].toString().left(note_limit),
                                     mark[QStringLiteral("star")].toBool()};
            }
        } else {
            std::filesystem::path aside = m_file;
            aside += ".damaged";
            std::filesystem::rename(m_file, aside, ignored);
            Q_EMIT failed(make_error("notes-damaged", "The notes on this run could not be read",
                                     "What was there is kept in " + aside.string(), {m_file.string(), 0, 0}));
        }
    }
    Q_EMIT changed(-1);
}

QString RunNotes::note(int turn) const {
    const auto found = m_marks.find(turn);
    return found == m_marks.end() ? QString() : found->second.note;
}

bool RunNotes::starred(int turn) const {
    const auto found = m_marks.find(turn);
    return found != m_marks.end() && found->second.star;
}

void RunNotes::set_note(int turn, const QString& text) {
    const QString kept = text.trimmed().left(note_limit);
    if (turn < 0 || m_file.empty() || kept == note(turn))
        return;
    m_marks[turn].note = kept;
    save();
    Q_EMIT changed(turn);
}

void RunNotes::set_starred(int turn, bool starred) {
    if (turn < 0 || m_file.empty() || starred == this->starred(turn))
        return;
    m_marks[turn].star = starred;
    save();
    Q_EMIT changed(turn);
}

void RunNotes::save() {
    QJsonObject turns;
    for (const auto& [turn, mark] : m_marks) {
        if (mark.note.isEmpty() && !mark.star)
            continue;
        QJsonObject one;
        if (!mark.note.isEmpty())
            one.insert(QStringLiteral("note"), mark.note);
        if (mark.star)
            one.insert(QStringLiteral("star"), true);
        turns.insert(QString::number(turn), one);
    }
    const QByteArray text =
        QJsonDocument(QJsonObject{{QStringLiteral("version"), version}, {QStringLiteral("turns"), turns}}).toJson();
    std::error_code ignored;
    std::filesystem::create_directories(m_file.parent_path(), ignored);
    if (const Status written = write_file_atomic(m_file, text.toStdString()); !written)
        Q_EMIT failed(written.error());
}

} // namespace kf::ui
