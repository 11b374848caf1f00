#include "engine.hpp"

#include "guarded_socket.hpp"

#include <asio/post.hpp>

#include <restinio/http_server.hpp>
#include <restinio/null_logger.hpp>
#include <restinio/null_timer_manager.hpp>

namespace http {

namespace {

/// Times are limited by guarded_connection: RESTinio's one timer of a connection would know less.
using traits = restinio::traits_t<restinio::null_timer_manager_t, restinio::null_logger_t,
                                  restinio::default_request_handler_t, restinio::noop_strand_t, guarded_socket>;
using connection = restinio::impl::connection_t<traits>;
using settings = restinio::impl::connection_settings_t<traits>;

/// More than the text by which it is told of a request.
constexpr size_t read_bytes = 64;

class restinio_outlet final : public outlet {
public:
  restinio_outlet(restinio::impl::connection_handle_t line, restinio::request_id_t id,
                  std::shared_ptr<guarded_connection> under)
    : line_(std::move(line)),
      id_(id),
      under_(std::move(under)) {}

  void send(std::string bytes, part which, std::function<void(outcome)> then) override {
    restinio::writable_items_container_t items;
    items.emplace_back(std::move(bytes));
    restinio::write_group_t group{std::move(items)};
    group.after_write_notificator([under = under_, which, then = std::move(then)](const asio::error_code& failed) {
      if (!failed && which != part::middle)
        under->answered();
      auto how = failed ? outcome::lost : outcome::taken;
      asio::post(under->get_executor(), [then, how] { then(how); });
    });
    line_->write_response_parts(id_, flags_of(which), std::move(group));
  }

private:
  static restinio::response_output_flags_t flags_of(part which) {
    return {which == part::middle ? restinio::response_parts_attr_t::not_final_parts
                                  : restinio::response_parts_attr_t::final_parts,
            which == part::last_of_all ? restinio::response_connection_attr_t::connection_close
                                       : restinio::response_connection_attr_t::connection_keepalive};
  }

  restinio::impl::connection_handle_t line_;
  restinio::request_id_t id_;
  std::shared_ptr<guarded_connection> under_;
};

/// A connection of RESTinio's has its own settings, by which its handler knows where a request came from.
class restinio_engine final : public engine {
public:
  explicit restinio_engine(taker take) : take_(std::make_shared<taker>(std::move(take))) {}

  void adopt(std::shared_ptr<guarded_connection> under) override {
    auto line = std::make_shared<connection>(++last_id_, guarded_socket{under}, settings_for(under),
                                             restinio::endpoint_t{}, monitor());
    line->init();
  }

private:
  using limits = restinio::connection_count_limit_types<traits>;
  /// connections_max is counted where they are accepted.
  static limits::lifetime_monitor_t monitor() { return limits::lifetime_monitor_t{nullptr}; }

  std::shared_ptr<settings> settings_for(const std::shared_ptr<guarded_connection>& under) {
    restinio::server_settings_t<traits> own;
    own.buffer_size(read_bytes)
      .max_pipelined_requests(1)
      .request_handler([take = take_, weak = std::weak_ptr{under}](const restinio::request_handle_t& request) {
        auto under = weak.lock();
        if (under && under->is_open())
          (*take)(under, std::make_unique<restinio_outlet>(restinio::impl::access_req_connection(*request),
                                                           request->request_id(), under));
        return restinio::request_accepted();
      });
    return std::make_shared<settings>(std::move(own),
                                      restinio::impl::create_parser_settings<restinio::default_http_methods_t>(),
                                      std::make_shared<restinio::null_timer_manager_t>());
  }

  std::shared_ptr<taker> take_;
  restinio::connection_id_t last_id_ = 0;
};

} // namespace

std::unique_ptr<engine> engine::make(taker take) { return std::make_unique<restinio_engine>(std::move(take)); }

} // namespace http
