#include "proxy/memory/passing_owners.hpp"

#include "sqlite/database.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

namespace memory {

using msg::errc;
using msg::fault;

namespace {

constexpr std::string_view session = "session ", connection = "connection ", token = "token ";
constexpr size_t session_id_chars = 32;
constexpr int lock_look_ms = 10;

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_of_id(char c) { return is_small(c) || is_digit(c); }
bool is_of_number(char c) { return is_of_id(c) || c == '-'; }

/// Behind `prefix`, as a text: what has no other characters than `of` is empty without them.
std::string begins_sql(std::string_view prefix, std::string_view of) {
  auto begin = std::string{prefix}, end = begin, from = std::to_string(prefix.size() + 1);
  ++end.back(); // what is compared is bytes
  return "client > CAST('" + begin + "' AS BLOB) AND client < CAST('" + end + "' AS BLOB) AND trim(CAST(substr(client, "
         + from + ") AS TEXT), '" + std::string{of} + "') = ''";
}

const std::string small_and_digits = "abcdefghijklmnopqrstuvwxyz0123456789";

} // namespace

const std::string is_passing_sql = "((" + begins_sql(session, small_and_digits)
                                   + " AND length(client) = " + std::to_string(session.size() + session_id_chars)
                                   + ") OR (" + begins_sql(connection, small_and_digits + "-")
                                   + " AND CAST(substr(client, -1) AS TEXT) BETWEEN '0' AND '9'))";

bool is_passing(std::string_view client) {
  if (client.starts_with(session))
    return client.size() == session.size() + session_id_chars
           && std::all_of(client.begin() + session.size(), client.end(), is_of_id);
  return client.starts_with(connection) && is_digit(client.back())
         && std::all_of(client.begin() + connection.size(), client.end(), is_of_number);
}

std::string passing_free_name(std::string name) {
  return is_passing(name) || name.starts_with(token) ? "program " + name : name;
}

bool passing_presence::lock(int how) {
  if (!file_)
    file_ = process::descriptor{::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  return file_ && ::flock(file_.get(), how | LOCK_NB) == 0;
}

fault passing_presence::stay() {
  for (auto looks = sqlite::busy_max.count() / lock_look_ms; !is_staying_; --looks) {
    is_staying_ = lock(LOCK_SH);
    if (is_staying_)
      break;
    bool is_held = file_ && (errno == EWOULDBLOCK || errno == EINTR);
    if (!is_held)
      return {errc::internal, path_ + ": can not be locked: " + std::strerror(errno)};
    if (looks <= 0)
      return {errc::overloaded, "the memory is being swept by another server; try again"};
    ::poll(nullptr, 0, lock_look_ms);
  }
  return {};
}

bool passing_presence::be_alone() { return !is_staying_ && lock(LOCK_EX); }

void passing_presence::leave() {
  if (file_)
    ::flock(file_.get(), LOCK_UN);
  is_staying_ = false;
}

} // namespace memory
