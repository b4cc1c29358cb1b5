# SPDX-License-Identifier: GPL-3.0-or-later
# Each dependency and the reason for it:
#   nlohmann_json   journal, protocol and task files are JSON
#   CLI11           command line of `kernelforge`
#   Boost.Context   fibre switch of the CPU device (fcontext assembler)
#   libtorch        the golden in float64 and the trusted implementation (TorchScript)
#   LibArchive      .kfrun files
#   Qt 6            event loop, sockets of engine (QtCore, QtNetwork); the window
#   GoogleTest      tests
#   CUDA toolkit    headers only (NVRTC is opened at run time)
find_package(Threads REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
find_package(LibArchive REQUIRED)
find_package(Boost 1.74 COMPONENTS context)
if(KERNELFORGE_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
if(KERNELFORGE_UI)
  find_package(Qt6 6.4 REQUIRED COMPONENTS Core Network)
  find_package(CLI11 REQUIRED)
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

find_path(NVRTC_INCLUDE_DIR nvrtc.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include)
if(NVRTC_INCLUDE_DIR)
  set(KERNELFORGE_HAS_NVRTC ON)
else()
  set(KERNELFORGE_HAS_NVRTC OFF)
  message(STATUS "No CUDA toolkit headers (nvrtc.h) found: kf-nvrtc is left out; everything on the CPU device is built")
endif()
