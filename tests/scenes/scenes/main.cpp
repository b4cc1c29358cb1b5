// SPDX-License-Identifier: GPL-3.0-or-later
// kf_scenes: plays the named scenes offscreen, takes their pictures, and checks them by machine. One process has one
// scale factor; packaging/scenes.sh calls it for all of them.
#include "tests/scenes/checks/checks.h"
#include "tests/scenes/scenes/contact_sheet.h"
#include "tests/scenes/scenes/scene.h"
#include "ui/theme/fonts.h"

#include <CLI/CLI.hpp>
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QPainter>
#include <QStandardPaths>

#include <cstdio>

namespace {

using namespace kf::scenes;

struct Arguments {
    std::vector<std::string> scenes;
    std::string theme = "dark", out, size;
    double scale = 1;
    int shard = 0, shards = 1;
    bool list = false, quick = false, check = false, sheets = false;
};

QString file_name(const Scene& scene, const Arguments& arguments) {
    QString name = QStringLiteral("%1/%2-%3-%4x")
                       .arg(QString::fromStdString(arguments.out), QString::fromLatin1(scene.name),
                            QString::fromStdString(arguments.theme))
                       .arg(arguments.scale);
    if (!arguments.size.empty())
        name += QLatin1Char('-') + QString::fromStdString(arguments.size);
    return name + QStringLiteral(".png");
}

bool wanted(const Scene& scene, const Arguments& arguments) {
    if (arguments.scenes.empty())
        return !arguments.quick || !scene.heavy;
    for (const std::string& name : arguments.scenes)
        if (scene.name == name ||
            (name.ends_with('*') && std::string(scene.name).starts_with(name.substr(0, name.size() - 1))))
            return true;
    return false;
}

// The picture with what stands over the window: menus and completion lists are windows of their own.
QImage with_popups(QImage picture, QWidget& window) {
    // Of the painter's points, which are the window's already where the picture has a ratio of its own.
    const double ratio = picture.width() / picture.devicePixelRatio() / window.width();
    for (QWidget* popup : QApplication::topLevelWidgets()) {
        if (popup == &window || !popup->isVisible())
            continue;
        const QPixmap shown = popup->grab();
        QPainter painter(&picture);
        painter.setCompositionMode(QPainter::CompositionMode_SourceOver);
        const QPoint at = window.mapFromGlobal(popup->mapToGlobal(QPoint(0, 0)));
        painter.drawPixmap(QRectF(at.x() * ratio, at.y() * ratio, popup->width() * ratio, popup->height() * ratio),
                           shown, QRectF(shown.rect()));
    }
    return picture;
}

// Gives the number of flaws.
int show(const Scene& scene, const Arguments& arguments, QStringList& pictures) {
    QElapsedTimer clock;
    clock.start();
    Player player;
    QSize size = scene.size;
    if (int width = 0, height = 0; std::sscanf(arguments.size.c_str(), "%dx%d", &width, &height) == 2)
        size = QSize(std::min(width, size.width()), std::min(height, size.height()));
    int flaws = 0;
    const auto tell = [&](const QString& check, const QString& where, const QString& what) {
        std::printf("%s · %s · %s\n", qUtf8Printable(check), qUtf8Printable(where), qUtf8Printable(what));
        ++flaws;
    };
    std::printf("== %s\n", scene.name);
    try {
        play(scene, player, QString::fromStdString(arguments.theme), size);
    } catch (const std::exception& failure) {
        tell(QStringLiteral("script"), QString::fromLatin1(scene.name), QString::fromUtf8(failure.what()));
        return flaws;
    }
    for (const std::string& trouble : player.troubles)
        tell(QStringLiteral("script"), QString::fromLatin1(scene.name), QString::fromStdString(trouble));
    const View view = look_at(player.window());
    if (!arguments.out.empty()) {
        const QString file = file_name(scene, arguments);
        if (with_popups(view.picture, player.window()).save(file))
            pictures << file;
        else
            tell(QStringLiteral("script"), file, QStringLiteral("cannot be written"));
    }
    if (arguments.check)
        for (const Flaw& flaw : check_all(view))
            tell(flaw.check, flaw.where, flaw.what);
    std::printf("   %.1f s\n", static_cast<double>(clock.elapsed()) / 1000);
    std::fflush(stdout);
    return flaws;
}

} // namespace

int main(int argc, char** argv) {
    Arguments arguments;
    CLI::App parser{"Plays the window's scenes, takes their pictures, checks them.", "kf_scenes"};
    parser.add_option("SCENE", arguments.scenes, "scenes by name, or a beginning with *; all when left out");
    parser.add_flag("--list", arguments.list, "names and what they show");
    parser.add_option("--theme", arguments.theme)->check(CLI::IsMember({"dark", "light", "contrast"}));
    parser.add_option("--scale", arguments.scale, "scale factor of the screen")->check(CLI::Range(1.0, 3.0));
    parser.add_option("--size", arguments.size, "largest window, WxH: 1366x768");
    parser.add_option("--out", arguments.out, "folder for the pictures");
    parser.add_option("--shard", arguments.shard, "which part of --shards, from 0");
    parser.add_option("--shards", arguments.shards)->check(CLI::PositiveNumber);
    parser.add_flag("--quick", arguments.quick, "leaves out what takes long to make");
    parser.add_flag("--check", arguments.check, "machine checks; the exit status tells");
    parser.add_flag("--sheets", arguments.sheets, "contact sheets, too");
    CLI11_PARSE(parser, argc, argv);
    const auto scenes = all_scenes();
    if (arguments.list) {
        for (const Scene& scene : scenes)
            std::printf("%-26s %s\n", scene.name, scene.what);
        return 0;
    }
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("QT_SCALE_FACTOR", QByteArray::number(arguments.scale));
    if (!qEnvironmentVariableIsSet("KERNELFORGE_RESOURCES"))
        qputenv("KERNELFORGE_RESOURCES", KF_SOURCE_DIR);
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    kf::ui::load_fonts();
    if (!arguments.out.empty())
        QDir().mkpath(QString::fromStdString(arguments.out));
    int flaws = 0, shown = 0, place = 0;
    QStringList pictures;
    for (const Scene& scene : scenes) {
        if (!wanted(scene, arguments) || place++ % arguments.shards != arguments.shard)
            continue;
        ++shown;
        flaws += show(scene, arguments, pictures);
    }
    if (arguments.sheets)
        write_contact_sheets(pictures, QString::fromStdString(arguments.out), QStringLiteral("sheet"));
    std::printf("%d scenes, %d flaws\n", shown, flaws);
    return shown == 0 ? 2 : flaws > 0 ? 1 : 0;
}
