# compile_together(TARGET COUNT APART): files of a folder are compiled as one, up to COUNT at a time: what they take from
# headers is then read and made once, which halves the time. So what a file names for itself differs from what others of
# its folder name. Folders whose names match APART are compiled file by file.
function(compile_together target count apart)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # gcc takes a file that is included for a header, whose types must not use an anonymous namespace.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    if(NOT folder MATCHES "^(${apart})$")
      math(EXPR files_of_${folder} "${files_of_${folder}} + 1")
      math(EXPR group "(${files_of_${folder}} - 1) / ${count}")
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder}_${group})
    endif()
  endforeach()
endfunction()
