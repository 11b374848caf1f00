// What is too large for the model: found, and shown by what stands for it.
#include "proxy/surface/large.hpp"

#include "messages/limits.hpp"
#include "proxy/surface/results.hpp"
#include "proxy/surface/truncate.hpp"
#include "tests/unit/support/values.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

namespace tools_large_test {

namespace json = boost::json;
namespace limits = msg::limits;
using msg::artifact_part;
using surface::result_shape;

constexpr auto too_many = 2 * limits::model_text_chars_max;

msg::run_report large_report() {
  msg::run_report r;
  r.status = msg::run_status::success;
  r.output.head = "BEGIN" + std::string(1'000'000, 'x') + "END";
  r.has_result = true;
  r.result = msg::document{json::array(20'000, json::value(json::object{{"id", 1}}))};
  r.displayed = {{msg::block_kind::image, msg::document{json::string(1'000'000, 'A')}, "image/png"},
                 {msg::block_kind::text, msg::document{json::string(1'000'000, 't')}, {}}};
  return r;
}

std::vector<msg::kept_artifact> kept(const std::vector<msg::large_artifact>& large) {
  std::vector<msg::kept_artifact> out;
  for (auto& l : large)
    out.push_back({"out_aaaaaaaaa" + std::string(1, static_cast<char>('a' + out.size())), l.part, l.index, 777,
                   l.part == artifact_part::result, 1'700'000'000});
  return out;
}

TEST(take_large, leaves_a_small_report_alone) {
  msg::run_report r;
  r.output.head = std::string(limits::model_text_chars_max, 'x');
  r.has_result = true;
  r.result = test::doc("[1]");
  EXPECT_TRUE(surface::take_large(r, result_shape::standard, msg::limits::model_text_chars_max).large.empty());
  EXPECT_EQ(r.output.head.size(), limits::model_text_chars_max);
}

TEST(take_large, takes_texts_values_and_displayed_blocks) {
  auto r = large_report();
  auto* value = &r.result.value();
  auto [large, described] = surface::take_large(r, result_shape::standard, msg::limits::model_text_chars_max);
  ASSERT_EQ(large.size(), 3u);
  EXPECT_EQ(large[0].part, artifact_part::output);
  EXPECT_EQ(large[0].text.head.size(), 1'000'008u);
  EXPECT_LT(r.output.head.size() + r.output.tail.size(), 5 * limits::model_text_chars_max);
  EXPECT_EQ(r.output.head.size() + r.output.tail.size() + r.output.dropped_bytes, 1'000'008u);
  EXPECT_EQ(large[1].part, artifact_part::result);
  EXPECT_EQ(&large[1].value.value(), value) << "not copied";
  EXPECT_TRUE(r.result.value().is_null()) << "its end is the worker's";
  ASSERT_EQ(described.size(), 1u);
  EXPECT_EQ(described[0].shape, "Array(20000) of {id: number}");
  EXPECT_EQ(large[2].part, artifact_part::display);
  EXPECT_EQ(large[2].index, 1u) << "images are not shortened";
}

TEST(take_large, chooses_the_handles) {
  auto r = large_report();
  auto [large, described] = surface::take_large(r, result_shape::standard, msg::limits::model_text_chars_max);
  auto kept = surface::still_written(large);
  ASSERT_EQ(kept.size(), large.size());
  for (size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(kept[i].handle, large[i].handle);
  EXPECT_NE(kept[0].handle, kept[1].handle);
  EXPECT_FALSE(kept[0].is_json || kept[2].is_json);
  EXPECT_TRUE(kept[1].is_json);
  auto shown =
    surface::show_value(r.result.value(), {kept, described, msg::language::python, limits::model_text_chars_max, {}},
                        artifact_part::result);
  EXPECT_EQ(shown.value.at("handle"), json::value(kept[1].handle));
  EXPECT_FALSE(shown.value.as_object().contains("bytes") || shown.value.as_object().contains("expires"));
}

TEST(take_large, takes_no_result_where_none_is_shown) {
  auto r = large_report();
  for (auto& l : surface::take_large(r, result_shape::bridge, msg::limits::model_text_chars_max).large)
    EXPECT_NE(l.part, artifact_part::result);
}

TEST(show_value, gives_a_small_value_as_it_is) {
  auto shown = surface::show_value(
    test::value("[1,2]"), {{}, {}, msg::language::python, limits::model_text_chars_max, {}}, artifact_part::result);
  EXPECT_EQ(text::to_text(shown.value), "[1,2]");
  EXPECT_TRUE(shown.text.empty());
  EXPECT_FALSE(shown.truncated);
}

TEST(show_value, gives_shape_sample_and_handle_of_a_large_one) {
  std::vector<msg::kept_artifact> all{{"out_abcdefghij", artifact_part::result, 0, 160'001, true, 1'700'000'000}};
  auto shown = surface::show_value(json::array(too_many, json::value(7)), {all, {}, msg::language::typescript, {}},
                                   artifact_part::result);
  EXPECT_TRUE(shown.truncated);
  EXPECT_EQ(
    shown.value,
    test::value(
      R"j({"handle":"out_abcdefghij","bytes":160001,"shape":"Array(50000) of number","sample":[7,7,7],)j"
      R"j("read":"await readOutput('out_abcdefghij', {path?, offset?, limit?})","expires":"2023-11-14T22:13:20Z"})j"));
  for (auto* part : {"160001 bytes of JSON", "Array(50000) of number", "[7,7,7]", "in a later run",
                     "await readOutput('out_abcdefghij'"})
    EXPECT_NE(shown.text.find(part), std::string::npos) << part << " in " << shown.text;
}

TEST(show_value, says_why_there_is_no_handle) {
  auto shown = surface::show_value(json::array(too_many, json::value(7)),
                                   {{}, {}, msg::language::python, limits::model_text_chars_max, "the disk is full"},
                                   artifact_part::result);
  EXPECT_FALSE(shown.value.as_object().contains("handle"));
  EXPECT_EQ(shown.value.at("problem"), "it was not kept: the disk is full");
  EXPECT_NE(shown.text.find("the disk is full"), std::string::npos);
}

TEST(show_value, shortens_a_text_and_says_how_to_read_it) {
  std::vector<msg::kept_artifact> all{{"out_abcdefghij", artifact_part::result, 0, 100'000, false, 0}};
  auto shown = surface::show_value(json::value(std::string(100'000, 'x')), {all, {}, msg::language::python, {}},
                                   artifact_part::result);
  ASSERT_TRUE(shown.value.is_string());
  EXPECT_NE(shown.value.as_string().find("read_output('out_abcdefghij', offset=0, limit=None)"), std::string::npos);
  EXPECT_NE(shown.value.as_string().find("100000 bytes in all"), std::string::npos);
}

TEST(run_result, of_a_large_report_names_every_handle) {
  for (auto* name : {"run-typescript-code", "execute_code", "run_python"}) {
    auto& t = *surface::find_tool(name);
    auto r = large_report();
    auto taken = surface::take_large(r, t.shape, msg::limits::model_text_chars_max);
    auto all = kept(taken.large);
    auto result = surface::run_result(
      t, r, {{}, surface::output_format::usual, msg::limits::model_text_chars_max, all, {}, taken.described});
    auto text = text::to_text(result.at("content"));
    auto* whole = result.if_contains("_meta");
    EXPECT_EQ(whole != nullptr, t.shape != surface::result_shape::bridge) << name << ": it has no result";
    for (auto& k : all)
      EXPECT_TRUE(!whole || k.part != artifact_part::result
                  || whole->at(surface::result_handle_name).as_string() == k.handle);
    for (auto& k : all)
      EXPECT_NE(text.find(k.handle), std::string::npos) << name << ": " << k.handle;
    EXPECT_NE(text.find("1000008 bytes in all"), std::string::npos) << name;
    EXPECT_NE(text.find("BEGIN"), std::string::npos) << name;
    EXPECT_NE(text.find("END"), std::string::npos) << name;
  }
}

} // namespace tools_large_test
