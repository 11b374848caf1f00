// One look at the files that decide what servers start, for all entries together: no name is followed, and no file read
// or taken apart, twice, and all of it has one bound. A cloned repository has made those files, and the server does
// nothing else meanwhile.
#pragma once

#include "process/path_walk.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// Of one look, and of one entry in it; an ordinary one takes some thousand.
inline constexpr size_t look_steps_max = 2 * process::walk_steps_max, entry_steps_max = process::walk_steps_max / 2;
/// Of one look with those of paths that were asked for before: 5 s.
inline constexpr size_t look_asked_steps_max = 25'000'000;
/// Of all files that are read in one look, 150 ms: of each at least file_cost_min, and of YAML, which takes as many
/// times longer, yaml_byte_cost for each byte.
inline constexpr size_t look_cost_max = 3u << 20, file_cost_min = 1u << 10, yaml_byte_cost = 8;
inline constexpr size_t package_bytes_max = 1u << 20; ///< of a `package.json`, 50 ms
/// Of `.yarnrc.yml` and others that people write by hand; large ones have 2 KiB.
inline constexpr size_t typed_bytes_max = 64u << 10;
inline constexpr size_t unread_files_max = 64; ///< of one entry that are told apart

class file_look {
public:
  explicit file_look(size_t steps_max = look_steps_max, size_t asked_steps_max = look_asked_steps_max)
    : walk_(steps_max),
      asked_steps_left_(asked_steps_max) {}
  file_look(const file_look&) = delete;

  /// As those of a path_walk.
  process::path_end end_of(std::string_view path);
  process::path_kind kind_of(std::string_view path) { return end_of(path).kind; }

  /// What is inside is read once. Null: there is none, it is no regular file, not to be read, or no JSON.
  const boost::json::value& json_in(const std::filesystem::path& file);
  /// Null, too, if it is no object; then it is as if it could not be read, since others than us may understand it.
  const boost::json::value& yaml_in(const std::filesystem::path& file);
  /// Empty, as above.
  const std::string& text_in(const std::filesystem::path& file);
  /// `#!/usr/bin/env -S node --flag`: its words. None: it is no script.
  const std::vector<std::string>& interpreter_in(const std::filesystem::path& file);

  /// What follows is for another entry.
  void begin_entry();
  /// Since then, a name could not be followed to its end, or a file not be read, within the bounds above.
  bool gave_up() const { return is_lost_ || !unread_.empty(); }
  /// Since then, a name could not be followed, or there are more than unread_files_max in unread().
  bool is_lost() const { return is_lost_; }
  /// Nothing is left of look_cost_max, so that no file is read that is not known already, or of the steps.
  bool is_spent() const { return cost_left_ < file_cost_min || asked_steps_left_ == 0; }
  /// No name is followed any more for this entry.
  bool is_exhausted() const { return steps_left_ == 0 || asked_steps_left_ == 0; }
  /// Since then: files that are there and were not read, as they were asked for, each with the reason (`is larger than
  /// 64 KiB`).
  const std::map<std::string, std::string>& unread() const { return unread_; }
  /// What others see in this file has not been looked at.
  void leave_out(const std::filesystem::path& file, const std::string& why);
  /// config::is_unknown() of each path once, whatever is left of this look.
  bool is_unknown(const std::string& path);

private:
  struct content {
    boost::json::value value = nullptr;
    std::string text;
    std::vector<std::string> words;
    std::string why_unread; ///< empty: it is read
  };
  using contents = std::map<std::string, content>; ///< by the path that is free of links

  content& open(contents& in, const std::filesystem::path& file, void (file_look::*read)(const std::string&, content&));
  bool pay(size_t cost);
  /// Empty: unread, or there is nothing.
  std::string read(const std::string& path, size_t bytes_max, size_t byte_cost, content& to);
  void read_json(const std::string& path, content& to);
  void read_yaml(const std::string& path, content& to);
  void read_text(const std::string& path, content& to);
  void read_interpreter(const std::string& path, content& to);

  process::path_walk walk_;
  contents json_, yaml_, texts_, interpreters_;
  std::map<std::string, bool> unknown_; ///< those that were asked for
  std::map<std::string, std::string> unread_;
  content nothing_;
  size_t asked_steps_left_;
  size_t steps_left_ = entry_steps_max; ///< of this entry
  size_t cost_left_ = look_cost_max;
  bool is_lost_ = false;
};

/// The kernel goes through a link before it goes up with `..`; Node.js, and `cd` of a shell, do not: `path` without
/// `..`, and if the kernel finds something there and elsewhere, `path` itself as the last one.
std::vector<std::filesystem::path> ways_to(const std::filesystem::path& path, file_look& look);

/// Of a path that leads through links made to cost time: who keeps it (sandbox::all_names_of()) would be at it as long
/// as the kernel.
bool is_unknown(const std::string& path);

/// The folder of the repository that this one is in. Empty: it is in none.
std::string repository_above(std::filesystem::path folder, file_look& look);

} // namespace config
