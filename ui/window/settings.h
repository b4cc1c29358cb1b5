// SPDX-License-Identifier: GPL-3.0-or-later
// What a person can set, as a table: the settings page, the file and the tests read the same rows. The file is
// <config folder>/workbench.ini; one that cannot be read is put aside, the defaults count, and damage() says so.
#pragma once

#include "core/base/result.h"

#include <QObject>
#include <QSettings>
#include <QVariant>

#include <memory>
#include <optional>
#include <vector>

namespace kf::ui {

enum class SettingKind { choice, number, text, folder, flag };

struct SettingSpec {
    QString key, group, label, help;
    SettingKind kind = SettingKind::flag;
    QVariant fallback;
    QStringList choices = {}, labels = {}; // of a choice: what is stored, what is shown
    double low = 0, high = 0, step = 1;    // of a number
    QString unit = {};
    QString least = {}; // what the lowest number means, shown instead of it
};

// KERNELFORGE_HOME/config when that is set, else the user's configuration folder.
QString config_folder();

class Settings : public QObject {
    Q_OBJECT
public:
    explicit Settings(const QString& file = config_folder() + QStringLiteral("/workbench.ini"),
                      QObject* parent = nullptr);

    static const std::vector<SettingSpec>& table();
    static const SettingSpec* find(const QString& key);

    // A value that does not fit its row counts as not there.
    QVariant value(const QString& key) const;
    QString text(const QString& key) const { return value(key).toString(); }
    double number(const QString& key) const { return value(key).toDouble(); }
    bool flag(const QString& key) const { return value(key).toBool(); }
    // False: the value does not fit the row, nothing is changed.
    bool set(const QString& key, const QVariant& value);
    void reset(const QString& key);

    // Shortcuts that differ from the built-in ones: id → portable texts; an empty list means none.
    QVariantMap shortcuts() const;
    void set_shortcuts(const QVariantMap& shortcuts);

    const QString& file() const { return m_file; }
    // The file was not readable; where it was put aside is in the remedy.
    const std::optional<Error>& damage() const { return m_damage; }
    // Errors: "settings-unwritable".
    Status save();

Q_SIGNALS:
    void changed(const QString& key);

private:
    QString m_file;
    std::unique_ptr<QSettings> m_store;
    std::optional<Error> m_damage;
};

} // namespace kf::ui
