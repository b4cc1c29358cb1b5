// SPDX-License-Identifier: GPL-3.0-or-later
// A raised block with a title, text, and buttons: one finding, one message. Its text can be selected and copied; links
// in it name a place ("line:12", see Pane::link_activated).
#pragma once

#include <QFrame>
#include <QString>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kf::ui {

class FlowLayout;
class IconButton;

// A link for Card::set_rich_text; both are escaped.
QString link_text(const QString& text, const QString& target);
// Plain text for use in rich text.
QString escaped(const QString& text);

class Card : public QFrame {
    Q_OBJECT
public:
    explicit Card(const QString& title = {}, QWidget* parent = nullptr);

    void set_title(const QString& title);
    // After the title, in a lighter weight ("one bottleneck").
    void set_subtitle(const QString& subtitle);
    void set_text(const QString& plain);
    // What comes from outside has to be escaped().
    void set_rich_text(const QString& html);
    // The dim second paragraph.
    void set_note(const QString& plain);
    // A button below the text; its clicked() is the caller's to connect.
    QPushButton* add_action(const QString& text, const QString& tool_tip = {});
    // Anything else between text and buttons (a plot, a list).
    void add_widget(QWidget* widget);
    // A coloured edge at the left (an error, a warning); an invalid colour: none.
    void set_edge(const QColor& colour);
    // Filled like a selection: what was said by us rather than found.
    void set_emphasis(bool emphasis);

    QString title() const;
    // Title, text, note: what "Copy" takes.
    QString text() const;
    void copy() const;

Q_SIGNALS:
    void link_activated(const QString& target);

protected:
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void restyle();
    void refresh_name();
    void show_title();

    QString m_title, m_subtitle;
    QColor m_edge;
    bool m_emphasis = false;
    QVBoxLayout* m_column = nullptr;
    FlowLayout* m_actions = nullptr;
    QLabel* m_title_label = nullptr;
    QLabel* m_text = nullptr;
    QLabel* m_note = nullptr;
    IconButton* m_copy = nullptr;
};

} // namespace kf::ui
