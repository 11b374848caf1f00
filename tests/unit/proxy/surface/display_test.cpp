#include "proxy/surface/display.hpp"

#include "messages/limits.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace tools_display_test {

namespace json = boost::json;
using msg::block_kind;
using msg::session_state;

msg::display_block block(block_kind kind, boost::json::value value, std::string mime_type = {}) {
  return {kind, msg::document{std::move(value)}, std::move(mime_type)};
}

json::array content_blocks(const std::vector<msg::display_block>& displayed,
                           const std::vector<msg::kept_artifact>& kept = {}) {
  return surface::content_blocks(displayed, {kept, {}, msg::language::python, msg::limits::model_text_chars_max, {}});
}

TEST(display, becomes_content_blocks_in_its_order) {
  auto blocks =
    content_blocks({block(block_kind::text, "words"), block(block_kind::json, boost::json::object{{"a", 1}}),
                    block(block_kind::image, "iVBO", "image/png"), block(block_kind::audio, "UklG", "audio/wav")});
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(blocks[0], test::object(R"({"type":"text","text":"words"})"));
  EXPECT_EQ(blocks[1], test::object(R"({"type":"text","text":"{\"a\":1}"})"));
  EXPECT_EQ(blocks[2], test::object(R"({"type":"image","data":"iVBO","mimeType":"image/png"})"));
  EXPECT_EQ(blocks[3], test::object(R"({"type":"audio","data":"UklG","mimeType":"audio/wav"})"));
}

TEST(display, text_has_a_size_that_a_model_can_take) {
  boost::json::string much(10 * msg::limits::model_text_chars_max, 'x');
  auto blocks = content_blocks({block(block_kind::text, much)});
  EXPECT_LT(blocks[0].at("text").as_string().size(), 2 * msg::limits::model_text_chars_max);
}

TEST(display, data_that_is_too_large_is_told_by_shape_and_handle) {
  auto blocks =
    content_blocks({block(block_kind::text, "small"), block(block_kind::json, json::array(20'000, json::value(7)))},
                   {{"out_abcdefghij", msg::artifact_part::display, 1, 40'001, true, 0}});
  auto text = std::string{blocks.at(1).at("text").as_string()};
  EXPECT_NE(text.find("Array(20000) of number"), std::string::npos) << text;
  EXPECT_NE(text.find("read_output('out_abcdefghij'"), std::string::npos) << text;
}

TEST(display, a_session_is_told_in_one_line) {
  EXPECT_EQ(surface::session_line({}), "");
  EXPECT_EQ(surface::session_line({"s", session_state::fresh, ""}), "[session s: new]");
  EXPECT_EQ(surface::session_line({"s", session_state::lost, "it timed out"}), "[session s: lost, it timed out]");
  EXPECT_EQ(surface::session_object({"s", session_state::kept, ""}), test::object(R"({"name":"s","state":"kept"})"));
  EXPECT_EQ(surface::session_object({"s", session_state::lost, "why"}),
            test::object(R"({"name":"s","state":"lost","reason":"why"})"));
}

} // namespace tools_display_test
