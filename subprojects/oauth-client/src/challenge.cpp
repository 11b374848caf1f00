#include "oauth_client/challenge.hpp"

#include "text/ascii.hpp"
#include "text/printable.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace oauth {

namespace {

using parameters = std::map<std::string, std::string, std::less<>>;

constexpr std::string_view letters_and_digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool is_in(char c, std::string_view marks) {
  return letters_and_digits.find(c) != letters_and_digits.npos || marks.find(c) != marks.npos;
}

class reader {
public:
  explicit reader(std::string_view text) : rest_(text) {}

  bool is_at_end() const { return rest_.empty(); }
  bool take(char c) {
    bool is_it = rest_.starts_with(c);
    rest_.remove_prefix(is_it ? 1 : 0);
    return is_it;
  }
  size_t skip(std::string_view what) {
    auto n = std::min(rest_.find_first_not_of(what), rest_.size());
    rest_.remove_prefix(n);
    return n;
  }
  std::string_view take_token() { return take_all("!#$%&'*+-.^_`|~"); }

  /// Takes `token68`, if that is what follows up to the next challenge.
  bool take_token68() {
    auto before = rest_;
    bool is_it = !take_all("-._~+/").empty();
    skip("=");
    skip(" \t");
    is_it = is_it && (is_at_end() || rest_.front() == ',');
    if (!is_it)
      rest_ = before;
    return is_it;
  }

  /// `name=value`. Nothing: it is none, and nothing was taken.
  std::optional<std::pair<std::string, std::string>> take_parameter() {
    auto before = rest_;
    auto name = text::in_small_letters(take_token());
    skip(" \t");
    auto value = !name.empty() && take('=') ? take_value() : std::nullopt;
    if (!value) {
      rest_ = before;
      return std::nullopt;
    }
    return std::pair{std::move(name), std::move(*value)};
  }

private:
  std::string_view take_all(std::string_view marks) {
    auto end = std::find_if(rest_.begin(), rest_.end(), [&](char c) { return !is_in(c, marks); });
    auto out = rest_.substr(0, static_cast<size_t>(end - rest_.begin()));
    rest_.remove_prefix(out.size());
    return out;
  }
  std::optional<std::string> take_value() {
    skip(" \t");
    if (take('"'))
      return take_quoted();
    auto token = take_token();
    return token.empty() ? std::nullopt : std::optional{std::string{token}};
  }
  std::optional<std::string> take_quoted() {
    std::string out;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '"') {
        rest_.remove_prefix(i + 1);
        return out;
      }
      if (rest_[i] == '\\' && ++i == rest_.size())
        break;
      out += rest_[i];
    }
    return std::nullopt;
  }

  std::string_view rest_;
};

/// Of one challenge; false: there is a parameter twice, or one that does what text should not do.
bool read_parameters(reader& from, parameters& out) {
  bool is_whole = true;
  for (;;) {
    auto one = from.take_parameter();
    if (!one)
      return is_whole;
    is_whole = is_whole && text::find_control(one->second) == std::string::npos;
    is_whole = out.insert(std::move(*one)).second && is_whole;
    from.skip(" \t");
    if (!from.take(','))
      return is_whole;
    from.skip(" \t,");
  }
}

challenge told_by(parameters& of) {
  return {true, std::move(of["resource_metadata"]), std::move(of["scope"]), std::move(of["error"]),
          std::move(of["error_description"])};
}

} // namespace

challenge read_challenge(std::string_view field) {
  if (field.size() > challenge_bytes_max)
    return {};
  reader from{field};
  for (from.skip(" \t,"); !from.is_at_end(); from.skip(" \t,")) {
    auto scheme = text::in_small_letters(from.take_token());
    if (scheme.empty())
      return {};
    parameters found;
    bool has_more = from.skip(" \t") > 0 && !from.take_token68();
    bool is_whole = !has_more || read_parameters(from, found);
    if (scheme == "bearer" && is_whole)
      return told_by(found);
  }
  return {};
}

} // namespace oauth
