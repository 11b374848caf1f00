#include "proxy/surface/display.hpp"

#include "text/json_text.hpp"
#include "text/printable.hpp"

#include <boost/json/value.hpp>

namespace surface {

namespace json = boost::json;
using msg::block_kind;
using msg::session_state;

namespace {

json::object text_block(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

json::object content_block(const msg::display_block& block, const kept_artifacts& kept, uint32_t index) {
  auto& content = block.value.value();
  if (block.kind != block_kind::json && block.kind != block_kind::text)
    return {
      {"type", block.kind == block_kind::image ? "image" : "audio"}, {"data", content}, {"mimeType", block.mime_type}};
  auto shown = show_value(content, kept, msg::artifact_part::display, index);
  if (shown.text.empty())
    shown.text = block.kind == block_kind::text ? std::string{shown.value.as_string()} : text::to_text(shown.value);
  if (shown.cut_bytes > 0)
    shown.text += "\n" + left_out_line("displayed", shown.cut_bytes, kept, msg::artifact_part::display, index);
  return text_block(text::without_escape_sequences(shown.text));
}

const char* state_name(session_state s) {
  return s == session_state::fresh ? "new" : s == session_state::kept ? "kept" : "lost";
}

} // namespace

json::array content_blocks(const std::vector<msg::display_block>& displayed, const kept_artifacts& kept) {
  json::array out;
  for (uint32_t i = 0; i < displayed.size(); ++i)
    out.push_back(content_block(displayed[i], kept, i));
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
  return "[session " + note.name + ": " + state_name(note.state) + (note.reason.empty() ? "" : ", " + note.reason)
         + "]";
}

} // namespace surface
