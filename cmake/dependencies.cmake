# Every third-party package, with its minimum version (that of Debian 12) and its purpose.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)                      # the thread team
find_package(CLI11 2.1 REQUIRED)                    # command-line flags
find_package(yaml-cpp 0.7 REQUIRED)                 # configuration files
find_package(fmt 9.1 REQUIRED)                      # messages and tables
find_package(nlohmann_json 3.11 REQUIRED)           # model files, metrics, --json output
# Boost: HTTP (Beast and Asio, headers only) and, if Iostreams is installed, corpora in gzip, zstd and xz.
find_package(Boost 1.74 CONFIG REQUIRED OPTIONAL_COMPONENTS iostreams)
find_package(ZLIB 1.2.11 QUIET)                     # optional; models of other programs in packed zip files
find_package(ICU 72 QUIET COMPONENTS uc)            # optional; for scores: lower case and character classes
set(MPI_CXX_SKIP_MPICXX ON)                         # only the C interface is used
find_package(MPI 3.1 QUIET COMPONENTS CXX)          # optional; training by several processes (Open MPI 4.1)

# SentencePiece (0.1.97): subwords. Its package has no CMake files.
find_path(SENTENCEPIECE_INCLUDE_DIR NAMES sentencepiece_processor.h sentencepiece_trainer.h REQUIRED)
find_library(SENTENCEPIECE_LIBRARY NAMES sentencepiece REQUIRED)
find_library(SENTENCEPIECE_TRAIN_LIBRARY NAMES sentencepiece_train REQUIRED)

# libedit (3.1-20221030), optional: at the prompt of translate, lines are edited and brought back. No CMake files either.
find_path(LIBEDIT_INCLUDE_DIR NAMES histedit.h)
find_library(LIBEDIT_LIBRARY NAMES edit)

if(DRAGOMAN_TESTS)
  find_package(GTest 1.12 REQUIRED)                 # tests
endif()
if(DRAGOMAN_BENCH)
  find_package(benchmark 1.7 REQUIRED)              # bench_ops
  # OpenBLAS (0.3.20), optional: bench_train_step compares our own matrix products with it.
  find_path(OPENBLAS_INCLUDE_DIR NAMES openblas_config.h
            PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE} openblas)
  find_library(OPENBLAS_LIBRARY NAMES openblas)
endif()
