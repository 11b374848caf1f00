// The types of all messages, so that they can travel to another process: found in the interfaces of
// messages/actors.hpp, so that none is forgotten.
#pragma once

#include "messages/actors.hpp"

#include <caf/detail/type_list.hpp>
#include <caf/replies_to.hpp>
#include <caf/type_nr.hpp>

#include <type_traits>

namespace caf {
class actor_system_config;
}

namespace bridge {

/// Every interface; the deserializer of another process must know what they say.
using all_interfaces =
  caf::detail::type_list<msg::audit_log_actor, msg::rate_limiter_actor, msg::child_server_actor, msg::catalog_actor,
                         msg::connector_actor, msg::guest_listener, msg::sandbox_actor, msg::sandbox_pool_actor,
                         msg::sessions_actor, msg::memory_actor, msg::artifacts_actor, msg::run_listener,
                         msg::progress_listener, msg::sampling_session_actor, msg::model_tools_actor,
                         msg::provider_request_actor, msg::type_check_actor, msg::execution_actor, msg::admission_actor,
                         msg::health_actor, msg::client_session_actor, msg::relay_session_actor, msg::clients_actor,
                         msg::configuration_actor, msg::supervisor_actor>;

/// Calls `visit.template operator()<T>()` for each type of each message and of each answer; for some of them several
/// times.
template <class Visit>
void for_each_message_type(Visit visit) {
  auto type = [&]<class T>() {
    if constexpr (!std::is_void_v<T>) // no answer
      visit.template operator()<T>();
  };
  auto message =
    [&]<class... In, class... Out>(caf::typed_mpi<caf::detail::type_list<In...>, caf::output_tuple<Out...>>) {
      (type.template operator()<In>(), ...);
      (type.template operator()<Out>(), ...);
    };
  auto messages = [&]<class... Signatures>(caf::detail::type_list<Signatures...>) { (message(Signatures{}), ...); };
  [&]<class... Actors>(caf::detail::type_list<Actors...>) {
    (messages(typename Actors::signatures{}), ...);
  }(all_interfaces{});
}

/// CAF knows atoms, numbers and strings by itself.
template <class T>
constexpr bool is_ours = caf::type_nr<T>::value == 0;

/// For systems that speak with others.
void register_message_types(caf::actor_system_config& config);

} // namespace bridge
