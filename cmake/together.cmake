# compile_together(TARGET COUNT APART): compiles up to COUNT files of a folder as one (a unity build). Headers and
# templates are then processed once, which halves the time. It requires that names local to a file are unique within its
# folder. Folders whose names match APART are compiled file by file.
function(compile_together target count apart)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # gcc treats a file that is included as a header, and warns if a type there uses an anonymous namespace.
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
