#include "config/entry_secrets.hpp"

#include "config/named_secrets.hpp"
#include "config/secrets.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace config {

namespace {

/// Of one entry: all that Linux takes of arguments and variables. What is more are parts of others and ends that values
/// may have.
constexpr size_t secrets_bytes_max = 2u << 20;

/// Each once, with what of it may be told alone, up to secrets_bytes_max.
class secret_list {
public:
  void add(std::string_view secret) {
    if (secret.empty() || secret.size() > bytes_left_ || !wholes_.emplace(secret).second)
      return;
    for (auto& part : parts_of_secret(secret))
      if (part.size() <= bytes_left_ && known_.insert(part).second) {
        bytes_left_ -= part.size();
        out.push_back(std::move(part));
      }
  }
  /// What a text tells by itself: it looks like a secret, or names some.
  void add_those_in(std::string_view text) {
    if (looks_secret(text))
      add(text);
    for (auto& value : named_secrets(text))
      add(value);
  }

  std::vector<std::string> out;

private:
  std::set<std::string, std::less<>> wholes_;
  std::set<std::string> known_;
  size_t bytes_left_ = secrets_bytes_max;
};

/// Among the arguments: what tells of itself that it is one, and values of options that are called so.
void add_arguments(const process::c_texts& arguments, secret_list& to) {
  std::string option; // the argument before, if its value comes next
  for (size_t i = 1; i < arguments.size(); ++i) {
    auto& text = arguments[i].text();
    auto equals = text.find('=');
    auto name = text.starts_with('-') ? text.substr(0, equals) : std::string{};
    if (!text.starts_with("--") && is_secret_variable(option, text))
      to.add(text);
    if (equals != text.npos && is_secret_variable(name, text.substr(equals + 1)))
      to.add(text.substr(equals + 1));
    bool has_value = text.starts_with('-') && equals != text.npos;
    to.add(has_value ? password_of_user(name, std::string_view{text}.substr(equals + 1))
                     : password_of_user(option, text));
    to.add_those_in(text);
    option = equals == text.npos ? name : std::string{};
  }
}

} // namespace

std::vector<std::string> secrets_of(const std::vector<const variable_map*>& named, const process::c_texts& arguments) {
  secret_list found;
  add_arguments(arguments, found);
  for (auto* all : named)
    for (auto& [name, value] : *all) {
      if (std::find(inherited_variables.begin(), inherited_variables.end(), name) != inherited_variables.end())
        continue;
      if (is_secret_variable(name, value))
        found.add(value);
      found.add_those_in(value);
    }
  return std::move(found.out);
}

} // namespace config
