// SPDX-License-Identifier: GPL-3.0-or-later
// Qt's network classes wait in an event loop, and an event loop wants a QCoreApplication, even in a thread of its own
// (Qt 6.4: "QEventLoop: Cannot be used without QApplication"). The command line has none.
#pragma once

namespace kf::net {

// Makes a QCoreApplication when there is none; nobody needs to run it. Call it in main() before other threads start;
// ModelClient calls it too. The locale stays as it was: QCoreApplication would take the user's, and numbers would be
// printed with commas. Never ends, safe to call again and from any thread.
void ensure_application();

} // namespace kf::net
