//! `reproduce.sh`: a POSIX shell script that measures again what a report compares. Servers are started, waited for,
//! measured and stopped; repeats restart them, and variants take turns.
//!
//! Invariants: whatever a name or an argument holds, the shell reads it as one word; what is not known is said in a comment
//! and never invented; no secret is in it, for there is none in a report.

mod bench;

use std::fmt::Write as _;

use super::{Report, VariantFacts};
use crate::command::{Engine, NEXT_LINE, flags, quote};
use crate::mask::MASK;
use crate::study::Profile;
use crate::study::safe_name;
use crate::text::{self, Lang, ReproduceLabels, phrase, reproduce_labels};

/// Writes the script. Same report, same language, same bytes.
#[must_use]
pub fn reproduce(report: &Report, lang: Lang) -> String {
    let mut script = Script { report, lang, words: reproduce_labels(lang), out: String::new() };
    let variants = script.variants();
    let profiles = script.profiles(&variants);
    script.head();
    script.settings(&variants, &profiles);
    script.tools();
    for (number, variant) in (1..).zip(&variants) {
        script.serve(number, variant);
    }
    let mut runnable = Vec::new();
    for (number, profile) in (1_usize..).zip(&profiles) {
        if script.bench(number, profile) {
            runnable.push((number, *profile));
        }
    }
    let startable: Vec<_> = (1..).zip(variants).filter(|(_, variant)| variant.has_command()).collect();
    script.run(&startable, &runnable);
    script.out
}

struct Script<'a> {
    report: &'a Report,
    lang: Lang,
    words: &'static ReproduceLabels,
    out: String,
}

impl<'a> Script<'a> {
    /// Baseline and recommended.
    fn variants(&self) -> Vec<&'a VariantFacts> {
        let conclusion = &self.report.conclusion;
        let other = conclusion.recommended.iter().filter(|id| **id != conclusion.baseline);
        std::iter::once(&conclusion.baseline).chain(other).filter_map(|id| self.report.variant(id)).collect()
    }

    /// Those that these variants were measured under; all of them where none was.
    fn profiles(&self, variants: &[&VariantFacts]) -> Vec<&'a Profile> {
        let measured = |profile: &&Profile| {
            self.report
                .runs
                .iter()
                .any(|run| run.profile == profile.id && variants.iter().any(|variant| variant.id == run.variant))
        };
        let some: Vec<&Profile> = self.report.profiles.iter().filter(measured).collect();
        if some.is_empty() { self.report.profiles.iter().collect() } else { some }
    }

    fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    /// A comment ends with its line, so no text may begin another.
    fn comment(&mut self, text: &str) {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.line(format!("# {text}"));
    }

    fn head(&mut self) {
        let words = self.words;
        self.line("#!/bin/sh");
        self.comment(&format!("{} ({})", self.report.title.get(self.lang), self.report.slug));
        self.comment(words.about);
        let hardware = phrase::hardware(self.lang, &self.report.hardware);
        self.comment(&format!("{}: {hardware}", words.gpus));
        self.line("#");
        self.comment(&format!("{}:", words.usage));
        self.comment("    HOST=127.0.0.1 REPEATS=5 sh reproduce.sh");
        self.comment(words.restarts);
        self.line("\nset -eu\n");
    }

    fn settings(&mut self, variants: &[&VariantFacts], profiles: &[&Profile]) {
        let words = self.words;
        self.comment(words.settings);
        let settings = [
            ("HOST", "127.0.0.1", words.host),
            ("PORT", "8000", words.port),
            ("REPEATS", "3", words.repeats),
            ("OUT", "./results", words.out),
            ("PATIENCE", "1800", words.patience),
        ];
        for (name, value, about) in settings {
            self.line(format!("{name}=${{{name}:-{value}}} # {about}"));
        }
        for (number, variant) in (1..).zip(variants).filter(|(_, variant)| variant.has_command()) {
            self.default(&format!("MODEL_{number}"), &variant.model, &format!("{} ({})", words.model, variant.id));
        }
        for (number, profile) in (1_usize..).zip(profiles).filter(|(_, profile)| bench::needs_dataset(profile)) {
            let name = format!("DATASET_{number}");
            match &profile.dataset_path {
                Some(path) => self.default(&name, path, &format!("{} ({})", words.dataset, profile.id)),
                None => {
                    self.comment(&format!("{} ({})", words.missing_dataset, profile.id));
                    self.line(format!("{name}=${{{name}:?{}}}", words.dataset_needed));
                }
            }
        }
        self.line("");
    }

    /// A variable with a default that may hold anything. (In `${A:-…}` quotation marks have rules of their own.)
    fn default(&mut self, name: &str, value: &str, about: &str) {
        self.comment(about);
        self.line(format!("if [ -z \"${{{name}:-}}\" ]; then {name}={}; fi", quote(value)));
    }

    /// What every run needs, whatever is measured.
    fn tools(&mut self) {
        let words = self.words;
        let _ = write!(
            self.out,
            r#"server=
log=

say() {{ printf '%s\n' "$*" >&2; }}

stop() {{
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || :
        left=60
        while [ "$left" -gt 0 ] && kill -0 "$server" 2>/dev/null; do sleep 1; left=$((left - 1)); done
        kill -9 "$server" 2>/dev/null || :
        wait "$server" 2>/dev/null || :
        server=
    fi
}}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_for ADDRESS
wait_for() {{
    left=$PATIENCE
    until curl -fsS -o /dev/null --max-time 5 "$1" 2>/dev/null; do
        if ! kill -0 "$server" 2>/dev/null; then say '{died}' "$log"; exit 1; fi
        if [ "$left" -le 0 ]; then say '{late}' "$log"; exit 1; fi
        sleep 1
        left=$((left - 1))
    done
}}

command -v curl >/dev/null || {{ say '{needs}: curl'; exit 1; }}

"#,
            died = words.died,
            late = words.late,
            needs = words.needs,
        );
    }

    fn serve(&mut self, number: usize, variant: &VariantFacts) {
        let words = self.words;
        let name = text::variant_name(self.lang, self.report, &variant.id).plain();
        self.comment(&format!("{} {number}: {name}", words.variant));
        if !variant.has_command() {
            self.comment(words.no_engine);
            self.line("");
            return;
        }
        let argv = &variant.command.argv;
        let head = &argv[..argv.len() - variant.args.len() - 1];
        if argv.iter().chain(variant.command.env.values()).any(|word| word.contains(MASK)) {
            self.comment(words.masked);
        }
        let set = variant.command.env.iter().map(|(key, value)| format!("{key}={}", quote(value)));
        let env = (!variant.command.env.is_empty()).then(|| "env".to_owned());
        let first: Vec<String> = std::iter::once("exec".to_owned())
            .chain(env)
            .chain(set)
            .chain(head.iter().map(|word| quote(word)))
            .chain([format!("\"$MODEL_{number}\"")])
            .collect();
        let mut lines = vec![first.join(" ")];
        lines.extend(variant.args.iter().map(|arg| quote(arg)));
        let own = Address::of(variant);
        if Engine::named(&variant.engine.engine).is_some() {
            lines.extend(own.host.is_none().then(|| "--host \"$HOST\"".to_owned()));
            lines.extend(own.port.is_none().then(|| "--port \"$PORT\"".to_owned()));
        } else {
            self.comment(words.own_address);
        }
        self.line(format!("serve_{number}() {{\n    {}\n}}\n", lines.join(&format!("{NEXT_LINE}    "))));
    }

    /// Writes the function that measures a profile; `false` where there is nothing to run.
    fn bench(&mut self, number: usize, profile: &Profile) -> bool {
        let words = self.words;
        self.comment(&format!("{} {number}: {}", words.profile, profile.name.get(self.lang)));
        let bench = bench::of(self.report, profile, number);
        for said in bench.said {
            self.comment(&said.text(self.lang, words));
        }
        let Some(lines) = bench.lines else {
            self.line("");
            return false;
        };
        self.line(format!("bench_{number}() {{\n    {}\n}}\n", lines.join(&format!("{NEXT_LINE}    "))));
        true
    }

    fn run(&mut self, variants: &[(usize, &VariantFacts)], profiles: &[(usize, &Profile)]) {
        let words = self.words;
        if variants.is_empty() || profiles.is_empty() {
            self.line(format!("say '{}'\nexit 1", words.nothing));
            return;
        }
        self.line("mkdir -p \"$OUT\"\nrepeat=1\nwhile [ \"$repeat\" -le \"$REPEATS\" ]; do");
        for (number, variant) in variants {
            let name = quote(&format!("{number}-{}", safe_name(variant.id.as_str())));
            let own = Address::of(variant);
            let or = |own: Option<String>, setting: &str| own.map_or_else(|| setting.to_owned(), |own| quote(&own));
            let served = flags(&variant.args).into_iter().rev().find(|flag| flag.name == "--served-model-name");
            let served = served.and_then(|flag| flag.value);
            self.line(format!("    say '{} {number},' \"$repeat/$REPEATS\"", words.waiting));
            self.line(format!("    model=$MODEL_{number}"));
            self.line(format!("    served={}", served.map_or_else(|| "$model".to_owned(), |name| quote(&name))));
            self.line(format!("    port={}", or(own.port, "$PORT")));
            self.line(format!("    log=$OUT/{name}-r$repeat.log"));
            self.line(format!("    ( serve_{number} ) >\"$log\" 2>&1 &"));
            self.line("    server=$!");
            let health = if Engine::named(&variant.engine.engine).is_some() { "health" } else { "v1/models" };
            self.line(format!("    wait_for \"http://$HOST:$port/{health}\""));
            for (at, profile) in profiles {
                let of = quote(&format!("{at}-{}", safe_name(profile.id.as_str())));
                self.line(format!("    result=$OUT/{name}-{of}-r$repeat"));
                self.line(format!("    say '{}' \"$result.txt\"", words.measuring));
                self.line(format!("    bench_{at} >\"$result.txt\""));
            }
            self.line("    stop");
        }
        self.line(format!("    repeat=$((repeat + 1))\ndone\nsay '{}' \"$OUT/*.txt\"", words.done));
    }
}

/// Where a variant's own arguments say that it listens.
struct Address {
    host: Option<String>,
    port: Option<String>,
}

impl Address {
    fn of(variant: &VariantFacts) -> Self {
        let flags = flags(&variant.args);
        let of = |name: &str| flags.iter().rev().find(|flag| flag.name == name).and_then(|flag| flag.value.clone());
        Self { host: of("--host"), port: of("--port") }
    }
}
