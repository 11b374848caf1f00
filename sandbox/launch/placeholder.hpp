// An empty file or folder of ours that takes a name in a folder which guests may write.
#pragma once

#include "messages/errors.hpp"
#include "process/child.hpp"

#include <memory>
#include <string>

namespace sandbox {

/// Goes away with the last of all servers that hold it. One that a server has left behind when it was killed is taken
/// over.
class placeholder {
public:
  placeholder(process::descriptor folder, std::string name, process::descriptor held)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      held_(std::move(held)) {}
  placeholder(const placeholder&) = delete;
  placeholder& operator=(const placeholder&) = delete;
  ~placeholder();

private:
  process::descriptor folder_;
  std::string name_;
  process::descriptor held_; ///< locked, shared
};

enum class placeholder_kind : uint8_t { file, folder };

/// Makes it if the name is free, and holds it if it is a placeholder. Null: something else has the name, or no guest
/// can make anything there. The fault: it can not be made for another reason.
msg::outcome<std::shared_ptr<const placeholder>> hold_place(const process::descriptor& folder, const std::string& name,
                                                            placeholder_kind kind);
/// The same for what is there already; null: it is no placeholder.
msg::outcome<std::shared_ptr<const placeholder>> hold_if_placeholder(const process::descriptor& folder,
                                                                     const std::string& name);

/// Whether that is still what has the name: another server may remove a placeholder between two looks.
bool has_name(const process::descriptor& opened, const process::descriptor& folder, const std::string& name);

} // namespace sandbox
