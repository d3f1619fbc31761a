# `cmake --install`: the binary (component runtime); libraries, public headers and the CMake package Neap (development).
include(CMakePackageConfigHelpers)
include(public_headers)

# neap_own_libraries(OUT LIBRARY...): these and the project's own ones that they link.
function(neap_own_libraries out)
  set(found "")
  set(open ${ARGN})
  while(open)
    list(POP_FRONT open library)
    if(NOT TARGET ${library} OR library MATCHES "::" OR library IN_LIST found)
      continue()
    endif()
    list(APPEND found ${library})
    get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(APPEND open ${links})
    endif()
  endwhile()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# neap_component(NAME Export LIBRARY...): Neap::NAME, which links the libraries, in an export set with them.
function(neap_component name export)
  add_library(neap_component_${name} INTERFACE)
  set_target_properties(neap_component_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(neap_component_${name} INTERFACE ${ARGN})
  install(TARGETS neap_component_${name} ${ARGN} EXPORT ${export}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(EXPORT ${export} NAMESPACE Neap:: DESTINATION ${package_dir} COMPONENT development)
endfunction()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Neap)
neap_own_libraries(engine_libraries neap_decode neap_memory neap_model neap_request neap_schedule neap_supervise
                   neap_template neap_text neap_tool_calls)
neap_own_libraries(actors_libraries neap_actors neap_node)
list(REMOVE_ITEM actors_libraries ${engine_libraries})
neap_component(engine NeapEngineTargets ${engine_libraries})
neap_component(actors NeapActorsTargets ${actors_libraries})
target_link_libraries(neap_component_actors INTERFACE neap_component_engine)

configure_package_config_file(cmake/NeapConfig.cmake.in ${PROJECT_BINARY_DIR}/NeapConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what the last one offered.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/NeapConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/NeapConfig.cmake ${PROJECT_BINARY_DIR}/NeapConfigVersion.cmake cmake/FindCAF.cmake
        DESTINATION ${package_dir} COMPONENT development)
install(CODE "
  set(NEAP_SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(NEAP_STAGING \"${PROJECT_BINARY_DIR}/public_headers\")
  set(NEAP_INCLUDE \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  set(NEAP_HEADERS \"${NEAP_ENGINE_HEADERS};${NEAP_ACTORS_HEADERS}\")" COMPONENT development)
install(SCRIPT cmake/install_headers.cmake COMPONENT development)
install(FILES messages/proto/websocket.proto DESTINATION ${CMAKE_INSTALL_DATADIR}/neap COMPONENT development)

install(TARGETS neap RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
if(TARGET neap_cuda_module)
  # Next to the binary, where it is looked for first. cuBLAS may lie outside the library path.
  set_target_properties(neap_cuda_module PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS neap_cuda_module LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endif()
