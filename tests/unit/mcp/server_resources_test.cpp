#include "mcp/server_protocol.hpp"

#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace mcp_server_resources_test {

namespace code = mcp::rpc_error;
using test::doc;
using test::value;

class server_resources_test : public testing::Test {
protected:
  mcp::server_callbacks callbacks(bool with_resources) {
    mcp::server_callbacks c;
    c.send = [this](mcp::outgoing m) { sent_.push_back(value(m.text.text())); };
    c.list_tools = [](mcp::revision) { return doc(R"({"tools":[]})"); };
    c.cancelled = [this](mcp::request_number n) { cancelled_.push_back(n); };
    if (!with_resources)
      return c;
    c.list_resources = [this](mcp::request_number n) { listed_.push_back(n); };
    c.read_resource = [this](mcp::request_number n, std::string uri) { read_.emplace_back(n, std::move(uri)); };
    c.list_resource_templates = [] { return doc(R"({"resourceTemplates":[]})"); };
    return c;
  }
  void request(const std::string& id, const std::string& method, const std::string& params = "{}") {
    protocol_->receive(
      doc(R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method + R"(","params":)" + params + "}"));
  }
  void initialize() { request("0", "initialize", R"({"protocolVersion":"2025-11-25"})"); }
  void expect_error(int32_t error_code, const std::string& says) {
    auto& error = sent_.back().as_object().at("error").as_object();
    EXPECT_EQ(error.at("code").as_int64(), error_code);
    EXPECT_NE(error.at("message").as_string().find(says), std::string::npos) << error.at("message").as_string();
  }

  std::vector<boost::json::value> sent_;
  std::vector<mcp::request_number> listed_, cancelled_;
  std::vector<std::pair<mcp::request_number, std::string>> read_;
  std::optional<mcp::server_protocol> protocol_{std::in_place, mcp::server_identity{"n", "v", {}, true},
                                                callbacks(true)};
};

TEST_F(server_resources_test, are_a_capability) {
  initialize();
  EXPECT_EQ(sent_.back().at("result").at("capabilities"), value(R"({"tools":{},"logging":{},"resources":{}})"));
}

TEST_F(server_resources_test, can_be_read_without_being_declared) {
  protocol_.emplace(mcp::server_identity{"n", "v", {}, false}, callbacks(true));
  initialize();
  EXPECT_EQ(sent_.back().at("result").at("capabilities"), value(R"({"tools":{},"logging":{}})"));
  request("2", "resources/read", R"({"uri":"x://y"})");
  EXPECT_EQ(read_.size(), 1u);
}

TEST_F(server_resources_test, are_listed_and_read_later) {
  initialize();
  request("\"a\"", "resources/list");
  request("2", "resources/read", R"({"uri":"x://y"})");
  EXPECT_EQ(sent_.size(), 1u);
  ASSERT_EQ(listed_.size(), 1u);
  ASSERT_EQ(read_.size(), 1u);
  EXPECT_EQ(read_[0].second, "x://y");
  protocol_->respond_error(read_[0].first, {code::resource_not_found, "Unknown resource: x://y", {}});
  EXPECT_EQ(sent_.back(),
            value(R"({"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Unknown resource: x://y"}})"));
  protocol_->respond(listed_[0], doc(R"({"resources":[]})"));
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":"a","result":{"resources":[]}})"));
  request("3", "resources/templates/list");
  EXPECT_EQ(sent_.back(), value(R"({"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":[]}})"));
  EXPECT_EQ(protocol_->in_flight(), 0u);
}

TEST_F(server_resources_test, can_be_cancelled) {
  initialize();
  request("1", "resources/read", R"({"uri":"x://y"})");
  protocol_->receive(doc(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"));
  EXPECT_EQ(cancelled_.size(), 1u);
  protocol_->respond(read_.at(0).first, doc("{}"));
  EXPECT_EQ(sent_.size(), 1u) << "no answer is wanted";
}

TEST_F(server_resources_test, have_their_mistakes) {
  request("9", "resources/list");
  expect_error(code::invalid_request, "before 'initialize'");
  initialize();
  request("1", "resources/read", "{}");
  expect_error(code::invalid_params, "'uri' must be a string, not absent");
  request("2", "resources/read", R"({"uri":5})");
  expect_error(code::invalid_params, "not 5");
  request("3", "resources/other", R"({"uri":"x"})");
  expect_error(code::method_not_found, "resources/other");
  request("4", "resources/list", R"({"cursor":"x"})");
  expect_error(code::invalid_params, "unknown 'cursor'");
  request("5", "resources/list");
  request("5", "resources/list");
  expect_error(code::invalid_request, "is in use");
}

TEST_F(server_resources_test, without_them_their_methods_are_unknown) {
  protocol_.emplace(mcp::server_identity{"n", "v", {}, false}, callbacks(false));
  initialize();
  EXPECT_EQ(sent_.back().at("result").at("capabilities"), value(R"({"tools":{},"logging":{}})"));
  request("1", "resources/list");
  expect_error(code::method_not_found, "resources/list");
}

} // namespace mcp_server_resources_test
