#include "actors/child/tool_review.hpp"

#include "catalog/pinning/approvals.hpp"
#include "messages/limits.hpp"

#include <gtest/gtest.h>

namespace child_tool_review_test {

using namespace std::literals;
using child::during_review;
using child::tool_review;
using msg::errc;
using names = msg::outcome<std::vector<std::string>>;

struct tool_review_test : testing::Test {
  tool_review::time_point now{1h};
  tool_review review{"kid", during_review::calls_wait};

  static msg::tool_call call(std::string tool) {
    msg::tool_call c;
    c.tool = std::move(tool);
    return c;
  }
  void review_next(names held) { review.reviewed(review.told(0ms), std::move(held), now); }
};

TEST_F(tool_review_test, calls_wait_for_what_is_said_of_the_last_list) {
  EXPECT_TRUE(review.is_settled()) << "nothing is told yet";
  auto first = review.told(0ms), second = review.told(0ms);
  EXPECT_TRUE(review.is_awaited());
  EXPECT_FALSE(review.reviewed(first, names{}, now)) << "there is a newer one";
  EXPECT_TRUE(review.is_awaited());
  EXPECT_TRUE(review.reviewed(second, names{}, now));
  EXPECT_FALSE(review.is_awaited());
  EXPECT_TRUE(review.is_settled());
  EXPECT_EQ(review.last_reviewed(), second);
}

TEST_F(tool_review_test, where_nothing_is_held_no_call_waits) {
  tool_review open{"kid", during_review::calls_go_on};
  auto before = open.last_reviewed();
  auto list = open.told(0ms);
  EXPECT_FALSE(open.is_awaited());
  open.reviewed(list, names{{"echo"}}, now);
  EXPECT_EQ(open.held_back(call("echo"), before).code, errc::none);
}

TEST_F(tool_review_test, a_call_that_came_before_is_held_against_what_was_said_since) {
  auto before = review.last_reviewed();
  review_next(names{{"echo"}});
  auto why = review.held_back(call("echo"), before);
  EXPECT_EQ(why.code, errc::tool_changed);
  EXPECT_EQ(why.message, tool_pinning::held_fault("kid", "echo").message);
  EXPECT_EQ(review.held_back(call("add"), before).code, errc::none);
  EXPECT_EQ(review.held_back(call("echo"), review.last_reviewed()).code, errc::none)
    << "later ones are the connector's";
  auto resource = call("echo");
  resource.method = msg::child_method::read_resource;
  EXPECT_EQ(review.held_back(resource, before).code, errc::none) << "only tools are reviewed";
}

TEST_F(tool_review_test, a_list_that_nobody_has_looked_at_may_not_be_used) {
  auto before = review.last_reviewed();
  review_next(msg::fault{errc::internal, "nobody looked"});
  auto why = review.held_back(call("echo"), before);
  EXPECT_EQ(why.code, errc::internal);
  EXPECT_EQ(why.server, "kid");
  EXPECT_EQ(why.tool, "echo");
}

TEST_F(tool_review_test, an_announced_change_counts_once_until_the_list_is_read) {
  EXPECT_TRUE(review.announced_change());
  EXPECT_FALSE(review.announced_change());
  EXPECT_TRUE(review.is_change_announced());
  EXPECT_FALSE(review.is_settled());
  review.reads_again();
  EXPECT_TRUE(review.is_settled());
  EXPECT_TRUE(review.announced_change());
}

TEST_F(tool_review_test, a_list_is_as_new_as_what_was_announced_when_it_was_asked_for) {
  EXPECT_TRUE(review.is_read(review.last_change())) << "nothing was announced";
  review.announced_change();
  review.announced_change();
  auto before = review.last_change();
  EXPECT_FALSE(review.is_read(before));
  review.reads_again();
  EXPECT_FALSE(review.is_read(before)) << "it has not come";
  review.announced_change();
  review.was_read();
  EXPECT_TRUE(review.is_read(before));
  EXPECT_FALSE(review.is_read(review.last_change()));
  EXPECT_TRUE(review.is_change_announced());
}

TEST_F(tool_review_test, a_server_that_changes_its_list_all_the_time_has_a_tenth_of_the_catalog) {
  EXPECT_EQ(review.relist_pause(), msg::limits::child_list_debounce);
  review.reviewed(review.told(2s), names{}, now + 50s);
  EXPECT_EQ(review.relist_pause(), 20s) << "other servers waited before it";
  EXPECT_EQ(review.pause_left(now + 50s), 2s) << "a call waits no longer";
  EXPECT_EQ(review.pause_left(now + 51s), 1s);
  EXPECT_EQ(review.pause_left(now + 60s), 0s);
  review.reviewed(review.told(1h), names{}, now);
  EXPECT_EQ(review.relist_pause(), 60s) << "and is read once in a while";
}

} // namespace child_tool_review_test
