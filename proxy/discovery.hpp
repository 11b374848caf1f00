// Questions to the catalog of tools, with the allowlist and the spellings of names.
#pragma once

#include "catalog/catalog.hpp"
#include "messages/catalog.hpp"

#include <string>
#include <vector>

namespace proxy {

/// With the allowlist as its rule. An empty folder: nothing is written.
catalog::tool_catalog make_catalog(std::string state_folder, const std::vector<msg::server_entry>& servers);

/// What the operation says that it answers; the rest of the answer is empty.
msg::catalog_answer answer(catalog::tool_catalog& tools, const msg::catalog_request& request);

} // namespace proxy
