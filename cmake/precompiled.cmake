# precompile(TARGET [HEADER...]): precompiles the headers that most files of a target include, which saves each file a
# second: the standard library's headers below, fmt, and HEADER... A file must still include everything that it uses.
# Missing includes show up in builds with a compiler cache, which saves more time and does not use this, and with
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON. nlohmann/json.hpp is not among them: if it optimises, gcc needs half a second in
# every file to discard its unused parts.
function(precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <array> <charconv> <cmath> <filesystem> <functional> <locale> <memory> <mutex> <optional> <span>
      <sstream> <string> <vector> <fmt/format.h> ${ARGN})
  endif()
endfunction()
