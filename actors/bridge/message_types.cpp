#include "actors/bridge/message_types.hpp"

#include <caf/all.hpp>

#include <set>
#include <string>
#include <typeinfo>

namespace bridge {

namespace {

struct registering {
  caf::actor_system_config& config;
  std::set<std::string>& known;

  template <class T>
  void operator()() {
    if constexpr (is_ours<T>)
      if (std::string name = typeid(T).name(); known.insert(name).second) // the same for all compilers of this platform
        config.add_message_type<T>(std::move(name));
  }
};

} // namespace

void register_message_types(caf::actor_system_config& config) {
  std::set<std::string> known;
  for_each_message_type(registering{config, known});
}

} // namespace bridge
