//! Participants that are threads of one process.

use super::transport::{Lost, Transport};
use std::sync::mpsc::{channel, Receiver, Sender};
use std::time::Duration;

/// One of several threads.
pub struct Thread {
    rank: usize,
    to: Vec<Sender<Vec<f64>>>,
    from: Vec<Receiver<Vec<f64>>>,
    timeout: Duration,
}

/// As many participants, each to be moved into its thread. One that is dropped is lost to the others at once.
pub fn participants(size: usize, timeout: Duration) -> Vec<Thread> {
    // Of every pair (a, b): what a sends to b.
    let mut senders: Vec<Vec<Sender<Vec<f64>>>> = (0..size).map(|_| Vec::new()).collect();
    let mut receivers: Vec<Vec<Receiver<Vec<f64>>>> = (0..size).map(|_| Vec::new()).collect();
    for sender in &mut senders {
        for receiver in &mut receivers {
            let (to, from) = channel();
            sender.push(to);
            receiver.push(from);
        }
    }
    let both = senders.into_iter().zip(receivers).enumerate();
    both.map(|(rank, (to, from))| Thread { rank, to, from, timeout }).collect()
}

impl Thread {
    /// A participant that has ended may have said because of whom.
    fn why_gone(&self, other: usize) -> Lost {
        let said =
            self.from[other].try_iter().find_map(|m| if let [rank] = m[..] { Some(rank) } else { None });
        Lost { rank: said.map_or(other, |rank| rank as usize) }
    }
}

impl Transport for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn send(&mut self, to: usize, data: &[f64]) -> Result<(), Lost> {
        self.to[to].send(data.to_vec()).map_err(|_| self.why_gone(to))
    }

    fn receive(&mut self, from: usize, data: &mut [f64]) -> Result<(), Lost> {
        match self.from[from].recv_timeout(self.timeout) {
            Ok(message) if message.len() == data.len() => {
                data.copy_from_slice(&message);
                Ok(())
            }
            // A message of another length says who is lost.
            Ok(message) => Err(Lost { rank: message.first().map_or(from, |r| *r as usize) }),
            Err(_) => Err(Lost { rank: from }),
        }
    }

    fn abandon(&mut self, lost: Lost) {
        // One number: no message of a run is as short.
        self.to.iter().for_each(|to| drop(to.send(vec![lost.rank as f64])));
    }
}
