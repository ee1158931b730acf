//! What Markdown becomes, and what it must never become.

use proptest::prelude::*;

use super::*;

const OUT: &str = "rel=\"nofollow noopener noreferrer\"";

#[test]
fn notes_read_as_written() {
    let cases = [
        ("", ""),
        ("plain", "<p>plain</p>\n"),
        ("# a\n## b\n### c\n###### d", "<h4>a</h4>\n<h5>b</h5>\n<h6>c</h6>\n<h6>d</h6>\n"),
        ("**b** *i* ~~s~~ `c`", "<p><strong>b</strong> <em>i</em> <del>s</del> <code>c</code></p>\n"),
        ("```sh\"onclick=x\na < b\n```", "<pre><code>a &lt; b\n</code></pre>\n"),
        ("- a\n- b\n\n3. c", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n<ol start=\"3\">\n<li>c</li>\n</ol>\n"),
        (
            "|名|TPS|x|\n|-|-:|:-:|\n|a|**1**|b|",
            "<div class=\"scroll\" tabindex=\"0\"><table class=\"t\"><thead><tr><th scope=\"col\">名</th>\
             <th scope=\"col\" class=\"n\">TPS</th><th scope=\"col\" class=\"c\">x</th></tr></thead><tbody>\n\
             <tr><td>a</td><td class=\"n\"><strong>1</strong></td><td class=\"c\">b</td></tr>\n\
             </tbody></table></div>\n",
        ),
        ("[a](#steps) [b](../runs/x.txt)", "<p><a href=\"#steps\">a</a> <a href=\"../runs/x.txt\">b</a></p>\n"),
        ("[a](mailto:a@b.c) <x@y.z>", "<p><a href=\"mailto:a@b.c\">a</a> <a href=\"mailto:x@y.z\">x@y.z</a></p>\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown(text), expected, "{text}");
    }
    assert_eq!(
        markdown("[a](https://x.y/?a=1&b=2)"),
        format!("<p><a href=\"https://x.y/?a=1&amp;b=2\" {OUT}>a</a></p>\n")
    );
    assert_eq!(markdown("<HTTP://x.y>"), format!("<p><a href=\"HTTP://x.y\" {OUT}>HTTP://x.y</a></p>\n"));
    assert_eq!(markdown("[a](//evil.example)"), format!("<p><a href=\"//evil.example\" {OUT}>a</a></p>\n"));
}

#[test]
fn headings_begin_below_the_one_that_they_stand_under() {
    assert_eq!(markdown_under("# a\n## b\n###### c", 2), "<h3>a</h3>\n<h4>b</h4>\n<h6>c</h6>\n");
    assert_eq!(markdown_under("# a\n## b", 5), "<h6>a</h6>\n<h6>b</h6>\n");
    assert_eq!(markdown_under("# a", 9), "<h6>a</h6>\n");
}

#[test]
fn an_outline_counts_what_two_languages_should_share() {
    for (text, headings, blocks) in [
        ("", 0, 0),
        ("# a\n\nb\n\nc\nd", 1, 2),
        ("- a\n\n  more\n  - b\n- c", 0, 2),
        ("|a|\n|-|\n|b|\n|c|\n\n```\n# x\n```", 0, 3),
        ("> # a\n> b", 1, 1),
        ("<div>\nx\n</div>", 0, 1),
    ] {
        assert_eq!(outline(text), Outline { headings, blocks }, "{text}");
    }
}

#[test]
fn no_note_asks_for_anything_on_its_own() {
    let html = markdown(
        "![a](https://evil.example/a.png) ![b][r] <img src=https://evil.example> <link rel=x href=//evil.example>\n\n\
         [r]: https://evil.example/b.png\n\n<svg/onload=fetch(1)>\n\n`@import url(//evil.example)`\n",
    );
    assert!(html.contains("<a href=\"https://evil.example/a.png\""), "{html}");
    for asks in
        ["<img", "<link", "<svg", "<script", "<iframe", "<video", "<object", "<style", " src=\"", " srcset", " style="]
    {
        assert!(!html.contains(asks), "{asks}: {html}");
    }
}

#[test]
fn images_become_links_and_links_do_not_nest() {
    let cases = [
        ("![chart](a.png \"t\")", "<p><a href=\"a.png\">chart</a></p>\n"),
        ("![](a.png)", "<p><a href=\"a.png\">a.png</a></p>\n"),
        ("[](b.html)", "<p><a href=\"b.html\">b.html</a></p>\n"),
        ("[![alt](a.png)](b.html)", "<p><a href=\"b.html\">alt</a></p>\n"),
        ("![[x](c.html) y](a.png)", "<p><a href=\"a.png\">x y</a></p>\n"),
        ("![x](data:image/png;base64,AA)", "<p>x</p>\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown(text), expected, "{text}");
    }
}

#[test]
fn only_known_schemes_are_links() {
    let attacks = [
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](javascript&#58;alert(1))",
        "[x](javascript&colon;alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](&#x6A;avascript:alert(1))",
        "[x](java&#10;script:alert(1))",
        "[x](java&Tab;script:alert(1))",
        "[x](<java\tscript:alert(1)>)",
        "[x](< javascript:alert(1)>)",
        "[x](&#1;javascript:alert(1))",
        "[x](&#32;javascript:alert(1))",
        "[x](\u{1}javascript:alert(1))",
        "[x](java\\\nscript:alert(1))",
        "[x](vbscript:msgbox(1))",
        "[x](data:text/html,<script>alert(1)</script>)",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](file:///etc/passwd)",
        "[x](blob:https://x.y/1)",
        "[x](view-source:https://x.y)",
        "[x](/\\evil.example)",
        "[x](\\\\evil.example)",
        "[x][r]\n\n[r]: javascript:alert(1)",
        "![x](javascript:alert(1))",
        "<javascript:alert(1)>",
        "<data:text/html,x>",
    ];
    for attack in attacks {
        let html = markdown(attack);
        assert!(!html.contains("<a"), "{attack}: {html}");
    }
    // Nothing that a browser would decode a second time.
    assert_eq!(markdown("[x](javascript&amp;#58;y)"), "<p><a href=\"javascript&amp;#58;y\">x</a></p>\n");
    let quoted = markdown("[x](<https://x\" onclick=\"y>)");
    assert!(quoted.contains("href=\"https://x&quot; onclick=&quot;y\""), "{quoted}");
}

#[test]
fn markup_of_the_author_is_text() {
    let cases = [
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("a <b onclick=\"x\">b</b>", "<p>a &lt;b onclick=\"x\"&gt;b&lt;/b&gt;</p>\n"),
        ("<div>\n\n**b**", "<p>&lt;div&gt;\n</p>\n<p><strong>b</strong></p>\n"),
        ("<!-- x --> <?y?>", "<p>&lt;!-- x --&gt; &lt;?y?&gt;</p>\n"),
        ("<img src=x onerror=alert(1)", "<p>&lt;img src=x onerror=alert(1)</p>\n"),
        ("<style>*{}</style><scr<script>ipt>", "<p>&lt;style&gt;*{}&lt;/style&gt;&lt;scr&lt;script&gt;ipt&gt;</p>\n"),
        ("</p></div></main>x", "<p>&lt;/p&gt;&lt;/div&gt;&lt;/main&gt;x</p>\n"),
        ("&lt;script&gt;", "<p>&lt;script&gt;</p>\n"),
        ("# h {#id .class onclick=x}", "<h4>h {#id .class onclick=x}</h4>\n"),
    ];
    for (text, expected) in cases {
        assert_eq!(markdown(text), expected, "{text}");
    }
}

/// Every tag is one of ours and is closed in its turn; no text holds a bare `<`.
fn assert_well_formed(text: &str) -> usize {
    let html = markdown(text).replace('\u{0}', "").replace("<br />", "").replace("<hr />", "");
    let doc = format!("<r>{html}</r>");
    let options = roxmltree::ParsingOptions { nodes_limit: 4_000_000, ..Default::default() };
    let shown: String = text.chars().take(80).collect();
    let tree = roxmltree::Document::parse_with_options(&doc, options)
        .unwrap_or_else(|e| panic!("{e}: {shown:?}\n{}", &doc[..doc.floor_char_boundary(2000)]));
    let mut deepest = 0;
    for node in tree.descendants().filter(roxmltree::Node::is_element) {
        let known = [
            "r",
            "p",
            "h4",
            "h5",
            "h6",
            "ul",
            "ol",
            "li",
            "blockquote",
            "pre",
            "code",
            "em",
            "strong",
            "del",
            "a",
            "div",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
        ];
        assert!(known.contains(&node.tag_name().name()), "{shown:?}: {}", node.tag_name().name());
        for attribute in node.attributes() {
            assert!(["href", "rel", "start", "class", "scope", "tabindex"].contains(&attribute.name()), "{shown:?}");
            assert!(attribute.name() != "class" || ["n", "c", "t", "scroll"].contains(&attribute.value()), "{shown:?}");
        }
        if let Some(href) = node.attribute("href") {
            assert!(target(href).is_some(), "{shown:?}: {href}");
        }
        deepest = deepest.max(node.ancestors().count());
    }
    deepest
}

#[test]
fn hostile_sizes_are_survived() {
    let deep = |open: &str, n: usize| open.repeat(n) + "x";
    let inputs = [
        deep("> ", 10_000),
        deep(">", 10_000),
        deep("* ", 10_000),
        deep("1. ", 10_000),
        deep("[", 100_000),
        deep("![", 50_000),
        deep("<", 100_000),
        deep("*a _b ", 50_000),
        deep("**a *b ", 20_000),
        deep("~~a ", 50_000),
        deep("`a ``", 50_000),
        deep("[a](", 20_000),
        deep("<!--", 50_000),
        deep("<?", 50_000),
        deep("&", 200_000),
        deep("|", 10_000),
        deep("\\", 200_000),
        deep("[a]: b\n", 20_000),
        deep("- a\n", 50_000),
        "> a\n\n".repeat(20_000),
        format!("{}\n{}\n{}", "|a".repeat(500), "|-".repeat(500), "|\n".repeat(1_000)),
        "試験の注記です。**強調**と`code`。\n\n".repeat(20_000),
    ];
    for input in inputs {
        let started = std::time::Instant::now();
        let deepest = assert_well_formed(&input);
        assert!(deepest <= DEEPEST + 8, "{deepest}: {:?}", &input[..20]);
        let took = started.elapsed();
        eprintln!("{:>8.0?} {:>8} {:?}", took, input.len(), &input[..input.floor_char_boundary(12)]);
        assert!(took.as_secs() < 20, "{took:?} for {:?}", &input[..20]);
    }
    assert_well_formed(&"a *b* [c](d) <e> `f`\n".repeat(50_000));
}

proptest! {
    #[test]
    fn whatever_is_written_the_html_is_ours(text in "[a-c<>&\"'`*_~#|:/\\\\()\\[\\]!.\\- \n\t1-3日]{0,200}") {
        assert_well_formed(&text);
    }

    #[test]
    fn whatever_is_written_the_html_is_safe(text in any::<String>()) {
        let html = markdown(&text).to_lowercase();
        for banned in ["<script", "<style", "<img", "<iframe", " style=", " onclick=", "href=\"javascript:"] {
            prop_assert!(!html.contains(banned) || text.to_lowercase().contains(banned));
        }
    }
}
