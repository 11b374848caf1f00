#include "process/shared_database.hpp"

#include <utility>

namespace process {

using msg::errc;
using msg::fault;
using sqlite::failure_kind;

namespace {

sqlite::file_kind of_ours(sqlite::file_kind kind) {
  kind.program = "code-executor";
  return kind;
}

} // namespace

shared_database::shared_database(const std::string& folder, const sqlite::file_kind& kind, sqlite::clock now)
  : what_(kind.what),
    has_folder_(!folder.empty()),
    database_(folder, of_ours(kind), std::move(now)) {}

fault shared_database::no_folder() const {
  return {errc::internal, what_ + " needs a folder, and HOME is not set; set stateDir or CODE_EXECUTOR_STATE_DIR"};
}

fault shared_database::fault_of(const sqlite::failure& why) {
  if (why.kind == failure_kind::busy)
    return {errc::overloaded, why.text + "; try again"};
  auto advice = why.kind == failure_kind::unusable
                  ? "; check the folder, or name another one as stateDir (CODE_EXECUTOR_STATE_DIR)"
                  : "";
  return {errc::internal, why.text + advice};
}

} // namespace process
