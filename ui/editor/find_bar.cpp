// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/find_bar.h"

#include "ui/editor/code_editor.h"
#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/style.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>

namespace kf::ui {
namespace {

constexpr int search_delay_ms = 60;

QToolButton* option_button(const QString& text, const QString& what, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setCheckable(true);
    button->setToolTip(what);
    button->setAccessibleName(what);
    button->setFixedSize(metrics::control_height + 12, metrics::control_height);
    return button;
}

} // namespace

FindBar::FindBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("find-bar"));
    set_surface(*this, Surface::window);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 6, 10, 6);
    column->setSpacing(6);

    auto* find_row = new QHBoxLayout;
    find_row->setSpacing(6);
    m_wanted = new QLineEdit(this);
    m_wanted->setPlaceholderText(QStringLiteral("Find"));
    m_wanted->setAccessibleName(QStringLiteral("Find"));
    m_wanted->setClearButtonEnabled(true);
    m_wanted->setMinimumWidth(140);
    m_wanted->setMaximumWidth(420);
    m_case = option_button(QStringLiteral("Aa"), QStringLiteral("Match case"), this);
    m_words = option_button(QStringLiteral("W"), QStringLiteral("Whole words"), this);
    m_regex = option_button(QStringLiteral(".*"), QStringLiteral("Regular expression"), this);
    m_count = new ElidedLabel({}, this, Qt::ElideRight);
    m_count->set_tone(ElidedLabel::Tone::dim);
    m_count->setAccessibleName(QStringLiteral("Matches"));
    m_count->setMinimumWidth(110);
    auto* previous = new IconButton(QStringLiteral("chevron-up"), QStringLiteral("Previous match"), this);
    previous->set_text(QStringLiteral("Previous match"), QStringLiteral("Shift+F3"));
    auto* following = new IconButton(QStringLiteral("chevron-down"), QStringLiteral("Next match"), this);
    following->set_text(QStringLiteral("Next match"), QStringLiteral("F3"));
    auto* close = new IconButton(QStringLiteral("close"), QStringLiteral("Close the search"), this);
    close->set_text(QStringLiteral("Close the search"), QStringLiteral("Esc"));
    find_row->addWidget(m_wanted, 1);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_case), static_cast<QWidget*>(m_words), static_cast<QWidget*>(m_regex),
          static_cast<QWidget*>(previous), static_cast<QWidget*>(following), static_cast<QWidget*>(m_count)})
        find_row->addWidget(widget);
    find_row->addStretch(1);
    find_row->addWidget(close);
    column->addLayout(find_row);

    m_replace_row = new QWidget(this);
    auto* replace_row = new QHBoxLayout(m_replace_row);
    replace_row->setContentsMargins(0, 0, 0, 0);
    replace_row->setSpacing(6);
    m_replacement = new QLineEdit(m_replace_row);
    m_replacement->setPlaceholderText(QStringLiteral("Replace with"));
    m_replacement->setAccessibleName(QStringLiteral("Replace with"));
    m_replacement->setMinimumWidth(140);
    m_replacement->setMaximumWidth(420);
    auto* one = new QPushButton(QStringLiteral("Replace"), m_replace_row);
    auto* all = new QPushButton(QStringLiteral("Replace all"), m_replace_row);
    replace_row->addWidget(m_replacement, 1);
    replace_row->addWidget(one);
    replace_row->addWidget(all);
    replace_row->addStretch(1);
    column->addWidget(m_replace_row);

    m_timer.setSingleShot(true);
    m_timer.setInterval(search_delay_ms);
    connect(&m_timer, &QTimer::timeout, this, [this] { search(false); });
    connect(m_wanted, &QLineEdit::textEdited, this, [this] { search(true); });
    for (QToolButton* button : {m_case, m_words, m_regex})
        connect(button, &QToolButton::toggled, this, [this] { search(true); });
    connect(previous, &QToolButton::clicked, this, [this] { next(false); });
    connect(following, &QToolButton::clicked, this, [this] { next(true); });
    connect(close, &QToolButton::clicked, this, &FindBar::close_bar);
    connect(one, &QPushButton::clicked, this, &FindBar::replace_one);
    connect(all, &QPushButton::clicked, this, &FindBar::replace_all);
    hide();
}

void FindBar::set_editor(CodeEditor* editor) {
    if (editor == m_editor)
        return;
    unmark();
    if (m_editor)
        disconnect(m_editor, nullptr, this, nullptr);
    m_editor = editor;
    m_current = -1;
    if (!m_editor)
        return;
    connect(m_editor, &CodeEditor::source_changed, this, [this] {
        if (isVisible())
            m_timer.start();
    });
    if (m_editor->isReadOnly())
        m_replace_row->hide();
    if (isVisible())
        search(false);
}

void FindBar::open(bool with_replace) {
    if (!m_editor)
        return;
    const QString selected = m_editor->selectedText();
    if (!selected.isEmpty() && !selected.contains(QLatin1Char('\n')))
        m_wanted->setText(selected);
    m_replace_row->setVisible(with_replace && !m_editor->isReadOnly());
    show();
    m_wanted->setFocus();
    m_wanted->selectAll();
    search(false);
}

void FindBar::close_bar() {
    unmark();
    hide();
    if (m_editor)
        m_editor->setFocus();
}

SearchOptions FindBar::options() const {
    return {m_regex->isChecked(), m_case->isChecked(), m_words->isChecked()};
}

void FindBar::set_options(const SearchOptions& options) {
    m_regex->setChecked(options.regex);
    m_case->setChecked(options.match_case);
    m_words->setChecked(options.whole_words);
}

void FindBar::set_wanted(const QString& text) {
    m_wanted->setText(text);
    search(true);
}

void FindBar::set_replacement(const QString& text) {
    m_replacement->setText(text);
}

void FindBar::search(bool move) {
    if (!m_editor)
        return;
    m_result = search_text(m_editor->source(), m_wanted->text(), options());
    mark();
    m_current = -1;
    const int caret = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART));
    for (std::size_t i = 0; i < m_result.matches.size(); ++i)
        if (m_result.matches[i].begin >= caret) {
            m_current = static_cast<int>(i);
            break;
        }
    if (m_current < 0 && !m_result.matches.empty())
        m_current = 0;
    if (move && m_current >= 0)
        show_match(static_cast<std::size_t>(m_current));
    tell();
}

void FindBar::mark() {
    unmark();
    if (!m_editor)
        return;
    m_editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(editor_numbers::found));
    for (const SearchMatch& match : m_result.matches)
        m_editor->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(match.begin),
                                static_cast<long>(match.end - match.begin));
}

void FindBar::unmark() {
    if (!m_editor)
        return;
    m_editor->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(editor_numbers::found));
    m_editor->SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL,
                            m_editor->SendScintilla(QsciScintilla::SCI_GETLENGTH));
}

void FindBar::show_match(std::size_t index) {
    const SearchMatch& match = m_result.matches[index];
    const auto line = static_cast<int>(
        m_editor->SendScintilla(QsciScintilla::SCI_LINEFROMPOSITION, static_cast<unsigned long>(match.begin)));
    m_editor->go_to(line, 0);
    m_editor->SendScintilla(QsciScintilla::SCI_SETSEL, static_cast<unsigned long>(match.begin),
                            static_cast<long>(match.end));
    m_editor->SendScintilla(QsciScintilla::SCI_SCROLLCARET);
}

void FindBar::next(bool forward) {
    if (!m_editor)
        return;
    if (!isVisible() && m_wanted->text().isEmpty()) {
        open(false);
        return;
    }
    m_result = search_text(m_editor->source(), m_wanted->text(), options());
    if (isVisible())
        mark();
    if (m_result.matches.empty()) {
        m_current = -1;
        tell();
        return;
    }
    const auto from = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART)),
               until = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONEND));
    const int count = static_cast<int>(m_result.matches.size());
    m_current = forward ? 0 : count - 1;
    if (forward) {
        for (int i = 0; i < count; ++i)
            if (m_result.matches[static_cast<std::size_t>(i)].begin >= std::max(until, from + 1)) {
                m_current = i;
                break;
            }
    } else {
        for (int i = count - 1; i >= 0; --i)
            if (m_result.matches[static_cast<std::size_t>(i)].end <= from) {
                m_current = i;
                break;
            }
    }
    show_match(static_cast<std::size_t>(m_current));
    tell();
}

void FindBar::replace_one() {
    if (!m_editor || m_editor->isReadOnly())
        return;
    const auto from = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONSTART)),
               until = static_cast<int>(m_editor->SendScintilla(QsciScintilla::SCI_GETSELECTIONEND));
    m_result = search_text(m_editor->source(), m_wanted->text(), options());
    for (const SearchMatch& match : m_result.matches)
        if (match.begin == from && match.end == until) {
            m_editor->replaceSelectedText(replacement_for(match, m_replacement->text(), options()));
            break;
        }
    next(true);
}

void FindBar::replace_all() {
    if (!m_editor || m_editor->isReadOnly())
        return;
    const QByteArray text = m_editor->source();
    m_result = search_text(text, m_wanted->text(), options());
    if (m_result.matches.empty())
        return;
    QByteArray changed;
    int at = 0;
    for (const SearchMatch& match : m_result.matches) {
        changed += text.mid(at, match.begin - at);
        changed += replacement_for(match, m_replacement->text(), options()).toUtf8();
        at = match.end;
    }
    changed += text.mid(at);
    const auto count = m_result.matches.size();
    m_editor->replace_all(changed);
    search(false);
    m_count->set_text(QStringLiteral("%1 replaced").arg(count));
}

QString FindBar::count_text() const {
    return m_count->text();
}

void FindBar::tell() {
    if (!m_result.error.isEmpty())
        m_count->set_text(m_result.error);
    else if (m_wanted->text().isEmpty())
        m_count->set_text({});
    else if (m_result.matches.empty())
        m_count->set_text(QStringLiteral("no match"));
    else
        m_count->set_text(QStringLiteral("%1 of %2%3")
                              .arg(m_current + 1)
                              .arg(m_result.matches.size())
                              .arg(m_result.cut ? QStringLiteral("+") : QString()));
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape) {
        close_bar();
    } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (m_replacement->hasFocus())
            replace_one();
        else
            next(!(event->modifiers() & Qt::ShiftModifier));
    } else {
        QWidget::keyPressEvent(event);
        return;
    }
    event->accept();
}

} // namespace kf::ui
