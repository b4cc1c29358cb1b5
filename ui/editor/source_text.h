// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of a file as text for the editor, and back. Nothing is changed silently: what cannot be edited without loss is
// shown read-only with a sentence that says what and where.
#pragma once

#include <QByteArray>
#include <QString>

namespace kf::ui {

enum class LineEnd { lf, crlf, cr };

struct SourceText {
    QByteArray text;                // valid UTF-8 without NUL, lines end with LF
    LineEnd line_end = LineEnd::lf; // the file's own, where all agree
    bool mixed_line_ends = false;
    bool byte_order_mark = false;
    // The text differs from the bytes beyond mark and line ends: only shown.
    bool damaged = false;
    bool looks_latin1 = false;                // every byte is a Latin-1 character that text uses
    QString problem;                          // "Byte 0xE9 at line 2, column 5 is not UTF-8."; "" none
    QString note;                             // about mixed line ends; "" none
    int problem_line = 0, problem_column = 0; // from 1; 0: none
};

// Decodes; a NUL becomes U+2400, each byte that is not UTF-8 U+FFFD.
SourceText decode_source(const QByteArray& bytes);
// The same bytes read as Latin-1.
SourceText decode_latin1(const QByteArray& bytes);
// What is written into a file: the text with the mark and line ends that `as` had, where its line ends agreed.
QByteArray encode_source(const QByteArray& text, const SourceText& as);

// Lines and columns as kf::Place counts them, as positions in a line of UTF-8. Columns from 1; 0 and columns beyond the
// end give the nearest place.
enum class ColumnUnit { bytes, characters };
int byte_in_line(const QByteArray& line, int column, ColumnUnit unit);
// The other way: a byte offset as a column of characters, from 1.
int column_of_byte(const QByteArray& line, int byte);
// End of the word, number or operator that begins at `byte`; at least one character further, at most the line's end.
int token_end(const QByteArray& line, int byte);

} // namespace kf::ui
