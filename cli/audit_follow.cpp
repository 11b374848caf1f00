#include "cli/audit_follow.hpp"

#include "audit/reader.hpp"
#include "cli/stdout_writer.hpp"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <poll.h>
#include <sys/stat.h>
#include <utility>

namespace cli {

namespace {

/// How long a line may wait to be shown.
constexpr int follow_interval_ms = 250;

volatile std::sig_atomic_t is_over = 0;

void end_following(int) { is_over = 1; }

} // namespace

audit_follower::audit_follower(audit::place where) : where_(std::move(where)) {
  auto names = audit::files_of(where_);
  if (names.empty())
    return;
  struct stat about {};
  open(names.back(), 0);
  if (file_ && ::fstat(file_.get(), &about) == 0)
    shown_ = static_cast<uint64_t>(about.st_size);
}

void audit_follower::open(const std::string& name, uint64_t from) {
  name_ = name;
  shown_ = from;
  file_ = process::descriptor{::open(audit::path_of(where_, name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
}

void audit_follower::read_rest(const line_taker& show) {
  struct stat about {};
  if (!file_ || ::fstat(file_.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return;
  if (static_cast<uint64_t>(about.st_size) < shown_)
    shown_ = 0; // it was emptied, and is written anew
  audit::reader in{"/proc/self/fd/" + std::to_string(file_.get()), audit::reader::digests::unwanted, shown_};
  for (audit::read_line line; is_over == 0 && in.next(line) && line.is_ended; shown_ = in.place())
    show(line.text);
}

/// Its name is that of another file.
bool audit_follower::is_replaced() const {
  struct stat now {
  }, own{};
  return ::stat(audit::path_of(where_, name_).c_str(), &now) == 0
         && (!file_ || ::fstat(file_.get(), &own) != 0 || now.st_ino != own.st_ino || now.st_dev != own.st_dev);
}

void audit_follower::show_new(const line_taker& show) {
  auto names = audit::files_of(where_); // before what is read: whoever begins another file has ended this one
  read_rest(show);
  if (!name_.empty() && is_replaced()) {
    read_rest(show);
    open(name_, 0);
    read_rest(show);
  }
  for (auto& name : names)
    if (name > name_) {
      open(name, 0);
      read_rest(show);
    }
}

void follow_audit(const audit::place& where, const audit_follower::line_taker& show) {
  is_over = 0;
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, end_following);
  audit_follower follower{where};
  for (; is_over == 0 && std::cout && !stdout_writer::is_left(); ::poll(nullptr, 0, follow_interval_ms)) {
    follower.show_new(show);
    std::cout << std::flush;
  }
}

} // namespace cli
