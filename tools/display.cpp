#include "tools/display.hpp"

#include "messages/json_text.hpp"
#include "messages/limits.hpp"
#include "tools/fit.hpp"

#include <boost/json/value.hpp>

namespace tools {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::block_kind;
using msg::session_state;

namespace {

json::object text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

json::object content_block(const msg::display_block& block) {
  if (block.kind == block_kind::json)
    return text_block(msg::to_text(fit_value(block.value.value(), limits::model_text_chars_max).value));
  auto& content = block.value.value().get_string();
  if (block.kind == block_kind::text) {
    msg::captured_text whole;
    whole.head = content;
    return text_block(fit_text(whole, limits::model_text_chars_max).text);
  }
  return {{"type", block.kind == block_kind::image ? "image" : "audio"}, {"data", content}, {"mimeType", block.mime_type}};
}

const char* state_name(session_state s) { return s == session_state::fresh ? "new" : s == session_state::kept ? "kept" : "lost"; }

} // namespace

json::array content_blocks(const std::vector<msg::display_block>& displayed) {
  json::array out;
  for (auto& block : displayed)
    out.push_back(content_block(block));
  return out;
}

json::object session_object(const msg::session_note& note) {
  json::object out{{"name", note.name}, {"state", state_name(note.state)}};
  if (!note.reason.empty())
    out["reason"] = note.reason;
  return out;
}

std::string session_line(const msg::session_note& note) {
  if (note.state == session_state::none)
    return {};
  return "[session " + note.name + ": " + state_name(note.state) + (note.reason.empty() ? "" : ", " + note.reason) + "]";
}

} // namespace tools
