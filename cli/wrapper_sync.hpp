// Writing the tools of the servers as files for editors, and telling what has changed: `sync-wrappers`, by hand, once a
// day, or at the end of a set-up.
#pragma once

#include "cli/doctor.hpp"
#include "cli/generated_files.hpp"
#include "config/environment.hpp"
#include "config/settings.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace cli {

/// Files of an editor: where, whether, and how it is told.
struct editor_outlook {
  std::string folder;
  file_mode mode = file_mode::write;
  output_form form = output_form::text;
};

/// `named`: as it was given; empty: the state folder, which is made for its owner alone. Empty comes out if there is
/// none.
std::string folder_for_editors(const config::environment& environment, const config::settings& settings,
                               const std::string& named, file_mode mode);

/// What changed, as one JSON document and for a person.
boost::json::object changes_document(const file_changes& changes, const editor_outlook& of);
void print_changes(const file_changes& changes, const editor_outlook& of);

/// What the files are made from.
enum class tools_from : uint8_t {
  catalog, ///< as it is; nothing is started
  servers, ///< each is started once before, and its tools read into the catalog
};

/// The exit code: 1 if a file could not be written, one that is not ours is in the way, or the tools of a server could
/// not be read. Keeps a record in the state folder if files are written.
int sync_wrappers(const config::environment& environment, const config::settings& settings,
                  const config::variable_lookup& variables, const editor_outlook& of, tools_from from);

} // namespace cli
