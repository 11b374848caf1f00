// A recording in a folder of its own.
#pragma once

#include "recording/recorded.hpp"
#include "recording/recorder.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>
#include <utility>

namespace recording_tests {

namespace json = boost::json;

class recording_file : public testing::Test {
protected:
  recording_file() : folder_(std::filesystem::temp_directory_path() / ("recording-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~recording_file() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return (folder_ / "r.jsonl").string(); }
  void append(const std::string& text) const { std::ofstream{path(), std::ios::app} << text; }
  std::string text() const {
    std::ifstream in{path()};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void begin(const std::string& salt = "s") const { append(recording::first_line(salt)); }
  void add(const std::string& server, const std::string& method, const std::string& params, const std::string& result) {
    recording::question asked{server, method, json::parse(params).as_object()};
    append(R"({"key":")" + recording::key_of(asked, "s") + R"(","server":")" + server + R"(","method":")" + method
           + R"(","params":)" + params + R"(,"ms":1.5,"result":)" + result + "}\n");
  }
  recording::recorded read() const {
    auto got = recording::recorded::read(path());
    EXPECT_TRUE(got.ok()) << got.error.message;
    return std::move(got.value);
  }
  static std::string answer(recording::recorded& from, const std::string& params, const std::string& server = "kid",
                            const std::string& method = "tools/call") {
    auto found = from.answer({server, method, json::parse(params).as_object()});
    auto* result = found ? found->member("result") : nullptr;
    return result ? json::serialize(*result) : "none";
  }

  std::filesystem::path folder_;
};

inline std::string no_mask(std::string text) { return text; }

} // namespace recording_tests
