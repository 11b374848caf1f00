#include "proxy/surface/isolation_doc.hpp"

namespace surface {

namespace json = boost::json;

json::object isolation_doc(const msg::isolation_report& report) {
  json::object walls;
  for (auto& w : report.layers) {
    json::object wall{{"holds", w.holds}, {"by", w.by}};
    if (!w.limit.empty())
      wall["limit"] = w.limit;
    walls[w.of] = std::move(wall);
  }
  json::object doc{{"mode", report.mode}};
  if (!report.reason.empty())
    doc["reason"] = report.reason;
  doc["walls"] = std::move(walls);
  return doc;
}

} // namespace surface
