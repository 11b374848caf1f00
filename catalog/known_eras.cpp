#include "catalog/known_eras.hpp"

#include "catalog/entry_digest.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

namespace catalog {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view modern_text = "2026-07-28\n";
constexpr std::string_view legacy_text = "initialize\n";
constexpr std::chrono::hours written_again_after{24};
constexpr mode_t own_folder = 0700, own_file = 0600;

struct kept_era {
  bool is_modern = false;
  known_eras::clock::time_point learned;
};

/// A link, or what is no plain file, is as good as none.
std::optional<kept_era> read_era(const std::string& path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return std::nullopt;
  struct stat found {};
  std::array<char, 32> text{};
  bool is_file = ::fstat(file, &found) == 0 && S_ISREG(found.st_mode);
  auto bytes = is_file ? ::read(file, text.data(), text.size()) : -1;
  ::close(file);
  std::string_view told{text.data(), bytes > 0 ? static_cast<size_t>(bytes) : 0};
  if (told != modern_text && told != legacy_text)
    return std::nullopt;
  return kept_era{told == modern_text, known_eras::clock::from_time_t(found.st_mtim.tv_sec)};
}

/// A digest.
bool is_of_ours(std::string_view name) {
  return name.size() == 64 && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// Wholly or not at all: a reader never sees a part.
void write_era(const std::string& path, std::string_view text) {
  auto unfinished = path + "." + std::to_string(::getpid());
  int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, own_file);
  if (file < 0)
    return;
  bool is_written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  is_written &= ::close(file) == 0;
  if (!is_written || std::rename(unfinished.c_str(), path.c_str()) != 0)
    ::unlink(unfinished.c_str());
}

} // namespace

known_eras::known_eras(const std::string& state_folder) : folder_(state_folder.empty() ? "" : state_folder + "/eras") {}

std::string known_eras::path_of(const msg::server_entry& entry) const { return folder_ + "/" + digest_of(entry); }

std::optional<bool> known_eras::is_modern(const msg::server_entry& entry, clock::time_point now) const {
  auto kept = folder_.empty() ? std::nullopt : read_era(path_of(entry));
  bool is_recent = kept && now - kept->learned < era_kept_max;
  return is_recent ? std::optional{kept->is_modern} : std::nullopt;
}

void known_eras::keep(const msg::server_entry& entry, bool is_modern, clock::time_point now) {
  if (folder_.empty())
    return;
  auto path = path_of(entry);
  auto kept = read_era(path);
  if (kept && kept->is_modern == is_modern && now - kept->learned < written_again_after)
    return;
  ::mkdir(fs::path{folder_}.parent_path().c_str(), own_folder);
  ::mkdir(folder_.c_str(), own_folder);
  struct stat about {};
  if (::lstat(folder_.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) // a link leads to what is not ours
    return;
  write_era(path, is_modern ? modern_text : legacy_text);
  if (!kept)
    sweep();
}

void known_eras::sweep() const {
  std::error_code ec;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at{folder_, ec}, end; !ec && at != end; at.increment(ec))
    if (is_of_ours(at->path().filename().string())) // what else lies there is not ours to remove
      paths.push_back(at->path());
  if (paths.size() <= eras_max) // which nearly always ends it: nothing of each file was asked
    return;
  std::vector<std::pair<fs::file_time_type, fs::path>> all;
  for (auto& path : paths)
    if (auto written = fs::last_write_time(path, ec); !ec)
      all.emplace_back(written, std::move(path));
  if (all.size() <= eras_max)
    return;
  std::sort(all.begin(), all.end());
  for (size_t i = 0; i < all.size() - eras_max; ++i)
    fs::remove(all[i].second, ec);
}

} // namespace catalog
