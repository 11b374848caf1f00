#include "proxy/artifacts/path.hpp"

#include "messages/limits.hpp"
#include "text/nearest.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace artifacts {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t shown_bytes_max = 100;
constexpr size_t shown_fields_max = 10;
/// Fields that are compared with a wrong name.
constexpr size_t compared_fields_max = 1'000;

using steps = std::vector<std::string>;

fault malformed(std::string_view path, const std::string& what) {
  return {errc::invalid_argument, "path '" + text::quoted(path, shown_bytes_max) + "': " + what
                                    + "; write it as items[3].name or /items/3/name"};
}

/// Of a JSON pointer: `~1` is a slash, `~0` a tilde.
std::string unescaped(std::string_view part) {
  std::string out;
  for (size_t i = 0; i < part.size(); ++i) {
    bool escape = part[i] == '~' && i + 1 < part.size() && (part[i + 1] == '0' || part[i + 1] == '1');
    out += !escape ? part[i] : part[++i] == '0' ? '~' : '/';
  }
  return out;
}

steps of_pointer(std::string_view path) {
  steps out;
  while (!path.empty()) {
    path.remove_prefix(1);
    auto end = std::min(path.find('/'), path.size());
    out.push_back(unescaped(path.substr(0, end)));
    path.remove_prefix(end);
  }
  return out;
}

/// `[3]`, `["a key"]` or `['a key']` at the beginning of `rest`, which is taken away. False: it is none.
bool take_bracket(std::string_view& rest, std::string& step) {
  auto quote = rest.size() > 1 ? rest[1] : ' ';
  bool quoted = quote == '"' || quote == '\'';
  auto begin = quoted ? size_t{2} : size_t{1};
  auto end = rest.find(quoted ? quote : ']', begin);
  if (end == rest.npos || (quoted && rest.substr(end + 1, 1) != "]"))
    return false;
  step = rest.substr(begin, end - begin);
  rest.remove_prefix(end + (quoted ? 2 : 1));
  return true;
}

msg::outcome<steps> of_dotted(std::string_view path) {
  steps out;
  auto rest = path;
  if (rest == "$" || rest.starts_with("$.") || rest.starts_with("$[")) // as in JSONPath
    rest.remove_prefix(1);
  if (rest.starts_with('.'))
    rest.remove_prefix(1);
  while (!rest.empty()) {
    std::string step;
    if (rest.front() == '[') {
      if (!take_bracket(rest, step))
        return malformed(path, "a bracket is not closed");
    } else {
      auto end = std::min(rest.find_first_of(".["), rest.size());
      step = rest.substr(0, end);
      rest.remove_prefix(end);
    }
    if (step.empty())
      return malformed(path, "a name is missing");
    out.push_back(std::move(step));
    if (rest == ".")
      return malformed(path, "a name is missing");
    if (rest.starts_with('.'))
      rest.remove_prefix(1);
  }
  return out;
}

/// For messages: the way that was found.
std::string named(const std::string& where) { return where.empty() ? "the value" : "'" + where + "'"; }

fault no_field(const std::string& where, std::string_view name, const json::object& object) {
  std::vector<std::string_view> names;
  for (auto& [key, value] : object)
    if (names.size() < compared_fields_max)
      names.push_back(key);
  fault f{errc::invalid_argument, "there is no field '" + text::quoted(name, shown_bytes_max) + "' in " + where};
  f.suggestions = text::nearest(name, names);
  if (object.size() <= shown_fields_max) {
    f.message += "; its fields:";
    for (size_t i = 0; i < names.size(); ++i)
      f.message += (i > 0 ? ", " : " ") + text::quoted(names[i], shown_bytes_max);
  } else if (!f.suggestions.empty()) {
    f.message += "; did you mean '" + text::quoted(f.suggestions.front(), shown_bytes_max) + "'?";
  }
  return f;
}

msg::outcome<const json::value*> element(const json::array& list, const std::string& step, const std::string& where) {
  int64_t index = 0;
  auto [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
  auto size = static_cast<int64_t>(list.size());
  if (error != std::errc{} || end != step.data() + step.size())
    return fault{errc::invalid_argument, where + " is a list of " + std::to_string(size) + ": expected an index, not '"
                                           + text::quoted(step, shown_bytes_max) + "'"};
  if (index >= size || index < -size)
    return fault{errc::invalid_argument,
                 where + " has " + std::to_string(size) + " elements: there is no [" + step + "]"};
  return &list[static_cast<size_t>(index < 0 ? index + size : index)];
}

} // namespace

msg::outcome<const json::value*> find(const json::value& root, std::string_view path) {
  if (path.size() > msg::limits::path_bytes_max)
    return malformed(path, "longer than " + std::to_string(msg::limits::path_bytes_max) + " bytes");
  auto parsed = path.starts_with('/') ? msg::outcome<steps>{of_pointer(path)} : of_dotted(path);
  if (!parsed.ok())
    return std::move(parsed.error);
  auto* at = &root;
  std::string where;
  for (auto& step : parsed.value) {
    if (auto* object = at->if_object()) {
      auto* field = object->if_contains(step);
      if (!field)
        return no_field(named(where), step, *object);
      at = field;
    } else if (auto* list = at->if_array()) {
      auto found = element(*list, step, named(where));
      if (!found.ok())
        return std::move(found.error);
      at = found.value;
    } else {
      return fault{errc::invalid_argument, named(where) + " has no parts: it is neither a list nor an object"};
    }
    where += (where.empty() ? "" : ".") + text::quoted(step, shown_bytes_max);
  }
  return at;
}

} // namespace artifacts
