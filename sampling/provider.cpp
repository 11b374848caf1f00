#include "sampling/provider.hpp"

#include "messages/document.hpp"
#include "sampling/faults.hpp"
#include "sampling/wire.hpp"
#include "text/parsed_size.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <iterator>

namespace sampling {

namespace json = boost::json;

namespace {

struct entry {
  provider who;
  const char* name;
  const char* title;
  const char* model;
  const char* base_url;
  const char* key_variable;
  const char* base_url_variable;
};

/// In the order of the enumeration.
constexpr entry entries[] = {
  {provider::anthropic, "anthropic", "Anthropic", "claude-haiku-4-5-20251001", "https://api.anthropic.com",
   "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
  {provider::openai, "openai", "OpenAI", "gpt-4o-mini", "https://api.openai.com/v1", "OPENAI_API_KEY",
   "OPENAI_BASE_URL"},
  {provider::gemini, "gemini", "Gemini", "gemini-2.5-flash-lite", "https://generativelanguage.googleapis.com/v1beta",
   "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"},
  {provider::grok, "grok", "Grok", "grok-4-1-fast-non-reasoning", "https://api.x.ai/v1", "GROK_API_KEY",
   "XAI_BASE_URL"},
  {provider::perplexity, "perplexity", "Perplexity", "sonar", "https://api.perplexity.ai", "PERPLEXITY_API_KEY",
   "PERPLEXITY_BASE_URL"},
  {provider::compatible, "compatible", "The compatible server", "", "", "CODE_EXECUTOR_AI_API_KEY", nullptr},
};
static_assert(std::size(entries) == std::size(all_providers));

/// Of a refusal that has too many parts to be read; what it says stands in its beginning.
constexpr size_t said_in_bytes_max = 64u << 10;

/// Of what is too much, this is mostly too much already: the rest needs no look.
constexpr size_t first_look_bytes = 2u << 20;

bool takes_too_much(std::string_view body) {
  return text::parsed_size(body.substr(0, first_look_bytes)) > parsed_bytes_max
         || (body.size() > first_look_bytes && text::parsed_size(body) > parsed_bytes_max);
}

const entry& entry_of(provider who) { return entries[static_cast<size_t>(who)]; }

} // namespace

const char* name_of(provider who) { return entry_of(who).name; }
const char* title_of(provider who) { return entry_of(who).title; }
const char* default_model(provider who) { return entry_of(who).model; }
const char* default_base_url(provider who) { return entry_of(who).base_url; }
const char* base_url_variable(provider who) { return entry_of(who).base_url_variable; }
const char* key_variable(provider who) { return entry_of(who).key_variable; }

std::optional<provider> provider_named(std::string_view name) {
  auto found = std::find_if(std::begin(entries), std::end(entries), [name](auto& e) { return name == e.name; });
  return found == std::end(entries) ? std::nullopt : std::optional{found->who};
}

const wire_format& format_of(provider who) {
  switch (who) {
    case provider::anthropic: return anthropic_format;
    case provider::gemini: return gemini_format;
    case provider::openai:
    case provider::grok:
    case provider::perplexity:
    case provider::compatible: break;
  }
  return openai_format;
}

bool has_path(std::string_view base_url) {
  auto host = base_url.find("://");
  return base_url.find('/', host == base_url.npos ? 0 : host + 3) != base_url.npos;
}

std::vector<http_header> common_headers(const msg::model_request& request) {
  return {{"content-type", "application/json"}, {"accept", request.stream ? "text/event-stream" : "application/json"}};
}

json::object schema_of(const msg::offered_tool& tool) {
  auto* schema = tool.input_schema.value().if_object();
  json::object out = schema ? *schema : json::object{};
  if (!out.contains("type"))
    out["type"] = "object";
  return out;
}

provider_http_request http_request_for(provider who, std::string_view base_url, std::string_view key,
                                       const msg::model_request& request) {
  if (base_url.empty())
    base_url = default_base_url(who);
  while (base_url.ends_with('/'))
    base_url.remove_suffix(1);
  return format_of(who).question({who, base_url, key, request});
}

msg::outcome<msg::model_answer> answer_of(provider who, int status, std::string_view body) {
  if (takes_too_much(body)) {
    if (status != 200)
      return provider_fault(who, status, error_in_text(body.substr(0, said_in_bytes_max)));
    return msg::fault{msg::errc::model_failed,
                      std::string{title_of(who)}
                        + " answered with JSON of so many parts that reading it would take more than "
                        + std::to_string(parsed_bytes_max >> 20) + " MiB of memory. Ask again, or another model."};
  }
  if (status != 200)
    return provider_fault(who, status, error_in_text(body));
  auto parsed = msg::document::parse(body);
  answer_builder answer;
  if (parsed.ok() && format_of(who).take_whole(parsed.value.value(), answer))
    return answer.finish(who);
  return provider_fault(who, status, error_in_text(body));
}

} // namespace sampling
