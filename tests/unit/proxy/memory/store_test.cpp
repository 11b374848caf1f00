#include "proxy/memory/store.hpp"

#include "messages/limits.hpp"
#include "tests/unit/proxy/memory/store_fixture.hpp"

#include <gtest/gtest.h>

#include <set>

namespace memory_store_test {

using namespace test;
namespace limits = msg::limits;

class store_test : public store_fixture {};

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
  auto found = value(load("k"));
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
  EXPECT_EQ(value(load("k")).at("metadata"), value(R"({"by":"me"})"));
  r.metadata = doc("null");
  run(r);
  EXPECT_TRUE(value(load("k")).at("metadata").is_null());
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
  auto list = value(run(request(memory_operation::memory_list)));
  std::set<std::string> listed;
  std::string last;
  for (auto& entry : list.as_array()) {
    std::string key{entry.at("key").as_string()};
    EXPECT_LT(last, key) << "the list is in order";
    last = key;
    listed.insert(key);
    EXPECT_FALSE(entry.as_object().contains("value"));
    EXPECT_TRUE(entry.as_object().contains("metadata") && entry.as_object().contains("version")
                && entry.as_object().contains("updated_at"));
  }
  EXPECT_EQ(listed, (std::set<std::string>{keys.begin(), keys.end()}));
  EXPECT_EQ(run(request(memory_operation::memory_delete, "!!!")), "true");
  EXPECT_EQ(loaded("@@@"), 1);
}

TEST_F(store_test, values_keep_every_digit) {
  for (auto* text :
       {"0.1", "1e300", "-9223372036854775808", "18446744073709551615", "0.30000000000000004", "\"\\u0000\""}) {
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
  auto found = value(run(request(memory_operation::tool_load, "add")));
  EXPECT_EQ(found.at("source"), "def add(a, b):\n    return a + b\n");
  EXPECT_EQ(found.at("description"), "Adds.");
  EXPECT_EQ(found.at("name"), "add");
  EXPECT_EQ(run(request(memory_operation::tool_list)),
            R"([{"name":"_b2","description":"","updated_at":"2025-01-31T12:00:00.002Z"},)"
            R"({"name":"add","description":"Adds.","updated_at":"2025-01-31T12:00:00.000Z"}])");
  run(tool_request("add", "new"));
  EXPECT_EQ(value(run(request(memory_operation::tool_load, "add"))).at("source"), "new");
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
  EXPECT_EQ(loaded("k").as_string().size(), limits::memory_value_bytes_max - 2)
    << "what was refused has changed nothing";
}

TEST_F(store_test, all_of_it_has_a_size) {
  auto value = text_of_size(limits::memory_value_bytes_max);
  int saved = 0;
  std::string answer;
  for (; saved < 100; ++saved)
    if (answer = run(save_request("k" + std::to_string(saved), value)); !answer.starts_with("{"))
      break;
  EXPECT_EQ(saved, 63) << "keys and metadata count too";
  EXPECT_EQ(answer,
            "limit_exceeded: memory and saved tools would have more than 64 MiB, which is the limit; delete some");
  EXPECT_EQ(load("k63"), "null");
  EXPECT_TRUE(run(save_request("k0", value)).starts_with("{")) << "what is replaced makes room";
  while (
    run(tool_request("f" + std::to_string(saved), std::string(limits::saved_tool_bytes_max, 'x'))).starts_with("{"))
    ++saved;
  EXPECT_EQ(saved, 63 + 3) << "tools count too";
  run(request(memory_operation::memory_delete, "k0"));
  EXPECT_TRUE(run(save_request("other", value)).starts_with("{"));
}

TEST_F(store_test, there_are_only_so_many_keys_and_tools) {
  run(request(memory_operation::memory_list));
  insert_rows(
    file(), "INSERT INTO memory SELECT X'', X'', 0, CAST('k' || i AS BLOB), X'31', X'6E756C6C', i, 6, X'', X'' FROM n",
    limits::memory_keys_max);
  insert_rows(file(), "INSERT INTO tools SELECT X'', X'', 0, CAST('f' || i AS BLOB), X'31', X'', 3, X'' FROM n",
              limits::saved_tools_max);
  EXPECT_EQ(save("new", "1"), "limit_exceeded: there are 10000 memory keys already, which is the limit; delete some");
  EXPECT_TRUE(save("k5", "2").starts_with(R"({"saved":true)")) << "one that exists may be written";
  EXPECT_EQ(run(tool_request("new", "x")),
            "limit_exceeded: there are 1000 saved tools already, which is the limit; delete some");
  EXPECT_EQ(run(tool_request("f5", "x")), R"({"name":"f5"})");
  run(request(memory_operation::memory_delete, "k7"));
  EXPECT_TRUE(save("new", "1").starts_with(R"({"saved":true)"));
  EXPECT_EQ(value(run(request(memory_operation::memory_list))).as_array().size(), limits::memory_keys_max);
}

TEST_F(store_test, a_list_has_a_size) {
  run(request(memory_operation::memory_list));
  auto big = "CAST('\"' || hex(zeroblob(8000)) || '\"' AS BLOB)"; // 16,002 bytes
  insert_rows(file(),
              "INSERT INTO memory SELECT X'', X'', 0, CAST('k' || i AS BLOB), X'31', " + std::string{big}
                + ", i, 16006, X'', X'' FROM n",
              1'100);
  EXPECT_EQ(run(request(memory_operation::memory_list)),
            "limit_exceeded: the list has more than 16 MiB of metadata, which is the limit; save some with less");
}

} // namespace memory_store_test
