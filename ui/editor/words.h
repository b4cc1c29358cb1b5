// SPDX-License-Identifier: GPL-3.0-or-later
// The words that the editor knows: C++ and CUDA for the lexer, CUDA's built-ins with signatures, plan statements with
// their parts. All lists are files (ui/editor/words); element types and expressions are core's.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <vector>

namespace kf::ui {

// Something that can be completed or explained.
struct WordEntry {
    QString name;   // what is completed: "__shfl_sync"
    QString result; // "T"; "" none
    QString form;   // "__shfl_sync(unsigned mask, T value)"; a bare word: as `name`
    QString help;   // one line
    bool callable() const { return form.contains(QLatin1Char('(')); }
};

// A word that may stand inside some plan statements.
struct PlanPart {
    QString word;           // "cluster("
    QStringList statements; // {"launch"}
};

struct Words {
    QByteArray cpp, cuda;               // keyword sets, separated by blanks
    QByteArray triton, triton_language; // the same for Triton
    std::vector<WordEntry> intrinsics;  // by name
    std::vector<WordEntry> statements;  // in the order of docs/candidate.md
    std::vector<PlanPart> parts;
    std::vector<WordEntry> functions, device; // of plan expressions
    QStringList dtypes;

    // Read once; a missing file is a programmer's error.
    static const Words& get();
    // Every entry of that name (overloads), of CUDA's built-ins.
    std::vector<const WordEntry*> find(const QString& name) const;
};

} // namespace kf::ui
