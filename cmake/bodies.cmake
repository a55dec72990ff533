# The CPU kernels, compiled once for each instruction set. Each result is called a body and is one object file, of which
# the program sees a single symbol (dragoman/backend/cpu/common/body.h). The other symbols must stay local: a body also
# holds inline functions and templates of the standard library, compiled for its instructions. If these were visible,
# the linker would use them for the whole program, which would then not run on older machines.
#
# DRAGOMAN_NATIVE builds one body for the machine that builds. Otherwise there is one for each set that changes the
# kernels in float. (The kernels of 8-bit products are not part of the bodies: they name their instructions themselves.)
file(GLOB body_sources CONFIGURE_DEPENDS dragoman/backend/cpu/*.cpp dragoman/backend/cpu/products/*.cpp)
if(DRAGOMAN_NATIVE)
  set(bodies native)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(bodies sse2 avx2 avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(bodies neon)
else()
  set(bodies portable)
endif()
if(DRAGOMAN_SANITIZE)
  list(GET bodies 0 bodies)  # sanitizers find the same errors in each, and compile slowly
endif()
set(flags_of_avx2 -mavx2 -mfma -mtune=haswell)
set(flags_of_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mtune=icelake-server)

# The tools that belong to the compiler, which may be one for another machine.
foreach(tool ld objcopy)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-prog-name=${tool} OUTPUT_VARIABLE name
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  find_program(tool_${tool} NAMES ${name} REQUIRED NO_CACHE)
endforeach()

# add_body(TARGET NAME): adds the body NAME to a target.
function(add_body target name)
  add_library(body_${name} OBJECT ${body_sources})
  target_include_directories(body_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(body_${name} PRIVATE dragoman_flags Threads::Threads)
  target_compile_definitions(body_${name} PRIVATE DRAGOMAN_CPU_BODY=${name})
  target_compile_options(body_${name} PRIVATE ${flags_of_${name}})
  if(BUILD_SHARED_LIBS)
    set_target_properties(body_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # objcopy cannot make unique symbols local. Wide vectors are passed only between functions of the same body, so it
    # does not matter that gcc passes them in another way in bodies with wider registers.
    target_compile_options(body_${name} PRIVATE -fno-gnu-unique -Wno-psabi)
  endif()
  # A third of the time that a kernel takes to compile is for these. Each body has its own, with its flags.
  precompile(body_${name} ${PROJECT_SOURCE_DIR}/dragoman/backend/cpu/common/context.h
             ${PROJECT_SOURCE_DIR}/dragoman/backend/cpu/kernel.h)
  string(LENGTH ${name} length)
  set(symbol _ZN8dragoman3cpu${length}${name}5kBodyE)  # dragoman::cpu::NAME::kBody
  set(object ${PROJECT_BINARY_DIR}/body_${name}.o)
  # Inline functions are in groups of sections, of which the linker keeps one per name, local or not. Without the groups
  # it keeps those of the body.
  set(objects $<FILTER:$<TARGET_OBJECTS:body_${name}>,EXCLUDE,[.][gp]ch$>)  # they include the precompiled header
  add_custom_command(OUTPUT ${object}
    COMMAND ${tool_ld} -r --force-group-allocation -o ${object} "${objects}"
    COMMAND ${tool_objcopy} --keep-global-symbol=${symbol} ${object}
    DEPENDS "${objects}"
    COMMENT "Linking the CPU kernels: ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_sources(${target} PRIVATE ${object})
endfunction()

# add_bodies(TARGET): adds all bodies to a target, and generates the header that lists them.
function(add_bodies target)
  set(declarations "")
  set(pointers "")
  foreach(name IN LISTS bodies)
    add_body(${target} ${name})
    string(APPEND declarations "namespace ${name} {\nextern const Body kBody;\n}\n")
    list(APPEND pointers "&${name}::kBody")
  endforeach()
  list(JOIN pointers ", " pointers)
  if(DRAGOMAN_NATIVE)
    set(is_native true)
  else()
    set(is_native false)
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/dragoman/backend/cpu_bodies.h @ONLY CONTENT [[
// The bodies of the CPU backend in this build. Written by cmake/bodies.cmake.
#pragma once

#include "dragoman/backend/cpu/common/body.h"

namespace dragoman::cpu {

@declarations@
inline constexpr bool kNativeBody = @is_native@;  // it is compiled for the machine that built the program
inline constexpr const Body* kBodies[] = {@pointers@};

}  // namespace dragoman::cpu
]])
endfunction()
