#include "sqlite/file.hpp"

#include "proxy/memory/store.hpp"
#include "tests/unit/proxy/memory/store_fixture.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memory_store_file_test {

using namespace test;
using msg::errc;

class store_file_test : public store_fixture {};

// ---- the file ----------------------------------------------------------------------------------

TEST_F(store_file_test, there_is_no_file_before_the_first_request) {
  EXPECT_EQ(store().take_warning(), "");
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_EQ(save(std::string(500, 'k'), "1").substr(0, 14), "limit_exceeded");
  EXPECT_FALSE(std::filesystem::exists(folder())) << "nor for one that is refused";
}

TEST_F(store_file_test, the_file_is_for_its_owner_alone) {
  save("k", "1");
  auto mode = [](const std::string& path) {
    struct stat s {};
    return ::stat(path.c_str(), &s) == 0 ? s.st_mode & 07777 : 0u;
  };
  EXPECT_EQ(mode(folder()), 0700u);
  for (auto& name : files())
    EXPECT_EQ(mode(folder() + "/" + name), 0600u) << name;
  EXPECT_EQ(files().front(), "memory.db");
  store_.reset();
  EXPECT_EQ(files(), strings{"memory.db"}) << "nothing else is left behind";
  ::chmod(file().c_str(), 0644);
  load("k");
  EXPECT_EQ(mode(file()), 0600u);
}

TEST_F(store_file_test, a_damaged_file_is_put_aside) {
  const strings contents{
    "this is no database, whatever it may be; it is even longer than the header of one, which has a hundred bytes", "",
    std::string("SQLite format 3\0", 16) + std::string(5'000, 'x')};
  for (auto& content : contents) {
    std::filesystem::remove_all(folder());
    folder_.write("state/memory.db", content);
    EXPECT_EQ(save("k", "1"), R"({"saved":true,"version":1})");
    ASSERT_EQ(damaged_files().size(), 1u);
    EXPECT_TRUE(damaged_files().front().starts_with("memory.db.damaged-2025-01-31T12:00:0")) << damaged_files().front();
    EXPECT_EQ(std::filesystem::file_size(folder() + "/" + damaged_files().front()), content.size())
      << "it is kept as it was";
    auto warning = store().take_warning();
    EXPECT_NE(warning.find(folder() + "/" + damaged_files().front()), std::string::npos) << warning;
    EXPECT_EQ(store().take_warning(), "") << "told once";
    store_.reset();
  }
}

TEST_F(store_file_test, damage_inside_is_found_at_the_next_opening) {
  for (int i = 0; i < 200; ++i)
    save("k" + std::to_string(i), "\"" + std::string(500, 'x') + "\"");
  store_.reset();
  auto size = std::filesystem::file_size(file());
  std::filesystem::resize_file(file(), size / 2 / 4096 * 4096);
  EXPECT_EQ(load("k0"), "null");
  EXPECT_EQ(damaged_files().size(), 1u);
  EXPECT_NE(store().take_warning(), "");
}

TEST_F(store_file_test, a_database_of_somebody_else_is_not_written_to) {
  std::filesystem::create_directories(folder());
  folder_.write("state/memory.db", "");
  {
    sqlite::database other;
    other.open(file());
    other.execute("CREATE TABLE t(x); PRAGMA user_version = 7");
    ASSERT_TRUE(other.ok());
  }
  EXPECT_EQ(save("k", "1"), R"({"saved":true,"version":1})");
  EXPECT_EQ(damaged_files().size(), 1u);
}

TEST_F(store_file_test, a_file_of_a_newer_version_is_left_alone) {
  save("k", "1");
  insert_rows(file(), "SELECT i FROM n; PRAGMA user_version = 3", 1);
  store_.reset();
  EXPECT_TRUE(load("k").find("a newer version of code-executor made it") != std::string::npos) << load("k");
  EXPECT_TRUE(damaged_files().empty());
}

TEST_F(store_file_test, a_file_that_another_server_replaced_is_opened_anew) {
  save("k", "1");
  memory::store other{folder(), ticking()};
  EXPECT_EQ(run(other, save_request("k", doc("2"))), R"({"saved":true,"version":2})");
  std::filesystem::rename(file(), folder() + "/memory.db.damaged-by-another");
  EXPECT_EQ(load("k"), "null");
  EXPECT_EQ(save("k", "3"), R"({"saved":true,"version":1})");
  EXPECT_EQ(run(other, request(memory_operation::memory_load, "k")).substr(0, 21), R"({"key":"k","value":3,)");
}

TEST_F(store_file_test, the_log_of_a_deleted_file_is_not_taken_for_the_new_ones) {
  save("secret", "1");
  std::filesystem::copy_file(file() + "-wal", folder() + "/copy-wal");
  store_.reset();
  std::filesystem::remove(file());
  std::filesystem::rename(folder() + "/copy-wal", file() + "-wal");
  EXPECT_EQ(load("secret"), "null");
  EXPECT_EQ(save("k", "1"), R"({"saved":true,"version":1})");
  EXPECT_EQ(store().take_warning(), "");
}

TEST_F(store_file_test, a_folder_that_can_not_be_made_is_a_fault) {
  memory::store nowhere{""};
  EXPECT_NE(run(nowhere, request(memory_operation::memory_list)).find("HOME is not set"), std::string::npos);
  memory::store below_a_file{folder_.write("file", "x") + "/state"};
  auto told = run(below_a_file, request(memory_operation::memory_list));
  EXPECT_TRUE(told.starts_with("internal: ") && told.find("stateDir") != std::string::npos) << told;
  memory::store a_file{folder_.path("file")};
  EXPECT_NE(run(a_file, request(memory_operation::memory_list)).find("Not a directory"), std::string::npos);
}

// ---- several at once ---------------------------------------------------------------------------

/// Adds one to the number under "n", as often as said, by load and save with its version. How often it had to try
/// again.
int count_up(const std::string& folder, int times) {
  memory::store store{folder};
  int lost = 0;
  for (int done = 0; done < times;) {
    auto found = store.run(request(memory_operation::memory_load, "n"));
    if (found.error.code == errc::overloaded)
      continue;
    if (!found.ok())
      return -1;
    auto* object = found.value.value().if_object();
    auto number = object ? object->at("value").as_int64() : 0;
    auto version = object ? object->at("version").as_int64() : 0;
    auto saved = store.run(save_request("n", doc(std::to_string(number + 1)), version));
    if (!saved.ok() && saved.error.code != errc::overloaded)
      return -1;
    bool is_saved = saved.ok() && saved.value.value().at("saved").as_bool();
    done += is_saved;
    lost += !is_saved;
  }
  return lost;
}

TEST_F(store_file_test, threads_do_not_lose_updates) {
  std::vector<std::thread> threads;
  std::atomic<int> failed = 0;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] { failed += count_up(folder(), 50) < 0; });
  for (auto& t : threads)
    t.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(loaded("n"), 200);
  EXPECT_TRUE(damaged_files().empty());
}

TEST_F(store_file_test, processes_do_not_lose_updates) {
  std::vector<pid_t> children; // the first of them makes the file
  for (int i = 0; i < 3; ++i) {
    auto pid = ::fork();
    if (pid == 0)
      ::_exit(count_up(folder(), 50) < 0);
    children.push_back(pid);
  }
  for (auto pid : children) {
    int status = 1;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(loaded("n"), 150);
  EXPECT_TRUE(damaged_files().empty());
}

TEST_F(store_file_test, processes_that_find_damage_at_once_put_it_aside_once) {
  for (int round = 0; round < 10; ++round) {
    std::filesystem::remove_all(folder());
    folder_.write("state/memory.db", std::string(10'000, 'x'));
    std::vector<pid_t> children;
    for (int i = 0; i < 3; ++i) {
      auto pid = ::fork();
      if (pid == 0) {
        memory::store mine{folder()};
        ::_exit(!mine.run(save_request("k" + std::to_string(i), doc("1"))).ok());
      }
      children.push_back(pid);
    }
    for (auto pid : children) {
      int status = 1;
      ::waitpid(pid, &status, 0);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(damaged_files().size(), 1u);
    EXPECT_EQ(value(run(request(memory_operation::memory_list))).as_array().size(), 3u)
      << "what another has saved is not put aside";
    store_.reset();
  }
}

TEST_F(store_file_test, a_process_that_is_killed_leaves_whole_values) {
  auto value = text_of_size(200'000);
  for (int round = 0; round < 5; ++round) {
    auto pid = ::fork();
    if (pid == 0) {
      memory::store mine{folder()};
      for (;;)
        (void)mine.run(save_request("k", value));
    }
    while (load("k") == "null")
      ;
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    EXPECT_EQ(loaded("k"), value.value());
    store_.reset();
    EXPECT_EQ(loaded("k"), value.value());
    EXPECT_TRUE(damaged_files().empty());
  }
}

TEST_F(store_file_test, who_writes_for_too_long_makes_others_say_so) {
  save("k", "1");
  sqlite::database other;
  other.open(file());
  other.execute("BEGIN IMMEDIATE");
  EXPECT_EQ(save("k", "2"), "overloaded: the memory is being written by another server; try again");
  EXPECT_EQ(loaded("k"), 1) << "reading goes on";
  other.close();
  EXPECT_EQ(save("k", "2"), R"({"saved":true,"version":2})");
}

} // namespace memory_store_file_test
