#include "sandbox/runtimes/type_check.hpp"

#include "testing/coroutines.hpp"
#include "tests/unit/support/in_child.hpp"
#include "tests/unit/support/places.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sandbox_type_check_test {

TEST(type_check, that_can_have_no_pipe_is_answered) {
  auto code = test::in_child([] {
    asio::io_context io;
    sandbox::box deno;
    deno.command = {"/runtime/deno", "main.ts"};
    sandbox::isolation_tools tools;
    tools.bubblewrap = "/usr/bin/bwrap";
    tools.guest_init = test::guest_init();
    tools.isolated.mode = sandbox::isolation_mode::namespaces;
    rlimit few{64, 64};
    ::setrlimit(RLIMIT_NOFILE, &few);
    int last = -1, before = -1;
    for (int fd; (fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0; last = fd)
      before = last;
    ::close(last); // enough for guest-init and the program, not for a pipe
    ::close(before);
    auto work = sandbox::check_types(io.get_executor(), deno, tools, {"1", "", std::chrono::seconds{5}},
                                     std::make_shared<sandbox::type_check_stop>());
    auto answer = test::run(io, std::move(work));
    return static_cast<int>(answer.error.code);
  });
  EXPECT_EQ(code, static_cast<int>(msg::errc::overloaded));
}

} // namespace sandbox_type_check_test
