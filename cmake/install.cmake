# `cmake --install`: the program with its manual and completions, the library with its headers, and the package for find_package(dragoman).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dragoman)

# The program finds a shared library (BUILD_SHARED_LIBS) beside it, wherever the tree is put.
if(BUILD_SHARED_LIBS)
  set_target_properties(dragoman_program PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()
install(TARGETS dragoman_program)
install(TARGETS dragoman EXPORT dragomanTargets)

# The headers of the library: not the tests' helpers, the insides of kernels and server, or the program's own.
install(DIRECTORY dragoman/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dragoman
        FILES_MATCHING PATTERN "*.h"
        PATTERN "*testing.h" EXCLUDE
        REGEX "/backend/(cpu|cuda)$" EXCLUDE
        REGEX "/serve/(connection|listener_state|reply|request_reader)\\.h$" EXCLUDE
        REGEX "/dragoman/cli$" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/dragoman/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dragoman)

# What was found when the library was built is needed to link it; what was not, is not.
set(optional_dependencies "")
if(TARGET Boost::iostreams)
  string(APPEND optional_dependencies "find_dependency(Boost CONFIG COMPONENTS iostreams)\n")
endif()
if(DRAGOMAN_WITH_CUDA)
  string(APPEND optional_dependencies "find_dependency(CUDAToolkit 13.0)\n")
endif()
if(TARGET ICU::uc)
  string(APPEND optional_dependencies "find_dependency(ICU COMPONENTS uc)\n")
endif()

install(EXPORT dragomanTargets NAMESPACE dragoman:: DESTINATION ${package_dir})
configure_package_config_file(cmake/dragomanConfig.cmake.in ${PROJECT_BINARY_DIR}/dragomanConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dragomanConfig.cmake ${PROJECT_BINARY_DIR}/dragomanConfigVersion.cmake
        DESTINATION ${package_dir})

# What the program prints of itself: its manual, and completions for shells. Not where it cannot run, and not under
# sanitizers, which take their time at the end of each run.
if(NOT CMAKE_CROSSCOMPILING AND NOT DRAGOMAN_SANITIZE)
  function(install_printed name destination)
    set(file ${PROJECT_BINARY_DIR}/printed/${name})
    add_custom_command(OUTPUT ${file} COMMAND dragoman_program ${ARGN} > ${file} DEPENDS dragoman_program
                       COMMENT "Printing ${name}" VERBATIM)
    set_property(TARGET dragoman_printed APPEND PROPERTY SOURCES ${file})
    install(FILES ${file} DESTINATION ${destination})
  endfunction()
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/printed)
  add_custom_target(dragoman_printed ALL)
  install_printed(dragoman.1 ${CMAKE_INSTALL_MANDIR}/man1 manual)
  install_printed(dragoman ${CMAKE_INSTALL_DATADIR}/bash-completion/completions completion bash)
  install_printed(_dragoman ${CMAKE_INSTALL_DATADIR}/zsh/site-functions completion zsh)
  install_printed(dragoman.fish ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d completion fish)
endif()

install(FILES LICENSE README.md README.zh-CN.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
