#include "cli/checks.hpp"

#include "proxy/surface/isolation_doc.hpp"
#include "text/printable.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string_view>

namespace cli {

namespace json = boost::json;

namespace {

struct look {
  const char* word;
  const char* colour;
};

look look_of(check_status s) {
  switch (s) {
    case check_status::ok: return {"ok", "\033[32m"};
    case check_status::warning: return {"warning", "\033[33m"};
    case check_status::missing: return {"missing", "\033[31m"};
  }
  return {"missing", ""};
}

std::string padded(std::string_view text, size_t width) {
  return std::string{text} + std::string(width - std::min(width, text.size()), ' ');
}

} // namespace

std::string as_text(const std::vector<check>& checks, bool colours) {
  constexpr size_t status_width = 9;
  size_t name_width = 0;
  for (auto& c : checks)
    name_width = std::max(name_width, c.name.size() + 2);
  std::string out;
  for (auto& c : checks) {
    auto [word, colour] = look_of(c.status);
    auto status = padded(word, status_width);
    out +=
      (colours ? colour + status + "\033[0m" : status) + padded(c.name, name_width) + text::printable(c.found) + "\n";
    if (!c.advice.empty())
      out += std::string(status_width + name_width, ' ') + "-> " + text::printable(c.advice) + "\n";
  }
  return out;
}

json::object as_json(const std::vector<check>& checks, const msg::isolation_report& isolation, bool can_run) {
  json::array list;
  for (auto& c : checks) {
    json::object doc{{"name", c.name}, {"status", look_of(c.status).word}, {"found", c.found}};
    if (!c.advice.empty())
      doc["advice"] = c.advice;
    list.push_back(std::move(doc));
  }
  return {{"canRun", can_run}, {"checks", std::move(list)}, {"isolation", surface::isolation_doc(isolation)}};
}

} // namespace cli
