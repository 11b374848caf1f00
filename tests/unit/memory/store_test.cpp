#include "memory/store.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

namespace limits = msg::limits;
using msg::errc;
using msg::memory_operation;
using msg::memory_request;
using test::doc;
using strings = std::vector<std::string>;

memory_request request(memory_operation operation, std::string key = {}) {
  memory_request r;
  r.operation = operation;
  r.key = std::move(key);
  return r;
}

memory_request save_request(std::string key, msg::document value, int64_t if_version = memory_request::any_version) {
  auto r = request(memory_operation::memory_save, std::move(key));
  r.value = std::move(value);
  r.if_version = if_version;
  return r;
}

memory_request tool_request(std::string name, std::string source) {
  auto r = request(memory_operation::tool_save, std::move(name));
  r.source = std::move(source);
  return r;
}

msg::document text_of_size(size_t bytes) { return doc("\"" + std::string(bytes - 2, 'x') + "\""); }

/// Time that goes on by one millisecond with every look at it.
memory::clock ticking(int64_t from_ms = 1'738'324'800'000) {
  auto now = std::make_shared<int64_t>(from_ms);
  return [now] { return memory::time_point{std::chrono::milliseconds{(*now)++}}; };
}

class store_test : public testing::Test {
protected:
  std::string folder() const { return folder_.path("state"); }
  std::string file() const { return folder() + "/memory.db"; }
  memory::store& store() {
    if (!store_)
      store_.emplace(folder(), ticking());
    return *store_;
  }
  /// As text, or "CODE: message".
  std::string run(const memory_request& r) { return run(store(), r); }
  static std::string run(memory::store& in, const memory_request& r) {
    auto answer = in.run(r);
    return answer.ok() ? answer.value.text() : std::string{to_string(answer.error.code)} + ": " + answer.error.message;
  }
  std::string save(std::string key, std::string_view value, int64_t if_version = memory_request::any_version) {
    return run(save_request(std::move(key), doc(value), if_version));
  }
  std::string load(std::string key) { return run(request(memory_operation::memory_load, std::move(key))); }
  boost::json::value loaded(std::string key) { return test::value(load(std::move(key))).at("value"); }
  strings files() const {
    strings out;
    for (auto& entry : std::filesystem::directory_iterator{folder()})
      out.push_back(entry.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }
  strings damaged_files() const {
    strings out;
    for (auto& name : files())
      if (name.starts_with("memory.db.damaged-"))
        out.push_back(name);
    return out;
  }

  test::folder folder_;
  std::optional<memory::store> store_;
};

// ---- values ------------------------------------------------------------------------------------

TEST_F(store_test, what_is_saved_is_there_for_the_next_store) {
  EXPECT_EQ(save("k", R"({"a":[1,2.5,"é",null]})"), R"({"saved":true,"version":1})");
  store_.reset();
  EXPECT_EQ(load("k"), R"({"key":"k","value":{"a":[1,2.5,"é",null]},"metadata":null,"version":1,)"
                       R"("created_at":"2025-01-31T12:00:00.000Z","updated_at":"2025-01-31T12:00:00.000Z"})");
}

TEST_F(store_test, what_is_not_there_is_null) {
  EXPECT_EQ(load("k"), "null");
  EXPECT_EQ(run(request(memory_operation::memory_delete, "k")), "false");
  EXPECT_EQ(run(request(memory_operation::memory_list)), "[]");
  EXPECT_EQ(run(request(memory_operation::tool_load, "f")), "null");
  EXPECT_EQ(run(request(memory_operation::tool_delete, "f")), "false");
  EXPECT_EQ(run(request(memory_operation::tool_list)), "[]");
}

TEST_F(store_test, a_second_save_replaces_the_first) {
  save("k", "1");
  EXPECT_EQ(save("k", "2"), R"({"saved":true,"version":2})");
  auto found = test::value(load("k"));
  EXPECT_EQ(found.at("value"), 2);
  EXPECT_EQ(found.at("created_at"), "2025-01-31T12:00:00.000Z");
  EXPECT_EQ(found.at("updated_at"), "2025-01-31T12:00:00.001Z");
}

TEST_F(store_test, metadata_stays_until_it_is_given_again) {
  auto r = save_request("k", doc("1"));
  r.metadata = doc(R"({"by":"me"})");
  r.has_metadata = true;
  run(r);
  save("k", "2");
  EXPECT_EQ(test::value(load("k")).at("metadata"), test::value(R"({"by":"me"})"));
  r.metadata = doc("null");
  run(r);
  EXPECT_TRUE(test::value(load("k")).at("metadata").is_null());
}

TEST_F(store_test, a_version_guards_against_what_others_wrote) {
  EXPECT_EQ(save("k", "1", 0), R"({"saved":true,"version":1})");
  EXPECT_EQ(save("k", "2", 0), R"({"saved":false,"version":1})");
  EXPECT_EQ(save("k", "2", 1), R"({"saved":true,"version":2})");
  EXPECT_EQ(save("k", "3", 1), R"({"saved":false,"version":2})");
  EXPECT_EQ(save("other", "3", 1), R"({"saved":false,"version":0})");
  EXPECT_EQ(loaded("k"), 2);
  EXPECT_EQ(load("other"), "null");
}

TEST_F(store_test, a_key_made_anew_is_not_taken_for_the_old_one) {
  save("k", "1");
  EXPECT_EQ(run(request(memory_operation::memory_delete, "k")), "true");
  EXPECT_EQ(save("k", "2"), R"({"saved":true,"version":2})");
  EXPECT_EQ(save("k", "3", 1), R"({"saved":false,"version":2})");
}

TEST_F(store_test, every_key_is_one_of_its_own) {
  const strings keys{"!!!",
                     "@@@",
                     "___",
                     "a",
                     "A",
                     "á",
                     "a\xCC\x81",
                     "日本語",
                     "😀",
                     "a b",
                     " a",
                     "a ",
                     "a/b",
                     "../../x",
                     "a.b",
                     "a' OR '1'='1",
                     "%",
                     "a\n",
                     std::string("a\0b", 3),
                     std::string("a\0c", 3),
                     "NULL",
                     "0",
                     "00"};
  for (size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(save(keys[i], std::to_string(i)), R"({"saved":true,"version":)" + std::to_string(i + 1) + "}") << keys[i];
  for (size_t i = 0; i < keys.size(); ++i)
    EXPECT_EQ(loaded(keys[i]), boost::json::value(static_cast<int64_t>(i))) << keys[i];
  auto list = test::value(run(request(memory_operation::memory_list)));
  std::set<std::string> listed;
  std::string last;
  for (auto& entry : list.as_array()) {
    std::string key{entry.at("key").as_string()};
    EXPECT_LT(last, key) << "the list is in order";
    last = key;
    listed.insert(key);
    EXPECT_FALSE(entry.as_object().contains("value"));
    EXPECT_TRUE(entry.as_object().contains("metadata") && entry.as_object().contains("version") && entry.as_object().contains("updated_at"));
  }
  EXPECT_EQ(listed, (std::set<std::string>{keys.begin(), keys.end()}));
  EXPECT_EQ(run(request(memory_operation::memory_delete, "!!!")), "true");
  EXPECT_EQ(loaded("@@@"), 1);
}

TEST_F(store_test, values_keep_every_digit) {
  for (auto* text : {"0.1", "1e300", "-9223372036854775808", "18446744073709551615", "0.30000000000000004", "\"\\u0000\""}) {
    save("k", text);
    EXPECT_EQ(loaded("k"), doc(text).value()) << text;
  }
}

// ---- tools -------------------------------------------------------------------------------------

TEST_F(store_test, tools_are_kept_beside_the_values) {
  auto r = tool_request("add", "def add(a, b):\n    return a + b\n");
  r.description = "Adds.";
  EXPECT_EQ(run(r), R"({"name":"add"})");
  save("add", "1");
  EXPECT_EQ(run(tool_request("_b2", "x")), R"({"name":"_b2"})");
  auto found = test::value(run(request(memory_operation::tool_load, "add")));
  EXPECT_EQ(found.at("source"), "def add(a, b):\n    return a + b\n");
  EXPECT_EQ(found.at("description"), "Adds.");
  EXPECT_EQ(found.at("name"), "add");
  EXPECT_EQ(run(request(memory_operation::tool_list)), R"([{"name":"_b2","description":"","updated_at":"2025-01-31T12:00:00.002Z"},)"
                                                       R"({"name":"add","description":"Adds.","updated_at":"2025-01-31T12:00:00.000Z"}])");
  run(tool_request("add", "new"));
  EXPECT_EQ(test::value(run(request(memory_operation::tool_load, "add"))).at("source"), "new");
  EXPECT_EQ(run(request(memory_operation::tool_delete, "add")), "true");
  EXPECT_EQ(run(request(memory_operation::tool_load, "add")), "null");
  EXPECT_EQ(loaded("add"), 1);
}

TEST_F(store_test, the_name_of_a_tool_is_a_python_name) {
  for (auto* name : {"f", "_", "f1", "snake_case", "Print", "match"})
    EXPECT_EQ(run(tool_request(name, "x")), R"({"name":")" + std::string{name} + "\"}");
  for (auto* name : {"", "1f", "a-b", "a b", "a.b", "a;b", "def", "None", "é", "a\n", "../x"})
    for (auto operation : {memory_operation::tool_save, memory_operation::tool_load, memory_operation::tool_delete}) {
      auto r = request(operation, name);
      r.source = "x";
      EXPECT_TRUE(run(r).starts_with("invalid_argument: the name of a tool must be a Python name")) << name << run(r);
    }
  EXPECT_EQ(run(tool_request("f", "")), "invalid_argument: the tool 'f' has no source");
}

// ---- limits ------------------------------------------------------------------------------------

TEST_F(store_test, keys_have_a_length) {
  EXPECT_EQ(save("", "1"), "invalid_argument: Memory key cannot be empty");
  EXPECT_EQ(save(std::string(limits::memory_key_bytes_max, 'k'), "1"), R"({"saved":true,"version":1})");
  EXPECT_EQ(save(std::string(limits::memory_key_bytes_max + 1, 'k'), "1"),
            "limit_exceeded: the memory key has 201 bytes; at most 200 bytes can be kept");
}

TEST_F(store_test, values_metadata_and_sources_have_a_size) {
  EXPECT_TRUE(run(save_request("k", text_of_size(limits::memory_value_bytes_max))).starts_with(R"({"saved":true)"));
  EXPECT_EQ(run(save_request("k", text_of_size(limits::memory_value_bytes_max + 1))),
            "limit_exceeded: the value of 'k' has 1048577 bytes; at most 1024 KiB can be kept");
  auto r = save_request("k", doc("1"));
  r.has_metadata = true;
  r.metadata = text_of_size(limits::memory_metadata_bytes_max + 1);
  EXPECT_EQ(run(r), "limit_exceeded: the metadata of 'k' has 16385 bytes; at most 16 KiB can be kept");
  EXPECT_EQ(run(tool_request("f", std::string(limits::saved_tool_bytes_max, 'x'))), R"({"name":"f"})");
  EXPECT_EQ(run(tool_request("f", std::string(limits::saved_tool_bytes_max + 1, 'x'))),
            "limit_exceeded: the source of the tool 'f' has 262145 bytes; at most 256 KiB can be kept");
  auto t = tool_request("f", "x");
  t.description = std::string(limits::memory_metadata_bytes_max + 1, 'x');
  EXPECT_TRUE(run(t).starts_with("limit_exceeded: the description of the tool 'f'"));
  EXPECT_EQ(loaded("k").as_string().size(), limits::memory_value_bytes_max - 2) << "what was refused has changed nothing";
}

TEST_F(store_test, all_of_it_has_a_size) {
  auto value = text_of_size(limits::memory_value_bytes_max);
  int saved = 0;
  std::string answer;
  for (; saved < 100; ++saved)
    if (answer = run(save_request("k" + std::to_string(saved), value)); !answer.starts_with("{"))
      break;
  EXPECT_EQ(saved, 63) << "keys and metadata count too";
  EXPECT_EQ(answer, "limit_exceeded: memory and saved tools would have more than 64 MiB, which is the limit; delete some");
  EXPECT_EQ(load("k63"), "null");
  EXPECT_TRUE(run(save_request("k0", value)).starts_with("{")) << "what is replaced makes room";
  while (run(tool_request("f" + std::to_string(saved), std::string(limits::saved_tool_bytes_max, 'x'))).starts_with("{"))
    ++saved;
  EXPECT_EQ(saved, 63 + 3) << "tools count too";
  run(request(memory_operation::memory_delete, "k0"));
  EXPECT_TRUE(run(save_request("other", value)).starts_with("{"));
}

/// Many rows at once, behind the store's back.
void insert_rows(const std::string& file, const std::string& insert, size_t count) {
  memory::database db;
  db.open(file);
  auto sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(count) + ") " + insert;
  db.execute(sql.c_str());
  ASSERT_TRUE(db.ok()) << db.problem();
}

TEST_F(store_test, there_are_only_so_many_keys_and_tools) {
  run(request(memory_operation::memory_list));
  insert_rows(file(), "INSERT INTO memory SELECT CAST('k' || i AS BLOB), X'31', X'6E756C6C', i, 6, X'', X'' FROM n", limits::memory_keys_max);
  insert_rows(file(), "INSERT INTO tools SELECT CAST('f' || i AS BLOB), X'31', X'', 3, X'' FROM n", limits::saved_tools_max);
  EXPECT_EQ(save("new", "1"), "limit_exceeded: there are 10000 memory keys already, which is the limit; delete some");
  EXPECT_TRUE(save("k5", "2").starts_with(R"({"saved":true)")) << "one that exists may be written";
  EXPECT_EQ(run(tool_request("new", "x")), "limit_exceeded: there are 1000 saved tools already, which is the limit; delete some");
  EXPECT_EQ(run(tool_request("f5", "x")), R"({"name":"f5"})");
  run(request(memory_operation::memory_delete, "k7"));
  EXPECT_TRUE(save("new", "1").starts_with(R"({"saved":true)"));
  EXPECT_EQ(test::value(run(request(memory_operation::memory_list))).as_array().size(), limits::memory_keys_max);
}

TEST_F(store_test, a_list_has_a_size) {
  run(request(memory_operation::memory_list));
  auto big = "CAST('\"' || hex(zeroblob(8000)) || '\"' AS BLOB)"; // 16,002 bytes
  insert_rows(file(), "INSERT INTO memory SELECT CAST('k' || i AS BLOB), X'31', " + std::string{big} + ", i, 16006, X'', X'' FROM n", 1'100);
  EXPECT_EQ(run(request(memory_operation::memory_list)),
            "limit_exceeded: the list has more than 16 MiB of metadata, which is the limit; save some with less");
}

// ---- the file ----------------------------------------------------------------------------------

TEST_F(store_test, there_is_no_file_before_the_first_request) {
  EXPECT_EQ(store().take_warning(), "");
  EXPECT_FALSE(std::filesystem::exists(folder()));
  EXPECT_EQ(save(std::string(500, 'k'), "1").substr(0, 14), "limit_exceeded");
  EXPECT_FALSE(std::filesystem::exists(folder())) << "nor for one that is refused";
}

TEST_F(store_test, the_file_is_for_its_owner_alone) {
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

TEST_F(store_test, a_damaged_file_is_put_aside) {
  const strings contents{"this is no database, whatever it may be; it is even longer than the header of one, which has a hundred bytes", "",
                         std::string("SQLite format 3\0", 16) + std::string(5'000, 'x')};
  for (auto& content : contents) {
    std::filesystem::remove_all(folder());
    folder_.write("state/memory.db", content);
    EXPECT_EQ(save("k", "1"), R"({"saved":true,"version":1})");
    ASSERT_EQ(damaged_files().size(), 1u);
    EXPECT_TRUE(damaged_files().front().starts_with("memory.db.damaged-2025-01-31T12:00:0")) << damaged_files().front();
    EXPECT_EQ(std::filesystem::file_size(folder() + "/" + damaged_files().front()), content.size()) << "it is kept as it was";
    auto warning = store().take_warning();
    EXPECT_NE(warning.find(folder() + "/" + damaged_files().front()), std::string::npos) << warning;
    EXPECT_EQ(store().take_warning(), "") << "told once";
    store_.reset();
  }
}

TEST_F(store_test, damage_inside_is_found_at_the_next_opening) {
  for (int i = 0; i < 200; ++i)
    save("k" + std::to_string(i), "\"" + std::string(500, 'x') + "\"");
  store_.reset();
  auto size = std::filesystem::file_size(file());
  std::filesystem::resize_file(file(), size / 2 / 4096 * 4096);
  EXPECT_EQ(load("k0"), "null");
  EXPECT_EQ(damaged_files().size(), 1u);
  EXPECT_NE(store().take_warning(), "");
}

TEST_F(store_test, a_database_of_somebody_else_is_not_written_to) {
  std::filesystem::create_directories(folder());
  folder_.write("state/memory.db", "");
  {
    memory::database other;
    other.open(file());
    other.execute("CREATE TABLE t(x); PRAGMA user_version = 7");
    ASSERT_TRUE(other.ok());
  }
  EXPECT_EQ(save("k", "1"), R"({"saved":true,"version":1})");
  EXPECT_EQ(damaged_files().size(), 1u);
}

TEST_F(store_test, a_file_of_a_newer_version_is_left_alone) {
  save("k", "1");
  insert_rows(file(), "SELECT i FROM n; PRAGMA user_version = 2", 1);
  store_.reset();
  EXPECT_TRUE(load("k").find("a newer version of code-executor made it") != std::string::npos) << load("k");
  EXPECT_TRUE(damaged_files().empty());
}

TEST_F(store_test, a_file_that_another_server_replaced_is_opened_anew) {
  save("k", "1");
  memory::store other{folder(), ticking()};
  EXPECT_EQ(run(other, save_request("k", doc("2"))), R"({"saved":true,"version":2})");
  std::filesystem::rename(file(), folder() + "/memory.db.damaged-by-another");
  EXPECT_EQ(load("k"), "null");
  EXPECT_EQ(save("k", "3"), R"({"saved":true,"version":1})");
  EXPECT_EQ(run(other, request(memory_operation::memory_load, "k")).substr(0, 21), R"({"key":"k","value":3,)");
}

TEST_F(store_test, the_log_of_a_deleted_file_is_not_taken_for_the_new_ones) {
  save("secret", "1");
  std::filesystem::copy_file(file() + "-wal", folder() + "/copy-wal");
  store_.reset();
  std::filesystem::remove(file());
  std::filesystem::rename(folder() + "/copy-wal", file() + "-wal");
  EXPECT_EQ(load("secret"), "null");
  EXPECT_EQ(save("k", "1"), R"({"saved":true,"version":1})");
  EXPECT_EQ(store().take_warning(), "");
}

TEST_F(store_test, a_folder_that_can_not_be_made_is_a_fault) {
  memory::store nowhere{""};
  EXPECT_NE(run(nowhere, request(memory_operation::memory_list)).find("HOME is not set"), std::string::npos);
  memory::store below_a_file{folder_.write("file", "x") + "/state"};
  auto told = run(below_a_file, request(memory_operation::memory_list));
  EXPECT_TRUE(told.starts_with("internal: ") && told.find("stateDir") != std::string::npos) << told;
  memory::store a_file{folder_.path("file")};
  EXPECT_NE(run(a_file, request(memory_operation::memory_list)).find("Not a directory"), std::string::npos);
}

// ---- several at once ---------------------------------------------------------------------------

/// Adds one to the number under "n", as often as said, by load and save with its version. How often it had to try again.
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

TEST_F(store_test, threads_do_not_lose_updates) {
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

TEST_F(store_test, processes_do_not_lose_updates) {
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

TEST_F(store_test, processes_that_find_damage_at_once_put_it_aside_once) {
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
    EXPECT_EQ(test::value(run(request(memory_operation::memory_list))).as_array().size(), 3u) << "what another has saved is not put aside";
    store_.reset();
  }
}

TEST_F(store_test, who_is_late_to_put_a_file_aside_leaves_the_new_one) {
  folder_.write("state/memory.db", "garbage");
  memory::store_file first{folder()}, late{folder()};
  memory::database seen_by_first, seen_by_late;
  EXPECT_EQ(first.open(seen_by_first).code, errc::none);
  EXPECT_EQ(late.open(seen_by_late).code, errc::none);
  EXPECT_TRUE(seen_by_first.is_damaged() && seen_by_late.is_damaged());
  std::string name;
  EXPECT_EQ(first.put_aside({}, name).code, errc::none);
  EXPECT_EQ(name, folder() + "/memory.db.damaged-1970-01-01T00:00:00.000Z");
  EXPECT_EQ(first.open(seen_by_first).code, errc::none);
  EXPECT_TRUE(seen_by_first.ok());
  name.clear();
  EXPECT_EQ(late.put_aside({}, name).code, errc::none);
  EXPECT_EQ(name, "");
  EXPECT_TRUE(first.is_current());
  EXPECT_EQ(damaged_files().size(), 1u);
}

TEST_F(store_test, a_process_that_is_killed_leaves_whole_values) {
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

TEST_F(store_test, who_writes_for_too_long_makes_others_say_so) {
  save("k", "1");
  memory::database other;
  other.open(file());
  other.execute("BEGIN IMMEDIATE");
  EXPECT_EQ(save("k", "2"), "overloaded: the memory is being written by another server; try again");
  EXPECT_EQ(loaded("k"), 1) << "reading goes on";
  other.close();
  EXPECT_EQ(save("k", "2"), R"({"saved":true,"version":2})");
}

} // namespace
