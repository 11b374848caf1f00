#include "proxy/unwrap.hpp"

#include "messages/limits.hpp"
#include "text/json_beginning.hpp"
#include "text/parsed_size.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>

namespace proxy {

namespace json = boost::json;

namespace {

/// Of an `isError` that is no boolean.
constexpr size_t said_bytes_max = 50;

const json::string* text_of(const json::value& block) {
  auto* object = block.if_object();
  auto* type = object ? object->if_contains("type") : nullptr;
  auto* text = object ? object->if_contains("text") : nullptr;
  // a block with more than its text (annotations, _meta) is not reduced to it
  return type && *type == "text" && text && object->size() == 2 ? text->if_string() : nullptr;
}

/// Servers repeat what is structured as a text.
bool repeats(const json::value& block, const json::value& structured) {
  auto* text = text_of(block);
  if (!text || text->size() > msg::limits::child_error_bytes_max)
    return false;
  auto parsed = msg::document::parse(*text);
  return parsed.ok() && parsed.value.value() == structured;
}

/// The text of an error for people: all blocks, and what is structured if none of them says it. What would be longer
/// than child_error_bytes_max ends there.
std::string error_text(const json::value* content, const json::value* structured) {
  constexpr auto bytes_max = msg::limits::child_error_bytes_max;
  std::string out;
  bool is_missing = structured && !structured->is_null();
  if (auto* blocks = content ? content->if_array() : nullptr)
    for (auto& block : *blocks) {
      if (out.size() > bytes_max)
        break;
      auto* object = block.if_object();
      auto* text = object ? object->if_contains("text") : nullptr;
      out += out.empty() ? "" : "\n";
      out += text && text->is_string() ? text::quoted(text->get_string(), bytes_max + 1)
                                       : text::json_beginning(block, bytes_max + 1);
      is_missing = is_missing && !repeats(block, *structured);
    }
  if (is_missing && out.size() <= bytes_max)
    out += (out.empty() ? "" : "\n") + text::json_beginning(*structured, bytes_max + 1);
  out = text::excerpt(out, bytes_max);
  return out.empty() ? "the tool failed and did not say why" : out;
}

bool looks_structured(std::string_view text) {
  auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && (text[first] == '{' || text[first] == '[');
}

/// What would take more than a run may have stays text.
msg::outcome<msg::document> parse_bounded(std::string_view text) {
  if (text::parsed_size(text) > msg::limits::run_held_bytes_max)
    return msg::fault{msg::errc::limit_exceeded, "too large to be parsed"};
  return msg::document::parse(text);
}

msg::document text_value(const msg::document& result, const json::value& block, const json::string& text) {
  if (looks_structured(text))
    if (auto parsed = parse_bounded(text); parsed.ok())
      return std::move(parsed.value);
  return result.part(block.get_object().at("text"));
}

/// `application/json`, `application/geo+json; charset=utf-8`
bool is_json(std::string_view media_type) {
  auto name = media_type.substr(0, media_type.find_first_of("; "));
  return name.ends_with("/json") || name.ends_with("+json");
}

} // namespace

bool is_error(const msg::document& result) {
  auto* envelope = result.value().if_object();
  auto* said = envelope ? envelope->if_contains("isError") : nullptr;
  return said && !said->is_null() && *said != json::value(false);
}

std::string lost_beside_structured(const msg::document& result) {
  auto* envelope = result.value().if_object();
  auto* structured = envelope ? envelope->if_contains("structuredContent") : nullptr;
  auto* content = envelope ? envelope->if_contains("content") : nullptr;
  auto* blocks = content ? content->if_array() : nullptr;
  if (!blocks || !structured || structured->is_null() || is_error(result))
    return {};
  auto is_text = [](const json::value& block) {
    auto* object = block.if_object();
    auto* type = object ? object->if_contains("type") : nullptr;
    return type && *type == "text";
  };
  auto others = blocks->size() - static_cast<size_t>(std::count_if(blocks->begin(), blocks->end(), is_text));
  return others == 0
           ? ""
           : "sent " + std::to_string(others) + (others == 1 ? " block" : " blocks") + " that "
               + (others == 1 ? "is" : "are") + " no text beside its structuredContent, which is what a call returns";
}

msg::outcome<msg::document> unwrap(const msg::document& result) {
  auto& envelope = result.value().as_object();
  auto* content = envelope.if_contains("content");
  if (is_error(result)) {
    auto& said = envelope.at("isError");
    auto why = error_text(content, envelope.if_contains("structuredContent"));
    if (!said.is_bool())
      why += " (the server's \"isError\" is " + text::json_beginning(said, said_bytes_max)
             + ", which is neither true nor false, and counts as true)";
    return msg::fault{msg::errc::tool_failed, std::move(why)};
  }
  if (auto* structured = envelope.if_contains("structuredContent"); structured && !structured->is_null())
    return result.part(*structured);
  auto* blocks = content ? content->if_array() : nullptr;
  if (!blocks)
    return result; // no content at all: the envelope is all there is
  if (blocks->size() != 1)
    return result.part(*content);
  if (auto* text = text_of(blocks->front()))
    return text_value(result, blocks->front(), *text);
  return result.part(blocks->front());
}

msg::document unwrap_resource(const msg::document& result) {
  auto* object = result.value().if_object();
  auto* contents = object ? object->if_contains("contents") : nullptr;
  auto* list = contents ? contents->if_array() : nullptr;
  if (!list)
    return result;
  auto* only = list->size() == 1 ? list->front().if_object() : nullptr;
  if (!only)
    return result.part(*contents);
  auto* text = only->if_contains("text");
  if (!text || !text->is_string())
    return result.part(list->front());
  auto* type = only->if_contains("mimeType");
  if (type && type->is_string() && is_json(type->get_string()))
    if (auto parsed = parse_bounded(text->get_string()); parsed.ok())
      return std::move(parsed.value);
  return result.part(*text);
}

msg::outcome<msg::document> unwrap_answer(msg::child_method method, const msg::document& result) {
  if (method == msg::child_method::call_tool)
    return unwrap(result);
  return method == msg::child_method::read_resource ? unwrap_resource(result) : result;
}

} // namespace proxy
