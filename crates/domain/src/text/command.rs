//! Words around a command: what its arguments do, and what has to be known about its container forms.

use std::collections::BTreeMap;

use super::{Lang, phrase};
use crate::command::catalogue::{self, Entry, Found};
use crate::command::{Engine, Forms, Tag, flags};
use crate::report::Report;

/// Labels around a command.
#[expect(missing_docs, reason = "each field is the word it is named after")]
#[derive(Debug)]
pub struct CommandLabels {
    pub arguments: &'static str,
    pub all_arguments: &'static str,
    pub argument: &'static str,
    pub explanation: &'static str,
    pub unknown_flag: &'static str,
    pub unknown_variable: &'static str,
    pub containers: &'static str,
    pub docker: &'static str,
    pub compose: &'static str,
    pub kubernetes: &'static str,
    pub save_as: &'static str,
}

/// The labels of `lang`.
#[must_use]
pub const fn command_labels(lang: Lang) -> &'static CommandLabels {
    match lang {
        Lang::Ja => &JA,
        Lang::En => &EN,
    }
}

static EN: CommandLabels = CommandLabels {
    arguments: "What each argument does",
    all_arguments: "Arguments and environment variables used",
    argument: "Argument",
    explanation: "What it does",
    unknown_flag: "Unknown: not in the list of flags of this engine.",
    unknown_variable: "Unknown: not in the list of environment variables.",
    containers: "The recommended command in a container",
    docker: "docker run",
    compose: "Docker Compose",
    kubernetes: "Kubernetes",
    save_as: "Save as",
};

static JA: CommandLabels = CommandLabels {
    arguments: "引数の説明",
    all_arguments: "使用した引数と環境変数",
    argument: "引数",
    explanation: "説明",
    unknown_flag: "未知の引数（このエンジンの引数一覧にありません）",
    unknown_variable: "未知の環境変数（一覧にありません）",
    containers: "推奨設定をコンテナで起動する場合",
    docker: "docker run",
    compose: "Docker Compose",
    kubernetes: "Kubernetes",
    save_as: "保存するファイル名：",
};

/// An argument or variable with what it does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The flag as it was spelled, with dashes for underscores, or the variable.
    pub name: String,
    /// What it does, or that nobody knows.
    pub text: String,
    /// Whether the catalogue has it.
    pub known: bool,
}

/// What the variables and flags of a command do, each once, in their order.
#[must_use]
pub fn explain(lang: Lang, engine: &str, args: &[String], env: &BTreeMap<String, String>) -> Vec<Explained> {
    let labels = command_labels(lang);
    let variables = env.keys().map(|name| match catalogue::variable(name) {
        Some(entry) => Explained { name: name.clone(), text: entry_text(lang, entry), known: true },
        None => Explained { name: name.clone(), text: labels.unknown_variable.to_owned(), known: false },
    });
    let known = Engine::named(engine);
    let found = |name: &str| known.and_then(|engine| catalogue::flag(engine, name));
    let flags = flags(args).into_iter().filter(|flag| flag.name.starts_with('-')).map(|flag| match found(&flag.name) {
        Some(found) => Explained { text: flag_text(lang, found), name: flag.name, known: true },
        None => Explained { name: flag.name, text: labels.unknown_flag.to_owned(), known: false },
    });
    let mut all: Vec<Explained> = Vec::new();
    for explained in variables.chain(flags) {
        if !all.contains(&explained) {
            all.push(explained);
        }
    }
    all
}

/// What all variants of a report were started with: engine, then its variables and flags, each once.
#[must_use]
pub fn explain_all(lang: Lang, report: &Report) -> Vec<(String, Vec<Explained>)> {
    let mut engines: Vec<(String, Vec<Explained>)> = Vec::new();
    for variant in &report.variants {
        let engine = &variant.engine.engine;
        let explained = explain(lang, engine, &variant.args, &variant.command.env);
        let at = engines.iter().position(|(known, _)| known.eq_ignore_ascii_case(engine));
        let at = at.unwrap_or_else(|| {
            engines.push((engine.clone(), Vec::new()));
            engines.len() - 1
        });
        let all = &mut engines[at].1;
        all.extend(explained.into_iter().filter(|new| !all.contains(new)).collect::<Vec<_>>());
    }
    engines.retain(|(_, explained)| !explained.is_empty());
    engines.into_iter().map(|(engine, explained)| (phrase::engine(lang, &engine).to_owned(), explained)).collect()
}

fn flag_text(lang: Lang, found: Found) -> String {
    let mut text = entry_text(lang, found.entry);
    let name = found.entry.name;
    match lang {
        Lang::En => {
            if found.off {
                text.push_str(" Turned off here.");
            }
            if found.old_spelling {
                text.push_str(&format!(" Newer versions call it {name}."));
            }
        }
        Lang::Ja => {
            if found.off {
                text.push_str("（ここでは無効化）");
            }
            if found.old_spelling {
                text.push_str(&format!("（新しい版での名称は{name}）"));
            }
        }
    }
    text
}

/// A line that does not say itself that the entry is gone is told so.
fn entry_text(lang: Lang, entry: &Entry) -> String {
    let text = entry.text(lang);
    let (said, note) = match lang {
        Lang::En => (["newer versions", "removed", "only one", "always on"], " Not in newer versions."),
        Lang::Ja => (["新しい版", "廃止", "現在は", "現在は"], "（新しい版にはありません）"),
    };
    let silent = entry.retired && !said.iter().any(|word| text.contains(word));
    format!("{text}{}", if silent { note } else { "" })
}

/// What has to be known before a container form is used, in sentences.
#[must_use]
pub fn container_notes(lang: Lang, forms: &Forms) -> Vec<&'static str> {
    let mut notes = Vec::new();
    let (origin, weights, host) = match lang {
        Lang::En => (
            "Written from the same arguments and environment; image, volumes and ports are this report's choice.",
            "Weights go to the machine's Hugging Face cache; in Kubernetes they go with the pod. Gated models need HF_TOKEN.",
            "--host=0.0.0.0 was added: without it the server cannot be reached from outside the container.",
        ),
        Lang::Ja => (
            "同じ引数と環境変数から作成しています。イメージ、ボリューム、ポートは本レポートが補ったものです。",
            "モデルの重みはマシンのHugging Faceキャッシュに保存されます（KubernetesではPodの削除時に消えます）。公開制限のあるモデルにはHF_TOKENが必要です。",
            "コンテナの外から接続できるように、--host=0.0.0.0を加えています。",
        ),
    };
    notes.push(origin);
    match (forms.image_tag, lang) {
        (Tag::Measured, _) => {}
        (Tag::Latest, Lang::En) => {
            notes.push("No published image is known for the version that was measured, so this names the newest one.");
        }
        (Tag::Latest, Lang::Ja) => {
            notes.push("計測した版の公開イメージがわからないため、最新のイメージを指定しています。");
        }
        (Tag::Placeholder, Lang::En) => {
            notes.push("No published image is known for the version that was measured: put it in place of VERSION.");
        }
        (Tag::Placeholder, Lang::Ja) => {
            notes.push("計測した版の公開イメージがわかりません。VERSIONを使用する版に置き換えてください。");
        }
    }
    if forms.host_added {
        notes.push(host);
    }
    notes.push(weights);
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lang: Lang, engine: &str, args: &str) -> Vec<(String, String, bool)> {
        let args: Vec<String> = args.split(' ').map(str::to_owned).collect();
        explain(lang, engine, &args, &BTreeMap::new()).into_iter().map(|e| (e.name, e.text, e.known)).collect()
    }

    #[test]
    fn an_argument_is_explained_in_both_languages_once() {
        let [one] = &of(Lang::En, "vLLM", "-tp 2 -tp=4")[..] else { panic!("one flag, once") };
        assert_eq!(one.0, "-tp");
        assert!(one.1.starts_with("GPUs over which every layer is split."), "{}", one.1);
        assert!(of(Lang::Ja, "vLLM", "-tp 2")[0].1.contains("分割"));
    }

    #[test]
    fn off_old_gone_and_unknown_are_said() {
        let text = |lang, args| of(lang, "vLLM", args)[0].1.clone();
        assert!(text(Lang::En, "--no-enable-prefix-caching").ends_with(" Turned off here."));
        assert!(text(Lang::Ja, "--no-enable-prefix-caching").ends_with("（ここでは無効化）"));
        let old = text(Lang::En, "--disable-log-requests");
        assert_eq!(old, "Logs every request. Turned off here. Newer versions call it --enable-log-requests.");
        assert!(text(Lang::En, "--max-num-partial-prefills 2").ends_with(" Not in newer versions."));
        assert!(!of(Lang::En, "vLLM", "--no-such-flag")[0].2);
        assert!(!of(Lang::En, "my-engine", "--max-num-seqs 4")[0].2, "whose flags are not known");
    }

    #[test]
    fn the_catalogue_says_the_same_in_both_languages_about_what_is_gone() {
        for engine in Engine::ALL {
            for entry in catalogue::all(engine).iter().filter(|entry| entry.retired) {
                for (lang, word) in [(Lang::En, "newer versions"), (Lang::Ja, "新しい版")] {
                    let text = entry_text(lang, entry).to_lowercase();
                    let said = text.contains(word) || text.contains("removed") || text.contains("always on");
                    let said = said || text.contains("廃止") || text.contains("現在は");
                    assert!(said, "{}: {text}", entry.name);
                }
            }
        }
    }
}
