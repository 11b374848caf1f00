#include "recording/recorder.hpp"

#include "tests/unit/recording/recording_fixture.hpp"

#include <asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <new>
#include <string>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace recording_recorder_test {

using namespace recording_tests;

TEST_F(recording_file, is_written_for_its_owner_and_goes_on_behind_a_line_that_was_cut_off) {
  asio::io_context io;
  {
    auto to = recording::recorder::open(path(), io.get_executor());
    ASSERT_TRUE(to.ok()) << to.error.message;
    to.value->write(msg::document{json::object{{"n", 1}}});
    io.run();
  }
  struct stat found {};
  ASSERT_EQ(::stat(path().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  append(R"({"n":2)");
  auto before = text();
  {
    auto to = recording::recorder::open(path(), io.get_executor());
    ASSERT_TRUE(to.ok()) << to.error.message;
    io.restart();
    to.value->write(msg::document{json::object{{"n", 3}}});
    io.run();
  }
  EXPECT_EQ(text(), before + "\n{\"n\":3}\n");
}

TEST_F(recording_file, another_file_is_not_written_to) {
  append("precious\n");
  asio::io_context io;
  EXPECT_NE(recording::recorder::open(path(), io.get_executor()).error.message.find("its first line"),
            std::string::npos);
  EXPECT_EQ(text(), "precious\n");
}

TEST_F(recording_file, a_pipe_is_no_recording) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  asio::io_context io;
  EXPECT_NE(recording::recorder::open(path(), io.get_executor()).error.message.find("no regular file"),
            std::string::npos);
}

TEST_F(recording_file, a_lock_that_another_program_holds_is_not_waited_for_for_ever) {
  begin();
  auto other = ::open(path().c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_SH), 0);
  asio::io_context io;
  auto to = recording::recorder::open(path(), io.get_executor());
  ::close(other);
  EXPECT_NE(to.error.message.find(path() + " can not be written: another program has held a lock on it"),
            std::string::npos)
    << to.error.message;
  EXPECT_TRUE(recording::recorder::open(path(), io.get_executor()).ok());
}

TEST_F(recording_file, what_a_full_disk_has_lost_is_counted_and_the_next_line_is_whole) {
  asio::io_context io;
  auto to = recording::recorder::open(path(), io.get_executor());
  ASSERT_TRUE(to.ok()) << to.error.message;
  auto write = [&](int number) {
    to.value->write(msg::document{json::object{{"n", number}, {"text", std::string(100, 'x')}}});
    io.restart();
    io.run();
  };
  write(1);
  auto before = text();
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  rlimit full{before.size() + 50, unlimited.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  write(2);
  write(3);
  ::setrlimit(RLIMIT_FSIZE, &unlimited);
  ::signal(SIGXFSZ, SIG_DFL);
  write(4);
  auto line = [](int number) {
    return "{\"n\":" + std::to_string(number) + ",\"text\":\"" + std::string(100, 'x') + "\"}\n";
  };
  EXPECT_EQ(text(), before + line(2).substr(0, 50) + "\n{\"lostLines\":2}\n" + line(4));
}

TEST_F(recording_file, lines_are_made_elsewhere_and_those_that_have_to_wait_too_long_are_lost) {
  asio::io_context io;
  std::thread::id made_by;
  {
    auto to = recording::recorder::open(path(), io.get_executor());
    ASSERT_TRUE(to.ok()) << to.error.message;
    to.value->write(recording::lone_line_bytes_max + 1, [] { return std::string{"0"}; });
    to.value->write(0, [] { return std::string{}; });
    to.value->write(recording::lone_line_bytes_max, [&] {
      made_by = std::this_thread::get_id();
      return std::string{"1"};
    });
    to.value->write(1, [] { return std::string{"2"}; });
    EXPECT_EQ(made_by, std::thread::id{});
    std::thread{[&] { io.run(); }}.join();
    EXPECT_NE(made_by, std::this_thread::get_id());
  }
  EXPECT_TRUE(text().ends_with("\n{\"lostLines\":2}\n1\n")) << text();
}

TEST_F(recording_file, what_is_not_written_at_the_end_is_written_then) {
  {
    asio::io_context ended; // does nothing
    auto to = recording::recorder::open(path(), ended.get_executor());
    ASSERT_TRUE(to.ok()) << to.error.message;
    to.value->write(msg::document{json::object{{"n", 1}}});
    to.value->write(1, []() -> std::string { throw std::bad_alloc{}; });
    to.value = nullptr;
  }
  EXPECT_TRUE(text().ends_with("\n{\"n\":1}\n{\"lostLines\":1}\n")) << text();
}

} // namespace recording_recorder_test
