// SPDX-License-Identifier: GPL-3.0-or-later
// Short messages over the lower right of a widget that go by themselves ("Copied as CSV"). Pointing at one keeps it.
#pragma once

#include <QWidget>
#include <functional>
#include <vector>

namespace kf::ui {

class Toast;

class ToastStack : public QWidget {
    Q_OBJECT
public:
    // Lies over `host` and follows its size.
    explicit ToastStack(QWidget* host);

    // `action`: text of a button that runs `act` and closes the toast.
    void post(const QString& text, const QString& action = {}, std::function<void()> act = {});
    void set_duration(int milliseconds) { m_duration = milliseconds; }
    int count() const { return static_cast<int>(m_toasts.size()); }
    QStringList texts() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void arrange();
    void drop(Toast* toast);

    std::vector<Toast*> m_toasts; // the oldest first
    int m_duration = 5000;
};

} // namespace kf::ui
