//! GPUs and what their makers promise: memory bandwidth, and dense tensor throughput without sparsity.
//!
//! Sources: NVIDIA data sheets "A100 Tensor Core GPU" (2021), "H100 Tensor Core GPU" (2023), "H100 NVL" (2023), "H200 Tensor
//! Core GPU" (2024), "GH200 Grace Hopper Superchip" (2024), "Blackwell" (HGX B200 and GB200, 2024), "L40S", "L40", "L4",
//! "A10", "T4", "V100"; NVIDIA Ada (v2.1) and RTX Blackwell (v1.1) whitepapers for GeForce and RTX PRO; AMD Instinct data
//! sheets "MI250X", "MI300X", "MI325X", "MI355X". Where a sheet gives only figures with sparsity, half of them stand here.
//! Where a GPU has no unit for a width, the next wider one stands: weights may be narrow while the product is not.

/// A GPU.
#[derive(Debug, PartialEq)]
pub struct Gpu {
    /// As people call it.
    pub name: &'static str,
    /// The words of its name: one of each group must be there.
    marks: &'static [&'static [&'static str]],
    /// GB (10⁹ bytes) per second.
    pub bandwidth_gb_s: f64,
    /// Dense TFLOPS with 16, 8 and 4 bits.
    tflops: [f64; 3],
}

const fn gpu(
    name: &'static str,
    marks: &'static [&'static [&'static str]],
    bandwidth_gb_s: f64,
    tflops: [f64; 3],
) -> Gpu {
    Gpu { name, marks, bandwidth_gb_s, tflops }
}

/// The first whose words are all in a name. Of a family the plain name stands last, with the best figures of its forms.
static GPUS: [Gpu; 33] = [
    gpu("GB200", &[&["gb200"]], 8000.0, [2500.0, 5000.0, 10_000.0]),
    gpu("B200", &[&["b200"]], 8000.0, [2250.0, 4500.0, 9000.0]),
    gpu("GH200", &[&["gh200"]], 4900.0, [990.0, 1979.0, 1979.0]),
    gpu("H200 NVL", &[&["h200"], &["nvl"]], 4800.0, [835.5, 1671.0, 1671.0]),
    gpu("H200", &[&["h200"]], 4800.0, [989.6, 1979.0, 1979.0]),
    gpu("H100 PCIe", &[&["h100"], &["pcie"]], 2000.0, [756.5, 1513.0, 1513.0]),
    gpu("H100 NVL", &[&["h100"], &["nvl"]], 3938.0, [835.5, 1671.0, 1671.0]),
    gpu("H100 SXM", &[&["h100"], &["sxm", "sxm5", "hbm3"]], 3350.0, [989.5, 1979.0, 1979.0]),
    gpu("H100", &[&["h100"]], 3938.0, [989.5, 1979.0, 1979.0]),
    gpu("H800", &[&["h800"]], 3350.0, [989.5, 1979.0, 1979.0]),
    gpu("H20", &[&["h20"]], 4000.0, [148.0, 296.0, 296.0]),
    gpu("A100 40GB", &[&["a100"], &["40gb"]], 1555.0, [312.0, 624.0, 1248.0]),
    gpu("A100 80GB PCIe", &[&["a100"], &["80gb"], &["pcie"]], 1935.0, [312.0, 624.0, 1248.0]),
    gpu("A100", &[&["a100"]], 2039.0, [312.0, 624.0, 1248.0]),
    gpu("A800", &[&["a800"]], 2039.0, [312.0, 624.0, 1248.0]),
    gpu("L40S", &[&["l40s"]], 864.0, [362.1, 733.0, 733.0]),
    gpu("L40", &[&["l40"]], 864.0, [181.1, 362.0, 724.0]),
    gpu("L20", &[&["l20"]], 864.0, [119.5, 239.0, 239.0]),
    gpu("L4", &[&["l4"]], 300.0, [121.0, 242.5, 485.0]),
    gpu("A40", &[&["a40"]], 696.0, [149.7, 299.3, 598.7]),
    gpu("A10", &[&["a10", "a10g"]], 600.0, [125.0, 250.0, 500.0]),
    gpu("T4", &[&["t4"]], 320.0, [65.0, 130.0, 260.0]),
    gpu("V100", &[&["v100", "v100s"]], 1134.0, [130.0, 130.0, 130.0]),
    gpu("RTX PRO 6000", &[&["rtx"], &["pro"], &["6000"]], 1792.0, [503.8, 1007.6, 2015.2]),
    gpu("RTX 5090", &[&["5090"]], 1792.0, [419.0, 838.0, 1676.0]),
    gpu("RTX 4090", &[&["4090"]], 1008.0, [330.3, 660.6, 1321.2]),
    gpu("RTX 3090", &[&["3090"]], 1008.0, [160.0, 320.0, 640.0]),
    gpu("RTX 6000 Ada", &[&["rtx"], &["6000"], &["ada"]], 960.0, [364.2, 728.5, 1457.0]),
    gpu("RTX A6000", &[&["a6000"]], 768.0, [154.8, 309.7, 619.4]),
    gpu("MI355X", &[&["mi355x"]], 8000.0, [2516.6, 5033.2, 10_066.3]),
    gpu("MI325X", &[&["mi325x"]], 6000.0, [1307.4, 2614.9, 2614.9]),
    gpu("MI300X", &[&["mi300x"]], 5300.0, [1307.4, 2614.9, 2614.9]),
    gpu("MI250X", &[&["mi250x"]], 3277.0, [383.0, 383.0, 383.0]),
];

impl Gpu {
    /// The GPU that a name means: `NVIDIA H100 80GB HBM3`, `A100-SXM4-40GB`; none that is not known.
    pub fn find(name: &str) -> Option<&'static Self> {
        let words = words(name);
        GPUS.iter().find(|gpu| gpu.marks.iter().all(|any| any.iter().any(|mark| words.iter().any(|word| word == mark))))
    }

    /// Dense TFLOPS with weights of so many bits.
    pub fn dense_tflops(&self, bits: u8) -> f64 {
        let [sixteen, eight, four] = self.tflops;
        match bits {
            ..=4 => four,
            5..=8 => eight,
            9.. => sixteen,
        }
    }

    /// The first word that all forms of a family share.
    fn family(&self) -> &'static str {
        self.marks[0][0]
    }

    /// Whether its name leaves open which form of its family it is.
    fn is_plain(&self) -> bool {
        self.marks.len() == 1
    }
}

/// Whether two names certainly mean different GPUs. `H100` and `H100 SXM` may be the same; two names that are not known
/// differ where neither holds the other.
pub fn differ(a: &str, b: &str) -> bool {
    match (Gpu::find(a), Gpu::find(b)) {
        (Some(a), Some(b)) if a.family() == b.family() => a != b && !a.is_plain() && !b.is_plain(),
        (Some(_), Some(_)) => true,
        (Some(_), None) | (None, Some(_)) => false,
        (None, None) => {
            let (a, b) = (words(a).concat(), words(b).concat());
            !a.contains(&b) && !b.contains(&a)
        }
    }
}

/// Lower-case words of letters and digits; `8xH100` loses its count, `RTX4090` its glue.
fn words(name: &str) -> Vec<String> {
    let name = name.to_ascii_lowercase().replace("rtx", "rtx ");
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let counted = |word: &str| match word.split_once('x') {
        Some((count, rest)) if !count.is_empty() && !rest.is_empty() && count.bytes().all(|b| b.is_ascii_digit()) => {
            rest.to_owned()
        }
        Some(_) | None => word.to_owned(),
    };
    words.map(counted).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_known_by_the_names_that_tools_print() {
        let names = [
            ("NVIDIA H100 80GB HBM3", Some("H100 SXM")),
            ("NVIDIA H100 SXM GPU", Some("H100 SXM")),
            ("NVIDIA H100 PCIe", Some("H100 PCIe")),
            ("NVIDIA H100 NVL", Some("H100 NVL")),
            ("8xH100", Some("H100")),
            ("NVIDIA-H200", Some("H200")),
            ("NVIDIA GH200 480GB", Some("GH200")),
            ("NVIDIA A100-SXM4-40GB", Some("A100 40GB")),
            ("NVIDIA A100 80GB PCIe", Some("A100 80GB PCIe")),
            ("NVIDIA A100-SXM4-80GB", Some("A100")),
            ("NVIDIA L40S", Some("L40S")),
            ("NVIDIA L4", Some("L4")),
            ("NVIDIA GeForce RTX 4090", Some("RTX 4090")),
            ("RTX4090", Some("RTX 4090")),
            ("AMD Instinct MI300X", Some("MI300X")),
            ("Ascend 910B", None),
            ("", None),
        ];
        for (name, expected) in names {
            assert_eq!(Gpu::find(name).map(|gpu| gpu.name), expected, "{name}");
        }
    }

    #[test]
    fn only_names_that_cannot_be_the_same_gpu_differ() {
        for (a, b, expected) in [
            ("NVIDIA H100 80GB HBM3", "H100", false),
            ("NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", true),
            ("NVIDIA H100 80GB HBM3", "NVIDIA H200", true),
            ("Ascend 910B", "Huawei Ascend 910B", false),
            ("Ascend 910B", "Gaudi 3", true),
            ("H100", "runner-7", false),
        ] {
            assert_eq!((differ(a, b), differ(b, a)), (expected, expected), "{a} / {b}");
        }
    }

    #[test]
    fn a_plain_name_promises_no_less_than_any_form_of_its_family() {
        for plain in GPUS.iter().filter(|gpu| gpu.is_plain()) {
            for form in GPUS.iter().filter(|gpu| gpu.family() == plain.family()) {
                assert!(plain.bandwidth_gb_s >= form.bandwidth_gb_s, "{} {}", plain.name, form.name);
                assert!([4, 8, 16].iter().all(|bits| plain.dense_tflops(*bits) >= form.dense_tflops(*bits)));
            }
        }
    }
}
