// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/code_spans.h"

#include <QSet>
#include <QString>

namespace kf::ui {
namespace {

using namespace Qt::Literals::StringLiterals;

const QSet<QString>& cpp_words() {
    static const QSet<QString> words{u"alignas"_s,
                                     u"auto"_s,
                                     u"bool"_s,
                                     u"break"_s,
                                     u"case"_s,
                                     u"char"_s,
                                     u"const"_s,
                                     u"constexpr"_s,
                                     u"continue"_s,
                                     u"default"_s,
                                     u"do"_s,
                                     u"double"_s,
                                     u"else"_s,
                                     u"enum"_s,
                                     u"extern"_s,
                                     u"false"_s,
                                     u"float"_s,
                                     u"for"_s,
                                     u"if"_s,
                                     u"inline"_s,
                                     u"int"_s,
                                     u"long"_s,
                                     u"namespace"_s,
                                     u"operator"_s,
                                     u"return"_s,
                                     u"short"_s,
                                     u"signed"_s,
                                     u"sizeof"_s,
                                     u"static"_s,
                                     u"struct"_s,
                                     u"switch"_s,
                                     u"template"_s,
                                     u"this"_s,
                                     u"true"_s,
                                     u"typedef"_s,
                                     u"typename"_s,
                                     u"union"_s,
                                     u"unsigned"_s,
                                     u"using"_s,
                                     u"void"_s,
                                     u"volatile"_s,
                                     u"while"_s,
                                     u"asm"_s,
                                     u"__global__"_s,
                                     u"__device__"_s,
                                     u"__shared__"_s,
                                     u"__constant__"_s,
                                     u"__host__"_s,
                                     u"__restrict__"_s,
                                     u"__forceinline__"_s,
                                     u"__launch_bounds__"_s,
                                     u"__half"_s,
                                     u"__half2"_s,
                                     u"half"_s,
                                     u"half2"_s,
                                     u"float2"_s,
                                     u"float4"_s,
                                     u"int2"_s,
                                     u"int4"_s,
                                     u"uint4"_s,
                                     u"size_t"_s,
                                     u"uint32_t"_s,
                                     u"int32_t"_s,
                                     u"uint64_t"_s,
                                     u"int64_t"_s,
                                     u"__nv_bfloat16"_s,
                                     u"__nv_bfloat162"_s,
                                     u"threadIdx"_s,
                                     u"blockIdx"_s,
                                     u"blockDim"_s,
                                     u"gridDim"_s,
                                     u"uint8_t"_s};
    return words;
}

const QSet<QString>& python_words() {
    static const QSet<QString> words{
        u"and"_s,  u"as"_s,     u"assert"_s, u"break"_s, u"class"_s, u"continue"_s, u"def"_s,   u"del"_s,    u"elif"_s,
        u"else"_s, u"except"_s, u"False"_s,  u"for"_s,   u"from"_s,  u"global"_s,   u"if"_s,    u"import"_s, u"in"_s,
        u"is"_s,   u"lambda"_s, u"None"_s,   u"not"_s,   u"or"_s,    u"pass"_s,     u"raise"_s, u"return"_s, u"True"_s,
        u"try"_s,  u"while"_s,  u"with"_s,   u"yield"_s, u"tl"_s,    u"triton"_s};
    return words;
}

bool is_word(QChar c) {
    return c.isLetterOrNumber() || c == u'_';
}

class Scanner {
public:
    Scanner(QStringView text, bool python, std::vector<CodeSpan>& spans)
        : m_text(text), m_python(python), m_spans(spans) {}

    bool run(bool in_comment) {
        if (in_comment)
            comment(0);
        while (m_at < m_text.size())
            step();
        return m_open_comment;
    }

private:
    void add(CodeRole role, qsizetype begin, qsizetype end) {
        if (end > begin)
            m_spans.push_back({role, static_cast<int>(begin), static_cast<int>(end - begin)});
    }
    qsizetype line_end(qsizetype from) const {
        const qsizetype end = m_text.indexOf(u'\n', from);
        return end < 0 ? m_text.size() : end;
    }
    bool at_line_begin() const {
        for (qsizetype i = m_at; i > 0 && m_text[i - 1] != u'\n'; --i)
            if (!m_text[i - 1].isSpace())
                return false;
        return true;
    }
    void comment(qsizetype search_from) {
        const qsizetype begin = m_at;
        const qsizetype end = m_text.indexOf(QLatin1String("*/"), search_from);
        m_open_comment = end < 0;
        m_at = end < 0 ? m_text.size() : end + 2;
        add(CodeRole::comment, begin, m_at);
    }
    void to_line_end(CodeRole role) {
        const qsizetype end = line_end(m_at);
        add(role, m_at, end);
        m_at = end;
    }
    void string() {
        const qsizetype begin = m_at;
        const QChar quote = m_text[m_at];
        const QStringView three = m_text.mid(m_at, 3);
        if (m_python && three.size() == 3 && three[1] == quote && three[2] == quote) {
            const qsizetype end = m_text.indexOf(three, m_at + 3);
            m_at = end < 0 ? m_text.size() : end + 3;
        } else {
            for (++m_at; m_at < m_text.size() && m_text[m_at] != quote && m_text[m_at] != u'\n'; ++m_at)
                if (m_text[m_at] == u'\\')
                    ++m_at;
            m_at = std::min(m_at + 1, m_text.size());
        }
        add(CodeRole::string, begin, m_at);
    }
    void word() {
        const qsizetype begin = m_at;
        while (m_at < m_text.size() && is_word(m_text[m_at]))
            ++m_at;
        const QStringView text = m_text.mid(begin, m_at - begin);
        if (text.size() <= 20 && (m_python ? python_words() : cpp_words()).contains(text.toString()))
            add(CodeRole::keyword, begin, m_at);
    }
    void number() {
        const qsizetype begin = m_at;
        while (m_at < m_text.size()) {
            const QChar c = m_text[m_at];
            const bool exponent_sign = (c == u'+' || c == u'-') && m_at > begin && m_text[m_at - 1].toLower() == u'e' &&
                                       !m_text.mid(begin, 2).startsWith(QLatin1String("0x"));
            if (!is_word(c) && c != u'.' && !exponent_sign)
                break;
            ++m_at;
        }
        add(CodeRole::number, begin, m_at);
    }
    void step() {
        const QChar c = m_text[m_at];
        const QChar next = m_at + 1 < m_text.size() ? m_text[m_at + 1] : QChar();
        if (c == u'#' && at_line_begin()) {
            const QStringView line = m_text.mid(m_at, line_end(m_at) - m_at);
            if (line.startsWith(QLatin1String("#pragma kf")) || line.startsWith(QLatin1String("# kf")))
                to_line_end(CodeRole::plan);
            else if (m_python)
                to_line_end(CodeRole::comment);
            else {
                add(CodeRole::keyword, m_at, m_at + 1);
                ++m_at;
                while (m_at < m_text.size() && m_text[m_at] == u' ')
                    ++m_at;
                const qsizetype begin = m_at;
                while (m_at < m_text.size() && is_word(m_text[m_at]))
                    ++m_at;
                add(CodeRole::keyword, begin, m_at);
            }
        } else if (m_python && c == u'#') {
            to_line_end(CodeRole::comment);
        } else if (!m_python && c == u'/' && next == u'/') {
            to_line_end(CodeRole::comment);
        } else if (!m_python && c == u'/' && next == u'*') {
            comment(m_at + 2);
        } else if (c == u'"' || c == u'\'') {
            string();
        } else if (c.isDigit() || (c == u'.' && next.isDigit())) {
            number();
        } else if (is_word(c)) {
            word();
        } else {
            ++m_at;
        }
    }

    QStringView m_text;
    bool m_python;
    std::vector<CodeSpan>& m_spans;
    qsizetype m_at = 0;
    bool m_open_comment = false;
};

void diff_spans(QStringView code, std::vector<CodeSpan>& spans) {
    qsizetype begin = 0;
    while (begin < code.size()) {
        qsizetype end = code.indexOf(u'\n', begin);
        if (end < 0)
            end = code.size();
        const QStringView line = code.mid(begin, end - begin);
        const int length = static_cast<int>(line.size()), at = static_cast<int>(begin);
        if (line.startsWith(u"@@") || line.startsWith(u"+++") || line.startsWith(u"---"))
            spans.push_back({CodeRole::comment, at, length});
        else if (line.startsWith(u'+'))
            spans.push_back({CodeRole::added, at, length});
        else if (line.startsWith(u'-'))
            spans.push_back({CodeRole::removed, at, length});
        begin = end + 1;
    }
}

} // namespace

std::vector<CodeSpan> code_spans(QStringView code, QStringView language, bool& in_comment) {
    std::vector<CodeSpan> spans;
    if (language == u"diff") {
        in_comment = false;
        diff_spans(code, spans);
        return spans;
    }
    const bool python = language == u"py" || language == u"python" || language == u"triton";
    in_comment = Scanner(code, python, spans).run(in_comment && !python);
    return spans;
}

} // namespace kf::ui
