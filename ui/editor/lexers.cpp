// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/lexers.h"

#include "ui/editor/words.h"
#include "ui/theme/fonts.h"
#include "ui/theme/theme.h"

#include <QGuiApplication>
#include <QScreen>

namespace kf::ui {
namespace {

// Scintilla's styles that are not a lexer's begin here.
constexpr int first_foreign_style = 32;
constexpr int inactive_bit = 0x40;

SourceRole cuda_role(int style) {
    switch (style & ~inactive_bit) {
    case QsciLexerCPP::Comment:
    case QsciLexerCPP::CommentLine:
    case QsciLexerCPP::CommentDoc:
    case QsciLexerCPP::CommentLineDoc:
    case QsciLexerCPP::CommentDocKeyword:
    case QsciLexerCPP::CommentDocKeywordError:
    case QsciLexerCPP::PreProcessorComment:
    case QsciLexerCPP::PreProcessorCommentLineDoc:
    case QsciLexerCPP::TaskMarker:
        return SourceRole::comment;
    case QsciLexerCPP::Number:
    case QsciLexerCPP::UserLiteral:
        return SourceRole::number;
    case QsciLexerCPP::Keyword:
    case QsciLexerCPP::KeywordSet2:
        return SourceRole::keyword;
    case QsciLexerCPP::DoubleQuotedString:
    case QsciLexerCPP::SingleQuotedString:
    case QsciLexerCPP::UnclosedString:
    case QsciLexerCPP::VerbatimString:
    case QsciLexerCPP::RawString:
    case QsciLexerCPP::TripleQuotedVerbatimString:
    case QsciLexerCPP::HashQuotedString:
    case QsciLexerCPP::EscapeSequence:
        return SourceRole::string;
    default:
        return SourceRole::text;
    }
}

SourceRole triton_role(int style) {
    switch (style) {
    case QsciLexerPython::Comment:
    case QsciLexerPython::CommentBlock:
        return SourceRole::comment;
    case QsciLexerPython::Number:
        return SourceRole::number;
    case QsciLexerPython::Keyword:
    case QsciLexerPython::HighlightedIdentifier:
    case QsciLexerPython::Decorator:
        return SourceRole::keyword;
    case QsciLexerPython::Default:
    case QsciLexerPython::Operator:
    case QsciLexerPython::Identifier:
    case QsciLexerPython::ClassName:
    case QsciLexerPython::FunctionMethodName:
        return SourceRole::text;
    default:
        return SourceRole::string;
    }
}

} // namespace

QColor source_colour(SourceRole role) {
    const Theme& theme = Theme::current();
    switch (role) {
    case SourceRole::text:
        return theme.text;
    case SourceRole::comment:
        return theme.comment;
    case SourceRole::number:
        return theme.number;
    case SourceRole::keyword:
        return theme.keyword;
    case SourceRole::string:
        return theme.string;
    }
    return theme.text;
}

// QScintilla asks for points; the fonts of the window are sized in pixels.
QFont code_font() {
    QFont font = source_font();
    const QScreen* screen = QGuiApplication::primaryScreen();
    const double dots_per_inch = screen ? screen->logicalDotsPerInchY() : 96;
    if (font.pixelSize() > 0)
        font.setPointSizeF(font.pixelSize() * 72.0 / dots_per_inch);
    return font;
}

void apply_theme(QsciLexer& lexer) {
    lexer.setDefaultColor(Theme::current().text);
    lexer.setDefaultPaper(Theme::current().panel);
    lexer.setDefaultFont(code_font());
    for (int style = 0; style < 128; ++style) {
        if ((style & ~inactive_bit) >= first_foreign_style || lexer.description(style).isEmpty())
            continue;
        lexer.setColor(lexer.defaultColor(style), style);
        lexer.setPaper(lexer.defaultPaper(style), style);
        lexer.setFont(lexer.defaultFont(style), style);
        lexer.setEolFill(false, style);
    }
}

CudaLexer::CudaLexer(QObject* parent) : QsciLexerCPP(parent) {
    setFoldPreprocessor(true);
    setFoldAtElse(false);
    setFoldComments(true);
    setFoldCompact(false);
}

const char* CudaLexer::keywords(int set) const {
    if (set == 1)
        return Words::get().cpp.constData();
    return set == 2 ? Words::get().cuda.constData() : nullptr;
}
QColor CudaLexer::defaultColor(int style) const {
    return source_colour(cuda_role(style));
}
QColor CudaLexer::defaultPaper(int) const {
    return Theme::current().panel;
}
QFont CudaLexer::defaultFont(int) const {
    return code_font();
}
bool CudaLexer::defaultEolFill(int) const {
    return false;
}

TritonLexer::TritonLexer(QObject* parent) : QsciLexerPython(parent) {
    setFoldCompact(false);
}

const char* TritonLexer::keywords(int set) const {
    if (set == 1)
        return Words::get().triton.constData();
    return set == 2 ? Words::get().triton_language.constData() : nullptr;
}
QColor TritonLexer::defaultColor(int style) const {
    return source_colour(triton_role(style));
}
QColor TritonLexer::defaultPaper(int) const {
    return Theme::current().panel;
}
QFont TritonLexer::defaultFont(int) const {
    return code_font();
}
bool TritonLexer::defaultEolFill(int) const {
    return false;
}

} // namespace kf::ui
