//! What the arguments do, and the recommended command in a container.

use super::Page;

use crate::text::{self, code_markdown, command_labels, escape_markdown};

impl Page<'_> {
    pub(super) fn arguments(&mut self) {
        let engines = text::explain_all(self.lang, self.report);
        if engines.is_empty() {
            return;
        }
        let labels = command_labels(self.lang);
        self.heading(2, labels.all_arguments);
        for (engine, explained) in engines {
            self.heading(3, &engine);
            let row = |of: &text::Explained| vec![code_markdown(&of.name), escape_markdown(&of.text)];
            let rows: Vec<_> = explained.iter().map(row).collect();
            self.table(&[labels.argument, labels.explanation], &[], &rows);
        }
    }

    pub(super) fn containers(&mut self) {
        let forms = self.report.conclusion.command.as_ref().and_then(|command| command.forms.as_ref());
        let Some(forms) = forms else { return };
        let labels = command_labels(self.lang);
        self.heading(2, labels.containers);
        let notes = text::container_notes(self.lang, forms);
        self.line(notes.iter().map(|note| format!("- {}\n", escape_markdown(note))).collect::<String>());
        let forms = [
            (labels.docker, "bash", &forms.docker),
            (labels.compose, "yaml", &forms.compose),
            (labels.kubernetes, "yaml", &forms.kubernetes),
        ];
        for (name, language, text) in forms {
            self.heading(3, name);
            self.fence(language, text.trim_end());
        }
    }
}
