# The module dragoman_mpi.so: the calls of MPI (dragoman/exchange/mpi_calls.h). It is made if MPI is installed, and loaded
# when ranks are joined, so nothing else is linked with MPI. Not with sanitizers, which do not understand its memory.
set(mpi_module_source ${PROJECT_SOURCE_DIR}/dragoman/exchange/mpi_module.cpp)
set(mpi_module_dir ${CMAKE_INSTALL_LIBDIR}/dragoman)  # where it is installed
if(MPI_CXX_FOUND AND NOT DRAGOMAN_SANITIZE)  # the target MPI::MPI_CXX is there even without MPI
  add_library(dragoman_mpi MODULE ${mpi_module_source})
  set_target_properties(dragoman_mpi PROPERTIES PREFIX "" BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH_USE_LINK_PATH ON)
  target_include_directories(dragoman_mpi PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(dragoman_mpi PRIVATE dragoman_flags MPI::MPI_CXX)
elseif(NOT DRAGOMAN_SANITIZE)
  message(STATUS "Without Open MPI: a model is trained by one process")
endif()

