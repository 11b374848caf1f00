#include "audit/log.hpp"

#include "audit/line.hpp"
#include "audit/reader.hpp"
#include "process/child.hpp"
#include "text/digest.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace audit {

namespace fs = std::filesystem;
using process::descriptor;

namespace {

/// Of "2026-11-21T...".
constexpr size_t day_length = 10;

/// For its owner alone; never through a link that another user or program has put there.
/// -1, and errno: it can not be had. A pipe or a device of that name is not waited for, and is no file.
int open_regular(const std::string& path, int flags) {
  int fd = ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  struct stat s {};
  if (fd < 0 || (::fstat(fd, &s) == 0 && S_ISREG(s.st_mode)))
    return fd;
  ::close(fd);
  errno = ENOTSUP;
  return -1;
}

int open_for(const std::string& path, int flags) { return open_regular(path, flags | O_CREAT); }

uint64_t size_of(int fd) {
  struct stat s {};
  return ::fstat(fd, &s) == 0 && s.st_size > 0 ? static_cast<uint64_t>(s.st_size) : 0;
}

/// The folder and the one around it, which may be that of the state, are for their owner alone. 0, or the number of the
/// error.
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
      // If not: a torn line, which the next writer deals with.
      [[maybe_unused]] auto undone = ::ftruncate(fd, static_cast<off_t>(size_before));
      return error;
    }
    text.remove_prefix(static_cast<size_t>(n));
  }
  return 0;
}

} // namespace

void make_place(const place& where) {
  if (where.folder.empty() || make_folder(where.folder) != 0 || where.file.empty())
    return;
  for (auto& path : {path_of(where, where.file), head_file(where)})
    descriptor{open_for(path, O_WRONLY)};
}

std::string log::failed(const std::string& doing, int error) const {
  return options_.where.folder + ": " + doing + ": " + std::strerror(error);
}

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
    return errno == EWOULDBLOCK ? write_report{write_result::busy, {}, {}}
                                : fail(failed("it can not be locked", errno));
  return write(head.get(), bodies);
}

/// Without one, the record is written all the same.
seal_key log::key_for(std::string& warning) const {
  auto key = read_or_make_key(options_.key);
  if (!key.ok())
    warning = key.error.message + "; the record is not sealed";
  return std::move(key.value);
}

write_report log::write(int fd, const std::vector<std::string>& bodies) {
  write_report report;
  auto key = key_for(report.warning); // under the lock: who finds it finds a head that is sealed with it
  auto head = read_head(fd, key.bytes);
  doubt(head, key, report.warning);
  rename_misdated(head, report.warning);
  auto end = find_tail(head, report.warning);
  if (end.size >= options_.bytes_max)
    return {write_result::failed,
            options_.where.folder + ": " + end.file + " has " + std::to_string(end.size >> 20)
              + " MiB, which is the most for one file: until the next one begins, events are counted only. Look at its "
                "end for who makes so many (rateLimit bounds the runs of a client)",
            {}};
  descriptor file{open_for(path_of(options_.where, end.file), O_WRONLY | O_APPEND)};
  if (file.get() < 0)
    return {write_result::failed, failed(end.file + " can not be opened", errno), {}};
  std::string text = end.is_torn ? "\n" : "";
  if (head.begin.empty())
    head.begin = first_link({});
  if (head.begin.empty())
    head.begin = end.digest;
  for (auto& body : bodies) {
    auto line = chained(end.digest, body);
    end.digest = text::sha256_of(line);
    text += line + "\n";
  }
  file_end written{end.digest, end.file, end.size + text.size()};
  bool is_announced = !key.bytes.empty();
  head.next = is_announced ? written : file_end{};
  if (is_announced && !write_head(fd, head, key.bytes)) // lines that no head announces are taken for a stranger's
    return {write_result::failed, failed("the head file can not be written", errno), {}};
  if (auto error = write_all(file.get(), text, end.size); error != 0)
    return {write_result::failed, failed(end.file + " can not be written", error), {}};
  head.last = std::move(written);
  head.next = {};
  if (!write_head(fd, head, key.bytes))
    report.warning = failed("the head file can not be written", errno);
  else if (end.is_new)
    remove_expired(fd, head, key.bytes, report.warning);
  return report;
}

/// A head that is missing or not sealed with our key, though something was written: from then on the record says so.
/// With a key that was made just now it may be of a version that did not seal, which knew a head all the same; or
/// somebody has removed the key before. Where there is nothing at all, there may have been something; a file without
/// lines is what a server leaves that was killed, or found no space for a head, when it began the record.
void log::doubt(head_record& known, const seal_key& key, std::string& warning) const {
  if (key.bytes.empty() || known.seal == seal_state::good)
    return;
  if (known.last.digest.empty() && has_no_lines()) {
    if (!key.is_new)
      known.begun_anew = timestamp(options_.now());
    return;
  }
  if (key.is_new && known.seal == seal_state::none && !known.last.digest.empty()) {
    known.sealed_since = timestamp(options_.now());
    return;
  }
  known.begin = doubtful_begin;
  known.begin_soon.clear();
  known.next = {};
  warning = head_file(options_.where) + " is missing, or not sealed with the key in " + options_.key
            + ": who has written the record so far is not known. If another server with another stateDir, or an older "
              "version, writes here too, give it a "
              "folder of its own (audit.path); else move the files away, and a new record is begun";
}

bool log::has_no_lines() const {
  std::error_code ec;
  auto names = files_of(options_.where);
  return std::all_of(names.begin(), names.end(),
                     [&](auto& name) { return fs::file_size(path_of(options_.where, name), ec) == 0; });
}

/// After a start with a wrong clock. What was written then is now; the files stay in their order.
void log::rename_misdated(head_record& known, std::string& warning) const {
  for (auto& name : misdated_files(options_.where, options_.now())) {
    auto all = files_of(options_.where);
    auto to = name_for_late(all, options_.now());
    if (to.empty() || ::rename(path_of(options_.where, name).c_str(), path_of(options_.where, to).c_str()) != 0) {
      warning =
        failed(name + " has its name from a clock that was wrong, and can not be renamed", to.empty() ? EEXIST : errno);
      return;
    }
    for (auto* end : {&known.last, &known.next})
      if (end->file == name)
        end->file = to;
  }
}

/// Under the lock. What the head says of the end is compared with the files: a process that was killed may have written
/// lines and no head. If lines that were written are gone or changed, or others were added, the chain goes on from the
/// head all the same, so that verify finds the place.
log::tail log::find_tail(const head_record& known, std::string& warning) const {
  auto names = files_of(options_.where);
  tail out;
  out.file = options_.where.file.empty() ? day_file(options_.now()) : options_.where.file;
  if (!names.empty())
    out.file = std::max(out.file, names.back()); // a clock that was set back changes no order
  auto last_name = names.empty() ? std::string{} : names.back();
  descriptor last{names.empty() ? -1 : open_regular(path_of(options_.where, last_name), O_RDONLY)};
  auto size = last.get() < 0 ? 0 : size_of(last.get());
  auto line = last.get() < 0 ? last_line{} : read_last_line(last.get(), size);
  out.digest = !line.digest.empty()         ? line.digest
               : !known.last.digest.empty() ? known.last.digest
                                            : std::string{no_line_before};
  out.is_new = last_name != out.file;
  out.is_torn = !out.is_new && line.is_torn;
  out.size = out.is_new ? 0 : size;
  // Nothing is known, or what was has expired.
  if (known.last.digest.empty() || names.empty() || known.last.file < names.front())
    return out;
  // Killed between renaming and writing its new name, the file that the head names is the last one.
  auto& told_name =
    std::find(names.begin(), names.end(), known.last.file) == names.end() ? names.back() : known.last.file;
  descriptor told{open_regular(path_of(options_.where, told_name), O_RDONLY)};
  bool is_there = told.get() >= 0 && size_of(told.get()) >= known.last.size
                  && read_last_line(told.get(), known.last.size).digest == known.last.digest;
  auto renamed = known;
  renamed.last.file = told_name;
  bool is_more = known.seal == seal_state::good && size > 0 && !may_end_so(renamed, {line.digest, last_name, size});
  if (is_there && !is_more)
    return out;
  out.digest = known.last.digest;
  if (size > 0) // a single file may have been emptied by the program that rotates it
    warning =
      path_of(options_.where, known.last.file)
      + ": lines that were written are gone or changed, or others were added; code-executor audit verify says where";
  return out;
}

/// What the first line behind those files says of the line before it; empty: there is no line.
std::string log::first_link(const std::string& after) const {
  for (auto& name : files_of(options_.where)) {
    reader in{path_of(options_.where, name), reader::digests::unwanted};
    read_line line;
    if (name > after && in.next(line))
      return std::string{digest_before(line.text)};
  }
  return {};
}

/// Its name says that it has expired, and its last line, which the next file vouches for, does not.
bool log::is_of_now(const last_line& last, const std::string& next_link) const {
  auto now = options_.now();
  auto written = time_of(last.beginning);
  return last.digest == next_link
         && written.substr(0, day_length)
              >= timestamp(now - std::chrono::hours{24} * options_.retention_days).substr(0, day_length)
         && written <= timestamp(now); // after a wrong clock the name is all there is to go by
}

/// One after the other, each announced: whenever we are killed, the head knows the line that is the first one.
void log::remove_expired(int fd, head_record& head, const std::string& key, std::string& warning) const {
  for (auto& name : expired_files(options_.where, options_.now(), options_.retention_days)) {
    auto now_first = first_link({}), next_link = first_link(name);
    descriptor file{open_regular(path_of(options_.where, name), O_RDONLY)};
    auto last = file.get() < 0 ? last_line{} : read_last_line(file.get(), size_of(file.get()));
    if (is_of_now(last, next_link)) {
      warning =
        path_of(options_.where, name) + " was written on " + std::string{time_of(last.beginning).substr(0, day_length)}
        + ", which is not what its name says: somebody has renamed it. It is kept; give it that day's name again";
      return;
    }
    // Else a user or program has removed files, or lines at the end of this one, and verify is to find it.
    bool is_ours =
      (now_first == head.begin || now_first == head.begin_soon) && (last.digest.empty() || last.digest == next_link);
    if (is_ours)
      head.begin_soon = next_link;
    if (is_ours && !write_head(fd, head, key)) {
      warning = failed("the head file can not be written", errno);
      return;
    }
    if (::unlink(path_of(options_.where, name).c_str()) != 0 && errno != ENOENT) {
      warning = failed(name + " is too old and can not be removed", errno);
      return;
    }
    if (is_ours)
      head.begin = std::exchange(head.begin_soon, {});
    if (is_ours && !write_head(fd, head, key))
      warning = failed("the head file can not be written", errno);
  }
}

} // namespace audit
