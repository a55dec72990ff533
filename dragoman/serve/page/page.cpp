#include "dragoman/serve/page/page.h"

#include <span>

#include "dragoman/base/base64.h"
#include "dragoman/base/embedded.h"
#include "dragoman/base/error.h"

namespace dragoman::serve {

std::span<const EmbeddedText> web_files();  // of web/, by their names; defined by the build

namespace {

void replace(std::string& text, std::string_view mark, const std::string& by) {
  const std::size_t at = text.find(mark);
  require<Error>(at != std::string::npos, "the page has no place for '", mark, "'.");
  text.replace(at, mark.size(), by);
}

// Modules find each other as "dragoman/NAME.js" by a map to URLs that hold them: this works from a file, too.
std::string import_map() {
  std::string map;
  for (const auto& [name, text] : web_files()) {
    if (!name.ends_with(".js")) continue;
    map += map.empty() ? R"({"imports":{")" : R"(,")";
    map.append("dragoman/").append(name).append(R"(":"data:text/javascript;charset=utf-8;base64,)");
    map += base64(std::as_bytes(std::span(text))) + '"';
  }
  return map + "}}";
}

// JSON inside HTML: no text of it can end the element.
std::string guarded(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

}  // namespace

std::string attention_page(std::string_view data) {
  std::string page, styles;
  for (const auto& [name, text] : web_files()) {
    if (name == "index.html") page = text;
    if (name.ends_with(".css")) styles += text;
  }
  std::string scripts;
  if (!data.empty()) {
    scripts = R"(<script type="application/json" id="dragoman-data">)" + guarded(data) + "</script>\n";
  }
  scripts += R"(<script type="module">import "dragoman/main.js";</script>)";
  replace(page, "<!--styles-->",
          "<style>\n" + styles + "</style>\n<script type=\"importmap\">" + import_map() + "</script>");
  replace(page, "<!--scripts-->", scripts);
  return page;
}

}  // namespace dragoman::serve
