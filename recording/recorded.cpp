#include "recording/recorded.hpp"

#include "mcp/fields.hpp"
#include "text/json_text.hpp"
#include "text/nearest.hpp"
#include "text/printable.hpp"
#include "text/utf8.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace recording {

namespace json = boost::json;

namespace {

/// Questions that are compared with one that was never asked, and bytes that are shown of the nearest: 20 ms.
constexpr size_t compared_max = 1'000;
/// Bytes of lines that are parsed for one question that has no answer by its key.
constexpr size_t parsed_bytes_max = size_t{2} << 20;
/// Bytes of the name of a server.
constexpr size_t name_bytes_max = 200;
constexpr size_t shown_bytes_max = 500;

/// Bytes of a question that is looked for without what is redacted: redacting so much takes some milliseconds.
constexpr size_t shown_question_bytes_max = size_t{16} << 10;
/// Programs with values of their own in what is redacted, that have their answers in order each; others share that.
constexpr size_t askers_max = 1'000;
const std::string everybody;

std::string unmasked(std::string text) { return text; }

/// What is redacted already stays as it was.
void keep_marked(const json::value& real, json::value& shown) {
  auto* object = real.if_object();
  auto* list = real.if_array();
  if (object && shown.is_object() && shown.get_object().size() == object->size()) {
    auto beside = shown.get_object().begin();
    for (auto& [name, member] : *object)
      keep_marked(member, (beside++)->value());
  } else if (list && shown.is_array() && shown.get_array().size() == list->size()) {
    for (size_t i = 0; i < list->size(); ++i)
      keep_marked((*list)[i], shown.get_array()[i]);
  } else if (auto* text = real.if_string(); text && has_mark(*text) && shown != json::value(redacted_text)) {
    shown = real;
  }
}

/// As the recording would show it.
json::object as_shown(const json::object& params) {
  json::value given = params;
  auto shown = without_secrets(given, unmasked);
  keep_marked(given, shown);
  return std::move(shown.get_object());
}

json::object params_of(const json::object& line) {
  auto* params = mcp::object_in(&line, "params");
  return params ? *params : json::object{};
}

/// What a line is about.
struct line_head {
  std::string key, server, method;
  std::string tool; ///< of tools/call

  /// Where those are that it is compared with.
  std::string kind() const { return server + "\n" + method + "\n" + tool; }
  bool is_sound() const {
    return !server.empty() && !method.empty() && server.size() <= name_bytes_max && text::printable(server) == server;
  }
};

/// Takes `before`, and the text behind it up to the next quote. False: it is not there, or has an escape.
bool take_text(std::string_view& from, std::string_view before, std::string& to) {
  if (!from.starts_with(before))
    return false;
  from.remove_prefix(before.size());
  auto end = from.find('"');
  if (end == from.npos || from.substr(0, end).find('\\') != from.npos)
    return false;
  to = from.substr(0, end);
  from.remove_prefix(end);
  return true;
}

std::optional<line_head> written_head(std::string_view line) {
  line_head out;
  bool is_ours = line.ends_with('}') && take_text(line, R"({"key":")", out.key)
                 && take_text(line, R"(","server":")", out.server) && take_text(line, R"(","method":")", out.method);
  if (is_ours && out.method == "tools/call")
    is_ours = take_text(line, R"(","params":{"name":")", out.tool);
  return is_ours && out.is_sound() ? std::optional{std::move(out)} : std::nullopt;
}

std::optional<line_head> parsed_head(const json::object& line, std::string_view salt) {
  line_head out{std::string{mcp::string_or(line, "key")},
                std::string{mcp::string_or(line, "server")},
                std::string{mcp::string_or(line, "method")},
                {}};
  if (out.method == "tools/call")
    out.tool = mcp::string_in(mcp::object_in(&line, "params"), "name");
  if (!out.is_sound())
    return std::nullopt;
  if (out.key.empty())
    out.key = key_of({out.server, out.method, params_of(line)}, salt);
  return out;
}

/// A line that is none of an exchange, and not replayed.
bool is_told_besides(const json::object& line) {
  return line.contains("notification") || line.contains("fault") || line.contains("obeyed");
}

msg::fault unreadable(const std::string& path, std::string why) {
  return {msg::errc::invalid_argument, path + " is no recording that can be read: " + std::move(why)};
}

/// How much two texts have in common, roughly: 0 is the same.
size_t distance(std::string_view a, std::string_view b) {
  constexpr size_t compared_bytes = 128;
  return text::edit_distance(a.substr(0, compared_bytes), b.substr(0, compared_bytes), compared_bytes)
         + (a.size() > b.size() ? a.size() - b.size() : b.size() - a.size());
}

} // namespace

msg::outcome<std::string> read_head(std::string_view line) {
  auto parsed = msg::document::parse(line);
  auto* head = parsed.ok() ? parsed.value.value().if_object() : nullptr;
  auto* version = head ? head->if_contains("recording") : nullptr;
  if (!version || !version->is_int64())
    return msg::fault{msg::errc::invalid_argument, "its first line is not that of a recording"};
  if (version->get_int64() != format_version)
    return msg::fault{msg::errc::invalid_argument, "it is of version " + std::to_string(version->get_int64())
                                                     + " of the format, and this program knows "
                                                     + std::to_string(format_version)};
  return std::string{mcp::string_in(head, "salt")};
}

std::string first_line(std::string_view salt) {
  return msg::document{json::object{{"recording", format_version},
                                    {"program", "code-executor " CODE_EXECUTOR_VERSION},
                                    {"salt", salt}}}
           .text()
         + "\n";
}

const json::value* recorded_answer::member(std::string_view name) const {
  auto* object = line.value().if_object();
  return object ? object->if_contains(name) : nullptr;
}

std::string recorded_answer::lost() const { return std::string{mcp::string_in(line.value().if_object(), "lost")}; }

std::chrono::microseconds recorded_answer::took() const {
  auto* ms = member("ms");
  json::error_code ec;
  auto value = ms ? ms->to_number<double>(ec) : 0.0;
  return std::chrono::microseconds{ec || !(value >= 0) ? 0 : static_cast<int64_t>(std::min(value, 3.6e6) * 1'000)};
}

msg::outcome<recorded> recorded::read(const std::string& path) {
  auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return unreadable(path, std::strerror(errno));
  struct stat found {};
  recorded out;
  auto problem = ::fstat(fd, &found) != 0                   ? std::string{std::strerror(errno)}
                 : !S_ISREG(found.st_mode)                  ? std::string{"it is no file"}
                 : found.st_size == 0                       ? std::string{"it is empty"}
                 : uint64_t(found.st_size) > file_bytes_max ? std::string{"it has more than 2 GiB"}
                                                            : std::string{};
  if (problem.empty()) {
    out.text_.resize(static_cast<size_t>(found.st_size));
    size_t got = 0;
    for (ssize_t n = 1; n > 0 && got < out.text_.size(); got += static_cast<size_t>(std::max<ssize_t>(n, 0)))
      n = ::read(fd, out.text_.data() + got, out.text_.size() - got);
    out.text_.resize(got);
  }
  ::close(fd);
  if (!problem.empty())
    return unreadable(path, std::move(problem));
  auto salt = read_head(std::string_view{out.text_}.substr(0, out.text_.find('\n')));
  if (!salt.ok())
    return unreadable(path, std::move(salt.error.message));
  out.salt_ = std::move(salt.value);
  out.index();
  return out;
}

std::vector<std::string> recorded::gaps() const {
  std::vector<std::string> out;
  if (broken_ > 0)
    out.push_back(
      std::to_string(broken_)
      + " lines of the recording make no sense, and are left out; the last one of a process that was killed "
        "often does not");
  if (lost_ > 0)
    out.push_back(std::to_string(lost_)
                  + " lines of the recording are missing: they could not be written, as the disk was too slow or full");
  return out;
}

void recorded::index() {
  size_t at = std::min(text_.find('\n'), text_.size() - 1) + 1;
  while (at < text_.size()) {
    auto end = text_.find('\n', at);
    if (end == std::string::npos) { // it was being written
      ++broken_;
      return;
    }
    if (end > at)
      index_line({at, end - at});
    at = end + 1;
  }
}

/// As this program has written it: it is parsed when it is needed. What a person has changed is parsed at once.
void recorded::index_line(place where) {
  auto line = text_at(where);
  auto head = written_head(line);
  if (!head) {
    auto parsed = msg::document::parse(line);
    auto* object = parsed.ok() ? parsed.value.value().if_object() : nullptr;
    head = object ? parsed_head(*object, salt_) : std::nullopt;
    auto* lost = object ? object->if_contains("lostLines") : nullptr;
    lost_ += lost && lost->is_int64() ? static_cast<uint64_t>(std::max<int64_t>(lost->get_int64(), 0)) : 0;
    broken_ += head || lost || (object && is_told_besides(*object)) ? 0 : 1;
  }
  if (!head)
    return;
  servers_.insert(head->server);
  by_key_[head->key].places.push_back(places_.size());
  by_kind_[head->kind()].push_back(places_.size());
  places_.push_back(where);
}

msg::document recorded::line_at(const place& where, msg::spelling text_is) const {
  return msg::document::parse(text_at(where), text_is).value;
}

std::optional<recorded_answer> recorded::answer_at(const place& where, msg::spelling text_is) const {
  if (where.bytes > parsed_here_bytes_max)
    return recorded_answer{{}, text_at(where)};
  auto line = line_at(where, text_is);
  return line.value().is_object() ? std::optional{recorded_answer{std::move(line)}} : std::nullopt;
}

std::optional<recorded_answer> recorded::next_of(answers& of, msg::spelling text_is) {
  size_t bytes = 0;
  while (of.next < of.places.size() && bytes < parsed_bytes_max) {
    auto number = of.places[of.next++];
    bytes += places_[number].bytes;
    if (auto found = answer_at(places_[number], text_is)) {
      of.last = number;
      return found;
    }
    ++broken_; // it only looked like one of ours
  }
  return of.last ? answer_at(places_[*of.last], text_is) : std::nullopt;
}

std::string recorded::key_in(const json::object& line) const {
  auto head = parsed_head(line, salt_);
  return head ? std::move(head->key) : std::string{};
}

const std::vector<size_t>& recorded::asked_of(const question& asked) const {
  static const std::vector<size_t> none;
  auto found = by_kind_.find(line_head{{}, asked.server, asked.method, asked.tool()}.kind());
  return found == by_kind_.end() ? none : found->second;
}

bool recorded::index_without_secrets(const question& asked, const std::vector<size_t>& places) {
  size_t bytes = 0;
  bool has_any = false;
  for (auto number : places) {
    auto& where = places_[number];
    if (!has_mark(text_at(where)))
      continue;
    if (bytes += where.bytes; bytes > parsed_bytes_max)
      break;
    auto line = line_at(where);
    auto* object = line.value().if_object();
    auto params = object ? params_of(*object) : json::object{};
    if (!has_mark(text::to_text(json::value(params))))
      continue;
    shown_question one{number, false, {}};
    if (auto* digests = object->if_contains("redacted"); digests && digests->is_array()) {
      one.tells = true;
      for (auto& digest : digests->get_array())
        one.digests.emplace_back(digest.is_string() ? std::string{digest.get_string()} : std::string{});
      std::sort(one.digests.begin(), one.digests.end());
    }
    by_shown_[key_of({asked.server, asked.method, std::move(params)}, {})].all.push_back(std::move(one));
    has_any = true;
  }
  return has_any;
}

bool recorded::shown_question::may_be(const std::vector<std::string>& redacted) const {
  return !tells || std::includes(digests.begin(), digests.end(), redacted.begin(), redacted.end());
}

const recorded::shown_question* recorded::shown_questions::next_of(const std::string& who,
                                                                   const std::vector<std::string>& redacted) {
  bool has_own = all.front().tells && (next.size() < askers_max || next.contains(who));
  auto& asker = has_own ? who : everybody;
  auto known = next.find(asker);
  auto is_it = [&](auto& one) { return one.may_be(redacted); };
  auto begin = all.begin() + static_cast<std::ptrdiff_t>(known == next.end() ? 0 : known->second);
  if (auto found = std::find_if(begin, all.end(), is_it); found != all.end()) {
    next[asker] = static_cast<size_t>(found - all.begin()) + 1;
    return &*found;
  }
  auto last = std::find_if(std::make_reverse_iterator(begin), all.rend(), is_it);
  return last == all.rend() ? nullptr : &*last;
}

std::optional<size_t> recorded::place_by_shown(const question& asked) {
  auto& places = asked_of(asked);
  if (places.empty() || msg::document::text_bytes_of(asked.params) > shown_question_bytes_max)
    return std::nullopt;
  auto [of_kind, is_new] = shown_of_.try_emplace(line_head{{}, asked.server, asked.method, asked.tool()}.kind());
  if (is_new)
    of_kind->second = index_without_secrets(asked, places);
  if (!of_kind->second)
    return std::nullopt;
  json::value shown = as_shown(asked.params);
  auto alike = by_shown_.find(key_of({asked.server, asked.method, shown.get_object()}, {}));
  if (alike == by_shown_.end())
    return std::nullopt;
  std::vector<std::string> redacted; // what a program has in such a place by itself
  std::string path;
  for_each_leaf(asked.params, shown, path, [&](const std::string& at, const json::value& real, const json::value& one) {
    if (real != one)
      redacted.push_back(digest_of(at, real, salt_));
  });
  std::sort(redacted.begin(), redacted.end());
  auto* found = alike->second.next_of(redacted.empty() ? everybody : key_of(asked, salt_), redacted);
  if (found && !found->tells && !redacted.empty() && !std::exchange(has_told_, true))
    spdlog::warn("the recording does not tell what was redacted in it: calls that differ only in that have the same "
                 "answers; record it anew");
  return found ? std::optional{found->place} : std::nullopt;
}

std::optional<recorded_answer> recorded::answer(const question& asked, msg::spelling text_is) {
  if (auto found = by_key_.find(key_of(asked, salt_)); found != by_key_.end())
    return next_of(found->second, text_is);
  auto& places = asked_of(asked);
  bool is_opening = asked.method == "initialize" || asked.method == "server/discover";
  if (is_opening && !places.empty()) // who asks may be another one today
    if (auto first = answer_at(places_[places.front()], text_is))
      return first;
  auto found = place_by_shown(asked);
  return found ? answer_at(places_[*found], text_is) : std::nullopt;
}

std::string recorded::nearest(const question& asked) const {
  auto wanted = text::to_text(json::value(asked.params));
  std::string best;
  size_t compared = 0, bytes = 0, best_distance = 0;
  for (auto number : asked_of(asked)) {
    if (bytes += places_[number].bytes; bytes > parsed_bytes_max || compared++ == compared_max)
      break;
    auto line = line_at(places_[number]);
    auto params = line.value().is_object() ? params_of(line.value().get_object()) : json::object{};
    auto text = text::to_text(json::value(params));
    auto how_far = distance(wanted, text);
    if (best.empty() || how_far < best_distance) {
      best = std::move(text);
      best_distance = how_far;
    }
  }
  return text::quoted(best, shown_bytes_max);
}

} // namespace recording
