#include "proxy/artifacts/folder.hpp"

#include "proxy/artifacts/handle.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace artifacts {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view unfinished = ".new-";
/// Writing one takes less than a second.
constexpr int64_t unfinished_age_ns = 600 * ns_per_s;

struct open_file {
  explicit open_file(int descriptor) : fd(descriptor) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (fd >= 0)
      ::close(fd);
  }
  int fd;
};

/// 0, or the number of the error.
int write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    auto n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno != EINTR)
      return errno;
    content.remove_prefix(n > 0 ? static_cast<size_t>(n) : 0);
  }
  return 0;
}

int read_all(int fd, std::string& to) {
  size_t at = 0;
  while (at < to.size()) {
    auto n = ::read(fd, to.data() + at, to.size() - at);
    if (n < 0 && errno != EINTR)
      return errno;
    if (n == 0)
      return EIO; // it has exec shorter
    at += n > 0 ? static_cast<size_t>(n) : 0;
  }
  return 0;
}

std::string file_name(const file_info& file) { return file.handle + (file.is_json ? ".json" : ".txt"); }

/// False: it is none of ours.
bool parse_name(const std::string& name, file_info& to) {
  auto dot = std::min(name.find('.'), name.size());
  to.handle = name.substr(0, dot);
  to.is_json = name.substr(dot) == ".json";
  return is_handle(to.handle) && (to.is_json || name.substr(dot) == ".txt");
}

} // namespace

folder::folder(std::string path) : path_(std::move(path)) {}

std::string folder::path_of(const file_info& file) const { return path_ + "/" + file_name(file); }

fault folder::failed(const std::string& doing, int error) const {
  return {errc::internal, path_ + ": " + doing + ": " + std::strerror(error)};
}

fault folder::make() const {
  if (path_.empty())
    return {errc::internal, "there is no folder for it: HOME is not set; set stateDir or CODE_EXECUTOR_STATE_DIR"};
  std::error_code ec;
  auto state = fs::path{path_}.parent_path();
  fs::create_directories(state.parent_path(), ec);
  for (auto& each : {state.string(), path_})
    if (::mkdir(each.c_str(), 0700) != 0 && errno != EEXIST)
      return failed("the folder can not be made", errno);
  return {};
}

std::vector<file_info> folder::files() const {
  std::vector<file_info> out;
  std::error_code ec;
  for (fs::directory_iterator it{path_, ec}, end; !ec && it != end; it.increment(ec)) {
    file_info file;
    if (parse_name(it->path().filename().string(), file) && find(file))
      out.push_back(std::move(file));
  }
  return out;
}

bool folder::find(file_info& file) const {
  struct stat s {};
  if (::lstat(path_of(file).c_str(), &s) != 0 || !S_ISREG(s.st_mode))
    return false;
  file.bytes = static_cast<uint64_t>(s.st_size);
  file.expires_ns = s.st_mtim.tv_sec * ns_per_s + s.st_mtim.tv_nsec;
  return true;
}

/// Under another name first, then linked into place.
fault folder::write(const file_info& file, std::string_view content) const {
  if (auto problem = make(); problem.code != errc::none)
    return problem;
  auto temporary = path_ + "/" + std::string{unfinished} + "XXXXXX";
  open_file f{::mkostemp(temporary.data(), O_CLOEXEC)}; // for its owner alone
  if (f.fd < 0)
    return failed("a file can not be made", errno);
  auto error = write_all(f.fd, content);
  timespec times[2]{{0, UTIME_NOW}, {file.expires_ns / ns_per_s, file.expires_ns % ns_per_s}};
  if (error == 0 && ::futimens(f.fd, times) != 0)
    error = errno;
  if (error == 0 && ::link(temporary.c_str(), path_of(file).c_str()) != 0) // never over another
    error = errno;
  ::unlink(temporary.c_str());
  return error == 0 ? fault{} : failed("it can not be written", error);
}

msg::outcome<std::string> folder::read(const file_info& file) const {
  open_file f{::open(path_of(file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  struct stat s {};
  if (f.fd < 0 || ::fstat(f.fd, &s) != 0 || !S_ISREG(s.st_mode))
    return fault{errc::unknown_handle, "it is gone"};
  std::string content(static_cast<size_t>(s.st_size), '\0');
  if (auto error = read_all(f.fd, content); error != 0)
    return failed("it can not be read", error);
  return content;
}

void folder::remove(const file_info& file) const { ::unlink(path_of(file).c_str()); }

void folder::remove_unfinished(int64_t now_ns) const {
  std::error_code ec;
  for (fs::directory_iterator it{path_, ec}, end; !ec && it != end; it.increment(ec)) {
    struct stat s {};
    bool is_ours = it->path().filename().string().starts_with(unfinished) && ::lstat(it->path().c_str(), &s) == 0;
    if (is_ours && s.st_ctim.tv_sec * ns_per_s < now_ns - unfinished_age_ns)
      ::unlink(it->path().c_str());
  }
}

} // namespace artifacts
