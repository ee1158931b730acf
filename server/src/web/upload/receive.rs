//! The first form: files and a pasted text, streamed to the spool as the API's are.

use std::path::Path;

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use domain::digest::Digest;
use domain::mask::mask_text;
use domain::text::upload::Notice;
use domain::upload::{MAX_FILES, file_name};

use crate::spool::{Limit, MAX_CONTENT, MAX_RATIO, Spooled, Spooling, disk_is_full};
use crate::web::access::Closed;
use crate::web::api::problem::{Kind, Problem};
use crate::web::api::receive::Parts;

/// A name, a token: one line each.
const MAX_LINE: usize = 4096;
/// Of what is refused for its token, so much is read and forgotten.
const MAX_DRAINED: usize = 256 * 1024 * 1024;
/// What a text is called that came without a name.
const PASTED: &str = "pasted.txt";

/// What came.
pub struct Sent {
    /// Of the token that was entered.
    pub token: Option<Digest>,
    /// Files and the pasted text; never empty.
    pub files: Vec<Spooled>,
    /// What was masked in their names.
    pub masked: Vec<String>,
}

/// Reads the form. Where `token` is asked for, it stands before the files, and `opens` is asked before any is taken.
pub async fn receive<F>(
    headers: &HeaderMap,
    body: Body,
    spool: &Path,
    asks_for_token: bool,
    opens: impl Fn(Digest) -> F,
) -> Result<Sent, Refused>
where
    F: Future<Output = Result<(), Refused>>,
{
    let mut parts = Parts::of(headers, body)?;
    let received = fields(&mut parts, spool, asks_for_token, opens).await;
    // A browser that is still sending when the answer comes shows a broken connection instead.
    if let Err(Refused(_, 401 | 403)) = &received {
        parts.drain(MAX_DRAINED).await;
    }
    received
}

async fn fields<F>(
    parts: &mut Parts,
    spool: &Path,
    asks_for_token: bool,
    opens: impl Fn(Digest) -> F,
) -> Result<Sent, Refused>
where
    F: Future<Output = Result<(), Refused>>,
{
    let (mut token, mut pasted, mut name) = (None, None, String::new());
    let mut files = Vec::new();
    let mut masked = Vec::new();
    while let Some(mut part) = parts.next().await? {
        let field = part.name().unwrap_or_default().to_owned();
        match field.as_str() {
            "token" => {
                let entered = line(parts, &mut part).await?;
                if !entered.trim().is_empty() {
                    let digest = Digest::of(entered.trim().as_bytes());
                    opens(digest.clone()).await?;
                    token = Some(digest);
                }
            }
            "name" => name = line(parts, &mut part).await?.trim().to_owned(),
            "file" | "text" => {
                if asks_for_token && token.is_none() {
                    return Err(Closed::TokenMissing.into());
                }
                let file = part.file_name().unwrap_or_default().to_owned();
                let mut spooling = Spooling::new();
                let mut empty = true;
                let mut breaks = (field == "text").then(LineBreaks::default);
                while let Some(chunk) = parts.chunk(&mut part).await? {
                    empty &= chunk.is_empty();
                    let chunk = breaks.as_mut().map_or(chunk.clone(), |breaks| breaks.plain(&chunk));
                    spooling.write(&chunk, spool).await.map_err(|error| Refused::incident(&error))?;
                }
                match field.as_str() {
                    // A browser sends an empty part without a name where nothing was chosen.
                    "file" if file.is_empty() && empty => {}
                    "file" => {
                        let file = if file.is_empty() { PASTED.to_owned() } else { base(&file) };
                        named(&file)?;
                        files.push((file, spooling));
                    }
                    _ if empty => {}
                    _ => pasted = Some(spooling),
                }
                if files.len() > MAX_FILES {
                    return Err(Refused(Notice::TooManyFiles(MAX_FILES), 413));
                }
            }
            // A field that nobody asked for is nobody's business.
            _ => while parts.chunk(&mut part).await?.is_some() {},
        }
    }
    if let Some(pasted) = pasted {
        let name = if name.is_empty() { PASTED.to_owned() } else { name };
        named(&name)?;
        files.push((name, pasted));
    }
    if files.is_empty() {
        return Err(Refused(Notice::NoFile, 422));
    }
    let mut spooled = Vec::with_capacity(files.len());
    for (name, spooling) in files {
        let (name, found) = mask_text(&name);
        masked.extend(found.into_iter().map(|found| found.what.to_owned()));
        spooled.push(spooling.finish(name).await.map_err(|error| Refused::incident(&error))?);
    }
    Ok(Sent { token, files: spooled, masked })
}

/// Why there is no preview, and the answer's status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused(pub Notice, pub u16);

impl From<Closed> for Refused {
    fn from(closed: Closed) -> Self {
        let notice = match closed {
            Closed::OtherSite => Notice::OtherSite,
            Closed::TokenMissing => Notice::TokenMissing,
            Closed::TokenRefused => Notice::TokenRefused,
            Closed::TokenScope => Notice::TokenScope,
        };
        Self(notice, closed.status())
    }
}

impl Refused {
    /// Our fault: the log says what happened.
    pub fn incident(cause: &dyn std::fmt::Display) -> Self {
        let incident = app::error::Incident::new();
        let cause = cause.to_string();
        tracing::error!(%incident, "an upload by form failed: {cause}");
        if disk_is_full(&cause) {
            return Self(Notice::DiskFull, 507);
        }
        Self(Notice::Incident(incident.to_string()), 500)
    }

    /// More than an upload may hold.
    pub fn limit(limit: Limit, file: String) -> Self {
        match limit {
            Limit::Content | Limit::Json => Self(Notice::TooLarge(MAX_CONTENT >> 30), 413),
            Limit::Ratio => Self(Notice::TooCompressed { file, times: MAX_RATIO }, 413),
        }
    }
}

/// The body's problems are those of the API.
impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        match problem.kind() {
            Kind::NoSpace => Self(Notice::DiskFull, 507),
            Kind::TooLarge => Self(Notice::TooLarge(MAX_CONTENT >> 30), 413),
            Kind::Internal | Kind::Unavailable => Self::incident(&problem.detail()),
            _ => Self(Notice::BadForm(mask_text(problem.detail()).0), problem.status()),
        }
    }
}

/// Forms send every line break of a text as CR LF; what was copied had LF. Undone, a pasted output has the digest of the
/// file that it was copied from.
#[derive(Default)]
struct LineBreaks {
    /// A CR at the end of the last chunk.
    cr: bool,
}

impl LineBreaks {
    fn plain(&mut self, chunk: &[u8]) -> Bytes {
        let mut out = Vec::with_capacity(chunk.len() + 1);
        for &byte in chunk {
            if std::mem::take(&mut self.cr) && byte != b'\n' {
                out.push(b'\r');
            }
            match byte {
                b'\r' => self.cr = true,
                other => out.push(other),
            }
        }
        out.into()
    }
}

async fn line(parts: &mut Parts, part: &mut multer::Field<'static>) -> Result<String, Refused> {
    let mut bytes = Vec::new();
    while let Some(chunk) = parts.chunk(part).await? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > MAX_LINE {
            return Err(Refused(Notice::BadForm("a field is too long".to_owned()), 413));
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Some browsers send the folder, too.
fn base(file: &str) -> String {
    file.rsplit(['/', '\\']).next().unwrap_or(file).to_owned()
}

fn named(file: &str) -> Result<(), Refused> {
    file_name("file", file).map_err(|_| {
        let shown: String = file.chars().filter(|c| !c.is_control()).take(60).collect();
        Refused(Notice::FileName(mask_text(&shown).0), 422)
    })
}
