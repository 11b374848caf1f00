#include "proxy/artifact_requests.hpp"

#include "proxy/guest_frames.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

namespace proxy_output_requests_test {

using msg::artifact_query;

TEST(artifact_requests, with_all_and_with_the_least) {
  auto all = proxy::parse_output_request(test::object(R"({"handle":"out_x","path":"a[0]","offset":3,"limit":4})"));
  ASSERT_TRUE(all.ok()) << all.error.message;
  EXPECT_EQ(all.value.handle + " " + all.value.path, "out_x a[0]");
  EXPECT_EQ(all.value.offset, 3u);
  EXPECT_EQ(all.value.limit, 4u);
  auto least = proxy::parse_output_request(test::object(R"({"handle":"out_x","path":null,"limit":null})"));
  ASSERT_TRUE(least.ok()) << least.error.message;
  EXPECT_EQ(least.value.limit, artifact_query::no_limit);
}

TEST(artifact_requests, with_mistakes) {
  for (auto [params, says] : std::initializer_list<std::pair<const char*, const char*>>{
         {"{}", "'handle' must be a text"},
         {R"({"handle":5})", "not 5"},
         {R"({"handle":"h","path":["a"]})", "'path' must be a text"},
         {R"({"handle":"h","offset":-1})", "'offset' must be an integer from 0, not -1"},
         {R"({"handle":"h","offset":1.5})", "'offset'"},
         {R"({"handle":"h","limit":"9"})", "'limit' must be an integer from 0"}}) {
    auto got = proxy::parse_output_request(test::object(params));
    EXPECT_EQ(got.error.code, msg::errc::invalid_argument) << params;
    EXPECT_NE(got.error.message.find(says), std::string::npos) << got.error.message;
  }
}

TEST(artifact_requests, texts_are_bounded) {
  for (auto* name : {"handle", "path"}) {
    boost::json::object params{{"handle", "out_x"}};
    params[name] = std::string(5'000, 'a');
    auto got = proxy::parse_output_request(params);
    EXPECT_EQ(got.error.code, msg::errc::invalid_argument) << name;
    EXPECT_LT(got.error.message.size(), 300u);
  }
}

TEST(artifact_requests, are_frames) {
  auto frame =
    proxy::parse_frame(test::doc(R"({"type":"request","id":7,"method":"output","params":{"handle":"out_x"}})"));
  auto* request = std::get_if<proxy::guest_output_request>(&frame);
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, 7u);
  frame = proxy::parse_frame(test::doc(R"({"type":"request","id":8,"method":"output","params":{}})"));
  auto* mistake = std::get_if<proxy::guest_mistake>(&frame);
  ASSERT_TRUE(mistake);
  EXPECT_EQ(mistake->id, 8u);
}

} // namespace proxy_output_requests_test
