#include "proxy/types/type_names.hpp"

#include "proxy/types/bounds.hpp"
#include "text/aliases.hpp"

#include <cctype>
#include <utility>

namespace types {

std::string type_name(std::string_view name) {
  std::string out;
  bool begins = true;
  for (char c : text::aliases_of(name.substr(0, 4 * bounds::type_name_bytes_max)).camel) {
    if (c == '_') {
      begins = true;
      continue;
    }
    if (out.size() == bounds::type_name_bytes_max)
      break;
    auto byte = static_cast<unsigned char>(c);
    out += std::exchange(begins, false) ? static_cast<char>(std::toupper(byte)) : c;
  }
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])))
    out.insert(0, "T");
  return out;
}

std::string type_names::take(const std::string& wish) {
  if (taken_.insert(wish).second)
    return wish;
  auto& n = last_.emplace(wish, 1).first->second;
  for (;;) {
    auto candidate = wish + std::to_string(++n);
    if (taken_.insert(candidate).second)
      return candidate;
  }
}

} // namespace types
