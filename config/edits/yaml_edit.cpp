#include "config/edits/yaml_edit.hpp"

#include "config/edits/value_text.hpp"
#include "config/edits/yaml_outline.hpp"
#include "config/json_positions.hpp"
#include "text/utf8.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <iterator>

namespace edits {

namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t named_bytes_max = 100;

bool is_empty(const yaml_node& node, std::string_view text) {
  auto written = text.substr(node.begin, node.end - node.begin);
  return node.kind == yaml_kind::scalar ? written.empty() || written == "~" || written == "null"
                                        : node.members.empty() && node.style == yaml_style::flow;
}

size_t column_of(std::string_view text, size_t offset) { return offset - line_begin(text, offset); }

/// Where the line after it begins. A text in a block ends with its line.
size_t behind(std::string_view text, const yaml_node& node) {
  bool has_whole_line = node.end > node.begin && text[node.end - 1] == '\n';
  return has_whole_line ? node.end : next_line(text, node.end);
}

text_edit whole_lines(std::string_view text, size_t at, const std::string& lines) {
  bool is_behind_line = at == 0 || text[at - 1] == '\n';
  return {at, at, (is_behind_line ? "" : newline_of(text)) + lines};
}

fault not_a(std::string_view text, const yaml_node& node, std::string_view what, std::string_view kind) {
  return {errc::invalid_argument, config::position(text, node.begin)
                                    .append(": '")
                                    .append(text::quoted(what, named_bytes_max))
                                    .append("' must be ")
                                    .append(kind)};
}

/// In one line, between its brackets.
text_edits add_to_flow(std::string_view text, const yaml_node& to, const std::string& what) {
  if (to.members.empty())
    return {{to.begin + 1, to.end - 1, what}};
  auto at = to.members.back().value().end;
  bool has_comma = text.substr(at, to.end - 1 - at).find(',') != std::string_view::npos;
  return {{at, at, (has_comma ? "" : ", ") + what}};
}

/// `lines`: asked for them with their indentation.
template <class Lines>
text_edits add_to_block(std::string_view text, const yaml_node& to, const Lines& lines) {
  bool is_mapping = to.kind == yaml_kind::mapping;
  text_style style{newline_of(text),
                   std::string(column_of(text, is_mapping ? to.members.front().begin : to.begin), ' ')};
  return {whole_lines(text, behind(text, to), lines(style))};
}

/// Behind a key that has nothing, or `{}`, or `[]`.
template <class Lines>
text_edits fill(std::string_view text, const yaml_node::member& member, const Lines& lines) {
  auto& old = member.value();
  text_style style{newline_of(text), std::string(column_of(text, member.begin) + 2, ' ')};
  text_edits out;
  if (old.end > old.begin)
    out.push_back({text.substr(0, old.begin).find_last_not_of(" \t") + 1, old.end, ""});
  out.push_back(whole_lines(text, next_line(text, old.end), lines(style)));
  return out;
}

text_edits add_member(std::string_view text, const yaml_node& to, std::string_view key, const json::value& value) {
  if (to.style == yaml_style::flow) {
    auto flow = json_line(json::object{{key, value}});
    return add_to_flow(text, to, flow.substr(1, flow.size() - 2));
  }
  return add_to_block(text, to, [&](auto& style) { return yaml_member(key, value, style); });
}

json::value nested_part(key_path::const_iterator key, key_path::const_iterator end, json::value value) {
  return key == end ? std::move(value) : json::object{{*key, nested_part(std::next(key), end, std::move(value))}};
}

/// A list with the entry, or an object.
json::value container_with(const yaml_place& to, const json::object& entry) {
  return to.is_item ? json::value(json::array{entry}) : json::value(json::object{{to.name, entry}});
}

text_edits add_entry(std::string_view text, const yaml_place& to, const yaml_node& container,
                     const json::object& entry) {
  if (!to.is_item)
    return add_member(text, container, to.name, entry);
  if (container.style == yaml_style::flow)
    return add_to_flow(text, container, json_line(entry));
  return add_to_block(text, container, [&](auto& style) { return yaml_item(entry, style); });
}

/// Where the entries are, as far as they are there.
struct found_container {
  const yaml_node::member* member = nullptr;
  const yaml_node* node = nullptr; ///< null: there is none
};

found_container find_container(const yaml_node& root, const key_path& keys) {
  found_container out{nullptr, &root};
  for (auto& key : keys) {
    out.member = out.node ? out.node->find(key) : nullptr;
    out.node = out.member ? &out.member->value() : nullptr;
  }
  return out;
}

std::string scalar_of(std::string_view text, const yaml_node& node) {
  auto written = text.substr(node.begin, node.end - node.begin);
  if (written.size() >= 2 && (written.front() == '"' || written.front() == '\'') && written.back() == written.front())
    written = written.substr(1, written.size() - 2);
  return std::string{written};
}

/// Its place among the members; their number: there is none.
size_t index_of(std::string_view text, const yaml_node& container, const yaml_place& what) {
  auto is_meant = [&](const yaml_node::member& m) {
    auto* name = what.is_item ? m.value().find("name") : nullptr;
    return what.is_item ? name && scalar_of(text, name->value()) == what.name : m.key == what.name;
  };
  auto& members = container.members;
  return static_cast<size_t>(std::find_if(members.begin(), members.end(), is_meant) - members.begin());
}

text_edits remove_from_flow(const yaml_node& container, size_t index) {
  auto& members = container.members;
  auto& gone = members[index];
  if (index > 0)
    return {{members[index - 1].value().end, gone.value().end, ""}};
  if (members.size() > 1)
    return {{gone.begin, members[1].begin, ""}};
  return {{container.begin + 1, container.end - 1, ""}};
}

} // namespace

msg::outcome<text_edits> add_yaml(std::string_view text, const yaml_place& to, const json::object& entry) {
  auto root = yaml_outline(text);
  const yaml_node* at = &root;
  if (root.kind == yaml_kind::scalar && is_empty(root, text)) {
    auto value = nested_part(std::next(to.keys.begin()), to.keys.end(), container_with(to, entry));
    return text_edits{whole_lines(text, text.size(), yaml_member(to.keys.front(), value, {newline_of(text), ""}))};
  }
  for (auto key = to.keys.begin(); key != to.keys.end(); ++key) {
    if (at->kind != yaml_kind::mapping)
      return not_a(text, *at, key == to.keys.begin() ? "it" : *std::prev(key), "an object");
    auto rest = nested_part(std::next(key), to.keys.end(), container_with(to, entry));
    auto* member = at->find(*key);
    if (!member)
      return add_member(text, *at, *key, rest);
    if (is_empty(member->value(), text) && at->style == yaml_style::block)
      return fill(text, *member, [&](auto style) {
        if (auto* list = rest.if_array())
          return yaml_item(list->front().get_object(), style);
        auto& only = *rest.get_object().begin();
        return yaml_member(only.key(), only.value(), style);
      });
    at = &member->value();
  }
  if (at->kind != (to.is_item ? yaml_kind::sequence : yaml_kind::mapping))
    return not_a(text, *at, to.keys.back(), to.is_item ? "a list" : "an object");
  return add_entry(text, to, *at, entry);
}

msg::outcome<text_edits> set_yaml(std::string_view text, const yaml_place& of, std::string_view key,
                                  const json::value& value) {
  auto root = yaml_outline(text);
  auto* container = find_container(root, of.keys).node;
  auto index = container ? index_of(text, *container, of) : 0;
  if (!container || index == container->members.size() || container->members[index].value().kind != yaml_kind::mapping)
    return not_a(text, container ? *container : root, of.name, "an object");
  auto& entry = container->members[index].value();
  auto* member = entry.find(key);
  if (!member)
    return add_member(text, entry, key, value);
  auto& old = member->value();
  auto colon = std::min(text.find(':', member->key_end), text.size() - 1);
  auto line = json_line(value);
  bool has_line = text.substr(colon, old.begin - colon).find('\n') != std::string_view::npos || old.begin <= colon;
  bool ends_line = old.end > old.begin && text[old.end - 1] == '\n';
  return text_edits{{has_line ? colon + 1 : old.begin, std::max(old.end, colon + 1),
                     (has_line || old.begin == old.end ? " " : "") + line + (ends_line ? newline_of(text) : "")}};
}

msg::outcome<text_edits> remove_yaml(std::string_view text, const yaml_place& what) {
  auto root = yaml_outline(text);
  auto [member, container] = find_container(root, what.keys);
  auto index = container ? index_of(text, *container, what) : 0;
  if (!container || index == container->members.size())
    return text_edits{};
  if (container->style == yaml_style::flow)
    return remove_from_flow(*container, index);
  auto& gone = container->members[index];
  auto begin = gone.begin;
  if (container->kind == yaml_kind::sequence)
    begin = text.substr(0, begin).rfind('-');
  if (begin == text.npos || !is_first_of_line(text, begin))
    return fault{errc::invalid_argument, config::position(text, gone.begin) + ": '"
                                           + text::quoted(what.name, named_bytes_max)
                                           + "' begins in the line of another; it has to be removed by hand"};
  text_edits out;
  if (container->members.size() == 1 && member) {
    auto colon = text.find(':', member->key_end);
    out.push_back({colon + 1, colon + 1, container->kind == yaml_kind::sequence ? " []" : " {}"});
  }
  auto last = gone.value().end > gone.begin ? gone.value() : yaml_node{.begin = gone.begin, .end = gone.begin};
  out.push_back({line_begin(text, begin), behind(text, last), ""});
  return out;
}

} // namespace edits
