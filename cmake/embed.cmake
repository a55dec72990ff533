# dragoman_embed(target file symbol): compiles the bytes of a file into the target, as the std::string_view `symbol`,
# given with its namespaces. Who uses it declares it: `namespace a::b { extern const std::string_view kName; }`.
#
# The file is also the script that makes the source at build time, so that an edit of the embedded file is built anew:
# cmake -DEMBED_FILE=... -DEMBED_SOURCE=... -DEMBED_SYMBOL=a::b::kName -P embed.cmake
function(dragoman_embed target file symbol)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  string(REPLACE "::" "_" name ${symbol})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DEMBED_FILE=${file} -DEMBED_SOURCE=${source} -DEMBED_SYMBOL=${symbol}
            -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${file} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding ${file}"
    VERBATIM)
  target_sources(${target} PRIVATE ${source})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  string(REGEX MATCH "^(.*)::([^:]+)$" matched ${EMBED_SYMBOL})
  set(space ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  file(READ ${EMBED_FILE} bytes HEX)
  string(REPEAT "[0-9a-f]" 48 line)  # 24 bytes
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  # The zero at the end keeps the array of an empty file from being empty; the text does not count it.
  file(WRITE ${EMBED_SOURCE} "#include <string_view>
namespace ${space} {
namespace { constexpr char bytes[] = {\n${bytes}'\\0'}; }
extern const std::string_view ${name};
constinit const std::string_view ${name}{bytes, sizeof(bytes) - 1};
}  // namespace ${space}
")
endif()
