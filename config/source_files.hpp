// The files that one look at the configuration reads.
#pragma once

#include "config/config_file.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace config {

enum class file_owner : uint8_t { user, project };

class source_files {
public:
  struct opened {
    config_file file;
    bool is_usable = false; ///< there is an object in it
    bool is_broken = false; ///< it is there, and does not tell what it holds
    file_owner owner = file_owner::user;
  };

  /// `kept`: paths of files that are asked for more than once.
  explicit source_files(std::set<std::string> kept) : kept_(std::move(kept)) {}

  /// A file is read once, and complained about once. Those of the project have one room together; what had none in it
  /// is read all the same when it is asked for as a file of the user.
  opened& open(const std::string& path, file_owner whose, std::vector<std::string>& problems);

  /// It was looked through.
  void close(const std::string& path);

private:
  std::set<std::string> kept_;
  std::map<std::string, opened> opened_;
  file_room project_;
};

} // namespace config
