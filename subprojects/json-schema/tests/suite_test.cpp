// The official test suite: every file of both drafts, the optional ones with formats and content as assertions.
#include "json_schema/schema.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

/// All that this library does not do: file, schema, test. One that passes is a failure as well.
struct unsupported {
  std::string_view file, schema, test;
  auto operator<=>(const unsupported&) const = default;
};
const std::set<unsupported> not_supported{};

json::value read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream{path, std::ios::binary}.rdbuf();
  json::parse_options options;
  options.max_depth = 128;
  return json::parse(text.str(), {}, options);
}

std::optional<json::value> serve(std::string_view uri) {
  constexpr std::string_view host = "http://localhost:1234/";
  if (!uri.starts_with(host))
    return {};
  auto path = fs::path{SUITE_ROOT} / "remotes" / uri.substr(host.size());
  return fs::exists(path) ? std::optional{read(path)} : std::nullopt;
}

struct draft {
  std::string folder;
  json_schema::dialect dialect;
};

class suite : public testing::TestWithParam<draft> {
protected:
  json_schema::compile_options options_for(const std::string& file) const {
    json_schema::compile_options out;
    out.default_dialect = GetParam().dialect;
    out.resolve = serve;
    bool is_optional = file.find("optional/format/") != file.npos || file.ends_with("optional/content.json");
    out.format = out.content = is_optional ? json_schema::meaning::assertion : json_schema::meaning::annotation;
    return out;
  }

  void run_group(const std::string& file, const json::object& group) {
    auto schema_name = std::string{group.at("description").as_string()};
    auto compiled = json_schema::compile(group.at("schema"), options_for(file));
    auto* schema = std::get_if<json_schema::schema>(&compiled);
    for (auto& test : group.at("tests").as_array()) {
      auto name = std::string{test.at("description").as_string()};
      auto found = schema ? schema->validate(test.at("data")) : json_schema::result{};
      bool passes =
        schema && !found.undecided && found.valid == test.at("valid").as_bool() && found.valid == found.errors.empty();
      auto listed = not_supported.find({file, schema_name, name});
      EXPECT_EQ(passes, listed == not_supported.end())
        << file << " | " << schema_name << " | " << name << " | expected " << test.at("valid") << " "
        << (schema ? ""
                   : std::get<json_schema::compile_error>(compiled).schema_path + ": "
                       + std::get<json_schema::compile_error>(compiled).message)
        << (found.errors.empty() ? "" : found.errors[0].text());
      ++tests_;
    }
  }

  size_t tests_ = 0;
};

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> out;
  for (auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.path().extension() == ".json")
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

TEST_P(suite, passes_whole) {
  auto root = fs::path{SUITE_ROOT};
  for (auto& path : files_of(root / GetParam().folder)) {
    auto groups = read(path);
    for (auto& group : groups.as_array())
      run_group(fs::relative(path, root).string(), group.as_object());
  }
  EXPECT_GT(tests_, 1'200U) << "files are missing";
  RecordProperty("tests", static_cast<int>(tests_));
}

INSTANTIATE_TEST_SUITE_P(drafts, suite,
                         testing::Values(draft{"draft7", json_schema::dialect::draft7},
                                         draft{"draft2020-12", json_schema::dialect::draft2020_12}),
                         [](auto& info) { return info.index == 0 ? "draft7" : "draft2020_12"; });

} // namespace
