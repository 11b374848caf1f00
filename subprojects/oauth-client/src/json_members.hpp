// Members of a JSON object that another side has sent: of the wrong type, doubled or too large, they are told.
#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace oauth {

/// Of one text in such an object, unless the member is of another kind.
inline constexpr size_t member_bytes_max = 4u << 10;
/// Of one list.
inline constexpr size_t list_items_max = 1'000;

/// Reads one object. The first problem is kept, and later reads give nothing.
class json_members {
public:
  /// `bytes_max` of the whole text.
  json_members(std::string_view text, size_t bytes_max);

  bool has(std::string_view name) const;
  /// Empty: there is none, or it is null.
  std::string text(std::string_view name, size_t bytes_max = member_bytes_max);
  /// The same of one that has to be there.
  std::string needed_text(std::string_view name, size_t bytes_max = member_bytes_max);
  /// Nothing: there is none, or it is null.
  std::optional<std::vector<std::string>> texts(std::string_view name);
  bool flag(std::string_view name);
  /// A number, or a text that is one, as some write it; not negative. Nothing: there is none, or it is null.
  std::optional<int64_t> seconds(std::string_view name);

  const std::string& problem() const { return problem_; } ///< empty: there was none

private:
  const boost::json::value* find(std::string_view name) const;
  void complain(std::string what);

  boost::json::object object_;
  std::string problem_;
};

} // namespace oauth
