// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/net/application.h"

#include <QCoreApplication>
#include <clocale>
#include <mutex>
#include <string>

namespace kf::net {

void ensure_application() {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (QCoreApplication::instance())
        return;
    static int argc = 1;
    static char name[] = "kernelforge";
    static char* argv[] = {name, nullptr};
    const char* current = std::setlocale(LC_ALL, nullptr);
    const std::string before = current ? current : "C";
    new QCoreApplication(argc, argv); // lives as long as the process: threads may still use it while main() ends
    std::setlocale(LC_ALL, before.c_str());
}

} // namespace kf::net
