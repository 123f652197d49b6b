# Programs find their data at <folder of the executable>/../share/fxrules. In the build tree that is a
# pair of links to the sources, so that an edited rule file acts at once; an installation has copies.
set(share "${PROJECT_BINARY_DIR}/share/fxrules")
file(MAKE_DIRECTORY "${share}")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/rules" "${share}/rules" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/engine/catalogue/data" "${share}/catalogue" SYMBOLIC)

install(DIRECTORY rules/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fxrules/rules)
install(DIRECTORY engine/catalogue/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fxrules/catalogue)
