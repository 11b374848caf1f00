#include "config/settings.hpp"

#include "testing/folder.hpp"
#include "text/json_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace config_sampling_settings_test {

namespace fs = std::filesystem;
using content_filter::content_action;
using content_filter::content_class;
using sampling::provider;
using strings = std::vector<std::string>;
using variables = std::map<std::string, std::string>;

class sampling_settings : public testing::Test {
protected:
  config::settings_reading read(std::string_view text, const variables& given = {}) {
    file = folder_.write("home/.code-executor.json", text);
    fs::permissions(file, mode_);
    auto lookup = [given](std::string_view name) {
      auto found = given.find(std::string{name});
      return found == given.end() ? std::string{} : found->second;
    };
    auto env = config::read_environment(lookup, folder_.path("project"));
    env.home = folder_.path("home");
    return config::read_settings(env, lookup);
  }
  config::sampling_settings accepted(std::string_view text, const variables& given = {}) {
    last = read(text, given);
    EXPECT_TRUE(last.problems.empty()) << text << ": " << last.problems.front().message;
    return last.values.sampling;
  }
  const config::setting_entry& entry(std::string_view path) const {
    auto found = std::find_if(last.entries.begin(), last.entries.end(),
                              [&](auto& e) { return (e.path.empty() ? e.variable : e.path) == path; });
    EXPECT_NE(found, last.entries.end()) << path;
    return *found;
  }

  fs::perms mode_ = fs::perms::owner_read | fs::perms::owner_write;
  std::string file;
  config::settings_reading last;
  test::folder folder_;
};

TEST_F(sampling_settings, have_defaults) {
  auto s = accepted("{}");
  EXPECT_FALSE(s.enabled.has_value());
  EXPECT_FALSE(s.provider.has_value());
  EXPECT_EQ(s.base_url, "");
  EXPECT_EQ(s.rounds_max, 10u);
  EXPECT_EQ(s.tokens_max, 10'000u);
  EXPECT_EQ(s.tool_steps_max, 10u);
  EXPECT_EQ(s.call_timeout, std::chrono::seconds{30});
  EXPECT_EQ(s.system_prompts, (strings{"", "You are a helpful assistant", "You are a code analysis expert"}));
  for (size_t i = 0; i < content_filter::content_classes; ++i)
    EXPECT_EQ(s.filter.actions[i], content_action::redact);
  EXPECT_TRUE(entry("sampling.enabled").value.is_null());
  EXPECT_TRUE(entry("sampling.provider").value.is_null());
}

TEST_F(sampling_settings, allow_the_model_that_is_asked_by_default) {
  for (auto* text : {"{}", R"({"sampling":{"allowedModels":["x-1","x-2"]}})",
                     R"({"sampling":{"allowedModels":{"openai":["x-1"],"compatible":["y"]}}})",
                     R"({"sampling":{"models":{"openai":"x-9"},"allowedModels":{"openai":["x-1"]}}})",
                     R"({"sampling":{"models":{"compatible":"qwen"}}})"}) {
    auto s = accepted(text);
    for (auto who : sampling::all_providers) {
      auto& allowed = s.allowed_models[who];
      bool is_allowed = std::find(allowed.begin(), allowed.end(), s.models[who]) != allowed.end();
      EXPECT_TRUE(is_allowed || (who == provider::compatible && allowed.empty()))
        << text << sampling::name_of(who) << s.models[who];
    }
  }
}

TEST_F(sampling_settings, choose_models) {
  auto s = accepted("{}");
  EXPECT_EQ(s.models[provider::anthropic], "claude-haiku-4-5-20251001");
  EXPECT_EQ(s.models[provider::compatible], "");
  EXPECT_EQ(s.allowed_models[provider::anthropic],
            (strings{"claude-haiku-4-5-20251001", "claude-3-5-haiku-20241022", "claude-3-5-sonnet-20241022"}));
  EXPECT_EQ(s.allowed_models[provider::openai], strings{"gpt-4o-mini"});
  s = accepted(R"({"sampling":{"allowedModels":["a","gpt-4o-mini"]}})");
  EXPECT_EQ(s.models[provider::openai], "gpt-4o-mini");
  EXPECT_EQ(s.models[provider::gemini], "a") << "the first that is allowed";
  EXPECT_EQ(entry("sampling.models.gemini").value, "a");
  EXPECT_EQ(entry("sampling.models.gemini").origins, strings{file + ":1"});
  s = accepted(R"({"sampling":{"allowedModels":{"openai":["a"]},"models":{"openai":"b"}}})");
  EXPECT_EQ(s.models[provider::openai], "b");
  EXPECT_EQ(s.allowed_models[provider::openai], (strings{"b", "a"})) << "what the settings name is allowed";
  EXPECT_EQ(s.allowed_models[provider::gemini], strings{"gemini-2.5-flash-lite"}) << "others keep theirs";
  s = accepted(R"({"sampling":{"provider":"openai","models":{"openai":"b","grok":"g"}}})",
               {{"CODE_EXECUTOR_AI_MODEL", "c"}});
  EXPECT_EQ(s.models[provider::openai], "c");
  EXPECT_EQ(s.models[provider::grok], "g");
  EXPECT_EQ(s.allowed_models[provider::openai], (strings{"c", "gpt-4o-mini"}));
}

TEST_F(sampling_settings, take_models_from_variables) {
  auto s = accepted(R"({"sampling":{"allowedModels":["from-file"]}})",
                    {{"CODE_EXECUTOR_ALLOWED_MODELS", " a , b"}, {"CODE_EXECUTOR_ALLOWED_MODELS_GROK", "c"}});
  EXPECT_EQ(s.allowed_models[provider::openai], (strings{"a", "b"}));
  EXPECT_EQ(s.allowed_models[provider::grok], strings{"c"});
  EXPECT_EQ(s.models[provider::grok], "c");
  s = accepted("{}", {{"CODE_EXECUTOR_ALLOWED_MODELS_OPENAI", R"(["a","b,c"])"}});
  EXPECT_EQ(s.allowed_models[provider::openai], (strings{"a", "b,c"}));
}

TEST_F(sampling_settings, choose_a_provider) {
  EXPECT_EQ(accepted("{}", {{"GEMINI_API_KEY", "g"}, {"PERPLEXITY_API_KEY", "p"}}).provider, provider::gemini);
  EXPECT_EQ(entry("sampling.provider").value, "gemini");
  EXPECT_EQ(entry("sampling.provider").origins, strings{"GEMINI_API_KEY"});
  EXPECT_EQ(accepted("{}", {{"ANTHROPIC_API_KEY", "a"}, {"CODE_EXECUTOR_AI_PROVIDER", "openai"}}).provider,
            provider::openai)
    << "even without its key";
  EXPECT_EQ(
    accepted("{}", {{"ANTHROPIC_API_KEY", "a"}, {"CODE_EXECUTOR_AI_BASE_URL", "http://localhost:11434"}}).provider,
    provider::compatible);
  EXPECT_EQ(accepted("{}", {{"CODE_EXECUTOR_AI_API_KEY", "a"}}).provider, std::nullopt) << "a key of nobody";
  auto s = accepted(R"({"sampling":{"provider":"anthropic","baseUrl":"https://gateway.example/a/"}})");
  EXPECT_EQ(s.provider, provider::anthropic);
  EXPECT_EQ(s.base_url, "https://gateway.example/a/");
}

TEST_F(sampling_settings, send_the_key_of_a_gateway_nowhere_else) {
  const char* gateway = "https://gateway.example/a";
  auto s = accepted("{}", {{"ANTHROPIC_API_KEY", "a"}, {"ANTHROPIC_BASE_URL", gateway}});
  EXPECT_EQ(s.provider, provider::anthropic);
  EXPECT_EQ(s.base_url, gateway);
  EXPECT_EQ(accepted("{}", {{"XAI_API_KEY", "a"}, {"XAI_BASE_URL", gateway}}).base_url, gateway);
  EXPECT_EQ(
    accepted(R"({"sampling":{"provider":"openai"}})", {{"OPENAI_API_KEY", "a"}, {"OPENAI_BASE_URL", gateway}}).base_url,
    gateway);
  EXPECT_EQ(accepted("{}", {{"OPENAI_API_KEY", "a"}, {"ANTHROPIC_BASE_URL", gateway}}).base_url, "") << "another one's";
  EXPECT_EQ(accepted(R"({"sampling":{"apiKeys":{"anthropic":"own-key"}}})", {{"ANTHROPIC_BASE_URL", gateway}}).base_url,
            "")
    << "it is no inherited key";
  EXPECT_EQ(accepted(R"({"sampling":{"provider":"anthropic","baseUrl":"http://mine"}})",
                     {{"ANTHROPIC_API_KEY", "a"}, {"ANTHROPIC_BASE_URL", gateway}})
              .base_url,
            "http://mine");
  EXPECT_EQ(read("{}", {{"ANTHROPIC_API_KEY", "a"}, {"ANTHROPIC_BASE_URL", "no address"}}).problems.size(), 1u)
    << "rather than the public host";
}

TEST_F(sampling_settings, need_the_address_of_a_compatible_server) {
  auto problems = read("{}", {{"CODE_EXECUTOR_AI_PROVIDER", "compatible"}}).problems;
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].message, "CODE_EXECUTOR_AI_PROVIDER is compatible, and nothing says where that is; set "
                                 "'sampling.baseUrl' or CODE_EXECUTOR_AI_BASE_URL");
}

TEST_F(sampling_settings, take_keys_and_show_none) {
  auto s = accepted(
    R"({"sampling":{"apiKeys":{"openai":"env:MINE","gemini":"literal-key-1"}}})",
    {{"MINE", "value-of-mine"}, {"ANTHROPIC_API_KEY", " value-of-anthropic\n"}, {"XAI_API_KEY", "value-of-xai"}});
  EXPECT_EQ(s.keys[provider::openai], "value-of-mine");
  EXPECT_EQ(s.keys[provider::gemini], "literal-key-1");
  EXPECT_EQ(s.keys[provider::anthropic], "value-of-anthropic");
  EXPECT_EQ(s.keys[provider::grok], "value-of-xai");
  EXPECT_EQ(s.keys[provider::perplexity], "");
  for (auto* path : {"sampling.apiKeys.openai", "sampling.apiKeys.gemini", "sampling.apiKeys.anthropic",
                     "sampling.apiKeys.grok", "XAI_API_KEY"})
    EXPECT_EQ(entry(path).value, "***") << path;
  EXPECT_TRUE(entry("sampling.apiKeys.perplexity").value.is_null());
  for (auto& e : last.entries)
    for (auto* secret : {"value-of", "literal-key"})
      EXPECT_EQ(text::to_text(e.value).find(secret), std::string::npos) << e.path;
  EXPECT_EQ(accepted("{}", {{"XAI_API_KEY", "x"}, {"GROK_API_KEY", "g"}}).keys[provider::grok], "g");
  EXPECT_EQ(accepted(R"({"sampling":{"apiKeys":{"openai":"a"}}})", {{"OPENAI_API_KEY", "b"}}).keys[provider::openai],
            "b");
}

TEST_F(sampling_settings, want_a_file_with_keys_closed) {
  auto open_to = [&](fs::perms more) {
    mode_ = fs::perms::owner_read | fs::perms::owner_write | more;
    return read(R"({"sampling":{"apiKeys":{"openai":"sk-0123456789"}}})").problems;
  };
  EXPECT_TRUE(open_to(fs::perms::none).empty());
  for (auto more : {fs::perms::group_read, fs::perms::others_read}) {
    auto problems = open_to(more);
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_NE(problems[0].message.find("chmod 600 " + file), std::string::npos) << problems[0].message;
    EXPECT_EQ(problems[0].message.find("0123456789"), std::string::npos);
  }
  EXPECT_TRUE(read(R"({"sampling":{"apiKeys":{"openai":"env:K"}}})", {{"K", "x"}}).problems.empty())
    << "nothing secret in it";
}

TEST_F(sampling_settings, switch_it_on_and_off) {
  EXPECT_EQ(accepted(R"({"sampling":{"enabled":false}})").enabled, false);
  EXPECT_EQ(accepted(R"({"sampling":{"enabled":false}})", {{"CODE_EXECUTOR_SAMPLING_ENABLED", "true"}}).enabled, true);
  EXPECT_EQ(accepted("{}", {{"CODE_EXECUTOR_SAMPLING_ENABLED", "0"}}).enabled, false);
}

TEST_F(sampling_settings, take_limits_from_variables) {
  auto s = accepted(R"({"sampling":{"maxRoundsPerExecution":3,"maxToolSteps":2}})",
                    {{"CODE_EXECUTOR_MAX_SAMPLING_ROUNDS", "7"},
                     {"CODE_EXECUTOR_MAX_SAMPLING_TOKENS", "500"},
                     {"CODE_EXECUTOR_SAMPLING_TIMEOUT_MS", "1000"},
                     {"CODE_EXECUTOR_SAMPLING_CLIENT_TIMEOUT_MS", "2000"}});
  EXPECT_EQ(s.rounds_max, 7u);
  EXPECT_EQ(s.tokens_max, 500u);
  EXPECT_EQ(s.tool_steps_max, 2u);
  EXPECT_EQ(s.call_timeout, std::chrono::seconds{1});
  EXPECT_EQ(s.client_timeout, std::chrono::seconds{2});
}

TEST_F(sampling_settings, list_system_prompts) {
  EXPECT_EQ(accepted(R"({"sampling":{"allowedSystemPrompts":["One, two."]}})").system_prompts,
            (strings{"", "One, two."}));
  EXPECT_EQ(accepted(R"({"sampling":{"allowedSystemPrompts":[]}})").system_prompts, strings{""});
  auto from = [&](const char* value) {
    return accepted("{}", {{"CODE_EXECUTOR_ALLOWED_SYSTEM_PROMPTS", value}}).system_prompts;
  };
  EXPECT_EQ(from("One,Two "), (strings{"", "One", "Two"}));
  EXPECT_EQ(from(",One"), (strings{"", "One"}));
  EXPECT_EQ(from(R"(["One, two.", ""])"), (strings{"One, two.", ""}));
}

TEST_F(sampling_settings, set_the_filter) {
  auto s = accepted(R"({"sampling":{"contentFilter":{"email":"allow","pem":"block"}}})");
  EXPECT_EQ(s.filter.of(content_class::email), content_action::allow);
  EXPECT_EQ(s.filter.of(content_class::pem), content_action::block);
  EXPECT_EQ(s.filter.of(content_class::card), content_action::redact);
  s = accepted(R"({"sampling":{"contentFilter":{"pem":"block"}}})",
               {{"CODE_EXECUTOR_CONTENT_FILTERING_ENABLED", "false"}});
  for (size_t i = 0; i < content_filter::content_classes; ++i)
    EXPECT_EQ(s.filter.actions[i], content_action::allow);
  EXPECT_EQ(entry("sampling.contentFilter.pem").value, "allow");
  EXPECT_EQ(entry("sampling.contentFilter.pem").origins, strings{"CODE_EXECUTOR_CONTENT_FILTERING_ENABLED"});
}

TEST_F(sampling_settings, items_from_variables_are_masked) {
  accepted(R"({"sampling":{"allowedSystemPrompts":["env:PROMPT"],"allowedModels":{"openai":["env:MODEL"]}}})",
           {{"PROMPT", "hidden"}, {"MODEL", "hidden-1"}});
  EXPECT_EQ(entry("sampling.allowedSystemPrompts").value, boost::json::array{"***"});
  EXPECT_EQ(text::to_text(entry("sampling.allowedModels").value), R"({"openai":["***"]})");
}

} // namespace config_sampling_settings_test
