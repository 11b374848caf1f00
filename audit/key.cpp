#include "audit/key.hpp"

#include "process/child.hpp"

#include <nettle/hmac.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace audit {

namespace fs = std::filesystem;
using msg::errc;
using msg::fault;

namespace {

constexpr size_t key_bytes = 32;
constexpr const char* after_damage =
  "; remove it, and a new one is made: `code-executor audit verify` then says that nobody knows who has written the "
  "record so far";

std::string hex_of(const uint8_t* bytes, size_t count) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (size_t i = 0; i < count; ++i)
    (out += digits[bytes[i] >> 4]) += digits[bytes[i] & 15];
  return out;
}

fault failed(const std::string& path, const std::string& what, int error) {
  return {errc::internal, path + ": the key of the audit log " + what + ": " + std::strerror(error)};
}

/// Under another name first, then linked into place: no server ever reads half of it.
fault make_key(const std::string& path) {
  std::error_code ec;
  auto folder = fs::path{path}.parent_path();
  fs::create_directories(folder.parent_path(), ec);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return failed(path, "can not be made", errno);
  auto temporary = path + ".new-XXXXXX";
  process::descriptor file{::mkstemp(temporary.data())}; // for its owner alone
  if (file.get() < 0)
    return failed(path, "can not be made", errno);
  std::array<uint8_t, key_bytes> bytes{};
  // Never for so few, once the machine has started.
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return failed(path, "can not be made", EIO);
  auto text = hex_of(bytes.data(), bytes.size()) + "\n";
  int error =
    ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file.get()) == 0
      ? 0
      : errno;
  if (error == 0 && ::link(temporary.c_str(), path.c_str()) != 0)
    error = errno;
  ::unlink(temporary.c_str());
  return error == 0 || error == EEXIST ? fault{} : failed(path, "can not be made", error);
}

} // namespace

std::string key_file(const std::string& state_folder) {
  return state_folder.empty() ? std::string{} : state_folder + "/audit.key";
}

msg::outcome<seal_key> read_key(const std::string& path) {
  if (path.empty())
    return seal_key{};
  process::descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
  if (file.get() < 0)
    return errno == ENOENT ? msg::outcome<seal_key>{seal_key{}} : failed(path, "can not be read", errno);
  ::fchmod(file.get(), 0600);
  std::array<char, 2 * key_bytes + 2> text{};
  auto n = ::read(file.get(), text.data(), text.size());
  std::string_view all{text.data(), n > 0 ? static_cast<size_t>(n) : 0};
  if (all.size() != 2 * key_bytes + 1 || all.find_first_not_of("0123456789abcdef") != 2 * key_bytes)
    return fault{errc::internal, path + ": the key of the audit log is damaged" + after_damage};
  return seal_key{std::string{all.substr(0, 2 * key_bytes)}, false};
}

msg::outcome<seal_key> read_or_make_key(const std::string& path) {
  auto known = read_key(path);
  if (path.empty() || !known.ok() || !known.value.bytes.empty())
    return known;
  if (auto problem = make_key(path); problem.code != errc::none)
    return problem;
  known = read_key(path);
  known.value.is_new = true;
  return known;
}

std::string seal_of(const std::string& key, std::string_view text) {
  hmac_sha256_ctx state;
  nettle_hmac_sha256_set_key(&state, key.size(), reinterpret_cast<const uint8_t*>(key.data()));
  nettle_hmac_sha256_update(&state, text.size(), reinterpret_cast<const uint8_t*>(text.data()));
  std::array<uint8_t, SHA256_DIGEST_SIZE> out{};
  nettle_hmac_sha256_digest(&state, out.size(), out.data());
  return hex_of(out.data(), out.size());
}

} // namespace audit
