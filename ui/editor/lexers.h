// SPDX-License-Identifier: GPL-3.0-or-later
// Lexers of candidates: CUDA C++ and Triton. Colours and fonts come from Theme alone; apply_theme() again after it has
// changed. Plan lines are coloured on top of them (CodeEditor).
#pragma once

#include "core/candidate/candidate.h"
#include "ui/editor/qsci.h"

namespace kf::ui {

// What a piece of source is, whatever the language.
enum class SourceRole { text, comment, number, keyword, string };
QColor source_colour(SourceRole role);

class CudaLexer final : public QsciLexerCPP {
    Q_OBJECT
public:
    explicit CudaLexer(QObject* parent = nullptr);
    const char* keywords(int set) const override; // 1: C++, 2: CUDA
    QColor defaultColor(int style) const override;
    QColor defaultPaper(int style) const override;
    QFont defaultFont(int style) const override;
    bool defaultEolFill(int style) const override;
};

class TritonLexer final : public QsciLexerPython {
    Q_OBJECT
public:
    explicit TritonLexer(QObject* parent = nullptr);
    const char* keywords(int set) const override; // 1: Python, 2: triton.language
    QColor defaultColor(int style) const override;
    QColor defaultPaper(int style) const override;
    QFont defaultFont(int style) const override;
    bool defaultEolFill(int style) const override;
};

// Sets every style of the lexer again from the theme and the fonts.
void apply_theme(QsciLexer& lexer);
// The font of source text (theme/fonts.h), sized as QScintilla wants it.
QFont code_font();

} // namespace kf::ui
