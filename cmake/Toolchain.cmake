# Language level, warnings, compiler cache and where binaries go.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

# Public headers as "fxrules/graph.hpp", a room's own as "engine/graph/naming.hpp".
include_directories("${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

find_program(FXRULES_CCACHE ccache)
if(FXRULES_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache asks for to cache a file that uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  "${FXRULES_CCACHE}")
endif()

add_compile_options(-Wall -Wextra)
if(FXRULES_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The second half of what ccache needs for precompiled headers.
  add_compile_options(-fpch-preprocess)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 sees these in std::string's own code where there is nothing (GCC bugs 105329 and 105651).
    add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
endif()
