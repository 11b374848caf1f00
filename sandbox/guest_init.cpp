// First program inside the box: sets the limits, closes every descriptor but the standard ones and the channel, and
// becomes the guest. Limits are set here and not outside, because RLIMIT_NPROC counts per user namespace only when it
// is set inside of it: set before, all guests together would share one count.
//
// Static and tiny, so that the box needs nothing for it: no C++ library, no allocation.
//
//   guest-init DATA_BYTES PROCESSES FILES CPU_SECONDS COMMAND ARGUMENT...

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr int channel = 3;
constexpr int own_arguments = 5;

[[noreturn]] void fail(const char* what) {
  auto why = strerror(errno);
  for (auto text : {"guest-init: ", what, ": ", static_cast<const char*>(why), "\n"})
    if (write(2, text, strlen(text)) < 0)
      break;
  _exit(71);
}

void limit(__rlimit_resource resource, const char* value) {
  rlimit wanted{};
  rlimit present{};
  getrlimit(resource, &present);
  wanted.rlim_cur = strtoull(value, nullptr, 10);
  if (wanted.rlim_cur > present.rlim_max)
    wanted.rlim_cur = present.rlim_max;
  wanted.rlim_max = wanted.rlim_cur;
  if (setrlimit(resource, &wanted) != 0)
    fail("setrlimit");
}

} // namespace

int main(int argc, char** argv, char** environment) {
  if (argc <= own_arguments) {
    errno = EINVAL;
    fail("too few arguments");
  }
  limit(RLIMIT_CORE, "0");
  limit(RLIMIT_DATA, argv[1]);
  limit(RLIMIT_NPROC, argv[2]);
  limit(RLIMIT_NOFILE, argv[3]);
  limit(RLIMIT_CPU, argv[4]);
  if (close_range(channel + 1, ~0u, 0) != 0)
    fail("close_range");
  execve(argv[own_arguments], argv + own_arguments, environment);
  fail(argv[own_arguments]);
}
