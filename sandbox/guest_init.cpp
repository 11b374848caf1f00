// First program inside the box: sets the limits, closes every descriptor but the standard ones and the channel, and
// becomes the guest. Limits are set here and not outside, because RLIMIT_NPROC counts per user namespace only when it
// is set inside of it: set before, all guests together would share one count.
//
// Static and tiny, so that the box needs nothing for it: no C++ library, no allocation.
//
//   guest-init KEY=VALUE... -- COMMAND ARGUMENT...
//
//   data=BYTES nproc=N nofile=N fsize=BYTES cpu=SECONDS   limits of every process of the guest
//   listener=FD   listen on 127.0.0.1:3128 and send that socket over the Unix socket FD

#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr int channel = 3;
constexpr uint16_t proxy_port = 3128;
constexpr int proxy_backlog = 64;

[[noreturn]] void fail(const char* what) {
  auto why = strerror(errno);
  for (auto text : {"guest-init: ", what, ": ", static_cast<const char*>(why), "\n"})
    if (write(2, text, strlen(text)) < 0)
      break;
  _exit(71);
}

[[noreturn]] void misused(const char* what) {
  errno = EINVAL;
  fail(what);
}

void limit(__rlimit_resource resource, rlim_t wanted) {
  rlimit present{};
  getrlimit(resource, &present);
  auto value = wanted < present.rlim_max ? wanted : present.rlim_max;
  rlimit both{value, value};
  if (setrlimit(resource, &both) != 0)
    fail("setrlimit");
}

/// The descriptor with the one byte that has to go with it.
bool send_descriptor(int over, int sent) {
  char byte = 0;
  iovec content{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof sent)] = {};
  msghdr message{};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  auto header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof sent);
  memcpy(CMSG_DATA(header), &sent, sizeof sent);
  return sendmsg(over, &message, MSG_NOSIGNAL) == 1;
}

/// The guest's way out: whoever holds the other end of `over` accepts here what the guest connects.
void give_listener(int over) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(proxy_port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (s < 0 || bind(s, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 || listen(s, proxy_backlog) != 0 || !send_descriptor(over, s))
    fail("listener");
  close(s);
  close(over);
}

/// The number behind "key=" when `argument` begins with that.
bool has_value(const char* argument, const char* key, rlim_t& value) {
  auto n = strlen(key);
  if (strncmp(argument, key, n) != 0 || argument[n] != '=')
    return false;
  char* end = nullptr;
  errno = 0;
  value = strtoull(argument + n + 1, &end, 10);
  if (errno != 0 || end == argument + n + 1 || *end != '\0')
    misused(argument);
  return true;
}

void obey(const char* argument) {
  rlim_t value = 0;
  if (has_value(argument, "data", value))
    limit(RLIMIT_DATA, value);
  else if (has_value(argument, "nproc", value))
    limit(RLIMIT_NPROC, value);
  else if (has_value(argument, "nofile", value))
    limit(RLIMIT_NOFILE, value);
  else if (has_value(argument, "fsize", value))
    limit(RLIMIT_FSIZE, value);
  else if (has_value(argument, "cpu", value))
    limit(RLIMIT_CPU, value);
  else if (has_value(argument, "listener", value))
    give_listener(static_cast<int>(value));
  else
    misused(argument);
}

} // namespace

int main(int, char** argv, char** environment) {
  limit(RLIMIT_CORE, 0);
  signal(SIGXFSZ, SIG_IGN); // a file over the limit is an error of the write, not the end of the guest
  auto at = argv + 1;
  for (; *at && strcmp(*at, "--") != 0; ++at)
    obey(*at);
  if (!*at || !at[1])
    misused("no command");
  if (close_range(channel + 1, ~0u, 0) != 0)
    fail("close_range");
  execve(at[1], at + 1, environment);
  fail(at[1]);
}
