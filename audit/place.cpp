#include "audit/place.hpp"

#include "audit/line.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

namespace audit {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view day_pattern = "audit-0000-00-00.jsonl";
constexpr std::string_view later_pattern = "audit-0000-00-00_00.jsonl";
constexpr std::string_view date_pattern = "0000-00-00";
constexpr std::string_view ending = ".jsonl";
constexpr int later_min = 2, later_max = 99;
constexpr std::chrono::hours day{24};
/// Of the files, one in `expired_share` expires at once, or `expired_min`: with a file a day that is more than come
/// anew, and a clock that is wrong for days does not cost the record.
constexpr size_t expired_share = 8, expired_min = 2;
/// The program is younger.
constexpr std::chrono::sys_days first_day = std::chrono::year{2025} / 11 / 1;

/// Of a day file; nothing: there is no such day.
std::optional<std::chrono::sys_days> day_of(const std::string& name) {
  auto number = [&](size_t at, size_t size) { return std::stoi(name.substr(at, size)); };
  auto at = day_pattern.find('0');
  std::chrono::year_month_day found{std::chrono::year{number(at, 4)},
                                    std::chrono::month{static_cast<unsigned>(number(at + 5, 2))},
                                    std::chrono::day{static_cast<unsigned>(number(at + 8, 2))}};
  return found.ok() ? std::optional{std::chrono::sys_days{found}} : std::nullopt;
}

} // namespace

place place_of(const std::string& path, const std::string& state_folder) {
  if (path.empty())
    return {state_folder.empty() ? std::string{} : state_folder + "/audit-logs", {}};
  if (!path.ends_with(".log") && !path.ends_with(".jsonl"))
    return {path, {}};
  auto slash = path.rfind('/');
  return slash == path.npos ? place{".", path}
                            : place{path.substr(0, std::max<size_t>(slash, 1)), path.substr(slash + 1)};
}

std::string day_file(std::chrono::system_clock::time_point when) {
  return "audit-" + timestamp(when).substr(0, date_pattern.size()) + ".jsonl";
}

bool is_day_file(const std::string& name) {
  auto fits = [](char pattern, char c) { return pattern == '0' ? c >= '0' && c <= '9' : c == pattern; };
  auto is_like = [&](std::string_view pattern) {
    return name.size() == pattern.size() && std::equal(pattern.begin(), pattern.end(), name.begin(), fits);
  };
  return is_like(day_pattern) || is_like(later_pattern);
}

std::vector<std::string> misdated_files(const place& where, std::chrono::system_clock::time_point now) {
  if (!where.file.empty() || now < first_day)
    return {};
  auto names = files_of(where);
  bool is_none_right = !names.empty() && names.back() < day_file(first_day);
  if (!is_none_right)
    names.erase(names.begin(), std::lower_bound(names.begin(), names.end(), day_file(now + 2 * day)));
  return names;
}

std::string name_for_late(const std::vector<std::string>& names, std::chrono::system_clock::time_point now) {
  auto today = day_file(now);
  auto next = std::lower_bound(names.begin(), names.end(), day_file(now + 2 * day));
  auto last = next == names.begin() ? std::string{} : *std::prev(next);
  if (last < today)
    return today;
  auto begin = last.substr(0, day_pattern.size() - ending.size()) + "_";
  for (int number = later_min; number <= later_max; ++number)
    if (auto name = begin + (number < 10 ? "0" : "") + std::to_string(number) + std::string{ending}; name > last)
      return name;
  return {};
}

std::vector<std::string> files_of(const place& where) {
  std::vector<std::string> names;
  std::error_code ec;
  if (!where.file.empty()) {
    if (fs::is_regular_file(path_of(where, where.file), ec))
      names.push_back(where.file);
    return names;
  }
  for (fs::directory_iterator it{where.folder, ec}, end; !ec && it != end; it.increment(ec)) {
    auto name = it->path().filename().string();
    std::error_code gone;
    if (is_day_file(name) && fs::is_regular_file(it->symlink_status(gone)))
      names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> expired_files(const place& where, std::chrono::system_clock::time_point now,
                                       uint32_t retention_days) {
  if (!where.file.empty())
    return {};
  auto names = files_of(where);
  auto before = names.size() < 2 ? std::nullopt : day_of(names[names.size() - 2]);
  if (!before)
    return {};
  auto believed = std::min<std::chrono::system_clock::time_point>(now, *before + day);
  auto oldest_kept = day_file(believed - day * retention_days);
  auto expired = static_cast<size_t>(std::lower_bound(names.begin(), names.end(), oldest_kept) - names.begin());
  names.resize(std::min(expired, std::max(expired_min, names.size() / expired_share)));
  return names;
}

std::string head_file(const place& where) {
  return where.folder + "/" + (where.file.empty() ? "audit" : where.file) + ".head";
}

std::string path_of(const place& where, const std::string& name) { return where.folder + "/" + name; }

} // namespace audit
