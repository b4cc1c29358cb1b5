// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/window/settings.h"

#include "core/llm/provider.h"

#include <QDir>
#include <QFile>
#include <QStandardPaths>

#include <algorithm>
#include <cmath>

namespace kf::ui {
namespace {

bool fits(const SettingSpec& spec, const QVariant& value) {
    switch (spec.kind) {
    case SettingKind::choice:
        return spec.choices.contains(value.toString());
    case SettingKind::number: {
        bool ok = false;
        const double number = value.toDouble(&ok);
        return ok && std::isfinite(number) && number >= spec.low && number <= spec.high;
    }
    case SettingKind::text:
    case SettingKind::folder:
        return value.canConvert<QString>();
    case SettingKind::flag: {
        const QString text = value.toString();
        return text == QLatin1String("true") || text == QLatin1String("false");
    }
    }
    return false;
}

// Not readable as INI, or bytes that no program of ours writes.
bool readable(const QString& file) {
    QFile raw(file);
    if (!raw.exists())
        return true;
    if (!raw.open(QIODevice::ReadOnly))
        return false;
    if (raw.size() > (1 << 20) || raw.readAll().contains('\0'))
        return false;
    const QSettings probe(file, QSettings::IniFormat);
    return probe.status() == QSettings::NoError;
}

// The known providers; what is wrong with the person's own list is said where one is asked for.
struct ProviderChoices {
    QStringList ids, names;
};
const std::pair<QString, ProviderChoices>& providers() {
    static const std::pair<QString, ProviderChoices> read = [] {
        std::pair<QString, ProviderChoices> made;
        if (const auto list = load_providers()) {
            made.first = QString::fromStdString(list->default_id);
            for (const Provider& one : list->providers) {
                made.second.ids << QString::fromStdString(one.id);
                made.second.names << QString::fromStdString(one.name.empty() ? one.id : one.name);
            }
        }
        if (made.second.ids.isEmpty()) {
            made.first = QStringLiteral("default");
            made.second = {{made.first}, {QStringLiteral("providers.json cannot be read")}};
        }
        return made;
    }();
    return read;
}

} // namespace

QString config_folder() {
    const QString home = qEnvironmentVariable("KERNELFORGE_HOME");
    if (!home.isEmpty())
        return home + QStringLiteral("/config");
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/kernelforge");
}

const std::vector<SettingSpec>& Settings::table() {
    static const std::vector<SettingSpec> rows = {
        {.key = QStringLiteral("look/theme"),
         .group = QStringLiteral("Look"),
         .label = QStringLiteral("Theme"),
         .help = QStringLiteral("Colours of the whole window; all keep a contrast of at least 4.5:1."),
         .kind = SettingKind::choice,
         .fallback = QStringLiteral("system"),
         .choices = {QStringLiteral("system"), QStringLiteral("dark"), QStringLiteral("light"),
                     QStringLiteral("contrast")},
         .labels = {QStringLiteral("As the system"), QStringLiteral("Dark"), QStringLiteral("Light"),
                    QStringLiteral("High contrast")}},
        {.key = QStringLiteral("look/text_scale"),
         .group = QStringLiteral("Look"),
         .label = QStringLiteral("Text size"),
         .help = QStringLiteral("Of everything; Ctrl+= and Ctrl+- change it too."),
         .kind = SettingKind::number,
         .fallback = 100,
         .low = 80,
         .high = 200,
         .step = 10,
         .unit = QStringLiteral(" %")},
        {.key = QStringLiteral("look/editor_font"),
         .group = QStringLiteral("Look"),
         .label = QStringLiteral("Editor font size"),
         .help = QStringLiteral("Of source text, in pixels."),
         .kind = SettingKind::number,
         .fallback = 13,
         .low = 8,
         .high = 32,
         .unit = QStringLiteral(" px")},
        {.key = QStringLiteral("look/reduced_motion"),
         .group = QStringLiteral("Look"),
         .label = QStringLiteral("Reduced motion"),
         .help = QStringLiteral("Nothing moves by itself: bars that wait stand still, the text cursor does not blink."),
         .kind = SettingKind::flag,
         .fallback = false},
        {.key = QStringLiteral("runs/folder"),
         .group = QStringLiteral("Runs"),
         .label = QStringLiteral("Folder of runs"),
         .help = QStringLiteral("Where new runs are written and recent ones are looked for. Empty: the data folder."),
         .kind = SettingKind::folder,
         .fallback = QString()},
        {.key = QStringLiteral("runs/turns"),
         .group = QStringLiteral("Runs"),
         .label = QStringLiteral("Turns of a new run"),
         .help = QStringLiteral("After so many the run ends."),
         .kind = SettingKind::number,
         .fallback = 0,
         .low = 0,
         .high = 100000,
         .least = QStringLiteral("as the command has it")},
        {.key = QStringLiteral("runs/points"),
         .group = QStringLiteral("Runs"),
         .label = QStringLiteral("Points the tuner tries"),
         .help = QStringLiteral("Values of the tunables that one sweep measures."),
         .kind = SettingKind::number,
         .fallback = 0,
         .low = 0,
         .high = 100000,
         .least = QStringLiteral("as the command has it")},
        {.key = QStringLiteral("runs/device"),
         .group = QStringLiteral("Runs"),
         .label = QStringLiteral("Device"),
         .help = QStringLiteral("Where kernels are judged: cpu, or cuda:0 with an evaluator that has a GPU."),
         .kind = SettingKind::text,
         .fallback = QStringLiteral("cpu")},
        {.key = QStringLiteral("runs/launcher"),
         .group = QStringLiteral("Runs"),
         .label = QStringLiteral("Launcher of the evaluator"),
         .help = QStringLiteral("To judge on another machine: ssh HOST, or srun --gres=gpu:1. Empty: this one."),
         .kind = SettingKind::text,
         .fallback = QString()},
        {.key = QStringLiteral("runs/program"),
         .group = QStringLiteral("Runs"),
         .label = QStringLiteral("Program kernelforge"),
         .help = QStringLiteral("The command that drives runs. Empty: the one beside this program."),
         .kind = SettingKind::text,
         .fallback = QString()},
        {.key = QStringLiteral("model/provider"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Provider"),
         .help = QStringLiteral("Who runs the model. Others, and prices, are added in providers.json."),
         .kind = SettingKind::choice,
         .fallback = providers().first,
         .choices = providers().second.ids,
         .labels = providers().second.names},
        {.key = QStringLiteral("model/url"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Another URL"),
         .help = QStringLiteral(
             "Of an OpenAI-compatible server, for example http://gpu7:8000/v1. Empty: the provider's own."),
         .kind = SettingKind::text,
         .fallback = QString()},
        {.key = QStringLiteral("model/name"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Model"),
         .help = QStringLiteral("As the provider names it. Empty: the provider's default."),
         .kind = SettingKind::text,
         .fallback = QString()},
        {.key = QStringLiteral("model/reasoning"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Reasoning"),
         .help = QStringLiteral("How long it may think before it answers."),
         .kind = SettingKind::choice,
         .fallback = QStringLiteral("automatic"),
         .choices = {QStringLiteral("automatic"), QStringLiteral("off"), QStringLiteral("low"), QStringLiteral("full")},
         .labels = {QStringLiteral("As the model does"), QStringLiteral("Off"), QStringLiteral("Low"),
                    QStringLiteral("Full")}},
        {.key = QStringLiteral("model/temperature"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Temperature"),
         .help = QStringLiteral("0 to 2. Empty: the provider's default."),
         .kind = SettingKind::text,
         .fallback = QString()},
        {.key = QStringLiteral("model/max_tokens"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Tokens of a reply"),
         .help = QStringLiteral(
             "At most so many, thinking included; with fewer than 4096 a reasoning model may only think."),
         .kind = SettingKind::number,
         .fallback = 16384,
         .low = 256,
         .high = 1000000,
         .step = 1024},
        {.key = QStringLiteral("model/search"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Search"),
         .help =
             QStringLiteral("Serial: each turn grows from the champion. Best of several, or a beam of generations."),
         .kind = SettingKind::choice,
         .fallback = QStringLiteral("serial"),
         .choices = {QStringLiteral("serial"), QStringLiteral("best-of"), QStringLiteral("beam")},
         .labels = {QStringLiteral("Serial"), QStringLiteral("Best of several"), QStringLiteral("Beam")}},
        {.key = QStringLiteral("model/width"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Width of the beam"),
         .help = QStringLiteral("Candidates of a generation that are grown on."),
         .kind = SettingKind::number,
         .fallback = 2,
         .low = 1,
         .high = 64},
        {.key = QStringLiteral("model/children"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Children"),
         .help = QStringLiteral("Of each candidate of the beam; with best of several, how many."),
         .kind = SettingKind::number,
         .fallback = 3,
         .low = 1,
         .high = 64},
        {.key = QStringLiteral("model/feedback"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Feedback"),
         .help = QStringLiteral("History and autopsy in the prompt. Off only for comparison."),
         .kind = SettingKind::flag,
         .fallback = true},
        {.key = QStringLiteral("model/presenter"),
         .group = QStringLiteral("Model"),
         .label = QStringLiteral("Presenter mode"),
         .help = QStringLiteral("Addresses of servers are hidden, so that they are not on a screen that others see."),
         .kind = SettingKind::flag,
         .fallback = false},
        {.key = QStringLiteral("notices/desktop"),
         .group = QStringLiteral("Notices"),
         .label = QStringLiteral("Desktop notifications"),
         .help = QStringLiteral("When a run ends or finds a better kernel while this window is in the background."),
         .kind = SettingKind::flag,
         .fallback = true},
        {.key = QStringLiteral("session/restore"),
         .group = QStringLiteral("Session"),
         .label = QStringLiteral("Open where I left off"),
         .help = QStringLiteral("The last run, layout, selection and tabs come back at the next start."),
         .kind = SettingKind::flag,
         .fallback = true},
    };
    return rows;
}

const SettingSpec* Settings::find(const QString& key) {
    const auto& rows = table();
    const auto found = std::ranges::find(rows, key, &SettingSpec::key);
    return found == rows.end() ? nullptr : &*found;
}

Settings::Settings(const QString& file, QObject* parent) : QObject(parent), m_file(file) {
    QDir().mkpath(QFileInfo(file).absolutePath());
    if (!readable(file)) {
        const QString aside = file + QStringLiteral(".damaged");
        QFile::remove(aside);
        const bool moved = QFile::rename(file, aside);
        m_damage = make_error("settings-damaged", "The settings could not be read; the defaults are used",
                              moved ? "What was there is kept in " + aside.toStdString()
                                    : "Check the permissions of " + file.toStdString(),
                              {file.toStdString(), 0, 0});
    }
    m_store = std::make_unique<QSettings>(file, QSettings::IniFormat);
}

QVariant Settings::value(const QString& key) const {
    const SettingSpec* spec = find(key);
    Q_ASSERT_X(spec, "Settings::value", qPrintable(key));
    if (!spec)
        return {};
    const QVariant stored = m_store->value(key);
    if (!stored.isValid() || !fits(*spec, stored))
        return spec->fallback;
    QVariant typed = stored;
    typed.convert(spec->fallback.metaType());
    return typed;
}

bool Settings::set(const QString& key, const QVariant& value) {
    const SettingSpec* spec = find(key);
    if (!spec || !fits(*spec, value))
        return false;
    if (value.toString() == this->value(key).toString())
        return true;
    m_store->setValue(key, value);
    Q_EMIT changed(key);
    return true;
}

void Settings::reset(const QString& key) {
    if (const SettingSpec* spec = find(key))
        set(key, spec->fallback);
}

QVariantMap Settings::shortcuts() const {
    QVariantMap all;
    m_store->beginGroup(QStringLiteral("shortcuts"));
    for (const QString& id : m_store->childKeys())
        all.insert(id, m_store->value(id).toStringList());
    m_store->endGroup();
    return all;
}

void Settings::set_shortcuts(const QVariantMap& shortcuts) {
    m_store->remove(QStringLiteral("shortcuts"));
    m_store->beginGroup(QStringLiteral("shortcuts"));
    for (auto one = shortcuts.begin(); one != shortcuts.end(); ++one)
        m_store->setValue(one.key(), one.value().toStringList());
    m_store->endGroup();
}

Status Settings::save() {
    m_store->sync();
    if (m_store->status() == QSettings::NoError)
        return {};
    return make_error("settings-unwritable", "The settings could not be written to " + m_file.toStdString(),
                      "Free some space, or check the folder's permissions");
}

} // namespace kf::ui
