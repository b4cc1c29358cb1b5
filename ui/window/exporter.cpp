// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/exporter.h"

#include "core/base/files.h"

#include <QDir>
#include <QFileDialog>
#include <QPointer>
#include <QStandardPaths>

namespace kf::ui {
namespace {

QString format_text(const QString& format) {
    static const std::pair<QLatin1String, QLatin1String> names[] = {
        {QLatin1String("csv"), QLatin1String("Comma separated values")},
        {QLatin1String("tsv"), QLatin1String("Tab separated values")},
        {QLatin1String("md"), QLatin1String("Markdown table")},
        {QLatin1String("png"), QLatin1String("Picture at twice the size")},
        {QLatin1String("svg"), QLatin1String("Vector picture")},
        {QLatin1String("txt"), QLatin1String("Text")}};
    for (const auto& [name, text] : names)
        if (format == name)
            return text;
    return format.toUpper();
}

} // namespace

Exporter::Exporter(QWidget* window)
    : QObject(window), m_window(window), m_folder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)) {
}

void Exporter::ask(Pane* pane) {
    const QStringList formats = pane->export_formats();
    if (formats.isEmpty()) {
        Q_EMIT failed(make_error("export-failed", pane->title().toStdString() + " has nothing that can be exported",
                                 "Choose the timeline, the distribution, the autopsy, the issues or the log"));
        return;
    }
    QStringList filters;
    for (const QString& format : formats)
        filters << QStringLiteral("%1 (*.%2)").arg(format_text(format), format);
    auto* dialog = new QFileDialog(m_window, QStringLiteral("Export %1").arg(pane->title()), m_folder);
    dialog->setObjectName(QStringLiteral("export"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters(filters);
    dialog->setDefaultSuffix(formats.front());
    dialog->selectFile(pane->id() + QLatin1Char('.') + formats.front());
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, filters, formats](const QString& filter) {
        dialog->setDefaultSuffix(formats.value(filters.indexOf(filter)));
    });
    connect(dialog, &QFileDialog::fileSelected, this, [this, guarded = QPointer<Pane>(pane)](const QString& file) {
        if (guarded)
            write(guarded, file);
    });
    dialog->open();
}

void Exporter::write(Pane* pane, const QString& file) {
    const QString format = QFileInfo(file).suffix().toLower();
    const auto content = pane->export_as(format);
    if (!content) {
        Q_EMIT failed(content.error());
        return;
    }
    if (const Status written = write_file_atomic(
            file.toStdString(), std::string_view(content->constData(), static_cast<std::size_t>(content->size())));
        !written) {
        Q_EMIT failed(written.error());
        return;
    }
    m_folder = QFileInfo(file).absolutePath();
    Q_EMIT done(file);
}

} // namespace kf::ui
