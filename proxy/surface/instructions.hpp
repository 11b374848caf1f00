// What a client is told of us when it connects: it may show that to the model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace surface {

/// At most 120 tokens: what this is, when to use it, and names of servers in order, at most 30 and as many as there is
/// room for. Names are shortened, and shown without what is no letter, digit or one of `-_. `: they may come from
/// anywhere.
std::string instructions(std::vector<std::string> servers);

} // namespace surface
