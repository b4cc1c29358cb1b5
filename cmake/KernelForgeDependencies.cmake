# SPDX-License-Identifier: GPL-3.0-or-later
# Each dependency and the reason for it:
#   nlohmann_json   journal, protocol and task files are JSON
#   CLI11           command line of `kernelforge`
#   Boost.Context   fibre switch of the CPU device (fcontext assembler)
#   libtorch        the golden in float64 and the trusted implementation (TorchScript)
#   LibArchive      .kfrun files
#   Eigen           matrix products of the CPU device (header-only, one thread, the same answer every time)
#   libseccomp      the CPU device's system-call filter
#   Qt 6            the window (Widgets, Svg for icons, Test); plots are drawn by QPainter
#   Qt Network      language models over HTTP (core/net)
#   Qt6Keychain     providers' keys in the desktop's keyring; opens libsecret at run time, so that is no dependency
#   QScintilla      the window's editor
#   GoogleTest      tests
find_package(Threads REQUIRED)
if(KERNELFORGE_CARRIED)
  # A GPU node without packages: what packaging/gpu/carry.sh brought. No command line, no journal, no window there.
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json SYSTEM INTERFACE ${KERNELFORGE_CARRIED}/include)
  if(KERNELFORGE_TESTS)
    include(GoogleTest)
    set(INSTALL_GTEST OFF)
    add_subdirectory(${KERNELFORGE_CARRIED}/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL SYSTEM)
    foreach(library gtest gmock gtest_main)
      if(NOT TARGET GTest::${library})
        add_library(GTest::${library} ALIAS ${library})
      endif()
    endforeach()
  endif()
else()
  find_package(nlohmann_json 3.10 REQUIRED)
  find_package(LibArchive REQUIRED)
  find_package(CLI11 REQUIRED)
  find_package(Boost 1.74 COMPONENTS context)
  if(KERNELFORGE_TESTS)
    find_package(GTest REQUIRED)
    include(GoogleTest)
  endif()
endif()
if(KERNELFORGE_UI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Network Widgets Svg)
  if(KERNELFORGE_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Test)
  endif()
  find_package(Qt6Keychain REQUIRED)
  # QScintilla ships no CMake package.
  find_path(QSCINTILLA_INCLUDE_DIR Qsci/qsciscintilla.h PATH_SUFFIXES x86_64-linux-gnu/qt6 qt6 REQUIRED)
  find_library(QSCINTILLA_LIBRARY NAMES qscintilla2_qt6 REQUIRED)
  add_library(kf_qscintilla INTERFACE)
  target_link_libraries(kf_qscintilla INTERFACE ${QSCINTILLA_LIBRARY} Qt6::Widgets)
  target_include_directories(kf_qscintilla SYSTEM INTERFACE ${QSCINTILLA_INCLUDE_DIR})
endif()

# libtorch is looked for by path, not by find_package: Debian's Torch configuration asks for a CUDA compiler when a toolkit
# is present, and we need headers and libraries only.
set(KERNELFORGE_TORCH_ROOT "" CACHE PATH "Prefix of a libtorch (include/, lib/); empty: the system's")
find_path(TORCH_INCLUDE_DIR torch/csrc/jit/frontend/resolver.h HINTS ${KERNELFORGE_TORCH_ROOT}/include)
find_library(TORCH_LIBRARY torch HINTS ${KERNELFORGE_TORCH_ROOT}/lib)
find_library(TORCH_CPU_LIBRARY torch_cpu HINTS ${KERNELFORGE_TORCH_ROOT}/lib)
find_library(C10_LIBRARY c10 HINTS ${KERNELFORGE_TORCH_ROOT}/lib)
if(TORCH_INCLUDE_DIR AND TORCH_CPU_LIBRARY AND C10_LIBRARY)
  set(KERNELFORGE_HAS_TORCH ON)
else()
  set(KERNELFORGE_HAS_TORCH OFF)
  message(STATUS "libtorch not found: kf-oracle is left out; without it nothing can be verified (install libtorch-dev)")
endif()

# NVRTC is opened at run time with prototypes of our own: kf-nvrtc is always built and says at its start what it misses.
