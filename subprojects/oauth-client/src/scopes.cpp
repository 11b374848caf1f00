#include "oauth_client/scopes.hpp"

#include <algorithm>

namespace oauth {

namespace {

constexpr std::string_view offline_access = "offline_access";

bool is_scope(std::string_view text) {
  auto fits = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\'; };
  return !text.empty() && text.size() <= scope_bytes_max && std::all_of(text.begin(), text.end(), fits);
}

void add(scope_list& to, std::string_view scope) {
  if (to.size() < scopes_max && is_scope(scope) && !has_scope(to, scope))
    to.emplace_back(scope);
}

} // namespace

bool has_scope(const scope_list& in, std::string_view scope) {
  return std::find(in.begin(), in.end(), scope) != in.end();
}

scope_list split_scopes(std::string_view text) {
  scope_list out;
  while (!text.empty() && out.size() < scopes_max) {
    auto end = std::min(text.find(' '), text.size());
    add(out, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

scope_list valid_scopes(const scope_list& from) { return union_of({}, from); }

std::string join_scopes(const scope_list& scopes) {
  std::string out;
  for (auto& each : scopes)
    out += (out.empty() ? "" : " ") + each;
  return out;
}

scope_list union_of(const scope_list& a, const scope_list& b) {
  scope_list out;
  for (auto* list : {&a, &b})
    for (auto& each : *list)
      add(out, each);
  return out;
}

scope_list choose_scopes(const scope_sources& from) {
  auto& told = !from.challenged.empty() ? from.challenged : from.of_resource;
  auto out = union_of(!from.configured.empty() ? from.configured : told, from.earlier_asked);
  if (!out.empty() && has_scope(from.of_issuer, offline_access))
    add(out, offline_access);
  return out;
}

} // namespace oauth
