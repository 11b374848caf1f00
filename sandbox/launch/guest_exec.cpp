// Waits in its cgroups for what to exec: see prespawned_process.hpp. Static and tiny, because one always waits.
//
// Descriptor 3: the orders; 4 and up: files of the cgroups to join.

#include "process/become.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sys/resource.h>
#include <sys/socket.h>

namespace {

using namespace process;

constexpr int orders = 3;

char text[prespawned_order_bytes_max + 1];
char* strings[prespawned_strings_max + 2];
placed_descriptor placed[prespawned_descriptors_max];

[[noreturn]] void fail(const char* what, const char* name = "") {
  auto why = strerror(errno);
  for (auto part : {what, name, ": ", static_cast<const char*>(why), "\n"})
    if (write(2, part, strlen(part)) < 0)
      break;
  _exit(72);
}

/// 0, or errno. Closes what it has joined.
int join_all() {
  int problem = 0;
  for (int cgroup = orders + 1; fcntl(cgroup, F_GETFD) >= 0; ++cgroup) {
    if (write(cgroup, "0", 1) != 1)
      problem = errno;
    close(cgroup);
  }
  return problem;
}

/// The length of a message, which is at `to`; its descriptors are added to `placed`. Ends with its giver.
size_t receive(char* to, size_t bytes_max, size_t& descriptors) {
  iovec whole{to, bytes_max};
  alignas(cmsghdr) static char control[CMSG_SPACE(message_descriptors_max * sizeof(int))];
  msghdr message{};
  message.msg_iov = &whole;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  auto size = recvmsg(orders, &message, MSG_CMSG_CLOEXEC);
  if (size < 1)
    _exit(0); // the giver is gone
  if (auto* rights = CMSG_FIRSTHDR(&message)) {
    auto count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count && descriptors < prespawned_descriptors_max; ++i, ++descriptors)
      memcpy(&placed[descriptors].from, CMSG_DATA(rights) + i * sizeof(int), sizeof(int));
  }
  return static_cast<size_t>(size);
}

/// Takes one order apart.
class order_reader {
public:
  order_reader(char* at, char* end) : at_(at), end_(end) {}

  void copy(void* to, size_t size) {
    require(static_cast<size_t>(end_ - at_) >= size);
    memcpy(to, at_, size);
    at_ += size;
  }
  /// A text that ends where its length says, and nowhere before.
  char* next() {
    uint32_t size = 0;
    copy(&size, sizeof size);
    require(static_cast<size_t>(end_ - at_) > size && memchr(at_, 0, size + size_t{1}) == at_ + size);
    auto* text = at_;
    at_ += size + size_t{1};
    return text;
  }
  static void require(bool true_of_every_order) {
    errno = EINVAL;
    if (!true_of_every_order)
      fail("cannot understand the order");
  }

private:
  char* at_;
  char* end_;
};

} // namespace

int main() {
  rlimit open_files{}; // of the program; an order may come with more
  getrlimit(RLIMIT_NOFILE, &open_files);
  rlimit all{open_files.rlim_max, open_files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &all);
  auto problem = join_all(); // told when the giver's descriptors are there to tell it by
  size_t descriptors = 0;
  auto size = receive(text, prespawned_order_bytes_max, descriptors);
  order_reader reader{text, text + size};
  prespawned_order order{};
  reader.copy(&order, sizeof order);
  for (char further; descriptors < order.descriptors && descriptors < prespawned_descriptors_max;)
    receive(&further, 1, descriptors);
  order_reader::require(order.descriptors == descriptors && order.arguments > 0
                        && order.arguments <= prespawned_strings_max
                        && order.environment <= prespawned_strings_max - order.arguments);
  for (size_t i = 0; i < descriptors; ++i)
    reader.copy(&placed[i].to, sizeof(int32_t));
  const auto* folder = reader.next();
  char** argv = strings;
  char** environment = strings + order.arguments + 1; // a null ends each
  for (uint32_t i = 0; i < order.arguments; ++i)
    argv[i] = reader.next();
  for (uint32_t i = 0; i < order.environment; ++i)
    environment[i] = reader.next();
  if (!place_descriptors(placed, descriptors))
    fail("cannot start ", argv[0]);
  setrlimit(RLIMIT_NOFILE, &open_files);
  errno = problem;
  if (problem != 0)
    fail("cannot join the cgroup of the sandbox");
  if (*folder != '\0' && chdir(folder) != 0)
    fail("cannot enter ", folder);
  if (!become_user(order.user))
    fail("cannot start ", argv[0]);
  if (!die_with(order.parent))
    _exit(0);
  execve(argv[0], argv, environment);
  fail("cannot start ", argv[0]);
}
