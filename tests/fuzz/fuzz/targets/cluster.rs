#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| changeover_fuzz::cluster(bytes));
