# A room is a folder with a CMakeLists.txt of its own and one static library: fxrules_<name>, alias
# fxrules::<name>, with an explicit list of sources. It links only what it may include (tests/arrows).

# Adds a folder if it has a CMakeLists.txt, and configures again when one appears.
function(fxrules_add_room folder)
  file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
  if(found)
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
  endif()
endfunction()
