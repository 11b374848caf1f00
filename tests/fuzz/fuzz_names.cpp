// Full names split into what joins to them again; aliases are identifiers.
#include "proxy/names.hpp"
#include "testing/fuzz.hpp"

#include <cctype>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto rest = fuzz::text_of(data, size);
  auto wanted = fuzz::piece(rest, '\n');
  std::vector<std::string> names;
  while (!rest.empty() && names.size() < 20)
    names.emplace_back(fuzz::piece(rest, '\n'));
  std::vector<std::string_view> views{names.begin(), names.end()};
  if (auto parts = proxy::split(wanted, names))
    fuzz::require(proxy::full_name(parts->server, parts->tool) == wanted, "the parts do not join to the whole");
  for (auto& name : names) {
    auto alias = proxy::aliases_of(name);
    for (auto& a : {alias.camel, alias.snake}) {
      fuzz::require(!a.empty() && !std::isdigit(static_cast<unsigned char>(a[0])), "an alias is no identifier");
      for (char c : a)
        fuzz::require(std::isalnum(static_cast<unsigned char>(c)) || c == '_', "an alias is no identifier");
    }
  }
  fuzz::require(proxy::nearest(wanted, views).size() <= 3, "too many suggestions");
  return 0;
}
