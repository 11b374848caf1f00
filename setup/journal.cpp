#include "setup/journal.hpp"

#include "messages/document.hpp"
#include "setup/sync_texts.hpp"
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
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace setup {

namespace fs = std::filesystem;
namespace json = boost::json;
using msg::errc;
using msg::fault;

namespace {

constexpr const char* journal_name = "journal.json";
constexpr std::string_view undone_ending = ".undone";
/// At least, of the number of a set-up.
constexpr int number_digits = 6;
/// Of a file as the set-up has left it.
constexpr const char* left_ending = ".left";

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

/// In front of its date; it rises, whatever the clock does. 0: none, as those of before have it.
uint64_t number_of(const std::string& folder) {
  auto name = fs::path{folder}.filename().string();
  uint64_t number = 0;
  auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), number);
  bool is_number = problem == std::errc{} && *end == '-' && end - name.data() >= number_digits;
  return is_number ? number : 0;
}

std::string date_of(const std::string& folder) {
  auto name = fs::path{folder}.filename().string();
  return number_of(folder) == 0 ? name : name.substr(name.find('-') + 1);
}

std::vector<std::string> folders_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code ec;
  for (fs::directory_iterator at{folder, ec}, end; !ec && at != end; at.increment(ec))
    if (fs::symlink_status(at->path(), ec).type() == fs::file_type::directory)
      out.push_back(at->path().string());
  return out;
}

/// In the order in which they were made.
std::vector<std::string> journals_in(const std::string& folder) {
  std::error_code ec;
  auto out = folders_in(folder);
  std::erase_if(out, [&](auto& path) { return !fs::exists(fs::path{path} / journal_name, ec); });
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) {
    return std::pair{number_of(a), a} < std::pair{number_of(b), b};
  });
  return out;
}

void remove_oldest(const std::string& folder) {
  auto all = journals_in(folder);
  std::error_code ec;
  for (size_t i = 0; i + journals_max < all.size(); ++i)
    fs::remove_all(all[i], ec);
}

/// With the next number.
msg::outcome<std::string> new_folder(const std::string& folder) {
  uint64_t last = 0;
  for (auto& each : folders_in(folder))
    last = std::max(last, number_of(each));
  auto number = std::to_string(last + 1);
  number.insert(0, number_digits - std::min<size_t>(number.size(), number_digits), '0');
  auto name = folder + "/" + number + "-" + date_now();
  if (::mkdir(name.c_str(), 0700) != 0)
    return fault{errc::internal, name + ": the folder can not be made: " + std::strerror(errno)};
  return name;
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

std::string kept_name(size_t i) { return std::to_string(i + 1); }

/// Of those that are not in `failed`.
std::string journal_text(const std::vector<file_change>& changes, const json::array& folders,
                         const std::set<size_t>& failed) {
  json::array files;
  for (size_t i = 0; i < changes.size(); ++i) {
    auto& c = changes[i];
    if (!failed.contains(i))
      files.push_back({{"path", c.path},
                       {"kept", c.before ? json::value(json::string{kept_name(i)}) : json::value(nullptr)},
                       {"left", kept_name(i) + left_ending},
                       {"before", digest_of(c.before)},
                       {"after", digest_of(c.after)},
                       {"list", place_document(c.list)}});
  }
  return json::serialize(json::object{{"files", std::move(files)}, {"folders", folders}}) + "\n";
}

fault keep(const std::string& folder, const std::vector<file_change>& changes, const std::string& journal) {
  std::vector<std::string> unused;
  for (size_t i = 0; i < changes.size(); ++i) {
    auto path = (fs::path{folder} / kept_name(i)).string();
    if (changes[i].before)
      if (auto problem = replace_file(path, std::nullopt, changes[i].before, unused); problem.code != errc::none)
        return problem;
    if (changes[i].after)
      if (auto problem = replace_file(path + left_ending, std::nullopt, changes[i].after, unused);
          problem.code != errc::none)
        return problem;
  }
  return replace_file(folder + "/" + journal_name, std::nullopt, journal, unused);
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

/// Files beside the journal, and folders that its files are in.
bool is_right(const kept_journal& journal) {
  auto is_beside = [](std::string_view name, std::string_view ending) {
    if (name.empty())
      return true;
    bool has_ending = name.ends_with(ending);
    name.remove_suffix(has_ending ? ending.size() : 0);
    return has_ending && !name.empty() && name.find_first_not_of("0123456789") == name.npos;
  };
  auto is_above_one = [&](const std::string& folder) {
    return std::any_of(journal.files.begin(), journal.files.end(),
                       [&](auto& file) { return file.path.starts_with(folder + "/"); });
  };
  return std::all_of(journal.files.begin(), journal.files.end(),
                     [&](auto& file) { return is_beside(file.kept, "") && is_beside(file.left, left_ending); })
         && std::all_of(journal.folders.begin(), journal.folders.end(), is_above_one);
}

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
    if (auto* object = each.if_object())
      out.files.push_back(kept_file_of(*object));
  out.folders = texts_at(*root, "folders");
  if (!is_right(out))
    return fault{errc::internal, file.path + ": is damaged: it names files or folders that no set-up writes"};
  return out;
}

/// What undoing does to a file.
struct backward_change {
  file_change change;   ///< none, if it is as it was already
  bool is_exact = true; ///< else others have changed it since
};

/// The crontab as it is now, with our lines as they were before.
msg::outcome<std::string> take_lines_back(const three_texts& texts) {
  auto before = block_in(texts.before), now = block_in(texts.now);
  if (now != before && now != block_in(texts.after))
    return fault{errc::internal, "the lines of code-executor have been changed since"};
  return with_block(texts.now, before);
}

msg::outcome<backward_change> take_entries_back(const kept_journal& journal, const kept_file& of, const user_file& now,
                                                const user_file& kept) {
  auto left =
    of.path == crontab_name && of.after.empty() ? user_file{} : read_user_file(journal.folder + "/" + of.left);
  bool is_readable = left.error.code == errc::none && now.exists;
  three_texts texts{kept.text, left.text, now.text};
  auto text = is_readable && of.list ? take_back(config::format_of(of.path), *of.list, texts)
              : is_readable && of.path == crontab_name
                ? take_lines_back(texts)
                : fault{errc::internal, now.exists ? "others have written to it" : "it is gone"};
  if (!text.ok())
    return fault{errc::internal, of.path + ": has been changed since, and can not be undone: " + text.error.message
                                   + "; nothing is undone. As it was before, it is in " + journal.folder
                                   + (of.kept.empty() ? "" : "/" + of.kept)};
  return backward_change{{of.path, now.content(), now.mark + text.value}, false};
}

msg::outcome<backward_change> backwards(const kept_journal& journal, const kept_file& of, const crontab& table) {
  auto now = read_place(of.path, table);
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
fault write_back(std::vector<file_change> changes, const crontab& table) {
  std::vector<std::string> made;
  for (size_t i = 0; i < changes.size(); ++i)
    if (auto problem =
          replace_place(changes[i].path, changes[i].before, changes[i].after, made, file_rights::kept, table);
        problem.code != errc::none) {
      while (i-- > 0) // what fails now is as it was before the set-up, which is no harm
        replace_place(changes[i].path, changes[i].after, changes[i].before, made, file_rights::kept, table);
      return problem;
    }
  return {};
}

} // namespace

msg::outcome<written> write_changes(const std::string& state_folder, const std::vector<file_change>& changes,
                                    size_t needed, const crontab& table) {
  written out;
  if (changes.empty())
    return out;
  auto folder = new_folder(folder_of_setups(state_folder));
  if (!folder.ok())
    return std::move(folder.error);
  auto forget = [&] {
    std::error_code ec;
    fs::remove_all(folder.value, ec);
  };
  auto folders = missing_folders(changes);
  auto journal = journal_text(changes, folders, {});
  if (auto problem = keep(folder.value, changes, journal); problem.code != errc::none) {
    forget();
    return problem;
  }
  std::vector<std::string> made;
  size_t tried = 0;
  std::set<size_t> failed;
  for (; tried < changes.size() && (tried != needed || out.failures.empty()); ++tried) {
    auto& c = changes[tried];
    bool can_be = c.needs.empty() || std::none_of(out.failures.begin(), out.failures.end(), [&](auto& failure) {
                    return failure.path == c.needs;
                  });
    auto problem = can_be ? replace_place(c.path, c.before, c.after, made, c.rights, table)
                          : fault{errc::internal, c.path + ": is left as it is, because of " + c.needs};
    if (problem.code == errc::none)
      continue;
    out.failures.push_back({c.path, std::move(problem)});
    failed.insert(tried);
  }
  if (out.failures.size() == tried)
    forget();
  else
    out.folder = folder.value;
  if (!failed.empty() && !out.folder.empty()) // undoing leaves them alone; if that can not be written, it says why not
    replace_file(folder.value + "/" + journal_name, journal, journal_text(changes, folders, failed), made);
  remove_oldest(folder_of_setups(state_folder));
  return out;
}

msg::outcome<undone> undo_last(const std::string& state_folder,
                               const std::function<bool(const std::string&)>& may_write, const crontab& table) {
  auto all = journals_in(folder_of_setups(state_folder));
  auto last = std::find_if(all.rbegin(), all.rend(), [](auto& path) { return !path.ends_with(undone_ending); });
  if (last == all.rend())
    return undone{};
  auto journal = read_journal(*last);
  if (!journal.ok())
    return std::move(journal.error);
  std::vector<file_change> changes;
  undone out;
  out.made = date_of(*last);
  std::set<std::string> seen;
  for (auto& file : journal.value.files) {
    if (may_write && !may_write(file.path))
      return fault{errc::internal,
                   *last + ": names " + file.path
                     + ", which is no file of a client where its variables lead now; nothing is undone"};
    if (!seen.insert(target_of(file.path)).second)
      continue; // two paths of one file
    auto change = backwards(journal.value, file, table);
    if (!change.ok())
      return std::move(change.error);
    auto& [what, is_exact] = change.value;
    if (what.before == what.after)
      continue;
    (is_exact ? out.files : out.changed_files).push_back(what.path);
    changes.push_back(std::move(what));
  }
  std::reverse(changes.begin(), changes.end()); // what was moved is back before it is gone where it was moved to
  if (auto problem = write_back(std::move(changes), table); problem.code != errc::none)
    return problem;
  for (auto folder = journal.value.folders.rbegin(); folder != journal.value.folders.rend(); ++folder)
    ::rmdir(folder->c_str()); // unless something has come into it
  if (::rename(last->c_str(), (*last + std::string{undone_ending}).c_str()) != 0)
    return fault{errc::internal, *last + ": can not be marked as undone: " + std::strerror(errno)};
  return out;
}

void sweep_leftovers(const std::string& state_folder, const std::vector<std::string>& paths) {
  for (auto& path : paths)
    remove_leftovers(path);
  std::error_code ec;
  for (auto& folder : folders_in(folder_of_setups(state_folder)))
    if (number_of(folder) != 0 && !fs::exists(fs::path{folder} / journal_name, ec))
      fs::remove_all(folder, ec);
}

} // namespace setup
