# neap_library(NAME SOURCES ... LIBS ...): a static library with the project's warnings.
function(neap_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:neap_warnings> PUBLIC neap_common ${ARG_LIBS})
endfunction()

# neap_test(NAME SOURCES ... LIBS ...): one GoogleTest binary, registered with CTest under its name.
# Tests find the models through NEAP_MODELS_DIR and files beside them through NEAP_SOURCE_DIR.
# SANITIZED: scripts/test runs it under the sanitizers too (label and build target `sanitized`).
function(neap_test name)
  cmake_parse_arguments(ARG "SANITIZED" "TIMEOUT" "SOURCES;LIBS" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE neap_warnings neap_common ${ARG_LIBS} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE NEAP_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             NEAP_MODELS_DIR="${PROJECT_SOURCE_DIR}/models")
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(NEAP_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 15")
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  if(ARG_SANITIZED)
    set_tests_properties(${name} PROPERTIES LABELS sanitized)
    add_dependencies(sanitized ${name})
  endif()
endfunction()

# neap_leave_out(TEXT): says which tests cannot be built here; an error with NEAP_REQUIRE_TESTS.
function(neap_leave_out text)
  if(NEAP_REQUIRE_TESTS)
    message(FATAL_ERROR "${text}")
  endif()
  message(STATUS "${text}")
endfunction()
