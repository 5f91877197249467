//! Elimination tree: in which order, and in which process, the interface unknowns are eliminated.
//!
//! Leaves are subdomains. A node joins its children and eliminates the joints that have both ends inside; what is left, its
//! boundary, goes on to its parent. One root with all subdomains as children is the direct solution of the interface system
//! in one place; a tree that follows the joints exchanges data between neighbours only; bisection and dissection have ⌈log₂ K⌉ levels.

use super::joint::Joint;

/// How the subdomains are arranged in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Topology {
    /// All at one root.
    #[default]
    Flat,
    /// Halves of halves, in the order of the subdomains: for chains.
    Bisection,
    /// Along the joints, from the outermost subdomains to the middle: for trees; only neighbours exchange data.
    Neighbour,
    /// Like [`Topology::Flat`], after the subdomains of each process among themselves: for many subdomains in a process. The other
    /// ones give the same digits whoever has which subdomain; this order of elimination depends on it.
    Grouped,
    /// Halves of halves that few joints connect, found along the joints whatever the order of the subdomains: for grids and loops of joints, and for
    /// chains and trees as well.
    Dissection,
}

/// A node. Children come before their parents, the root is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The process that does its work.
    pub owner: usize,
    /// Parent; none at the root.
    pub parent: Option<usize>,
    /// Children, none at a leaf.
    pub children: Vec<usize>,
    /// The subdomain, at a leaf.
    pub subdomain: Option<usize>,
    /// Joints with both ends inside that are not inside a child.
    pub eliminated: Vec<usize>,
    /// Joints with one end inside.
    pub boundary: Vec<usize>,
}

/// The tree for subdomains with these owners.
pub fn build(topology: Topology, owners: &[usize], joints: &[Joint]) -> Vec<Node> {
    let mut neighbours = vec![Vec::new(); owners.len()];
    for [a, b] in joints.iter().map(|j| j.ends.map(|e| e.subdomain)) {
        neighbours[a].push(b);
        neighbours[b].push(a);
    }
    neighbours.iter_mut().for_each(|list| list.sort_unstable());
    let mut tree = Builder { owners, joints, neighbours, nodes: Vec::new(), inside: Vec::new() };
    let all: Vec<usize> = (0..owners.len()).collect();
    match topology {
        Topology::Flat => tree.flat(&all),
        Topology::Grouped => tree.grouped(&all),
        Topology::Bisection => tree.bisect(&all),
        Topology::Neighbour => tree.along_joints(),
        Topology::Dissection => tree.dissect(&all),
    };
    tree.nodes
}

struct Builder<'a> {
    owners: &'a [usize],
    joints: &'a [Joint],
    /// Of each subdomain, once for every joint, in their order.
    neighbours: Vec<Vec<usize>>,
    nodes: Vec<Node>,
    /// Subdomains inside each node.
    inside: Vec<Vec<usize>>,
}

impl Builder<'_> {
    fn leaf(&mut self, subdomain: usize) -> usize {
        let touches = |j: &Joint| j.ends.iter().filter(|e| e.subdomain == subdomain).count();
        let of = |count: usize| {
            let found = self.joints.iter().enumerate().filter(|(_, j)| touches(j) == count);
            found.map(|(i, _)| i).collect::<Vec<_>>()
        };
        let node = Node {
            owner: self.owners[subdomain],
            subdomain: Some(subdomain),
            boundary: of(1),
            ..Node::default()
        };
        self.nodes.push(node);
        self.inside.push(vec![subdomain]);
        self.nodes.len() - 1
    }

    /// A node over these children; a single child is its own node.
    fn join(&mut self, children: Vec<usize>, owner: usize) -> usize {
        if let [only] = children[..] {
            return only;
        }
        let inside: Vec<usize> = children.iter().flat_map(|&c| self.inside[c].iter().copied()).collect();
        let mut candidates: Vec<usize> =
            children.iter().flat_map(|&c| self.nodes[c].boundary.iter().copied()).collect();
        candidates.sort_unstable();
        candidates.dedup();
        let within = |&j: &usize| self.joints[j].ends.iter().all(|e| inside.contains(&e.subdomain));
        let (eliminated, boundary) = candidates.into_iter().partition(within);
        let this = self.nodes.len();
        children.iter().for_each(|&c| self.nodes[c].parent = Some(this));
        self.nodes.push(Node { owner, children, eliminated, boundary, ..Node::default() });
        self.inside.push(inside);
        this
    }

    fn flat(&mut self, all: &[usize]) -> usize {
        let leaves = all.iter().map(|&s| self.leaf(s)).collect();
        let owner = self.owners.iter().min().copied().unwrap_or(0);
        self.join(leaves, owner)
    }

    fn grouped(&mut self, all: &[usize]) -> usize {
        let mut processes: Vec<usize> = self.owners.to_vec();
        processes.sort_unstable();
        processes.dedup();
        let mut groups = Vec::new();
        for &process in &processes {
            let leaves = all.iter().filter(|&&s| self.owners[s] == process).copied().collect::<Vec<_>>();
            let leaves: Vec<usize> = leaves.into_iter().map(|s| self.leaf(s)).collect();
            // One process alone does not need a level of its own.
            if processes.len() == 1 {
                groups = leaves;
            } else {
                groups.push(self.join(leaves, process));
            }
        }
        let owner = processes.first().copied().unwrap_or(0);
        self.join(groups, owner)
    }

    fn bisect(&mut self, range: &[usize]) -> usize {
        if let [only] = range {
            return self.leaf(*only);
        }
        let (left, right) = range.split_at(range.len().div_ceil(2));
        let (left, right) = (self.bisect(left), self.bisect(right));
        let owner = self.nodes[left].owner;
        self.join(vec![left, right], owner)
    }

    /// Distances from a subdomain along the joints, and predecessors.
    fn distances(&self, from: usize) -> Vec<Option<(usize, usize)>> {
        let mut found = vec![None; self.owners.len()];
        found[from] = Some((0, from));
        let mut queue = std::collections::VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            let distance = found[at].map_or(0, |(d, _)| d);
            for &next in &self.neighbours[at] {
                if found[next].is_none() {
                    found[next] = Some((distance + 1, at));
                    queue.push_back(next);
                }
            }
        }
        found
    }

    /// Halves of which the one has the lower numbers, or is nearer to one end: whichever of the two cuts fewer joints.
    fn dissect(&mut self, set: &[usize]) -> usize {
        if let [only] = set {
            return self.leaf(*only);
        }
        let half = set.len().div_ceil(2);
        let mut sorted = set.to_vec();
        sorted.sort_unstable();
        let outward = self.outward(&sorted);
        let cut = |order: &[usize]| {
            let mut left = vec![false; self.owners.len()];
            order[..half].iter().for_each(|&s| left[s] = true);
            let crossing = |&s: &usize| self.neighbours[s].iter().filter(|&&n| left[n]).count();
            order[half..].iter().map(crossing).sum::<usize>()
        };
        let order = if cut(&outward) < cut(&sorted) { outward } else { sorted };
        let (left, right) = order.split_at(half);
        let (left, right) = (self.dissect(left), self.dissect(right));
        let owner = self.nodes[left].owner;
        self.join(vec![left, right], owner)
    }

    /// The subdomains of a set by their distance within it from one end; what is not connected follows.
    fn outward(&self, set: &[usize]) -> Vec<usize> {
        let mut inside = vec![false; self.owners.len()];
        set.iter().for_each(|&s| inside[s] = true);
        let reach = |from: usize, free: &[bool]| {
            let mut free = free.to_vec();
            let mut order = vec![from];
            free[from] = false;
            let mut next = 0;
            while let Some(&at) = order.get(next) {
                for &n in &self.neighbours[at] {
                    if std::mem::take(&mut free[n]) {
                        order.push(n);
                    }
                }
                next += 1;
            }
            order
        };
        let mut out = Vec::with_capacity(set.len());
        for &start in set {
            if inside[start] {
                let end = reach(start, &inside).last().copied().unwrap_or(start);
                let part = reach(end, &inside);
                part.iter().for_each(|&s| inside[s] = false);
                out.extend(part);
            }
        }
        out
    }

    /// The middle of a longest path that begins at the subdomain farthest from `start`.
    fn middle(&self, start: usize) -> usize {
        let farthest = |from: usize| {
            let found = self.distances(from);
            let reached = found.iter().enumerate().filter_map(|(i, d)| d.map(|(d, _)| (d, i)));
            reached.max_by_key(|&(d, i)| (d, std::cmp::Reverse(i))).unwrap_or((0, from))
        };
        let (_, one) = farthest(start);
        let (length, mut at) = farthest(one);
        let back = self.distances(one);
        for _ in 0..length / 2 {
            at = back[at].map_or(at, |(_, before)| before);
        }
        at
    }

    fn along_joints(&mut self) -> usize {
        let mut taken = vec![false; self.owners.len()];
        let mut roots = Vec::new();
        for start in 0..self.owners.len() {
            if !taken[start] {
                let middle = self.middle(start);
                roots.push(self.grow(middle, &mut taken));
            }
        }
        let owner = roots.first().map_or(0, |&r| self.nodes[r].owner);
        self.join(roots, owner)
    }

    /// The subdomain and all behind it, level by level so that cycles are cut in the middle. The recursion is replaced by
    /// an order from the outside to the root: chains of thousands of subdomains are allowed.
    fn grow(&mut self, root: usize, taken: &mut [bool]) -> usize {
        let found = self.distances(root);
        let mut order: Vec<usize> = (0..found.len()).filter(|&s| found[s].is_some()).collect();
        order.sort_by_key(|&s| std::cmp::Reverse(found[s].map_or(0, |(d, _)| d)));
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); found.len()];
        let mut last = 0;
        for subdomain in order {
            taken[subdomain] = true;
            let own = self.leaf(subdomain);
            let mut children = vec![own];
            children.append(&mut waiting[subdomain]);
            last = self.join(children, self.owners[subdomain]);
            if let Some((distance, before)) = found[subdomain] {
                if distance > 0 {
                    waiting[before].push(last);
                }
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gluing::joint::{End, Law};

    fn joint(a: usize, b: usize) -> Joint {
        let end = |subdomain| End { subdomain, port: 0 };
        Joint { ends: [end(a), end(b)], law: Law::coincide(2) }
    }

    fn check(nodes: &[Node], joints: usize, subdomains: usize) {
        let mut eliminated: Vec<usize> = nodes.iter().flat_map(|n| n.eliminated.clone()).collect();
        eliminated.sort_unstable();
        assert_eq!(eliminated, (0..joints).collect::<Vec<_>>());
        let mut leaves: Vec<usize> = nodes.iter().filter_map(|n| n.subdomain).collect();
        leaves.sort_unstable();
        assert_eq!(leaves, (0..subdomains).collect::<Vec<_>>());
        for (i, node) in nodes.iter().enumerate() {
            assert!(node.children.iter().all(|&c| c < i && nodes[c].parent == Some(i)));
        }
        assert!(nodes.last().is_some_and(|n| n.parent.is_none() && n.boundary.is_empty()));
        assert_eq!(nodes.iter().filter(|n| n.parent.is_none()).count(), 1);
    }

    #[test]
    fn every_joint_is_eliminated_once() {
        let chain: Vec<Joint> = (0..8).map(|i| joint(i, i + 1)).collect();
        let ring: Vec<Joint> = (0..9).map(|i| joint(i, (i + 1) % 9)).collect();
        let star: Vec<Joint> = (1..9).map(|i| joint(0, i)).collect();
        let pieces = vec![joint(0, 1), joint(3, 2), joint(2, 4)];
        for joints in [chain, ring, star, pieces] {
            for owners in [(0..9).collect::<Vec<_>>(), vec![0; 9], vec![0, 0, 0, 1, 1, 1, 2, 2, 0]] {
                for topology in [
                    Topology::Flat,
                    Topology::Bisection,
                    Topology::Neighbour,
                    Topology::Grouped,
                    Topology::Dissection,
                ] {
                    check(&build(topology, &owners, &joints), joints.len(), 9);
                }
            }
        }
        check(&build(Topology::Flat, &[0], &[]), 0, 1);
    }

    #[test]
    fn neighbours_exchange_one_joint_and_bisection_is_flat() {
        let chain: Vec<Joint> = (0..63).map(|i| joint(i, i + 1)).collect();
        let owners: Vec<usize> = (0..64).collect();
        let nodes = build(Topology::Neighbour, &owners, &chain);
        let between = nodes.iter().filter(|n| n.parent.is_some_and(|p| nodes[p].owner != n.owner));
        for node in between {
            let parent = node.parent.map_or(0, |p| nodes[p].owner);
            assert_eq!((node.boundary.len(), node.owner.abs_diff(parent)), (1, 1));
        }
        let depth = |nodes: &[Node]| {
            let mut level = vec![0; nodes.len()];
            for i in (0..nodes.len()).rev() {
                level[i] = nodes[i].parent.map_or(0, |p| level[p] + 1);
            }
            level.into_iter().max()
        };
        assert_eq!(depth(&build(Topology::Bisection, &owners, &chain)), Some(6));
        assert_eq!(depth(&build(Topology::Flat, &owners, &chain)), Some(1));
        // From the middle to the farther end.
        assert_eq!(depth(&nodes), Some(32));
    }

    /// Rows of the largest front, one for each joint.
    fn largest(nodes: &[Node]) -> usize {
        nodes.iter().map(|n| n.eliminated.len() + n.boundary.len()).max().unwrap_or(0)
    }

    #[test]
    fn dissection_finds_small_cuts_in_any_order() {
        // A chain whose subdomains are numbered at random.
        let place = |i: usize| (i * 37) % 64;
        let chain: Vec<Joint> = (0..63).map(|i| joint(place(i), place(i + 1))).collect();
        let owners = vec![0; 64];
        assert!(largest(&build(Topology::Dissection, &owners, &chain)) <= 4);
        assert!(largest(&build(Topology::Bisection, &owners, &chain)) > 20);
        // A grid: fronts grow with its side, not with the number of its joints.
        let grid = |n: usize| -> Vec<Joint> {
            let right = (0..n * n).filter(|i| i % n + 1 < n).map(|i| joint(i, i + 1));
            right.chain((0..n * (n - 1)).map(|i| joint(i, i + n))).collect()
        };
        for n in [4, 8, 16] {
            let front = largest(&build(Topology::Dissection, &vec![0; n * n], &grid(n)));
            assert!(front <= 4 * n, "{n}: {front}");
            assert_eq!(largest(&build(Topology::Flat, &vec![0; n * n], &grid(n))), 2 * n * (n - 1));
        }
    }
}
