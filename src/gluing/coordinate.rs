//! One pass through the elimination tree: up with S and c, down with dF, and sums over all participants.
//!
//! Every message begins with what has gone wrong below or above, so that a failure anywhere reaches everybody in the same pass.

use super::front::{boundary_channels, boundary_rows, Front, JointState, Mode, MODES};
use super::joint::Joint;
use super::transport::{Lost, Transport};
use super::tree::Node;
use crate::error::Code;

/// What has gone wrong somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// A smaller step may help.
    pub retry: bool,
    /// The code.
    pub code: Code,
    /// NaN or Inf was the reason.
    pub not_finite: bool,
    /// The subdomain.
    pub subdomain: usize,
}

/// Length of the beginning of a message.
const HEAD: usize = 4;

fn encode(report: Option<Report>, out: &mut [f64]) {
    out.fill(0.0);
    if let Some(r) = report {
        let severity = if r.retry { 1.0 } else { 2.0 };
        out.copy_from_slice(&[
            severity,
            f64::from(r.code.idid()),
            f64::from(u8::from(r.not_finite)),
            r.subdomain as f64,
        ]);
    }
}

fn decode(head: &[f64]) -> Option<Report> {
    if head[0] == 0.0 {
        return None;
    }
    let code = Code::from_idid(head[1] as i32).unwrap_or(Code::Internal);
    Some(Report { retry: head[0] == 1.0, code, not_finite: head[2] != 0.0, subdomain: head[3] as usize })
}

/// The graver one, then that of the lower subdomain.
fn graver(a: Option<Report>, b: Option<Report>) -> Option<Report> {
    match (a, b) {
        (Some(a), Some(b)) if (b.retry, b.subdomain) < (a.retry, a.subdomain) => Some(b),
        (None, b) => b,
        (a, _) => a,
    }
}

/// Length of a message with S, if it is new, and c.
fn up_length((rows, channels): (usize, usize), refresh: bool) -> usize {
    HEAD + if refresh { rows * rows } else { 0 } + channels
}

/// What was sent by this participant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages.
    pub messages: u64,
    /// Numbers in them.
    pub doubles: u64,
}

/// Nodes whose messages come from each other participant, in the order in which that one sends them, and how many have come in this pass.
/// The one that is needed next may be behind others.
#[derive(Debug, Default)]
struct Mail(Vec<(Vec<usize>, usize)>);

impl Mail {
    fn new(nodes: &[Node], mut expected: impl FnMut(usize) -> Vec<(usize, usize)>) -> Self {
        let size = nodes.iter().map(|n| n.owner + 1).max().unwrap_or(0);
        let mut lists = vec![(Vec::new(), 0); size];
        for i in 0..nodes.len() {
            expected(i).into_iter().for_each(|(from, node)| lists[from].0.push(node));
        }
        Mail(lists)
    }

    fn begin(&mut self) {
        self.0.iter_mut().for_each(|list| list.1 = 0);
    }

    /// Receive what this participant has sent, up to the message of a node.
    fn until(
        &mut self,
        from: usize,
        node: usize,
        mut receive: impl FnMut(usize) -> Result<(), Lost>,
    ) -> Result<(), Lost> {
        let Some((list, taken)) = self.0.get_mut(from) else { return Ok(()) };
        if list[..*taken].contains(&node) {
            return Ok(());
        }
        while let Some(&next) = list.get(*taken) {
            receive(next)?;
            *taken += 1;
            if next == node {
                break;
            }
        }
        Ok(())
    }
}

/// The tree and its numbers, as far as this participant has to do with them.
pub struct Coordination {
    nodes: Vec<Node>,
    rank: usize,
    fronts: Vec<Option<[Front; MODES]>>,
    /// Joints that are eliminated here.
    pub states: Vec<Option<JointState>>,
    up: Vec<Vec<f64>>,
    down: Vec<Vec<f64>>,
    /// Rows and channels of the boundaries in each mode.
    shapes: Vec<[(usize, usize); MODES]>,
    from_below: Mail,
    from_above: Mail,
    /// What was sent.
    pub traffic: Traffic,
    scratch: Vec<f64>,
}

impl Coordination {
    /// For a participant.
    pub fn new(nodes: Vec<Node>, joints: &[Joint], rank: usize) -> Self {
        let shape = |n: &Node| {
            std::array::from_fn(|m| (boundary_rows(n, joints, m), boundary_channels(n, joints, m)))
        };
        let shapes: Vec<[(usize, usize); MODES]> = nodes.iter().map(shape).collect();
        // Messages of nodes that are mine, or whose parent or child is.
        let near = |i: usize| {
            let owner_of = |p: usize| nodes[p].owner == rank;
            owner_of(i) || nodes[i].parent.is_some_and(owner_of)
        };
        let up = |i: usize| {
            let most = shapes[i].iter().map(|(r, c)| HEAD + r * r + c).max().unwrap_or(0);
            vec![0.0; if near(i) { most } else { 0 }]
        };
        let down = |i: usize| {
            vec![0.0; if near(i) { HEAD + shapes[i].iter().map(|s| s.0).max().unwrap_or(0) } else { 0 }]
        };
        let mut states = vec![None; joints.len()];
        for node in nodes.iter().filter(|n| n.owner == rank) {
            node.eliminated.iter().for_each(|&j| states[j] = Some(JointState::new(&joints[j].law)));
        }
        let front = |i: usize| {
            let mine = nodes[i].owner == rank && nodes[i].subdomain.is_none();
            mine.then(|| std::array::from_fn(|m| Front::new(&nodes, i, joints, m)))
        };
        // Up in the order of the nodes, down from the root, to children in their order.
        let owner = |i: usize| nodes[i].owner;
        let from_below = Mail::new(&nodes, |i| {
            let foreign = owner(i) != rank && nodes[i].parent.is_some_and(|p| owner(p) == rank);
            foreign.then_some((owner(i), i)).into_iter().collect()
        });
        let from_above = Mail::new(&nodes, |i| {
            let p = nodes.len() - 1 - i;
            let mine = nodes[p].children.iter().filter(|&&c| owner(c) == rank && owner(p) != rank);
            mine.map(|&c| (owner(p), c)).collect()
        });
        Coordination {
            from_below,
            from_above,
            up: (0..nodes.len()).map(up).collect(),
            down: (0..nodes.len()).map(down).collect(),
            fronts: (0..nodes.len()).map(front).collect(),
            states,
            shapes,
            rank,
            traffic: Traffic::default(),
            scratch: Vec::new(),
            nodes,
        }
    }

    /// The nodes of the tree.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Where a leaf writes its S (if it is new) and its channels.
    pub fn input(&mut self, leaf: usize, mode: Mode, refresh: bool) -> (Option<&mut [f64]>, &mut [f64]) {
        let (rows, channels) = self.shapes[leaf][mode.index()];
        let body = &mut self.up[leaf][HEAD..];
        if refresh {
            let (s, e) = body.split_at_mut(rows * rows);
            (Some(s), &mut e[..channels])
        } else {
            (None, &mut body[..channels])
        }
    }

    /// dF for a leaf.
    pub fn output(&self, leaf: usize, mode: Mode) -> &[f64] {
        &self.down[leaf][HEAD..HEAD + self.shapes[leaf][mode.index()].0]
    }

    /// Solve the interface equations. `own` is what has gone wrong here; what has gone wrong anywhere comes back.
    pub fn solve(
        &mut self,
        transport: &mut dyn Transport,
        (mode, refresh): (Mode, bool),
        joints: &[Joint],
        own: Option<Report>,
    ) -> Result<Option<Report>, Lost> {
        let m = mode.index();
        self.from_below.begin();
        self.from_above.begin();
        for i in 0..self.nodes.len() {
            if self.nodes[i].owner != self.rank {
                continue;
            }
            let report = match self.nodes[i].subdomain {
                Some(_) => own,
                None => self.gather(transport, i, (mode, refresh), joints)?,
            };
            encode(report, &mut self.up[i][..HEAD]);
            if let Some(to) = self.other_parent(i) {
                let length = up_length(self.shapes[i][m], refresh);
                self.traffic.messages += 1;
                self.traffic.doubles += (length - HEAD) as u64;
                transport.send(to, &self.up[i][..length])?;
            }
        }
        let mut found = own;
        for i in (0..self.nodes.len()).rev() {
            if self.nodes[i].owner != self.rank {
                continue;
            }
            match self.nodes[i].parent {
                None => {
                    self.down[i][..HEAD].copy_from_slice(&self.up[i][..HEAD]);
                }
                Some(p) if self.nodes[p].owner != self.rank => {
                    let (from, down, shapes) = (self.nodes[p].owner, &mut self.down, &self.shapes);
                    let receive = |k: usize| transport.receive(from, &mut down[k][..HEAD + shapes[k][m].0]);
                    self.from_above.until(from, i, receive)?;
                }
                Some(_) => {}
            }
            let report = decode(&self.down[i][..HEAD]);
            found = graver(found, report);
            self.scatter(transport, i, mode, report)?;
        }
        Ok(found)
    }

    /// The process of the parent, if it is another one.
    fn other_parent(&self, i: usize) -> Option<usize> {
        self.nodes[i].parent.map(|p| self.nodes[p].owner).filter(|&o| o != self.rank)
    }

    /// Collect what the children have to say and eliminate.
    fn gather(
        &mut self,
        transport: &mut dyn Transport,
        i: usize,
        (mode, refresh): (Mode, bool),
        joints: &[Joint],
    ) -> Result<Option<Report>, Lost> {
        let m = mode.index();
        let mut report = None;
        if let Some(fronts) = &mut self.fronts[i] {
            fronts[m].begin(refresh);
        }
        for c in 0..self.nodes[i].children.len() {
            let child = self.nodes[i].children[c];
            let (length, (rows, _)) = (up_length(self.shapes[child][m], refresh), self.shapes[child][m]);
            let owner = self.nodes[child].owner;
            if owner != self.rank {
                let (up, shapes) = (&mut self.up, &self.shapes);
                let receive =
                    |k: usize| transport.receive(owner, &mut up[k][..up_length(shapes[k][m], refresh)]);
                self.from_below.until(owner, child, receive)?;
            }
            let message = &self.up[child][..length];
            report = graver(report, decode(&message[..HEAD]));
            let body = &message[HEAD..];
            let (s, e) = if refresh { body.split_at(rows * rows) } else { body.split_at(0) };
            if let (Some(fronts), None) = (&mut self.fronts[i], report) {
                fronts[m].add(child, refresh.then_some(s), e);
            }
        }
        let Some(fronts) = &mut self.fronts[i] else { return Ok(report) };
        if report.is_some() {
            return Ok(report);
        }
        let subdomain = joints
            .get(self.nodes[i].eliminated.first().copied().unwrap_or(0))
            .map_or(0, |j| j.ends[0].subdomain);
        let front = &mut fronts[m];
        let result = front.eliminate(mode, refresh, joints, &mut self.states);
        let (rows, channels) = self.shapes[i][m];
        let body = &mut self.up[i][HEAD..];
        let (s, e) = body.split_at_mut(if refresh { rows * rows } else { 0 });
        front.condensed(refresh.then_some(s), &mut e[..channels]);
        Ok(match result {
            Ok(true) => None,
            Ok(false) => {
                Some(Report { retry: true, code: Code::EomNotEvaluable, not_finite: true, subdomain })
            }
            Err(_) => {
                Some(Report { retry: true, code: Code::InterfaceSingular, not_finite: true, subdomain })
            }
        })
    }

    /// Hand dF down to the children.
    fn scatter(
        &mut self,
        transport: &mut dyn Transport,
        i: usize,
        mode: Mode,
        report: Option<Report>,
    ) -> Result<(), Lost> {
        let m = mode.index();
        let Some(fronts) = &mut self.fronts[i] else { return Ok(()) };
        let front = &mut fronts[m];
        if report.is_none() {
            let rows = self.shapes[i][m].0;
            let boundary = &self.down[i][HEAD..HEAD + rows];
            front.substitute(boundary, mode, &mut self.states);
        }
        for &child in &self.nodes[i].children {
            let rows = self.shapes[child][m].0;
            let message = &mut self.down[child][..HEAD + rows];
            encode(report, &mut message[..HEAD]);
            if report.is_none() {
                front.for_child(child, &mut message[HEAD..]);
            }
            if self.nodes[child].owner != self.rank {
                self.traffic.messages += 1;
                self.traffic.doubles += rows as u64;
                transport.send(self.nodes[child].owner, message)?;
            }
        }
        Ok(())
    }

    /// Combine numbers of all participants along a binomial tree: sums, or the smallest of each.
    pub fn agree(
        &mut self,
        transport: &mut dyn Transport,
        values: &mut [f64],
        combine: fn(f64, f64) -> f64,
        own: Option<Report>,
    ) -> Result<Option<Report>, Lost> {
        let (rank, size, n) = (transport.rank(), transport.size(), values.len());
        let mut report = own;
        if size == 1 {
            return Ok(report);
        }
        let mut message = std::mem::take(&mut self.scratch);
        message.clear();
        message.resize(HEAD + n, 0.0);
        let mut step = 1;
        while step < size && rank % (2 * step) == 0 {
            if rank + step < size {
                transport.receive(rank + step, &mut message)?;
                report = graver(report, decode(&message[..HEAD]));
                values.iter_mut().zip(&message[HEAD..]).for_each(|(v, m)| *v = combine(*v, *m));
            }
            step *= 2;
        }
        if rank > 0 {
            encode(report, &mut message[..HEAD]);
            message[HEAD..].copy_from_slice(values);
            self.count_control();
            transport.send(rank - step, &message)?;
            transport.receive(rank - step, &mut message)?;
            report = decode(&message[..HEAD]);
            values.copy_from_slice(&message[HEAD..]);
        }
        encode(report, &mut message[..HEAD]);
        message[HEAD..].copy_from_slice(values);
        while step > 1 {
            step /= 2;
            if rank + step < size && rank % (2 * step) == 0 {
                self.count_control();
                transport.send(rank + step, &message)?;
            }
        }
        self.scratch = message;
        Ok(report)
    }

    /// Control messages are counted, their numbers are not interface data.
    fn count_control(&mut self) {
        self.traffic.messages += 1;
    }

    /// Largest number of undetermined directions at a node of this participant in the last step.
    pub fn deficiency(&self) -> usize {
        self.fronts.iter().flatten().map(|f| f[0].deficiency()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gluing::threads::participants;
    use std::time::Duration;

    #[test]
    fn sums_reach_everybody_for_any_number_of_participants() {
        for size in 1..=9usize {
            let threads: Vec<_> = participants(size, Duration::from_secs(10))
                .into_iter()
                .map(|mut t| {
                    std::thread::spawn(move || {
                        let rank = t.rank();
                        let mut c = Coordination::new(Vec::new(), &[], rank);
                        let mut values = [rank as f64 + 1.0, 1.0];
                        let own = (rank == size - 1).then_some(Report {
                            retry: true,
                            code: Code::StoppedByEom,
                            not_finite: false,
                            subdomain: 7,
                        });
                        let report = c.agree(&mut t, &mut values, |a, b| a + b, own).unwrap();
                        let mut least = [10.0 - rank as f64];
                        assert_eq!(c.agree(&mut t, &mut least, f64::min, None), Ok(None));
                        (values, report, least)
                    })
                })
                .collect();
            for thread in threads {
                let (values, report, least) = thread.join().unwrap();
                assert_eq!(values, [(size * (size + 1) / 2) as f64, size as f64]);
                assert_eq!(report.map(|r| r.subdomain), Some(7));
                assert_eq!(least, [11.0 - size as f64]);
            }
        }
    }
}
