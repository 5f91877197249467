//! Gluing: separately written models, each with its own callbacks, simulated together; joints between them are the glue.
//!
//! A subdomain is a [`System`](crate::system::System) with [`port`]s, functions of its positions that it shows to the others.
//! A [`joint`] couples two ports. All subdomains make the same steps of the generalised-α method ([`scheme`]); within a step each
//! solves its own equations, and the forces in the joints come from the interface equations, which are eliminated along a [`tree`].
//! That is Newton's method on the whole system, by blocks: the result is that of one model, to round-off, and the number of
//! iterations does not depend on how it is cut. Only numbers of the interface are exchanged, through a [`transport`]: within a
//! process there is nothing to do, [`threads`] have channels, processes have MPI (`libgeoms_mpi`, the folder `mpi/`).
//!
//! [`gauss`] is the algorithm of F.-C. Tseng and G. M. Hulbert (*A gluing algorithm for network-distributed multibody dynamics
//! simulation*, Multibody Syst. Dyn. 6 (2001) 377), for comparison.
//!
//! | file | what |
//! | --- | --- |
//! | [`run`], `begin` | a run: steps, forces in the joints; its start |
//! | `attempt` | one step as a table of contents |
//! | [`joint`], [`port`], [`spatial`] | what couples, and what is shown |
//! | [`description`] | what is glued, how, and counters |
//! | `auxiliary` | variables that follow from others: w, s |
//! | `check` | what is refused before a run |
//! | [`part`], [`local`], `equations` | a subdomain as it is given, one subdomain's part of a step, and its equations; its model comes through [`view`] |
//! | [`tree`], [`front`], [`rank`] | elimination of the interface unknowns, also of redundant joints |
//! | `share` | how redundant joints share their forces |
//! | [`coordinate`], [`sum`] | passes through the tree, sums over all participants |
//! | [`transport`], [`threads`] | who sends what to whom |
//! | `watch`, `watcher` | events of any subdomain; the signs of its root functions |
//! | [`save`] | saved states, so that a run can be resumed |
//! | [`gauss`] | the paper's algorithm |

mod attempt;
mod auxiliary;
mod begin;
mod check;
pub mod coordinate;
pub mod description;
mod equations;
pub mod front;
pub mod gauss;
pub mod joint;
pub mod local;
pub mod part;
pub mod port;
pub mod rank;
pub mod run;
pub mod save;
pub mod scheme;
mod share;
pub mod spatial;
pub mod sum;
pub mod threads;
pub mod transport;
pub mod tree;
pub mod view;
mod watch;
mod watcher;

pub use description::{Assembly, Projection, Settings, Statistics, Stop};
pub use joint::{End, Joint, Law};
pub use part::Part;
pub use run::Glued;
pub use tree::Topology;
