# cmake -DBUILD=… -DSOURCE=… -DWORK=… -DCOMPILER=… -DGENERATOR=… -P outside.cmake
function(must)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${prefix}" "${WORK}/build")
must("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
must("${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}" -DCMAKE_CXX_COMPILER=${COMPILER}
     -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=${prefix}")
must("${CMAKE_COMMAND}" --build "${WORK}/build")

# The library, with the rules that were installed, and the program, which finds them by itself.
must("${CMAKE_COMMAND}" -E env "FXRULES_DATA_DIR=${prefix}/share/fxrules" "${WORK}/build/outside" "${SOURCE}/graph.txt")
if(NOT output MATCHES "device: xla" OR output MATCHES "cpu")
  message(FATAL_ERROR "the outside project did not rewrite its graph:\n${output}")
endif()
must("${prefix}/bin/fxrules" rules)
must("${prefix}/bin/fxrules" apply device.rules "${SOURCE}/graph.txt")
if(NOT output MATCHES "device: xla")
  message(FATAL_ERROR "the installed program did not rewrite the graph:\n${output}")
endif()
