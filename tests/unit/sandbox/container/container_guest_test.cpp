#include "sandbox/container/container_guest.hpp"

#include "messages/document.hpp"
#include "testing/coroutines.hpp"
#include "tests/unit/support/fake_engine.hpp"
#include "tests/unit/support/loop.hpp"
#include "tests/unit/support/places.hpp"
#include "tests/unit/support/processes.hpp"

#include <asio/steady_timer.hpp>
#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

namespace sandbox_container_guest_test {

using std::chrono::milliseconds;

/// Stands for a container: the real first program, which starts a guest of four lines.
constexpr const char* first_process = R"(
import os, sys
os.chdir(next(a for a in sys.argv if a.endswith(':/ipc:ro')).partition(':')[0])  # an address has 108 bytes
token = os.environ['CODE_EXECUTOR_TOKEN']
mode = open(HERE + '/mode').read()
import socket
if mode == 'stranger':
    for said in (b'', b'0' * 32, token.encode()[:31] + b'x'):
        with socket.socket(socket.AF_UNIX) as s:
            s.connect('channel')
            s.sendall(said)
            s.shutdown(socket.SHUT_WR)
            if s.recv(1):
                sys.exit('a stranger was served')
os.environ['HOME'] = '/'
source = open(ROOT + '/sandbox/guest/container/connect.py').read()
source = source.replace('/ipc/channel', 'channel').replace('/guest/python/main.py', HERE + '/small_guest.py')
if mode == 'deaf':
    source = source.replace('posix._exit(EXIT_LET_GO)', 'pass')
sys.argv = ['connect.py', '0', '0']
exec(compile(source, 'connect.py', 'exec'))
)";
constexpr const char* small_guest = R"(
import os
print('printed', 'CODE_EXECUTOR_TOKEN' in os.environ, flush=True)
body = b'{"type":"ready"}'
os.write(3, len(body).to_bytes(4, 'big') + body)
while True:
    got = os.read(3, 1000)
    if got[4:] == b'"exit"' or not got:
        os._exit(5)
)";

class container_guest_test : public testing::Test {
protected:
  container_guest_test() {
    auto here = "HERE = '" + fake_.path("") + "'\nROOT = '" + test::source("") + "'\n";
    fake_.write("first.py", here + first_process);
    fake_.write("small_guest.py", small_guest);
    fake_.write("mode", "good");
    fake_.when("run", "case \"$*\" in *probe.py) cat " + fake_.path("probe") + " ;; *) exec python3 "
                        + fake_.path("first.py") + " \"$@\" ;; esac");
  }
  void start() {
    sandbox::guest_events events;
    events.frame = [this](msg::document frame) -> asio::awaitable<void> {
      frames_.push_back(frame.text());
      co_return;
    };
    events.ended = [this](msg::guest_exit how) { ended_ = std::move(how); };
    auto started =
      sandbox::start_container_guest({io_.get_executor(), workers_.get_executor()}, host_, 0, std::move(events));
    ASSERT_TRUE(started.ok()) << started.error.message;
    guest_ = std::move(started.value);
  }
  template <class Condition>
  bool until(Condition condition) {
    return test::run_until(io_, condition);
  }
  bool until_ready() {
    return until([&] { return !frames_.empty(); });
  }
  bool until_ended() {
    return until([&] { return ended_.has_value(); });
  }
  bool folders_are_gone() {
    return std::filesystem::is_empty(*std::filesystem::directory_iterator{fake_.path("state/containers")});
  }

  std::unique_ptr<asio::io_context> loop_ = std::make_unique<asio::io_context>();
  asio::io_context& io_ = *loop_;
  asio::thread_pool workers_{1};
  test::fake_engine fake_;
  std::shared_ptr<sandbox::container_host> host_ = fake_.host(io_);
  std::shared_ptr<sandbox::guest> guest_;
  std::vector<std::string> frames_;
  std::optional<msg::guest_exit> ended_;
};

TEST_F(container_guest_test, talks_and_ends_by_itself) {
  start();
  EXPECT_TRUE(guest_->send(msg::spliced_text{"\"exit\""})) << "before there is a container";
  ASSERT_TRUE(until_ended());
  EXPECT_EQ(frames_, std::vector<std::string>{R"({"type":"ready"})"});
  EXPECT_EQ(ended_->code, 5);
  EXPECT_EQ(ended_->problem, "");
  EXPECT_EQ(guest_->finish().output.head, "printed False\n");
  EXPECT_TRUE(folders_are_gone());
  EXPECT_EQ(fake_.log().find("rm --force"), std::string::npos) << "--rm has done it";
}

TEST_F(container_guest_test, ends_with_its_leash) {
  start();
  ASSERT_TRUE(until_ready());
  EXPECT_FALSE(folders_are_gone());
  EXPECT_EQ(guest_->finish().output.head, "printed False\n");
  ASSERT_TRUE(until_ended());
  EXPECT_EQ(ended_->code, 137);
  EXPECT_EQ(fake_.log().find("rm --force"), std::string::npos);
}

TEST_F(container_guest_test, serves_no_stranger) {
  fake_.write("mode", "stranger");
  start();
  ASSERT_TRUE(until_ready()) << (ended_ ? ended_->problem : "");
  guest_->finish();
  ASSERT_TRUE(until_ended());
}

TEST_F(container_guest_test, is_killed_and_removed_when_it_does_not_let_go) {
  fake_.write("mode", "deaf");
  start();
  ASSERT_TRUE(until_ready());
  guest_->finish();
  ASSERT_TRUE(until_ended());
  EXPECT_TRUE(ended_->by_signal);
  EXPECT_TRUE(test::soon([&] { return fake_.log().find("rm --force") != std::string::npos; }))
    << "nobody waits for the removal";
}

TEST_F(container_guest_test, is_removed_at_the_end_of_a_server_that_does_not_wait_for_it) {
  fake_.write("mode", "deaf");
  start();
  ASSERT_TRUE(until_ready());
  guest_->finish();
  EXPECT_EQ(fake_.log().find("rm --force"), std::string::npos) << "it may still end in order";
  guest_.reset();
  host_.reset();
  loop_.reset(); // and all that waits in it
  EXPECT_TRUE(test::soon([&] { return fake_.log().find("rm --force") != std::string::npos; }));
}

TEST_F(container_guest_test, bounds_the_life_of_a_container_from_outside) {
  start();
  ASSERT_TRUE(until_ready());
  EXPECT_NE(fake_.log().find("--timeout 86400 "), std::string::npos);
  guest_->finish();
  ASSERT_TRUE(until_ended());
}

TEST_F(container_guest_test, tells_why_a_container_did_not_start) {
  EXPECT_TRUE(test::run(io_, host_->engine()).ok());
  fake_.when("run", "echo warning >&2; echo 'Error: no space left' >&2; exit 125");
  start();
  ASSERT_TRUE(until_ended());
  EXPECT_EQ(ended_->problem, "the container did not start: Error: no space left");
  EXPECT_NE(fake_.log().find("rm --force"), std::string::npos);
  EXPECT_TRUE(folders_are_gone());
}

TEST_F(container_guest_test, tells_why_there_is_no_engine) {
  fake_.when("image", "exit 1");
  start();
  ASSERT_TRUE(until_ended());
  EXPECT_NE(ended_->problem.find("podman pull"), std::string::npos);
}

TEST_F(container_guest_test, can_be_finished_before_it_has_started) {
  start();
  EXPECT_EQ(guest_->finish().output.head, "");
  ASSERT_TRUE(until_ended());
  EXPECT_EQ(ended_->problem, "");
  EXPECT_TRUE(frames_.empty());
}

} // namespace sandbox_container_guest_test
