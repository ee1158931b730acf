//! The body of an upload, in any of its forms, to an envelope and spooled files. The body is never in memory as a whole,
//! except for a JSON document, which has a limit of its own.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, header};
use base64::Engine as _;
use domain::upload::{Envelope, MAX_FILES, file_name};
use futures_util::{Stream, StreamExt as _};
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio_util::io::{ReaderStream, StreamReader};

use super::problem::{Kind, Problem};
use crate::spool::{Limit, MAX_CONTENT, MAX_JSON, Spooled, Spooling};

/// Headers of a part are short; a part that never ends its headers must not fill the memory.
const MAX_WITHOUT_PROGRESS: usize = 1024 * 1024;
/// An envelope in a part of its own holds no files.
const MAX_ENVELOPE: usize = 8 * 1024 * 1024;
/// Keys that a client may read but not send.
const READ_ONLY: [&str; 6] = ["id", "created_at", "updated_at", "verdict", "findings", "runs"];

/// Reads a body.
pub async fn receive(headers: &HeaderMap, body: Body, spool: &Path) -> Result<(Envelope, Vec<Spooled>), Problem> {
    let (mut body, content_type) = decoded(headers, body)?;
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" => json(&mut body, spool).await,
        "multipart/form-data" => multipart(Parts::within(body, &content_type)?, spool).await,
        other => Err(Problem::new(Kind::UnsupportedType, format!("the Content-Type \"{other}\" is not read"))
            .expected("application/json, or multipart/form-data")),
    }
}

/// The body, decompressed, and its type.
fn decoded(headers: &HeaderMap, body: Body) -> Result<(Decoded, String), Problem> {
    let length = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > MAX_CONTENT) {
        return Err(Problem::new(Kind::TooLarge, Limit::Content.to_string()));
    }
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?").trim().to_owned());
    let body = Decoded::new(body, text(header::CONTENT_ENCODING))?;
    Ok((body, text(header::CONTENT_TYPE).unwrap_or_default()))
}

async fn json(body: &mut Decoded, spool: &Path) -> Result<(Envelope, Vec<Spooled>), Problem> {
    let mut bytes = Vec::new();
    let read = (&mut *body).take(MAX_JSON + 1).read_to_end(&mut bytes).await;
    if let Err(error) = read {
        return Err(body.problem(&error));
    }
    if bytes.len() as u64 > MAX_JSON {
        return Err(Problem::new(Kind::TooLarge, Limit::Json.to_string()));
    }
    let envelope = tokio::task::spawn_blocking(move || {
        let mut envelope = envelope(&bytes)?;
        let files = std::mem::take(&mut envelope.files);
        // Names and contents are checked with the envelope; here they only travel.
        Ok::<_, Problem>((Envelope { files: Vec::new(), ..envelope }, files))
    });
    let (envelope, sent) = envelope.await.map_err(|error| Problem::incident(Kind::Internal, &error.to_string()))??;
    if sent.is_empty() {
        return Err(Problem::new(Kind::BadEnvelope, "files: the upload has no file")
            .at_path("files")
            .expected("at least one file with its name and content"));
    }
    if sent.len() > MAX_FILES {
        return Err(Problem::new(Kind::BadEnvelope, format!("files: {} files in one upload", sent.len()))
            .at_path("files")
            .expected(format!("at most {MAX_FILES}; divide it")));
    }
    let mut files = Vec::with_capacity(sent.len());
    for (at, file) in sent.into_iter().enumerate() {
        file_name(&format!("files[{at}].name"), &file.name)?;
        let content = match (file.content, file.content_base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(text)) => base64::engine::general_purpose::STANDARD.decode(text.trim()).map_err(|error| {
                let path = format!("files[{at}].content_base64");
                Problem::new(Kind::BadEnvelope, format!("{path}: {error}"))
                    .at_path(path)
                    .expected("Base64 with the standard alphabet and padding")
            })?,
            (Some(_), Some(_)) | (None, None) => {
                let path = format!("files[{at}]");
                return Err(Problem::new(
                    Kind::BadEnvelope,
                    format!("{path}: it has both or none of content and content_base64"),
                )
                .at_path(path)
                .expected("exactly one of content and content_base64"));
            }
        };
        files.push(spooled(file.name, &content, spool).await?);
    }
    Ok((envelope, files))
}

async fn spooled(name: String, content: &[u8], spool: &Path) -> Result<Spooled, Problem> {
    let mut spooling = Spooling::new();
    spooling.write(content, spool).await.map_err(|error| disk(&error))?;
    spooling.finish(name).await.map_err(|error| disk(&error))
}

fn disk(error: &io::Error) -> Problem {
    Problem::incident(Kind::Unavailable, &format!("an upload cannot be spooled: {error}"))
}

/// Reads an envelope; the error says which key, or which line.
fn envelope(bytes: &[u8]) -> Result<Envelope, Problem> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let envelope: Envelope = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        not_an_envelope(error.inner(), &path)
    })?;
    json.end().map_err(|error| not_an_envelope(&error, ""))?;
    Ok(envelope)
}

fn not_an_envelope(error: &serde_json::Error, path: &str) -> Problem {
    let said = error.to_string();
    // The place is a member of its own.
    let said = said.rsplit_once(" at line ").map_or(said.as_str(), |(said, _)| said);
    if !error.is_data() {
        return Problem::new(Kind::BadJson, format!("line {}: the JSON cannot be read: {said}", error.line()))
            .at_line(error.line());
    }
    // serde names the key in the one sentence that it has for this.
    let unknown = said.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
    let (path, detail, expected) = match unknown {
        Some((key, rest)) => {
            let path = match path.rsplit_once('.') {
                _ if path == key || path.ends_with(&format!(".{key}")) => path.to_owned(),
                _ if path.is_empty() || path == "." => key.to_owned(),
                _ => format!("{path}.{key}"),
            };
            let expected = rest.strip_prefix(", expected ").unwrap_or_default().replace('`', "");
            if READ_ONLY.contains(&key) {
                (path.clone(), format!("{path}: the server sets {key}; it cannot be sent"), "leave it out".to_owned())
            } else {
                (path.clone(), format!("{path}: this key is not known"), expected)
            }
        }
        None => {
            let (found, expected) = said.split_once(", expected ").unwrap_or((said, ""));
            (path.to_owned(), format!("{path}: {found}"), expected.to_owned())
        }
    };
    let problem = Problem::new(Kind::BadEnvelope, detail).at_path(path).at_line(error.line());
    if expected.is_empty() { problem } else { problem.expected(expected) }
}

async fn multipart(mut parts: Parts, spool: &Path) -> Result<(Envelope, Vec<Spooled>), Problem> {
    let mut described: Option<Envelope> = None;
    let mut files = Vec::new();
    while let Some(mut part) = parts.next().await? {
        let name = part.name().unwrap_or_default().to_owned();
        match (name.as_str(), &described) {
            ("envelope", None) => {
                let mut bytes = Vec::new();
                while let Some(chunk) = parts.chunk(&mut part).await? {
                    bytes.extend_from_slice(&chunk);
                    if bytes.len() > MAX_ENVELOPE {
                        let detail = format!("the envelope is longer than {} MiB", MAX_ENVELOPE >> 20);
                        return Err(Problem::new(Kind::TooLarge, detail));
                    }
                }
                let read = envelope(&bytes)?;
                if !read.files.is_empty() {
                    return Err(Problem::new(Kind::BadEnvelope, "files: in multipart/form-data, files are parts")
                        .at_path("files")
                        .expected("a part \"file\" for each"));
                }
                described = Some(read);
            }
            ("file", Some(_)) => {
                if files.len() == MAX_FILES {
                    return Err(Problem::new(Kind::BadBody, format!("more than {MAX_FILES} files in one upload"))
                        .expected(format!("at most {MAX_FILES}; divide it")));
                }
                let file = part.file_name().unwrap_or_default().to_owned();
                file_name(&format!("file[{}].filename", files.len()), &file)?;
                let mut spooling = Spooling::new();
                while let Some(chunk) = parts.chunk(&mut part).await? {
                    spooling.write(&chunk, spool).await.map_err(|error| disk(&error))?;
                }
                files.push(spooling.finish(file).await.map_err(|error| disk(&error))?);
            }
            _ => {
                return Err(Problem::new(Kind::BadBody, format!("the part \"{}\" does not belong here", cut(&name)))
                    .expected("a part \"envelope\" first, then parts \"file\""));
            }
        }
    }
    let Some(described) = described else {
        return Err(Problem::new(Kind::BadBody, "there is no part \"envelope\"")
            .expected("a part \"envelope\" first, then parts \"file\""));
    };
    if files.is_empty() {
        return Err(Problem::new(Kind::BadBody, "the upload has no file").expected("at least one part \"file\""));
    }
    Ok((described, files))
}

/// The parts of a multipart body, read one after the other in bounded memory.
pub struct Parts {
    parts: multer::Multipart<'static>,
    limit: Arc<OnceLock<Limit>>,
    allowance: Arc<AtomicUsize>,
}

impl Parts {
    /// Of a body with these headers.
    pub fn of(headers: &HeaderMap, body: Body) -> Result<Self, Problem> {
        let (body, content_type) = decoded(headers, body)?;
        Self::within(body, &content_type)
    }

    fn within(body: Decoded, content_type: &str) -> Result<Self, Problem> {
        let boundary = multer::parse_boundary(content_type)
            .map_err(|error| Problem::new(Kind::BadBody, format!("the Content-Type is not understood: {error}")))?;
        let limit = Arc::clone(&body.limit);
        let allowance = Arc::new(AtomicUsize::new(0));
        let stream = OneByOne {
            stream: ReaderStream::with_capacity(body, 64 * 1024),
            given: false,
            allowance: Arc::clone(&allowance),
        };
        Ok(Self { parts: multer::Multipart::new(stream, boundary), limit, allowance })
    }

    /// The next part, if there is one.
    pub async fn next(&mut self) -> Result<Option<multer::Field<'static>>, Problem> {
        self.progress();
        let next = self.parts.next_field().await;
        next.map_err(|error| self.unread(&error))
    }

    /// The next bytes of a part.
    pub async fn chunk(&mut self, part: &mut multer::Field<'static>) -> Result<Option<Bytes>, Problem> {
        self.progress();
        let next = part.chunk().await;
        next.map_err(|error| self.unread(&error))
    }

    /// Reads on to the end, or until `most` bytes, and forgets all of it.
    pub async fn drain(&mut self, most: usize) {
        let mut read = 0;
        while let Ok(Some(mut part)) = self.next().await {
            while let Ok(Some(chunk)) = self.chunk(&mut part).await {
                read += chunk.len();
                if read > most {
                    return;
                }
            }
        }
    }

    fn progress(&self) {
        self.allowance.store(MAX_WITHOUT_PROGRESS, Ordering::Relaxed);
    }

    fn unread(&self, error: &multer::Error) -> Problem {
        match self.limit.get() {
            Some(limit) => Problem::new(Kind::TooLarge, limit.to_string()),
            None => Problem::new(Kind::BadBody, format!("the multipart body cannot be read: {}", in_full(error))),
        }
    }
}

fn cut(text: &str) -> String {
    text.chars().take(80).collect()
}

fn in_full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// A body, decompressed, that ends with an error where it goes over a limit.
struct Decoded {
    content: Pin<Box<dyn AsyncRead + Send>>,
    read: u64,
    wire: Arc<AtomicU64>,
    limit: Arc<OnceLock<Limit>>,
}

impl Decoded {
    fn new(body: Body, encoding: Option<String>) -> Result<Self, Problem> {
        let wire = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&wire);
        let stream = body.into_data_stream().map(move |chunk| {
            let chunk = chunk.map_err(io::Error::other)?;
            counted.fetch_add(chunk.len() as u64, Ordering::Relaxed);
            Ok::<Bytes, io::Error>(chunk)
        });
        let raw = StreamReader::new(stream);
        let content: Pin<Box<dyn AsyncRead + Send>> = match encoding.unwrap_or_default().to_ascii_lowercase().as_str() {
            "" | "identity" => Box::pin(raw),
            "gzip" | "x-gzip" => {
                let mut decoder = GzipDecoder::new(raw);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            "zstd" => {
                let mut decoder = ZstdDecoder::new(raw);
                decoder.multiple_members(true);
                Box::pin(decoder)
            }
            other => {
                return Err(Problem::new(
                    Kind::UnsupportedType,
                    format!("the Content-Encoding \"{}\" is not read", cut(other)),
                )
                .expected("gzip or zstd, or none")
                .header(header::ACCEPT_ENCODING, "gzip, zstd"));
            }
        };
        Ok(Self { content, read: 0, wire, limit: Arc::default() })
    }

    fn problem(&self, error: &io::Error) -> Problem {
        match self.limit.get() {
            Some(limit) => Problem::new(Kind::TooLarge, limit.to_string()),
            None => Problem::new(Kind::BadBody, format!("the body cannot be read to its end: {}", in_full(error))),
        }
    }
}

impl AsyncRead for Decoded {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, to: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = to.filled().len();
        let outcome = self.content.as_mut().poll_read(context, to);
        self.read += (to.filled().len() - before) as u64;
        match Limit::exceeded(self.read, self.wire.load(Ordering::Relaxed)) {
            Some(limit) => {
                self.limit.set(limit).ok();
                Poll::Ready(Err(io::Error::other(limit.to_string())))
            }
            None => outcome,
        }
    }
}

/// multer reads as long as there is something to read, whether it needs it or not: a body that decompresses faster than
/// it is stored would end up in memory. After each chunk this stream pretends to have no more for now. It ends with an
/// error where nothing came out for too long: headers of a part without an end.
struct OneByOne<S> {
    stream: S,
    given: bool,
    allowance: Arc<AtomicUsize>,
}

impl<S: Stream<Item = io::Result<Bytes>> + Unpin> Stream for OneByOne<S> {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.given) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let next = self.stream.poll_next_unpin(context);
        if let Poll::Ready(Some(Ok(chunk))) = &next {
            self.given = true;
            let left = self.allowance.load(Ordering::Relaxed);
            let Some(left) = left.checked_sub(chunk.len()) else {
                return Poll::Ready(Some(Err(io::Error::other("the headers of a part have no end"))));
            };
            self.allowance.store(left, Ordering::Relaxed);
        }
        next
    }
}
