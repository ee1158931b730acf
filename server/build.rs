//! The site is embedded when this crate is compiled, so it must be compiled again when the site has changed. A site
//! that does not exist yet counts as changed every time.

fn main() {
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let site = if release { "release" } else { "debug" };
    println!("cargo:rerun-if-changed=../target/site/{site}/build-id");
    println!("cargo:rerun-if-changed=demo");
    println!("cargo:rerun-if-changed=build.rs");
}
