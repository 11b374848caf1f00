// The user's crontab: no file of the user's, but what the program `crontab` gives and takes.
#pragma once

#include "messages/errors.hpp"
#include "process/command.hpp"
#include "setup/user_file.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace setup {

/// Stands for it where paths are. No file of ours is called so: paths are absolute.
inline constexpr const char* crontab_name = "crontab";
/// Of a crontab. What is longer is no crontab that a person wrote, and is left alone.
inline constexpr size_t crontab_bytes_max = 256u << 10;
/// Of each call of the program. Once one has not ended, none is made any more.
inline constexpr std::chrono::milliseconds crontab_wait_max{10'000};

class crontab {
public:
  /// There is none.
  crontab() = default;
  /// `program`: its absolute path; empty: this machine has none. `scratch`: a folder of ours, for a file that it reads;
  /// with the lock only.
  crontab(std::string program, std::string scratch) : program_(std::move(program)), scratch_(std::move(scratch)) {}

  bool is_there() const { return !program_.empty(); }

  /// As if it were a file of that name. The error says why it can not be read; without a program there is none, as if
  /// it did not exist.
  user_file read() const;
  /// As replace_file(). Another process that writes it in between is not noticed: the program has no lock.
  msg::fault replace(const std::optional<std::string>& before, const std::optional<std::string>& after) const;

private:
  msg::outcome<process::command_result> call(const std::vector<std::string>& words) const;

  std::string program_, scratch_;
  std::shared_ptr<bool> hangs_ = std::make_shared<bool>(false); ///< of all copies
};

/// A file, or the crontab, by its path.
user_file read_place(const std::string& path, const crontab& table);
/// replace_file(), or that of the crontab.
msg::fault replace_place(const std::string& path, const std::optional<std::string>& before,
                         const std::optional<std::string>& after, std::vector<std::string>& made, file_rights rights,
                         const crontab& table);

} // namespace setup
