// Every official fixture (tests/fixtures, MIT, from github.com/toon-format/spec) is a test.
#include "json.hpp"

#include "toon/decode.hpp"
#include "toon/encode.hpp"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace toon::test {

namespace json = boost::json;
namespace fs = std::filesystem;

struct fixture {
  std::string file; ///< "decode/numbers"
  json::object test;

  const json::object& options() const {
    static const json::object none;
    auto found = test.if_contains("options");
    return found ? found->as_object() : none;
  }
  bool should_fail() const {
    auto found = test.if_contains("shouldError");
    return found && found->as_bool();
  }
};

void PrintTo(const fixture& f, std::ostream* out) { *out << f.file << ": " << f.test.at("name").as_string().c_str(); }

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return (std::ostringstream{} << in.rdbuf()).str();
}

std::vector<fixture> load(const std::string& kind) {
  std::vector<fixture> out;
  std::vector<fs::path> files;
  for (auto& entry : fs::directory_iterator{fs::path{TOON_FIXTURES} / kind})
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (auto& file : files) {
    auto all = parsed(read_file(file));
    for (auto& test : all.at("tests").as_array())
      out.push_back({kind + '/' + file.stem().string(), test.as_object()});
  }
  return out;
}

void set_option(encode_options& out, json::string_view name, const json::value& value) {
  if (name != "delimiter")
    throw std::runtime_error{"unknown option"};
  out.delimiter = static_cast<delimiter>(value.as_string().at(0));
}

void set_option(decode_options& out, json::string_view name, const json::value& value) {
  if (name != "strict")
    throw std::runtime_error{"unknown option"};
  out.checks = value.as_bool() ? checks::strict : checks::lenient;
}

/// Every option that a fixture names is one that we have: an unknown one is an error of the test.
template <class Options>
Options options_of(const fixture& f) {
  Options out;
  for (const json::key_value_pair& option : f.options()) {
    auto& value = option.value();
    if (option.key() == "indentSize")
      out.indent_spaces = static_cast<unsigned>(value.as_int64());
    else
      set_option(out, option.key(), value);
  }
  return out;
}

class decode_fixture : public testing::TestWithParam<fixture> {};
class encode_fixture : public testing::TestWithParam<fixture> {};

TEST_P(decode_fixture, gives_what_it_expects) {
  auto& f = GetParam();
  auto& input = f.test.at("input").as_string();
  auto got = decode({input.data(), input.size()}, options_of<decode_options>(f));
  if (f.should_fail()) {
    ASSERT_FALSE(got.ok()) << json::serialize(got.value);
    EXPECT_GE(got.problem.line, 1u);
    EXPECT_GE(got.problem.column, 1u);
    EXPECT_NE(got.problem.what.find("expected"), std::string::npos) << got.problem.what;
    return;
  }
  ASSERT_TRUE(got.ok()) << got.problem.text();
  EXPECT_TRUE(same(got.value, f.test.at("expected"))) << json::serialize(got.value);
}

TEST_P(encode_fixture, gives_what_it_expects_and_reads_back) {
  auto& f = GetParam();
  ASSERT_FALSE(f.should_fail());
  auto options = options_of<encode_options>(f);
  auto got = encode(f.test.at("input"), options);
  ASSERT_TRUE(got.ok()) << got.problem;
  EXPECT_EQ(got.text, f.test.at("expected").as_string().c_str());
  decode_options back;
  back.indent_spaces = options.indent_spaces;
  auto again = decode(got.text, back);
  ASSERT_TRUE(again.ok()) << again.problem.text();
  EXPECT_EQ(encode(again.value, options).text, got.text);
}

const auto decode_fixtures = load("decode");
const auto encode_fixtures = load("encode");
INSTANTIATE_TEST_SUITE_P(official, decode_fixture, testing::ValuesIn(decode_fixtures));
INSTANTIATE_TEST_SUITE_P(official, encode_fixture, testing::ValuesIn(encode_fixtures));

/// Of version 4.0: a fixture that is lost, or a file that is not read, fails here.
TEST(fixtures, are_all_there) {
  EXPECT_EQ(decode_fixtures.size(), 343u);
  EXPECT_EQ(encode_fixtures.size(), 173u);
}

} // namespace

} // namespace toon::test
