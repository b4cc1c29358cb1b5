// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/words.h"

#include "core/task/dtype.h"

#include <QFile>
#include <QHash>

#include <algorithm>

// Q_INIT_RESOURCE declares a function, which must not lie in a namespace.
static void load_kf_editor_resources() {
    Q_INIT_RESOURCE(editor);
}

namespace kf::ui {
namespace {

// Lines of each `[section]`; "" before the first.
QHash<QString, QStringList> sections_of(const QString& name) {
    QFile file(QStringLiteral(":/kf/editor/") + name);
    const bool opened = file.open(QIODevice::ReadOnly);
    Q_ASSERT_X(opened, "words", qPrintable(name));
    QHash<QString, QStringList> sections;
    if (!opened)
        return sections;
    QString section;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        if (line.isEmpty() || line.startsWith(QLatin1Char('#')))
            continue;
        if (line.startsWith(QLatin1Char('[')) && line.endsWith(QLatin1Char(']')))
            section = line.mid(1, line.size() - 2);
        else
            sections[section].append(line);
    }
    return sections;
}

QByteArray keyword_set(const QStringList& lines) {
    return lines.join(QLatin1Char(' ')).toUtf8();
}

// "T __ldg(const T* address)\thelp"; the result stands before the last word in front of the parenthesis.
WordEntry function_entry(const QString& line) {
    const QStringList halves = line.split(QLatin1Char('\t'));
    WordEntry entry;
    entry.form = halves.value(0).trimmed();
    entry.help = halves.value(1).trimmed();
    const auto open = entry.form.indexOf(QLatin1Char('('));
    if (open < 0) {
        entry.name = entry.form;
        return entry;
    }
    const auto blank = entry.form.lastIndexOf(QLatin1Char(' '), open);
    if (blank >= 0) {
        entry.result = entry.form.left(blank);
        entry.form.remove(0, blank + 1);
    }
    entry.name = entry.form.left(entry.form.indexOf(QLatin1Char('(')));
    return entry;
}

WordEntry statement_entry(const QString& line) {
    const QStringList halves = line.split(QLatin1Char('\t'));
    WordEntry entry;
    entry.form = halves.value(0).trimmed();
    entry.help = halves.value(1).trimmed();
    entry.name = entry.form.section(QLatin1Char(' '), 0, 0);
    return entry;
}

std::vector<WordEntry> entries(const QStringList& lines, WordEntry (*make)(const QString&)) {
    std::vector<WordEntry> result;
    for (const QString& line : lines)
        result.push_back(make(line));
    return result;
}

Words read() {
    load_kf_editor_resources();
    Words words;
    const auto cuda = sections_of(QStringLiteral("cuda_words.txt"));
    words.cpp = keyword_set(cuda.value(QStringLiteral("cpp")));
    words.cuda = keyword_set(cuda.value(QStringLiteral("cuda")));
    words.triton = keyword_set(cuda.value(QStringLiteral("triton")));
    words.triton_language = keyword_set(cuda.value(QStringLiteral("triton-language")));
    words.intrinsics = entries(sections_of(QStringLiteral("intrinsics.txt")).value(QString()), function_entry);
    std::stable_sort(words.intrinsics.begin(), words.intrinsics.end(),
                     [](const WordEntry& a, const WordEntry& b) { return a.name < b.name; });
    const auto plan = sections_of(QStringLiteral("plan_words.txt"));
    words.statements = entries(plan.value(QStringLiteral("statement")), statement_entry);
    words.functions = entries(plan.value(QStringLiteral("function")), function_entry);
    words.device = entries(plan.value(QStringLiteral("device")), function_entry);
    for (const QString& line : plan.value(QStringLiteral("part"))) {
        const QStringList halves = line.split(QLatin1Char('\t'));
        words.parts.push_back({halves.value(0), halves.value(1).split(QLatin1Char(' '))});
    }
    for (int i = 0; i <= static_cast<int>(DType::boolean); ++i) {
        const std::string_view name = to_string(static_cast<DType>(i));
        words.dtypes.append(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    }
    return words;
}

} // namespace

const Words& Words::get() {
    static const Words words = read();
    return words;
}

std::vector<const WordEntry*> Words::find(const QString& name) const {
    std::vector<const WordEntry*> found;
    auto it = std::lower_bound(intrinsics.begin(), intrinsics.end(), name,
                               [](const WordEntry& entry, const QString& wanted) { return entry.name < wanted; });
    for (; it != intrinsics.end() && it->name == name; ++it)
        found.push_back(&*it);
    return found;
}

} // namespace kf::ui
