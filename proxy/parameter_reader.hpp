// The parameters of one request of a guest, checked. Of what is wrong with them the first thing counts.
#pragma once

#include "messages/errors.hpp"
#include "messages/limits.hpp"

#include <boost/json/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace proxy {

class parameter_reader {
public:
  /// How much of what a program has sent is quoted in a complaint.
  static constexpr size_t shown_bytes_max = 100;

  /// `where`: what the program called, for complaints. Both are borrowed.
  parameter_reader(std::string_view where, const boost::json::object& params) : where_(where), params_(params) {}

  /// Null: it is missing, or is null, which is as good.
  const boost::json::value* given(std::string_view name) const;
  /// Empty: it is not given, or wrong. Measured before it is copied: a text may have 60 MB.
  std::string text(std::string_view name, size_t bytes_max = msg::limits::query_bytes_max);
  std::string required_text(std::string_view name, size_t bytes_max);
  int64_t integer_from_0(std::string_view name, int64_t otherwise);

  /// "WHERE: 'NAME' must be EXPECTED, not GIVEN". `given` null: without the end.
  void complain(std::string_view name, std::string_view expected, const boost::json::value* given = nullptr);
  bool ok() const { return problem.code == msg::errc::none; }

  msg::fault problem;

protected:
  std::string_view where_;
  const boost::json::object& params_;
};

} // namespace proxy
