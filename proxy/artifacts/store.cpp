#include "proxy/artifacts/store.hpp"

#include "messages/limits.hpp"
#include "proxy/artifacts/folder.hpp"
#include "proxy/artifacts/handle.hpp"
#include "proxy/artifacts/part.hpp"
#include "proxy/artifacts/resource.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>

namespace artifacts {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t shown_handle_bytes_max = 40;
/// What surrounds an answer in its frame.
constexpr size_t frame_head_bytes_max = 1'000;

int64_t ns(std::chrono::nanoseconds duration) { return duration.count(); }

/// All that there is of it, as UTF-8.
std::string text_of(const msg::captured_text& text) {
  auto out = text::valid_utf8(text.head);
  if (text.dropped_bytes > 0)
    out += "\n\n[... " + std::to_string(text.dropped_bytes) + " bytes were not kept: a run holds "
           + std::to_string(limits::output_held_bytes_max >> 20) + " MiB ...]\n\n";
  return out + text::valid_utf8(text.tail);
}

bool is_text(const msg::large_artifact& large) {
  return large.part == msg::artifact_part::output || large.part == msg::artifact_part::diagnostics
         || large.value.value().is_string();
}

std::string content(const msg::large_artifact& large) {
  if (auto* text = large.value.value().if_string())
    return std::string{*text};
  return is_text(large) ? text_of(large.text) : large.value.text();
}

fault unknown(const std::string& handle) {
  if (!is_handle(handle))
    return {errc::unknown_handle, "'" + text::quoted(handle, shown_handle_bytes_max)
                                    + "' is no handle of an output; they look like out_abcdefghij"};
  return {errc::unknown_handle,
          "no output '" + text::quoted(handle, shown_handle_bytes_max)
            + "' is kept: it has expired, made room for later ones, or never was; run the program again that gave it"};
}

msg::kept_artifact described(const file_info& file) {
  return {file.handle, {}, 0, file.bytes, file.is_json, file.expires_ns / ns_per_s};
}

bool ends_first(const file_info& a, const file_info& b) { return a.expires_ns < b.expires_ns; }

} // namespace

std::function<std::chrono::system_clock::time_point()> time_since(std::chrono::system_clock::time_point begin) {
  return [begin, from = std::chrono::steady_clock::now()] {
    return begin
           + std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::steady_clock::now() - from);
  };
}

store::store(store_options options) : options_(std::move(options)), folder_(options_.folder) {}

int64_t store::now_ns() const { return ns(options_.now().time_since_epoch()); }

msg::outcome<msg::artifact_answer> store::run(const msg::artifact_request& request) {
  switch (request.operation) {
    case msg::artifact_operation::keep: return keep(request.large);
    case msg::artifact_operation::list: return list(request.owner);
    case msg::artifact_operation::read:
    case msg::artifact_operation::fetch: break;
  }
  if (!is_handle_of(request.query.handle, request.owner))
    return unknown(request.query.handle);
  return request.operation == msg::artifact_operation::read ? read(request.query) : fetch(request.query.handle);
}

void store::sweep() {
  living_files();
  folder_.remove_unfinished(now_ns());
}

/// The others are removed.
std::vector<file_info> store::living_files() {
  auto files = folder_.files();
  std::erase_if(files, [&](auto& file) {
    bool is_over = file.expires_ns <= now_ns();
    if (is_over)
      folder_.remove(file);
    return is_over;
  });
  return files;
}

store::kept_files store::look() {
  auto living = living_files();
  std::sort(living.begin(), living.end(), ends_first);
  kept_files out;
  for (auto& file : living)
    out.add(std::move(file));
  return out;
}

void store::kept_files::add(file_info file) {
  bytes_ += file.bytes;
  auto& its = owners_[std::string{owner_of(file.handle)}];
  its.bytes += file.bytes;
  its.by_end.push_back(std::move(file));
}

std::optional<file_info> store::kept_files::take_for(const file_info& next) {
  auto has = [&](auto& owner) { return owner.second.bytes + (owner.first == owner_of(next.handle) ? next.bytes : 0); };
  auto most = std::max_element(owners_.begin(), owners_.end(), [&](auto& a, auto& b) { return has(a) < has(b); });
  if (most == owners_.end())
    return std::nullopt;
  auto& its = most->second;
  auto out = std::move(its.by_end.front());
  its.by_end.pop_front();
  its.bytes -= out.bytes;
  bytes_ -= out.bytes;
  if (its.by_end.empty())
    owners_.erase(most);
  return out;
}

/// For what has no room at all, nothing is removed.
bool store::make_room(kept_files& in, const file_info& next) const {
  if (next.bytes > options_.bytes_max)
    return false;
  while (in.bytes() + next.bytes > options_.bytes_max) {
    auto gone = in.take_for(next);
    if (!gone)
      return false;
    folder_.remove(*gone);
  }
  return true;
}

msg::outcome<msg::artifact_answer> store::keep(const std::vector<msg::large_artifact>& large) {
  msg::artifact_answer answer;
  fault problem;
  auto there = look(); // once: a folder may have thousands
  for (auto& each : large) {
    auto kept = keep_one(each, there);
    if (kept.ok())
      answer.kept.push_back(std::move(kept.value));
    else
      problem = std::move(kept.error);
  }
  if (answer.kept.empty() && problem.code != errc::none)
    return problem;
  return answer;
}

msg::outcome<msg::kept_artifact> store::keep_one(const msg::large_artifact& large, kept_files& there) {
  auto text = content(large);
  file_info file{large.handle, !is_text(large), text.size(), now_ns() + ns(options_.ttl)};
  if (!is_handle(file.handle))
    return fault{errc::internal, "the system gave no random bytes for its name"};
  if (!make_room(there, file))
    return fault{errc::limit_exceeded, "it has " + std::to_string(text.size())
                                         + " bytes; all outputs together may have "
                                         + std::to_string(options_.bytes_max >> 20) + " MiB (outputs.maxMb)"};
  if (auto problem = folder_.write(file, text); problem.code != errc::none)
    return problem;
  own_.push_front(file.handle);
  own_.resize(std::min(own_.size(), limits::outputs_listed_max));
  there.add(file);
  return msg::kept_artifact{file.handle, large.part, large.index, file.bytes, file.is_json, file.expires_ns / ns_per_s};
}

void store::forget() { parsed_.clear(); }

/// The one read now always stays.
void store::remember(const std::string& handle, const msg::document& value) {
  parsed_.emplace_front(handle, value);
  uint64_t bytes = 0;
  for (auto& [name, document] : parsed_)
    bytes += document.held_bytes();
  while (parsed_.size() > 1
         && (bytes > limits::outputs_parsed_bytes_max || parsed_.size() > limits::outputs_parsed_max)) {
    bytes -= parsed_.back().second.held_bytes();
    parsed_.pop_back();
  }
}

/// Whether it is there and alive.
bool store::find(const std::string& handle, file_info& file) const {
  file.handle = handle;
  for (bool is_json : {true, false}) {
    file.is_json = is_json;
    if (is_handle(handle) && folder_.find(file))
      return file.expires_ns > now_ns();
  }
  return false;
}

msg::outcome<std::string> store::content_of(const file_info& file) const {
  auto content = folder_.read(file);
  return content.error.code == errc::unknown_handle ? msg::outcome<std::string>{unknown(file.handle)} : content;
}

msg::outcome<msg::document> store::value_of(const file_info& file) {
  auto known = std::find_if(parsed_.begin(), parsed_.end(), [&](auto& p) { return p.first == file.handle; });
  if (known != parsed_.end()) {
    std::rotate(parsed_.begin(), known, std::next(known));
    return parsed_.front().second;
  }
  auto content = content_of(file);
  if (!content.ok())
    return std::move(content.error);
  auto parsed = file.is_json ? msg::document::parse(content.value)
                             : msg::outcome<msg::document>{msg::document{json::value(json::string{content.value})}};
  if (!parsed.ok())
    return fault{errc::internal, "output '" + file.handle + "' is damaged: " + parsed.error.message};
  remember(file.handle, parsed.value);
  return parsed;
}

msg::outcome<msg::artifact_answer> store::read(const msg::artifact_query& query) {
  file_info file;
  if (!find(query.handle, file))
    return unknown(query.handle);
  auto whole = value_of(file);
  if (!whole.ok())
    return std::move(whole.error);
  auto answer = part(whole.value, query);
  if (!answer.ok())
    return std::move(answer.error);
  // Six times: every byte escaped.
  bool may_be_too_large = answer.value.text_bytes() > limits::frame_bytes_max / 6 - frame_head_bytes_max;
  if (may_be_too_large && answer.value.text().size() > limits::frame_bytes_max - frame_head_bytes_max)
    return fault{errc::limit_exceeded, "that part of '" + query.handle + "' is larger than a message of "
                                         + std::to_string(limits::frame_bytes_max >> 20)
                                         + " MiB; read it by parts, with path, offset and limit"};
  return msg::artifact_answer{{described(file)}, std::move(answer.value)};
}

msg::outcome<msg::artifact_answer> store::fetch(const std::string& handle) {
  file_info file;
  if (!find(handle, file))
    return unknown(handle);
  auto content = content_of(file);
  if (!content.ok())
    return std::move(content.error);
  auto result = contents(uri_of(handle), media_type(file.is_json), content.value);
  return msg::artifact_answer{{described(file)}, msg::document{json::value(std::move(result))}};
}

/// Other servers that use the folder may work in other projects: who has a handle may read, but no client is told those
/// of others.
msg::artifact_answer store::list(std::string_view owner) {
  auto files = living_files();
  std::erase_if(files, [&](auto& file) {
    return !is_handle_of(file.handle, owner) || std::find(own_.begin(), own_.end(), file.handle) == own_.end();
  });
  std::sort(files.begin(), files.end(), [](auto& a, auto& b) { return ends_first(b, a); });
  msg::artifact_answer answer;
  for (auto& file : files)
    answer.kept.push_back(described(file));
  return answer;
}

} // namespace artifacts
