#include "text/canonical_json.hpp"

#include "text/json_text.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace text {

namespace json = boost::json;

namespace {

void add_canonical(const json::value& value, std::string& to);

void add_members(const json::object& object, std::string& to) {
  std::vector<const json::key_value_pair*> members;
  members.reserve(object.size());
  for (auto& member : object)
    members.push_back(&member);
  std::sort(members.begin(), members.end(), [](auto* a, auto* b) { return a->key() < b->key(); });
  to += '{';
  for (auto* member : members) {
    to += to_text(json::value(member->key())) + ":";
    add_canonical(member->value(), to);
    to += ',';
  }
  to += '}';
}

void add_canonical(const json::value& value, std::string& to) {
  constexpr double exact_max = 9007199254740992.0; // 2^53
  if (auto* object = value.if_object())
    return add_members(*object, to);
  if (auto* list = value.if_array()) {
    to += '[';
    for (auto& item : *list) {
      add_canonical(item, to);
      to += ',';
    }
    to += ']';
    return;
  }
  bool is_whole = value.is_double() && std::trunc(value.get_double()) == value.get_double()
                  && std::fabs(value.get_double()) <= exact_max;
  to += is_whole ? std::to_string(static_cast<int64_t>(value.get_double())) : to_text(value);
}

} // namespace

std::string canonical_json(const json::value& value) {
  std::string out;
  add_canonical(value, out);
  return out;
}

} // namespace text
