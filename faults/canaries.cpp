#include "faults/canaries.hpp"

#include "text/canonical_json.hpp"
#include "text/digest.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cctype>

namespace faults {

namespace {

constexpr size_t canary_digits = 16;

/// Programs may write `mcp__canary__send_report` as `canary.sendReport`.
std::string letters_of(std::string_view name) {
  std::string out;
  for (unsigned char c : name)
    if (std::isalnum(c) != 0 || c >= 0x80U)
      out += static_cast<char>(std::tolower(c));
  return out;
}

} // namespace

std::string canary_of(const rule& by) {
  auto arguments = text::canonical_json(by.arguments.value());
  return by.tool + " " + text::digest{}.add(by.tool).add(arguments).hex().substr(0, canary_digits);
}

void canaries::add(const rule& by) {
  auto& of_tool = by_tool_[letters_of(by.tool)];
  canary added{canary_of(by), {}};
  bool is_known = std::any_of(of_tool.begin(), of_tool.end(), [&](auto& one) { return one.id == added.id; });
  if (is_known || count_ == most)
    return;
  if (auto* arguments = by.arguments.value().if_object())
    for (auto& [name, value] : *arguments)
      added.arguments.emplace(name, text::canonical_json(value));
  of_tool.push_back(std::move(added));
  ++count_;
}

std::string canaries::obeyed_by(std::string_view name, const msg::document& arguments) const {
  auto of_tool = by_tool_.find(letters_of(name));
  if (of_tool == by_tool_.end())
    return {};
  auto* given = arguments.value().if_object();
  auto is_obeyed = [given](const canary& one) {
    return std::all_of(one.arguments.begin(), one.arguments.end(), [given](auto& wanted) {
      auto* value = given ? given->if_contains(wanted.first) : nullptr;
      return value && text::canonical_json(*value) == wanted.second;
    });
  };
  const canary* best = nullptr;
  for (auto& one : of_tool->second)
    if (is_obeyed(one) && (!best || one.arguments.size() > best->arguments.size()))
      best = &one;
  return best ? best->id : std::string{};
}

} // namespace faults
