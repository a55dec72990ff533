# precompile(TARGET [HEADER...]): what most files of a target include is read once, which saves each of them a second:
# the standard library's headers below, fmt and those named. A file still includes all that it uses: builds with a
# compiler cache, which saves more and works without this, show what is missing, as does
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON. Not nlohmann/json.hpp: gcc takes half a second to leave out what nobody uses of it.
function(precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <charconv> <cmath> <filesystem> <functional> <locale> <memory> <mutex> <optional> <span>
      <sstream> <string> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()
