// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/editor/completion.h"

#include "core/candidate/candidate.h"

#include <QRegularExpression>

#include <algorithm>
#include <functional>

namespace kf::ui {
namespace {

QString from(const std::string& text) {
    return QString::fromStdString(text);
}

void add_matching(QStringList& list, const QString& candidate, const QString& word) {
    if (candidate.startsWith(word, Qt::CaseInsensitive) && candidate != word)
        list.append(candidate);
}

QStringList finished(QStringList list) {
    list.removeDuplicates();
    std::sort(list.begin(), list.end(), [](const QString& a, const QString& b) {
        const int order = a.compare(b, Qt::CaseInsensitive);
        return order ? order < 0 : a < b;
    });
    return list;
}

// "swiglu(const float* h, int n)" of a kernel whose name stands at `place`.
WordEntry kernel_entry(const Kernel& kernel, const QList<QByteArray>& lines) {
    WordEntry entry;
    entry.name = from(kernel.name);
    entry.form = entry.name;
    entry.help = QStringLiteral("A kernel of this text.");
    if (kernel.place.line < 1 || kernel.place.line > lines.size())
        return entry;
    QString text;
    for (qsizetype i = kernel.place.line - 1; i < lines.size() && i < kernel.place.line + 12; ++i)
        text += QString::fromUtf8(lines[i]) + QLatin1Char(' ');
    static const QRegularExpression blanks(QStringLiteral("\\s+"));
    const auto open = text.indexOf(entry.name + QLatin1Char('('));
    const auto close = open < 0 ? -1 : text.indexOf(QLatin1Char(')'), open);
    if (close > open)
        entry.form = text.mid(open, close - open + 1).replace(blanks, QStringLiteral(" "));
    return entry;
}

bool takes_expression(const QString& statement) {
    return statement != QLatin1String("unordered") && statement != QLatin1String("requires") &&
           statement != QLatin1String("prepare") && statement != QLatin1String("option");
}

} // namespace

LocalNames local_names(const Task* task, const QByteArray& source, const QString& file_name) {
    LocalNames names;
    if (task) {
        for (const std::string& symbol : task->symbol_names())
            names.symbols.append(from(symbol));
        for (const InputSpec& input : task->inputs)
            names.inputs.append(from(input.name));
        for (const OutputSpec& output : task->outputs)
            names.outputs.append(from(output.name));
    }
    // A text that is being typed seldom parses as a whole, so the statements are read one by one: what has an error is
    // left out, the rest is known.
    static const QRegularExpression named(
        QStringLiteral("^[ \\t]*#[ \\t]*(?:pragma[ \\t]+)?kf[ \\t]+(tune|define|scratch|tensormap)[ "
                       "\\t]+([A-Za-z_][A-Za-z_0-9]*)"),
        QRegularExpression::MultilineOption);
    for (auto it = named.globalMatch(QString::fromUtf8(source)); it.hasNext();) {
        const auto match = it.next();
        const bool macro = match.captured(1) == QLatin1String("tune") || match.captured(1) == QLatin1String("define");
        (macro ? names.tunables : names.buffers).append(match.captured(2));
    }
    std::vector<Error> errors;
    const std::string text = source.toStdString();
    const QList<QByteArray> lines = source.split('\n');
    if (const auto candidate = parse_candidate(text, file_name.toStdString(), errors))
        for (const Kernel& kernel : candidate->kernel_list)
            names.kernels.push_back(kernel_entry(kernel, lines));
    else {
        static const QRegularExpression global(
            QStringLiteral("__global__[^;{(]*?(?:__launch_bounds__\\([^)]*\\)[^;{(]*?)?([A-Za-z_]\\w*)\\s*\\("));
        for (auto it = global.globalMatch(QString::fromUtf8(source)); it.hasNext();) {
            const auto match = it.next();
            Kernel kernel;
            kernel.name = match.captured(1).toStdString();
            kernel.place.line =
                static_cast<int>(QString::fromUtf8(source).left(match.capturedStart(1)).count(QLatin1Char('\n'))) + 1;
            names.kernels.push_back(kernel_entry(kernel, lines));
        }
    }
    return names;
}

PlanContext plan_context(const QString& line, bool triton) {
    static const QRegularExpression cuda(QStringLiteral("^\\s*#\\s*pragma\\s+kf\\s+(.*)$")),
        python(QStringLiteral("^\\s*#\\s*kf\\s+(.*)$"));
    PlanContext context;
    const auto match = (triton ? python : cuda).match(line);
    if (!match.hasMatch())
        return context;
    context.in_plan = true;
    const QString rest = match.captured(1);
    static const QRegularExpression last(QStringLiteral("[A-Za-z_0-9]*$"));
    context.word = last.match(rest).captured();
    const QString before = rest.left(rest.size() - context.word.size()).trimmed();
    static const QRegularExpression first(QStringLiteral("^[a-z]+"));
    context.statement = before.isEmpty() ? QString() : first.match(before).captured();
    return context;
}

QStringList plan_completions(const PlanContext& context, const LocalNames& names) {
    const Words& words = Words::get();
    QStringList list;
    const auto add = [&](const QString& word) { add_matching(list, word, context.word); };
    if (context.statement.isEmpty()) {
        for (const WordEntry& entry : words.statements)
            add(entry.name);
        return finished(list);
    }
    for (const PlanPart& part : words.parts)
        if (part.statements.contains(context.statement))
            add(part.word);
    if (context.statement == QLatin1String("scratch"))
        for (const QString& dtype : words.dtypes)
            add(dtype);
    if (context.statement == QLatin1String("unordered"))
        std::for_each(names.outputs.begin(), names.outputs.end(), add);
    if (!takes_expression(context.statement))
        return finished(list);
    for (const QStringList* group : {&names.symbols, &names.tunables, &names.inputs, &names.outputs, &names.buffers})
        std::for_each(group->begin(), group->end(), add);
    if (context.statement == QLatin1String("launch"))
        for (const WordEntry& kernel : names.kernels)
            add(kernel.name);
    for (const WordEntry& entry : words.functions)
        add(entry.name + QLatin1Char('('));
    for (const WordEntry& entry : words.device)
        add(entry.name);
    return finished(list);
}

QStringList code_completions(const QString& word, const LocalNames& names) {
    QStringList list;
    const auto add = [&](const QString& name) { add_matching(list, name, word); };
    for (const WordEntry& entry : Words::get().intrinsics)
        add(entry.name);
    for (const QByteArray* set : {&Words::get().cpp, &Words::get().cuda})
        for (const QByteArray& name : set->simplified().split(' '))
            add(QString::fromUtf8(name));
    std::for_each(names.tunables.begin(), names.tunables.end(), add);
    for (const WordEntry& kernel : names.kernels)
        add(kernel.name);
    return finished(list);
}

CompletionApis::CompletionApis(QsciLexer* lexer, bool triton) : QsciAbstractAPIs(lexer), m_triton(triton) {}

void CompletionApis::updateAutoCompletionList(const QStringList& context, QStringList& list) {
    const QString word = context.isEmpty() ? QString() : context.last();
    if (m_context.in_plan) {
        list += plan_completions(m_context, m_names);
    } else if (context.size() > 1 && !context[context.size() - 2].isEmpty()) {
        // Behind "::" only what that scope has.
        const QString scope = context[context.size() - 2] + QStringLiteral("::");
        for (const WordEntry& entry : Words::get().intrinsics)
            if (entry.name.startsWith(scope))
                add_matching(list, entry.name.mid(scope.size()), word);
    } else if (m_triton) {
        for (const QByteArray* set : {&Words::get().triton, &Words::get().triton_language})
            for (const QByteArray& name : set->simplified().split(' '))
                add_matching(list, QString::fromUtf8(name), word);
    } else {
        list += code_completions(word, m_names);
    }
}

QStringList CompletionApis::callTips(const QStringList& context, int, QsciScintilla::CallTipsStyle, QList<int>&) {
    QStringList tips;
    // The last word before the parenthesis; an empty one behind it is what is being typed.
    QString name;
    for (const QString& word : context)
        if (!word.isEmpty())
            name = word;
    if (name.isEmpty())
        return tips;
    const auto tip = [](const WordEntry& entry) {
        QString text = entry.result.isEmpty() ? entry.form : entry.result + QLatin1Char(' ') + entry.form;
        if (!entry.help.isEmpty())
            text += QLatin1Char('\n') + entry.help;
        return text;
    };
    if (m_context.in_plan) {
        for (const WordEntry& entry : Words::get().functions)
            if (entry.name == name)
                tips.append(tip(entry));
    } else if (!m_triton) {
        for (const WordEntry* entry : Words::get().find(name))
            tips.append(tip(*entry));
        if (tips.isEmpty())
            for (const WordEntry* entry : Words::get().find(QStringLiteral("cooperative_groups::") + name))
                tips.append(tip(*entry));
    }
    if (tips.isEmpty())
        for (const WordEntry& kernel : m_names.kernels)
            if (kernel.name == name && kernel.callable())
                tips.append(tip(kernel));
    return tips;
}

} // namespace kf::ui
