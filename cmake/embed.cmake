# embed_text(TARGET FILE FUNCTION) compiles a file of any bytes into a target, as a function that returns it. Declare
# the function as `std::string_view FUNCTION();`; its name includes the namespace (dragoman::demo::demo_grammar).
# embed_texts(TARGET FUNCTION FOLDER FILE...) does the same for several files, with their paths in the folder. Declare
# the function as `std::span<const dragoman::EmbeddedText> FUNCTION();`.
# CMakeLists.txt includes this file for these functions; the build runs it as a script (cmake -P) when a text has
# changed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script ${CMAKE_CURRENT_LIST_FILE})
  # `table` is ON for a function that returns several files.
  function(embed target function table folder files)
    string(REGEX REPLACE "[^A-Za-z0-9]+" "_" stem ${function})
    set(source ${PROJECT_BINARY_DIR}/generated/embedded/${stem}.cpp)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -D "files=${files}" -D folder=${folder} -D source=${source} -D function=${function}
              -D table=${table} -P ${embed_script}
      DEPENDS ${files} ${embed_script}
      COMMENT "Embedding ${function}"
      VERBATIM)
    target_sources(${target} PRIVATE ${source})
  endfunction()
  function(embed_text target file function)
    cmake_path(ABSOLUTE_PATH file)
    embed(${target} ${function} OFF ${PROJECT_SOURCE_DIR} ${file})
  endfunction()
  function(embed_texts target function folder)
    cmake_path(ABSOLUTE_PATH folder)
    embed(${target} ${function} ON ${folder} "${ARGN}")
  endfunction()
  return()
endif()

cmake_policy(VERSION 3.25)
string(REGEX REPLACE "::[^:]*$" "" namespace ${function})
string(REGEX REPLACE "^.*::" "" function ${function})
set(arrays "")
set(entries "")
set(number 0)
string(REPEAT "0x..," 20 row)  # matches 20 bytes, which form a line of the source
foreach(file IN LISTS files)
  # Numbers and not a string literal, because string literals have a limited length and need escapes.
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${folder} OUTPUT_VARIABLE name)
  # The zero at the end is not part of the text: an array must have an element even if the text is empty.
  string(APPEND arrays "// ${name}\nstatic const unsigned char kBytes${number}[] = {\n${bytes}0x00};\n")
  set(text "{reinterpret_cast<const char*>(kBytes${number}), sizeof kBytes${number} - 1}")
  string(APPEND entries "      {\"${name}\", ${text}},\n")
  math(EXPR number "${number} + 1")
endforeach()
if(table)
  set(header "#include \"dragoman/base/embedded.h\"")
  set(type "std::span<const dragoman::EmbeddedText>")
  set(body "static const dragoman::EmbeddedText kTexts[] = {\n${entries}  };\n  return kTexts;")
else()
  set(header "#include <string_view>")
  set(type "std::string_view")
  set(body "return ${text};")
endif()
file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
// Written by cmake/embed.cmake.
@header@

namespace @namespace@ {

@arrays@
@type@ @function@();
@type@ @function@() {
  @body@
}

}  // namespace @namespace@
]])
