# `cmake --install`: the program with its manual and shell completions, the library with its headers, and the package
# for find_package(dragoman).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/dragoman)

# Where the program finds the module of MPI, and the library if that is shared (BUILD_SHARED_LIBS) and then finds the
# module itself: relative to their own directory, so the build and the installed tree can be moved. Both have the same
# places, because CMake fills other lists up with an empty one, which means the current directory.
set(rpath_of_both BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON INSTALL_RPATH)
set(places $ORIGIN $ORIGIN/../${CMAKE_INSTALL_LIBDIR} $ORIGIN/../${mpi_module_dir})
set_target_properties(dragoman_program PROPERTIES ${rpath_of_both} "${places}")
set(places $ORIGIN $ORIGIN/dragoman)
set_target_properties(dragoman PROPERTIES ${rpath_of_both} "${places}")
install(TARGETS dragoman_program)
if(TARGET dragoman_mpi)
  install(TARGETS dragoman_mpi DESTINATION ${mpi_module_dir})
endif()
install(TARGETS dragoman EXPORT dragomanTargets)

# Installs the headers of the library, without test helpers, the private headers (folders named internal, and the
# kernels) and the program's own headers.
install(DIRECTORY dragoman/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dragoman
        FILES_MATCHING PATTERN "*.h"
        PATTERN "*testing.h" EXCLUDE
        REGEX "/backend/(cpu|cuda)$" EXCLUDE
        REGEX "/internal$" EXCLUDE
        REGEX "/dragoman/cli$" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/generated/dragoman/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dragoman)

# To link the library, a user needs the required packages, which dragomanConfig.cmake.in names, and those optional ones
# that were found when the library was built.
set(optional_dependencies "")
if(TARGET Boost::iostreams)
  string(APPEND optional_dependencies "find_dependency(Boost CONFIG COMPONENTS iostreams)\n")
endif()
if(DRAGOMAN_WITH_CUDA)
  string(APPEND optional_dependencies "find_dependency(CUDAToolkit 13.0)\n")
endif()
if(TARGET ZLIB::ZLIB)
  string(APPEND optional_dependencies "find_dependency(ZLIB)\n")
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

# Files that the program prints itself: its manual and shell completions. They are left out if the program cannot run
# here, and with sanitizers, which make the end of each run slow.
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
