# SPDX-License-Identifier: GPL-3.0-or-later
# kf_ui_library(NAME [LINK target…] [RESOURCES file.qrc…]): like kf_library, with Qt's moc and rcc. No keywords (torch's
# headers and ours use the words), no implicit conversion from ASCII.
function(kf_ui_library NAME)
  cmake_parse_arguments(ARG "" "" "LINK;RESOURCES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  if(NOT sources)
    add_library(kf_ui_${NAME} INTERFACE)
    target_link_libraries(kf_ui_${NAME} INTERFACE kf_options ${ARG_LINK})
    return()
  endif()
  add_library(kf_ui_${NAME} STATIC ${sources} ${ARG_RESOURCES})
  # moc needs no other library to be built first.
  set_target_properties(kf_ui_${NAME} PROPERTIES AUTOMOC ON AUTORCC ON AUTOGEN_ORIGIN_DEPENDS OFF)
  target_compile_definitions(kf_ui_${NAME} PUBLIC QT_NO_KEYWORDS QT_NO_CAST_FROM_ASCII QT_NO_FOREACH)
  target_link_libraries(kf_ui_${NAME} PUBLIC kf_options ${ARG_LINK})
endfunction()

# kf_ui_test(NAME LINK target… [TIMEOUT s] [DEPENDS target…]): GoogleTest program over Qt's offscreen platform
# (tests/ui/main.cpp); each case is one ctest entry.
function(kf_ui_test NAME)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LINK;LABELS;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  if(NOT sources OR NOT KERNELFORGE_UI)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(test_ui_${NAME} ${sources} ${CMAKE_SOURCE_DIR}/tests/ui/main.cpp)
  set_target_properties(test_ui_${NAME} PROPERTIES AUTOMOC ON)
  target_link_libraries(test_ui_${NAME} PRIVATE kf_options ${ARG_LINK} GTest::gtest GTest::gmock Qt6::Test)
  target_compile_definitions(test_ui_${NAME} PRIVATE
    KF_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KF_BINARY_DIR="${CMAKE_BINARY_DIR}" KF_BIN_DIR="${CMAKE_RUNTIME_OUTPUT_DIRECTORY}")
  if(ARG_DEPENDS)
    add_dependencies(test_ui_${NAME} ${ARG_DEPENDS})
  endif()
  gtest_discover_tests(test_ui_${NAME} TEST_PREFIX "ui.${NAME}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "ui;${ARG_LABELS}" ENVIRONMENT "QT_QPA_PLATFORM=offscreen;LC_ALL=C.UTF-8")
endfunction()
