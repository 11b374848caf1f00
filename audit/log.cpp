#include "audit/log.hpp"

#include "audit/line.hpp"
#include "audit/tail.hpp"
#include "catalog/digest.hpp"
#include "process/child.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace audit {

namespace fs = std::filesystem;
using process::descriptor;

namespace {

/// For its owner alone; never through a link that somebody else has put there.
int open_for(const std::string& path, int flags) { return ::open(path.c_str(), flags | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600); }

uint64_t size_of(int fd) {
  struct stat s {};
  return ::fstat(fd, &s) == 0 && s.st_size > 0 ? static_cast<uint64_t>(s.st_size) : 0;
}

/// The folder and the one around it, which may be that of the state, are for their owner alone. 0, or the number of the error.
int make_folder(const std::string& path) {
  std::error_code ec;
  auto around = fs::path{path}.parent_path();
  fs::create_directories(around.parent_path(), ec);
  for (auto& each : {around.string(), path})
    if (!each.empty() && ::mkdir(each.c_str(), 0700) != 0 && errno != EEXIST)
      return errno;
  return 0;
}

/// 0, or the number of the error; then the file is as it was.
int write_all(int fd, std::string_view text, uint64_t size_before) {
  while (!text.empty()) {
    auto n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      auto error = n < 0 ? errno : EIO;
      [[maybe_unused]] auto undone = ::ftruncate(fd, static_cast<off_t>(size_before)); // if not: a torn line, which the next writer deals with
      return error;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

} // namespace

std::string log::failed(const std::string& doing, int error) const { return options_.where.folder + ": " + doing + ": " + std::strerror(error); }

write_report log::append(const std::vector<msg::audit_event>& events) {
  auto fail = [](std::string why) { return write_report{write_result::failed, std::move(why), {}}; };
  auto& folder = options_.where.folder;
  if (folder.empty())
    return fail("there is no folder for it: HOME is not set; set stateDir or CODE_EXECUTOR_STATE_DIR");
  std::vector<std::string> bodies; // digests take their time: before the lock
  bodies.reserve(events.size());
  for (auto& e : events)
    bodies.push_back(line_body(e, options_.process));
  if (auto error = make_folder(folder); error != 0)
    return fail(failed("the folder can not be made", error));
  descriptor head{open_for(head_file(options_.where), O_RDWR)};
  if (head.get() < 0)
    return fail(failed("the head file can not be opened", errno));
  if (::flock(head.get(), LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK ? write_report{write_result::busy, {}, {}} : fail(failed("it can not be locked", errno));
  return write(head.get(), bodies);
}

write_report log::write(int head, const std::vector<std::string>& bodies) {
  write_report report;
  auto end = find_tail(head, report.warning);
  descriptor file{open_for(path_of(options_.where, end.file), O_WRONLY | O_APPEND)};
  if (file.get() < 0)
    return {write_result::failed, failed(end.file + " can not be opened", errno), {}};
  std::string text = end.is_torn ? "\n" : "";
  for (auto& body : bodies) {
    auto line = chained(end.digest, body);
    end.digest = catalog::sha256_of(line);
    text += line + "\n";
  }
  if (auto error = write_all(file.get(), text, end.size); error != 0)
    return {write_result::failed, failed(end.file + " can not be written", error), {}};
  if (!write_head(head, {end.digest, end.file, end.size + text.size()}))
    report.warning = failed("the head file can not be written", errno);
  if (end.is_new)
    remove_expired(report.warning);
  return report;
}

/// Under the lock. What the head says of the end is compared with the files: a process that was killed may have written lines and no
/// head. If lines that were written are gone or changed, the chain goes on from the head all the same, so that verify finds the place.
log::tail log::find_tail(int head, std::string& warning) const {
  auto known = read_head(head);
  auto names = files_of(options_.where);
  tail out;
  out.file = options_.where.file.empty() ? day_file(options_.now()) : options_.where.file;
  if (!names.empty())
    out.file = std::max(out.file, names.back()); // a clock that was set back changes no order
  auto last_name = names.empty() ? std::string{} : names.back();
  descriptor last{names.empty() ? -1 : ::open(path_of(options_.where, last_name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  auto size = last.get() < 0 ? 0 : size_of(last.get());
  auto line = last.get() < 0 ? last_line{} : read_last_line(last.get(), size);
  out.digest = !line.digest.empty() ? line.digest : !known.digest.empty() ? known.digest : std::string{no_line_before};
  out.is_new = last_name != out.file;
  out.is_torn = !out.is_new && line.is_torn;
  out.size = out.is_new ? 0 : size;
  if (known.digest.empty() || names.empty() || known.file < names.front()) // nothing is known, or what was has expired
    return out;
  descriptor told{::open(path_of(options_.where, known.file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  bool is_there = told.get() >= 0 && size_of(told.get()) >= known.size && read_last_line(told.get(), known.size).digest == known.digest;
  if (!is_there) {
    out.digest = known.digest;
    if (size > 0) // a single file may have been emptied by whoever rotates it
      warning = path_of(options_.where, known.file) + ": lines that were written are gone or changed; code-executor audit verify says where";
  }
  return out;
}

void log::remove_expired(std::string& warning) const {
  for (auto& name : expired_files(options_.where, options_.now(), options_.retention_days))
    if (::unlink(path_of(options_.where, name).c_str()) != 0 && errno != ENOENT)
      warning = failed(name + " is too old and can not be removed", errno);
}

} // namespace audit
