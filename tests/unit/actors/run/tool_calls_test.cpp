#include "tests/unit/actors/run/tool_calls_fixture.hpp"

namespace actors_run_tool_calls_test {

TEST_F(tool_calls_test, are_sent_unwrapped_counted_learned_and_recorded) {
  begin(1);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].first.key.call, 1u);
  EXPECT_EQ(sent[0].first.tool.tool, "add");
  now += 5us;
  return_last(R"({"structuredContent":{"sum":3}})");
  EXPECT_EQ(answers.at(1).value.text(), R"({"sum":3})");
  EXPECT_EQ(observed, std::vector<std::string>{R"(add {"sum":3})"});
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__add none "});
  EXPECT_EQ(progress, (std::vector<std::string>{"1/0 mcp__s__add", "1/1 mcp__s__add"}));
  auto tools = calls->take_statistics();
  ASSERT_EQ(tools.size(), 1u);
  EXPECT_EQ(tools[0].successes, 1u);
  EXPECT_EQ(tools[0].duration_us, 5u);
  EXPECT_FALSE(calls->is_any_open());
}

TEST_F(tool_calls_test, that_mean_no_tool_fail_with_what_the_connector_says) {
  begin(1, "unknown");
  sent.back().second(msg::fault{errc::unknown_tool, "no such tool"}.at("s", "unknown"));
  EXPECT_EQ(answers.at(1).error.code, errc::unknown_tool);
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__unknown unknown_tool no such tool"});
}

TEST_F(tool_calls_test, have_the_name_that_their_answer_tells_and_so_have_later_ones_that_are_spelled_alike) {
  begin(1, "readFile");
  EXPECT_EQ(progress.back(), "1/0 mcp__s__readFile");
  EXPECT_TRUE(sent.back().first.wants_meaning);
  sent.back().second(msg::fault{errc::server_died, "it died"}.at("s", "read-file"));
  EXPECT_EQ(answers.at(1).error.tool, "read-file");
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__read-file server_died it died"});
  begin(2, "readFile");
  EXPECT_EQ(progress.back(), "2/1 mcp__s__read-file");
  EXPECT_EQ(sent.back().first.tool.tool, "readFile") << "the connector alone says what is meant";
  EXPECT_FALSE(sent.back().first.wants_meaning);
  sent.back().second(msg::tool_result{msg::document{json::object{}}, "", "s", "read_file"});
  EXPECT_EQ(recorded.back(), "mcp__s__read_file none ") << "the last answer counts";
  auto tools = calls->take_statistics();
  ASSERT_EQ(tools.size(), 2u);
  EXPECT_EQ(tools[0].name, "mcp__s__read-file");
}

TEST_F(tool_calls_test, whose_spellings_read_the_same_are_told_apart) {
  calls->begin({1, {"", "a", "b__sleep"}, msg::document{json::object{}}});
  sent.back().second(msg::tool_result{msg::document{json::object{}}, "", "a", "b__sleep"});
  calls->begin({2, {"", "a__b", "sleep"}, msg::document{json::object{}}});
  auto waiting = calls->waiting_calls();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0].tool.server, "a__b") << "asked about as the program has written it";
  sent.back().second(msg::fault{errc::tool_failed, "no"}.at("a__b", "sleep"));
  EXPECT_EQ(answers.at(2).error.server, "a__b");
}

TEST_F(tool_calls_test, that_are_on_their_way_have_the_name_that_the_connector_tells) {
  begin(1, "readFile");
  msg::tool_info meant;
  meant.server = "s";
  meant.name = "read-file";
  calls->hear(1, meant);
  EXPECT_EQ(calls->waiting_calls().at(0).call.name, "mcp__s__read-file");
  calls->stop();
  calls->end_all();
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__read-file cancelled the run ended before the answer came"});
}

TEST_F(tool_calls_test, that_no_server_has_got_may_be_tried_again_without_end) {
  limit({100, 2});
  for (uint64_t id = 1; id <= 5; ++id) {
    begin(id, "later");
    sent.back().second(msg::fault{errc::unknown_tool, "no such tool"}.at("s", "later"));
    EXPECT_EQ(answers.at(id).error.code, errc::unknown_tool);
  }
}

TEST_F(tool_calls_test, of_a_run_that_is_over_are_recorded_by_the_names_that_their_answers_tell) {
  begin(1, "readFile");
  calls->stop();
  sent.back().second(msg::fault{errc::cancelled, "the run ended before the answer came"}.at("s", "read-file"));
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__read-file cancelled the run ended before the answer came"});
}

TEST_F(tool_calls_test, that_nothing_answers_for_are_named_as_they_are_spelled) {
  begin(1);
  sent.back().second(msg::fault{errc::server_died, "it died"});
  EXPECT_EQ(answers.at(1).error.server, "");
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__add server_died it died"});
}

TEST_F(tool_calls_test, have_a_bound_in_each_run) {
  limit({2, 3});
  begin(1), begin(2), begin(3);
  EXPECT_EQ(answers.at(3).error.code, errc::limit_exceeded);
  EXPECT_EQ(sent.size(), 2u);
}

TEST_F(tool_calls_test, that_failed_alike_too_often_are_refused_and_a_success_forgives) {
  limit({100, 2});
  uint64_t id = 0;
  auto fail = [&] {
    begin(++id);
    sent.back().second(msg::fault{errc::tool_failed, "no such file"});
  };
  fail(), fail();
  begin(++id);
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ(answers.at(id).error.code, errc::limit_exceeded);
  EXPECT_TRUE(answers.at(id).error.message.ends_with("it failed with: no such file"));
  begin(++id, "other");
  EXPECT_EQ(sent.size(), 3u);
}

TEST_F(tool_calls_test, that_failed_alike_under_other_spellings_count_as_the_same) {
  limit({100, 2});
  uint64_t id = 0;
  for (auto* spelled : {"readFile", "read_file"}) {
    begin(++id, spelled);
    sent.back().second(msg::fault{errc::tool_failed, "no such file"}.at("s", "read-file"));
  }
  begin(++id, "readFile");
  EXPECT_EQ(answers.at(id).error.code, errc::limit_exceeded);
}

TEST_F(tool_calls_test, with_a_large_result_are_unwrapped_on_another_thread) {
  begin(1);
  return_last(R"({"content":[{"type":"text","text":")" + std::string(2 * msg::limits::json_inline_bytes_max, 'x')
              + R"("}]})");
  EXPECT_TRUE(answers.empty());
  work();
  EXPECT_EQ(answers.at(1).value.text().size(), 2 * msg::limits::json_inline_bytes_max + 2);
}

TEST_F(tool_calls_test, beyond_what_may_be_open_are_refused_and_recorded) {
  for (uint64_t id = 100; requests.size() < msg::limits::guest_requests_max; ++id)
    requests.admit(id);
  begin(1);
  EXPECT_EQ(answers.at(1).error.code, errc::overloaded);
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__add overloaded too many requests of the run were open"});
  EXPECT_EQ(calls->take_statistics().at(0).errors, 1u);
}

TEST_F(tool_calls_test, warnings_about_tools_and_results_are_told) {
  begin(1);
  msg::tool_info tool;
  tool.server = "s";
  tool.name = "add";
  tool.changed = "has another description";
  calls->hear(1, tool);
  sent.back().second(msg::tool_result{msg::document{json::object{}}, "it is not as promised", "s", "add"});
  auto text = told_text();
  EXPECT_NE(text.find("Warning: tool mcp__s__add: has another description (`"), std::string::npos) << text;
  EXPECT_NE(text.find("Warning: it is not as promised.\n"), std::string::npos) << text;
}

TEST_F(tool_calls_test, that_are_given_up_are_cancelled_and_answered_once) {
  begin(2);
  begin(1);
  calls->give_up(1, {errc::server_start_failed, "it hangs"});
  calls->give_up(2, {errc::server_start_failed, "it hangs"});
  calls->give_up(2, {errc::internal, "again"});
  EXPECT_EQ(cancelled, (std::vector<uint64_t>{1, 2}));
  return_last(R"({"structuredContent":{"sum":3}})");
  EXPECT_EQ(answers.at(1).error.code, errc::server_start_failed);
  EXPECT_EQ(answers.at(2).error.code, errc::server_start_failed);
}

TEST_F(tool_calls_test, of_a_run_that_is_over_are_recorded_and_not_answered) {
  begin(1), begin(2), begin(3);
  calls->stop();
  return_last(R"({"structuredContent":{"sum":3}})");
  calls->end_all();
  EXPECT_TRUE(answers.empty());
  EXPECT_EQ(recorded, (std::vector<std::string>{"mcp__s__add cancelled the run ended before the answer came",
                                                "mcp__s__add cancelled the run ended before the answer came",
                                                "mcp__s__add cancelled the run ended before the answer came"}));
  EXPECT_EQ(calls->take_statistics().at(0).errors, 3u);
}

TEST_F(tool_calls_test, that_wait_are_told_oldest_first_with_what_is_known_of_their_servers) {
  begin(2, "old");
  now += 1s;
  begin(1, "new");
  now += 1s;
  auto waiting = calls->waiting_calls();
  ASSERT_EQ(waiting.size(), 2u);
  EXPECT_EQ(waiting[0].id, 2u);
  EXPECT_EQ(waiting[0].call.waited_ms, 2'000u);
  auto tools = tools_of(waiting, 7);
  EXPECT_EQ(tools.at(0).tool, "old");
  EXPECT_EQ(tools.at(0).run, 7u);
  add_starts(waiting, {{"s", 1'500, "npm warn", 0}});
  EXPECT_EQ(waiting[0].call.starting_ms, 1'500u);
  EXPECT_EQ(waiting[1].call.starting_ms, 0u);
  EXPECT_EQ(tools_of(std::vector<actors::run::waiting>(500), 7).size(), starts_asked_max);
}

TEST_F(tool_calls_test, that_a_program_has_not_waited_for_are_named) {
  EXPECT_EQ(calls->given_up_text(), "");
  begin(1);
  EXPECT_EQ(
    calls->given_up_text(),
    "1 call was still open when the program ended and was given up; its server may carry it out, if it has got it: "
    "mcp__s__add");
  for (uint64_t id = 2; id <= 8; ++id)
    begin(id, "t" + std::to_string(id / 2));
  EXPECT_EQ(calls->given_up_text(),
            "8 calls were still open when the program ended and were given up; their servers may carry out those that "
            "they have got: mcp__s__add, "
            "mcp__s__t1, mcp__s__t2, mcp__s__t3, mcp__s__t4");
}

TEST_F(tool_calls_test, tell_how_far_they_are) {
  begin(1);
  progress.clear();
  calls->hear({{7, 1}, 0.5, 1e19, ""});
  calls->hear({{7, 1}, 3, 0, "reading"});
  calls->hear({{7, 9}, 3, 0, "of no open call"});
  EXPECT_EQ(progress, (std::vector<std::string>{"1/0 mcp__s__add: 0.5/1e+19", "1/0 mcp__s__add: 3 reading"}));
}

TEST_F(tool_calls_test, tell_of_blocks_that_the_program_does_not_get) {
  begin(1);
  return_last(R"({"structuredContent":{"n":1},"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]})");
  EXPECT_EQ(answers.at(1).value.text(), R"({"n":1})");
  EXPECT_EQ(told_text(),
            "Warning: tool mcp__s__add sent 1 block that is no text beside its structuredContent, which is "
            "what a call returns.\n");
}

TEST_F(tool_calls_test, that_are_open_for_long_are_told_once) {
  begin(1, "slow");
  begin(2, "fast");
  return_last("{}");
  recorded.clear();
  now += 600ms;
  begin(3, "later");
  EXPECT_EQ(looks, std::vector{1'000ms}) << "one look for all of them";
  now += 400ms;
  calls->record_long_open();
  EXPECT_EQ(recorded, std::vector<std::string>{"mcp__s__slow open"});
  EXPECT_EQ(looks.back(), 600ms);
  now += 600ms;
  calls->record_long_open();
  EXPECT_EQ(recorded, (std::vector<std::string>{"mcp__s__slow open", "mcp__s__later open"}));
  EXPECT_EQ(looks.size(), 2u) << "nothing is left to be told";
  begin(4);
  EXPECT_EQ(looks.size(), 3u);
}

TEST_F(tool_calls_test, that_are_open_for_long_are_told_a_few_at_a_time) {
  limit({200, 3});
  for (uint64_t id = 1; id <= 120; ++id)
    begin(id);
  now += 2s;
  for (size_t told : {50u, 100u, 120u}) {
    calls->record_long_open();
    EXPECT_EQ(recorded.size(), told);
  }
  EXPECT_EQ(looks, (std::vector{1'000ms, 100ms, 100ms}));
  begin(121);
  now += 1s;
  calls->stop();
  calls->record_long_open();
  EXPECT_EQ(recorded.size(), 120u) << "the end of the run tells of them";
}

} // namespace actors_run_tool_calls_test
