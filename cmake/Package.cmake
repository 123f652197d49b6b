# `cmake --install`: headers, libraries, the program, and find_package(fxrules).
include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/fxrules")

foreach(name diagnostic catalogue graph program rewrite formats dsl)
  if(TARGET fxrules_${name})
    set_target_properties(fxrules_${name} PROPERTIES EXPORT_NAME ${name})
    target_compile_features(fxrules_${name} PUBLIC cxx_std_20)
    install(TARGETS fxrules_${name} EXPORT fxrules-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endforeach()
# fxrules::fxrules is all of them; the target `fxrules` is the program.
add_library(fxrules_all INTERFACE)
set_target_properties(fxrules_all PROPERTIES EXPORT_NAME fxrules)
foreach(name dsl formats rewrite)
  if(TARGET fxrules_${name})
    target_link_libraries(fxrules_all INTERFACE fxrules_${name})
  endif()
endforeach()
install(TARGETS fxrules_all EXPORT fxrules-targets)

if(TARGET fxrules)
  install(TARGETS fxrules RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(DIRECTORY include/fxrules DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# A build directory is a package too, for projects that link the library where it was built.
export(EXPORT fxrules-targets NAMESPACE fxrules:: FILE "${PROJECT_BINARY_DIR}/fxrules-targets.cmake")
install(EXPORT fxrules-targets NAMESPACE fxrules:: DESTINATION ${package})

configure_package_config_file(
  cmake/fxrules-config.cmake.in "${PROJECT_BINARY_DIR}/fxrules-config.cmake" INSTALL_DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/fxrules-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/fxrules-config.cmake" "${PROJECT_BINARY_DIR}/fxrules-config-version.cmake"
        DESTINATION ${package})
