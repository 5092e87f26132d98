//! Benchmarks only: see `benches`.
