// Where the `$ref`s of a schema lead, inside of the same document: pointers, anchors and ids. Nothing is ever fetched.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace types {

/// A schema with an identifier of its own; pointers are relative to it.
struct resource {
  const boost::json::value* root = nullptr;
  std::string uri; ///< without fragment; may be empty
};

class references {
public:
  /// Keeps a reference to `document`.
  explicit references(const boost::json::value& document);

  const resource& document() const { return resources_.front(); }
  /// The resource that begins with this object, or else the one that it lies in.
  const resource& inside(const boost::json::object& schema, const resource& outer);

  struct target {
    const boost::json::value* schema = nullptr; ///< null: leads nowhere in this document
    const resource* in = nullptr;
    std::string name; ///< what it is called there; may be empty
  };
  target find(std::string_view reference, const resource& from);

private:
  struct visit {
    const boost::json::value* value;
    const resource* in;
  };

  void index();
  const resource* index_object(const boost::json::object& object, const boost::json::value& value, const resource* in);
  target at_pointer(std::string_view pointer, const resource& in) const;

  bool is_indexed_ = false;
  std::deque<resource> resources_; ///< stay where they are
  std::map<const boost::json::object*, const resource*> begins_;
  std::map<std::string, const resource*, std::less<>> by_uri_;
  std::map<std::pair<const resource*, std::string>, const boost::json::value*> anchors_;
};

} // namespace types
