#include "config/entry_login.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace config {

namespace json = boost::json;

namespace {

/// Of one text, variables not expanded: ids and secrets of common servers have 300 at most.
constexpr size_t login_text_bytes_max = 4u << 10;
constexpr size_t scopes_max = 100;

/// The values of the member are never quoted: they may be secrets.
class login_reader {
public:
  login_reader(entry_fields& fields, const char* field, const json::object& members)
    : fields_(fields),
      field_(field),
      members_(members) {}

  std::string text(field_names names) {
    const char* found = nullptr;
    auto* value = find(names, found);
    if (!value)
      return {};
    bool is_right = value->is_string() && value->get_string().size() <= login_text_bytes_max
                    && std::none_of(value->get_string().begin(), value->get_string().end(),
                                    [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7f; });
    if (!is_right)
      wrong(found, "a string without control characters");
    return is_right ? std::string{value->get_string()} : std::string{};
  }

  /// A list, or one text with blanks.
  std::vector<std::string> scopes(field_names names) {
    const char* found = nullptr;
    auto* value = find(names, found);
    std::vector<std::string> out;
    if (!value)
      return out;
    if (value->is_string())
      split(value->get_string(), out);
    else if (auto* list = value->if_array())
      for (auto& each : *list)
        each.is_string() ? split(each.get_string(), out) : wrong(found, "a list of strings");
    else
      wrong(found, "a list of strings");
    if (out.size() > scopes_max)
      wrong(found, "a list of at most " + std::to_string(scopes_max) + " scopes");
    return out;
  }

  bool is_off() {
    auto* enabled = members_.if_contains("enabled"); // Gemini's
    return enabled && enabled->is_bool() && !enabled->get_bool();
  }

private:
  const json::value* find(field_names names, const char*& found) const {
    for (auto* name : names)
      if (auto* value = members_.if_contains(name); value && !value->is_null()) {
        found = name;
        return value;
      }
    return nullptr;
  }

  void wrong(const char* name, const std::string& wanted) {
    auto path = member_path(field_, name);
    fields_.complain(path, "'" + path + "' must be " + wanted);
  }

  static void split(std::string_view text, std::vector<std::string>& out) {
    while (!text.empty()) {
      auto blank = std::min(text.find(' '), text.size());
      if (blank > 0)
        out.emplace_back(text.substr(0, blank));
      text.remove_prefix(std::min(blank + 1, text.size()));
    }
  }

  entry_fields& fields_;
  std::string field_;
  const json::object& members_;
};

} // namespace

void read_login(entry_fields& fields, msg::login_settings& to) {
  const char* field = nullptr;
  auto* value = fields.find({"oauth", "auth"}, &field);
  if (!value)
    return;
  if (value->is_bool()) {
    to.is_off = !value->get_bool();
    return;
  }
  if (!value->is_object()) {
    if (std::string_view{field} == "oauth") // `auth` means other things elsewhere
      fields.complain(field, "'oauth' must be an object such as {\"clientId\": \"...\"}, or false");
    return;
  }
  login_reader read{fields, field, value->get_object()};
  to.client_id = read.text({"clientId", "client_id", "CLIENT_ID"});
  to.client_secret = read.text({"clientSecret", "client_secret", "CLIENT_SECRET"});
  to.scopes = read.scopes({"scopes", "scope"});
  to.metadata_url = read.text({"clientMetadataUrl"});
  to.is_off = read.is_off();
  auto grant = read.text({"grantType"});
  to.is_for_machines = grant == "client_credentials";
  if (!grant.empty() && grant != "client_credentials" && grant != "authorization_code")
    fields.complain(member_path(field, "grantType"), "'" + member_path(field, "grantType")
                                                       + "' must be \"authorization_code\" or \"client_credentials\"");
  if (to.is_for_machines && (to.client_id.empty() || to.client_secret.empty()))
    fields.complain(field, std::string{"'"} + field
                             + "' with the grantType \"client_credentials\" needs 'clientId' and 'clientSecret'");
}

} // namespace config
