#include "messages/sent_text.hpp"

#include "text/json_spelling.hpp"
#include "text/json_text.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <functional>

namespace msg {

namespace json = boost::json;

namespace {

/// The member that is `inner`, which is looked for among the addresses that the object has; null: it lies elsewhere.
const json::key_value_pair* member_at(const json::object& object, const json::value& inner) {
  auto* address = static_cast<const void*>(&inner);
  std::less<const void*> before;
  bool is_within =
    !object.empty() && !before(address, &*object.begin()) && before(address, &*object.begin() + object.size());
  auto found = is_within
                 ? std::find_if(object.begin(), object.end(), [&](auto& each) { return &each.value() == &inner; })
                 : object.end();
  return found == object.end() ? nullptr : &*found;
}

} // namespace

std::string_view document::sent_text::text() const {
  std::string_view out{*whole};
  for (size_t i = 0; i < depth; ++i)
    out = text::json_member(out, path[i]);
  return out;
}

std::shared_ptr<const document::sent_text> document::sent_part(const document& whole, const json::value& inner) {
  auto* object = whole.value().if_object();
  if (!whole.sent_ || &inner == &whole.value())
    return whole.sent_;
  if (!object || whole.sent_->depth == sent_text::depth_max)
    return {};
  auto inside = [&](std::initializer_list<const json::key_value_pair*> members) -> std::shared_ptr<const sent_text> {
    auto out = std::make_shared<sent_text>(*whole.sent_);
    for (auto* member : members)
      out->path[out->depth++] = member->key();
    return out;
  };
  if (auto* member = member_at(*object, inner))
    return inside({member});
  if (whole.sent_->depth + 1 < sent_text::depth_max)
    for (auto& member : *object)
      if (auto* members = member.value().if_object())
        if (auto* found = member_at(*members, inner))
          return inside({&member, found});
  return {};
}

std::string document::spelled() const {
  if (!sent_)
    return text();
  std::string out;
  text::append_spelled(out, value(), sent_->text());
  return out;
}

std::string document::spelled(const member_changes& changes) const {
  static const json::object nothing;
  auto* own = value().if_object();
  auto* set = changes.set.value().if_object();
  auto& object = own ? *own : nothing;
  std::vector<text::listed_member> members;
  members.reserve(object.size() + (set ? set->size() : 0));
  for (auto& [name, value] : object) {
    auto* other = set ? set->if_contains(name) : nullptr;
    if (std::find(changes.dropped.begin(), changes.dropped.end(), std::string_view{name}) == changes.dropped.end())
      members.push_back({name, other ? other : &value});
  }
  if (set)
    for (auto& [name, value] : *set)
      if (!object.contains(name))
        members.push_back({name, &value});
  std::string out;
  text::append_spelled(out, members, sent_ ? sent_->text() : std::string_view{});
  return out;
}

} // namespace msg
