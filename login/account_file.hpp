// The file of one account: `tokens/<digest of entry and address>.json` in the state folder, which several processes
// read and write.
#pragma once

#include "login/account.hpp"
#include "login/environment.hpp"
#include "messages/errors.hpp"
#include "process/child.hpp"

#include <asio/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace login {

/// How long the lock of another process is waited for: it may be at the authorization server, which has 15 s.
inline constexpr std::chrono::seconds lock_patience{30};

/// Which text of a file it is; all zero: there is no file.
struct file_stamp {
  uint64_t inode = 0, size = 0;
  int64_t changed_ns = 0;
  bool operator==(const file_stamp&) const = default;
};

struct stored_account {
  std::optional<account> value;
  std::string problem; ///< there is a file, and it does not count: a sentence without a full stop, with its path
  file_stamp stamp;
};

/// Who has it may write. Ends with its last copy.
using account_lock = std::shared_ptr<const process::descriptor>;

/// Files are read and written on the environment's worker. Each of the coroutines may outlive the object.
class account_file {
public:
  account_file(const environment& of, std::string server, std::string url);

  const std::string& path() const { return path_; }
  /// Quick enough for the one thread.
  file_stamp look() const;
  asio::awaitable<stored_account> read() const;
  /// One process at a time, and of it one coroutine. Waits up to lock_patience.
  asio::awaitable<msg::outcome<account_lock>> lock() const;
  /// The whole file or none of it, whenever the machine stops (0600, its folder 0700). A file that does not count is
  /// put aside as `*.broken`.
  asio::awaitable<msg::fault> write(account_lock held, account what) const;
  asio::awaitable<msg::fault> remove(account_lock held) const;
  /// The server has refused us for want of a login: kept until there is one (write()), for people who ask. What can not
  /// be written is not kept.
  asio::awaitable<void> note_wanted() const;
  /// It has let us in since.
  asio::awaitable<void> forget_wanted() const;
  /// Quick enough for the one thread.
  bool is_wanted() const;

private:
  asio::any_io_executor executor_, worker_;
  std::string server_, url_, path_;
};

/// Whether that server has refused us for want of a login, and there is none since. Waits for the disk.
bool is_login_wanted(const std::string& state_folder, const std::string& server, const std::string& url);

} // namespace login
