// JSON values written the way a text that they were parsed from spells them: "\u00fc" and 1e2 stay what they are, where
// text::to_text would write a letter and 100.0. For what is passed on.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace boost::json {
class value;
}

namespace text {

/// The text of a member of an object's text, the last of that name; empty: it has none, or is no object. `object` is a
/// whole JSON text that was parsed before: of another one anything within it may be found.
std::string_view json_member(std::string_view object, std::string_view name);

/// Compact JSON that parses to `value` whatever `like` is, spelled as there as far as it is the same: member by member,
/// and element by element from the first on. White space is left out, and of members of one name all but one.
/// `like`: JSON that was parsed before, or empty.
void append_spelled(std::string& to, const boost::json::value& value, std::string_view like);

/// A member of an object that is nowhere as a whole.
struct listed_member {
  std::string_view name;
  const boost::json::value* value;
};
/// The object of these members, in this order.
void append_spelled(std::string& to, std::span<const listed_member> members, std::string_view like);

} // namespace text
