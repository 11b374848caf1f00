#include "config/file_look.hpp"

#include "config/file_text.hpp"
#include "config/possible_words.hpp"
#include "config/yaml_text.hpp"
#include "text/json_parse.hpp"

#include <algorithm>
#include <cstdint>

namespace config {

namespace fs = std::filesystem;
using process::path_end, process::path_kind;

namespace {

/// Of a script's first line; Linux reads no more (BINPRM_BUF_SIZE).
constexpr size_t first_line_max = 256;
constexpr const char* nothing_left = "is beyond what is read of such files all together";

std::string larger_than(size_t bytes) {
  bool is_round = bytes % (1u << 20) == 0;
  return "is larger than " + (is_round ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes >> 10) + " KiB");
}

/// Then programs may understand what we refuse. Brackets in texts are counted, too.
bool may_be_nested_deeper(std::string_view json) {
  size_t depth = 0, deepest = 0;
  for (char c : json) {
    depth += c == '[' || c == '{' ? 1 : 0;
    depth -= depth > 0 && (c == ']' || c == '}') ? 1 : 0;
    deepest = std::max(deepest, depth);
  }
  return deepest > text::json_depth_max;
}

} // namespace

path_end file_look::end_of(std::string_view path) {
  auto steps = std::max<size_t>(1, static_cast<size_t>(std::count(path.begin(), path.end(), '/')));
  auto is_affordable = steps <= steps_left_ && steps <= asked_steps_left_;
  steps_left_ -= std::min(steps, steps_left_);
  asked_steps_left_ -= std::min(steps, asked_steps_left_);
  auto end = is_affordable ? walk_.end_of(path) : path_end{path_kind::unknown, {}};
  is_lost_ = is_lost_ || end.kind == path_kind::unknown;
  return end;
}

const boost::json::value& file_look::json_in(const fs::path& file) {
  return open(json_, file, &file_look::read_json).value;
}

const boost::json::value& file_look::yaml_in(const fs::path& file) {
  return open(yaml_, file, &file_look::read_yaml).value;
}

const std::string& file_look::text_in(const fs::path& file) { return open(texts_, file, &file_look::read_text).text; }

const std::vector<std::string>& file_look::interpreter_in(const fs::path& file) {
  return open(interpreters_, file, &file_look::read_interpreter).words;
}

void file_look::begin_entry() {
  steps_left_ = entry_steps_max;
  is_lost_ = false;
  unread_.clear();
}

void file_look::leave_out(const fs::path& file, const std::string& why) {
  if (unread_.size() < unread_files_max)
    unread_.try_emplace(file.string(), why);
  else
    is_lost_ = is_lost_ || !unread_.contains(file.string());
}

bool file_look::is_unknown(const std::string& path) {
  auto [known, is_new] = unknown_.try_emplace(path);
  if (is_new)
    known->second = config::is_unknown(path);
  return known->second;
}

file_look::content& file_look::open(contents& in, const fs::path& file,
                                    void (file_look::*read)(const std::string&, content&)) {
  auto end = end_of(file.string());
  if (end.kind != path_kind::file)
    return nothing_;
  auto [found, is_new] = in.try_emplace(end.real);
  if (is_new)
    (this->*read)(end.real, found->second);
  if (auto& why = found->second.why_unread; !why.empty())
    leave_out(file, why);
  return found->second;
}

bool file_look::pay(size_t cost) {
  bool is_affordable = cost <= cost_left_;
  cost_left_ -= std::min(cost, cost_left_);
  return is_affordable;
}

std::string file_look::read(const std::string& path, size_t bytes_max, size_t byte_cost, content& to) {
  if (!pay(file_cost_min)) {
    to.why_unread = nothing_left;
    return {};
  }
  auto file = read_file_text(path, std::min(bytes_max, cost_left_ / byte_cost));
  if (file.error.code == msg::errc::limit_exceeded)
    to.why_unread = std::max<uint64_t>(file.size, file.read_bytes) > bytes_max ? larger_than(bytes_max) : nothing_left;
  pay(file.read_bytes * byte_cost);
  return std::move(file.text);
}

void file_look::read_json(const std::string& path, content& to) {
  auto text = read(path, package_bytes_max, 1, to);
  if (text.empty() || text::parse_json(text, text::json_dialect::edited, to.value).what.empty())
    return;
  to.value = nullptr;
  if (may_be_nested_deeper(text))
    to.why_unread = "is nested deeper than what is read here";
}

void file_look::read_yaml(const std::string& path, content& to) {
  auto text = read(path, typed_bytes_max, yaml_byte_cost, to);
  json_positions positions;
  if (text.empty()
      || (parse_yaml(text, to.value, positions).what.empty() && (to.value.is_object() || to.value.is_null())))
    return;
  to.value = nullptr;
  to.why_unread = "is no YAML that is read here";
}

void file_look::read_text(const std::string& path, content& to) { to.text = read(path, typed_bytes_max, 1, to); }

void file_look::read_interpreter(const std::string& path, content& to) {
  if (!pay(file_cost_min)) {
    to.why_unread = nothing_left;
    return;
  }
  auto line = read_file_start(path, first_line_max);
  line.resize(std::min(line.find('\n'), line.size()));
  if (line.starts_with("#!"))
    to.words = pieces_of(std::string_view{line}.substr(2));
}

std::vector<fs::path> ways_to(const fs::path& path, file_look& look) {
  auto normal = path.lexically_normal();
  bool goes_up = std::find(path.begin(), path.end(), "..") != path.end();
  auto real = goes_up ? look.end_of(path.string()).real : std::string{};
  if (real.empty() || real == look.end_of(normal.string()).real)
    return {normal};
  return {normal, path};
}

bool is_unknown(const std::string& path) { return process::path_walk{}.kind_of(path) == path_kind::unknown; }

std::string repository_above(std::filesystem::path folder, file_look& look) {
  for (; folder.has_relative_path(); folder = folder.parent_path())
    if (look.kind_of((folder / ".git").string()) != process::path_kind::nothing)
      return folder.string();
  return {};
}

} // namespace config
