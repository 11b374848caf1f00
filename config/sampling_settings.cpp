// Programs that ask a model: whom, with which key, how much, and what may pass.
#include "config/settings_parts.hpp"
#include "content_filter/filter.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <cctype>

namespace config {

namespace json = boost::json;
using msg::errc;
using sampling::all_providers;
using sampling::provider;

namespace {

/// Keys of today have up to 200 characters.
constexpr size_t key_bytes_max = 500;
constexpr size_t url_bytes_max = 2'000;
constexpr size_t model_bytes_max = 200;
/// A system prompt is sent with each question.
constexpr size_t prompt_bytes_max = 20'000;

/// What goes into a header.
bool is_key(std::string_view text) {
  return !text.empty() && text.size() <= key_bytes_max
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_model(std::string_view text) {
  return !text.empty() && text.size() <= model_bytes_max
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

bool is_prompt(std::string_view text) { return text.size() <= prompt_bytes_max; }

/// Keys have a setting of their own, and a query would end up in the middle of the path.
bool is_base_url(std::string_view text) {
  auto scheme = text.starts_with("https://") ? size_t{8} : text.starts_with("http://") ? size_t{7} : text.npos;
  if (scheme == text.npos || text.size() > url_bytes_max || text.find_first_of("?#@\\") != text.npos)
    return false;
  auto host = text.substr(scheme, text.find('/', scheme) - scheme);
  return !host.empty() && host.front() != ':'
         && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

constexpr const char* model_expected = "the name of a model";
constexpr const char* grok_variable = "XAI_API_KEY"; ///< that xAI's own clients read

std::string upper(std::string text) {
  for (auto& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// The sections that are looked at more than once.
struct sections {
  section all, keys, models;
};

void read_keys(sections& s, by_provider<std::string>& to) {
  constexpr auto expected = "a key: visible ASCII characters without blanks, at most 500";
  static_assert(key_bytes_max == 500);
  for (auto who : all_providers)
    s.keys.secret(
      {sampling::name_of(who), "its key; better in the variable, or as env:NAME", sampling::key_variable(who)}, is_key,
      expected, to[who]);
  std::string grok;
  s.all.secret({nullptr, "the same as GROK_API_KEY, which counts more", grok_variable}, is_key, expected, grok);
  if (to[provider::grok].empty() && !grok.empty()) {
    to[provider::grok] = grok;
    s.keys.in_effect("grok", masked_value, grok_variable);
  }
}

/// Who has a key, in the order of the enumeration. One for a server that speaks like OpenAI says nothing without its
/// address.
std::optional<provider> first_with_key(const by_provider<std::string>& keys) {
  for (auto who : all_providers)
    if (who != provider::compatible && !keys[who].empty())
      return who;
  return std::nullopt;
}

constexpr const char* base_url_expected =
  "an address such as http://localhost:11434/v1: http or https, without user, query and fragment";

/// A key that comes from a provider's variable belongs to where the variable beside it says: never is a gateway's key
/// sent to the public host.
void read_gateway(sections& s, sampling_settings& to) {
  auto* variable = to.provider ? sampling::base_url_variable(*to.provider) : nullptr;
  auto key_from = variable ? s.keys.origin(sampling::name_of(*to.provider)) : std::string{};
  bool is_inherited = variable && (key_from == sampling::key_variable(*to.provider) || key_from == grok_variable);
  if (!is_inherited || !to.base_url.empty())
    return;
  s.all.text({nullptr, "where the provider in use is to be found, if its key is in a variable too", variable},
             is_base_url, base_url_expected, to.base_url);
  if (!to.base_url.empty())
    s.all.in_effect("baseUrl", json::string{to.base_url}, variable);
}

void read_provider(sections& s, sampling_settings& to) {
  using chosen = std::optional<provider>;
  s.all.one_of<chosen>({"provider", "who is asked if the client has no model for us; otherwise the first with a key",
                        "CODE_EXECUTOR_AI_PROVIDER"},
                       {{"anthropic", provider::anthropic},
                        {"openai", provider::openai},
                        {"gemini", provider::gemini},
                        {"grok", provider::grok},
                        {"perplexity", provider::perplexity},
                        {"compatible", provider::compatible}},
                       to.provider);
  s.all.text({"baseUrl", "where that provider, or a server that speaks like OpenAI, is to be found",
              "CODE_EXECUTOR_AI_BASE_URL"},
             is_base_url, base_url_expected, to.base_url);
  constexpr const char* variable = "CODE_EXECUTOR_AI_PROVIDER";
  bool by_variable = s.all.origin("provider") == variable;
  if (to.provider == provider::compatible && to.base_url.empty())
    s.all.complain(errc::invalid_argument, (by_variable ? variable : s.all.at("provider"))
                                             + std::string{" is compatible, and nothing says where that is; set "
                                                           "'sampling.baseUrl' or CODE_EXECUTOR_AI_BASE_URL"});
  if (to.provider)
    return read_gateway(s, to);
  to.provider = to.base_url.empty() ? first_with_key(to.keys) : provider::compatible;
  if (to.provider)
    s.all.in_effect("provider", sampling::name_of(*to.provider),
                    to.base_url.empty() ? s.keys.origin(sampling::name_of(*to.provider)) : s.all.origin("baseUrl"));
  read_gateway(s, to);
}

/// A model that the settings name is allowed.
void read_models(sections& s, sampling_settings& to) {
  for (auto who : all_providers) {
    to.models[who] = sampling::default_model(who);
    s.models.text({sampling::name_of(who), "asked when a program names no model"}, is_model, model_expected,
                  to.models[who]);
  }
  std::string model;
  s.all.text({nullptr, "the same, for the provider in use", "CODE_EXECUTOR_AI_MODEL"}, is_model, model_expected, model);
  if (!model.empty() && to.provider) {
    to.models[*to.provider] = model;
    s.models.in_effect(sampling::name_of(*to.provider), json::string{model}, "CODE_EXECUTOR_AI_MODEL");
  }
}

/// Those of Anthropic are what programs were told to name when this began.
std::vector<std::string> standard_models(provider who) {
  std::vector<std::string> out;
  if (*sampling::default_model(who))
    out.emplace_back(sampling::default_model(who));
  if (who == provider::anthropic)
    out.insert(out.end(), {"claude-3-5-haiku-20241022", "claude-3-5-sonnet-20241022"});
  return out;
}

/// Nothing that was named, and the model asked by default is not in the list: the first of the list is asked. `from`:
/// where the list comes from.
void settle_default(sections& s, provider who, const std::string& from, sampling_settings& to) {
  auto& allowed = to.allowed_models[who];
  auto& model = to.models[who];
  if (model.empty() && allowed.empty())
    return;
  bool is_named = !s.models.origin(sampling::name_of(who)).empty();
  bool is_allowed = std::find(allowed.begin(), allowed.end(), model) != allowed.end();
  if (is_allowed)
    return;
  if (is_named || allowed.empty())
    return void(allowed.insert(allowed.begin(), model));
  model = allowed.front();
  s.models.in_effect(sampling::name_of(who), json::string{model}, from);
}

void read_allowed_models(sections& s, sampling_settings& to) {
  std::vector<const char*> names;
  for (auto who : all_providers)
    names.push_back(sampling::name_of(who));
  lists_by_name lists;
  s.all.list_or_lists({"allowedModels",
                       "models that programs may name: a list, or an object with one for each provider",
                       "CODE_EXECUTOR_ALLOWED_MODELS"},
                      names, is_model, model_expected, lists);
  for (auto who : all_providers) {
    auto& allowed = to.allowed_models[who] = standard_models(who);
    if (auto all = lists.find(""); all != lists.end())
      allowed = all->second;
    if (auto own = lists.find(sampling::name_of(who)); own != lists.end())
      allowed = own->second;
    auto variable = "CODE_EXECUTOR_ALLOWED_MODELS_" + upper(sampling::name_of(who));
    auto named = allowed;
    s.all.list({nullptr, "models of this provider alone, separated by commas", variable.c_str()}, is_model,
               model_expected, named);
    bool is_own = !s.all.origin(variable.c_str()).empty();
    if (is_own)
      allowed = named;
    else
      s.all.in_effect(variable.c_str(), nullptr);
    settle_default(s, who, is_own ? variable : s.all.origin("allowedModels"), to);
  }
}

void read_prompts(section s, std::vector<std::string>& to) {
  s.list({"allowedSystemPrompts", "system prompts that programs may use, word by word; none at all always is",
          "CODE_EXECUTOR_ALLOWED_SYSTEM_PROMPTS"},
         is_prompt, "a system prompt of at most 20000 bytes", to);
  static_assert(prompt_bytes_max == 20'000);
  if (std::find(to.begin(), to.end(), "") == to.end())
    to.insert(to.begin(), "");
}

void read_filter(section s, content_filter::content_policy& to) {
  using content_filter::content_action;
  using content_filter::content_class;
  constexpr struct {
    content_class what;
    const char* about;
  } classes[] = {
    {content_class::secret, "keys and tokens of services"},
    {content_class::jwt, "JSON web tokens"},
    {content_class::pem, "PEM blocks: private keys, certificates"},
    {content_class::email, "e-mail addresses"},
    {content_class::ssn, "social security numbers of the USA"},
    {content_class::card, "numbers of payment cards"},
    {content_class::phone, "telephone numbers"},
  };
  static_assert(std::size(classes) == content_filter::content_classes);
  auto filter = s.inside("contentFilter");
  bool enabled = true;
  s.flag({"contentFilteringEnabled", "look for secrets and personal data in prompts and answers",
          "CODE_EXECUTOR_CONTENT_FILTERING_ENABLED"},
         enabled);
  for (auto& c : classes) {
    auto action = to.of(c.what);
    filter.one_of<content_action>(
      {content_filter::to_string(c.what), c.about},
      {{"redact", content_action::redact}, {"block", content_action::block}, {"allow", content_action::allow}}, action);
    to.set(c.what, enabled ? action : content_action::allow);
    if (!enabled)
      filter.in_effect(content_filter::to_string(c.what), "allow", s.origin("contentFilteringEnabled"));
  }
}

} // namespace

void read_sampling(section s, sampling_settings& to) {
  s.flag({"enabled",
          "true: all programs may ask models; false: none; otherwise those that were started with enableSampling",
          "CODE_EXECUTOR_SAMPLING_ENABLED"},
         to.enabled);
  sections all{s, s.inside("apiKeys"), s.inside("models")};
  read_keys(all, to.keys);
  read_provider(all, to);
  read_models(all, to);
  read_allowed_models(all, to);
  s.integer({"maxRoundsPerExecution", "questions of one run", "CODE_EXECUTOR_MAX_SAMPLING_ROUNDS"}, 1, 100,
            to.rounds_max);
  s.integer({"maxTokensPerExecution", "tokens of one run, in and out", "CODE_EXECUTOR_MAX_SAMPLING_TOKENS"}, 100,
            100'000, to.tokens_max);
  s.integer({"maxToolSteps", "times that a model may call tools for one question"}, 1, 50, to.tool_steps_max);
  s.milliseconds(
    {"timeoutPerCallMs", "time of one question, retries included, in ms", "CODE_EXECUTOR_SAMPLING_TIMEOUT_MS"}, 1'000,
    600'000, to.call_timeout);
  s.milliseconds({"clientTimeoutMs", "time of the client's model for one question; then the provider is asked, in ms",
                  "CODE_EXECUTOR_SAMPLING_CLIENT_TIMEOUT_MS"},
                 1'000, 600'000, to.client_timeout);
  read_prompts(s, to.system_prompts);
  read_filter(s, to.filter);
}

} // namespace config
