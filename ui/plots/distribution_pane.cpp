// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/distribution_pane.h"

#include "ui/plots/distribution_facts.h"
#include "ui/plots/distribution_plot.h"
#include "ui/theme/icons.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/style.h"

#include <QBoxLayout>
#include <QClipboard>
#include <QComboBox>
#include <QDataStream>
#include <QGuiApplication>
#include <QIODevice>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedLayout>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

constexpr int slow_ms = 150; // reading that takes longer is told
constexpr int facts_width = 320, narrow = 560;
constexpr std::size_t kept_sides = 4;
constexpr qint32 state_version = 1;

std::string key_of(const SideOrder& order) {
    const std::string place = order.found     ? std::to_string(order.place.sequence)
                              : order.waiting ? "waiting"
                              : order.running ? "running"
                                              : "none";
    return std::to_string(order.chosen.turn) + '/' + order.evaluation + '/' + place;
}

std::string key_of(const DistributionOrder& order) {
    return (order.a ? key_of(*order.a) : "-") + '|' + (order.b ? key_of(*order.b) : "-") + '|' +
           std::to_string(static_cast<int>(order.relation));
}

} // namespace

DistributionPane::DistributionPane(const PaneContext& context, QWidget* parent)
    : Pane(u"distribution"_s, tr("Distribution"), u"distribution"_s, parent), m_context(context),
      m_stack(new QStackedLayout(this)), m_empty(new EmptyState(u"distribution"_s, {}, {}, this)),
      m_content(new QWidget(this)),
      m_shape(new Segmented({tr("Histogram"), tr("ECDF"), tr("Box"), tr("Raw")}, m_content)),
      m_log(new QPushButton(tr("log"), m_content)), m_sizes(new QComboBox(m_content)),
      m_stale(new ElidedLabel({}, m_content, Qt::ElideRight)), m_sides(new QBoxLayout(QBoxLayout::LeftToRight)),
      m_plot_stack(new QStackedLayout), m_no_samples(new EmptyState(u"distribution"_s, {}, {}, m_content)),
      m_plot(new DistributionPlot(m_content)), m_scroll(new QScrollArea(m_content)),
      m_facts(new DistributionFacts(m_scroll)) {
    m_pool.setMaxThreadCount(1);
    m_slow.setSingleShot(true);
    m_slow.setInterval(slow_ms);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(m_content);

    auto* column = new QVBoxLayout(m_content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* controls = new QHBoxLayout;
    controls->setContentsMargins(12, 8, 12, 4);
    controls->setSpacing(8);
    controls->addWidget(m_shape);
    controls->addWidget(m_log);
    controls->addWidget(m_sizes);
    controls->addWidget(m_stale, 1);
    column->addLayout(m_sides, 1);
    m_shape->setAccessibleName(tr("Shape of the plot"));
    m_log->setCheckable(true);
    m_log->setAccessibleName(tr("Logarithmic time axis"));
    m_log->setToolTip(tr("Logarithmic time axis (L)"));
    m_sizes->setAccessibleName(tr("Timed size"));
    m_sizes->setToolTip(tr("Timed size"));
    m_sizes->hide();
    m_stale->set_tone(ElidedLabel::Tone::caution);
    m_stale->set_alignment(Qt::AlignRight | Qt::AlignVCenter);
    m_plot_stack->addWidget(m_plot);
    m_plot_stack->addWidget(m_no_samples);
    m_sides->setContentsMargins(0, 0, 0, 4);
    m_sides->setSpacing(0);
    auto* drawn = new QVBoxLayout;
    drawn->setSpacing(0);
    drawn->addLayout(controls);
    drawn->addLayout(m_plot_stack, 1);
    m_sides->addLayout(drawn, 1);
    m_sides->addWidget(m_scroll);
    m_scroll->setWidget(m_facts);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setAccessibleName(tr("Comparison in words"));
    set_surface(*m_scroll->viewport(), Surface::panel);

    connect(m_shape, &Segmented::index_changed, this,
            [this](int index) { m_plot->set_shape(static_cast<DistributionShape>(index)); });
    connect(m_log, &QPushButton::toggled, m_plot, &DistributionPlot::set_log);
    connect(m_plot, &DistributionPlot::shape_wanted, this, &DistributionPane::set_shape);
    connect(m_plot, &DistributionPlot::log_wanted, this, &DistributionPane::set_log);
    connect(m_plot, &DistributionPlot::menu_wanted, this, &DistributionPane::show_menu);
    connect(m_sizes, &QComboBox::textActivated, this, &DistributionPane::serve);
    connect(m_facts, &DistributionFacts::button_clicked, this, &DistributionPane::pin_selected);
    connect(m_empty, &EmptyState::action_triggered, this, [this] { Q_EMIT link_activated(u"pane:timeline"_s); });
    connect(m_no_samples, &EmptyState::action_triggered, this, [this] { Q_EMIT link_activated(u"pane:autopsy"_s); });
    connect(&m_slow, &QTimer::timeout, this, [this] {
        m_no_samples->set(u"distribution"_s, tr("Reading the samples …"));
        m_no_samples->set_busy(true);
        m_plot_stack->setCurrentWidget(m_no_samples);
        m_stack->setCurrentWidget(m_content);
    });
    connect(&context.store, &RunStore::changed, this, &DistributionPane::wish);
    connect(&context.store, &RunStore::was_reset, this, [this] {
        m_key.clear();
        ++m_wish;
        ++m_run;
        wish();
    });
    connect(&context.selection, &Selection::current_changed, this, &DistributionPane::wish);
    connect(&context.selection, &Selection::pinned_changed, this, &DistributionPane::wish);
    wish();
}

DistributionPane::~DistributionPane() {
    m_pool.clear();
}

void DistributionPane::wish() {
    const Selection& selection = m_context.selection;
    DistributionOrder order = order_distribution(m_context.store.state(), selection.pinned(), selection.current());
    // Nobody measures any more when the writer is gone.
    if (const RunStatus status = m_context.store.status();
        status != RunStatus::running && status != RunStatus::stopping)
        for (auto* side : {&order.a, &order.b})
            if (*side)
                (*side)->running = (*side)->waiting = false;
    const bool none = m_context.store.mode() == RunMode::none;
    const bool nothing = none || !order.b;
    const bool no_turn = m_context.store.state().turns.empty();
    const std::string key = !nothing ? key_of(order) : none ? "no run" : no_turn ? "no turn" : "nothing";
    if (key == m_key)
        return;
    m_key = key;
    m_order = std::move(order);
    if (nothing) {
        ++m_wish;
        m_loading = false;
        m_slow.stop();
        m_plot->set_data({});
        m_empty->set(u"distribution"_s,
                     none      ? tr("No run is open.")
                     : no_turn ? tr("The run has no turn yet.")
                               : tr("Select a turn to see its times."),
                     none ? QString() : tr("Show the timeline"));
        m_stack->setCurrentWidget(m_empty);
        Q_EMIT shown();
        return;
    }
    serve(m_sizes->currentText());
}

void DistributionPane::serve(const QString& size) {
    const quint64 wish = ++m_wish;
    m_loading = true;
    m_slow.start();
    m_pool.clear(); // what nobody waits for any more
    m_pool.start([this, wish, size, run = m_run, order = m_order, blobs = m_context.store.blobs()] {
        QString trouble;
        if (std::exchange(m_read_run, run) != run)
            m_read.clear();
        const auto read = [&](const std::optional<SideOrder>& side) -> std::shared_ptr<const SideSamples> {
            if (!side || !side->found || !blobs)
                return std::make_shared<SideSamples>();
            const std::string key = key_of(*side);
            if (const auto known = m_read.find(key); known != m_read.end())
                return known->second;
            auto samples = read_side(*blobs, *side);
            if (!samples) {
                trouble = QString::fromStdString(samples.error().message);
                return std::make_shared<SideSamples>();
            }
            if (m_read.size() >= kept_sides)
                m_read.clear();
            return m_read[key] = std::make_shared<const SideSamples>(std::move(*samples));
        };
        const auto a = read(order.a), b = read(order.b);
        auto made = std::make_shared<DistributionData>(make_distribution(order, *a, *b, size));
        if (!trouble.isEmpty() && made->b.empty())
            made->unavailable = tr("The samples of %1 cannot be read: %2.").arg(order.b->name, trouble);
        QMetaObject::invokeMethod(this, [this, wish, made] {
            if (wish != m_wish)
                return;
            m_loading = false;
            m_slow.stop();
            show_data(std::move(*made));
            Q_EMIT shown();
        });
    });
}

void DistributionPane::show_data(DistributionData found) {
    m_sizes->clear();
    m_sizes->addItems(found.sizes);
    m_sizes->setCurrentText(found.size);
    m_sizes->setVisible(found.sizes.size() > 1);
    const bool alone = found.relation == Relation::alone;
    const bool can_pin = alone && !found.b.empty();
    m_facts->show_data(found, can_pin ? tr("Pin a second turn to compare (Ctrl+B).") : QString(),
                       can_pin ? tr("Pin %1").arg(found.b.name) : QString());
    m_no_samples->set_busy(false);
    if (!found.unavailable.isEmpty())
        m_no_samples->set(u"distribution"_s, found.unavailable, tr("Show the autopsy"));
    const bool nothing = found.a.empty() && found.b.empty();
    m_plot_stack->setCurrentWidget(nothing ? static_cast<QWidget*>(m_no_samples) : m_plot);
    m_scroll->setVisible(!nothing || !alone);
    m_shape->setEnabled(!nothing);
    m_log->setEnabled(!nothing);
    m_plot->set_data(std::move(found));
    m_stack->setCurrentWidget(m_content);
    arrange();
}

void DistributionPane::arrange() {
    const bool beside = width() >= narrow;
    m_sides->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_scroll->setMinimumWidth(beside ? std::min(facts_width, width() * 2 / 5) : 0);
    m_scroll->setMaximumWidth(beside ? std::max(facts_width, width() * 2 / 5) : QWIDGETSIZE_MAX);
    m_scroll->setMaximumHeight(beside ? QWIDGETSIZE_MAX : height() / 2);
}

void DistributionPane::resizeEvent(QResizeEvent* event) {
    Pane::resizeEvent(event);
    arrange();
}

void DistributionPane::pin_selected() {
    Selection& selection = m_context.selection;
    selection.pin(selection.pinned() == selection.current() ? Chosen{} : selection.current());
}

void DistributionPane::copy_figure() {
    const auto picture = m_plot->export_as(u"png"_s);
    QImage image;
    if (picture && image.loadFromData(*picture))
        QGuiApplication::clipboard()->setImage(image);
}

void DistributionPane::copy_text() {
    QGuiApplication::clipboard()->setText(text_twin());
}

void DistributionPane::zoom_to_fit() {
    m_plot->fit();
}

void DistributionPane::set_shape(DistributionShape shape) {
    m_shape->set_index(static_cast<int>(shape));
    m_plot->set_shape(shape);
}

void DistributionPane::set_log(bool log) {
    m_log->setChecked(log);
}

void DistributionPane::set_stale(const QString& why) {
    m_stale->set_text(why);
}

void DistributionPane::show_menu(QPoint where) {
    QMenu menu(this);
    const bool pinned = m_context.selection.pinned().turn >= 0;
    if (pinned)
        menu.addAction(icon(u"pin"_s), tr("Unpin baseline A"), this, [this] { m_context.selection.pin({}); });
    else if (m_context.selection.current().turn >= 0)
        menu.addAction(icon(u"pin"_s), tr("Pin the selected turn as baseline A"), this,
                       &DistributionPane::pin_selected);
    menu.addSeparator();
    menu.addAction(icon(u"copy"_s), tr("Copy figure"), this, &DistributionPane::copy_figure);
    menu.addAction(icon(u"copy"_s), tr("Copy as text"), this, &DistributionPane::copy_text);
    menu.addAction(icon(u"export"_s), tr("Export …"), this,
                   [this] { Q_EMIT link_activated(u"export:distribution"_s); });
    menu.addSeparator();
    menu.addAction(icon(u"fit"_s), tr("Fit all samples"), this, &DistributionPane::zoom_to_fit)
        ->setEnabled(!m_plot->is_fitted());
    menu.exec(where);
}

QString DistributionPane::text_twin() const {
    if (m_stack->currentWidget() == m_empty)
        return m_empty->sentence();
    const QString stale = m_stale->text().isEmpty() ? QString() : m_stale->text() + u'\n';
    const QString invitation =
        m_plot->data().relation == Relation::alone ? u'\n' + tr("Pin a second turn to compare (Ctrl+B).") : QString();
    return stale + m_plot->text_twin() + invitation;
}

QStringList DistributionPane::export_formats() const {
    return {u"csv"_s, u"png"_s, u"svg"_s};
}

Result<QByteArray> DistributionPane::export_as(const QString& format) const {
    if (m_plot->data().a.empty() && m_plot->data().b.empty())
        return make_error("export-empty", "The distribution has no samples to export", "Select a turn that was timed");
    return format == "csv"_L1 ? distribution_csv(m_plot->data()) : m_plot->export_as(format);
}

QWidget* DistributionPane::focus_target() {
    return m_stack->currentWidget() == m_empty ? static_cast<QWidget*>(m_empty) : m_plot;
}

QByteArray DistributionPane::save_state() const {
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    out << state_version << static_cast<qint32>(m_plot->shape()) << m_plot->is_log();
    return bytes;
}

void DistributionPane::restore_state(const QByteArray& state) {
    QDataStream in(state);
    qint32 version = 0, shape = 0;
    bool log = false;
    in >> version >> shape >> log;
    if (in.status() != QDataStream::Ok || version != state_version || shape < 0 || shape > 3)
        return;
    set_shape(static_cast<DistributionShape>(shape));
    set_log(log);
}

} // namespace kf::ui
