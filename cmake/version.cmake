# Generates the header dragoman/version.h for `dragoman --version`. When CMakeLists.txt includes this file, it defines
# the target dragoman_version, which runs the same file as a script (cmake -P) at every build. The header is written
# only if its contents change; otherwise nothing that includes it is compiled again.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(version_header ${PROJECT_BINARY_DIR}/generated/dragoman/version.h)
  add_custom_target(dragoman_version
    COMMAND ${CMAKE_COMMAND} -D header=${version_header} -D source_dir=${PROJECT_SOURCE_DIR}
            -D version=${PROJECT_VERSION} -D "compiler=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            -D build_type=$<CONFIG> -P ${CMAKE_CURRENT_LIST_FILE}
    BYPRODUCTS ${version_header}
    COMMENT "Checking the version header"
    VERBATIM)
  return()
endif()

# The commit of this source tree, not of a repository around it. It is "unknown" without git or before the first commit.
set(commit unknown)
if(EXISTS ${source_dir}/.git)
  execute_process(COMMAND git --no-optional-locks -C ${source_dir} describe --always --dirty
                  RESULT_VARIABLE status OUTPUT_VARIABLE description OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit ${description})
  endif()
endif()

file(CONFIGURE OUTPUT ${header} @ONLY CONTENT [[
// What was built, from what, and how. Written by cmake/version.cmake.
#pragma once

namespace dragoman {

inline constexpr const char* kVersion = "@version@";
inline constexpr const char* kCommit = "@commit@";
inline constexpr const char* kCompiler = "@compiler@";
inline constexpr const char* kBuildType = "@build_type@";

}  // namespace dragoman
]])
