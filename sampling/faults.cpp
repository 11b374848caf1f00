#include "sampling/faults.hpp"

#include "messages/document.hpp"
#include "sampling/json_fields.hpp"
#include "text/utf8.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace sampling {

namespace json = boost::json;

namespace {

constexpr int status_overloaded = 529; // Anthropic's own

/// What errors are called where there is no status: within streams.
struct kind_status {
  std::string_view kind;
  int status;
};
constexpr kind_status kinds[] = {
  {"invalid_request_error", 400}, {"authentication_error", 401},
  {"billing_error", 402},         {"permission_error", 403},
  {"not_found_error", 404},       {"request_too_large", 413},
  {"rate_limit_error", 429},      {"api_error", 500},
  {"timeout_error", 504},         {"overloaded_error", status_overloaded},
  {"INVALID_ARGUMENT", 400},      {"UNAUTHENTICATED", 401},
  {"PERMISSION_DENIED", 403},     {"NOT_FOUND", 404},
  {"RESOURCE_EXHAUSTED", 429},    {"INTERNAL", 500},
  {"UNAVAILABLE", 503},           {"DEADLINE_EXCEEDED", 504},
  {"invalid_api_key", 401},       {"rate_limit_exceeded", 429},
  {"model_not_found", 404},       {"insufficient_quota", 402},
  {"server_error", 500},
};

int status_of_kind(std::string_view kind) {
  auto found = std::find_if(std::begin(kinds), std::end(kinds), [kind](auto& k) { return k.kind == kind; });
  return found == std::end(kinds) ? 0 : found->status;
}

bool contains(std::string_view text, std::string_view lower_word) {
  auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b; };
  return std::search(text.begin(), text.end(), lower_word.begin(), lower_word.end(), same) != text.end();
}

/// "34s" or "1.5s"; 0: it is neither.
uint32_t milliseconds_of(std::string_view duration) {
  if (duration.size() < 2 || duration.size() > 20 || !duration.ends_with('s'))
    return 0;
  auto seconds = std::strtod(std::string{duration}.c_str(), nullptr);
  return seconds > 0 && seconds < 86'400 ? static_cast<uint32_t>(seconds * 1'000) : 0;
}

/// Google's RetryInfo.
uint32_t retry_info(const json::value& error) {
  for (auto& detail : array_field(error, "details"))
    if (auto delay = milliseconds_of(text_field(detail, "retryDelay")); delay > 0)
      return delay;
  return 0;
}

std::string first_of(const json::value& in, std::initializer_list<std::string_view> keys) {
  for (auto key : keys)
    if (auto text = text_field(in, key); !text.empty())
      return std::string{text};
  return {};
}

/// The most telling name that stands for a status, else the first one there is.
std::string kind_in(const json::value& error) {
  std::string any;
  for (auto key : {"code", "type", "status"}) {
    auto text = text_field(error, key);
    if (status_of_kind(text) != 0)
      return std::string{text};
    if (any.empty())
      any = text.substr(0, 100);
  }
  return any;
}

} // namespace

said_error error_in(const json::value& body) {
  auto& list = body.is_array() && !body.get_array().empty() ? body.get_array()[0] : body; // Gemini has lists of one
  auto* error = field(list, "error");
  said_error out;
  if (error && error->is_object()) {
    out.message = told(first_of(*error, {"message", "detail", "type"}));
    out.kind = kind_in(*error);
    auto code = count_field(*error, "code").value_or(0);
    out.status = code >= 400 && code < 600 ? static_cast<int>(code) : 0;
    out.retry_after_ms = retry_info(*error);
  } else if (error && error->is_string()) { // Grok, Ollama
    out.message = told(error->get_string());
    out.kind = told(text_field(list, "code"));
  } else {
    out.message = told(first_of(list, {"message", "detail", "error_description", "title"}));
  }
  if (out.status == 0)
    out.status = status_of_kind(out.kind);
  return out;
}

said_error error_in_text(std::string_view body) {
  if (auto parsed = msg::document::parse(body); parsed.ok())
    return error_in(parsed.value.value());
  said_error out;
  constexpr std::string_view open = "<title>";
  auto head = body.substr(0, 64u << 10);
  auto title = std::search(head.begin(), head.end(), open.begin(), open.end(),
                           [](char a, char b) { return (a | 0x20) == (b | 0x20); });
  if (title != head.end())
    head = head.substr(static_cast<size_t>(title - head.begin()) + open.size());
  out.message = told(head.substr(0, title == body.end() ? head.npos : head.find('<')));
  return out;
}

namespace {

/// Where the key comes from, for a sentence that says what to do.
std::string key_place(provider who) {
  return std::string{key_variable(who)} + " (or sampling.apiKeys." + name_of(who) + " in the settings)";
}

enum class trouble : uint8_t {
  key,
  permission,
  model,
  credit,
  rate,
  too_large,
  overloaded,
  theirs,
  redirect,
  nonsense,
  refused
};

trouble trouble_of(int status, const said_error& said) {
  bool no_credit = said.kind == "insufficient_quota" || contains(said.message, "credit balance")
                   || contains(said.message, "exceeded your current quota")
                   || contains(said.message, "used all available credits");
  bool of_key =
    contains(said.message, "api key") || contains(said.message, "api_key") || contains(said.message, "x-api-key");
  if (status == 402 || (no_credit && said.retry_after_ms == 0))
    return trouble::credit;
  if (status == 401 || ((status == 400 || status == 403) && of_key))
    return trouble::key;
  switch (status) {
    case 403: return trouble::permission;
    case 404: return trouble::model;
    case 413: return trouble::too_large;
    case 429: return trouble::rate;
    case 503:
    case status_overloaded: return trouble::overloaded;
    case 200: return trouble::nonsense;
    default: break;
  }
  if (status == 0 || status >= 500)
    return trouble::theirs;
  return status < 400 ? trouble::redirect : trouble::refused;
}

std::string what_of(trouble t) {
  switch (t) {
    case trouble::key: return "did not accept the key";
    case trouble::permission: return "does not permit this";
    case trouble::model: return "does not have this model, or nothing at this address";
    case trouble::credit: return "has no credit left for this key";
    case trouble::rate: return "is asked too often";
    case trouble::too_large: return "got more text than it takes";
    case trouble::overloaded: return "is overloaded";
    case trouble::theirs: return "failed";
    case trouble::redirect: return "did not answer but pointed elsewhere";
    case trouble::nonsense: return "answered with what is no answer";
    case trouble::refused: break;
  }
  return "refused the request";
}

std::string advice_of(trouble t, provider who) {
  std::string name = name_of(who);
  switch (t) {
    case trouble::key: return "Set " + key_place(who) + " to a valid key.";
    case trouble::permission: return "Check what the key in " + key_place(who) + " may do, or ask another model.";
    case trouble::model:
      return "Choose another model (sampling.models." + name + ", or the option `model`), or check sampling.baseUrl.";
    case trouble::credit:
      return "Add credit to the account of " + key_place(who) + ", or choose another provider with sampling.provider.";
    case trouble::rate: return "Wait, then ask again; ask less at once.";
    case trouble::too_large: return "Ask with less text.";
    case trouble::overloaded: return "Try again in a while.";
    case trouble::theirs: return "Try again; if it stays, it is for the provider to mend.";
    case trouble::redirect:
    case trouble::nonsense: return "Check sampling.baseUrl.";
    case trouble::refused: break;
  }
  return "Change what it complains of: the model, maxTokens or the messages.";
}

} // namespace

msg::fault provider_fault(provider who, int status, const said_error& said) {
  auto meant = status == 0 || status == 200 ? (said.status != 0 ? said.status : status) : status;
  auto kind = trouble_of(meant, said);
  std::string text = std::string{title_of(who)} + " " + what_of(kind) + " ("
                     + (status == 0 ? "in its stream" : "HTTP " + std::to_string(status));
  if (!said.message.empty())
    text += ": \"" + said.message + "\"";
  msg::fault out{kind == trouble::rate ? msg::errc::rate_limited : msg::errc::model_failed,
                 text + "). " + advice_of(kind, who)};
  out.retry_after_ms = said.retry_after_ms;
  return out;
}

msg::fault transport_fault(provider who, std::string_view base_url, transport how, std::string_view detail) {
  if (how == transport::too_large)
    return {msg::errc::model_failed, std::string{title_of(who)} + " answered with more than "
                                       + std::to_string(body_bytes_max >> 20)
                                       + " MiB; ask for a shorter answer (maxTokens)."};
  if (how == transport::no_memory)
    return {msg::errc::limit_exceeded, "the server has no memory left for the answer of " + std::string{title_of(who)}
                                         + " (process.dataMb); ask for less at a time"};
  auto url = base_url.empty() ? std::string_view{default_base_url(who)} : base_url;
  auto host = told(url.substr(0, url.find_first_of("?#")));
  std::string text = title_of(who);
  switch (how) {
    case transport::not_connected: text += " can not be reached at " + host; break;
    case transport::lost_early: text += " closed the connection before it answered"; break;
    case transport::lost: text += " closed the connection within its answer"; break;
    case transport::timed_out: text += " did not answer in time"; break;
    case transport::not_trusted: text += " can not be trusted at " + host + ": TLS failed"; break;
    case transport::answered:
    case transport::too_large:
    case transport::no_memory:
    case transport::failed: text += " could not be asked at " + host; break;
  }
  if (!detail.empty())
    text += " (" + told(detail) + ")";
  bool of_place = how == transport::not_connected || how == transport::not_trusted || how == transport::failed;
  text += of_place                      ? ". Check sampling.baseUrl, the network and the proxy."
          : how == transport::timed_out ? ". Raise sampling.timeoutPerCallMs, or ask for less."
                                        : ". Try again.";
  return {msg::errc::model_failed, text};
}

namespace {

constexpr std::string_view removed = "[removed]";
/// As keys of providers begin.
constexpr std::array<std::string_view, 8> key_beginnings{"sk-", "xai-", "pplx-", "AIza", "gsk_", "AQ.", "eyJ", "hf_"};
/// Names are made of shorter pieces than this, of letters or of digits.
constexpr size_t mixed_length_min = 20;

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) {
  return is_alnum(c) || c == '_' || c == '-' || c == '*' || c == '.' || c == '+' || c == '=' || c == '~' || c == '/';
}

bool has_mixed_run(std::string_view word) {
  size_t length = 0, digits = 0;
  for (char c : word) {
    length = is_alnum(c) ? length + 1 : 0;
    digits = !is_alnum(c) ? 0 : digits + (c >= '0' && c <= '9');
    if (length >= mixed_length_min && digits > 0 && digits < length)
      return true;
  }
  return false;
}

bool looks_like_key(std::string_view word) {
  if (std::any_of(key_beginnings.begin(), key_beginnings.end(),
                  [word](auto b) { return word.size() > b.size() && word.starts_with(b); }))
    return true;
  return word.find("***") != word.npos || has_mixed_run(word);
}

/// The beginning of valid UTF-8.
std::string whole_characters(const std::string& text, size_t bytes_max) {
  auto n = std::min(text.size(), bytes_max);
  while (n > 0 && n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80)
    --n;
  return text.substr(0, n);
}

} // namespace

std::string told(std::string_view said) {
  auto text = text::valid_utf8(said.substr(0, said_bytes_max * 4)); // what is removed makes it shorter
  std::string out;
  // One byte more: whole_characters() looks at it.
  for (size_t i = 0; i < text.size() && out.size() <= said_bytes_max;) {
    if (!is_word(text[i])) {
      bool is_blank = static_cast<unsigned char>(text[i]) <= ' ' || text[i] == 0x7f;
      if (!is_blank)
        out += text[i];
      else if (!out.empty() && out.back() != ' ')
        out += ' ';
      ++i;
      continue;
    }
    auto end = std::find_if_not(text.begin() + static_cast<ptrdiff_t>(i), text.end(), is_word) - text.begin();
    auto word = std::string_view{text}.substr(i, static_cast<size_t>(end) - i);
    out += looks_like_key(word) ? removed : word;
    i = static_cast<size_t>(end);
  }
  while (out.ends_with(' '))
    out.pop_back();
  return whole_characters(out, said_bytes_max);
}

} // namespace sampling
