// A template of guests that fails, in each of the ways in which one can. A script stands for bubblewrap and for the
// interpreter in it: descriptor 3 has the orders. What a template does when all is well is tested end to end.
#include "sandbox/launch/guest_template.hpp"

#include "testing/folder.hpp"
#include "tests/unit/support/loop.hpp"

#include <asio/thread_pool.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <optional>

namespace sandbox_guest_template_test {

class guest_template_test : public testing::Test {
protected:
  guest_template_test() {
    tools_.guest_init = folder_.write_program("guest-init");
    tools_.guest_fork = folder_.write_program("guest-fork.so");
    tools_.isolated.mode = sandbox::isolation_mode::namespaces;
    box_.command = {"/python", "-I", "-S", "-u", "/guest/main.py"};
  }
  ~guest_template_test() override {
    if (guest_)
      guest_->finish();
    EXPECT_TRUE(until([&] { return ended_.has_value() || !guest_; }));
    guest_.reset();
    template_.reset();
    io_.restart();
    io_.run_for(std::chrono::milliseconds{10});
    workers_.join();
  }

  sandbox::guest_environment environment() { return {io_.get_executor(), workers_.get_executor(), {}, {}, {}, {}}; }
  /// `script`: of Python, with `orders`.
  void want(const std::string& script) {
    tools_.bubblewrap = folder_.write("bwrap", "#!/usr/bin/python3 -IS\nimport os, socket, sys, time\n"
                                               "orders = socket.socket(fileno=3)\n"
                                               "if orders.type != socket.SOCK_SEQPACKET: sys.exit(7)\n" // a guest
                                               "orders.recv(1)\n"
                                                 + script);
    for (auto& path : {folder_.path(), tools_.bubblewrap}) // root starts it as another user
      std::filesystem::permissions(path, std::filesystem::perms::all);
    template_->want(environment(), box_, tools_);
  }
  bool gets_ready() {
    return until([&] { return template_->is_ready(); });
  }
  void fork() {
    sandbox::guest_events events;
    events.frame = [](msg::document) -> asio::awaitable<void> { co_return; };
    events.ended = [this](msg::guest_exit how) { ended_ = std::move(how); };
    auto forked = template_->fork(environment(), 1, std::move(events));
    ASSERT_TRUE(forked.ok()) << forked.error.message;
    guest_ = std::move(forked.value);
  }
  template <class Condition>
  bool until(Condition condition) {
    return test::run_until(io_, condition);
  }

  test::folder folder_;
  asio::io_context io_;
  asio::thread_pool workers_{1};
  sandbox::isolation_tools tools_;
  sandbox::box box_;
  std::shared_ptr<sandbox::guest_template> template_ =
    std::make_shared<sandbox::guest_template>(msg::language::python, std::vector<std::string>{"numpy"});
  std::shared_ptr<sandbox::guest> guest_;
  std::optional<msg::guest_exit> ended_;
};

constexpr const char* say_ready = "orders.send(b'r')\n";

TEST_F(guest_template_test, one_that_says_nothing_is_not_ready) {
  want("time.sleep(60)\n");
  io_.run_for(std::chrono::milliseconds{50});
  EXPECT_FALSE(template_->is_ready());
  EXPECT_EQ(template_->problem(), "");
}

TEST_F(guest_template_test, what_it_says_at_its_end_is_why_there_is_none) {
  want("sys.exit('no module named \\x1b[1mnumpy')\n");
  EXPECT_TRUE(until([&] { return !template_->problem().empty(); }));
  EXPECT_EQ(template_->problem(), "it ended before it was ready: no module named \\u001b[1mnumpy");
  template_->want(environment(), box_, tools_); // not at once again
  io_.run_for(std::chrono::milliseconds{50});
  EXPECT_FALSE(template_->problem().empty());
}

TEST_F(guest_template_test, one_that_can_not_be_started_says_why) {
  tools_.guest_fork = folder_.path() + "/nothing";
  want(say_ready);
  EXPECT_EQ(template_->problem(), "the sandbox needs " + tools_.guest_fork + ": No such file or directory");
}

TEST_F(guest_template_test, there_is_none_for_what_lies_in_the_temp_folders_of_guests) {
  box_.mounts = {{folder_.path(), "/tmp/venv"}};
  want(say_ready);
  EXPECT_FALSE(template_->is_starting());
  EXPECT_EQ(template_->status(),
            "none: what programs need lies in /tmp or /dev/shm, which each of them has for itself");
}

TEST_F(guest_template_test, one_that_ends_is_not_ready_any_more) {
  want(std::string{say_ready} + "orders.recv(1)\n");
  EXPECT_TRUE(gets_ready());
  fork(); // which is its end
  EXPECT_TRUE(until([&] { return !template_->is_ready() && ended_.has_value(); }));
  EXPECT_EQ(template_->problem(), "it has ended");
  EXPECT_EQ(ended_->problem, "");
  EXPECT_EQ(ended_->code, 7) << "it was started for itself";
}

TEST_F(guest_template_test, a_guest_that_was_ended_before_it_was_made_ends_with_its_template) {
  want(std::string{say_ready} + "time.sleep(60)\n");
  EXPECT_TRUE(gets_ready());
  fork();
  guest_->finish();
  template_.reset(); // the guest keeps the process
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_TRUE(ended_->by_signal);
  EXPECT_EQ(ended_->code, SIGKILL);
}

TEST_F(guest_template_test, one_that_does_not_carry_out_orders_is_given_up) {
  want(std::string{say_ready} + "time.sleep(60)\n");
  EXPECT_TRUE(gets_ready());
  fork();
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->code, 7) << "it was started for itself";
  EXPECT_EQ(template_->problem(), "it does not carry out its orders");
}

/// What was started in its place has the same channel. Another guest keeps the template.
TEST_F(guest_template_test, a_box_that_is_made_too_late_can_not_tell_so) {
  auto told = folder_.path("told");
  want(std::string{say_ready} + "def next_box(): return socket.socket(fileno=socket.recv_fds(orders, 1, 8)[1][0])\n"
       + "def tell(life): socket.send_fds(life, [b'p'], [os.pidfd_open(os.getpid())])\n"
       + "first = next_box()\ntell(first)\nlate = next_box()\ntime.sleep(3)\n"
       + "try: tell(late)\nexcept BrokenPipeError: os.rename(__file__, '" + told + "')\ntime.sleep(60)\n");
  EXPECT_TRUE(gets_ready());
  fork();
  auto other = guest_;
  fork();
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->code, 7) << "it was started for itself";
  EXPECT_TRUE(until([&] { return std::filesystem::exists(told); }));
  ended_.reset();
  other->finish();
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
}

TEST_F(guest_template_test, what_a_guest_is_given_arrives) {
  want(std::string{say_ready} + R"(
life = socket.socket(fileno=socket.recv_fds(orders, 1, 8)[1][0])
socket.send_fds(life, [b'p'], [os.pidfd_open(os.getpid())])
cpu_seconds, (output, diagnostics, channel), flags, sender = socket.recv_fds(life, 4, 8)
os.write(output, b'said')
life.send((3 << 8).to_bytes(4, 'little'))
)");
  EXPECT_TRUE(gets_ready());
  fork();
  EXPECT_TRUE(until([&] { return ended_.has_value(); }));
  EXPECT_EQ(ended_->problem, "");
  EXPECT_FALSE(ended_->by_signal);
  EXPECT_EQ(ended_->code, 3);
  EXPECT_EQ(guest_->finish().output.head, "said");
}

TEST_F(guest_template_test, there_is_none_without_namespaces_or_its_library) {
  tools_.isolated.mode = sandbox::isolation_mode::landlock_only;
  want(say_ready);
  tools_.isolated.mode = sandbox::isolation_mode::namespaces;
  tools_.guest_fork.clear();
  want(say_ready);
  io_.run_for(std::chrono::milliseconds{50});
  EXPECT_FALSE(template_->is_ready());
  EXPECT_EQ(template_->problem(), "");
}

} // namespace sandbox_guest_template_test
