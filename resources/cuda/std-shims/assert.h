// SPDX-License-Identifier: GPL-3.0-or-later
// NVRTC declares __assertfail itself.
#pragma once
#undef assert
#ifdef NDEBUG
#define assert(condition) static_cast<void>(0)
#else
#define assert(condition)                                                                                              \
    ((condition) ? static_cast<void>(0) : __assertfail(#condition, __FILE__, __LINE__, __func__, sizeof(char)))
#endif
