# Finds the C++ Actor Framework as Debian ships it (no CMake or pkg-config files of its own).
# Targets: CAF::core, CAF::io, CAF::openssl. Variables: CAF_FOUND, CAF_VERSION.
find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
find_library(CAF_IO_LIBRARY caf_io)
find_library(CAF_OPENSSL_LIBRARY caf_openssl)

if(CAF_INCLUDE_DIR)
  # 1706 stands for 0.17.6.
  file(STRINGS ${CAF_INCLUDE_DIR}/caf/config.hpp caf_version_line REGEX "#define CAF_VERSION [0-9]+")
  string(REGEX MATCH "[0-9]+$" caf_number "${caf_version_line}")
  math(EXPR caf_major "${caf_number} / 10000")
  math(EXPR caf_minor "${caf_number} / 100 % 100")
  math(EXPR caf_patch "${caf_number} % 100")
  set(CAF_VERSION ${caf_major}.${caf_minor}.${caf_patch})
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_CORE_LIBRARY CAF_IO_LIBRARY CAF_OPENSSL_LIBRARY CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION)

if(CAF_FOUND AND NOT TARGET CAF::core)
  find_package(Threads REQUIRED)
  find_package(OpenSSL REQUIRED)
  function(neap_import_caf name library)
    add_library(CAF::${name} UNKNOWN IMPORTED)
    set_target_properties(CAF::${name} PROPERTIES
      IMPORTED_LOCATION ${library}
      INTERFACE_INCLUDE_DIRECTORIES ${CAF_INCLUDE_DIR}
      INTERFACE_LINK_LIBRARIES "${ARGN}")
  endfunction()
  neap_import_caf(core ${CAF_CORE_LIBRARY} Threads::Threads)
  neap_import_caf(io ${CAF_IO_LIBRARY} CAF::core)
  neap_import_caf(openssl ${CAF_OPENSSL_LIBRARY} "CAF::io;OpenSSL::SSL")
endif()
