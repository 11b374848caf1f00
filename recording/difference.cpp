#include "recording/difference.hpp"

#include "text/json_beginning.hpp"
#include "text/json_text.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>

namespace recording {

namespace json = boost::json;

namespace {

constexpr std::string_view nothing = "nothing";

std::string excerpt_of(const json::value* value) {
  return value ? text::quoted_json(*value, difference_bytes_max) : std::string{nothing};
}

class comparison {
public:
  explicit comparison(size_t most) : most_(most) {}

  void compare(const json::value* was, const json::value* is, const std::string& path) {
    if (found_.size() >= most_)
      return;
    if (was && is && was->is_object() && is->is_object())
      return compare_members(was->get_object(), is->get_object(), path);
    if (was && is && was->is_array() && is->is_array())
      return compare_items(was->get_array(), is->get_array(), path);
    if (!was || !is || !is_same(*was, *is))
      found_.push_back({path, excerpt_of(was), excerpt_of(is)});
  }

  std::vector<difference> take() && { return std::move(found_); }

private:
  static bool is_same(const json::value& a, const json::value& b) {
    json::error_code ignored, also_ignored;
    if (a.is_number() && b.is_number())
      return a == b || a.to_number<double>(ignored) == b.to_number<double>(also_ignored);
    return a == b;
  }

  void compare_members(const json::object& was, const json::object& is, const std::string& path) {
    for (auto& [name, value] : was)
      compare(&value, is.if_contains(name), path.empty() ? std::string{name} : path + "." + std::string{name});
    for (auto& [name, value] : is)
      if (!was.contains(name))
        compare(nullptr, &value, path.empty() ? std::string{name} : path + "." + std::string{name});
  }

  void compare_items(const json::array& was, const json::array& is, const std::string& path) {
    for (size_t i = 0; i < std::max(was.size(), is.size()); ++i)
      compare(i < was.size() ? &was[i] : nullptr, i < is.size() ? &is[i] : nullptr,
              path + "[" + std::to_string(i) + "]");
  }

  size_t most_;
  std::vector<difference> found_;
};

} // namespace

std::vector<difference> differences(const json::value& was, const json::value& is, size_t most) {
  comparison both{most};
  both.compare(&was, &is, {});
  return std::move(both).take();
}

} // namespace recording
