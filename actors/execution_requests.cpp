// What a guest may ask of its execution besides tool calls: discovery, memory, outputs, display.
#include "actors/execution.hpp"
#include "messages/limits.hpp"
#include "proxy/tool_docs.hpp"

#include <boost/json/value.hpp>
#include <caf/all.hpp>

#include <algorithm>

namespace actors {

namespace limits = msg::limits;
using msg::errc;
using msg::fault;

namespace {

size_t held_by(const msg::memory_request& r) { return r.value.held_bytes() + r.key.size() + r.source.size() + r.description.size(); }

} // namespace

/// False: refused, and told so.
bool execution_state::admit(uint64_t id) {
  if (asked_.size() >= limits::guest_requests_max) {
    reply(id, fault{errc::overloaded,
                    "this run has " + std::to_string(limits::guest_requests_max) + " requests open, which is the limit; await some first"});
    return false;
  }
  asked_.insert(id);
  return true;
}

/// The only answer that an admitted request gets.
void execution_state::answer(uint64_t id, msg::outcome<msg::document> result) {
  if (asked_.erase(id) > 0)
    reply(id, std::move(result));
}

/// A session's guest lives on, and what it has asked must not wait for ever. What models wanted ends with their session.
void execution_state::answer_all(const fault& why) {
  for (auto id : std::exchange(asked_, {}))
    if (id < model_call_first)
      reply(id, fault{why});
}

void execution_state::hold(size_t bytes) {
  held_bytes_ += bytes;
  tell_held();
}

void execution_state::let_go(size_t bytes) {
  held_bytes_ -= std::min<uint64_t>(held_bytes_, bytes);
  tell_held();
}

/// The sandbox ends the guest when all of it together is too much.
void execution_state::tell_held() {
  auto now = held_bytes_ + tracker_.held_bytes();
  auto changed = now > told_bytes_ ? now - told_bytes_ : told_bytes_ - now;
  if (changed < limits::held_bytes_step || !sandbox_)
    return;
  told_bytes_ = now;
  self_->send(sandbox_, msg::hold_atom::value, now);
}

void execution_state::reply(uint64_t id, msg::outcome<msg::document> answer) {
  if (auto waits = for_models_.extract(id))
    waits.mapped().deliver(std::move(answer));
  else
    self_->send(sandbox_, msg::reply_atom::value, id, std::move(answer));
}

void execution_state::handle(proxy::guest_search& search) {
  if (!admit(search.id))
    return;
  hold(search.query.text.size());
  searches_.take([this, search = std::move(search)]() mutable { begin_search(std::move(search)); });
}

void execution_state::begin_search(proxy::guest_search search) {
  auto bytes = search.query.text.size();
  search.query.allowed = request_.allowed;
  self_->request(options_.connector, time_left(), msg::search_atom::value, std::move(search.query))
    .then(
      [this, bytes, id = search.id, detail = search.detail](msg::outcome<msg::tool_matches>& found) {
        let_go(bytes);
        searched(id, detail, found);
      },
      [this, bytes, id = search.id](caf::error&) {
        let_go(bytes);
        described(id, fault{errc::internal, "the search did not answer"});
      });
}

/// Many tools are described on another thread: of 20,000 it takes a second.
void execution_state::searched(uint64_t id, msg::tool_detail detail, msg::outcome<msg::tool_matches>& found) {
  if (!found.ok() || ended_)
    return described(id, std::move(found.error));
  if (found.value.tools.empty() && !found.value.failures.empty())
    return described(id, std::move(found.value.failures.front()));
  notes_.set_hint(proxy::search_hint(found.value));
  if (found.value.tools.size() <= described_at_once_max)
    return described(id, msg::document{boost::json::value(proxy::tool_docs(found.value, detail))});
  auto describe = [detail, all = std::make_shared<msg::tool_matches>(std::move(found.value))]() -> msg::outcome<msg::document> {
    auto docs = msg::document{boost::json::value(proxy::tool_docs(*all, detail))};
    *all = {}; // here, and not where the work ends
    return docs;
  };
  elsewhere(describe, [this, id](msg::outcome<msg::document> docs) { described(id, std::move(docs)); });
}

void execution_state::described(uint64_t id, msg::outcome<msg::document> docs) {
  answer(id, std::move(docs));
  searches_.over();
}

void execution_state::handle(proxy::guest_schema& schema) {
  if (!admit(schema.id))
    return;
  schema.tool.run = request_.id;
  descriptions_.take([this, schema = std::move(schema)]() mutable { describe_tool(std::move(schema)); });
}

void execution_state::describe_tool(proxy::guest_schema schema) {
  self_->request(options_.connector, time_left(), msg::describe_atom::value, std::move(schema.tool), request_.allowed)
    .then(
      [this, id = schema.id, with_signature = schema.with_signature, lang = schema.lang](msg::outcome<msg::tool_info>& tool) {
        if (!tool.ok())
          return tool_described(id, std::move(tool.error));
        auto describe = [with_signature, lang](const msg::tool_info& what) {
          return msg::document{boost::json::value(with_signature ? proxy::signature_doc(what, lang) : proxy::tool_doc(what))};
        };
        if (tool.value.definition.text_bytes() <= limits::json_inline_bytes_max)
          return tool_described(id, describe(tool.value));
        elsewhere([describe, what = std::move(tool.value)] { return msg::outcome<msg::document>{describe(what)}; }, // it may have 60 MB
                  [this, id](msg::outcome<msg::document> doc) { tool_described(id, std::move(doc)); });
      },
      [this, id = schema.id](caf::error&) {
        tool_described(id, fault{errc::internal, "the connector did not answer"});
      });
}

void execution_state::tool_described(uint64_t id, msg::outcome<msg::document> doc) {
  descriptions_.over();
  answer(id, std::move(doc));
}

void execution_state::handle(proxy::guest_servers& servers) {
  if (!admit(servers.id))
    return;
  server_lists_.take([this, id = servers.id] { list_servers(id); });
}

void execution_state::list_servers(uint64_t id) {
  self_->request(options_.connector, time_left(), msg::servers_atom::value, request_.allowed)
    .then(
      [this, id](msg::server_list& list) {
        server_lists_.over();
        answer(id, msg::document{boost::json::value(proxy::servers_doc(list))});
      },
      [this, id](caf::error&) {
        server_lists_.over();
        answer(id, fault{errc::internal, "the connector did not answer"});
      });
}

void execution_state::handle(proxy::guest_memory& memory) {
  if (!admit(memory.id))
    return;
  hold(held_by(memory.request));
  remembering_.take([this, memory = std::move(memory)]() mutable { begin_remembering(std::move(memory)); });
}

/// Of whoever the client is: the number of its connection is no part of that. The folder is added where the store is.
void execution_state::begin_remembering(proxy::guest_memory memory) {
  auto over = [this, id = memory.id, bytes = held_by(memory.request)](msg::outcome<msg::document> found) {
    answer(id, std::move(found));
    let_go(bytes);
    remembering_.over();
  };
  auto& client = request_.client_name;
  memory.request.scope.client = client.substr(0, std::min(client.rfind('#'), limits::memory_client_bytes_max));
  self_->request(options_.memory, time_left(), msg::memory_atom::value, std::move(memory.request))
    .then([over](msg::outcome<msg::document>& found) { over(std::move(found)); },
          [over](caf::error&) {
            over(fault{errc::internal, "the memory did not answer"});
          });
}

void execution_state::handle(proxy::guest_output_request& output) {
  if (!admit(output.id))
    return;
  self_
    ->request(options_.outputs, time_left(), msg::outputs_atom::value,
              msg::artifact_request{msg::artifact_operation::read, {}, std::move(output.query), request_.id})
    .then(
      [this, id = output.id](msg::outcome<msg::artifact_answer>& found) {
        answer(id, found.ok() ? msg::outcome<msg::document>{std::move(found.value.value)} : std::move(found.error));
      },
      [this, id = output.id](caf::error&) {
        answer(id, fault{errc::internal, "the store of outputs did not answer"});
      });
}

/// A large one is looked at on another thread. The guest's next frame waits until that is done, so what is displayed stays in its order and before
/// the end of the program.
void execution_state::handle(proxy::guest_display& display) {
  if (!displays_.admit(display.bytes))
    return;
  hold(display.block.value.held_bytes());
  auto looked = [this, block = display.block](const msg::outcome<msg::document>& found) {
    if (!displays_.looked_at(block, found.error))
      broke_channel(found.error.message);
    read_on();
  };
  auto look = [block = std::move(display.block)] { return msg::outcome<msg::document>{run::look_at(block)}; };
  if (display.bytes <= limits::json_inline_bytes_max || !options_.offload)
    return looked(look());
  next_frame_ = self_->make_response_promise<bool>();
  elsewhere(look, looked);
}

void execution_state::read_on() {
  if (next_frame_.pending())
    next_frame_.deliver(true);
}

} // namespace actors
