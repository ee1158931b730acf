//! What an agent says of its machine.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use domain::agent::{AgentFacts, EngineFact, GpuFact, HostFacts};

use crate::{Config, gpu};

/// Importing an engine to ask for its version takes a while on a cold disk.
const PATIENCE: Duration = Duration::from_secs(60);

/// Engines that are looked for: name, program, and the package that it is.
const KNOWN: [(&str, &str, &str); 3] =
    [("vLLM", "vllm", "vllm"), ("SGLang", "python3", "sglang"), ("TensorRT-LLM", "trtllm-serve", "tensorrt_llm")];

/// Looks at the machine.
pub(crate) fn facts(config: &Config) -> AgentFacts {
    let driver = gpu::driver();
    let name = |gpu: GpuFact| GpuFact { name: config.gpu_name.clone().unwrap_or(gpu.name), ..gpu };
    let gpus = match &config.gpus {
        None => driver.gpus.into_iter().map(name).collect(),
        Some(numbers) => {
            let known = |index: &u32| driver.gpus.iter().find(|gpu| gpu.index == *index).cloned();
            let unknown = |index: u32| GpuFact { index, name: "GPU".to_owned(), memory_mib: None };
            numbers.iter().map(|index| name(known(index).unwrap_or_else(|| unknown(*index)))).collect()
        }
    };
    AgentFacts {
        name: config.name.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        gpus,
        driver: driver.version,
        cuda: driver.cuda,
        engines: engines(config),
        host: config.tell_host.then(host),
    }
}

fn engines(config: &Config) -> Vec<EngineFact> {
    let mut engines: Vec<EngineFact> = Vec::new();
    for (name, version) in &config.engines {
        engines.push(EngineFact { name: name.clone(), version: version.clone() });
    }
    for (name, program, package) in KNOWN {
        if engines.iter().any(|engine| engine.name == name) {
            continue;
        }
        let program = config.programs.get(program).map_or(program, String::as_str);
        if let Some(version) = version(program, package) {
            engines.push(EngineFact { name: name.to_owned(), version: Some(version) });
        }
    }
    engines
}

/// The version of an installed package: asked of the Python that stands beside the program, without importing it.
fn version(program: &str, package: &str) -> Option<String> {
    let beside = std::path::Path::new(program).parent().map(|dir| dir.join("python3")).filter(|path| path.exists());
    let python = beside.map_or_else(|| "python3".to_owned(), |path| path.to_string_lossy().into_owned());
    let script = format!("import importlib.metadata as m; print(m.version('{package}'))");
    let version = said(&python, &["-c", &script])?;
    Some(version.trim().to_owned()).filter(|version| !version.is_empty())
}

/// What a program prints, where it succeeds in time.
fn said(program: &str, args: &[&str]) -> Option<String> {
    let mut child = Command::new(program)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => break,
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(20)),
            Ok(Some(_) | None) | Err(_) => {
                child.kill().ok();
                child.wait().ok();
                return None;
            }
        }
    }
    let output = child.wait_with_output().ok()?;
    String::from_utf8(output.stdout).ok()
}

/// The host, as far as its files tell.
fn host() -> HostFacts {
    let line = |path: &str| fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let field = |path: &str, key: &str, separator: char| {
        let text = fs::read_to_string(path).ok()?;
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(separator)?;
            (name.trim() == key).then(|| value.trim().trim_matches('"').to_owned())
        })
    };
    let memory = field("/proc/meminfo", "MemTotal", ':');
    let kib = memory.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    HostFacts {
        hostname: line("/proc/sys/kernel/hostname"),
        os: field("/etc/os-release", "PRETTY_NAME", '='),
        kernel: line("/proc/sys/kernel/osrelease"),
        cpu: field("/proc/cpuinfo", "model name", ':'),
        cores: std::thread::available_parallelism().ok().and_then(|cores| u32::try_from(cores.get()).ok()),
        memory_mib: kib.map(|kib| kib / 1024),
    }
}
