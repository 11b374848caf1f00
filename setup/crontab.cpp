#include "setup/crontab.hpp"

#include "process/program_call.hpp"
#include "text/utf8.hpp"

#include <unistd.h>

namespace setup {

using msg::errc;
using msg::fault;

namespace {

constexpr size_t told_bytes_max = 300;

fault failure(const char* what, const process::command_result& of) {
  auto said = of.timed_out        ? std::string{"it did not end"}
              : of.errors.empty() ? of.status.text()
                                  : text::quoted(of.errors.substr(0, of.errors.find('\n')), told_bytes_max);
  return {errc::internal, std::string{"crontab: "} + what + ": " + said};
}

/// Programs say that there is none by an error, in English when they are asked to.
bool says_there_is_none(const process::command_result& of) {
  return of.errors.find("no crontab") != of.errors.npos
         || of.errors.find("No such file or directory") != of.errors.npos;
}

} // namespace

msg::outcome<process::command_result> crontab::call(const std::vector<std::string>& words) const {
  if (*hangs_)
    return fault{errc::internal, "crontab: " + program_ + " has not ended within "
                                   + std::to_string(crontab_wait_max.count() / 1'000)
                                   + " s, and is not asked again; see why `crontab -l` hangs, and run this again"};
  auto done = process::call_program(words, crontab_wait_max);
  *hangs_ = done.ok() && done.value.timed_out;
  return done;
}

user_file crontab::read() const {
  user_file out;
  out.path = crontab_name;
  if (!is_there())
    return out;
  auto done = call({program_, "-l"});
  if (!done.ok()) {
    out.error = std::move(done.error);
  } else if (!done.value.succeeded()) {
    out.exists = !says_there_is_none(done.value);
    if (out.exists)
      out.error = failure("can not be read", done.value);
  } else {
    out.exists = true;
    out.text = std::move(done.value.output);
    if (out.text.size() > crontab_bytes_max || out.text.find('\0') != out.text.npos)
      out.error = {errc::limit_exceeded, "crontab: is no text of less than " + std::to_string(crontab_bytes_max)
                                           + " bytes, and is left as it is"};
  }
  return out;
}

fault crontab::replace(const std::optional<std::string>& before, const std::optional<std::string>& after) const {
  if (!is_there())
    return {errc::internal, "crontab: there is no program of that name on PATH any more"};
  auto now = read();
  if (now.error.code != errc::none)
    return std::move(now.error);
  if (now.content() != before)
    return {errc::internal, "crontab: has been changed meanwhile, and is left as it is now; run this again"};
  if (before == after)
    return {};
  std::vector<std::string> words{program_, "-r"};
  auto scratch = scratch_ + "/crontab-new";
  std::vector<std::string> made;
  if (after) {
    ::unlink(scratch.c_str()); // of one that was killed
    if (auto problem = replace_file(scratch, std::nullopt, after, made); problem.code != errc::none)
      return problem;
    words[1] = scratch;
  }
  auto done = call(words);
  ::unlink(scratch.c_str());
  for (auto folder = made.rbegin(); folder != made.rend(); ++folder)
    ::rmdir(folder->c_str());
  if (!done.ok())
    return std::move(done.error);
  return done.value.succeeded() ? fault{} : failure("can not be written", done.value);
}

user_file read_place(const std::string& path, const crontab& table) {
  return path == crontab_name ? table.read() : read_user_file(path);
}

fault replace_place(const std::string& path, const std::optional<std::string>& before,
                    const std::optional<std::string>& after, std::vector<std::string>& made, file_rights rights,
                    const crontab& table) {
  return path == crontab_name ? table.replace(before, after) : replace_file(path, before, after, made, rights);
}

} // namespace setup
