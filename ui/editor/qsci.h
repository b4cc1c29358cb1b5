// SPDX-License-Identifier: GPL-3.0-or-later
// QScintilla's headers need the words that QT_NO_KEYWORDS takes away; here they have them, and nobody else.
#pragma once

#include <QtCore/qobjectdefs.h>

#define signals Q_SIGNALS
#define slots Q_SLOTS
#include <Qsci/qsciabstractapis.h>
#include <Qsci/qscicommand.h>
#include <Qsci/qscicommandset.h>
#include <Qsci/qscilexercpp.h>
#include <Qsci/qscilexerpython.h>
#include <Qsci/qsciscintilla.h>
#include <Qsci/qscistyle.h>
#undef signals
#undef slots
