#include "dragoman/serve/page/page.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "dragoman/base/base64.h"
#include "dragoman/base/embedded.h"
#include "dragoman/base/error.h"

namespace dragoman::serve {

std::span<const EmbeddedText> web_files();  // by their paths in web/; defined by the build

namespace {

// The files of web/ by their paths, such as "core/state.js". The map sorts the paths, and styles are joined in this
// order: base.css, then parts/, then views/. So a view can override the style of a part.
using Files = std::map<std::string_view, std::string_view>;

Files page_files() {
  Files files;
  for (const auto& [path, text] : web_files()) files.emplace(path, text);
  return files;
}

void replace(std::string& text, std::string_view mark, const std::string& replacement) {
  const std::size_t at = text.find(mark);
  require<Error>(at != std::string::npos, "web/index.html has no placeholder '", mark, "'.");
  text.replace(at, mark.size(), replacement);
}

// The text of a module in which "../core/state.js" has become "dragoman/core/state.js", which the import map resolves:
// modules in data: URLs cannot import each other by relative paths. Every string literal that begins with "./" or "../"
// is taken for an import.
std::string with_mapped_imports(std::string_view module, const Files& files) {
  const std::string_view text = files.at(module);
  const std::filesystem::path folder = std::filesystem::path(module).parent_path();
  std::string result;
  std::size_t done = 0;
  while (true) {
    const std::size_t quote = std::min(text.find("\"./", done), text.find("\"../", done));
    if (quote == std::string_view::npos) return result.append(text.substr(done));
    const std::size_t end = text.find('"', quote + 1);
    const std::string_view imported = text.substr(quote + 1, end - quote - 1);
    const std::string path = (folder / imported).lexically_normal().generic_string();
    require<Error>(files.contains(path), "web/", module, " imports '", imported, "', but there is no web/", path, ".");
    result.append(text.substr(done, quote + 1 - done)).append("dragoman/").append(path);
    done = end;
  }
}

// Maps "dragoman/PATH" to a data: URL with the module of this path in web/. This works in a page that is opened as a
// file, too.
std::string import_map(const Files& files) {
  std::string map;
  for (const auto& [path, text] : files) {
    if (!path.ends_with(".js")) continue;
    const std::string module = with_mapped_imports(path, files);
    map += map.empty() ? R"({"imports":{")" : R"(,")";
    map.append("dragoman/").append(path).append(R"(":"data:text/javascript;charset=utf-8;base64,)");
    map += base64(std::as_bytes(std::span(module))) + '"';
  }
  return map + "}}";
}

// Escapes every '<' in JSON, so that no text in it can end the HTML element that holds it.
std::string escaped_for_html(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace

std::string attention_page(std::string_view data) {
  const Files files = page_files();
  std::string styles;
  for (const auto& [path, text] : files) {
    if (path.ends_with(".css")) styles += text;
  }
  std::string scripts;
  if (!data.empty()) {
    scripts = R"(<script type="application/json" id="dragoman-data">)" + escaped_for_html(data) + "</script>\n";
  }
  scripts += R"(<script type="module">import "dragoman/main.js";</script>)";
  std::string page(files.at("index.html"));
  replace(page, "<!--styles-->",
          "<style>\n" + styles + "</style>\n<script type=\"importmap\">" + import_map(files) + "</script>");
  replace(page, "<!--scripts-->", scripts);
  return page;
}

}  // namespace dragoman::serve
