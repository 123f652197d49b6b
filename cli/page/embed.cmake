# Puts the report page into the program: sets PAGE_SOURCE to a C++ file that holds it.
set(page_folder "${CMAKE_CURRENT_LIST_DIR}")
file(READ "${page_folder}/page.css" PAGE_STYLE)
file(READ "${page_folder}/page.js" PAGE_SCRIPT)
file(READ "${page_folder}/page.html" page_html)
string(CONFIGURE "${page_html}" PAGE_HEAD @ONLY)
set(PAGE_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/page.cpp")
configure_file("${page_folder}/page.cpp.in" "${PAGE_SOURCE}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${page_folder}/page.css" "${page_folder}/page.js"
                                                               "${page_folder}/page.html")
