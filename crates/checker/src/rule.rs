//! The seventeen rules, each with a title and the paragraph of `docs/plan.md` that explains it.
//!
//! A rule is what a person looks up; a [`crate::Fault`] is one way to break it.

use std::fmt;

/// The document that has the rules' paragraphs, each under its rule's title.
const DOCS: &str = include_str!("../../../docs/plan.md");

/// Declares the rules with their titles.
macro_rules! rules {
    ($($id:ident $title:literal)+) => {
        /// A rule every plan must keep.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Rule { $($id),+ }

        impl Rule {
            /// All rules in order.
            pub const ALL: &'static [Rule] = &[$(Rule::$id),+];

            /// `P1`
            pub fn id(self) -> &'static str {
                match self { $(Rule::$id => stringify!($id)),+ }
            }

            /// A few words.
            pub fn title(self) -> &'static str {
                match self { $(Rule::$id => $title),+ }
            }
        }
    };
}

rules! {
    P1 "names are defined once, before use"
    P2 "claims agree with what the buffers hold"
    P3 "every op finds what it needs"
    P4 "collectives match on all members"
    P5 "the plan ends"
    P6 "no write under a reader, no use after free"
    P7 "memory fits"
    P8 "only contributions to one sum are combined"
    P9 "outputs are whole, pieces tile"
    P10 "the device supports the element types"
    P11 "a step reads one batch and one epoch"
    P12 "there is a route"
    P13 "the plan was made for these inputs"
    P14 "the relation to the step program is named"
    P15 "state leaves as it entered"
    P16 "replicas have one source"
    P17 "state commits once"
}

impl Rule {
    /// What the rule demands and how it is checked: the paragraph of `docs/plan.md`.
    pub fn paragraph(self) -> String {
        let heading = format!("### {self} {}\n\n", self.title());
        let text = DOCS.split_once(&heading).map_or("", |(_, rest)| rest);
        text.split("\n\n").next().unwrap_or_default().replace('\n', " ")
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
