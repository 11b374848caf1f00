#include "cli/program_file.hpp"

#include "process/child.hpp"
#include "text/utf8.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace cli {

using msg::errc;
using msg::fault;

namespace {

constexpr size_t chunk_bytes = 64u << 10;

std::string shown_name(const std::string& path) { return path == stdin_name ? "stdin" : path; }

fault unreadable(const std::string& path, const std::string& why) {
  return {errc::invalid_argument, shown_name(path) + " can not be read: " + why};
}

/// One byte more than the limit says that there are more.
msg::outcome<std::string> read_all(int from, const std::string& path, size_t bytes_max) {
  std::string out, chunk(chunk_bytes, '\0');
  while (out.size() <= bytes_max) {
    auto n = ::read(from, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return unreadable(path, std::strerror(errno));
    if (n == 0)
      break;
    out.append(chunk, 0, static_cast<size_t>(n));
  }
  return out;
}

} // namespace

std::optional<msg::language> language_of(std::string_view path) {
  if (path.ends_with(".py"))
    return msg::language::python;
  for (std::string_view end : {".ts", ".mts", ".cts", ".js", ".mjs", ".cjs", ".tsx", ".jsx"})
    if (path.ends_with(end))
      return msg::language::typescript;
  return std::nullopt;
}

msg::outcome<std::string> read_text(const std::string& path, size_t bytes_max, std::string_view limit) {
  process::descriptor file;
  if (path != stdin_name) {
    file = process::descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)};
    if (!file)
      return unreadable(path, std::strerror(errno));
  }
  auto text = read_all(file ? file.get() : STDIN_FILENO, path, bytes_max);
  if (text.ok() && text.value.size() > bytes_max)
    return fault{errc::limit_exceeded, shown_name(path) + " has more than " + std::to_string(bytes_max)
                                         + " bytes, which is the limit (" + std::string{limit} + ")"};
  if (text.ok() && text::valid_utf8(text.value) != text.value)
    return unreadable(path, "it is no UTF-8 text");
  return text;
}

std::string without_shebang(std::string code, msg::language lang) {
  if (lang == msg::language::typescript && code.starts_with("#!"))
    code.replace(0, 2, "//");
  return code;
}

} // namespace cli
