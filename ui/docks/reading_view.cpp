// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/docks/reading_view.h"

#include "ui/theme/fonts.h"
#include "ui/theme/icons.h"
#include "ui/widgets/style.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHoverEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBoundaryFinder>
#include <QTimer>

#include <algorithm>

namespace kf::ui {

using namespace Qt::Literals::StringLiterals;

namespace {

constexpr int kept_around = 40; // rows beside those in view keep their layout
constexpr int bottom_slack = 4;

} // namespace

ReadingView::ReadingView(ReadingModel& model, const QString& accessible_name, QWidget* parent)
    : QAbstractScrollArea(parent), m_model(model), m_pill(new QPushButton(u"Jump to latest"_s, this)) {
    setAccessibleName(accessible_name);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    set_surface(*this, Surface::panel);
    set_surface(*viewport(), Surface::panel);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_Hover);
    verticalScrollBar()->setSingleStep(24);
    m_pill->setIcon(icon(u"chevron-down"_s));
    m_pill->setAccessibleName(m_pill->text());
    set_look(*m_pill, ButtonLook::primary);
    m_pill->hide();
    connect(m_pill, &QPushButton::clicked, this, [this] {
        jump_to_latest();
        setFocus();
    });
    connect(&model, &QAbstractItemModel::modelReset, this, &ReadingView::model_reset);
    connect(&model, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { rows_inserted(first, last); });
    connect(&model, &QAbstractItemModel::rowsRemoved, this,
            [this](const QModelIndex&, int first, int last) { rows_removed(first, last); });
    connect(&model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last) { rows_changed(first.row(), last.row()); });
    model_reset();
}

ReadingView::~ReadingView() = default;

void ReadingView::model_reset() {
    m_rows.assign(static_cast<std::size_t>(m_model.rowCount()), {});
    for (int row = 0; row < m_model.rowCount(); ++row)
        m_rows[static_cast<std::size_t>(row)].height = ReadingLayout::estimate(m_model.index(row), width_of_rows());
    m_tops_known = false;
    m_cursor = m_hovered = m_select_row = m_wanted_row = -1;
    m_anchor_row = m_anchor_offset = 0;
    m_follow = true;
    queue_settle();
}

void ReadingView::rows_inserted(int first, int last) {
    std::vector<Row> fresh(static_cast<std::size_t>(last - first + 1));
    for (int row = first; row <= last; ++row)
        fresh[static_cast<std::size_t>(row - first)].height =
            ReadingLayout::estimate(m_model.index(row), width_of_rows());
    m_rows.insert(m_rows.begin() + first, fresh.begin(), fresh.end());
    const int count = last - first + 1;
    for (int* one : {&m_cursor, &m_hovered, &m_select_row, &m_anchor_row, &m_wanted_row})
        if (*one >= first && !(one == &m_anchor_row && m_anchor_row == 0 && m_anchor_offset == 0))
            *one += count;
    m_tops_known = false;
    queue_settle();
}

void ReadingView::rows_removed(int first, int last) {
    m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
    const int count = last - first + 1;
    for (int* one : {&m_cursor, &m_hovered, &m_select_row, &m_anchor_row, &m_wanted_row})
        if (*one > last)
            *one -= count;
        else if (*one >= first)
            *one = one == &m_anchor_row || one == &m_cursor ? std::max(0, first - 1) : -1;
    if (m_rows.empty())
        m_cursor = -1;
    m_tops_known = false;
    queue_settle();
}

void ReadingView::rows_changed(int first, int last) {
    for (int row = first; row <= last && row < static_cast<int>(m_rows.size()); ++row) {
        m_rows[static_cast<std::size_t>(row)].layout.reset();
        m_rows[static_cast<std::size_t>(row)].exact = false;
    }
    if (m_select_row >= first && m_select_row <= last && !m_selecting)
        m_select_row = -1;
    queue_settle();
}

void ReadingView::forget_layouts() {
    for (std::size_t row = 0; row < m_rows.size(); ++row) {
        m_rows[row].layout.reset();
        m_rows[row].exact = false;
        m_rows[row].height = ReadingLayout::estimate(m_model.index(static_cast<int>(row)), width_of_rows());
    }
    m_tops_known = false;
}

int ReadingView::total() const {
    return top_of(static_cast<int>(m_rows.size()));
}

int ReadingView::top_of(int row) const {
    if (!m_tops_known) {
        m_tops.resize(m_rows.size() + 1);
        int y = 0;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            m_tops[i] = y;
            y += m_rows[i].height;
        }
        m_tops.back() = y;
        m_tops_known = true;
    }
    return m_tops[static_cast<std::size_t>(std::clamp(row, 0, static_cast<int>(m_rows.size())))];
}

int ReadingView::row_at(int y) const {
    if (m_rows.empty() || y < 0)
        return -1;
    (void)top_of(0);
    const auto found = std::upper_bound(m_tops.begin(), m_tops.end(), y);
    const int row = static_cast<int>(found - m_tops.begin()) - 1;
    return row < static_cast<int>(m_rows.size()) ? row : -1;
}

ReadingLayout& ReadingView::layout(int row) {
    Row& one = m_rows[static_cast<std::size_t>(row)];
    if (!one.layout) {
        one.layout = std::make_shared<ReadingLayout>(m_model.index(row), width_of_rows());
        if (one.layout->height() != one.height) {
            one.height = one.layout->height();
            m_tops_known = false;
        }
        one.exact = true;
    }
    return *one.layout;
}

void ReadingView::queue_settle() {
    if (m_settle_queued)
        return;
    m_settle_queued = true;
    QTimer::singleShot(0, this, [this] {
        m_settle_queued = false;
        settle();
    });
}

void ReadingView::settle() {
    if (m_settling)
        return;
    m_settling = true;
    const int rows = static_cast<int>(m_rows.size()), page = viewport()->height();
    QScrollBar* bar = verticalScrollBar();
    if (m_wanted_row >= 0 && m_wanted_row < rows) {
        m_anchor_row = m_wanted_row;
        m_anchor_offset = 0;
    }
    if (rows > 0) {
        if (m_follow) {
            // From the end upwards, as far as the page goes.
            int seen = 0;
            for (int row = rows - 1; row >= 0 && seen < page; --row) {
                (void)layout(row);
                seen += m_rows[static_cast<std::size_t>(row)].height;
            }
        } else {
            m_anchor_row = std::clamp(m_anchor_row, 0, rows - 1);
            int seen = -m_anchor_offset;
            int row = m_anchor_row;
            for (; row < rows && seen < page; ++row) {
                (void)layout(row);
                seen += m_rows[static_cast<std::size_t>(row)].height;
            }
            // What is too short for a page shows more of what stands before it.
            for (row = m_anchor_row - 1; row >= 0 && seen < page; --row) {
                (void)layout(row);
                seen += m_rows[static_cast<std::size_t>(row)].height;
            }
        }
    }
    const int most = std::max(0, total() - page);
    bar->setPageStep(std::max(1, page - 40));
    bar->setRange(0, most);
    const int value = m_follow ? most : std::clamp(top_of(m_anchor_row) + m_anchor_offset, 0, most);
    bar->setValue(value);
    m_settling = false;
    if (m_wanted_row >= 0) {
        m_follow = m_follow && value >= most - bottom_slack;
        m_wanted_row = -1;
    }
    if (const int row = row_at(bar->value()); row >= 0) {
        m_anchor_row = row;
        m_anchor_offset = bar->value() - top_of(row);
    }
    // Only what is near stays laid out.
    if (rows > 4 * kept_around) {
        const int low = m_anchor_row - kept_around,
                  high = row_at(bar->value() + page) < 0 ? rows : row_at(bar->value() + page) + kept_around;
        for (int row = 0; row < rows; ++row)
            if (row < low || row > high)
                m_rows[static_cast<std::size_t>(row)].layout.reset();
    }
    place_pill();
    viewport()->update();
}

void ReadingView::scrollContentsBy(int, int) {
    if (m_settling)
        return;
    const QScrollBar* bar = verticalScrollBar();
    m_follow = bar->value() >= bar->maximum() - bottom_slack;
    if (const int row = row_at(bar->value()); row >= 0) {
        m_anchor_row = row;
        m_anchor_offset = bar->value() - top_of(row);
    }
    settle();
}

void ReadingView::show_row(int row, bool whole) {
    if (row < 0 || row >= static_cast<int>(m_rows.size()))
        return;
    if (whole) {
        (void)layout(row);
        const int top = top_of(row), bottom = top + m_rows[static_cast<std::size_t>(row)].height;
        const int value = verticalScrollBar()->value(), page = viewport()->height();
        int wanted = value;
        if (top < value || bottom - top > page)
            wanted = top;
        else if (bottom > value + page)
            wanted = bottom - page;
        if (wanted == value)
            return;
        m_follow = false;
        m_anchor_row = row_at(wanted);
        m_anchor_offset = m_anchor_row >= 0 ? wanted - top_of(m_anchor_row) : 0;
        settle();
        return;
    }
    m_follow = false;
    m_wanted_row = row;
    queue_settle();
}

void ReadingView::jump_to_latest() {
    m_follow = true;
    m_wanted_row = -1;
    settle();
}

void ReadingView::set_found(const QString& words) {
    m_found = words;
    viewport()->update();
}

void ReadingView::set_grows(bool grows) {
    m_grows = grows;
    place_pill();
}

void ReadingView::place_pill() {
    const bool show = m_grows && !m_follow && total() > viewport()->height() * 3 / 2 &&
                      total() - verticalScrollBar()->value() > viewport()->height() * 2;
    m_pill->setVisible(show);
    if (!show)
        return;
    const QSize size = m_pill->sizeHint();
    m_pill->setGeometry((viewport()->width() - size.width()) / 2, viewport()->height() - size.height() - 10,
                        size.width(), size.height());
    m_pill->raise();
}

void ReadingView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const int from = verticalScrollBar()->value();
    int row = row_at(from + event->rect().top());
    if (row < 0)
        return;
    bool grown = false;
    for (int y = top_of(row) - from; row < static_cast<int>(m_rows.size()) && y <= event->rect().bottom(); ++row) {
        const bool known = m_rows[static_cast<std::size_t>(row)].exact;
        const int height = m_rows[static_cast<std::size_t>(row)].height;
        const ReadingLayout& one = layout(row);
        grown |= !known && one.height() != height;
        ReadingLook look;
        look.cursor = row == m_cursor && hasFocus();
        look.hovered = row == m_hovered;
        look.found = m_found;
        if (row == m_select_row) {
            look.select_from = std::min(m_select_anchor, m_select_to);
            look.select_to = std::max(m_select_anchor, m_select_to);
        }
        one.paint(painter, QPointF(0, y), look);
        y += one.height();
    }
    if (grown)
        queue_settle();
}

void ReadingView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if (event->oldSize().width() != event->size().width())
        forget_layouts();
    settle();
}

QPointF ReadingView::in_row(int row, QPoint point) const {
    return {static_cast<double>(point.x()),
            static_cast<double>(point.y() + verticalScrollBar()->value() - top_of(row))};
}

void ReadingView::act_on(int row) {
    if (row < 0)
        return;
    switch (m_model.row(row).kind) {
    case ReadingKind::heading:
        Q_EMIT heading_activated(row);
        break;
    case ReadingKind::fold:
        m_model.toggle(row);
        break;
    default:
        if (const QString link = m_model.index(row).data(ReadingRole::link).toString(); !link.isEmpty())
            Q_EMIT link_activated(link);
    }
}

void ReadingView::set_cursor(int row) {
    m_cursor = row >= 0 && row < static_cast<int>(m_rows.size()) ? row : -1;
    tell_cursor();
    viewport()->update();
}

void ReadingView::move_cursor(int row) {
    if (m_rows.empty())
        return;
    m_cursor = std::clamp(row, 0, static_cast<int>(m_rows.size()) - 1);
    show_row(m_cursor, true);
    tell_cursor();
    viewport()->update();
}

void ReadingView::tell_cursor() {
    if (m_cursor < 0)
        return;
    setAccessibleDescription(m_model.line(m_cursor).left(2000));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
}

QString ReadingView::copied() const {
    if (m_select_row >= 0 && m_select_anchor != m_select_to && m_select_row < static_cast<int>(m_rows.size())) {
        const auto& layout = m_rows[static_cast<std::size_t>(m_select_row)].layout;
        if (layout) {
            QString text =
                layout->body().mid(std::min(m_select_anchor, m_select_to), std::abs(m_select_to - m_select_anchor));
            return text.replace(QChar::LineSeparator, u'\n');
        }
    }
    if (m_cursor < 0)
        return {};
    const QString whole = m_model.index(m_cursor).data(ReadingRole::whole).toString();
    return m_model.row(m_cursor).kind == ReadingKind::code && !whole.isEmpty() ? whole : m_model.line(m_cursor);
}

void ReadingView::copy_now() {
    const QString text = copied();
    if (text.isEmpty())
        return;
    QGuiApplication::clipboard()->setText(text);
    Q_EMIT copied_text(m_select_row >= 0                                 ? u"selection"_s
                       : m_cursor < 0                                    ? QString()
                       : m_model.row(m_cursor).kind == ReadingKind::code ? u"code"_s
                                                                         : u"text"_s);
}

void ReadingView::keyPressEvent(QKeyEvent* event) {
    const int page = std::max(1, viewport()->height() - 40);
    const int first = row_at(verticalScrollBar()->value());
    const int now = m_cursor < 0 ? first : m_cursor;
    if (event->matches(QKeySequence::Copy)) {
        copy_now();
        return;
    }
    switch (event->key()) {
    case Qt::Key_Up:
    case Qt::Key_Down: {
        if (event->modifiers() & ~Qt::KeypadModifier) {
            event->ignore();
            return;
        }
        const bool up = event->key() == Qt::Key_Up;
        // A row that is higher than the page is read through before it is left.
        const int top = top_of(std::max(0, now)), value = verticalScrollBar()->value();
        const int bottom = now >= 0 ? top + m_rows[static_cast<std::size_t>(now)].height : 0;
        if (m_cursor >= 0 && (up ? top < value : bottom > value + viewport()->height()))
            verticalScrollBar()->setValue(value + (up ? -page / 2 : page / 2));
        else
            move_cursor(m_cursor < 0 ? now : now + (up ? -1 : 1));
        return;
    }
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
        verticalScrollBar()->setValue(verticalScrollBar()->value() + (event->key() == Qt::Key_PageUp ? -page : page));
        move_cursor(std::max(0, row_at(verticalScrollBar()->value())));
        return;
    case Qt::Key_Home:
        move_cursor(0);
        return;
    case Qt::Key_End:
        jump_to_latest();
        move_cursor(static_cast<int>(m_rows.size()) - 1);
        return;
    case Qt::Key_Left:
    case Qt::Key_Right: {
        if (now < 0 || event->modifiers() & ~Qt::KeypadModifier)
            break;
        const QVariant open = m_model.index(now).data(ReadingRole::open);
        const bool wanted = event->key() == Qt::Key_Right;
        if (open.isValid() && open.toBool() != wanted)
            m_model.toggle(now);
        else if (!wanted)
            for (int row = now - 1; row >= 0; --row)
                if (m_model.row(row).kind == ReadingKind::heading) {
                    move_cursor(row);
                    break;
                }
        return;
    }
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
        act_on(now);
        return;
    default:
        break;
    }
    QAbstractScrollArea::keyPressEvent(event);
}

void ReadingView::mousePressEvent(QMouseEvent* event) {
    const int row = row_at(event->pos().y() + verticalScrollBar()->value());
    if (row < 0 || event->button() == Qt::RightButton) {
        if (row >= 0)
            set_cursor(row);
        return;
    }
    m_cursor = row;
    m_select_row = -1;
    const QPointF inside = in_row(row, event->pos());
    const ReadingLayout& one = layout(row);
    if (one.link().contains(inside)) {
        Q_EMIT link_activated(m_model.index(row).data(ReadingRole::link).toString());
    } else if (one.copy().contains(inside)) {
        copy_now();
    } else if (m_model.row(row).kind == ReadingKind::heading && one.chevron().contains(inside)) {
        m_model.toggle(row);
    } else if (m_model.row(row).kind == ReadingKind::heading || m_model.row(row).kind == ReadingKind::fold) {
        act_on(row);
    } else if (const int at = one.position_at(inside); at >= 0) {
        m_select_row = row;
        m_select_anchor = m_select_to = at;
        m_selecting = true;
    }
    viewport()->update();
}

void ReadingView::mouseMoveEvent(QMouseEvent* event) {
    const int row = row_at(event->pos().y() + verticalScrollBar()->value());
    if (m_selecting && m_select_row >= 0) {
        const int at = layout(m_select_row).position_at(in_row(m_select_row, event->pos()));
        if (at >= 0 && at != m_select_to) {
            m_select_to = at;
            viewport()->update();
        }
        return;
    }
    if (row != m_hovered) {
        m_hovered = row;
        viewport()->update();
    }
    Qt::CursorShape shape = Qt::ArrowCursor;
    if (row >= 0) {
        const ReadingLayout& one = layout(row);
        const QPointF inside = in_row(row, event->pos());
        const ReadingKind kind = m_model.row(row).kind;
        if (one.link().contains(inside) || one.copy().contains(inside) || kind == ReadingKind::heading ||
            kind == ReadingKind::fold)
            shape = Qt::PointingHandCursor;
        else if (one.position_at(inside) >= 0)
            shape = Qt::IBeamCursor;
    }
    viewport()->setCursor(shape);
}

void ReadingView::mouseReleaseEvent(QMouseEvent*) {
    m_selecting = false;
    if (m_select_anchor == m_select_to)
        m_select_row = -1;
}

void ReadingView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int row = row_at(event->pos().y() + verticalScrollBar()->value());
    if (row < 0)
        return;
    const ReadingLayout& one = layout(row);
    const int at = one.position_at(in_row(row, event->pos()));
    if (at < 0 || m_model.row(row).kind == ReadingKind::heading) {
        mousePressEvent(event);
        return;
    }
    QTextBoundaryFinder words(QTextBoundaryFinder::Word, one.body());
    words.setPosition(at);
    const auto end = words.toNextBoundary();
    words.setPosition(end < 0 ? one.body().size() : end);
    const auto begin = words.toPreviousBoundary();
    m_select_row = row;
    m_select_anchor = static_cast<int>(std::max<qsizetype>(0, begin));
    m_select_to = static_cast<int>(end < 0 ? one.body().size() : end);
    viewport()->update();
}

void ReadingView::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    const int row = by_key ? m_cursor : row_at(event->pos().y() + verticalScrollBar()->value());
    QMenu menu(this);
    if (row >= 0) {
        set_cursor(row);
        if (m_fill_menu)
            m_fill_menu(menu, row);
        menu.addAction(icon(u"copy"_s), u"Copy"_s, this, &ReadingView::copy_now);
        if (const QString whole = m_model.index(row).data(ReadingRole::whole).toString(); !whole.isEmpty())
            menu.addAction(icon(u"copy"_s),
                           m_model.row(row).kind == ReadingKind::code ? u"Copy the code"_s : u"Copy all of it"_s, this,
                           [this, whole] {
                               QGuiApplication::clipboard()->setText(whole);
                               Q_EMIT copied_text(u"code"_s);
                           });
    }
    if (menu.isEmpty())
        return;
    const QPoint place =
        by_key && row >= 0 ? QPoint(20, top_of(row) - verticalScrollBar()->value() + 20) : event->pos();
    menu.exec(viewport()->mapToGlobal(place));
}

void ReadingView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange) {
        forget_layouts();
        queue_settle();
    }
}

void ReadingView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    if (m_cursor < 0 && event->reason() != Qt::MouseFocusReason)
        set_cursor(row_at(verticalScrollBar()->value()));
    viewport()->update();
}

void ReadingView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

bool ReadingView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave && m_hovered >= 0) {
        m_hovered = -1;
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace kf::ui
