# compile_together(TARGET COUNT [APART]): compiles up to COUNT files of a folder as one (a unity build). Headers and
# templates are then processed once, which halves the time of a first build. It changes nothing else: every file also
# compiles by itself, which scripts/check-files checks. Files whose paths (relative to dragoman/) begin with a match of
# the regular expression APART are compiled one by one; a file belongs there if a name in it clashes with a name of
# another file of its folder, or if it has flags of its own.
function(compile_together target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # gcc treats a file that is included as a header, and warns if a type there uses an anonymous namespace. In these
  # generated files, and in them alone, that warning is wrong.
  set_target_properties(${target} PROPERTIES UNITY_BUILD_CODE_BEFORE_INCLUDE
"#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored \"-Wsubobject-linkage\"
#endif")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/dragoman OUTPUT_VARIABLE path)
    if(path MATCHES "^\\.\\./" OR (ARGN AND path MATCHES "^(${ARGN})"))
      continue()  # generated, or to be compiled alone
    endif()
    cmake_path(GET path PARENT_PATH folder)
    string(REPLACE "/" "_" folder ${folder})
    math(EXPR files_of_${folder} "${files_of_${folder}} + 1")
    math(EXPR group "(${files_of_${folder}} - 1) / ${count}")
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()
