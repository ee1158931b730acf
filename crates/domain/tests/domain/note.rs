//! Notes: what they may be on, how they are kept, where a report shows them, and what they never touch.

use std::fs;

use crate::studies;
use touchstone_domain::note::{Target, normalised};
use touchstone_domain::report::{build, markdown::markdown};
use touchstone_domain::study::{MANIFEST, StudyData, StudyFolder, load};
use touchstone_domain::text::{self, Lang};

fn folder(edit: impl Fn(String) -> String) -> StudyFolder {
    let dir = studies::folder(studies::QWEN3);
    let manifest = edit(fs::read_to_string(dir.join(MANIFEST)).expect("the reference study has its description"));
    load(&manifest, |file| fs::read(dir.join(file)).map_err(|error| error.to_string())).expect("the edit is sound")
}

/// The reference study with a note on a step, a variant and a run, as its folder has them.
fn noted() -> StudyData {
    let step = "variants = [\"fp8\"]";
    let run = "file = \"runs/02-sglang-sharegpt.txt\"";
    let variant = "id = \"fp8\"";
    let edited = folder(|manifest| {
        assert!([step, run].iter().all(|text| manifest.contains(text)));
        assert_eq!(manifest.matches(variant).count(), 1, "it names the variant and nothing else");
        manifest
            .replacen(step, &format!("{step}\nnotes = {{ ja = \"量子化のメモ\" }}"), 1)
            .replacen(run, &format!("{run}\nnotes = \"**on a run**\""), 1)
            .replacen(
                variant,
                &format!("{variant}\nnotes = {{ en = \"\"\"# On FP8\n<script>x</script>\n```\nopen\"\"\" }}"),
                1,
            )
    });
    edited.data
}

#[test]
fn a_target_is_read_as_it_is_written() {
    for text in ["study", "step:a", "variant:a:b", "run:0a1b", "step:検証 1"] {
        assert_eq!(Target::parse(text).expect(text).to_string(), text);
    }
    for text in ["", "step", "step:", "profile:a", "study:a", "Run:a"] {
        assert_eq!(Target::parse(text), None, "{text}");
    }
}

#[test]
fn a_note_is_kept_without_what_browsers_and_editors_add() {
    for (entered, kept) in [
        ("a\r\nb\rc\n", "a\nb\nc"),
        ("\n  \n    code\n\n\n", "    code"),
        (" \r\n\t", ""),
        ("a\0b", "a\u{fffd}b"),
        ("　全角", "　全角"),
        ("", ""),
    ] {
        assert_eq!(normalised(entered), kept, "{entered:?}");
        assert_eq!(normalised(kept), kept, "it stays as it is");
    }
}

#[test]
fn notes_of_a_folder_are_read_and_no_figure_or_id_changes() {
    let (plain, mut noted) = (folder(|manifest| manifest).data, noted());
    let on = |target: &str| noted.notes(&Target::parse(target).expect("it is a target")).cloned().expect("it is there");
    let run = noted.runs.iter().find(|run| run.file.ends_with("02-sglang-sharegpt.txt")).expect("it was measured");
    assert_eq!(run.notes.own(Lang::Ja), Some("**on a run**"), "a text without a language is for both");
    assert_eq!(
        (on("step:quantization").own(Lang::Ja), on("step:quantization").own(Lang::En)),
        (Some("量子化のメモ"), None)
    );
    assert!(on("variant:fp8").own(Lang::En).is_some_and(|text| text.starts_with("# On FP8")));
    assert_eq!(noted.notes(&Target::Step("no-such".into())), None);
    let prints = |data: &StudyData| data.study.variants.iter().map(|one| one.fingerprint()).collect::<Vec<_>>();
    assert_eq!(prints(&plain), prints(&noted));
    for target in noted.targets() {
        for lang in Lang::ALL {
            noted.put_note(&target, lang, "");
        }
    }
    assert_eq!(plain, noted, "without its notes it is the same study, runs and ids included");
    let json = serde_json::to_string(&noted).expect("it can be written");
    assert_eq!(json, serde_json::to_string(&plain).expect("it can be written"));
}

#[test]
fn every_form_of_a_report_shows_a_note_beside_what_it_is_on() {
    let report = build(&noted());
    let json = serde_json::to_value(&report).expect("a report can be written");
    let find = |list: &str, key: &str, id: &str| {
        json[list].as_array().and_then(|all| all.iter().find(|one| one[key] == id)).expect("it is there").clone()
    };
    assert_eq!(find("steps", "id", "quantization")["notes"]["ja"], "量子化のメモ");
    assert_eq!(find("variants", "id", "fp8")["notes"]["en"], "# On FP8\n<script>x</script>\n```\nopen");
    assert!(json["runs"][1]["notes"]["en"] == "**on a run**" && json["runs"][0].get("notes").is_none());
    for lang in Lang::ALL {
        let text = markdown(&report, lang);
        for (note, times) in [
            ("> 量子化のメモ", 1),
            ("> # On FP8\n> &lt;script>x&lt;/script>\n> ```\n> open\n\n", 1),
            ("> **on a run**", 1),
        ] {
            assert_eq!(text.matches(note).count(), times, "{note} in {lang}");
        }
        let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {lang}"));
        assert!(at("# On FP8") > at("> 量子化のメモ"), "the variant stands in the step");
    }
}

#[test]
fn what_no_step_and_no_case_shows_stands_with_the_notes_of_the_study() {
    let mut data = noted();
    data.study.steps.clear();
    data.put_note(&Target::Variant("fp8".into()), Lang::Ja, "FP8について");
    let report = build(&data);
    let apart: Vec<String> = report.notes_apart().into_iter().map(|(target, _)| target.to_string()).collect();
    assert_eq!(apart, ["variant:fp8"], "without steps, every run is a case");
    let text = markdown(&report, Lang::Ja);
    let section = text.split("\n## ").find(|section| section.starts_with("メモ")).expect("there is a section");
    assert!(section.contains("> FP8について"), "{section}");
    data.put_note(&Target::Step("quantization".into()), Lang::En, "nothing is there");
    assert_eq!(build(&data).notes_apart().len(), 1);
}

#[test]
fn names_of_targets_stay_text() {
    let mut data = noted();
    data.study.steps[0].name = touchstone_domain::study::Localized::same("a|b<script>");
    let report = build(&data);
    let id = data.study.steps[0].id.clone();
    let name = text::notes::target_in(Lang::En, &report, &Target::Step(id));
    assert_eq!((name.plain().as_str(), name.markdown().as_str()), ("a|b<script>", "a\\|b\\<script\\>"));
    let gone = text::notes::target_in(Lang::En, &report, &Target::Run("gone".into()));
    assert_eq!(gone.plain(), "gone");
}
