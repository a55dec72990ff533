# Compiler flags and warnings of our own targets.
add_library(dragoman_flags INTERFACE)
function(cxx_flags)
  target_compile_options(dragoman_flags INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")
endfunction()
cxx_flags(
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual
  # Mathematical functions need not set errno, floating-point exceptions do not trap, and a*b+c may be fused. But
  # nothing is reordered, and infinities and NaN work.
  -fno-math-errno -fno-trapping-math -ffp-contract=fast)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14)
  # gcc 12 and 13 report false overlaps in "text" + string, and false overruns where the standard library copies a few
  # elements.
  cxx_flags(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # For some processors (Zen, Sapphire Rapids) gcc fuses a*b+c in one loop and not in another that adds up the same
  # products. Then a decoding step would not have the bits of a whole sentence. This makes gcc fuse everywhere.
  cxx_flags(--param=avoid-fma-max-bits=0)
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
  # Otherwise gcc loads all columns of a tile first and runs out of registers for the sums, which halves the speed.
  set_source_files_properties(dragoman/backend/cpu/common/int8_neon.cpp dragoman/backend/cpu/common/bf16_neon.cpp
                              PROPERTIES COMPILE_OPTIONS -fno-schedule-insns)
endif()
if(DRAGOMAN_SANITIZE)
  cxx_flags(-fsanitize=${DRAGOMAN_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(dragoman_flags INTERFACE -fsanitize=${DRAGOMAN_SANITIZE})
  if(DRAGOMAN_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    cxx_flags(-Wno-tsan)  # gcc warns that tsan cannot check Asio's fences; Asio's locks are checked
  endif()
  if(DRAGOMAN_SANITIZE MATCHES "undefined")
    # Checks at every memory access would almost double the compile time; address checks find most of these errors. The
    # check that pointers do not wrap around takes up to a fifth of it; address checks see every use of such a pointer.
    cxx_flags(-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
  endif()
endif()
if(DRAGOMAN_WITH_CUDA)
  # Allows constexpr functions on the device. Of the warnings above, CUDA files get -Wall and -Wextra.
  target_compile_options(dragoman_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>")
  if(DRAGOMAN_WERROR)
    target_compile_options(dragoman_flags INTERFACE "$<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>")
  endif()
endif()
