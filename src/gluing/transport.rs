//! Transports: how numbers go from one process to another.
//!
//! A run is made by `size` participants, each with some of the subdomains. All that is needed is to send numbers to another one
//! and to receive them in the order in which they were sent, or to learn within a time limit that they will not come.

/// Why numbers did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Who does not answer; if another participant has found that out, who it said it was.
    pub rank: usize,
}

/// Sends and receives numbers.
pub trait Transport {
    /// Number of this participant, from 0.
    fn rank(&self) -> usize;

    /// How many participants there are.
    fn size(&self) -> usize;

    /// Send numbers; must not wait for the receiver.
    fn send(&mut self, to: usize, data: &[f64]) -> Result<(), Lost>;

    /// Receive exactly as many numbers, in the order in which they were sent.
    fn receive(&mut self, from: usize, data: &mut [f64]) -> Result<(), Lost>;

    /// Tell all others that a participant is lost, so that nobody waits in vain.
    fn abandon(&mut self, _lost: Lost) {}
}

/// A participant without others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Transport for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn send(&mut self, to: usize, _data: &[f64]) -> Result<(), Lost> {
        Err(Lost { rank: to })
    }

    fn receive(&mut self, from: usize, _data: &mut [f64]) -> Result<(), Lost> {
        Err(Lost { rank: from })
    }
}
