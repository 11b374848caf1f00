#include "uri.hpp"

#include <algorithm>
#include <cctype>

namespace json_schema {

namespace {

struct parts {
  std::string_view scheme, authority, path, query; ///< with ':' , '//' and '?', so that empty means absent
};

parts parse(std::string_view uri) {
  parts out;
  auto end = uri.find_first_of(":/?#");
  if (end != uri.npos && end > 0 && uri[end] == ':') {
    out.scheme = uri.substr(0, end + 1);
    uri.remove_prefix(end + 1);
  }
  if (uri.starts_with("//")) {
    out.authority = uri.substr(0, std::min(uri.find_first_of("/?", 2), uri.size()));
    uri.remove_prefix(out.authority.size());
  }
  out.path = uri.substr(0, std::min(uri.find('?'), uri.size()));
  out.query = uri.substr(out.path.size());
  return out;
}

std::string without_dots(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    auto end = std::min(path.find('/', 1), path.size());
    auto segment = path.substr(0, end);
    path.remove_prefix(end);
    if (segment == "/.." || segment == "..") {
      out.resize(out.rfind('/') == out.npos ? 0 : out.rfind('/'));
      out += path.empty() ? "/" : "";
    } else if (segment == "/." || segment == ".") {
      out += path.empty() ? "/" : "";
    } else {
      out += segment;
    }
  }
  return out;
}

std::string merged(const parts& base, std::string_view path) {
  if (!base.authority.empty() && base.path.empty())
    return "/" + std::string{path};
  auto slash = base.path.rfind('/');
  return std::string{slash == base.path.npos ? std::string_view{} : base.path.substr(0, slash + 1)} + std::string{path};
}

std::string joined(std::string_view scheme, std::string_view authority, std::string_view path, std::string_view query) {
  return (std::string{scheme} += authority).append(path).append(query);
}

} // namespace

split_uri split_fragment(std::string_view uri) {
  auto hash = uri.find('#');
  return hash == uri.npos ? split_uri{uri, {}} : split_uri{uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string resolve_uri(std::string_view base_uri, std::string_view reference) {
  auto fragment = reference.substr(std::min(reference.find('#'), reference.size()));
  auto to = parse(reference.substr(0, reference.size() - fragment.size()));
  auto base = parse(split_fragment(base_uri).document);
  std::string out;
  if (!to.scheme.empty())
    out = joined(to.scheme, to.authority, to.path.starts_with('/') ? without_dots(to.path) : std::string{to.path},
                 to.query);
  else if (!to.authority.empty())
    out = joined(base.scheme, to.authority, without_dots(to.path), to.query);
  else if (to.path.empty())
    out = joined(base.scheme, base.authority, base.path, to.query.empty() ? base.query : to.query);
  else
    out = joined(base.scheme, base.authority,
                 without_dots(to.path.starts_with('/') ? std::string{to.path} : merged(base, to.path)), to.query);
  return out.append(fragment);
}

std::optional<std::string> unescaped_token(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      out += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1'))
      return {};
    out += token[i] == '0' ? '~' : '/';
  }
  return out;
}

} // namespace json_schema
