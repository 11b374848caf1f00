#include "proxy/text_arguments.hpp"

#include "proxy/complaint.hpp"
#include "text/utf8.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace proxy {

namespace json = boost::json;

namespace {

/// Longer than any number that a double holds exactly.
constexpr size_t scalar_bytes_max = 32;
constexpr size_t double_digits_max = std::numeric_limits<double>::max_digits10; // 17
constexpr size_t name_bytes_max = 80;

/// Of a number as text, without zeros around them: all that it says but its size.
std::string digits_of(std::string_view number) {
  std::string out;
  for (char c : number.substr(0, number.find_first_of("eE")))
    if (c >= '0' && c <= '9')
      out += c;
  out.erase(0, std::min(out.find_first_not_of('0'), out.size()));
  out.resize(out.find_last_not_of('0') + 1);
  return out;
}

/// With all of its digits, or not at all: what lies beyond a double, or between two of them, would be sent as another
/// number.
std::optional<json::value> double_in(std::string_view text) {
  double value = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  auto digits = digits_of(text);
  if (problem != std::errc{} || end != text.data() + text.size() || digits.size() > double_digits_max)
    return std::nullopt;
  char written[scalar_bytes_max];
  auto places = digits.empty() ? 0 : static_cast<int>(digits.size()) - 1;
  auto last = std::to_chars(std::begin(written), std::end(written), value, std::chars_format::scientific, places).ptr;
  if (digits_of({written, static_cast<size_t>(last - written)}) != digits)
    return std::nullopt;
  return json::value(value);
}

/// What JSON writes with a point or an exponent is a number; where only an integer is taken, "1.0" and "1e3" stay the
/// texts that they are.
std::optional<json::value> scalar_in(std::string_view text, const json_schema::error& wanted) {
  if (text.empty() || text.size() > scalar_bytes_max)
    return std::nullopt;
  if (text == "True" || text == "False") // as Python writes them
    return json::value(text == "True");
  boost::system::error_code ec;
  auto value = json::parse(text, ec);
  if (ec || !(value.is_number() || value.is_bool()))
    return std::nullopt;
  if (!value.is_double())
    return value;
  bool is_written_whole = text.find_first_of(".eE") == text.npos; // and is no 64-bit integer
  bool takes_any_number = wanted.expected.find("number") != std::string::npos;
  return is_written_whole || !takes_any_number ? std::nullopt : double_in(text);
}

/// Arguments that were changed, for the note.
struct named_places {
  std::string names;
  size_t count = 0;

  void add(const std::string& path) {
    ++count;
    names += (names.empty() ? "\"" : ", \"") + text::quoted(dotted(path), name_bytes_max) + "\"";
  }
};

/// The name of a member, as a JSON pointer ends with it.
std::string unescaped(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    bool is_code = token[i] == '~' && i + 1 < token.size();
    out += is_code ? (token[++i] == '1' ? '/' : '~') : token[i];
  }
  return out;
}

/// Of an object; what a list holds has its place there.
bool take_out(json::value& from, const std::string& path) {
  auto end = path.rfind('/');
  if (end == path.npos)
    return false;
  boost::system::error_code ec;
  auto* parent = from.find_pointer(path.substr(0, end), ec);
  return parent && parent->is_object() && parent->get_object().erase(unescaped(path.substr(end + 1))) > 0;
}

} // namespace

std::optional<read_arguments> read_texts(const json::value& given, const std::vector<json_schema::error>& errors) {
  read_arguments out{given, {}};
  named_places read, left_out;
  for (auto& e : errors) {
    if (read.count + left_out.count >= text_arguments_max)
      break;
    boost::system::error_code ec;
    auto* place = out.value.find_pointer(e.instance_path, ec);
    auto scalar = place && place->is_string() ? scalar_in(place->get_string(), e) : std::nullopt;
    if (scalar) {
      *place = std::move(*scalar);
      read.add(e.instance_path);
    } else if (place && place->is_null() && take_out(out.value, e.instance_path)) {
      left_out.add(e.instance_path);
    }
  }
  if (read.count + left_out.count == 0)
    return std::nullopt;
  if (read.count > 0)
    out.note =
      read.names
      + (read.count == 1 ? " was given as text, and has been read as the number or boolean that the tool takes"
                         : " were given as text, and have been read as the numbers or booleans that the tool takes");
  if (left_out.count > 0)
    out.note += (out.note.empty() ? "" : "; ") + left_out.names
                + (left_out.count == 1 ? " was given as null, and has been left out, because the tool takes none"
                                       : " were given as null, and have been left out, because the tool takes none");
  return out;
}

} // namespace proxy
