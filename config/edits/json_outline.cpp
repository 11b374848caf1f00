#include "config/edits/json_outline.hpp"

#include "config/json_scanner.hpp"

#include <algorithm>
#include <utility>

namespace edits {

const json_member* json_outline::find(std::string_view key) const {
  auto found = std::find_if(members.rbegin(), members.rend(), [&](auto& m) { return m.key == key; });
  return found == members.rend() ? nullptr : &*found;
}

std::optional<json_outline> outline_at(std::string_view text, size_t at) {
  config::json_scanner scan{text, at};
  scan.skip();
  json_outline out;
  out.open = scan.at();
  if (!scan.take('{'))
    return std::nullopt;
  while (!scan.is_at_end() && !scan.take('}')) {
    json_member member;
    member.begin = scan.at();
    member.key = config::unescaped_json(scan.string());
    scan.take(':');
    scan.skip();
    member.value_begin = scan.at();
    scan.pass_value();
    member.value_end = scan.at();
    if (scan.take(','))
      member.comma = scan.at() - 1;
    out.members.push_back(std::move(member));
  }
  out.close = scan.at() - 1;
  return out;
}

} // namespace edits
