# Compiler flags and warnings of our own targets.
add_library(dragoman_flags INTERFACE)
function(cxx_flags)
  target_compile_options(dragoman_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")
endfunction()
cxx_flags(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # A value may be kept in a register of any width and a*b+c fused, but nothing is reordered: infinities and NaN count.
  -fno-math-errno -fno-trapping-math -ffp-contract=fast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # gcc 12 and 13 see overlaps in "text" + string, and overruns where the standard library copies a few elements.
  cxx_flags(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(DRAGOMAN_WERROR)
  cxx_flags(-Werror)
endif()
if(DRAGOMAN_NATIVE)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    cxx_flags(-mcpu=native)
  else()
    cxx_flags(-march=native)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc would load all of a tile's columns beforehand, and then lacks registers for its sums: half the speed.
  set_source_files_properties(dragoman/backend/cpu/int8_neon.cpp PROPERTIES COMPILE_OPTIONS -fno-schedule-insns)
endif()
if(DRAGOMAN_SANITIZE)
  cxx_flags(-fsanitize=${DRAGOMAN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dragoman_flags INTERFACE -fsanitize=${DRAGOMAN_SANITIZE})
  if(DRAGOMAN_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    cxx_flags(-Wno-tsan)  # Asio has fences, which are not checked; gcc says so at each. Its locks are checked.
  endif()
  if(DRAGOMAN_SANITIZE MATCHES "undefined")
    # A check at every access to memory would almost double the time to compile; the address checks see most of these.
    cxx_flags(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()
if(DRAGOMAN_WITH_CUDA)
  # Functions that are constexpr serve on the device too; warnings of the host's compiler count as in other files.
  target_compile_options(dragoman_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>")
  if(DRAGOMAN_WERROR)
    target_compile_options(dragoman_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
  endif()
endif()
