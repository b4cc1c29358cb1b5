// SPDX-License-Identifier: GPL-3.0-or-later
// CUDA's vector types with their alignments (CUDA C++ Programming Guide, "Built-in Vector Types") and make_* functions.
#pragma once

#include "kf/simt/runtime.h"

#define KF_VECTOR1(NAME, T)                                                                                            \
    struct NAME##1 {                                                                                                   \
        T x;                                                                                                           \
    };                                                                                                                 \
    static inline NAME##1 make_##NAME##1(T x) {                                                                        \
        return NAME##1 {x};                                                                                            \
    }
#define KF_VECTOR2(NAME, T, ALIGN)                                                                                     \
    struct __attribute__((aligned(ALIGN))) NAME##2 {                                                                   \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    static inline NAME##2 make_##NAME##2(T x, T y) {                                                                   \
        return NAME##2 {x, y};                                                                                         \
    }
#define KF_VECTOR3(NAME, T)                                                                                            \
    struct NAME##3 {                                                                                                   \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    static inline NAME##3 make_##NAME##3(T x, T y, T z) {                                                              \
        return NAME##3 {x, y, z};                                                                                      \
    }
#define KF_VECTOR4(NAME, T, ALIGN)                                                                                     \
    struct __attribute__((aligned(ALIGN))) NAME##4 {                                                                   \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    static inline NAME##4 make_##NAME##4(T x, T y, T z, T w) {                                                         \
        return NAME##4 {x, y, z, w};                                                                                   \
    }

KF_VECTOR1(char, signed char)
KF_VECTOR2(char, signed char, 2)
KF_VECTOR3(char, signed char)
KF_VECTOR4(char, signed char, 4)
KF_VECTOR1(uchar, unsigned char)
KF_VECTOR2(uchar, unsigned char, 2)
KF_VECTOR3(uchar, unsigned char)
KF_VECTOR4(uchar, unsigned char, 4)
KF_VECTOR1(short, short)
KF_VECTOR2(short, short, 4)
KF_VECTOR3(short, short)
KF_VECTOR4(short, short, 8)
KF_VECTOR1(ushort, unsigned short)
KF_VECTOR2(ushort, unsigned short, 4)
KF_VECTOR3(ushort, unsigned short)
KF_VECTOR4(ushort, unsigned short, 8)
KF_VECTOR1(int, int)
KF_VECTOR2(int, int, 8)
KF_VECTOR3(int, int)
KF_VECTOR4(int, int, 16)
KF_VECTOR1(uint, unsigned int)
KF_VECTOR2(uint, unsigned int, 8)
KF_VECTOR4(uint, unsigned int, 16)
KF_VECTOR1(long, long int)
KF_VECTOR2(long, long int, 16)
KF_VECTOR3(long, long int)
KF_VECTOR4(long, long int, 16)
KF_VECTOR1(ulong, unsigned long int)
KF_VECTOR2(ulong, unsigned long int, 16)
KF_VECTOR3(ulong, unsigned long int)
KF_VECTOR4(ulong, unsigned long int, 16)
KF_VECTOR1(longlong, long long int)
KF_VECTOR2(longlong, long long int, 16)
KF_VECTOR3(longlong, long long int)
KF_VECTOR4(longlong, long long int, 16)
KF_VECTOR1(ulonglong, unsigned long long int)
KF_VECTOR2(ulonglong, unsigned long long int, 16)
KF_VECTOR3(ulonglong, unsigned long long int)
KF_VECTOR4(ulonglong, unsigned long long int, 16)
KF_VECTOR1(float, float)
KF_VECTOR2(float, float, 8)
KF_VECTOR3(float, float)
KF_VECTOR4(float, float, 16)
KF_VECTOR1(double, double)
KF_VECTOR2(double, double, 16)
KF_VECTOR3(double, double)
KF_VECTOR4(double, double, 16)
static inline uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) {
    return uint3{x, y, z};
}

#undef KF_VECTOR1
#undef KF_VECTOR2
#undef KF_VECTOR3
#undef KF_VECTOR4
