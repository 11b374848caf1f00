// A store in a folder of its own, and short ways to ask it.
#pragma once

#include "proxy/memory/store.hpp"
#include "testing/folder.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace test {

using msg::memory_operation;
using msg::memory_request;
using strings = std::vector<std::string>;

inline memory_request request(memory_operation operation, std::string key = {}) {
  memory_request r;
  r.operation = operation;
  r.key = std::move(key);
  return r;
}

inline memory_request save_request(std::string key, msg::document value,
                                   int64_t if_version = memory_request::any_version) {
  auto r = request(memory_operation::memory_save, std::move(key));
  r.value = std::move(value);
  r.if_version = if_version;
  return r;
}

inline memory_request tool_request(std::string name, std::string source) {
  auto r = request(memory_operation::tool_save, std::move(name));
  r.source = std::move(source);
  return r;
}

inline msg::document text_of_size(size_t bytes) { return doc("\"" + std::string(bytes - 2, 'x') + "\""); }

/// Time that goes on by one millisecond with every look at it.
inline memory::clock ticking(int64_t from_ms = 1'738'324'800'000) {
  auto now = std::make_shared<int64_t>(from_ms);
  return [now] { return memory::time_point{std::chrono::milliseconds{(*now)++}}; };
}

class store_fixture : public testing::Test {
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
  boost::json::value loaded(std::string key) { return value(load(std::move(key))).at("value"); }
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

/// Many rows at once, behind the store's back.
inline void insert_rows(const std::string& file, const std::string& insert, size_t count) {
  sqlite::database db;
  db.open(file);
  auto sql =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " + std::to_string(count) + ") " + insert;
  db.execute(sql.c_str());
  ASSERT_TRUE(db.ok()) << db.problem();
}

} // namespace test
