#include "config/edits/yaml_outline.hpp"

#include <yaml.h>

#include <algorithm>
#include <new>
#include <utility>

namespace edits {

namespace {

class outliner {
public:
  explicit outliner(std::string_view text) : text_(text) {
    if (yaml_parser_initialize(&parser_) == 0)
      throw std::bad_alloc{};
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    bool is_ascii =
      std::all_of(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0x80U) == 0; });
    for (size_t i = 0; !is_ascii && i < text.size(); ++i)
      if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80)
        characters_.push_back(i);
  }
  outliner(const outliner&) = delete;
  outliner& operator=(const outliner&) = delete;
  ~outliner() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }

  yaml_node document() {
    while (next())
      if (event_.type == YAML_SCALAR_EVENT || event_.type == YAML_ALIAS_EVENT || is_start())
        return node();
    yaml_node empty;
    empty.begin = empty.end = text_.size();
    return empty;
  }

private:
  bool next() {
    yaml_event_delete(&event_);
    event_ = {};
    return yaml_parser_parse(&parser_, &event_) != 0 && event_.type != YAML_STREAM_END_EVENT;
  }

  bool is_start() const { return event_.type == YAML_MAPPING_START_EVENT || event_.type == YAML_SEQUENCE_START_EVENT; }
  bool is_end() const { return event_.type == YAML_MAPPING_END_EVENT || event_.type == YAML_SEQUENCE_END_EVENT; }

  size_t offset(const yaml_mark_t& mark) const {
    if (characters_.empty())
      return std::min(mark.index, text_.size());
    return mark.index < characters_.size() ? characters_[mark.index] : text_.size();
  }

  std::string scalar_text() const {
    if (event_.type != YAML_SCALAR_EVENT)
      return {};
    return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
  }

  /// Of the event that was read last, with all that belongs to it.
  yaml_node node() {
    yaml_node out;
    out.begin = offset(event_.start_mark);
    out.end = offset(event_.end_mark);
    if (!is_start())
      return out;
    bool is_mapping = event_.type == YAML_MAPPING_START_EVENT;
    bool is_flow = is_mapping ? event_.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE
                              : event_.data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
    out.kind = is_mapping ? yaml_kind::mapping : yaml_kind::sequence;
    out.style = is_flow ? yaml_style::flow : yaml_style::block;
    while (next() && !is_end()) {
      yaml_node::member member;
      member.begin = offset(event_.start_mark);
      if (is_mapping) {
        member.key = scalar_text();
        out.end = member.key_end = offset(event_.end_mark);
        if (!next())
          break;
      }
      member.holds.push_back(node());
      out.end = std::max(out.end, member.value().end);
      out.members.push_back(std::move(member));
    }
    if (is_flow)
      out.end = offset(event_.end_mark);
    return out;
  }

  std::string_view text_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  std::vector<size_t> characters_; ///< where each begins; empty: each is a byte
};

} // namespace

const yaml_node::member* yaml_node::find(std::string_view key) const {
  auto found = std::find_if(members.begin(), members.end(), [&](auto& m) { return m.key == key; });
  return kind != yaml_kind::mapping || found == members.end() ? nullptr : &*found;
}

yaml_node yaml_outline(std::string_view text) { return outliner{text}.document(); }

} // namespace edits
