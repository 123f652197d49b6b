#include "engine/rewrite/users.hpp"

#include <algorithm>

namespace fxrules::rewrite {

const Users::Ordered& Users::of(NodeId value, const program::MatchProgram& match) {
  Hub& hub = hubs_[value.value];
  if (hub.uses != graph_->use_count(value)) hub.by_match.clear();
  hub.uses = graph_->use_count(value);
  for (const auto& [known, users] : hub.by_match) {
    if (known == &match) return *users;
  }
  auto users = std::make_unique<Ordered>(Before{graph_});
  for (SlotId s = graph_->first_use(value); s.valid(); s = graph_->next_use(s)) {
    const NodeId user = graph_->owner(s);
    if (binding_->start(user, match) != 0) users->insert(user);
  }
  return *hub.by_match.emplace_back(&match, std::move(users)).second;
}

std::vector<NodeId> Users::behind(NodeId value, unsigned hops) const {
  std::vector<NodeId> nodes{value};
  for (unsigned hop = 0; hop < hops; ++hop) {
    std::vector<NodeId> users;
    for (const NodeId n : nodes) {
      for (SlotId s = graph_->first_use(n); s.valid(); s = graph_->next_use(s)) users.push_back(graph_->owner(s));
    }
    std::sort(users.begin(), users.end(), Before{graph_});
    users.erase(std::unique(users.begin(), users.end()), users.end());
    nodes = std::move(users);
  }
  return nodes;
}

template <class Visit>
void Users::hubs_of(NodeId n, Visit visit) {
  for (const Slot& s : graph_->slots(n)) {
    if (s.kind != ArgKind::node) continue;
    const auto hub = hubs_.find(s.a);
    if (hub != hubs_.end()) visit(hub->second);
  }
}

void Users::leave_hubs(NodeId n) {
  hubs_of(n, [n](Hub& hub) {
    --hub.uses;
    for (auto& [match, users] : hub.by_match) users->erase(n);
  });
}

void Users::enter_hubs(NodeId n) {
  hubs_of(n, [&](Hub& hub) {
    ++hub.uses;
    for (auto& [match, users] : hub.by_match) {
      if (binding_->start(n, *match) != 0) users->insert(n);
    }
  });
}

void Users::moved(NodeId old, NodeId value, std::span<const NodeId> readers, std::uint32_t uses) {
  if (hubs_.empty()) return;
  hubs_.erase(old.value);
  const auto found = hubs_.find(value.value);
  if (found == hubs_.end()) return;
  found->second.uses += uses;
  for (auto& [match, users] : found->second.by_match) {
    for (const NodeId n : readers) {
      if (binding_->start(n, *match) != 0) users->insert(n);
    }
  }
}

}  // namespace fxrules::rewrite
