// Questions to the catalog of tools, with the allowlist, the spellings of names, and what results have taught.
#pragma once

#include "catalog/catalog.hpp"
#include "messages/catalog.hpp"
#include "proxy/learned_types.hpp"
#include "proxy/names.hpp"
#include "proxy/tool_policy.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxy {

/// One thread at a time.
class discovery {
public:
  /// An empty folder: nothing is written. `policy` is that of the settings, for whole names; `rule` is for tools that
  /// are not what was approved; `knows` what nothing that is learned of results may have in it.
  discovery(std::string state_folder, const std::vector<msg::server_entry>& servers, msg::name_policy policy = {},
            catalog::changed_tools rule = catalog::changed_tools::unwatched, types::private_things knows = {});

  /// What the operation says that it answers; the rest of the answer is empty.
  msg::catalog_answer answer(const msg::catalog_request& request);
  /// What a person should hear of, once. Empty: nothing.
  std::string take_warning() { return tools_->take_warning(); }

private:
  void open(const std::vector<msg::server_entry>& servers);
  msg::outcome<msg::tool_info> resolve(const msg::catalog_request& r);
  bool is_found_by_aliases(const std::string& server, const std::string& tool);
  msg::catalog_answer update(const msg::server_entry& server, const msg::listed_tools& tools);

  std::string state_folder_;
  msg::name_policy of_settings_;
  catalog::pinning pinning_;
  std::shared_ptr<const tool_policy> policy_;
  name_table servers_; ///< of policy_->server_names()
  std::unique_ptr<catalog::tool_catalog> tools_;
  learned_types learned_;
};

} // namespace proxy
