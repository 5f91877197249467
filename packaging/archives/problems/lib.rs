//! The functions of problems/geoms_problems.h; nothing is added.

extern crate geoms_problems as _;
