// Stops a program that makes the same failing call again and again.
#pragma once

#include "messages/document.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace proxy {

/// Of one run. Calls are the same when tool and arguments are, in any order of their members.
class failing_calls {
public:
  /// 0: large arguments are not compared.
  static uint64_t hash_of(const msg::document& arguments);
  /// 0: calls with arguments of that hash have no key.
  static uint64_t key_of(std::string_view full_name, uint64_t arguments_hash);

  /// Why a call is not made once more: how it failed the last time. Null: it has not failed `same_max` times.
  const std::string* refused(uint64_t key, uint32_t same_max) const;
  void failed(uint64_t key, const std::string& error);
  void succeeded(uint64_t key) { known_.erase(key); }

private:
  struct failure {
    uint32_t count = 0;
    std::string last_error;
  };
  std::unordered_map<uint64_t, failure> known_;
};

} // namespace proxy
