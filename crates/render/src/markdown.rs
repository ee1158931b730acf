//! Markdown that people wrote, as HTML that cannot harm.
//!
//! Invariant: tags and attributes come from here or from pulldown-cmark's own renderer; everything of the author's is
//! escaped text or a checked address.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use crate::svg::escape_into;

/// Browsers stop nesting at some hundred elements; beyond this many the text stays and the tags go.
const DEEPEST: usize = 32;

/// Turns notes into HTML to stand under an `h3`: [`markdown_under`] the third level.
#[must_use]
pub fn markdown(text: &str) -> String {
    markdown_under(text, 3)
}

/// Turns notes into HTML to stand under a heading of this level. Raw HTML becomes text, images become links, headings
/// begin one level below; links with a scheme other than http, https and mailto become text.
#[must_use]
pub fn markdown_under(text: &str, level: usize) -> String {
    let mut html = String::with_capacity(text.len() + text.len() / 2);
    pulldown_cmark::html::push_html(&mut html, Tamed::new(events(text), level));
    html
}

/// How a note is built: what two languages of it should have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings of any level.
    pub headings: usize,
    /// Paragraphs, list items, table rows and blocks of code.
    pub blocks: usize,
}

/// How a note is built.
#[must_use]
pub fn outline(text: &str) -> Outline {
    let mut outline = Outline::default();
    // What stands in an item is part of it, however many paragraphs that are.
    let mut inside = 0_usize;
    for event in events(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => outline.headings += 1,
            Event::Start(Tag::Item) => {
                outline.blocks += usize::from(inside == 0);
                inside += 1;
            }
            Event::End(TagEnd::Item) => inside -= 1,
            Event::Start(Tag::Paragraph | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::TableRow) if inside == 0 => {
                outline.blocks += 1;
            }
            _ => {}
        }
    }
    outline
}

fn events(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}

/// The parser's events, made harmless.
struct Tamed<'a, I> {
    events: I,
    /// Of the heading above.
    level: usize,
    /// What closes each open tag; none where the tag was dropped and only its content stays.
    open: Vec<Option<Event<'a>>>,
    /// Open tags that were not dropped.
    depth: usize,
    /// The link we are in: another inside would end it.
    link: Option<Link>,
    table: Table,
    /// To be given next.
    pending: Option<Event<'a>>,
}

struct Link {
    address: String,
    /// How many tags were open before it.
    at: usize,
    /// Whether it has a text.
    said: bool,
}

/// Where in a table we are. Written here, since pulldown-cmark aligns by style attributes.
#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    column: usize,
    head: bool,
}

impl<'a, I: Iterator<Item = Event<'a>>> Iterator for Tamed<'a, I> {
    type Item = Event<'a>;

    fn next(&mut self) -> Option<Event<'a>> {
        if let Some(event) = self.pending.take() {
            return Some(event);
        }
        loop {
            let event = match self.events.next()? {
                Event::Start(tag) => self.start(tag),
                Event::End(_) => self.end(),
                Event::Html(text) | Event::InlineHtml(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                    Some(Event::Text(text))
                }
                Event::FootnoteReference(name) => Some(Event::Text(name)),
                Event::TaskListMarker(_) => None,
                event @ (Event::Text(_) | Event::Code(_) | Event::SoftBreak | Event::HardBreak | Event::Rule) => {
                    Some(event)
                }
            };
            if let (Some(link), Some(Event::Text(_) | Event::Code(_))) = (&mut self.link, &event) {
                link.said = true;
            }
            if event.is_some() {
                return event;
            }
        }
    }
}

impl<'a, I: Iterator<Item = Event<'a>>> Tamed<'a, I> {
    fn new(events: I, level: usize) -> Self {
        Self { events, level, open: Vec::new(), depth: 0, link: None, table: Table::default(), pending: None }
    }

    fn start(&mut self, tag: Tag<'a>) -> Option<Event<'a>> {
        // A part of a list or table stays and goes with the whole.
        let kept = match tag {
            Tag::Item | Tag::TableHead | Tag::TableRow | Tag::TableCell => matches!(self.open.last(), Some(Some(_))),
            _ => self.depth < DEEPEST,
        };
        let (start, end) = if kept { self.tag(tag) } else { None }.unzip();
        self.depth += usize::from(end.is_some());
        self.open.push(end);
        start
    }

    fn end(&mut self) -> Option<Event<'a>> {
        let end = self.open.pop().flatten();
        self.depth -= usize::from(end.is_some());
        match self.link.take_if(|link| link.at == self.open.len()) {
            // A link without a text is one that nobody finds: it shows where it leads.
            Some(Link { address, said: false, .. }) => {
                self.pending = end;
                Some(Event::Text(address.into()))
            }
            Some(Link { said: true, .. }) | None => end,
        }
    }

    /// What opens and closes a tag; none where only its content stays.
    fn tag(&mut self, tag: Tag<'a>) -> Option<(Event<'a>, Event<'a>)> {
        let kept = match tag {
            Tag::Heading { level, .. } => {
                let level = HeadingLevel::try_from(self.level + level as usize).unwrap_or(HeadingLevel::H6);
                Tag::Heading { level, id: None, classes: Vec::new(), attrs: Vec::new() }
            }
            // The name of a language would become a class of the author's.
            Tag::CodeBlock(_) => Tag::CodeBlock(CodeBlockKind::Fenced("".into())),
            Tag::HtmlBlock => Tag::Paragraph,
            Tag::Link { link_type, dest_url, .. } => return self.link(link_type, &dest_url),
            Tag::Image { dest_url, .. } => return self.link(LinkType::Inline, &dest_url),
            Tag::Table(alignments) => {
                self.table = Table { alignments, ..Table::default() };
                return Some((
                    html("<div class=\"scroll\" tabindex=\"0\"><table class=\"t\">"),
                    html("</tbody></table></div>\n"),
                ));
            }
            Tag::TableHead => {
                (self.table.head, self.table.column) = (true, 0);
                return Some((html("<thead><tr>"), html("</tr></thead><tbody>\n")));
            }
            Tag::TableRow => {
                (self.table.head, self.table.column) = (false, 0);
                return Some((html("<tr>"), html("</tr>\n")));
            }
            Tag::TableCell => return Some(self.table.cell()),
            kept @ (Tag::Paragraph
            | Tag::BlockQuote(_)
            | Tag::List(_)
            | Tag::Item
            | Tag::Emphasis
            | Tag::Strong
            | Tag::Strikethrough) => kept,
            // Of extensions that are not enabled.
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => return None,
        };
        let end = kept.to_end();
        Some((Event::Start(kept), Event::End(end)))
    }

    fn link(&mut self, kind: LinkType, address: &str) -> Option<(Event<'a>, Event<'a>)> {
        if self.link.is_some() {
            return None;
        }
        let full = if kind == LinkType::Email { format!("mailto:{address}") } else { address.to_owned() };
        let rel = match target(&full)? {
            Target::Outside => "\" rel=\"nofollow noopener noreferrer\">",
            Target::Inside => "\">",
        };
        self.link = Some(Link { address: address.to_owned(), at: self.open.len(), said: false });
        let mut open = String::from("<a href=\"");
        escape_into(&full, &mut open);
        open.push_str(rel);
        Some((Event::InlineHtml(open.into()), Event::InlineHtml("</a>".into())))
    }
}

impl Table {
    fn cell<'a>(&mut self) -> (Event<'a>, Event<'a>) {
        let alignment = self.alignments.get(self.column).copied().unwrap_or(Alignment::None);
        self.column += 1;
        let (open, close) = match (self.head, alignment) {
            (true, Alignment::Right) => ("<th scope=\"col\" class=\"n\">", "</th>"),
            (true, Alignment::Center) => ("<th scope=\"col\" class=\"c\">", "</th>"),
            (true, Alignment::Left | Alignment::None) => ("<th scope=\"col\">", "</th>"),
            (false, Alignment::Right) => ("<td class=\"n\">", "</td>"),
            (false, Alignment::Center) => ("<td class=\"c\">", "</td>"),
            (false, Alignment::Left | Alignment::None) => ("<td>", "</td>"),
        };
        (html(open), html(close))
    }
}

fn html<'a>(markup: &'static str) -> Event<'a> {
    Event::Html(markup.into())
}

/// Where a link leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// To another site.
    Outside,
    /// To this one, or to a mailbox.
    Inside,
}

/// Where `address` leads, if it may. Browsers drop control characters before they read the scheme and take a backslash for
/// a slash, so an address with either is not one.
fn target(address: &str) -> Option<Target> {
    if address.is_empty() || address.contains(|c: char| c.is_control() || c == '\\') {
        return None;
    }
    let scheme =
        address.find([':', '/', '?', '#']).filter(|at| address[*at..].starts_with(':')).map(|at| &address[..at]);
    match scheme {
        Some(scheme) if scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https") => {
            Some(Target::Outside)
        }
        Some(scheme) if scheme.eq_ignore_ascii_case("mailto") => Some(Target::Inside),
        Some(_) => None,
        None if address.starts_with("//") => Some(Target::Outside),
        None => Some(Target::Inside),
    }
}

#[cfg(test)]
mod tests;
