#include "config/entry_trust.hpp"

#include "config/shown.hpp"
#include "text/utf8.hpp"

namespace config {

namespace {

/// The client has said yes to a name, and knows what it would start under that: what we would start has to be the
/// same.
bool starts_what_its_client_starts(const msg::server_entry& entry, const written_entry& written,
                                   file_problems& problems) {
  auto difference = difference_from(entry.client, written);
  if (!difference.empty())
    problems.add([&] {
      return difference + "; so server '" + text::quoted(entry.name, shown_bytes_max)
             + "' is not approved by its name there, and needs your approval here";
    });
  return difference.empty();
}

} // namespace

msg::trust_level entry_trust::decide(const msg::server_entry& entry, const std::function<bool()>& starts_the_same) {
  auto ours = approved_(entry);
  auto& client = verdicts_.of(entry.client);
  if (ours == approval::given)
    return msg::trust_level::approved;
  if (client.rejects.is_about(entry.name))
    return msg::trust_level::rejected;
  if (ours == approval::outdated)
    return msg::trust_level::changed;
  if (ours == approval::late)
    return client.approves.is_about(entry.name) ? msg::trust_level::changed : msg::trust_level::unapproved;
  if (client.rejects.is_unreadable) // a "no" that can not be read is no "yes"
    return msg::trust_level::unapproved;
  bool is_approved = client.approves.is_about(entry.name) && starts_the_same();
  return is_approved ? msg::trust_level::approved : msg::trust_level::unapproved;
}

msg::trust_level entry_trust::of(const msg::server_entry& entry, const written_entry& written,
                                 file_problems& problems) {
  return decide(entry, [&] { return starts_what_its_client_starts(entry, written, problems); });
}

msg::trust_level entry_trust::again(const msg::server_entry& old) {
  return decide(old, [&] { return old.trust == msg::trust_level::approved; });
}

bool entry_trust::is_users_word(const std::string& client, const written_entry& written, const std::string& name,
                                file_problems& problems) {
  msg::server_entry entry;
  entry.name = name;
  entry.client = client;
  entry.source = written.file.path();
  entry.trust = of(entry, written, problems);
  return msg::is_trusted(entry);
}

} // namespace config
