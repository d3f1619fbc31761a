# Runs at install time, with NEAP_SOURCE, NEAP_STAGING, NEAP_INCLUDE and NEAP_HEADERS set. Copies the public headers below
# neap/. Inside the tree they include each other by paths from its root, like "engine/x.hpp"; in a folder shared with
# other projects those names would clash, so they get the prefix too.
foreach(header ${NEAP_HEADERS})
  file(READ ${NEAP_SOURCE}/${header} text)
  string(REPLACE "#include \"" "#include \"neap/" text "${text}")
  file(CONFIGURE OUTPUT ${NEAP_STAGING}/neap/${header} CONTENT "${text}" @ONLY)  # keeps the time if nothing changed
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${NEAP_STAGING}/neap/${header} DESTINATION ${NEAP_INCLUDE}/neap/${folder})
endforeach()
