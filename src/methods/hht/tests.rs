//! Tests of the inner parts.
