//! The YAML forms, read by a YAML parser and then as Compose and Kubernetes read strings.

use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value, json};
use touchstone_domain::command::Command;
use touchstone_domain::study::Variant;

use super::{bare, variants, words};

/// All documents of a text; plain scalars by YAML's core schema.
fn load(text: &str) -> Vec<Value> {
    let mut documents = Vec::new();
    // Collections that are being filled, each with the key that waits for its value.
    let mut open: Vec<(Value, Option<String>)> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, _) = event.unwrap_or_else(|error| panic!("{error}\n{text}"));
        let done = match event {
            Event::SequenceStart(..) => {
                open.push((json!([]), None));
                continue;
            }
            Event::MappingStart(..) => {
                open.push((json!({}), None));
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().expect("it was opened").0,
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(&text),
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::Alias(_) => panic!("nothing here refers to anything"),
            _ => continue,
        };
        match open.last_mut() {
            None => documents.push(done),
            Some((Value::Array(items), _)) => items.push(done),
            Some((Value::Object(entries), key)) => match key.take() {
                None => *key = Some(done.as_str().expect("a key is a string").to_owned()),
                Some(name) => assert_eq!(entries.insert(name, done), None, "a key stands once"),
            },
            Some(_) => unreachable!("only collections are open"),
        }
    }
    documents
}

fn plain(text: &str) -> Value {
    // What YAML 1.1, which Compose's and Kubernetes' parsers half follow, takes for a truth value.
    let lower = text.to_ascii_lowercase();
    assert!(!["y", "n", "yes", "no", "on", "off"].contains(&lower.as_str()), "{text} is a truth value to some");
    match lower.as_str() {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => text.parse::<u64>().map_or_else(|_| number_or_text(text), Value::from),
    }
}

fn number_or_text(text: &str) -> Value {
    assert!(text.parse::<f64>().is_err() || text.chars().all(char::is_alphabetic), "{text} is a number to some");
    Value::String(text.to_owned())
}

fn strings(value: &Value) -> Vec<String> {
    let text = |item: &Value| item.as_str().unwrap_or_else(|| panic!("{item} is no string")).to_owned();
    value.as_array().map(|items| items.iter().map(text).collect()).unwrap_or_default()
}

/// Compose: `$$` is a dollar, any other dollar starts a variable.
fn compose(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '$' {
            assert_eq!(chars.next(), Some('$'), "a variable in {text}");
        }
    }
    out
}

/// Kubernetes, as `third_party/forked/golang/expansion`: `$$` is a dollar, `$(NAME)` a variable, any other dollar stays.
fn kubernetes(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        out.push(c);
        if c == '$' {
            match chars.peek() {
                Some('$') => {
                    chars.next();
                }
                Some('(') => panic!("a variable in {text}"),
                _ => {}
            }
        }
    }
    out
}

/// The command of a form: without the address that was added.
fn command(words: Vec<String>, host_added: bool) -> Vec<String> {
    let mut words = words;
    if host_added {
        assert_eq!(words.pop().as_deref(), Some("--host=0.0.0.0"));
    }
    words
}

#[test]
fn compose_reads_every_file_back_as_its_argument_list_and_environment() {
    for variant in variants() {
        let forms = Command::with_forms(&variant, Some(1)).forms.expect("the engine is known");
        let [file] = &load(&forms.compose)[..] else { panic!("one document") };
        let services = file["services"].as_object().expect("services");
        let [service] = services.values().collect::<Vec<_>>()[..] else { panic!("one service") };
        let all = strings(&service["entrypoint"]).into_iter().chain(strings(&service["command"]));
        let argv = command(all.map(|word| compose(&word)).collect(), forms.host_added);
        assert_eq!(argv, Command::serve(&variant).argv, "{}", forms.compose);
        let none = Map::new();
        let env = service["environment"].as_object().unwrap_or(&none).iter();
        let env: Vec<_> = env.map(|(name, value)| (name.clone(), compose(value.as_str().expect("a string")))).collect();
        assert_eq!(env, variant.env.clone().into_iter().collect::<Vec<_>>(), "{}", forms.compose);
        assert_eq!(service["image"], json!(forms.image));
        if variant.model.starts_with('/') {
            let weights = &service["volumes"][1];
            assert_eq!(compose(weights["source"].as_str().expect("a path")), variant.model);
            assert_eq!(weights["source"], weights["target"]);
        }
    }
}

#[test]
fn kubernetes_reads_every_manifest_back_as_its_argument_list_and_environment() {
    for variant in variants() {
        let forms = Command::with_forms(&variant, Some(4)).forms.expect("the engine is known");
        let [deployment, service] = &load(&forms.kubernetes)[..] else { panic!("two documents") };
        let pod = &deployment["spec"]["template"]["spec"];
        let container = &pod["containers"][0];
        let all = strings(&container["command"]).into_iter().chain(strings(&container["args"]));
        let argv = command(all.map(|word| kubernetes(&word)).collect(), forms.host_added);
        assert_eq!(argv, Command::serve(&variant).argv, "{}", forms.kubernetes);
        let env = container["env"].as_array().cloned().unwrap_or_default();
        let text = |value: &Value| value.as_str().expect("a string").to_owned();
        let env: Vec<_> = env.iter().map(|entry| (text(&entry["name"]), kubernetes(&text(&entry["value"])))).collect();
        assert_eq!(env, variant.env.clone().into_iter().collect::<Vec<_>>(), "{}", forms.kubernetes);
        assert_eq!(container["resources"]["limits"]["nvidia.com/gpu"], json!(4));
        assert_eq!(deployment["spec"]["selector"]["matchLabels"], deployment["spec"]["template"]["metadata"]["labels"]);
        assert_eq!(service["spec"]["selector"], deployment["spec"]["selector"]["matchLabels"]);
        let volumes =
            |list: &Value| list.as_array().expect("a list").iter().map(|v| text(&v["name"])).collect::<Vec<_>>();
        assert_eq!(volumes(&container["volumeMounts"]), volumes(&pod["volumes"]));
    }
}

fn sglang() -> Variant {
    let mut variant = bare("SGLang");
    variant.engine_version = Some("0.5.9".to_owned());
    variant.args = words("--context-length=32768 --json-model-override-args {\"a\":1}");
    variant.env.insert("NCCL_DEBUG".to_owned(), "$LEVEL".to_owned());
    variant
}

#[test]
fn a_compose_file_is_written_as_people_write_it() {
    let forms = Command::with_forms(&sglang(), Some(1)).forms.expect("SGLang is known");
    insta::assert_snapshot!(forms.compose);
}

#[test]
fn a_manifest_is_written_as_people_write_it() {
    let variant = Variant { engine: "vLLM".to_owned(), model: "/models/x".to_owned(), ..sglang() };
    let forms = Command::with_forms(&variant, Some(1)).forms.expect("vLLM is known");
    insta::assert_snapshot!(forms.kubernetes);
}
