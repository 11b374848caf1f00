// A schema of any kind gives declarations of bounded length with closed brackets, and any value can be learned from.
#include "proxy/types/bounds.hpp"
#include "proxy/types/observed.hpp"
#include "proxy/types/server_module.hpp"
#include "proxy/types/tool_signature.hpp"
#include "testing/fuzz.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>

namespace {

/// Outside of comments and literals: every bracket is closed by its own kind.
bool is_balanced(std::string_view text) {
  std::string open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("/*")) {
      auto end = text.find("*/", i + 2);
      if (end == text.npos)
        return false;
      i = end + 1;
    } else if (text[i] == '"') {
      for (++i; i < text.size() && text[i] != '"'; ++i)
        i += text[i] == '\\';
    } else if (std::string_view{"({["}.find(text[i]) != std::string_view::npos) {
      open += text[i] == '(' ? ')' : text[i] == '{' ? '}' : ']';
    } else if (std::string_view{")}]"}.find(text[i]) != std::string_view::npos) {
      if (open.empty() || open.back() != text[i])
        return false;
      open.pop_back();
    }
  }
  return open.empty();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto rest = fuzz::text_of(data, size);
  std::string name{fuzz::piece(rest, '\n')};
  std::string doc{fuzz::piece(rest, '\n')};
  auto parsed = msg::document::parse(rest);
  if (!parsed.ok())
    return 0;
  auto& schema = parsed.value.value();
  msg::tool_info tool{"s", name, doc,
                      msg::document{boost::json::value{{"inputSchema", schema}, {"outputSchema", schema}}}};
  auto text = types::typescript_of(tool);
  fuzz::require(is_balanced(text), "TypeScript with an open bracket");
  fuzz::require(text.size() <= types::bounds::signature_bytes_max, "a signature that is too long");
  fuzz::require(types::python_of(tool).size() <= types::bounds::signature_bytes_max, "a stub that is too long");
  fuzz::require(is_balanced(types::typescript_module({{name, {tool, tool}}})), "a module with an open bracket");
  types::observed seen;
  seen.merge(schema);
  auto version = seen.version();
  seen.merge(schema);
  fuzz::require(version == 1 && seen.samples() == 2, "results are counted wrong");
  auto stored = types::observed::from_json(seen.to_json());
  fuzz::require(stored && stored->schema() == seen.schema(), "a shape that does not survive storing");
  return 0;
}
