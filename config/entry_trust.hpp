// How far an entry of a project is trusted: by the user's word to us, or to the client whose file it stands in.
#pragma once

#include "config/approval.hpp"
#include "config/client_form.hpp"
#include "config/client_verdicts.hpp"
#include "config/environment.hpp"
#include "config/file_problems.hpp"
#include "config/source_files.hpp"
#include "messages/servers.hpp"

#include <functional>
#include <string>
#include <vector>

namespace config {

/// Of one look at the configuration.
class entry_trust {
public:
  /// All of them outlive this.
  entry_trust(const environment& env, const approval_lookup& approved, source_files& files,
              std::vector<std::string>& problems)
    : approved_(approved),
      verdicts_(env, files, problems) {}

  msg::trust_level of(const msg::server_entry& entry, const written_entry& written, file_problems& problems);
  /// Of one that was known before, and whose file can not be read now.
  msg::trust_level again(const msg::server_entry& old);
  /// Of an entry that is nothing but its name.
  bool is_users_word(const std::string& client, const written_entry& written, const std::string& name,
                     file_problems& problems);

private:
  /// `starts_the_same`: asked where the client's word decides.
  msg::trust_level decide(const msg::server_entry& entry, const std::function<bool()>& starts_the_same);

  const approval_lookup& approved_;
  verdict_reader verdicts_;
};

} // namespace config
