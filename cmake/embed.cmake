# embed_text(TARGET FILE FUNCTION): compiles a file of any bytes into a target. FUNCTION, with its namespace
# (dragoman::data::demo_grammar), returns the text; it is declared elsewhere as `std::string_view FUNCTION();`.
# embed_texts(TARGET FUNCTION FILE...): the same for several files, with `std::span<const dragoman::EmbeddedText>
# FUNCTION();`.
# When CMakeLists.txt includes this file, it defines these functions. The build then runs the same file as a script
# (cmake -P) whenever an embedded file has changed.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(embed_script ${CMAKE_CURRENT_LIST_FILE})
  function(embed target function table files)
    string(REGEX REPLACE "[^A-Za-z0-9]+" "_" stem ${function})
    set(source ${PROJECT_BINARY_DIR}/generated/embedded/${stem}.cpp)
    add_custom_command(OUTPUT ${source}
      COMMAND ${CMAKE_COMMAND} -D "files=${files}" -D source=${source} -D function=${function} -D table=${table}
              -P ${embed_script}
      DEPENDS ${files} ${embed_script}
      COMMENT "Embedding ${function}"
      VERBATIM)
    target_sources(${target} PRIVATE ${source})
  endfunction()
  function(embed_text target file function)
    cmake_path(ABSOLUTE_PATH file)
    embed(${target} ${function} OFF ${file})
  endfunction()
  function(embed_texts target function)
    embed(${target} ${function} ON "${ARGN}")
  endfunction()
  return()
endif()

cmake_policy(VERSION 3.25)
string(REGEX REPLACE "::[^:]*$" "" namespace ${function})
string(REGEX REPLACE "^.*::" "" function ${function})
set(arrays "")
set(entries "")
set(number 0)
string(REPEAT "0x..," 20 row)
foreach(file IN LISTS files)
  # Writes numbers, because string literals are limited in length and need escapes.
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(${row})" "\\1\n" bytes "${bytes}")
  cmake_path(GET file FILENAME name)
  # The zero at the end is not part of the text: it is there because an array cannot be empty.
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
