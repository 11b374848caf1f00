#include "sampling/guards.hpp"

#include "text/utf8.hpp"

#include <algorithm>

namespace sampling {

using msg::errc;
using msg::fault;

namespace {

constexpr size_t quote_bytes_max = 100;
constexpr size_t names_bytes_max = 1'000;

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (auto& n : names)
    out += (out.empty() ? "" : ", ") + n;
  return out.empty() ? "none" : text::quoted(out, names_bytes_max);
}

bool has(const std::vector<std::string>& list, const std::string& what) {
  return std::find(list.begin(), list.end(), what) != list.end();
}

} // namespace

fault check_system_prompt(const std::string& prompt, const std::vector<std::string>& allowed) {
  if (prompt.empty() || has(allowed, prompt))
    return {};
  return {errc::not_allowed,
          "System prompt not in allowlist: " + text::quoted(prompt, quote_bytes_max)
            + "; sampling.allowedSystemPrompts has those that may be used, and samplingSystemPrompt of the run"};
}

fault check_model(const std::string& model, const std::vector<std::string>& allowed, const std::string& key) {
  if (has(allowed, model))
    return {};
  return {errc::not_allowed, "Model '" + text::quoted(model, quote_bytes_max) + "' not in allowlist (" + key
                               + "). Allowed models: " + listed(allowed)};
}

} // namespace sampling
