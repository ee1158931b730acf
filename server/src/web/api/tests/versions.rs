//! Versions as programs publish and read them.

use super::*;

impl Desk {
    async fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> Answer {
        let request =
            Request::builder().method(method).uri(path).header(header::AUTHORIZATION, format!("Bearer {token}"));
        self.answer(request.body(body.to_owned().into()).unwrap()).await
    }
}

#[tokio::test]
async fn a_version_is_published_listed_and_read_as_the_openapi_document_says() {
    const ALL: &str = "/api/v1/studies/llama/versions";
    let desk = Desk::new().await;
    let stored = desk.json(&envelope(json!({ "files": [file("a.txt", &block(1))] }))).await;
    assert_eq!(stored.status, StatusCode::OK, "{stored:?}");
    let reads = token_for(&desk.store, Scope::Read).await;
    let live = desk.ask("GET", "/api/v1/studies/llama/report", &reads, "").await.body;

    let new = desk.ask("POST", ALL, &desk.token, "{\"remark\":\" first \\n line\"}").await;
    assert_eq!(new.status, StatusCode::CREATED, "{new:?}");
    assert_eq!(
        (&new.body["number"], &new.body["remark"], &new.body["author"]),
        (&json!(1), &json!("first line"), &json!("upload"))
    );
    let same = desk.ask("POST", ALL, &desk.token, "").await;
    assert_eq!((same.status, &same.body), (StatusCode::OK, &new.body));
    let more = desk.json(&envelope(json!({ "files": [file("b.txt", &block(2))] }))).await;
    assert_eq!(more.status, StatusCode::OK, "{more:?}");
    let second = desk.ask("POST", ALL, &desk.token, "{}").await;
    assert_eq!((second.status, &second.body["number"]), (StatusCode::CREATED, &json!(2)));
    let list = desk.ask("GET", ALL, &reads, "").await;
    assert_eq!(list.body, json!({ "versions": [second.body, new.body] }));
    let frozen = desk.ask("GET", &format!("{ALL}/1"), &reads, "").await;
    assert_eq!(frozen.body, live, "the report as it was");

    // Every file is at its address, with its digest.
    for file in new.body["files"].as_array().unwrap() {
        let request = Request::get(file["href"].as_str().unwrap()).body(Body::empty()).unwrap();
        let answer = desk.router.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{file}");
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(domain::digest::Digest::of(&bytes).as_str(), file["sha256"], "{file}");
        assert_eq!(bytes.len() as u64, file["size"], "{file}");
    }

    let document = desk.answer(Request::get("/api/v1/openapi.json").body(Body::empty()).unwrap()).await.body;
    let valid = |path: &str, method: &str, status: &str, kind: &str, body: &Value| {
        let schema = &document["paths"][path][method]["responses"][status]["content"][kind]["schema"];
        assert!(schema["$ref"].is_string(), "{path} {method} {status}: {schema}");
        let schema = json!({ "$ref": schema["$ref"], "components": document["components"] });
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(body), "{path} {method} {status}: {body}");
    };
    const PATH: &str = "/api/v1/studies/{slug}/versions";
    valid(PATH, "post", "201", "application/json", &new.body);
    valid(PATH, "post", "200", "application/json", &same.body);
    valid(PATH, "get", "200", "application/json", &list.body);

    let long = json!({ "remark": "x".repeat(501) }).to_string();
    let (none, number) = (format!("{ALL}/3"), format!("{ALL}/x"));
    let far = "x".repeat(100_000);
    for (method, path, token, body, status) in [
        ("POST", ALL, reads.as_str(), "", StatusCode::FORBIDDEN),
        ("POST", ALL, "tst_none", "", StatusCode::UNAUTHORIZED),
        ("GET", ALL, "tst_none", "", StatusCode::UNAUTHORIZED),
        ("POST", ALL, &desk.token, "{", StatusCode::BAD_REQUEST),
        ("POST", ALL, &desk.token, "{\"remrk\":\"\"}", StatusCode::BAD_REQUEST),
        ("POST", ALL, &desk.token, &long, StatusCode::PAYLOAD_TOO_LARGE),
        ("POST", ALL, &desk.token, &far, StatusCode::PAYLOAD_TOO_LARGE),
        ("POST", "/api/v1/studies/none/versions", &desk.token, "", StatusCode::NOT_FOUND),
        ("GET", "/api/v1/studies/none/versions", &reads, "", StatusCode::NOT_FOUND),
        ("GET", &none, &reads, "", StatusCode::NOT_FOUND),
        ("GET", &number, &reads, "", StatusCode::NOT_FOUND),
        ("DELETE", ALL, &desk.token, "", StatusCode::METHOD_NOT_ALLOWED),
    ] {
        let answer = desk.ask(method, path, token, body).await;
        assert_eq!(
            (answer.status, answer.kind.as_str()),
            (status, "application/problem+json"),
            "{method} {path} {answer:?}"
        );
        valid(PATH, "get", "4XX", "application/problem+json", &answer.body);
    }
    assert_eq!(desk.ask("GET", ALL, &reads, "").await, list);
}
