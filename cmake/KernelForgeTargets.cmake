# SPDX-License-Identifier: GPL-3.0-or-later
# One library a folder and one test program a folder, so that a wrong include does not link.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(kf_options INTERFACE)
target_include_directories(kf_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(kf_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(KERNELFORGE_WERROR)
  target_compile_options(kf_options INTERFACE -Werror)
endif()
if(KERNELFORGE_SANITIZE)
  target_compile_options(kf_options INTERFACE -fsanitize=${KERNELFORGE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(kf_options INTERFACE -fsanitize=${KERNELFORGE_SANITIZE})
endif()

# kf_library(NAME [LINK target…]): static library kf_NAME from every .cpp of the current folder.
function(kf_library NAME)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(sources)
    add_library(kf_${NAME} STATIC ${sources})
    target_link_libraries(kf_${NAME} PUBLIC kf_options ${ARG_LINK})
  else()
    add_library(kf_${NAME} INTERFACE)
    target_link_libraries(kf_${NAME} INTERFACE kf_options ${ARG_LINK})
  endif()
endfunction()

# kf_test(NAME LINK target… [LABELS label…] [TIMEOUT seconds]): program test_NAME from every .cpp of the current folder;
# each GoogleTest case becomes one ctest entry.
function(kf_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LINK;LABELS;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(test_${NAME} ${sources})
  target_link_libraries(test_${NAME} PRIVATE kf_options ${ARG_LINK} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_definitions(test_${NAME} PRIVATE
    KF_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KF_BINARY_DIR="${CMAKE_BINARY_DIR}" KF_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  if(ARG_DEPENDS)
    add_dependencies(test_${NAME} ${ARG_DEPENDS})
  endif()
  gtest_discover_tests(test_${NAME} TEST_PREFIX "${NAME}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${NAME};${ARG_LABELS}")
endfunction()
