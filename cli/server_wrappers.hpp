// The tools of the configured servers as files for editors, from what the catalog knows. No server is started.
#pragma once

#include "config/environment.hpp"
#include "config/settings.hpp"
#include "messages/errors.hpp"
#include "proxy/editors/wrapper_files.hpp"

#include <string>
#include <vector>

namespace cli {

struct server_wrappers {
  std::vector<editors::generated_file> files;
  std::vector<std::string> not_indexed;   ///< servers whose tools are not known; files of theirs that are there stay
  std::vector<std::string> unapproved;    ///< servers of a project that the user has not approved; likewise
  std::vector<std::string> kept;          ///< paths of those files
  std::vector<std::string> problems = {}; ///< of the configuration and the catalog, for a person
};

/// `folder`: where the files are to be, for those that stay. A fault: the catalog can not be read.
msg::outcome<server_wrappers> make_server_wrappers(const config::environment& environment,
                                                   const config::settings& settings, const std::string& folder);

} // namespace cli
