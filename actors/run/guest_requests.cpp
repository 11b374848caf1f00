#include "actors/run/guest_requests.hpp"

#include "messages/limits.hpp"
#include "proxy/tool_docs.hpp"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <memory>
#include <numeric>

namespace actors::run {

namespace limits = msg::limits;

namespace {

/// What a question to a model holds: as question, as request, and as what is sent.
size_t held_by(const msg::sample_request& question) {
  auto bytes = question.system.size();
  for (auto& m : question.messages)
    bytes += m.text.size();
  return bytes * 3;
}

/// All that there is: nobody knows how much before it is found.
bool may_be_large(const msg::tool_query& query) {
  return query.limit == 0 || query.limit > guest_requests::described_at_once_max;
}

size_t held_by(const msg::tool_info& tool) {
  return sizeof tool + tool.name.size() + tool.description.size() + tool.definition.held_bytes();
}

size_t held_by(const msg::tool_list& tools) {
  return std::accumulate(tools.begin(), tools.end(), size_t{0},
                         [](size_t sum, auto& tool) { return sum + held_by(tool); });
}

/// Not to be described on this thread.
bool is_large_list(const msg::tool_list& tools) {
  size_t bytes = 0;
  for (auto& tool : tools)
    bytes += tool.definition.text_bytes();
  return tools.size() > guest_requests::described_at_once_max || bytes > limits::json_inline_bytes_max;
}

} // namespace

std::string memory_client(const std::string& client_name) {
  return client_name.substr(0, std::min(client_name.rfind('#'), limits::memory_client_bytes_max));
}

void guest_requests::take(proxy::guest_search search) {
  if (!requests_.admit(search.id))
    return;
  requests_.hold(search.id, search.query.text.size());
  searches_.take([this, search = std::move(search)]() mutable {
    if (!may_be_large(search.query))
      return this->search(std::move(search));
    auto id = search.id;
    enter_large(id, [this, search = std::move(search)] { this->search(search); });
  });
}

void guest_requests::enter_large(uint64_t id, std::function<void()> begin) {
  auto turn = others_.enter_large(std::move(begin));
  if (requests_.contains(id)) // else it has its answer already
    large_.emplace(id, std::move(turn));
}

void guest_requests::search(proxy::guest_search search) {
  others_.search(std::move(search.query),
                 [this, id = search.id, detail = search.detail](msg::outcome<msg::tool_matches> found) {
                   searched(id, detail, std::move(found));
                 });
}

void guest_requests::searched(uint64_t id, msg::tool_detail detail, msg::outcome<msg::tool_matches> found) {
  auto over = [this, id](msg::outcome<msg::document> docs) {
    requests_.answer(id, std::move(docs));
    large_.erase(id);
    searches_.over();
  };
  if (!found.ok() || is_over_)
    return over(std::move(found.error));
  if (found.value.tools.empty() && !found.value.failures.empty())
    return over(std::move(found.value.failures.front()));
  notes_.set_hint(proxy::search_hint(found.value));
  for (auto& failure : found.value.failures) // what was found is not all that there is
    notes_.add(failure.message);
  bool is_large = is_large_list(found.value.tools);
  requests_.hold(id, held_by(found.value.tools));
  auto all = std::make_shared<msg::tool_matches>(std::move(found.value));
  auto describe = [detail, all]() -> msg::outcome<msg::document> {
    auto docs = msg::document{boost::json::value(proxy::tool_docs(*all, detail))};
    *all = {}; // here, and not where the work ends
    return docs;
  };
  if (!is_large)
    return over(describe());
  others_.elsewhere(describe, over);
}

void guest_requests::take(proxy::guest_schema schema) {
  if (!requests_.admit(schema.id))
    return;
  descriptions_.take([this, schema = std::move(schema)] {
    others_.describe(schema.tool,
                     [this, schema](msg::outcome<msg::tool_info> tool) { described(schema, std::move(tool)); });
  });
}

void guest_requests::described(const proxy::guest_schema& asked, msg::outcome<msg::tool_info> tool) {
  auto over = [this, id = asked.id](msg::outcome<msg::document> doc) {
    requests_.answer(id, std::move(doc));
    large_.erase(id);
    descriptions_.over();
  };
  if (!tool.ok())
    return over(std::move(tool.error));
  bool is_large = tool.value.definition.text_bytes() > limits::json_inline_bytes_max; // it may have 60 MB
  requests_.hold(asked.id, held_by(tool.value));
  auto describe = [with_signature = asked.with_signature, lang = asked.lang,
                   what = std::move(tool.value)]() -> msg::outcome<msg::document> {
    return msg::document{boost::json::value(with_signature ? proxy::signature_doc(what, lang) : proxy::tool_doc(what))};
  };
  if (!is_large)
    return over(describe());
  enter_large(asked.id, [this, describe = std::move(describe), over] { others_.elsewhere(describe, over); });
}

void guest_requests::take(proxy::guest_servers servers) {
  if (!requests_.admit(servers.id))
    return;
  server_lists_.take([this, id = servers.id] {
    others_.list_servers([this, id](msg::outcome<std::vector<msg::server_status>> list) {
      requests_.answer(
        id, list.ok() ? msg::outcome<msg::document>{msg::document{boost::json::value(proxy::servers_doc(list.value))}}
                      : msg::outcome<msg::document>{std::move(list.error)});
      server_lists_.over();
    });
  });
}

void guest_requests::take(proxy::guest_memory memory) {
  if (!requests_.admit(memory.id))
    return;
  auto& r = memory.request;
  requests_.hold(memory.id, r.value.held_bytes() + r.key.size() + r.source.size() + r.description.size());
  remembering_.take([this, memory = std::move(memory)]() mutable {
    others_.remember(std::move(memory.request), [this, id = memory.id](msg::outcome<msg::document> found) {
      requests_.answer(id, std::move(found));
      remembering_.over();
    });
  });
}

void guest_requests::take(proxy::guest_output_request output) {
  if (!requests_.admit(output.id))
    return;
  others_.read_output(std::move(output.query), [this, id = output.id](msg::outcome<msg::artifact_answer> found) {
    requests_.answer(id,
                     found.ok() ? msg::outcome<msg::document>{std::move(found.value.value)} : std::move(found.error));
  });
}

void guest_requests::take(proxy::guest_sample sample) {
  if (!requests_.admit(sample.id))
    return;
  if (auto why = others_.begin_sampling(); why.code != msg::errc::none)
    return requests_.answer(sample.id, std::move(why));
  requests_.hold(sample.id, held_by(sample.request));
  others_.ask_model(std::move(sample.request), [this, id = sample.id](msg::outcome<msg::document> answer) {
    requests_.answer(id, std::move(answer));
  });
}

void guest_requests::take(proxy::guest_sample_stream stream) {
  if (!others_.is_sampling())
    return requests_.reply(stream.id,
                           msg::fault{msg::errc::invalid_argument, "llm: there is no such stream, or it has ended"});
  if (stream.stops) {
    others_.leave_stream(stream.stream);
    return requests_.reply(stream.id, msg::document{boost::json::object{}});
  }
  if (!requests_.admit(stream.id))
    return;
  others_.next_piece(stream.stream, [this, id = stream.id](msg::outcome<msg::document> piece) {
    requests_.answer(id, std::move(piece));
  });
}

void guest_requests::stop() {
  is_over_ = true;
  for (auto* each : {&searches_, &descriptions_, &server_lists_, &remembering_})
    each->stop();
  large_.clear();
}

} // namespace actors::run
