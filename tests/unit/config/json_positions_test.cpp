#include "config/json_positions.hpp"

#include <gtest/gtest.h>

namespace config_json_positions_test {

std::string at(std::string_view text, const config::json_positions& found, const std::string& path) {
  auto offset = found.offsets.find(path);
  return offset == found.offsets.end() ? "nowhere" : config::position(text, offset->second);
}

constexpr std::string_view text = R"({ // the first
  "other": {"x": [1, {"y": "]}"}], "servers": 1},
  "servers": {
    "a": {"args": ["b", /* c */ "d"]},
    "a\"b": {"x": true}
  },
  "last": {"servers": {}}
})";

TEST(json_positions, of_all_parts) {
  auto found = config::find_positions(text);
  EXPECT_EQ(at(text, found, "other"), "line 2, column 3");
  EXPECT_EQ(at(text, found, "other.x[1].y"), "line 2, column 23");
  EXPECT_EQ(at(text, found, "servers.a.args[1]"), "line 4, column 33");
  EXPECT_EQ(at(text, found, "servers.a\"b.x"), "line 5, column 14");
  EXPECT_EQ(at(text, found, "last.servers"), "line 7, column 12");
}

TEST(json_positions, of_one_part_and_what_is_in_it) {
  auto found = config::find_positions(text, "servers.a");
  EXPECT_EQ(at(text, found, "servers"), "line 3, column 3");
  EXPECT_EQ(at(text, found, "servers.a.args[0]"), "line 4, column 20");
  EXPECT_EQ(at(text, found, "other"), "nowhere");
  EXPECT_EQ(at(text, found, "other.servers"), "nowhere");
  EXPECT_EQ(at(text, found, "last"), "nowhere");
}

TEST(json_positions, of_marks_in_any_order) {
  std::string_view lines = "é1\n\nab\xE2\x82\xAC"
                           "c\nlast";
  auto found = config::find_positions(
    lines, {{4, 2, "in last"}, {1, 2, "one"}, {3, 4, "c"}, {9, 9, "behind"}, {2, 1, "empty"}, {3, 1, "a"}});
  EXPECT_EQ(found.offsets.at("one"), 2u);
  EXPECT_EQ(found.offsets.at("empty"), 4u);
  EXPECT_EQ(found.offsets.at("a"), 5u);
  EXPECT_EQ(found.offsets.at("c"), 10u);
  EXPECT_EQ(found.offsets.at("in last"), 13u);
  EXPECT_EQ(found.offsets.at("behind"), lines.size());
  EXPECT_EQ(config::offset_of("", 5, 5), 0u);
}

TEST(json_positions, long_paths_are_bounded) {
  std::string deep = "\"x\"";
  for (int i = 0; i < 100; ++i)
    deep = "{\"" + std::string(900, 'k') + "\":" + deep + "}";
  for (auto& [path, offset] : config::find_positions(deep).offsets)
    EXPECT_LE(path.size(), 2'100u);
}

TEST(json_positions, there_is_room_for_so_many) {
  std::string items;
  for (size_t i = 0; i < 100'000; ++i)
    items += "0,";
  auto list = [&](size_t key_bytes) { return "{\"" + std::string(key_bytes, 'k') + "\":[" + items + "]}"; };
  auto size_of = [](const config::json_positions& found) {
    size_t bytes = 0;
    for (auto& [path, offset] : found.offsets)
      bytes += path.size();
    return bytes;
  };
  EXPECT_EQ(config::find_positions(list(10)).offsets.size(), 100'001u);
  auto found = config::find_positions(list(900));
  EXPECT_LE(size_of(found), config::positions_bytes_max);
  EXPECT_TRUE(found.offsets.contains(std::string(900, 'k') + "[9]"));
  config::text_marks marks;
  for (size_t i = 0; i < 100'000; ++i)
    marks.add(1, 1, std::string(900, 'k') + std::to_string(i));
  EXPECT_LE(size_of(config::find_positions("", std::move(marks).take())), config::positions_bytes_max);
}

TEST(line_table, finds_what_counting_finds) {
  std::string lines;
  for (size_t i = 0; i < 400; ++i)
    lines += std::string(i * i % 61, 'x') + "\n" + (i % 100 == 0 ? std::string(5'000, 'y') : "");
  for (auto text : {std::string{}, std::string{"\n"}, std::string(4'096, '\n'), std::string(9'000, 'z'), lines}) {
    config::line_table table{text};
    for (size_t at = 0; at <= text.size(); at += at % 97 == 0 ? 1 : 7)
      EXPECT_EQ(table.position(text, at), config::position(text, at)) << at;
    EXPECT_EQ(table.position(text, text.size()), config::position(text, text.size()));
  }
}

} // namespace config_json_positions_test
