//! The examples in the documents are what the program reads.

use crate::text::SAMPLE;
use pullback_plan::{Deployment, Strategy};

/// Fenced blocks of one language.
fn blocks<'a>(document: &'a str, language: &'a str) -> Vec<&'a str> {
    let open = format!("```{language}\n");
    document.split(&open[..]).skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn plan_md_shows_the_sample() {
    let document = include_str!("../../../../docs/plan.md");
    assert_eq!(blocks(document, "plan"), [SAMPLE]);
    assert_eq!(blocks(document, "text")[0], include_str!("step.ir"));
}

#[test]
fn strategies_and_deployments_parse() {
    let strategies = blocks(include_str!("../../../../docs/strategy.md"), "toml");
    assert_eq!(strategies.len(), 2);
    for text in strategies {
        Strategy::parse(text).unwrap();
    }
    let deployments = blocks(include_str!("../../../../docs/deployment.md"), "toml");
    assert_eq!(deployments.len(), 1);
    for text in deployments {
        Deployment::parse(text).unwrap();
    }
}

/// What the tables call the default is the default.
#[test]
fn documented_defaults_are_the_defaults() {
    let short = "version = 1\n[[axis]]\nname = 'a'\nkind = 'time'\n[[constraint]]\nvalues = 'x'\ndim = 0\naxes = []\n";
    let long = format!(
        "{short}segments = 1\ngranule = 1\n[collective]\nchunk_bytes = 262144\nbucket_bytes = 67108864\n[commit]\ncheckpoint_every = 50\nkeep = 3\n"
    );
    assert_eq!(Strategy::parse(short), Strategy::parse(&long));
    let short = "version = 1\n[[device]]\nname = 'a'\nmemory_mib = 1\n";
    let long = format!("{short}address = '127.0.0.1:0'\nkind = 'cpu'\nthreads = 1\nthrottle = 1.0\n");
    assert_eq!(Deployment::parse(short), Deployment::parse(&long));
}
