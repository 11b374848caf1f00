// What `code-executor setup` shows of a plan, and of what it has done.
#pragma once

#include "config/environment.hpp"
#include "setup/client_look.hpp"
#include "setup/journal.hpp"
#include "setup/plan.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace cli {

/// In columns where they fit into the terminal, else below each other.
void print_looks(const std::vector<setup::client_look>& looks, const config::environment& env);

/// What would change, client by client; what is put into a file as it will stand there, and of what is taken out of it
/// the names.
void print_plan(const setup::setup_plan& plan, const config::environment& env);

/// As one JSON document. `more`: members of it. `done`: null: nothing was to be written.
void print_plan_document(const setup::setup_plan& plan, const boost::json::object& more, const setup::written* done);

/// What was written where, and what to do next.
void print_written(const setup::setup_plan& plan, const setup::written& done, const config::environment& env);

/// A sentence on stdout, in lines that fit into the terminal, each behind so many blanks.
void print_wrapped(const std::string& text, size_t indent = 0);

} // namespace cli
