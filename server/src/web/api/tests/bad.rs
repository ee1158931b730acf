//! Bad input: a problem document that says where and why, and nothing stored.

use super::*;

/// Checks that an answer is a problem document with this status, and gives its text to look into.
#[track_caller]
fn problem(answer: &Answer, status: u16, why: &str) -> String {
    assert_eq!(answer.status.as_u16(), status, "{why}: {answer:?}");
    assert_eq!(answer.kind, "application/problem+json", "{why}");
    for member in ["type", "title", "detail"] {
        assert!(answer.body[member].as_str().is_some_and(|text| !text.is_empty()), "{why}: no {member} in {answer:?}");
    }
    assert_eq!(answer.body["status"], status, "{why}");
    answer.body.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_read_say_file_and_place_and_reason() {
    let desk = Desk::new().await;
    let good = block(1);
    let deep = format!("{{\"a\":{}", "[".repeat(50_000));
    let huge = "9".repeat(400);
    let cases: [(&str, Vec<u8>, &str); 9] = [
        ("binary junk", (0..=255).cycle().take(5000).collect(), "is not text"),
        ("nothing", Vec::new(), "the file is empty"),
        ("truncated JSON", br#"{"backend": "vllm", "completed": 10, "dura"#.to_vec(), "the JSON cannot be read"),
        ("50,000 levels", deep.into_bytes(), "the JSON cannot be read"),
        ("a lone surrogate", br#"{"backend": "\ud800", "completed": 10}"#.to_vec(), ""),
        ("NUL", b"a\0b\n".to_vec(), "is not text"),
        ("400 digits", good.replace("1000\n", &format!("{huge}\n")).into_bytes(), "Successful requests"),
        ("a negative duration", good.replace("(s): ", "(s): -").into_bytes(), "Benchmark duration"),
        ("no result", b"connection refused\n".to_vec(), "no benchmark result found"),
    ];
    for (why, content, reason) in cases {
        let sent = envelope(json!({})).to_string();
        let answer = desk.parts(&[("envelope", "", sent.as_bytes()), ("file", "bench.json", &content)]).await;
        let text = problem(&answer, 422, why);
        assert_eq!(answer.body["file"], "bench.json", "{why}");
        assert!(
            answer.body["line"].as_u64().is_some_and(|line| line > 0) || answer.body["path"].is_string(),
            "{why}: {text}"
        );
        assert_eq!((&answer.body["accepted"], &answer.body["rejected"]), (&json!(0), &json!(1)), "{why}");
        assert!(text.contains(reason), "{why}: {text}");
        desk.assert_nothing_stored(why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn envelopes_that_cannot_be_taken_name_the_key() {
    let desk = Desk::new().await;
    let long = format!("{}\n| <script>alert(1)</script> 🚀", "x".repeat(270));
    let v = |key: &str, value: Value| {
        let mut variant = json!({ "engine": "vLLM", "model": "m" });
        variant[key] = value;
        json!({ "variant": variant })
    };
    let cases = [
        (json!({ "verdict": "better" }), "verdict", "the server sets verdict"),
        (json!({ "id": "x" }), "id", "the server sets id"),
        (json!({ "runs": [] }), "runs", "the server sets runs"),
        (json!({ "study": { "slug": "a", "created_at": 1 } }), "study.created_at", "the server sets created_at"),
        (json!({ "profil": "x" }), "profil", "this key is not known"),
        (v("arg", json!([])), "variant.arg", "this key is not known"),
        (v("args", json!([1])), "variant.args[0]", "invalid type"),
        (v("gpus", json!(-1)), "variant.gpus", "invalid value"),
        (v("name", json!(long)), "variant.name", "characters"),
        (v("name", json!("a\nb")), "variant.name", "control character"),
        (v("args", json!(["a\u{0}"])), "variant.args[0]", "U+0000"),
        (json!({ "variant": { "id": "x" } }), "variant", "missing field `engine`"),
        (json!({ "profile": { "id": "p", "request_rate": -1 } }), "profile.request_rate", "invalid value"),
        (json!({ "started_at": "soon" }), "started_at", "is no time"),
        (json!({ "files": [] }), "files", "no file"),
        (json!({ "files": [{ "name": "a" }] }), "files[0]", "both or none"),
        (json!({ "files": [{ "name": "a", "content_base64": "?" }] }), "files[0].content_base64", ""),
        (json!({ "files": [{ "name": "a\nb", "content": "" }] }), "files[0].name", "control character"),
    ];
    for (changes, path, reason) in cases {
        let why = changes.to_string();
        let mut sent = envelope(json!({ "files": [file("a.txt", &block(1))] }));
        for (key, value) in changes.as_object().unwrap() {
            sent[key] = value.clone();
        }
        let answer = desk.json(&sent).await;
        let text = problem(&answer, 422, &why);
        assert_eq!(answer.body["path"], path, "{why}: {text}");
        assert!(text.contains(reason), "{why}: {text}");
        desk.assert_nothing_stored(&why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_cannot_be_read_say_why() {
    let desk = Desk::new().await;
    let sent = envelope(json!({ "files": [file("a.txt", &block(1))] })).to_string();
    let bare = envelope(json!({})).to_string();
    let json_type = ("content-type", "application/json");
    let parts_type = ("content-type", "multipart/form-data; boundary=cut");
    let deep = format!("{{\"study\":{}", "[".repeat(50_000));
    let cut_off = multipart(&[("envelope", "", bare.as_bytes()), ("file", "a", b"text")]);
    let endless = [b"--cut\r\nX: ".to_vec(), vec![b'x'; 4 << 20]].concat();
    type Case<'a> = (&'a str, Vec<(&'a str, &'a str)>, Vec<u8>, u16, &'a str);
    let cases: Vec<Case<'_>> = vec![
        ("no type", vec![], sent.clone().into(), 415, "is not read"),
        ("another type", vec![("content-type", "text/plain")], sent.clone().into(), 415, "text/plain"),
        ("another coding", vec![json_type, ("content-encoding", "br")], sent.clone().into(), 415, "gzip or zstd"),
        ("no gzip", vec![json_type, ("content-encoding", "gzip")], sent.clone().into(), 400, "cannot be read"),
        ("no JSON", vec![json_type], b"{".to_vec(), 400, "line 1"),
        ("junk", vec![json_type], (0..=255).collect(), 400, "line 1"),
        ("50,000 levels", vec![json_type], deep.into(), 422, "study"),
        ("a lone surrogate", vec![json_type], br#"{"study": "\ud800"}"#.to_vec(), 400, "line 1"),
        ("two documents", vec![json_type], format!("{sent}{sent}").into(), 400, "trailing"),
        ("no boundary", vec![("content-type", "multipart/form-data")], vec![], 400, "Content-Type"),
        ("no parts", vec![parts_type], vec![], 400, "cannot be read"),
        ("no file", vec![parts_type], multipart(&[("envelope", "", bare.as_bytes())]), 400, "no file"),
        ("file first", vec![parts_type], multipart(&[("file", "a", b"text")]), 400, "does not belong here"),
        ("cut off", vec![parts_type], cut_off[..cut_off.len() - 12].to_vec(), 400, "cannot be read"),
        ("endless headers", vec![parts_type], endless, 400, "no end"),
        (
            "no file name",
            vec![parts_type],
            multipart(&[("envelope", "", bare.as_bytes()), ("file", "", b"text")]),
            422,
            "has no name",
        ),
    ];
    for (why, headers, body, status, reason) in cases {
        let text = problem(&desk.send(&headers, body).await, status, why);
        assert!(text.contains(reason), "{why}: {text}");
        desk.assert_nothing_stored(why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gigabyte_of_zeros_in_a_megabyte_is_refused_before_it_is_unpacked() {
    let desk = Desk::new().await;
    // 1,000 members of a megabyte each.
    let mut member = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut member, &vec![0; 1 << 20]).unwrap();
    let bomb = member.finish().unwrap().repeat(1000);
    assert!(bomb.len() < 1_100_000, "{}", bomb.len());
    let zstd_bomb = zstd::encode_all(std::io::Read::take(std::io::repeat(0), 1 << 30), 1).unwrap();
    let bare = envelope(json!({})).to_string();
    let json_type = ("content-type", "application/json");
    let parts_type = ("content-type", "multipart/form-data; boundary=cut");
    let answers = [
        ("gzip", desk.send(&[json_type, ("content-encoding", "gzip")], bomb.clone()).await),
        ("zstd", desk.send(&[json_type, ("content-encoding", "zstd")], zstd_bomb.clone()).await),
        ("gzip in parts", desk.send(&[parts_type, ("content-encoding", "gzip")], bomb.clone()).await),
        ("a part", desk.parts(&[("envelope", "", bare.as_bytes()), ("file", "zeros.gz", &bomb)]).await),
        ("a zstd part", desk.parts(&[("envelope", "", bare.as_bytes()), ("file", "zeros.zst", &zstd_bomb)]).await),
    ];
    for (why, answer) in answers {
        // Which limit is met first depends on how many bytes came in one piece.
        let text = problem(&answer, if why == "gzip in parts" { answer.status.as_u16() } else { 413 }, why);
        let limits = ["200 times", "64 MiB", "headers of a part have no end"];
        assert!(limits.iter().any(|limit| text.contains(limit)), "{why}: {text}");
        desk.assert_nothing_stored(why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_results_in_one_file_are_stored_and_counted() {
    let desk = Desk::new().await;
    let text: String = (0..10_000).map(block).collect();
    let sent = envelope(json!({})).to_string();
    let begun = std::time::Instant::now();
    let answer = desk.parts(&[("envelope", "", sent.as_bytes()), ("file", "many.log", text.as_bytes())]).await;
    let seconds = begun.elapsed().as_secs_f64();
    println!("10,000 results in one file: {seconds:.1} s");
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!((&answer.body["accepted"], &answer.body["rejected"]), (&json!(10_000), &json!(0)));
    assert_eq!(answer.body["runs"].as_array().unwrap().len(), 10_000);
    assert_eq!(desk.store.heads().await.unwrap()[0].runs, 10_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_never_repeats_a_secret() {
    let desk = Desk::new().await;
    let secret = "hf_abcdefghijklmnopqrstuvwxyzABCDEFGH";
    let v = |key: &str, value: Value| {
        let mut variant = json!({ "engine": "vLLM", "model": "m" });
        variant[key] = value;
        json!({ "variant": variant })
    };
    let cases = [
        json!({ "study": secret }),
        json!({ "study": format!("api_key={secret}") }),
        json!({ "started_at": format!("token: {secret}") }),
        json!({ secret: 1 }),
        json!({ "profile": { "id": "p", secret: 1 } }),
        json!({ "profile": { "id": "p", "request_rate": secret } }),
        json!({ "profile": { "id": "p", "slo": { secret: 1 } } }),
        json!({ "hardware": secret }),
        v("args", json!(format!("--api-key {secret}"))),
        v("args", json!("--api-key hunter22hunter22")),
        v("gpus", json!(secret)),
        v("env", json!(format!("HF_TOKEN={secret}"))),
        v("env", json!({ format!("{secret}=x"): "1" })),
        json!({ "files": [file(&format!("{secret}\n.txt"), &block(1))] }),
        json!({ "files": [file(&format!("{secret}.txt"), "no result in it")] }),
    ];
    for changes in cases {
        let why = changes.to_string();
        let mut sent = envelope(json!({ "files": [file("a.txt", &block(1))] }));
        for (key, value) in changes.as_object().unwrap() {
            sent[key] = value.clone();
        }
        let answer = desk.json(&sent).await;
        let text = problem(&answer, 422, &why);
        assert!(!text.contains(secret) && !text.contains("hunter22"), "{why}: {text}");
        desk.assert_nothing_stored(&why).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_right_token_nothing_is_read() {
    let desk = Desk::new().await;
    let reader = token_for(&desk.store, Scope::Read).await;
    let request = |authorization: Option<String>| {
        let mut request = Request::post("/api/v1/uploads").header("content-type", "application/json");
        if let Some(authorization) = authorization {
            request = request.header("authorization", authorization);
        }
        request.body(Body::from(envelope(json!({ "files": [file("a", &block(1))] })).to_string())).unwrap()
    };
    let cases = [
        (None, 401),
        (Some("Basic abc".to_owned()), 401),
        (Some("Bearer tst_0000".to_owned()), 401),
        (Some(format!("Bearer {reader}")), 403),
    ];
    for (authorization, status) in cases {
        problem(&desk.answer(request(authorization.clone())).await, status, &format!("{authorization:?}"));
    }
    desk.store.revoke_token("upload", now_ms()).await.unwrap();
    problem(&desk.answer(request(Some(format!("Bearer {}", desk.token)))).await, 401, "revoked");
    desk.assert_nothing_stored("no token").await;
    let get = Request::get("/api/v1/uploads").body(Body::empty()).unwrap();
    problem(&desk.answer(get).await, 405, "GET");
    let nowhere = Request::get("/api/v1/nowhere").body(Body::empty()).unwrap();
    problem(&desk.answer(nowhere).await, 404, "nowhere");
}
