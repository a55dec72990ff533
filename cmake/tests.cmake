# The tests. Unit tests are beside the code that they test and form one program. Each tests/*_test.cpp is a program of
# its own.
include(GoogleTest)

# ctest asks the programs for their tests when it runs (PRE_TEST). So a build does not run them, and the sanitizer
# options of the test presets apply to this query too.
set(discovery DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120)

# discover(TARGET PREFIX LABEL): registers the target's tests under this label. Tests with CUDA in their names also get
# the label `cuda`; they need a GPU, and are skipped with a message if there is none.
function(discover target prefix label)
  set(arguments ${target} ${discovery} TEST_PREFIX "${prefix}")
  if(DRAGOMAN_WITH_CUDA)
    gtest_discover_tests(${arguments} TEST_FILTER "-*uda*" PROPERTIES LABELS "${label}")
    gtest_discover_tests(${arguments} TEST_FILTER "*uda*" PROPERTIES LABELS "${label};cuda")
  else()
    gtest_discover_tests(${arguments} PROPERTIES LABELS "${label}")
  endif()
endfunction()

# Tests are not optimised: they then compile in three quarters of the time that -O1 takes, and run about equally fast,
# because the time is spent in the library and the program.
set(test_options -O0)

# A sanitized build checks the library and the program, not the tests. So it need not compile tests that another build has
# compiled already: the environment variable DRAGOMAN_TESTS_FROM is the directory of that build.
if(DRAGOMAN_SANITIZE)
  set(DRAGOMAN_TESTS_FROM "$ENV{DRAGOMAN_TESTS_FROM}" CACHE PATH "Build whose compiled tests test this one")
endif()

file(GLOB_RECURSE unit_test_sources CONFIGURE_DEPENDS dragoman/*_test.cpp)
list(FILTER unit_test_sources EXCLUDE REGEX "/backend/cuda/[^/]*$")  # tests in its subfolders need no CUDA
if(NOT TARGET Boost::iostreams)
  list(FILTER unit_test_sources EXCLUDE REGEX "/text/unpack_test\\.cpp$")
endif()
if(NOT TARGET ICU::uc)
  list(FILTER unit_test_sources EXCLUDE REGEX "/eval/unicode_test\\.cpp$")
endif()
if(unit_test_sources)
  if(DRAGOMAN_TESTS_FROM AND NOT DRAGOMAN_SANITIZE MATCHES "thread")  # code without thread checks hides locks
    # The linker keeps the first of several definitions of an inline function or template, and only those of the
    # sanitized library have checks. So its objects come first.
    add_library(unit_test_archive STATIC IMPORTED)
    set_target_properties(unit_test_archive PROPERTIES IMPORTED_LOCATION
                          ${DRAGOMAN_TESTS_FROM}/${CMAKE_STATIC_LIBRARY_PREFIX}unit_test_archive${CMAKE_STATIC_LIBRARY_SUFFIX})
    add_executable(unit_tests $<TARGET_OBJECTS:dragoman> $<TARGET_OBJECTS:dragoman_cli>)
    set_target_properties(unit_tests PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(unit_tests PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,unit_test_archive>)
  else()
    add_executable(unit_tests ${unit_test_sources})
    target_compile_options(unit_tests PRIVATE ${test_options})
    precompile(unit_tests <gtest/gtest.h>)
    # Tests of one folder share helpers in testing.h. Tests of kernels and ops are compiled file by file, because these
    # files use the same names for different sizes, shapes and masks.
    compile_together(unit_tests 24 "backend/|ops/")
    if(NOT DRAGOMAN_SANITIZE)  # for DRAGOMAN_TESTS_FROM
      add_library(unit_test_archive STATIC $<TARGET_OBJECTS:unit_tests>)
      set_target_properties(unit_test_archive PROPERTIES LINKER_LANGUAGE CXX)
    endif()
  endif()
  target_link_libraries(unit_tests PRIVATE dragoman dragoman_cli dragoman_flags GTest::gtest_main
                                           $<TARGET_NAME_IF_EXISTS:Boost::iostreams>)
  if(DRAGOMAN_SANITIZE MATCHES "address")
    # A leak check takes seconds on AArch64. So it is not made after each test, but at the end of a few processes that
    # share the tests. (The asan preset turns it off for all others.) To run one test: unit_tests --gtest_filter=NAME.
    # Tests that repeat the same code many times run only in the release build: finite differences of whole models,
    # comparisons of hundreds of models, searches or plans, corpora of 50,000 sentences, and measurements of time and
    # memory, which differ with sanitizers. detect_stack_use_after_return is off because it would put local AVX-512
    # vectors at addresses that gcc 13 does not align (gcc bug 110027).
    set(repetitions *TransformerGradient* *TwoHundredModels* *BeamKernelTest.ChoosesWhatTheCpuChooses*
                    Plan.NeverExceedsItsLimitAndLeavesLittleUnused DemoCorpus.HalfOf* DemoCorpus.EveryWordOf*
                    DemoCorpus.NoSourceOccursTwice* DemoGrammar.APronounHasTheGender* DemoGrammar.EveryRule*
                    *LinearTime* *TenThousandIdleConnections*)
    list(JOIN repetitions ":" repetitions)
    set(processes 4)
    foreach(number RANGE 1 ${processes})
      math(EXPR index "${number} - 1")
      add_test(NAME unit_tests/${number}-of-${processes} COMMAND unit_tests --gtest_brief=1)
      set_tests_properties(unit_tests/${number}-of-${processes} PROPERTIES LABELS unit ENVIRONMENT
        "GTEST_FILTER=-${repetitions};GTEST_TOTAL_SHARDS=${processes};GTEST_SHARD_INDEX=${index};ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=0")
    endforeach()
  else()
    discover(unit_tests "" unit)
  endif()
endif()

add_test(NAME check_bodies COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-bodies ${PROJECT_BINARY_DIR})
add_test(NAME check_install COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-install ${PROJECT_BINARY_DIR})
add_test(NAME readme_commands COMMAND ${PROJECT_SOURCE_DIR}/scripts/readme-check --list)
set_tests_properties(check_bodies check_install readme_commands PROPERTIES LABELS unit)

# The build goes on without MPI. These settings have CMake find none.
add_test(NAME configuration_without_mpi
         COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${PROJECT_BINARY_DIR}/without-mpi -G Ninja
                 -D DRAGOMAN_TESTS=OFF -D DRAGOMAN_BENCH=OFF -D DRAGOMAN_CUDA=OFF
                 -D MPI_SKIP_COMPILER_WRAPPER=ON -D MPI_SKIP_GUESSING=ON -D CMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
set_tests_properties(configuration_without_mpi PROPERTIES LABELS unit PASS_REGULAR_EXPRESSION "Without Open MPI")

# Tests of the CUDA backend alone. `ctest -L cuda` runs these and all other tests that need a GPU.
if(DRAGOMAN_WITH_CUDA)
  file(GLOB cuda_test_sources CONFIGURE_DEPENDS dragoman/backend/cuda/*_test.cpp)
  add_executable(cuda_tests ${cuda_test_sources})
  target_link_libraries(cuda_tests PRIVATE dragoman dragoman_flags CUDA::toolkit GTest::gtest_main)
  target_compile_options(cuda_tests PRIVATE ${test_options})
  precompile(cuda_tests <gtest/gtest.h>)
  discover(cuda_tests cuda_tests/ cuda)
endif()

# Whole-program tests run the program itself. Their label is `whole`, and `whole-slow` in files named *_slow_test.cpp:
# `ctest -L whole` takes both, `ctest -LE slow` leaves out the slow ones.
file(GLOB whole_test_sources CONFIGURE_DEPENDS tests/*_test.cpp)
# What these programs share. Tests of one program have helpers of their own: tests/page*.cpp, tests/webdriver.cpp.
add_library(test_helpers STATIC EXCLUDE_FROM_ALL tests/matching.cpp tests/process.cpp tests/program.cpp
                                                 tests/server_process.cpp tests/serving.cpp tests/small_model.cpp
                                                 tests/training.cpp)
target_link_libraries(test_helpers PUBLIC dragoman dragoman_cli GTest::gtest_main PRIVATE dragoman_flags)
target_compile_options(test_helpers PRIVATE ${test_options})
target_compile_definitions(test_helpers PUBLIC DRAGOMAN_PROGRAM="$<TARGET_FILE:dragoman_program>"
                                               DRAGOMAN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                               DRAGOMAN_BINARY_DIR="${PROJECT_BINARY_DIR}")
# Most of these files include these headers. Without optimisation gcc discards their unused parts quickly.
precompile(test_helpers <gtest/gtest.h> <nlohmann/json.hpp> <dragoman/backend/backend.h>)
foreach(source IN LISTS whole_test_sources)
  cmake_path(GET source STEM name)
  # Left out with sanitizers: slow tests; runs that are killed and resumed, which then take minutes; the page, which
  # runs in the browser, where they check nothing; faults, which replace functions that sanitizers also replace; ranks,
  # because sanitizers do not understand the memory of MPI; and models on a GPU, because sanitized builds are without
  # CUDA.
  set(whole_runs "_slow_test$|_train_test$|^resume_test$|^ablate_cli_test$|^transformer_options_test$")
  set(left_out "${whole_runs}|^page_test$|^faults_test$|^ranks_test$|^cuda_")
  if(DRAGOMAN_SANITIZE AND name MATCHES "${left_out}")
    continue()
  endif()
  if(DRAGOMAN_TESTS_FROM)
    add_executable(${name} IMPORTED)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${DRAGOMAN_TESTS_FROM}/${name})
    gtest_discover_tests(${name} ${discovery} TEST_PREFIX ${name}/ PROPERTIES LABELS whole
                         ENVIRONMENT DRAGOMAN_TESTED_PROGRAM=$<TARGET_FILE:dragoman_program>)
    continue()
  endif()
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE test_helpers dragoman_flags)
  target_compile_options(${name} PRIVATE ${test_options})
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${name} REUSE_FROM test_helpers)
  endif()
  add_dependencies(${name} dragoman_program)
  if(name MATCHES "_slow_test$")
    set(label whole-slow)
  else()
    set(label whole)
  endif()
  if(name STREQUAL "page_test")
    # All its tests share one server and one browser, so ctest sees them as one test. It prints why if it is skipped.
    file(GLOB page_sources CONFIGURE_DEPENDS tests/page*.cpp)
    target_sources(page_test PRIVATE ${page_sources} tests/webdriver.cpp)
    set_target_properties(page_test PROPERTIES UNITY_BUILD ON)
    add_test(NAME page_test COMMAND page_test)
    # It is the longest test, so it starts first (COST).
    set_tests_properties(page_test PROPERTIES LABELS whole COST 100 SKIP_REGULAR_EXPRESSION "There is no browser")
  else()
    discover(${name} ${name}/ ${label})
  endif()
endforeach()
if(NOT DRAGOMAN_TESTS_FROM)
  target_sources(architecture_test PRIVATE tests/webdriver.cpp)  # opens the page as well
endif()

# A library that stops a program's clock and records what it flushes. It replaces functions that sanitizers also
# replace.
if(TARGET resume_test)
  add_library(preloaded MODULE tests/preloaded.cpp)
  target_link_libraries(preloaded PRIVATE dragoman_flags ${CMAKE_DL_LIBS})
  target_compile_definitions(resume_test PRIVATE DRAGOMAN_PRELOADED="$<TARGET_FILE:preloaded>")
  add_dependencies(resume_test preloaded)
endif()

# Tests of several processes, and of where the program finds the module that connects them.
foreach(name ranks_test embed_slow_test)
  if(TARGET dragoman_mpi AND TARGET ${name})
    target_compile_definitions(${name} PRIVATE DRAGOMAN_MPI_MODULE="$<TARGET_FILE:dragoman_mpi>")
    add_dependencies(${name} dragoman_mpi)
  endif()
endforeach()

# A stand-in for NCCL, which tests put in its place.
if(DRAGOMAN_WITH_NCCL AND TARGET dragoman_mpi AND TARGET ranks_test)
  add_library(nccl_over_mpi MODULE tests/nccl_over_mpi.cpp)
  target_include_directories(nccl_over_mpi SYSTEM PRIVATE ${NCCL_INCLUDE_DIR})
  target_link_libraries(nccl_over_mpi PRIVATE dragoman_flags MPI::MPI_CXX CUDA::cudart_static)
  target_link_options(nccl_over_mpi PRIVATE -Wl,-soname,libnccl.so.2 -Wl,--exclude-libs,ALL)
  target_compile_definitions(ranks_test PRIVATE DRAGOMAN_NCCL_OVER_MPI="$<TARGET_FILE:nccl_over_mpi>")
  add_dependencies(ranks_test nccl_over_mpi)
endif()

# Input for tests/compare_with_sacrebleu.py. Not a test, because that script needs Python and sacreBLEU.
add_executable(score_sets EXCLUDE_FROM_ALL tests/score_sets.cpp)
target_link_libraries(score_sets PRIVATE dragoman dragoman_flags)

# The library that makes system calls fail replaces functions that sanitizers also replace.
if(NOT DRAGOMAN_SANITIZE)
  include(faults)
endif()
