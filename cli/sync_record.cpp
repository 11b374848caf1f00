#include "cli/sync_record.hpp"

#include "config/file_text.hpp"
#include "messages/document.hpp"
#include "setup/user_file.hpp"
#include "text/utf8.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <ctime>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

namespace json = boost::json;

namespace {

/// The year 9999: later times have no date of four digits.
constexpr int64_t time_s_max = 253'402'300'799;

std::string date_of(int64_t time_s, const char* form) {
  auto time = static_cast<time_t>(time_s);
  std::tm parts{};
  std::array<char, 32> out{};
  if (!::gmtime_r(&time, &parts))
    return {};
  return {out.data(), std::strftime(out.data(), out.size(), form, &parts)};
}

/// Of a number that is none, or no count: 0.
uint64_t kept_count(const json::object& in, std::string_view key) {
  auto* found = in.if_contains(key);
  auto* count = found ? found->if_int64() : nullptr;
  return count && *count > 0 ? static_cast<uint64_t>(*count) : 0;
}

std::string kept_text(const json::object& in, std::string_view key) {
  auto* found = in.if_contains(key);
  auto* text = found ? found->if_string() : nullptr;
  return text ? std::string{text->subview(0, sync_record_text_bytes_max)} : std::string{};
}

std::string shortened(const std::string& text) {
  return text::valid_utf8(std::string_view{text}.substr(0, sync_record_text_bytes_max));
}

} // namespace

std::string sync_record_path(const std::string& state_folder) { return state_folder + "/last-sync.json"; }

void keep_sync_record(const std::string& state_folder, const sync_record& record) {
  if (state_folder.empty())
    return;
  auto path = sync_record_path(state_folder);
  json::object doc{{"time", record.time_s},     {"folder", shortened(record.folder)}, {"added", record.added},
                   {"changed", record.changed}, {"removed", record.removed},          {"unchanged", record.unchanged}};
  if (!record.error.empty())
    doc["error"] = shortened(record.error);
  std::vector<std::string> made;
  [[maybe_unused]] auto lost =
    setup::replace_file(path, setup::read_user_file(path).content(), json::serialize(doc) + "\n", made);
}

std::optional<sync_record> read_sync_record(const std::string& state_folder) {
  if (state_folder.empty())
    return std::nullopt;
  auto file = config::read_file_text(sync_record_path(state_folder), sync_record_bytes_max);
  auto read =
    file.exists && file.error.code == msg::errc::none ? msg::document::parse(file.text) : msg::outcome<msg::document>{};
  auto* doc = read.ok() ? read.value.value().if_object() : nullptr;
  if (!doc)
    return std::nullopt;
  sync_record out;
  out.time_s = static_cast<int64_t>(kept_count(*doc, "time"));
  if (out.time_s == 0 || out.time_s > time_s_max)
    return std::nullopt;
  out.folder = kept_text(*doc, "folder");
  out.added = kept_count(*doc, "added");
  out.changed = kept_count(*doc, "changed");
  out.removed = kept_count(*doc, "removed");
  out.unchanged = kept_count(*doc, "unchanged");
  out.error = kept_text(*doc, "error");
  return out;
}

std::string told(const sync_record& record) {
  auto out = date_of(record.time_s, "%Y-%m-%d %H:%M UTC: ");
  bool has_changes = record.added + record.changed + record.removed > 0;
  if (has_changes || record.error.empty())
    out +=
      (has_changes ? std::to_string(record.added) + (record.added == 1 ? " file" : " files") + " added, "
                       + std::to_string(record.changed) + " changed, " + std::to_string(record.removed) + " removed"
                   : "nothing changed")
      + " in " + record.folder;
  if (!record.error.empty())
    out += (has_changes ? "; " : "") + record.error;
  return out;
}

json::object as_json(const sync_record& record) {
  json::object out{{"time", date_of(record.time_s, "%Y-%m-%dT%H:%M:%SZ")},
                   {"folder", record.folder},
                   {"added", record.added},
                   {"changed", record.changed},
                   {"removed", record.removed},
                   {"unchanged", record.unchanged}};
  if (!record.error.empty())
    out["error"] = record.error;
  return out;
}

} // namespace cli
