// What clients say of the servers of the project's file, on behalf of their user.
#pragma once

#include "config/clients.hpp"
#include "config/environment.hpp"
#include "config/source_files.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace config {

/// A list of names in files of one client, or all servers.
struct client_verdict {
  std::set<std::string> names;
  bool of_all = false;
  bool is_unreadable = false; ///< its file does not tell what it says, and of whom
  bool is_about(const std::string& name) const { return of_all || names.contains(name); }
};

struct client_verdicts {
  client_verdict approves, rejects;
};

/// Whose file it is: what lies in the project is the user's own where the project is the home folder.
file_owner owner_of(file_root root, const environment& env);

/// Of one look at the configuration.
class verdict_reader {
public:
  /// All of them outlive this.
  verdict_reader(const environment& env, source_files& files, std::vector<std::string>& problems)
    : env_(env),
      files_(files),
      problems_(problems) {}

  /// Read when they are first asked for. `client` as client_file::client.
  const client_verdicts& of(const std::string& client);

private:
  void read(const verdict_list& list, client_verdict& to);

  const environment& env_;
  source_files& files_;
  std::vector<std::string>& problems_;
  std::map<std::string, client_verdicts> known_;
};

} // namespace config
