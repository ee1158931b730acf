//! Studies that may ask the same question as another: found by their model, told apart by the domain.

use domain::report::same_question;
use domain::study::{Study, StudyData};

use crate::db::Tx;
use crate::{Result, run, study};

/// So many studies of one question are set beside another; the freshest say most.
const MOST: usize = 6;

/// Studies of the same question, freshest first. Only the descriptions of studies with the same model are read; runs only
/// of those that ask the same.
pub(crate) async fn same(tx: &mut Tx, of: &Study) -> Result<Vec<StudyData>> {
    let mut found = Vec::new();
    for slug in study::with_model(tx, &of.slug, &of.model.id).await? {
        if found.len() == MOST {
            break;
        }
        let other = study::described(tx, &slug).await?;
        if same_question(of, &other) {
            let runs = run::of_study(tx, Some(&slug)).await?.into_iter().map(|(_, run)| run).collect();
            found.push(StudyData { study: other, runs });
        }
    }
    Ok(found)
}
