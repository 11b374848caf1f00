// The services that answer for a model, and their HTTP: what is asked, and what an answer or an error means. No I/O
// here.
#pragma once

#include "messages/errors.hpp"
#include "messages/sampling.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sampling {

enum class provider : uint8_t {
  anthropic,
  openai,
  gemini,
  grok,
  perplexity,
  compatible, ///< any server that speaks OpenAI's chat completions: llama.cpp, Ollama, vLLM, a gateway
};

inline constexpr provider all_providers[] = {provider::anthropic, provider::openai,     provider::gemini,
                                             provider::grok,      provider::perplexity, provider::compatible};

/// An answer with more text, arguments of tools included, is none. The longest answers of today's models are 128,000
/// tokens.
inline constexpr size_t answer_bytes_max = 4u << 20;
/// The body of an answer, in bytes: JSON takes more than the text in it.
inline constexpr size_t body_bytes_max = 2 * answer_bytes_max;
/// What a body may take once it is parsed: lists of small objects take twenty times their text, answers hardly more
/// than theirs.
inline constexpr size_t parsed_bytes_max = 32u << 20;
static_assert(parsed_bytes_max >= 4 * body_bytes_max);
/// Tools that one answer may want to be called.
inline constexpr size_t answer_uses_max = 128;
/// What a fault quotes of a provider.
inline constexpr size_t said_bytes_max = 400;

/// As settings call it: "anthropic".
const char* name_of(provider who);
/// For people: "Anthropic".
const char* title_of(provider who);
std::optional<provider> provider_named(std::string_view name);

/// Without settings. Empty for `compatible`: what its server has, only its owner knows.
const char* default_model(provider who);
const char* default_base_url(provider who);
/// The environment variable that has the key.
const char* key_variable(provider who);
/// In which its own clients are told of a gateway, whose key the one above is then. Null: there is none.
const char* base_url_variable(provider who);

using http_header = std::pair<std::string, std::string>;

/// A POST.
struct provider_http_request {
  std::string url;
  std::vector<http_header> headers; ///< the key is in here and nowhere else
  std::string body;
};

/// `base_url`: empty for the default one; http or https, a trailing slash and a missing version ("/v1") do not matter.
/// `key`: visible ASCII; empty: no header for it. `request` as it says of itself; nothing of it is checked again.
provider_http_request http_request_for(provider who, std::string_view base_url, std::string_view key,
                                       const msg::model_request& request);

/// A whole response, not a stream. Status 200 and a body that makes sense give an answer; anything else gives a fault,
/// `rate_limited` or `model_failed`, that names the provider, quotes what it said (bounded, without what looks like a
/// key) and says what to do next. `retry_after_ms` is set only where the body tells it (Gemini); headers are the
/// business of retry.hpp. `usage.is_estimated` without numbers: the provider reported none; see token_estimate.hpp.
msg::outcome<msg::model_answer> answer_of(provider who, int status, std::string_view body);

} // namespace sampling
