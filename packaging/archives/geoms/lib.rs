//! The functions of include/geoms.h, those of the library; nothing is added.

extern crate geoms as _;
