//! `docker run`.

use super::container::{HF_CACHE, Plan};
use super::quote::quote_program;
use super::{NEXT_LINE, flags, quote};

/// The command, one argument a line.
pub(super) fn run(plan: &Plan) -> String {
    let gpus = plan.gpus.map_or_else(|| "all".to_owned(), |n| n.to_string());
    let mut lines = vec![
        "docker run --rm".to_owned(),
        format!("--gpus {gpus}"),
        // Workers share tensors through the machine's shared memory; Docker's own 64 MB is too little.
        "--ipc=host".to_owned(),
        format!("--publish {0}:{0}", plan.port),
        format!("--volume \"$HOME/.cache/huggingface:{HF_CACHE}\""),
    ];
    if let Some(path) = &plan.weights {
        lines.push(format!("--mount {}", quote(&bind(path))));
    }
    lines.extend(plan.env.iter().map(|(key, value)| format!("--env {}", quote(&format!("{key}={value}")))));
    let (program, more) = plan.entrypoint.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    if let Some(program) = program {
        lines.push(format!("--entrypoint {}", quote_program(program)));
    }
    lines.push(quote(&plan.image));
    let (head, args) = plan.words.split_at(plan.head);
    lines.push(more.iter().chain(head).map(|word| quote(word)).collect::<Vec<_>>().join(" "));
    lines.extend(flags::lines(args));
    lines.join(NEXT_LINE)
}

/// A mount of a folder on the path that it has outside. Docker reads the option as one line of CSV; `--volume` would end
/// the path at a colon.
fn bind(path: &str) -> String {
    let field = |key: &str| {
        let field = format!("{key}={path}");
        let quoted = field.contains([',', '"', '\n', '\r']);
        if quoted { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
    };
    format!("type=bind,{},{},readonly", field("source"), field("target"))
}

#[cfg(test)]
mod tests {
    use super::bind;

    #[test]
    fn a_mount_is_a_line_of_csv() {
        assert_eq!(bind("/a:b"), "type=bind,source=/a:b,target=/a:b,readonly");
        assert_eq!(bind("/a,\"b"), "type=bind,\"source=/a,\"\"b\",\"target=/a,\"\"b\",readonly");
    }
}
