#include "proxy/text_arguments.hpp"

#include "messages/utf8.hpp"
#include "proxy/complaint.hpp"

#include <boost/json/parse.hpp>

namespace proxy {

namespace json = boost::json;

namespace {

/// Longer than any number that a double holds exactly.
constexpr size_t scalar_bytes_max = 32;
constexpr size_t name_bytes_max = 80;

std::optional<json::value> scalar_in(std::string_view text) {
  if (text.empty() || text.size() > scalar_bytes_max)
    return std::nullopt;
  if (text == "True" || text == "False") // as Python writes them
    return json::value(text == "True");
  boost::system::error_code ec;
  auto value = json::parse(text, ec);
  return !ec && (value.is_number() || value.is_bool()) ? std::optional{std::move(value)} : std::nullopt;
}

} // namespace

std::optional<read_arguments> read_texts(const json::value& given, const std::vector<json_schema::error>& errors) {
  read_arguments out{given, {}};
  size_t count = 0;
  for (auto& e : errors) {
    boost::system::error_code ec;
    auto* place = count < text_arguments_max ? out.value.find_pointer(e.instance_path, ec) : nullptr;
    auto scalar = place && place->is_string() ? scalar_in(place->get_string()) : std::nullopt;
    if (!scalar)
      continue;
    *place = std::move(*scalar);
    ++count;
    out.note += (out.note.empty() ? "\"" : ", \"") + msg::quoted(dotted(e.instance_path), name_bytes_max) + "\"";
  }
  if (count == 0)
    return std::nullopt;
  out.note += count == 1 ? " was given as text, and has been read as the number or boolean that the tool takes"
                         : " were given as text, and have been read as the numbers or booleans that the tool takes";
  return out;
}

} // namespace proxy
