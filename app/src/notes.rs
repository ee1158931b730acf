//! A note in its editor: what was sent, what is kept, what the study folder has. Plain data.
//!
//! Invariant: what a form was filled with comes back in the page that answers it, whatever went wrong.

use domain::{
    digest::Digest,
    note::{Target, normalised},
    text::notes::NoteNotice,
};
use store::{Note, StudyNotes};

use crate::lang::Lang;

/// What the server knows about a visit of the notes' pages.
#[derive(Clone, Debug, Default)]
pub struct NotesDesk {
    /// Whether the form asks for a token.
    pub token: bool,
    /// The form that this page answers.
    pub sent: Option<Sent>,
    /// What went wrong with it, and the answer's status.
    pub notice: Option<(NoteNotice, u16)>,
}

/// A form as it was filled in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// One a language.
    pub fields: Vec<Field>,
    /// Whether something in it was masked.
    pub masked: bool,
}

/// One language of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Which one.
    pub lang: Lang,
    /// Normalised.
    pub text: String,
    /// The revision that the form was opened with; 0 where nothing had been written here.
    pub base: u64,
    /// Of the folder's note, normalised, at that time; none where the form does not say.
    pub folder: Option<Digest>,
    /// The revision that was put into it.
    pub restored: Option<u64>,
}

/// One language of the editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Which one.
    pub lang: Lang,
    /// What is in the field.
    pub text: String,
    /// What is kept: the text that a report shows.
    pub kept: String,
    /// What was written here, where anything was.
    pub note: Option<Note>,
    /// The folder's note, normalised; empty where there is none.
    pub folder: String,
    /// The revision that the form starts from.
    pub base: u64,
    /// Of the folder's note that whoever fills the form has seen.
    pub seen: Digest,
    /// The revision that was put into the field.
    pub restored: Option<u64>,
    /// Whether somebody else saved it since the form was opened.
    pub conflict: bool,
}

impl Side {
    /// One language of a note as it is kept.
    #[must_use]
    pub fn of(notes: &StudyNotes, on: &Target, lang: Lang) -> Self {
        let folder = notes.study.data.notes(on).and_then(|notes| notes.own(lang));
        let folder = folder.map(normalised).unwrap_or_default();
        let note = notes.written(on, lang).cloned();
        let kept = note.as_ref().map_or_else(|| folder.clone(), |note| note.text.clone());
        Self {
            lang,
            text: kept.clone(),
            kept,
            base: note.as_ref().map_or(0, |note| note.revision),
            note,
            seen: Digest::of(folder.as_bytes()),
            folder,
            restored: None,
            conflict: false,
        }
    }

    /// With what was sent. Where others were faster, what they saved is what the form starts from now: saving again is
    /// meant. A language that was not fought over and is left out of the notice keeps the revision that it was opened with.
    #[must_use]
    pub fn filled(self, sent: &Sent, notice: Option<&NoteNotice>) -> Self {
        let Some(field) = sent.fields.iter().find(|field| field.lang == self.lang) else { return self };
        let conflict = matches!(notice, Some(NoteNotice::Conflict(langs)) if langs.contains(&self.lang));
        let base = if conflict { self.base } else { field.base };
        // Having seen the folder's note of now is what a new form shows.
        let seen = if conflict { self.seen } else { field.folder.clone().unwrap_or(self.seen) };
        Self { text: field.text.clone(), base, seen, restored: field.restored, conflict, ..self }
    }

    /// Whether the folder's note is another than whoever wrote this saw, and not what was written either.
    #[must_use]
    pub fn folder_moved(&self) -> bool {
        let seen = self.note.as_ref().map(|note| &note.folder);
        seen.is_some_and(|seen| *seen != Digest::of(self.folder.as_bytes())) && self.folder != self.kept
    }

    /// Whether what is kept is the folder's note.
    #[must_use]
    pub fn is_of_folder(&self) -> bool {
        self.note.is_none() && !self.folder.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(note: Option<(&str, &str)>, folder: &str) -> Side {
        let note = note.map(|(text, seen)| Note {
            target: Target::Study,
            lang: Lang::En,
            revision: 3,
            text: text.to_owned(),
            folder: Digest::of(seen.as_bytes()),
            about: None,
            author: None,
            at: 0,
        });
        let kept = note.as_ref().map_or(folder, |note| &note.text).to_owned();
        Side {
            lang: Lang::En,
            text: kept.clone(),
            kept,
            base: note.as_ref().map_or(0, |note| note.revision),
            note,
            folder: folder.to_owned(),
            seen: Digest::of(folder.as_bytes()),
            restored: None,
            conflict: false,
        }
    }

    #[test]
    fn a_folder_that_moved_is_said_only_where_it_says_something_else() {
        for (note, folder, moved) in [
            (None, "a", false),
            (Some(("mine", "a")), "a", false),
            (Some(("mine", "a")), "b", true),
            (Some(("mine", "a")), "", true),
            (Some(("b", "a")), "b", false),
            (Some(("", "")), "", false),
        ] {
            assert_eq!(side(note, folder).folder_moved(), moved, "{note:?} {folder}");
        }
    }

    #[test]
    fn after_a_conflict_the_form_starts_from_what_the_other_saved() {
        let field = |base| Field { lang: Lang::En, text: "mine".into(), base, folder: None, restored: None };
        let sent = Sent { fields: vec![field(1)], masked: false };
        let notice = NoteNotice::Conflict(vec![Lang::En]);
        let fought = side(Some(("theirs", "")), "").filled(&sent, Some(&notice));
        assert_eq!((fought.text.as_str(), fought.base, fought.conflict), ("mine", 3, true));
        // A preview, or another language's conflict, leaves the form where it started.
        for notice in [None, Some(NoteNotice::Conflict(vec![Lang::Ja])), Some(NoteNotice::Busy)] {
            let calm = side(Some(("theirs", "")), "").filled(&sent, notice.as_ref());
            assert_eq!((calm.text.as_str(), calm.base, calm.conflict), ("mine", 1, false));
        }
    }
}
