// A public key of an issuer, ready to be used.
#pragma once

#include "cjose_library.hpp"

#include <boost/json/object.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace json_web_token {

class key {
public:
  /// Null: it is none that we use.
  static std::shared_ptr<const key> of(const boost::json::object& jwk);
  key(const key&) = delete;
  key& operator=(const key&) = delete;
  ~key();

  const std::string& id() const { return id_; }
  /// Whether a signature by that `alg` can be made with it.
  bool fits(std::string_view algorithm) const;
  const cjose_jwk_t* raw() const { return raw_; }

private:
  key(std::string id, std::string kind, std::string algorithm, cjose_jwk_t* raw)
    : id_(std::move(id)),
      kind_(std::move(kind)),
      algorithm_(std::move(algorithm)),
      raw_(raw) {}

  std::string id_;        ///< may be empty
  std::string kind_;      ///< RSA or EC
  std::string algorithm_; ///< the only one that it is for; empty: any of its kind
  cjose_jwk_t* raw_;
};

/// The text of that member; empty: there is none.
std::string text_in(const boost::json::object& from, std::string_view name);

} // namespace json_web_token
