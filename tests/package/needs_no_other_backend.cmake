# Fails if one of FILES, or what the loader loads with it, is a library that only another backend needs.
foreach(file IN LISTS FILES)
  # What the file itself asks for: LibTorch may be linked with MPI by its makers, we must not be.
  execute_process(COMMAND readelf --dynamic ${file} OUTPUT_VARIABLE needed RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR needed MATCHES "NEEDED[^\n]*(libtorch_cuda|libmpi|libnccl)")
    message(FATAL_ERROR "readelf --dynamic ${file} (${status}):\n${needed}")
  endif()
  execute_process(COMMAND ldd ${file} OUTPUT_VARIABLE loaded RESULT_VARIABLE status)
  if(NOT status EQUAL 0 OR loaded MATCHES "libtorch_cuda|not found" OR NOT loaded MATCHES "libtorch_cpu")
    message(FATAL_ERROR "ldd ${file} (${status}):\n${loaded}")
  endif()
endforeach()
