// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/scenes/scenes/contact_sheet.h"

#include "ui/theme/fonts.h"

#include <QFileInfo>
#include <QImage>
#include <QPainter>

namespace kf::scenes {

using namespace Qt::Literals::StringLiterals;

QStringList write_contact_sheets(const QStringList& pictures, const QString& folder, const QString& name) {
    constexpr int columns = 3, rows = 4, width = 620, height = 400, label = 24;
    QStringList written;
    for (int first = 0; first < pictures.size(); first += columns * rows) {
        QImage sheet(columns * width, rows * (height + label), QImage::Format_RGB32);
        sheet.fill(Qt::gray);
        QPainter painter(&sheet);
        painter.setFont(ui::text_font(14, ui::Weight::semibold));
        for (int i = 0; i < columns * rows && first + i < pictures.size(); ++i) {
            const QString& file = pictures[first + i];
            const QPoint at((i % columns) * width, (i / columns) * (height + label));
            QImage picture(file);
            picture.setDevicePixelRatio(1);
            picture = picture.scaled(width - 8, height - 4, Qt::KeepAspectRatio, Qt::SmoothTransformation);
            painter.drawImage(at + QPoint(4, label), picture);
            painter.drawText(at + QPoint(6, label - 7), QFileInfo(file).completeBaseName());
        }
        painter.end();
        const QString out = u"%1/%2-%3.png"_s.arg(folder, name).arg(written.size() + 1, 2, 10, QLatin1Char('0'));
        if (sheet.save(out))
            written << out;
    }
    return written;
}

} // namespace kf::scenes
