// What a provider of models says with faults: bodies of its HTTP answers.
#pragma once

#include <string>
#include <string_view>

namespace faults {

/// `provider` as settings call it: "anthropic", "gemini"; all others speak OpenAI's chat completions.
std::string model_answer(std::string_view provider, std::string_view model, std::string_view text);
/// The model does not want to answer.
std::string model_refusal(std::string_view provider, std::string_view model);
std::string model_error(std::string_view type, std::string_view message);

} // namespace faults
