# Project-wide compiler settings.
include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
option(NEAP_WERROR "treat warnings as errors" ON)
option(NEAP_TESTS "build the tests" ON)
option(NEAP_CUDA "build the CUDA backend module (needs nvcc)" OFF)
option(NEAP_REQUIRE_TESTS "fail where a test would be left out because a tool is missing" OFF)
set(NEAP_SANITIZE "" CACHE STRING "sanitizers: empty, address,undefined or thread")

# -O2: -O3 only lengthens the build here; hot loops live in kernels/, which sets its own flags. With sanitizers -O1
# takes two thirds of the time to compile.
if(NEAP_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELEASE "-O1")
else()
  set(CMAKE_CXX_FLAGS_RELEASE "-O2")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# For the project's own sources only, never for those that link its libraries.
add_library(neap_warnings INTERFACE)
# Designated initialisers leave fields out on purpose: every field has a default.
target_compile_options(neap_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                               -Wno-missing-field-initializers)
if(NEAP_WERROR)
  target_compile_options(neap_warnings INTERFACE -Werror)
endif()

# What every user of a library needs: includes from the root of the tree, and the sanitizers.
add_library(neap_common INTERFACE)
target_include_directories(neap_common INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                 $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(neap_common INTERFACE cxx_std_20)
if(NEAP_SANITIZE)
  # vptr and null give false reports inside CAF 0.17.6 headers.
  set(flags -fsanitize=${NEAP_SANITIZE} -fno-omit-frame-pointer -g1)
  if(NEAP_SANITIZE MATCHES undefined)
    list(APPEND flags -fno-sanitize=vptr,null -fno-sanitize-recover=undefined)
  endif()
  if(NEAP_SANITIZE MATCHES thread)
    list(APPEND flags -DBOOST_ASIO_DISABLE_FENCED_BLOCK)
  endif()
  target_compile_options(neap_common INTERFACE ${flags})
  target_link_options(neap_common INTERFACE -fsanitize=${NEAP_SANITIZE})
endif()
