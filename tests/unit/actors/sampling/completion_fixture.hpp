// A question to a provider's model, as it stands before it is asked.
#pragma once

#include "actors/sampling/completion_request.hpp"
#include "tests/unit/support/values.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace sampling_tests {

using msg::errc;
using sampling::completion_request;

inline sampling::model_route provider() {
  sampling::model_route r;
  r.name = "anthropic";
  r.model = "m";
  r.models = {"m", "n"};
  r.models_setting = "sampling.allowedModels.anthropic";
  return r;
}

inline completion_request question_of(std::string prompt) {
  completion_request q;
  q.route = std::make_shared<const sampling::model_route>(provider());
  q.request.model = "m";
  q.request.max_tokens = 100;
  q.request.messages.push_back({msg::chat_role::user, std::move(prompt), {}, {}});
  return q;
}

inline msg::model_answer says(std::string text) {
  msg::model_answer a;
  a.text = std::move(text);
  a.usage = {10, 5, false};
  a.model = "m";
  return a;
}

inline msg::model_answer wants(std::string tool) {
  auto a = says("");
  a.stop = msg::stop_reason::tool_use;
  a.uses.push_back({"use_1", std::move(tool), test::doc(R"({"path":"/a"})"), {}});
  return a;
}

/// What the content filter takes for a secret.
inline std::string key() { return "ghp_" + std::string{"16C7e42F292c6912E7710c838347Ae178B4a"}; }

} // namespace sampling_tests
