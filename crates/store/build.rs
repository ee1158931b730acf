//! The migrations are embedded when this crate is compiled, so it must be compiled again when they have changed.

fn main() {
    println!("cargo:rerun-if-changed=../../migrations");
    println!("cargo:rerun-if-changed=build.rs");
}
