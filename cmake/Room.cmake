# A room is a folder with a CMakeLists.txt of its own and one static library: fxrules_<name>, alias
# fxrules::<name>. It links only what it may include (tests/arrows).
#
#   fxrules_add_room(graph
#     SOURCES graph.cpp symbols.cpp
#     PUBLIC  fxrules::diagnostic       # what its headers use
#     PRIVATE fmt::fmt                  # what its sources use
#     HEADERS taocpp::pegtl)            # header-only, for its sources: users of the package need not have it
#
# What almost every source includes is compiled once, with the first room.
function(fxrules_add_room name)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SOURCES;PUBLIC;PRIVATE;HEADERS")
  add_library(fxrules_${name} STATIC ${room_SOURCES})
  add_library(fxrules::${name} ALIAS fxrules_${name})
  target_link_libraries(fxrules_${name} PUBLIC ${room_PUBLIC} PRIVATE ${room_PRIVATE})
  foreach(library IN LISTS room_HEADERS)
    target_link_libraries(fxrules_${name} PRIVATE $<BUILD_INTERFACE:${library}>)
  endforeach()
  set_target_properties(fxrules_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(name STREQUAL "diagnostic")
    target_precompile_headers(fxrules_diagnostic PRIVATE "${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp")
  else()
    target_link_libraries(fxrules_${name} PRIVATE fmt::fmt)
    target_precompile_headers(fxrules_${name} REUSE_FROM fxrules_diagnostic)
  endif()
endfunction()

# Adds a folder if it has a CMakeLists.txt, and configures again when one appears.
function(fxrules_add_folder folder)
  file(GLOB found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/CMakeLists.txt")
  if(found)
    add_subdirectory("${PROJECT_SOURCE_DIR}/${folder}" "${PROJECT_BINARY_DIR}/${folder}")
  endif()
endfunction()
