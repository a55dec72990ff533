# embed_text(TARGET FILE FUNCTION): compiles a file of any bytes into a target, as the function that returns it, declared
# elsewhere as `std::string_view FUNCTION();` with its namespace in the name (dragoman::data::demo_grammar).
# Included by CMakeLists.txt, this file defines that function, which runs this same file as a script (cmake -P) when the
# text has changed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script ${CMAKE_CURRENT_LIST_FILE})
  function(embed_text target file function)
    cmake_path(ABSOLUTE_PATH file)
    string(REGEX REPLACE "[^A-Za-z0-9]+" "_" stem ${function})
    set(source ${PROJECT_BINARY_DIR}/generated/embedded/${stem}.cpp)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -D file=${file} -D source=${source} -D function=${function} -P ${embed_script}
      DEPENDS ${file} ${embed_script}
      COMMENT "Embedding ${file}"
      VERBATIM)
    target_sources(${target} PRIVATE ${source})
  endfunction()
  return()
endif()

cmake_policy(VERSION 3.25)
# Numbers rather than a string literal: those have limits of length and characters of their own.
file(READ ${file} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REPEAT "0x..," 20 row)
string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
cmake_path(GET file FILENAME name)
string(REGEX REPLACE "::[^:]*$" "" namespace ${function})
string(REGEX REPLACE "^.*::" "" function ${function})
file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
// The bytes of @name@. Written by cmake/embed.cmake.
#include <string_view>

namespace @namespace@ {

std::string_view @function@();

// The zero at the end belongs to no text: an array needs an element.
static const unsigned char kBytes[] = {
@bytes@0x00};

std::string_view @function@() { return {reinterpret_cast<const char*>(kBytes), sizeof kBytes - 1}; }

}  // namespace @namespace@
]])
