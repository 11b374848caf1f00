// Every message of every interface goes through CAF's serializer and back, whole, in a system that knows nothing but
// what is registered.
#include "actors/bridge/message_types.hpp"

#include <caf/all.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <typeindex>
#include <vector>

namespace {

struct registering_config : caf::actor_system_config {
  registering_config() { bridge::register_message_types(*this); }
};

struct travelling {
  caf::actor_system& system;
  std::set<std::type_index>& seen;

  template <class T>
  void operator()() {
    if (!seen.insert(typeid(T)).second)
      return;
    auto original = caf::make_message(T{});
    std::vector<char> wire;
    caf::binary_serializer out{system, wire};
    // `out(original)` swallows what is not registered.
    EXPECT_FALSE(original.save(out)) << typeid(T).name() << " can not be sent";
    caf::message copy;
    caf::binary_deserializer in{system, wire};
    EXPECT_FALSE(in(copy)) << typeid(T).name() << " can not be read";
    EXPECT_EQ(in.remaining(), 0u) << typeid(T).name();
    EXPECT_TRUE(copy.match_elements<T>()) << typeid(T).name() << " came as " << caf::to_string(copy);
  }
};

} // namespace

TEST(message_types, all_of_them_travel) {
  registering_config cfg;
  caf::actor_system system{cfg};
  std::set<std::type_index> seen;
  bridge::for_each_message_type(travelling{system, seen});
  EXPECT_GT(seen.size(), 100u) << "the walk over the interfaces misses some";
}

TEST(message_types, one_that_is_not_registered_does_not) {
  caf::actor_system_config cfg;
  caf::actor_system system{cfg};
  auto original = caf::make_message(msg::tool_call{});
  std::vector<char> wire;
  caf::binary_serializer out{system, wire};
  EXPECT_TRUE(original.save(out)) << "the test above proves nothing";
}
