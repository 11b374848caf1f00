#include "recording/exchange.hpp"

#include "recording/spelled_numbers.hpp"
#include "tests/unit/recording/recording_fixture.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include <string>

namespace recording_exchange_test {

using namespace recording_tests;

std::string star(std::string text) { return text == "s3cret-s3cret" || text == "12345678" ? std::string{"***"} : text; }

TEST(recording_exchange, names_that_are_masked_alike_stay_apart) {
  auto given = json::parse(R"({"s3cret-s3cret":1,"***":2,"token":{"***":true,"s3cret-s3cret":null}})");
  EXPECT_EQ(json::serialize(recording::without_secrets(given, star)),
            R"({"***":1,"*** 2":2,"token":{"***":true,"*** 2":null}})");
}

TEST(recording_exchange, a_number_may_be_a_secret) {
  EXPECT_EQ(json::serialize(recording::without_secrets(json::parse("[12345678,1234567]"), star)), R"(["***",1234567])");
}

TEST(recording_exchange, json_in_a_text_stays_json) {
  auto shown = [](const std::string& text) { return recording::without_secrets(json::value(text), star).get_string(); };
  EXPECT_EQ(shown(R"({"a": 1.50, "b":["x"]})"), R"({"a": 1.50, "b":["x"]})") << "as it was written";
  EXPECT_EQ(shown(R"({"a": 1, "pin":["x",null,{"s3cret-s3cret":2}],"s3cret-s3cret":"[1]"})"),
            R"({"a":1,"pin":["[redacted]",null,{"***":"[redacted]"}],"***":"[1]"})");
}

TEST(recording_exchange, json_in_a_text_that_takes_much_memory_is_not_kept) {
  std::string dense = "[";
  while (dense.size() < size_t{16} << 20)
    dense += R"({"a":1},)";
  dense += R"({"password":"hunter"}])";
  auto shown = recording::without_secrets(json::value(dense), star).get_string();
  EXPECT_EQ(shown, "[redacted] JSON of " + std::to_string(dense.size())
                     + " bytes, in which secrets are not looked for: it would take more than 256 MiB of memory");
}

TEST(recording_exchange, numbers_stay_as_they_were_spelled) {
  auto text = R"({"big":123456789012345678901234567890,"list":[1E2,-0.10,"7, \"8\""],"pin":5,"s3cret-s3cret":1e400})";
  auto real = msg::document::parse(text).value;
  auto shown = recording::without_secrets(real.value(), star);
  EXPECT_EQ(recording::with_numbers_of(shown, real.value(), text),
            R"({"big":123456789012345678901234567890,"list":[1E2,-0.10,"7, \"8\""],"pin":"[redacted]","***":1e400})");
}

TEST(recording_exchange, numbers_of_a_text_that_names_a_member_twice_are_not_mixed_up) {
  for (auto text : {R"({"a":1.50,"b":2.50,"a":3.50})", R"({"a":"x","b":1.50,"a":2.50})"}) {
    auto real = msg::document::parse(text).value;
    auto written = recording::with_numbers_of(real.value(), real.value(), text);
    EXPECT_EQ(json::parse(written), real.value()) << written;
  }
}

TEST(recording_exchange, a_line_tells_what_was_redacted_by_digests) {
  recording::ended_exchange one;
  one.asked = {"kid", "tools/call", json::parse(R"({"name":"a","arguments":{"token":"t1","q":1}})").as_object()};
  one.lost = "s3cret-s3cret";
  auto line = json::parse(recording::exchange_line(one, star, "s")).as_object();
  EXPECT_EQ(line["lost"], "***");
  EXPECT_EQ(json::serialize(line["params"]), R"({"name":"a","arguments":{"token":"[redacted]","q":1}})");
  EXPECT_EQ(line["redacted"], json::array{recording::digest_of("/arguments/token", "t1", "s")});
  EXPECT_NE(line["redacted"], json::array{recording::digest_of("/arguments/token", "t1", "other")});
  one.asked.params.erase("arguments");
  EXPECT_FALSE(json::parse(recording::exchange_line(one, star, "s")).as_object().contains("redacted"));
}

} // namespace recording_exchange_test
