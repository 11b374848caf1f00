#include "sampling/stream_reader.hpp"

#include "tests/unit/sampling/bodies.hpp"

#include <gtest/gtest.h>

namespace sampling_stream_reader_test {

using namespace sampling;

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

/// Everything at once.
msg::outcome<msg::model_answer> read(provider who, std::string_view text) {
  stream_reader reader{who};
  auto given = reader.feed(text);
  auto out = reader.finish();
  bool is_answer = out.ok() && text.starts_with("data");
  EXPECT_EQ(is_answer ? given : "", is_answer ? out.value.text : "");
  return out;
}

void expect_the_answer(const msg::outcome<msg::model_answer>& out, const std::string& given, provider who) {
  ASSERT_TRUE(out.ok()) << name_of(who) << ": " << out.error.message;
  auto& a = out.value;
  EXPECT_EQ(given, "It is warm.");
  EXPECT_EQ(a.text, "It is warm.");
  EXPECT_EQ(a.model, "m-1-2026");
  EXPECT_EQ(a.stop, msg::stop_reason::tool_use);
  EXPECT_EQ(a.usage.input, 25u);
  EXPECT_EQ(a.usage.output, 12u);
  EXPECT_FALSE(a.usage.is_estimated);
  ASSERT_EQ(a.uses.size(), 1u);
  EXPECT_EQ(a.uses[0].id, "tool-1");
  EXPECT_EQ(a.uses[0].name, "mcp__weather__now");
  EXPECT_EQ(a.uses[0].input.text(), R"({"city":"Kiel"})");
  EXPECT_EQ(a.uses[0].extra.text(), who == provider::gemini ? R"({"thoughtSignature":"c2ln"})" : "null");
}

TEST(stream, gives_the_answer_wherever_it_is_split) {
  for (auto who : all_providers) {
    auto text = test::stream_body(who);
    for (size_t i = 0; i <= text.size(); ++i) {
      stream_reader reader{who};
      auto given = reader.feed(text.substr(0, i));
      given += reader.feed(text.substr(i));
      expect_the_answer(reader.finish(), given, who);
      if (HasFatalFailure())
        return;
    }
    stream_reader reader{who};
    std::string given;
    for (char c : text)
      given += reader.feed({&c, 1});
    expect_the_answer(reader.finish(), given, who);
  }
}

TEST(stream, of_parts_has_the_texts_of_them) {
  auto chunk = [](std::string_view content, std::string_view reason) {
    return R"(data: {"choices":[{"delta":{"content":)" + std::string{content} + R"(},"finish_reason":)"
           + std::string{reason} + "}]}\n\n";
  };
  auto thought = chunk(R"([{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}])", "null");
  auto out = read(provider::compatible,
                  thought + chunk(R"([{"type":"text","text":"4"}])", "null") + chunk(R"("2")", R"("stop")"));
  ASSERT_TRUE(out.ok()) << out.error.message;
  EXPECT_EQ(out.value.text, "42");
  out = read(provider::compatible, thought + chunk("null", R"("stop")"));
  EXPECT_TRUE(has(out.error.message, "without text")) << out.error.message;
  out = read(provider::compatible, chunk("\"\"", "null") + chunk("null", R"("content_filter")"));
  EXPECT_TRUE(has(out.error.message, "refused to answer")) << out.error.message;
  out = read(provider::compatible, chunk("5", R"("stop")"));
  EXPECT_TRUE(has(out.error.message, "can not be read")) << out.error.message;
}

TEST(stream, gives_text_as_it_comes) {
  stream_reader reader{provider::anthropic};
  auto text = test::stream_body(provider::anthropic);
  auto first = text.find("warm.");
  EXPECT_EQ(reader.feed(text.substr(0, first)), "It is ");
  EXPECT_EQ(reader.feed(text.substr(first)), "warm.");
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.feed(text), "") << "what follows the end is ignored";
  EXPECT_TRUE(reader.finish().ok());
}

/// Where the answer is complete: the last thing that belongs to it has been read.
size_t complete_at(provider who, std::string_view text) {
  auto last = who == provider::anthropic ? text.find("{\"type\":\"message_stop\"}")
              : who == provider::gemini  ? text.find("\"finishReason\"")
                                         : text.find("\"finish_reason\":\"tool_calls\"");
  return text.find(who == provider::gemini ? "\r\n\r" : "\n\n", last);
}

TEST(stream, that_is_cut_is_a_fault) {
  for (auto who : all_providers) {
    auto text = test::stream_body(who);
    auto complete = complete_at(who, text);
    ASSERT_NE(complete, text.npos);
    for (size_t n = 0; n < text.size(); ++n) {
      stream_reader reader{who};
      reader.feed(text.substr(0, n));
      auto out = reader.finish();
      EXPECT_EQ(out.ok(), n > complete + (who == provider::gemini ? 2 : 1))
        << name_of(who) << " " << n << " of " << complete;
      if (!out.ok()) {
        EXPECT_TRUE(has(out.error.message, "before the answer was complete")
                    || has(out.error.message, "answered with nothing"))
          << out.error.message;
        EXPECT_EQ(out.error.code, msg::errc::model_failed);
      }
    }
  }
}

TEST(stream, with_done_and_no_reason_is_complete) {
  auto out = read(provider::compatible, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n");
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value.stop, msg::stop_reason::end);
  EXPECT_TRUE(out.value.usage.is_estimated);
}

TEST(stream, of_perplexity_repeats_the_whole_message) {
  auto out = read(
    provider::perplexity,
    R"(data: {"model":"sonar","usage":{"prompt_tokens":14,"completion_tokens":1,"total_tokens":15},"choices":[{"index":0,"finish_reason":null,"message":{"role":"assistant","content":"There"},"delta":{"role":"assistant","content":"There"}}]}

data: {"model":"sonar","usage":{"prompt_tokens":14,"completion_tokens":3,"total_tokens":17},"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"There are"},"delta":{"role":"assistant","content":" are"}}]}

)");
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value.text, "There are");
  EXPECT_EQ(out.value.usage.output, 3u);
}

TEST(stream, has_several_uses_in_pieces_that_are_mixed) {
  auto out = read(
    provider::openai,
    R"(data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"one","arguments":"{\"x\""}},{"index":1,"id":"b","function":{"name":"two","arguments":""}}]}}]}

data: {"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":":1}"}}]}}]}

data: {"choices":[{"delta":{},"finish_reason":"stop"}]}

)");
  ASSERT_TRUE(out.ok()) << out.error.message;
  ASSERT_EQ(out.value.uses.size(), 2u);
  EXPECT_EQ(out.value.uses[0].input.text(), R"({"x":1})");
  EXPECT_EQ(out.value.uses[1].name, "two");
  EXPECT_EQ(out.value.stop, msg::stop_reason::tool_use) << "whatever the server calls it";
}

TEST(stream, with_an_error_in_it_is_that_error) {
  struct {
    provider who;
    const char *text, *said;
    msg::errc code;
  } const cases[] = {
    {provider::anthropic,
     "event: error\ndata: "
     "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n",
     "Anthropic is overloaded", msg::errc::model_failed},
    {provider::openai, "data: {\"error\":{\"message\":\"Slow down\",\"type\":\"rate_limit_error\",\"code\":null}}\n\n",
     "OpenAI is asked too often", msg::errc::rate_limited},
    {provider::gemini, "data: {\"error\":{\"code\":503,\"message\":\"Later\",\"status\":\"UNAVAILABLE\"}}\n\n",
     "Gemini is overloaded", msg::errc::model_failed},
    {provider::compatible, "data: {\"error\":\"out of memory\"}\n\n", "out of memory", msg::errc::model_failed},
  };
  for (auto& c : cases) {
    stream_reader reader{c.who};
    auto begin = std::string{test::stream_body(c.who).substr(0, test::stream_body(c.who).find("warm."))};
    reader.feed(begin.substr(0, begin.rfind(c.who == provider::anthropic ? "event:" : "data:")));
    EXPECT_FALSE(reader.done());
    reader.feed(c.text);
    EXPECT_TRUE(reader.done());
    auto out = reader.finish();
    ASSERT_FALSE(out.ok());
    EXPECT_TRUE(has(out.error.message, c.said)) << out.error.message;
    EXPECT_EQ(out.error.code, c.code);
  }
}

TEST(stream, that_is_none) {
  for (auto who : all_providers) {
    EXPECT_TRUE(has(read(who, "").error.message, "answered with nothing"));
    EXPECT_TRUE(has(read(who, "\r\n \n").error.message, "answered with nothing"));
    EXPECT_TRUE(has(read(who, "<html><title>502 Bad Gateway</title>").error.message, "502 Bad Gateway"));
    EXPECT_TRUE(has(read(who, "data: {\"a\n\n").error.message, "no JSON object"));
    EXPECT_TRUE(has(read(who, "data: [1]\n\n").error.message, "no JSON object"));
    EXPECT_TRUE(has(read(who, "data: \xff\xfe\n\n").error.message, "no JSON object"));
    auto deep = "data: {\"a\":" + std::string(30'000, '[') + std::string(30'000, ']') + "}\n\n";
    EXPECT_TRUE(has(read(who, deep).error.message, "that is nested deeper than 200 levels, which is the limit: {"));
    EXPECT_TRUE(has(read(who, "complete nonsense").error.message, "before the answer was complete"));
  }
}

TEST(stream, without_text_tools_or_a_reason_is_nothing) {
  for (auto* text : {"data: [DONE]\n\n", "data: {\"choices\":[{\"delta\":{\"content\":\"\"}}]}\n\ndata: [DONE]\n\n"})
    EXPECT_TRUE(has(read(provider::compatible, text).error.message, "answered with nothing")) << text;
  auto cut =
    read(provider::compatible, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n");
  EXPECT_TRUE(has(cut.error.message, "gave no text before maxTokens was reached")) << "but it has thought";
}

TEST(stream, that_fails_tells_what_came) {
  auto text = test::stream_body(provider::anthropic);
  stream_reader reader{provider::anthropic};
  reader.feed(text.substr(0, text.rfind("event:")));
  auto out = reader.finish();
  ASSERT_FALSE(out.ok());
  EXPECT_TRUE(has(out.value.text, "It is warm.")) << "and the arguments of its tools";
  EXPECT_TRUE(has(out.value.text, "Kiel"));
  EXPECT_EQ(out.value.usage.input, 25u);
}

TEST(stream, that_is_one_json_object_is_taken_as_the_answer) {
  for (auto who : all_providers) {
    stream_reader reader{who};
    auto body = test::whole_body(who);
    EXPECT_EQ(reader.feed(body.substr(0, 9)), "");
    EXPECT_EQ(reader.feed(body.substr(9)), "");
    auto out = reader.finish();
    ASSERT_TRUE(out.ok()) << out.error.message;
    EXPECT_EQ(out.value.text, "It is warm.");
  }
  EXPECT_TRUE(
    has(read(provider::openai, R"({"error":{"message":"no streams here"}})").error.message, "no streams here"));
}

TEST(stream, is_bounded) {
  stream_reader text{provider::compatible};
  auto piece = "data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(1u << 19, 'x') + "\"}}]}\n\n";
  size_t given = 0;
  for (int i = 0; i < 10; ++i)
    given += text.feed(piece).size();
  EXPECT_TRUE(text.done());
  EXPECT_LE(given, answer_bytes_max);
  auto too_large = text.finish();
  EXPECT_TRUE(has(too_large.error.message, "too large"));
  EXPECT_GT(too_large.value.usage.output, given / 4) << "also of the piece that passed the limit";

  stream_reader line{provider::compatible};
  for (int i = 0; i < 10; ++i)
    line.feed("data:" + std::string(1u << 20, 'x'));
  EXPECT_TRUE(line.done());
  EXPECT_TRUE(has(line.finish().error.message, "1 MiB"));
  EXPECT_EQ(line.refused_bytes(), 10 * ((1u << 20) + 5)) << "a model has made it all the same";

  stream_reader object{provider::compatible};
  for (int i = 0; i < 10; ++i)
    object.feed("{" + std::string(1u << 20, 'x'));
  EXPECT_TRUE(object.done());
  EXPECT_TRUE(has(object.finish().error.message, "4 MiB"));
  EXPECT_GT(object.refused_bytes(), 10u << 20);

  stream_reader blank{provider::compatible};
  for (int i = 0; i < 100; ++i)
    blank.feed(std::string(1'000, '\n'));
  EXPECT_TRUE(blank.done());
  EXPECT_TRUE(has(blank.finish().error.message, "white space"));
}

TEST(stream, tells_what_it_has_not_read) {
  stream_reader reader{provider::compatible};
  reader.feed("data: {\"choices\":");
  EXPECT_EQ(reader.unread_bytes(), 17u) << "reading the rest of it is reading all of it";
  reader.feed("[{\"delta\":{\"content\":\"a\"}}]}\n\n");
  EXPECT_EQ(reader.unread_bytes(), 0u);
  EXPECT_EQ(reader.refused_bytes(), 0u);
  reader.feed("data: nonsense\n\ndata: more\n\n");
  EXPECT_EQ(reader.refused_bytes(), 12u);

  stream_reader complete{provider::compatible};
  complete.feed("data: [DONE]\n\n");
  complete.feed("data: {}\n\n");
  EXPECT_EQ(complete.refused_bytes(), 0u) << "it is no part of the answer";
}

TEST(stream, of_the_wrong_types_is_an_answer_or_a_fault) {
  for (auto who : {provider::anthropic, provider::openai, provider::gemini}) {
    const std::string text{test::stream_body(who)};
    for (auto* wrong : {"null", "true", "-1", "1e308", "\"x\"", "[]", "{}", "[{}]"})
      for (auto at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
        auto end = text.find_first_of(",}\n", at);
        auto changed = text.substr(0, at + 1) + wrong + text.substr(end);
        auto out = read(who, changed);
        EXPECT_NE(out.ok(), !out.error.message.empty()) << changed;
        for (auto& u : out.value.uses)
          EXPECT_TRUE(u.input.value().is_object() && !u.name.empty());
      }
  }
}

} // namespace sampling_stream_reader_test
