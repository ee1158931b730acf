use super::{matrix, plan, searching};
use touchstone_domain::command::bench::BenchTool;
use touchstone_domain::plan::{CachePolicy, Place, next, parse};
use touchstone_domain::study::parse_manifest;

/// The line on which `text` stands last.
fn line_of(plan: &str, text: &str) -> usize {
    1 + plan.lines().enumerate().filter(|(_, line)| line.contains(text)).last().expect("the text is there").0
}

#[test]
fn every_mistake_of_a_plan_is_named_with_its_line() {
    // What a plan of given variants has in addition, what marks the line, and what the message must say.
    let given = [
        ("[plan]\nrepeat = 3", "repeat = 3", "unknown field `repeat`"),
        (
            "[plan]\nrepeats = { min = 4, max = 3 }",
            "repeats",
            "repeats need 1 ≤ min ≤ max ≤ 50, found min = 4, max = 3",
        ),
        ("[plan]\nrepeats = { min = 0 }", "repeats", "found min = 0"),
        ("[plan]\nrepeats = { width_pct = 0.0 }", "repeats", "repeats.width_pct must be a number above 0"),
        ("[plan]\nrepeats = { n = 1 }", "repeats", "unknown field `n`"),
        ("[plan]\ntool = \"wrk\"", "tool", "unknown variant `wrk`"),
        ("[plan]\ntool_args = [\"{sead}\"]", "tool_args", "{sead} is no placeholder; known are {host}"),
        ("[plan]\nresult = \"../x\"", "result", "must be the name of a file in {out}"),
        ("[plan]\nattempts = 0", "attempts", "attempts must be 1 to 20, found 0"),
        ("[plan]\nstart_timeout_minutes = -1", "start_timeout", "must be minutes above 0"),
        ("[plan]\nbudget = { jobs = 0 }", "budget", "budget.jobs must be at least 1"),
        ("[plan.minutes]\nchap = 1", "chap", "profile \"chap\" is not described in this file; described are: chat"),
        ("[plan.minutes]\nchat = 0", "chat = 0", "plan.minutes must be minutes above 0, found 0"),
        ("[[profiles]]\nid = \"x\"\ncommand = \"wrk {url}\"", "command", "{url} is no placeholder"),
        ("[[profiles]]\nid = \"x\"\ncommand = \"wrk {seed}\"", "command", "{seed}: profile \"x\" does not say"),
        ("[[profiles]]\nid = \"x\"\ncommand = \"wrk 'a\"", "command", "quotation marks that do not end"),
        ("[[profiles]]\nid = \"x\"\ndataset = \"sharegpt\"\nrequests = 1", "id = \"x\"", "needs dataset_path"),
        ("[[profiles]]\nid = \"x\"", "id = \"x\"", "profile \"x\" needs requests"),
        ("[[variants]]\nid = \"x\"\nengine = \"vLLM\"\nargs = [\"--port=1\"]", "id = \"x\"", "the agent chooses it"),
        ("[[variants]]\nid = \"x\"\nengine = \"mine\"", "id = \"x\"", "its args must say where {port} goes"),
        ("[[runs]]\nvariant = \"base\"\nprofile = \"chat\"\nfile = \"a\"", "file = \"a\"", "a plan has no [[runs]]"),
        ("[search]\nknobs = []", "[search]", "a search needs at least one"),
        ("[[search.knobs]]\nid = \"k\"\nvalues = []", "[[search.knobs]]", "a search starts from one variant"),
    ];
    // The same for a search.
    let searched = [
        ("values = []", "id = \"k\"", "knob \"k\" has no values"),
        ("values = [1]", "values", "knob \"k\" needs flag"),
        ("flag = \"x\"\nvalues = [1]", "flag", "must be a flag alone"),
        ("flag = \"--x\"\nvalues = [1, 1]", "values", "\"k-1\" is a variant or another value already"),
        ("flag = \"--x\"\nvalues = [false]", "values", "leave `false` out"),
        ("flag = \"--port\"\nvalues = [1]", "values", "the agent chooses it"),
        ("values = [{ id = \"base\", args = [\"--x\"] }]", "values", "\"base\" is a variant or another value already"),
        ("values = [{ id = \"a+b\", args = [\"--x\"] }]", "values", "must not be empty or hold +"),
        ("values = [{ id = \"a\" }]", "values", "value \"a\" changes nothing"),
        ("values = [{ id = \"a\", arg = [] }]", "values", "unknown field `arg`"),
        ("values = [{ id = \"a\", args = [\"x\"] }]", "values", "must start with a flag, found \"x\""),
        ("values = [{ id = \"a\", engine_version = \"1\" }]", "values", "an engine_version without an engine"),
        (
            "values = [{ id = \"a\", engine = \"SGLang\" }, { id = \"b\", args = [\"--x\"] }]",
            "values",
            "changes the engine in some of its values only",
        ),
        ("values = [{ id = \"a\", gpus = 0 }]", "values", "gpus must be at least 1"),
    ];
    let given = given.map(|(more, at, said)| (matrix(more), at, said));
    let searched =
        searched.map(|(more, at, said)| (searching(&format!("[[search.knobs]]\nid = \"k\"\n{more}")), at, said));
    for (text, at, said) in given.into_iter().chain(searched) {
        let error = parse(&text).map(|_| ()).expect_err(said);
        assert!(error.message.contains(said), "{said}: {error}");
        assert_eq!(error.line, line_of(&text, at), "{said}: {error}\n{text}");
    }
    for (from, to, said) in [
        (", count = 1", "", "a plan needs hardware.count"),
        ("baseline = \"base\"", "baseline = \"x\"\npartial = true", "a plan describes its baseline"),
        ("schema = 1", "schema = 2", "schema 2 is not known"),
    ] {
        let error = parse(&matrix("").replacen(from, to, 1)).expect_err(said);
        assert!(error.message.contains(said) && error.line == 1, "{said}: {error}");
    }
}

#[test]
fn a_plan_is_no_study_and_says_so() {
    let text = matrix("[plan]\nrepeats = { min = 1 }\n");
    let error = parse_manifest(&text).expect_err("a study has no [plan]");
    assert_eq!(error.line, line_of(&text, "[plan]"));
    assert!(error.message.contains("this is a plan, not a study"), "{error}");
    parse_manifest(&matrix("")).expect("a plan without [plan] is a study without runs");
}

#[test]
fn what_a_plan_leaves_out_has_a_default() {
    let plan = plan(&matrix(""));
    assert_eq!((plan.repeats.min, plan.repeats.max, plan.repeats.width_pct), (2, 5, 5.0));
    assert_eq!((plan.method.tool, plan.method.cache), (BenchTool::VllmBenchServe, CachePolicy::Reset));
    assert_eq!((plan.method.start_timeout_s, plan.method.run_timeout_s, plan.method.attempts), (1800, 3600, 3));
    assert_eq!((plan.budget.jobs, plan.budget.minutes, plan.search.is_some()), (None, None, false));
    assert_eq!(plan.study.steps.len(), 1, "every variant is in a step of the log");
}

#[test]
fn a_job_says_what_to_start_and_what_to_run() {
    let own = "[[profiles]]\nid = \"own\"\nrequests = 5\ncommand = \"\"\"wrk --url {base_url} -n {requests} --body '{\"a\": {\"b\": 1}}' \
               -o {out}/r.json\"\"\"\n";
    let plan = plan(&matrix(&format!("{own}[plan]\nresult = \"r.json\"\ntool_args = [\"--ignore-eos\"]\n")));
    let jobs = next(&plan, &[], &[]).jobs;
    let place = Place { host: "127.0.0.1".into(), port: 8123, out: "/tmp/a b".into() };
    assert_eq!(
        jobs[0].serve(&place).join(" "),
        "vllm serve Qwen/Qwen3-8B --max-model-len 32768 --host 127.0.0.1 --port 8123"
    );
    let bench = jobs[0].bench(&place).join(" ");
    assert!(bench.starts_with("vllm bench serve --backend openai-chat"), "{bench}");
    for part in [
        "--base-url http://127.0.0.1:8123 --model Qwen/Qwen3-8B --served-model-name Qwen/Qwen3-8B",
        "--random-input-len 1024 --random-output-len 128 --num-prompts 500 --seed 42 --request-rate inf",
        "--save-result --result-dir /tmp/a b --result-filename result.json --ignore-eos",
    ] {
        assert!(bench.contains(part), "{part} is not in {bench}");
    }
    assert_eq!(jobs[0].result(), Some("result.json"));
    let own = jobs.iter().find(|job| job.profile.id.as_str() == "own").expect("every profile has jobs");
    let words =
        ["wrk", "--url", "http://127.0.0.1:8123", "-n", "5", "--body", "{\"a\": {\"b\": 1}}", "-o", "/tmp/a b/r.json"];
    assert_eq!((own.bench(&place), own.result()), (words.map(str::to_owned).to_vec(), Some("r.json")));
    assert_eq!((own.needs.gpus, own.needs.gpu.as_deref()), (1, Some("NVIDIA H200")));
}
