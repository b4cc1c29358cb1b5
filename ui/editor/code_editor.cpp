// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/code_editor.h"

#include "ui/editor/completion.h"
#include "ui/editor/issue_marks.h"
#include "ui/editor/lexers.h"
#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPainter>
#include <QToolTip>
#include <QUrl>

#include <algorithm>
#include <cstring>

namespace kf::ui {
namespace {

using namespace editor_numbers;

constexpr int word_delay_ms = 150;
constexpr int completion_threshold = 3;
constexpr int searched_lines = 400; // around the caret, for the same word
constexpr int mark_margin = 22;

QString dropped_file(const QMimeData* data) {
    if (!data || !data->hasUrls() || data->urls().size() != 1 || !data->urls().first().isLocalFile())
        return {};
    return data->urls().first().toLocalFile();
}

} // namespace

CodeEditor::CodeEditor(QWidget* parent) : QsciScintilla(parent), m_issues(std::make_unique<IssueMarks>(*this)) {
    set_up();
    apply_lexer();
    apply_theme();
    load({});
}

// The lexer goes before the editor's own parts; QScintilla must not ask it any more.
CodeEditor::~CodeEditor() {
    m_plan_timer.stop();
    m_word_timer.stop();
    disconnect(this, nullptr, this, nullptr);
    setLexer(nullptr);
}

void CodeEditor::set_up() {
    setUtf8(true);
    setEolMode(EolUnix);
    setIndentationsUseTabs(false);
    setIndentationWidth(4);
    setTabWidth(4);
    setAutoIndent(true);
    setBackspaceUnindents(true);
    setTabIndents(true);
    setBraceMatching(SloppyBraceMatch);
    setWrapMode(WrapNone);
    setCaretLineVisible(true);
    setCaretWidth(2);
    setFrameShape(QFrame::NoFrame);
    setAutoCompletionSource(AcsAPIs);
    setAutoCompletionThreshold(completion_threshold);
    setAutoCompletionCaseSensitivity(false);
    setAutoCompletionReplaceWord(false);
    setCallTipsStyle(CallTipsNoContext);
    setCallTipsPosition(CallTipsAboveText);
    setCallTipsVisible(0);
    SendScintilla(SCI_SETEXTRAASCENT, 1L);
    SendScintilla(SCI_SETEXTRADESCENT, 1L);
    SendScintilla(SCI_SETSCROLLWIDTHTRACKING, 1L);
    SendScintilla(SCI_SETSCROLLWIDTH, 1L);
    SendScintilla(SCI_SETENDATLASTLINE, 0L);
    SendScintilla(SCI_SETMULTIPLESELECTION, 1L);
    SendScintilla(SCI_SETADDITIONALSELECTIONTYPING, 1L);
    SendScintilla(SCI_SETVIRTUALSPACEOPTIONS, 1L); // rectangular selection only
    SendScintilla(SCI_AUTOCSETMAXHEIGHT, 12L);
    SendScintilla(SCI_AUTOCSETDROPRESTOFWORD, 0L);
    SendScintilla(SCI_SETMOUSEDWELLTIME, 500L);
    setAnnotationDisplay(AnnotationStandard);
    setContextMenuPolicy(Qt::DefaultContextMenu);
    setAccessibleName(QStringLiteral("Kernel source"));

    setMarginType(margin_marks, SymbolMargin);
    setMarginType(margin_numbers, NumberMargin);
    setMarginMarkerMask(margin_marks,
                        1 << marker_error | 1 << marker_warning | 1 << marker_bookmark | 1 << marker_launch);
    setMarginMarkerMask(margin_numbers, 0);
    setMarginMarkerMask(margin_folds, static_cast<int>(SC_MASK_FOLDERS));
    setMarginSensitivity(margin_marks, true);
    setFolding(PlainFoldStyle, margin_folds);
    connect(this, &QsciScintilla::marginClicked, this, [this](int margin, int line, Qt::KeyboardModifiers) {
        if (margin == margin_marks) {
            setCursorPosition(line, 0);
            toggle_bookmark();
        }
    });

    indicatorDefine(TextColorIndicator, plan_text);
    indicatorDefine(TextColorIndicator, plan_word);
    indicatorDefine(TextColorIndicator, plan_number);
    indicatorDefine(FullBoxIndicator, same_word);
    indicatorDefine(FullBoxIndicator, found);
    indicatorDefine(SquiggleIndicator, squiggle_error);
    indicatorDefine(SquiggleIndicator, squiggle_warning);
    indicatorDefine(FullBoxIndicator, brace);
    setMatchedBraceIndicator(brace);

    free_window_keys(*this);

    m_plan_timer.setSingleShot(true);
    m_plan_timer.setInterval(0);
    connect(&m_plan_timer, &QTimer::timeout, this, &CodeEditor::colour_plan);
    m_word_timer.setSingleShot(true);
    m_word_timer.setInterval(word_delay_ms);
    connect(&m_word_timer, &QTimer::timeout, this, &CodeEditor::highlight_word);
    connect(this, &QsciScintilla::textChanged, this, &CodeEditor::on_modified);
    connect(this, &QsciScintilla::cursorPositionChanged, this, [this](int line, int) {
        m_word_timer.start();
        m_issues->set_quiet_line(isReadOnly() || !hasFocus() ? -1 : line);
        if (m_apis)
            m_apis->set_context(plan_context(text(line).left(caret_byte()), m_language == Language::triton));
    });
    connect(this, &QsciScintillaBase::SCN_CHARADDED, this, [this](int) { offer_plan_words(); });
    connect(this, &QsciScintillaBase::SCN_DWELLSTART, this, [this](int, int x, int y) {
        const QString tip = m_issues->text_at(QPoint(x, y));
        if (!tip.isEmpty())
            QToolTip::showText(viewport()->mapToGlobal(QPoint(x, y)), tip, this);
    });
    connect(this, &QsciScintillaBase::SCN_ZOOM, this, [this] {
        apply_margins();
        Q_EMIT zoom_changed(text_zoom());
    });
}

void CodeEditor::apply_lexer() {
    setLexer(nullptr);
    m_apis = nullptr;
    if (m_language == Language::triton)
        m_lexer = std::make_unique<TritonLexer>();
    else
        m_lexer = std::make_unique<CudaLexer>();
    m_apis = new CompletionApis(m_lexer.get(), m_language == Language::triton);
    kf::ui::apply_theme(*m_lexer);
    setLexer(m_lexer.get());
    // What `#if` leaves out depends on macros of the compiler's command line: nothing is greyed by guessing.
    SendScintilla(SCI_SETPROPERTY, "lexer.cpp.track.preprocessor", "0");
}

void CodeEditor::set_language(Language language) {
    if (language == m_language)
        return;
    m_language = language;
    apply_lexer();
    apply_theme();
    colour_plan();
}

void CodeEditor::apply_theme() {
    const Theme& theme = Theme::current();
    if (m_lexer)
        kf::ui::apply_theme(*m_lexer);
    setPaper(theme.panel);
    setColor(theme.text);
    setCaretForegroundColor(theme.text);
    SendScintilla(SCI_SETCARETPERIOD, static_cast<unsigned long>(std::max(0, QApplication::cursorFlashTime() / 2)));
    setCaretLineBackgroundColor(blend(theme.panel, theme.text, 0.035));
    setSelectionBackgroundColor(theme.selection);
    resetSelectionForegroundColor();
    setMarginsBackgroundColor(theme.panel);
    setMarginsForegroundColor(theme.faint);
    setMarginsFont(code_font());
    setFoldMarginColors(theme.panel, theme.panel);
    setIndentationGuidesForegroundColor(theme.line);
    setIndentationGuidesBackgroundColor(theme.panel);
    setWhitespaceForegroundColor(theme.faint);
    setWhitespaceBackgroundColor(theme.panel);
    setMatchedBraceForegroundColor(theme.text);
    setUnmatchedBraceForegroundColor(theme.error);
    setUnmatchedBraceBackgroundColor(theme.panel);
    setCallTipsBackgroundColor(theme.raised);
    setCallTipsForegroundColor(theme.text);
    setCallTipsHighlightColor(theme.accent);
    setEdgeColor(theme.line);

    // Drawn by paint_marks: Scintilla's own shapes are as large as the line.
    for (const int number : {marker_error, marker_warning, marker_bookmark, marker_launch})
        markerDefine(QsciScintilla::Invisible, number);
    const QColor arrow = blend(theme.panel, theme.faint, 0.6);
    const auto bgr = static_cast<long>(arrow.red() | arrow.green() << 8 | arrow.blue() << 16);
    SendScintilla(SCI_MARKERDEFINE, SC_MARKNUM_FOLDER, static_cast<long>(SC_MARK_ARROW));
    SendScintilla(SCI_MARKERDEFINE, SC_MARKNUM_FOLDEROPEN, static_cast<long>(SC_MARK_ARROWDOWN));
    for (const unsigned long number :
         {static_cast<unsigned long>(SC_MARKNUM_FOLDER), static_cast<unsigned long>(SC_MARKNUM_FOLDEROPEN)}) {
        SendScintilla(SCI_MARKERSETFORE, number, bgr);
        SendScintilla(SCI_MARKERSETBACK, number, bgr);
    }

    const auto indicator = [this](int number, const QColor& colour, int fill = 0, int outline = 0) {
        setIndicatorForegroundColor(colour, number);
        SendScintilla(SCI_INDICSETALPHA, static_cast<unsigned long>(number), static_cast<long>(fill));
        SendScintilla(SCI_INDICSETOUTLINEALPHA, static_cast<unsigned long>(number), static_cast<long>(outline));
        SendScintilla(SCI_INDICSETUNDER, static_cast<unsigned long>(number), 1L);
    };
    indicator(plan_text, theme.plan);
    indicator(plan_word, theme.keyword);
    indicator(plan_number, theme.number);
    indicator(same_word, theme.dim, 40, 90);
    indicator(found, theme.inconclusive, 50, 160);
    indicator(squiggle_error, theme.error);
    indicator(squiggle_warning, theme.inconclusive);
    indicator(brace, theme.accent, 60, 160);
    apply_margins();
    m_issues->apply_theme();
}

void CodeEditor::apply_margins() {
    const QFont font = code_font();
    const QFontMetrics metrics(font);
    const double scale = 1.0 + text_zoom() / std::max(1.0, font.pointSizeF()); // a step is a point
    setMarginWidth(margin_marks, mark_margin);
    const int digits = std::max(3, static_cast<int>(QString::number(lines()).size()));
    setMarginWidth(margin_numbers,
                   static_cast<int>(metrics.horizontalAdvance(QString(digits, QLatin1Char('9'))) * scale) + 6);
    setMarginWidth(margin_folds, 14);
    SendScintilla(SCI_SETMARGINLEFT, 0UL, 4L);
}

void CodeEditor::load(const QByteArray& text) {
    m_loading = true;
    m_issues->clear();
    const bool read_only = isReadOnly();
    setReadOnly(false);
    // setText() throws the undo history away; that is what is wanted here, and only here.
    SendScintilla(SCI_SETTEXT, text.constData());
    SendScintilla(SCI_EMPTYUNDOBUFFER);
    setReadOnly(read_only);
    setModified(false);
    m_loading = false;
    on_modified();
    colour_plan();
    setCursorPosition(0, 0);
}

void CodeEditor::replace_all(const QByteArray& text) {
    if (text == source())
        return;
    const int first = firstVisibleLine();
    int line = 0, index = 0;
    getCursorPosition(&line, &index);
    m_loading = true;
    beginUndoAction();
    // Of the common kinds only this keeps the history: the old text comes back with one Ctrl+Z.
    SendScintilla(SCI_TARGETWHOLEDOCUMENT);
    SendScintilla(SCI_REPLACETARGET, static_cast<unsigned long>(text.size()), text.constData());
    endUndoAction();
    m_loading = false;
    setCursorPosition(std::min(line, lines() - 1), 0);
    setFirstVisibleLine(first);
    on_modified();
}

QByteArray CodeEditor::source() const {
    const auto length = static_cast<int>(SendScintilla(SCI_GETLENGTH));
    if (length <= 0)
        return {};
    QByteArray result(length, '\0');
    SendScintilla(SCI_GETTEXT, static_cast<unsigned long>(length) + 1, result.data());
    return result;
}

QByteArray CodeEditor::line_bytes(int line) const {
    const auto start = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const auto end = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line));
    return start < 0 || end <= start ? QByteArray()
                                     : bytes(static_cast<int>(start), static_cast<int>(end)).left(end - start);
}

void CodeEditor::go_to(int line, int byte) {
    line = std::clamp(line, 0, std::max(0, lines() - 1));
    ensureLineVisible(line);
    const auto start = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
    const auto end = SendScintilla(SCI_GETLINEENDPOSITION, static_cast<unsigned long>(line));
    SendScintilla(SCI_GOTOPOS, static_cast<unsigned long>(std::min<long>(start + byte, end)));
    ensureCursorVisible();
    // Not at the very edge: what is around it matters, and so does the row under it.
    const auto shown = static_cast<int>(SendScintilla(SCI_LINESONSCREEN));
    const auto visible = static_cast<int>(SendScintilla(SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line)));
    if (visible < firstVisibleLine() + 2 || visible > firstVisibleLine() + shown - 4)
        setFirstVisibleLine(std::max(0, visible - shown / 3));
}

int CodeEditor::caret_line() const {
    int line = 0, index = 0;
    getCursorPosition(&line, &index);
    return line;
}

int CodeEditor::caret_byte() const {
    return static_cast<int>(SendScintilla(SCI_GETCURRENTPOS));
}

void CodeEditor::on_modified() {
    if (m_loading)
        return;
    apply_margins();
    m_plan_timer.start();
    Q_EMIT source_changed();
}

void CodeEditor::colour_plan() {
    m_plan_timer.stop();
    const QByteArray text = source();
    m_plan = plan_layout(std::string_view(text.constData(), static_cast<std::size_t>(text.size())), m_language);
    for (const int number : {plan_text, plan_word, plan_number})
        clear_indicator(number);
    for (const PlanSpan& span : m_plan.spans)
        fill_indicator(span.kind == PlanSpanKind::word     ? plan_word
                       : span.kind == PlanSpanKind::number ? plan_number
                                                           : plan_text,
                       span.begin, span.end);
    markerDeleteAll(marker_launch);
    for (const int line : m_plan.launch_lines)
        markerAdd(line, marker_launch);
}

void CodeEditor::fill_indicator(int number, int begin, int end) {
    SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(number));
    SendScintilla(SCI_INDICATORFILLRANGE, static_cast<unsigned long>(begin), static_cast<long>(end - begin));
}

void CodeEditor::clear_indicator(int number) {
    SendScintilla(SCI_SETINDICATORCURRENT, static_cast<unsigned long>(number));
    SendScintilla(SCI_INDICATORCLEARRANGE, 0UL, SendScintilla(SCI_GETLENGTH));
}

void CodeEditor::highlight_word() {
    clear_indicator(same_word);
    if (hasSelectedText())
        return;
    const long caret = SendScintilla(SCI_GETCURRENTPOS);
    const long begin = SendScintilla(SCI_WORDSTARTPOSITION, static_cast<unsigned long>(caret), 1L),
               end = SendScintilla(SCI_WORDENDPOSITION, static_cast<unsigned long>(caret), 1L);
    if (end - begin < 2 || end - begin > 200)
        return;
    const QByteArray word = bytes(static_cast<int>(begin), static_cast<int>(end)).left(end - begin);
    const char first = word[0];
    if (first >= '0' && first <= '9')
        return;
    const int line = caret_line();
    const long from =
        SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(std::max(0, line - searched_lines)));
    long until = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line + searched_lines));
    if (until < 0)
        until = SendScintilla(SCI_GETLENGTH);
    SendScintilla(SCI_SETSEARCHFLAGS, static_cast<unsigned long>(SCFIND_WHOLEWORD | SCFIND_MATCHCASE));
    long at = from;
    int count = 0;
    std::vector<std::pair<int, int>> hits;
    while (at < until && count++ < 500) {
        SendScintilla(SCI_SETTARGETRANGE, static_cast<unsigned long>(at), until);
        if (SendScintilla(SCI_SEARCHINTARGET, static_cast<unsigned long>(word.size()), word.constData()) < 0)
            break;
        const long hit = SendScintilla(SCI_GETTARGETSTART);
        at = SendScintilla(SCI_GETTARGETEND);
        hits.emplace_back(static_cast<int>(hit), static_cast<int>(at));
    }
    if (hits.size() < 2)
        return; // nothing to compare it with
    for (const auto& [first_byte, last_byte] : hits)
        fill_indicator(same_word, first_byte, last_byte);
}

// In a plan line the next word is offered as soon as a blank asks for it: the statements are few.
void CodeEditor::offer_plan_words() {
    if (isReadOnly() || !m_apis)
        return;
    const int line = caret_line();
    const auto start = static_cast<int>(SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)));
    const QString before = QString::fromUtf8(line_bytes(line).left(caret_byte() - start));
    const PlanContext context = plan_context(before, m_language == Language::triton);
    m_apis->set_context(context);
    if (!context.in_plan || SendScintilla(SCI_AUTOCACTIVE))
        return;
    const bool begins = context.statement.isEmpty() && context.word.isEmpty();
    if (begins || (context.word.size() >= 2 && context.word.size() < completion_threshold))
        complete();
}

void CodeEditor::complete() {
    if (isReadOnly() || !m_apis)
        return;
    const int line = caret_line();
    const auto start = static_cast<int>(SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line)));
    const QString before = QString::fromUtf8(line_bytes(line).left(caret_byte() - start));
    const PlanContext context = plan_context(before, m_language == Language::triton);
    m_apis->set_context(context);
    if (!context.in_plan) {
        autoCompleteFromAPIs();
        return;
    }
    const QStringList list = plan_completions(context, m_apis->names());
    if (list.isEmpty())
        return;
    const QByteArray joined = list.join(QLatin1Char('\x03')).toUtf8();
    SendScintilla(SCI_AUTOCSETSEPARATOR, 3UL);
    SendScintilla(SCI_AUTOCSETIGNORECASE, 1UL);
    SendScintilla(SCI_AUTOCSHOW, static_cast<unsigned long>(context.word.toUtf8().size()), joined.constData());
}

void CodeEditor::set_text_zoom(int steps) {
    SendScintilla(SCI_SETZOOM, static_cast<long>(std::clamp(steps, -6, 20)));
}

int CodeEditor::text_zoom() const {
    return static_cast<int>(SendScintilla(SCI_GETZOOM));
}

void CodeEditor::changeEvent(QEvent* event) {
    QsciScintilla::changeEvent(event);
    switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::FontChange:
    case QEvent::ApplicationFontChange:
    case QEvent::StyleChange:
        apply_theme();
        break;
    default:
        break;
    }
}

void CodeEditor::paintEvent(QPaintEvent* event) {
    QsciScintilla::paintEvent(event);
    QPainter painter(viewport());
    painter.setClipRegion(event->region());
    if (!m_issues->empty())
        m_issues->paint(painter);
    paint_marks(painter);
}

// A dot for an error or a warning, a small triangle where the plan launches, a bar for a bookmark.
void CodeEditor::paint_marks(QPainter& painter) {
    const Theme& theme = Theme::current();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const auto height = static_cast<int>(SendScintilla(SCI_TEXTHEIGHT, 0UL));
    const int first = firstVisibleLine(), shown = viewport()->height() / std::max(1, height) + 1;
    int before = -1;
    for (int row = first; row <= first + shown; ++row) {
        const auto line = static_cast<int>(SendScintilla(SCI_DOCLINEFROMVISIBLE, static_cast<unsigned long>(row)));
        if (line == before || line >= lines())
            continue;
        before = line;
        const unsigned marks = markersAtLine(line);
        if (!marks)
            continue;
        const long start = SendScintilla(SCI_POSITIONFROMLINE, static_cast<unsigned long>(line));
        const double y = static_cast<double>(SendScintilla(SCI_POINTYFROMPOSITION, 0UL, start)) + height / 2.0;
        const double x = mark_margin / 2.0 - 2;
        if (marks & (1U << marker_bookmark)) {
            painter.setBrush(theme.accent);
            painter.drawRoundedRect(QRectF(1, y - height / 2.0 + 2, 3, height - 4), 1.5, 1.5);
        }
        if (marks & (1U << marker_error | 1U << marker_warning)) {
            painter.setBrush(marks & (1U << marker_error) ? theme.error : theme.inconclusive);
            painter.drawEllipse(QPointF(x, y), 4, 4);
        } else if (marks & (1U << marker_launch)) {
            painter.setBrush(theme.plan);
            painter.drawPolygon(QPolygonF({{x - 2.5, y - 3}, {x - 2.5, y + 3}, {x + 2.5, y}}));
        }
    }
}

void CodeEditor::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton && m_issues->on_link(event->pos())) {
        event->accept();
        Q_EMIT next_issue_wanted();
        return;
    }
    QsciScintilla::mousePressEvent(event);
}

void CodeEditor::mouseMoveEvent(QMouseEvent* event) {
    QsciScintilla::mouseMoveEvent(event);
    if (event->buttons() == Qt::NoButton && m_issues->on_link(event->pos()))
        viewport()->setCursor(Qt::PointingHandCursor);
}

void CodeEditor::dragEnterEvent(QDragEnterEvent* event) {
    if (!dropped_file(event->mimeData()).isEmpty())
        event->acceptProposedAction();
    else
        QsciScintilla::dragEnterEvent(event);
}

void CodeEditor::dropEvent(QDropEvent* event) {
    const QString file = dropped_file(event->mimeData());
    if (file.isEmpty()) {
        QsciScintilla::dropEvent(event);
        return;
    }
    event->acceptProposedAction();
    Q_EMIT file_dropped(file);
}

} // namespace kf::ui
