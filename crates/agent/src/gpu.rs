//! GPUs: what is there, and what they do while a job runs. Without NVIDIA's driver there are none, and that is all.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use domain::agent::{GpuFact, Settled};
use nvml_wrapper::Nvml;
use nvml_wrapper::enum_wrappers::device::{Clock, TemperatureSensor};

/// Between samples.
const EVERY: Duration = Duration::from_secs(1);

/// What the driver says.
#[derive(Default)]
pub(crate) struct Driver {
    pub gpus: Vec<GpuFact>,
    pub version: Option<String>,
    pub cuda: Option<String>,
}

/// Asks the driver, where there is one.
pub(crate) fn driver() -> Driver {
    let Ok(nvml) = Nvml::init() else { return Driver::default() };
    let gpu = |index: u32| {
        let device = nvml.device_by_index(index).ok()?;
        let memory_mib = device.memory_info().ok().map(|memory| memory.total / (1024 * 1024));
        Some(GpuFact { index, name: device.name().ok()?, memory_mib })
    };
    let cuda = nvml.sys_cuda_driver_version().ok();
    Driver {
        gpus: (0..nvml.device_count().unwrap_or_default()).filter_map(gpu).collect(),
        version: nvml.sys_driver_version().ok(),
        // 13000 is 13.0.
        cuda: cuda.map(|number| format!("{}.{}", number / 1000, number % 1000 / 10)),
    }
}

/// GPUs of a job, looked at once a second while it runs.
pub(crate) struct Telemetry {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Seen>>,
}

/// Sums over all samples.
#[derive(Default)]
struct Seen {
    samples: u32,
    watts: f64,
    sm_mhz: f64,
    max_temperature_c: u32,
    max_memory_mib: u64,
}

impl Telemetry {
    /// Samples go into `file`, a line a GPU and second.
    pub fn start(gpus: Vec<u32>, file: &Path) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (flag, file) = (Arc::clone(&stop), file.to_owned());
        let thread = std::thread::spawn(move || watch(&gpus, &file, &flag));
        Self { stop, thread: Some(thread) }
    }

    /// Ends, and puts what was seen into what is told of the run.
    pub fn finish(mut self, settled: &mut Settled) {
        self.stop.store(true, Ordering::SeqCst);
        let seen = self.thread.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        if seen.samples > 0 {
            settled.mean_power_w = Some(seen.watts / f64::from(seen.samples));
            settled.mean_sm_clock_mhz = Some(seen.sm_mhz / f64::from(seen.samples));
            settled.max_temperature_c = Some(seen.max_temperature_c);
            settled.max_memory_mib = Some(seen.max_memory_mib);
        }
    }
}

impl Drop for Telemetry {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

fn watch(gpus: &[u32], file: &Path, stop: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let Ok(nvml) = Nvml::init() else { return seen };
    // Telemetry that cannot be kept is no reason to fail a run.
    let mut file = File::create(file).ok();
    if let Some(file) = &mut file {
        writeln!(file, "seconds,gpu,power_w,sm_mhz,temperature_c,memory_mib,utilisation_pct").ok();
    }
    let begun = Instant::now();
    let mut next = begun;
    while !stop.load(Ordering::SeqCst) {
        if Instant::now() < next {
            std::thread::sleep(Duration::from_millis(20));
            continue;
        }
        next += EVERY;
        let (mut watts, mut clocks, mut memory, mut found) = (0.0, 0.0, 0, 0.0);
        for index in gpus {
            let Ok(device) = nvml.device_by_index(*index) else { continue };
            let power = device.power_usage().map_or(0.0, |milliwatts| f64::from(milliwatts) / 1000.0);
            let clock = device.clock_info(Clock::SM).unwrap_or_default();
            let celsius = device.temperature(TemperatureSensor::Gpu).unwrap_or_default();
            let mib = device.memory_info().map_or(0, |memory| memory.used / (1024 * 1024));
            let busy = device.utilization_rates().map_or(0, |rates| rates.gpu);
            if let Some(file) = &mut file {
                let at = begun.elapsed().as_secs_f64();
                writeln!(file, "{at:.1},{index},{power:.1},{clock},{celsius},{mib},{busy}").ok();
            }
            watts += power;
            clocks += f64::from(clock);
            memory += mib;
            found += 1.0;
            seen.max_temperature_c = seen.max_temperature_c.max(celsius);
        }
        if found > 0.0 {
            seen.samples += 1;
            seen.watts += watts;
            seen.sm_mhz += clocks / found;
            seen.max_memory_mib = seen.max_memory_mib.max(memory);
        }
    }
    seen
}
