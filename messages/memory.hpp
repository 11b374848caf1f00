// What a guest asks of the memory that outlives its run: values by key, and the source of saved tools.
#pragma once

#include "messages/document.hpp"
#include "messages/fields.hpp"

#include <cstdint>
#include <string>

namespace msg {

/// The names are those of the guest's requests; the answers are in proxy/memory/store.hpp.
enum class memory_operation : uint8_t {
  memory_save,
  memory_load,
  memory_delete,
  memory_list,
  tool_save,
  tool_load,
  tool_list,
  tool_delete
};

/// Who wrote it, which is who it is offered to. Both empty: it is not known, for an older version did not write it
/// down.
struct memory_scope {
  std::string client;  ///< the program that is our client, as it names itself
  std::string project; ///< the folder that it works in
  bool operator==(const memory_scope&) const = default;
  auto fields() { return std::tie(client, project); }
};

struct memory_request {
  static constexpr int64_t any_version = -1;

  memory_operation operation = memory_operation::memory_list;
  std::string key;                  ///< or the name of a tool
  document value;                   ///< memory_save
  document metadata;                ///< memory_save, if has_metadata
  bool has_metadata = false;        ///< else a value that exists keeps its own
  int64_t if_version = any_version; ///< memory_save: only if this is the stored one; 0: only if there is none
  std::string source;               ///< tool_save
  std::string description;
  memory_scope scope; ///< of the run that asks
  auto fields() {
    return std::tie(operation, key, value, metadata, has_metadata, if_version, source, description, scope);
  }
};

} // namespace msg
