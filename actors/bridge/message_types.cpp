#include "actors/bridge/message_types.hpp"

#include <caf/all.hpp>

#include <string>
#include <typeindex>
#include <typeinfo>
#include <utility>

namespace bridge {

namespace {

/// As actor_system_config::add_message_type does, which adds streams and lists of each type, too: nobody sends these,
/// and GCC 12 warns of what CAF does with them.
struct registering {
  caf::actor_system_config& config;

  template <class T>
  void operator()() {
    if constexpr (is_ours<T>) {
      std::string name = typeid(T).name(); // the same for all compilers of this platform
      if (!config.type_names_by_rtti.emplace(typeid(T), name).second)
        return;
      config.value_factories_by_name.emplace(std::move(name), &caf::make_type_erased_value<T>);
      config.value_factories_by_rtti.emplace(typeid(T), &caf::make_type_erased_value<T>);
    }
  }
};

} // namespace

void register_message_types(caf::actor_system_config& config) { for_each_message_type(registering{config}); }

} // namespace bridge
