# Fault tests: a library to preload that makes system calls fail (tests/faults/injection.h), the code that runs commands
# with it, and the program behind scripts/faults.
add_library(inject MODULE tests/faults/calls.cpp tests/faults/injection.cpp)
target_include_directories(inject PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(inject PRIVATE dragoman_flags ${CMAKE_DL_LIBS})
add_library(fault_trials STATIC EXCLUDE_FROM_ALL tests/faults/process.cpp tests/faults/scenarios.cpp
                                                 tests/faults/snapshot.cpp tests/faults/sweep.cpp
                                                 tests/faults/trial.cpp)
target_link_libraries(fault_trials PUBLIC dragoman PRIVATE dragoman_flags)
target_compile_options(fault_trials PRIVATE ${test_options})
target_compile_definitions(fault_trials PRIVATE DRAGOMAN_PROGRAM="$<TARGET_FILE:dragoman_program>"
                                                DRAGOMAN_INJECT="$<TARGET_FILE:inject>"
                                                DRAGOMAN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(fault_trials inject dragoman_program)
target_link_libraries(faults_test PRIVATE fault_trials)
add_executable(faults EXCLUDE_FROM_ALL tests/faults/faults.cpp)
target_link_libraries(faults PRIVATE fault_trials dragoman_flags)
target_compile_options(faults PRIVATE ${test_options})
# A few of the trials of scripts/rank-faults. They wait more than they compute.
add_test(NAME rank_faults COMMAND ${PROJECT_SOURCE_DIR}/scripts/rank-faults 6)
set_tests_properties(rank_faults PROPERTIES LABELS whole ENVIRONMENT DRAGOMAN_BUILD=${PROJECT_BINARY_DIR}
                     SKIP_REGULAR_EXPRESSION "rank-faults: skipped")
