// SPDX-License-Identifier: GPL-3.0-or-later
// Messages that stay until they are closed or their cause is gone: cause, remedy, one action, "Copy details". Several
// stack, the newest on top, one a key.
#pragma once

#include "core/base/result.h"

#include <QWidget>
#include <functional>
#include <vector>

class QPushButton;
class QVBoxLayout;

namespace kf::ui {

enum class Severity { info, warning, error };

struct Banner {
    QString key; // a banner of the same key is replaced
    Severity severity = Severity::error;
    QString cause;
    QString remedy;
    QString action;            // text of the button; "": none
    std::function<void()> act; // what it does; the banner stays until it is cleared
    QString details;           // what "Copy details" takes beside cause and remedy
};
// Its message as cause, its remedy, code and place as details.
Banner banner_of(const QString& key, const kf::Error& error);

class BannerCard;

class BannerStack : public QWidget {
    Q_OBJECT
public:
    explicit BannerStack(QWidget* parent = nullptr);

    void post(Banner banner);
    void post(const QString& key, const kf::Error& error);
    void clear(const QString& key);
    void clear_all();

    int count() const;
    // "severity: cause remedy" of each, as shown, for screen readers and tests.
    QStringList texts() const;

Q_SIGNALS:
    // By the person, not by clear().
    void closed(const QString& key);
    void count_changed(int count);

private:
    void arrange();
    void remove(const QString& key);

    QVBoxLayout* m_column;
    std::vector<BannerCard*> m_cards; // the newest first
    QPushButton* m_more;
    bool m_all = false;
};

} // namespace kf::ui
