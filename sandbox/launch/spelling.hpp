// File systems that know one file by several names: a mount on one of its names leaves the others open.
#pragma once

#include "process/child.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

namespace sandbox {

using file_identity = std::pair<dev_t, ino_t>;

/// What a folder is asked. In tests, somebody else answers.
struct folder_questions {
  /// f_type of statfs(2); 0: it is not known.
  std::function<uint64_t(const process::descriptor& folder)> type_of_file_system;
  /// A link is not followed. Nothing: there is no such file; any other error is one with {0, 0}, which no file has.
  std::function<std::optional<file_identity>(const process::descriptor& folder, const std::string& name)> find;
  /// Whether exactly that name is in the folder's list; false: also if it can not be read.
  std::function<bool(const process::descriptor& folder, const std::string& name)> lists;
};

folder_questions asked_of_the_system();

/// Looks once at each folder: for the time of one question.
class spellings {
public:
  explicit spellings(folder_questions questions = asked_of_the_system()) : ask_(std::move(questions)) {}

  /// Whether the file `name` of that folder has another name in it: by its file system (Windows and Mac: short names,
  /// accents written in two ways) or, for all others, because it is found in upper case where it is in lower case, and
  /// the other way round. A name that is not there, or has no letter from A to Z, tells only of the file system.
  bool are_several(const process::descriptor& folder, const std::string& name);

private:
  bool is_found_otherwise(const process::descriptor& folder, const std::string& name, const std::string& otherwise,
                          const file_identity& there) const;

  folder_questions ask_;
  std::map<file_identity, bool> known_; ///< by folder
};

} // namespace sandbox
