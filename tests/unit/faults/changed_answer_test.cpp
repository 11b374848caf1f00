#include "faults/changed_answer.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

namespace json = boost::json;

msg::document answer_of(size_t text_bytes) {
  json::object block{{"type", "text"}, {"text", std::string(text_bytes, 'x')}};
  return msg::document{
    json::object{{"jsonrpc", "2.0"}, {"id", 1}, {"result", json::object{{"content", json::array{std::move(block)}}}}}};
}

faults::rule rule_of(faults::kind what) {
  faults::rule by;
  by.what = what;
  return by;
}

constexpr faults::kind changing[] = {faults::kind::wrong_type, faults::kind::empty, faults::kind::injection};

} // namespace

TEST(changed_answer, is_another_one) {
  auto answer = answer_of(10);
  for (auto what : changing)
    EXPECT_NE(faults::change(answer, rule_of(what)).message.text(), answer.text());
}

TEST(changed_answer, of_much_text_stays_as_it_is) {
  auto answer = answer_of(faults::changed_bytes_max);
  for (auto what : changing)
    EXPECT_EQ(faults::change(answer, rule_of(what)).message.text(), answer.text());
  auto by = rule_of(faults::kind::garbage);
  by.text = "no JSON";
  EXPECT_EQ(faults::change(answer, by).line, "no JSON"); // costs nothing
}
