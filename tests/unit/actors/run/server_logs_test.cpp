#include "actors/run/server_logs.hpp"

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include <vector>

namespace actors_run_server_logs_test {

using actors::run::log_lines_max;
using msg::log_level;

TEST(server_logs, so_many_lines_are_told_and_how_many_were_not) {
  std::vector<msg::server_log> told;
  actors::run::server_logs logs{"code-executor", [&](msg::server_log line) { told.push_back(std::move(line)); }};
  for (uint32_t i = 0; i < log_lines_max; ++i)
    logs.take({{7, i}, true, log_level::info, "kid", {}});
  EXPECT_EQ(told.size(), log_lines_max);
  for (auto level : {log_level::info, log_level::error, log_level::debug})
    logs.take({{7, 1}, false, level, "kid", {}});
  EXPECT_EQ(told.size(), log_lines_max);
  logs.end();
  logs.end();
  ASSERT_EQ(told.size(), log_lines_max + 1);
  EXPECT_EQ(told.back().key.run, 7u);
  EXPECT_EQ(told.back().level, log_level::error) << "who would have heard the gravest hears this";
  EXPECT_EQ(told.back().logger, "code-executor");
  EXPECT_TRUE(told.back().is_sure);
  EXPECT_TRUE(told.back().data.value().as_string().starts_with("3 lines of the servers' logs left out"));
}

TEST(server_logs, of_what_was_told_nothing_is_said_at_the_end) {
  std::vector<msg::server_log> told;
  actors::run::server_logs logs{"code-executor", [&](msg::server_log line) { told.push_back(std::move(line)); }};
  logs.take({{7, 1}, true, log_level::info, "kid", {}});
  logs.end();
  EXPECT_EQ(told.size(), 1u);
}

} // namespace actors_run_server_logs_test
