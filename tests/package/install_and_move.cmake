# Installs the build in BUILD and moves it to TO, so that a path into the first place would show.
file(REMOVE_RECURSE ${TO} ${TO}-first)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${TO}-first RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "cmake --install ended with ${status}")
endif()
file(RENAME ${TO}-first ${TO})
