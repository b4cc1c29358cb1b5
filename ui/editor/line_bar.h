// SPDX-License-Identifier: GPL-3.0-or-later
// Go to line (Ctrl+G): a small bar under the editor; "21" or "21:7".
#pragma once

#include <QPointer>
#include <QWidget>

class QLineEdit;

namespace kf::ui {

class CodeEditor;
class ElidedLabel;

class LineBar : public QWidget {
    Q_OBJECT
public:
    explicit LineBar(QWidget* parent = nullptr);
    void open(CodeEditor* editor);
    void close_bar();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void go();
    QPointer<CodeEditor> m_editor;
    QLineEdit* m_line;
    ElidedLabel* m_range;
};

} // namespace kf::ui
