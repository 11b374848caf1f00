#include "setup/journal.hpp"

#include "messages/document.hpp"
#include "setup/take_back.hpp"
#include "setup/user_file.hpp"
#include "text/digest.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

namespace setup {

namespace fs = std::filesystem;
namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr const char* journal_name = "journal.json";
constexpr std::string_view undone_ending = ".undone";
constexpr int lock_look_ms = 50;
/// Of a file as the set-up has left it.
constexpr const char* left_ending = ".left";

std::string folder_in(const std::string& state_folder) { return state_folder + "/setup"; }

std::string digest_of(const std::optional<std::string>& content) {
  return content ? text::sha256_of(*content) : std::string{};
}

std::string date_now() {
  auto now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts); // it never goes back, as local time does
  std::array<char, 32> out{};
  return {out.data(), std::strftime(out.data(), out.size(), "%Y-%m-%dT%H-%M-%SZ", &parts)};
}

/// In order of date.
std::vector<std::string> journals_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator at{folder, ec}, end; !ec && at != end; at.increment(ec))
    if (fs::exists(at->path() / journal_name, ec))
      out.push_back(at->path().string());
  std::sort(out.begin(), out.end());
  return out;
}

void remove_oldest(const std::string& folder) {
  auto all = journals_in(folder);
  std::error_code ec;
  for (size_t i = 0; i + journals_max < all.size(); ++i)
    fs::remove_all(all[i], ec);
}

/// A folder of this second, or the next free name.
msg::outcome<std::string> new_folder(const std::string& folder) {
  auto date = folder + "/" + date_now();
  for (size_t i = 1; i <= journals_max; ++i) {
    auto name = i == 1 ? date : date + "-" + std::to_string(i);
    std::error_code ec;
    if (fs::exists(name + std::string{undone_ending}, ec))
      continue;
    if (::mkdir(name.c_str(), 0700) == 0)
      return name;
    if (errno != EEXIST)
      return fault{errc::internal, name + ": the folder can not be made: " + std::strerror(errno)};
  }
  return fault{errc::internal, folder + ": too many set-ups in one second"};
}

/// Those that writing the files makes, the outermost first.
json::array missing_folders(const std::vector<file_change>& changes) {
  json::array out;
  std::error_code ec;
  for (auto& change : changes) {
    std::vector<std::string> missing;
    for (auto at = fs::path{change.path}.parent_path(); !at.empty() && !fs::exists(at, ec); at = at.parent_path())
      missing.push_back(at.string());
    for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder)
      if (std::find(out.begin(), out.end(), json::value(json::string{*folder})) == out.end())
        out.emplace_back(*folder);
  }
  return out;
}

json::value place_document(const std::optional<edits::server_place>& list) {
  if (!list)
    return nullptr;
  return json::object{{"keys", json::array(list->container.begin(), list->container.end())},
                      {"items", list->kind == edits::entry_list::items}};
}

fault keep(const std::string& folder, const std::vector<file_change>& changes) {
  std::vector<std::string> unused;
  json::array files;
  for (size_t i = 0; i < changes.size(); ++i) {
    auto& c = changes[i];
    auto name = std::to_string(i + 1), left = name + left_ending;
    if (c.before)
      if (auto problem = replace_file((fs::path{folder} / name).string(), std::nullopt, c.before, unused);
          problem.code != errc::none)
        return problem;
    if (c.after)
      if (auto problem = replace_file((fs::path{folder} / left).string(), std::nullopt, c.after, unused);
          problem.code != errc::none)
        return problem;
    files.push_back({{"path", c.path},
                     {"kept", c.before ? json::value(json::string{name}) : json::value(nullptr)},
                     {"left", left},
                     {"before", digest_of(c.before)},
                     {"after", digest_of(c.after)},
                     {"list", place_document(c.list)}});
  }
  auto text = json::serialize(json::object{{"files", std::move(files)}, {"folders", missing_folders(changes)}}) + "\n";
  return replace_file(folder + "/" + journal_name, std::nullopt, text, unused);
}

std::string text_at(const json::object& in, std::string_view key) {
  auto* found = in.if_contains(key);
  return found && found->is_string() ? std::string{found->get_string()} : std::string{};
}

std::vector<std::string> texts_at(const json::object& in, std::string_view key) {
  std::vector<std::string> out;
  auto* found = in.if_contains(key);
  for (auto& each : found && found->is_array() ? found->get_array() : json::array{})
    if (each.is_string())
      out.emplace_back(each.get_string());
  return out;
}

struct kept_file {
  std::string path, kept, left, before, after;
  std::optional<edits::server_place> list;
};

std::optional<edits::server_place> place_of(const json::object& in) {
  auto* list = in.if_contains("list");
  if (!list || !list->is_object())
    return std::nullopt;
  auto* items = list->get_object().if_contains("items");
  bool is_list = items && items->is_bool() && items->get_bool();
  return edits::server_place{texts_at(list->get_object(), "keys"),
                             is_list ? edits::entry_list::items : edits::entry_list::by_name};
}

kept_file kept_file_of(const json::object& in) {
  return {text_at(in, "path"),   text_at(in, "kept"),  text_at(in, "left"),
          text_at(in, "before"), text_at(in, "after"), place_of(in)};
}

struct kept_journal {
  std::string folder;
  std::vector<kept_file> files;
  std::vector<std::string> folders;
};

msg::outcome<kept_journal> read_journal(const std::string& folder) {
  auto file = read_user_file(folder + "/" + journal_name);
  if (file.error.code != errc::none)
    return std::move(file.error);
  auto read = msg::document::parse(file.text);
  auto* root = read.ok() ? read.value.value().if_object() : nullptr;
  auto* files = root && root->contains("files") ? root->at("files").if_array() : nullptr;
  if (!files)
    return fault{errc::internal, file.path + ": is damaged; the files as they were are beside it"};
  kept_journal out{folder, {}, {}};
  for (auto& each : *files)
    if (auto* file = each.if_object())
      out.files.push_back(kept_file_of(*file));
  out.folders = texts_at(*root, "folders");
  return out;
}

/// What undoing does to a file.
struct backward_change {
  file_change change;   ///< none, if it is as it was already
  bool is_exact = true; ///< else others have changed it since
};

msg::outcome<backward_change> take_entries_back(const kept_journal& journal, const kept_file& of, const user_file& now,
                                                const user_file& kept) {
  auto left = read_user_file(journal.folder + "/" + of.left);
  bool has_entries = left.error.code == errc::none && now.exists && of.list;
  auto text = has_entries ? take_back(config::format_of(of.path), *of.list, {kept.text, left.text, now.text})
                          : fault{errc::internal, now.exists ? "others have written to it" : "it is gone"};
  if (!text.ok())
    return fault{errc::internal, of.path + ": has been changed since, and can not be undone: " + text.error.message
                                   + "; nothing is undone. As it was before, it is in " + journal.folder
                                   + (of.kept.empty() ? "" : "/" + of.kept)};
  return backward_change{{of.path, now.content(), now.mark + text.value}, false};
}

msg::outcome<backward_change> backwards(const kept_journal& journal, const kept_file& of) {
  auto now = read_user_file(of.path);
  if (now.error.code != errc::none)
    return std::move(now.error);
  auto kept = of.kept.empty() ? user_file{} : read_user_file(journal.folder + "/" + of.kept);
  if (kept.error.code != errc::none)
    return std::move(kept.error);
  if (digest_of(kept.content()) != of.before)
    return fault{errc::internal, kept.path + ": is not what was kept; nothing is undone"};
  auto digest = digest_of(now.content());
  if (digest == of.before)
    return backward_change{{of.path, now.content(), now.content()}};
  if (digest != of.after)
    return take_entries_back(journal, of, now, kept);
  return backward_change{{of.path, now.content(), kept.content()}};
}

/// None of them, if one fails.
fault write_back(std::vector<file_change> changes) {
  std::vector<std::string> made;
  for (size_t i = 0; i < changes.size(); ++i)
    if (auto problem = replace_file(changes[i].path, changes[i].before, changes[i].after, made);
        problem.code != errc::none) {
      while (i-- > 0) // what fails now is as it was before the set-up, which is no harm
        replace_file(changes[i].path, changes[i].after, changes[i].before, made);
      return problem;
    }
  return {};
}

} // namespace

msg::outcome<setup_lock> setup_lock::take(const std::string& state_folder, std::chrono::milliseconds wait) {
  std::vector<std::string> made;
  auto folder = folder_in(state_folder);
  if (auto problem = make_folders(folder, made); problem.code != errc::none)
    return problem;
  auto path = folder + "/lock";
  setup_lock out;
  out.file_ = process::descriptor{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!out.file_)
    return fault{errc::internal, path + ": can not be written: " + std::strerror(errno)};
  auto end = std::chrono::steady_clock::now() + wait;
  while (::flock(out.file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return fault{errc::internal, path + ": can not be locked: " + std::strerror(errno)};
    if (std::chrono::steady_clock::now() >= end)
      return fault{errc::overloaded, "another `code-executor setup` has not ended yet; nothing is changed"};
    ::poll(nullptr, 0, lock_look_ms);
  }
  return out;
}

msg::outcome<written> write_changes(const std::string& state_folder, const std::vector<file_change>& changes,
                                    size_t needed) {
  written out;
  if (changes.empty())
    return out;
  auto folder = new_folder(folder_in(state_folder));
  if (!folder.ok())
    return std::move(folder.error);
  auto forget = [&] {
    std::error_code ec;
    fs::remove_all(folder.value, ec);
  };
  if (auto problem = keep(folder.value, changes); problem.code != errc::none) {
    forget();
    return problem;
  }
  std::vector<std::string> made;
  size_t tried = 0;
  for (; tried < changes.size() && (tried != needed || out.failures.empty()); ++tried) {
    auto& c = changes[tried];
    if (auto problem = replace_file(c.path, c.before, c.after, made); problem.code != errc::none)
      out.failures.push_back({c.path, std::move(problem)});
  }
  if (out.failures.size() == tried)
    forget();
  else
    out.folder = std::move(folder.value);
  remove_oldest(folder_in(state_folder));
  return out;
}

msg::outcome<undone> undo_last(const std::string& state_folder) {
  auto all = journals_in(folder_in(state_folder));
  auto last = std::find_if(all.rbegin(), all.rend(), [](auto& path) { return !path.ends_with(undone_ending); });
  if (last == all.rend())
    return undone{};
  auto journal = read_journal(*last);
  if (!journal.ok())
    return std::move(journal.error);
  std::vector<file_change> changes;
  undone out;
  out.made = fs::path{*last}.filename().string();
  for (auto& file : journal.value.files) {
    auto change = backwards(journal.value, file);
    if (!change.ok())
      return std::move(change.error);
    auto& [what, is_exact] = change.value;
    if (what.before == what.after)
      continue;
    (is_exact ? out.files : out.changed_files).push_back(what.path);
    changes.push_back(std::move(what));
  }
  std::reverse(changes.begin(), changes.end()); // what was moved is back before it is gone where it was moved to
  if (auto problem = write_back(std::move(changes)); problem.code != errc::none)
    return problem;
  for (auto folder = journal.value.folders.rbegin(); folder != journal.value.folders.rend(); ++folder)
    ::rmdir(folder->c_str()); // unless something has come into it
  if (::rename(last->c_str(), (*last + std::string{undone_ending}).c_str()) != 0)
    return fault{errc::internal, *last + ": can not be marked as undone: " + std::strerror(errno)};
  return out;
}

} // namespace setup
