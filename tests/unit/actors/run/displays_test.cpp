#include "actors/run/displays.hpp"

#include "messages/limits.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

namespace actors_run_displays_test {

using actors::run::displays;
using msg::errc;
namespace limits = msg::limits;

msg::display_block block_of(std::string_view text, msg::block_kind kind = msg::block_kind::text) {
  return {kind, msg::document{boost::json::value(text)}, kind == msg::block_kind::image ? "image/png" : ""};
}

TEST(displays, are_shown_in_order) {
  displays all;
  for (auto text : {"a", "b"})
    if (all.admit(10)) {
      EXPECT_TRUE(all.looked_at(block_of(text), {}));
    }
  EXPECT_EQ(all.note(), "");
  auto shown = std::move(all).take();
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[1].value.text(), R"("b")");
}

TEST(displays, have_a_bound_on_their_number) {
  displays all;
  for (size_t i = 0; i < limits::display_blocks_max; ++i) {
    ASSERT_TRUE(all.admit(1));
    all.looked_at(block_of("x"), {});
  }
  EXPECT_EQ(all.note(), "");
  EXPECT_FALSE(all.admit(1));
  EXPECT_EQ(all.note(), "1 block that was displayed is missing: one run may display 100 blocks of 16 MiB in all.");
  EXPECT_FALSE(all.admit(1));
  EXPECT_TRUE(all.note().starts_with("2 blocks that were displayed are missing: "));
}

TEST(displays, have_a_bound_on_their_bytes_and_those_that_are_dropped_count) {
  displays all;
  EXPECT_TRUE(all.admit(limits::display_bytes_max));
  EXPECT_FALSE(all.admit(1));
  displays other;
  EXPECT_FALSE(other.admit(limits::display_bytes_max + 1));
  EXPECT_FALSE(other.admit(1));
}

TEST(displays, that_are_none_break_the_channel) {
  displays all;
  EXPECT_FALSE(all.looked_at(block_of("*"), {errc::guest_protocol, "a block that is none"}));
  EXPECT_EQ(all.note(), "");
}

TEST(displays, at_which_nobody_could_look_are_missing) {
  displays all;
  EXPECT_TRUE(all.looked_at(block_of("x"), {errc::limit_exceeded, "no memory"}));
  EXPECT_NE(all.note(), "");
  EXPECT_TRUE(std::move(all).take().empty());
}

TEST(displays, are_looked_at) {
  EXPECT_EQ(actors::run::look_at(block_of("anything")).code, errc::none);
  EXPECT_EQ(actors::run::look_at(block_of("aGk=", msg::block_kind::image)).code, errc::none);
  EXPECT_EQ(actors::run::look_at(block_of("no base64!", msg::block_kind::image)).code, errc::guest_protocol);
}

} // namespace actors_run_displays_test
