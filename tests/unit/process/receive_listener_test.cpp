#include "process/receive_listener.hpp"

#include "tests/unit/sandbox/egress/egress_fixture.hpp"

#include <array>
#include <fcntl.h>
#include <filesystem>

namespace process_receive_listener_test {

using namespace std::chrono_literals;
using process::descriptor;

size_t open_descriptors() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {}));
}

class receive_listener : public testing::Test {
protected:
  receive_listener() {
    auto [ours, theirs] = process::make_socket_pair();
    ours_ = std::move(ours);
    theirs_ = std::move(theirs);
  }
  /// What guest-init does: one byte, with the descriptors.
  void send(const std::vector<int>& fds) {
    char byte = 0;
    iovec data{&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(32 * sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    if (!fds.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
      auto* part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
      std::memcpy(CMSG_DATA(part), fds.data(), fds.size() * sizeof(int));
    }
    ASSERT_EQ(::sendmsg(theirs_.get(), &message, 0), 1);
  }
  msg::outcome<descriptor> receive(std::chrono::milliseconds patience = test::patience) {
    return test::run(io_, process::receive_listener(io_.get_executor(), std::move(ours_), AF_INET, patience));
  }

  asio::io_context io_;
  descriptor ours_, theirs_;
};

TEST_F(receive_listener, gives_a_listener_that_works) {
  test::listener made;
  auto port = made.port();
  send({made.take().get()}); // the sender's own copy is closed
  auto received = receive();
  ASSERT_TRUE(received.ok()) << received.error.message;
  EXPECT_TRUE(::fcntl(received.value.get(), F_GETFD) & FD_CLOEXEC);
  auto client = test::connect_to(port);
  test::peer server{::accept(received.value.get(), nullptr, nullptr)};
  client.send("x");
  EXPECT_EQ(server.read_until("x"), "x");
}

TEST_F(receive_listener, waits_for_it) {
  test::listener made;
  std::thread sender{[&] { send({made.take().get()}); }};
  EXPECT_TRUE(receive().ok());
  sender.join();
}

TEST_F(receive_listener, refuses_everything_else_and_keeps_none_of_it) {
  EXPECT_FALSE(receive(1ms).ok()); // asio opens descriptors of its own at its first use
  test::listener made;
  descriptor nothing{::open("/dev/null", O_RDONLY | O_CLOEXEC)}, idle{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)},
    datagrams{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)}, local{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  auto good = made.take();
  for (auto& fds : std::vector<std::vector<int>>{{},
                                                 {nothing.get()},
                                                 {idle.get()},
                                                 {datagrams.get()},
                                                 {local.get()},
                                                 {good.get(), good.get()},
                                                 std::vector<int>(20, good.get())}) {
    auto [ours, theirs] = process::make_socket_pair();
    ours_ = std::move(ours);
    theirs_ = std::move(theirs);
    auto before = open_descriptors();
    send(fds);
    auto received = receive();
    EXPECT_EQ(received.error.code, msg::errc::internal) << fds.size();
    EXPECT_EQ(open_descriptors(), before - 1) << "only the end that was handed over is gone";
  }
}

TEST_F(receive_listener, does_not_wait_forever) {
  auto late = receive(20ms);
  EXPECT_NE(late.error.message.find("after 20 ms"), late.error.message.npos) << late.error.message;
}

TEST_F(receive_listener, sees_that_the_sender_is_gone) {
  theirs_ = descriptor{};
  EXPECT_NE(receive().error.message.find("ended before"), std::string::npos);
}

} // namespace process_receive_listener_test
