// SPDX-License-Identifier: GPL-3.0-or-later
// Finding in UTF-8 text, pure: matches as byte ranges, so that they can be marked in the editor as they are.
#pragma once

#include <QByteArray>
#include <QStringList>

#include <vector>

namespace kf::ui {

struct SearchOptions {
    bool regex = false, match_case = false, whole_words = false;
};

struct SearchMatch {
    int begin = 0, end = 0; // bytes
    QStringList groups;     // what the expression's groups held; the first is the whole match
};

struct SearchResult {
    std::vector<SearchMatch> matches;
    bool cut = false; // there are more than are listed
    QString error;    // of the expression; "" none
};

// At most 10,000 matches; empty ones are passed over.
SearchResult search_text(const QByteArray& text, const QString& wanted, const SearchOptions& options);
// The replacement for a match: \0 … \9 are its groups, \n and \t as in C, \\ is one; as it is when not a regex.
QString replacement_for(const SearchMatch& match, const QString& pattern, const SearchOptions& options);

} // namespace kf::ui
