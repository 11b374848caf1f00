#include "actions.hpp"
#include "tool_search/rank.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tool_search_actions_test {

using strings = std::vector<std::string>;

/// Names of tools, best first.
strings ask(const tool_search::search_index& index, std::string_view text) {
  strings out;
  for (auto& h : tool_search::search(index, {.text = text}).hits)
    out.emplace_back(index.name_of(h.tool));
  return out;
}

size_t place(const strings& names, std::string_view name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

class actions_test : public testing::Test {
protected:
  actions_test() {
    const std::string types = "Type of resource (e.g., pods, deployments, services)\nNamespace of the resource";
    index_.set_server(
      "cluster",
      {{"kubectl_get", "Get or list Kubernetes resources by resource type, name, and optionally namespace",
        "resourceType\nnamespace", types},
       {"kubectl_delete", "Delete Kubernetes resources by resource type, name, labels, or from a manifest file",
        "resourceType\nnamespace", types},
       {"kubectl_logs", "Get logs from Kubernetes resources like pods, deployments, or jobs", "name\ncontainer",
        "Name of the resource\nContainer name (required when pod has multiple containers)"},
       {"exec_in_pod", "Execute a command in a Kubernetes pod or container and return the output", "name\ncommand",
        "Name of the pod to execute the command in\nCommand to execute in the pod"},
       {"list_api_resources", "List the API resources available in the cluster", "apiGroup", "API group to filter by"},
       {"explain_resource", "Get documentation for a Kubernetes resource or field", "resource",
        "Resource name (e.g. 'pods')"}});
    index_.set_server(
      "memory",
      {{"create_entities", "Create multiple new entities in the knowledge graph", "entities", ""},
       {"create_relations", "Create multiple new relations between entities in the knowledge graph", "relations", ""},
       {"add_observations", "Add new observations to existing entities in the knowledge graph", "observations", ""},
       {"delete_entities", "Delete multiple entities and their associated relations", "entityNames", ""},
       {"delete_relations", "Delete multiple relations from the knowledge graph", "relations", ""},
       {"read_graph", "Read the entire knowledge graph", "", ""},
       {"search_nodes", "Search for nodes in the knowledge graph based on a query", "query", ""}});
    index_.build();
  }

  tool_search::search_index index_;
};

TEST(actions, are_of_verbs_in_any_form) {
  tool_search::stemmer s;
  EXPECT_EQ(tool_search::action_of(s.stem("listing")), tool_search::looks);
  EXPECT_EQ(tool_search::action_of(s.stem("stores")), tool_search::makes);
  EXPECT_EQ(tool_search::action_of(s.stem("deleted")), tool_search::removes);
  EXPECT_EQ(tool_search::action_of(s.stem("executing")), tool_search::runs);
  EXPECT_EQ(tool_search::action_of(s.stem("weather")), tool_search::no_action);
}

TEST_F(actions_test, a_tool_that_does_what_is_asked_for_comes_before_one_that_only_speaks_of_it) {
  for (auto text : {"list pods", "list pods in kubernetes", "get pods"}) {
    auto found = ask(index_, text);
    EXPECT_LT(place(found, "kubectl_get"), place(found, "exec_in_pod")) << text;
    EXPECT_LT(place(found, "kubectl_get"), place(found, "kubectl_logs")) << text;
    EXPECT_LT(place(found, "kubectl_get"), place(found, "kubectl_delete")) << text;
  }
  EXPECT_EQ(ask(index_, "run a command in a pod").front(), "exec_in_pod");
  EXPECT_EQ(ask(index_, "delete pods").front(), "kubectl_delete");
}

TEST_F(actions_test, a_verb_without_anything_that_it_is_about_is_worth_less) {
  auto found = ask(index_, "list pods");
  EXPECT_LT(place(found, "kubectl_get"), place(found, "list_api_resources"));
}

TEST_F(actions_test, a_verb_that_no_tool_has_is_understood_by_its_kind) {
  for (auto text : {"store a fact", "remember a fact", "store a fact in memory"}) {
    auto found = ask(index_, text);
    ASSERT_FALSE(found.empty()) << text;
    for (auto wanted : {"add_observations", "create_entities"})
      for (auto other : {"read_graph", "delete_relations", "delete_entities", "search_nodes"})
        EXPECT_LT(place(found, wanted), std::max<size_t>(place(found, other), 1))
          << text << ": " << wanted << ", " << other;
  }
}

TEST_F(actions_test, a_question_without_a_verb_is_answered_as_ever) {
  EXPECT_EQ(ask(index_, "pod logs").front(), "kubectl_logs");
  EXPECT_EQ(ask(index_, "knowledge graph").size(), 6U);
}

TEST_F(actions_test, every_sentence_has_its_own_verb) {
  auto found = ask(index_, "List the pods. Then delete the relations of Anna.");
  EXPECT_LT(place(found, "kubectl_get"), 3U);
  EXPECT_LT(place(found, "delete_relations"), 3U);
}

} // namespace tool_search_actions_test
