//! The seventeen rules, each with a title and a paragraph.
//!
//! A rule is what a person looks up; a [`crate::Fault`] is one way to break it.

use std::fmt;

/// Declares the rules with their texts.
macro_rules! rules {
    ($($id:ident $title:literal $text:literal)+) => {
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

            /// What the rule demands and how it is checked.
            pub fn paragraph(self) -> &'static str {
                match self { $(Rule::$id => $text),+ }
            }
        }
    };
}

rules! {
    P1 "names are defined once, before use"
        "Every id a plan mentions exists: buffers, templates, collectives, cuts, axes, slots, instructions, values. \
         Lists that go together have one length. The mesh is a grid filled row-major, the signature gives each \
         argument and result of the step program one role. A template computes each value once, after its operands. \
         A buffer is written once (in each turn of the loop that writes it) before it is read, and what a turn \
         wrote is gone when the turn ends. Loops run over time axes and are not nested over one axis."
    P2 "claims agree with what the buffers hold"
        "At each write the checker derives value, region and pending axes from the event alone; the buffer's claim \
         must say the same at the device's coordinate, and its bytes must suffice for the compact region. A cut is \
         used only on what has its size; a layout names an axis at most once, and a time axis only inside its loop."
    P3 "every op finds what it needs"
        "Each op of a template, at the coordinate it runs at, finds of every operand the region its access map \
         needs: whole, or pending in exactly one jointly linear set of operands, all over the same axes, all sums. \
         An op that reads a pending operand is not cut by an axis of that family, no axis cuts two factors of an \
         op, a blocked factor is not cut, and a time axis cuts only inside its loop."
    P4 "collectives match on all members"
        "The groups are the devices that differ only on the collective's space axes, in coordinate order. All \
         members of a group run the same collectives that they share in the same order, in the same turns, on \
         items of the same number, values, layouts and element type."
    P5 "the plan ends"
        "One untimed run of all devices, with collectives as meeting points, comes to an end within the bound on \
         symbolic steps. As collectives are the only meeting points, one run decides it for every interleaving."
    P6 "no write under a reader, no use after free"
        "A write takes the buffer's reserved bytes from every buffer that overlaps it: reading one of those later is \
         an error, and so is reading what was freed. No event writes where it reads, or twice in one place. State \
         at entry is never overwritten or freed (a step may be replayed), nor is what was committed."
    P7 "memory fits"
        "Buffers lie in the arena at multiples of 64 bytes. Arena and the largest scratch of the device's templates \
         fit its memory. A template's scratch is at least the peak over its ops of the results live at each (from the \
         op to the last use in the template; each rounded up to 64 bytes; constants, inputs and outputs apart), at \
         every coordinate it runs at."
    P8 "only contributions to one sum are combined"
        "Every cut table is a partition: each index exactly once. Contributions are combined once each, by the \
         monoid that made them, over the same region, and only when they come from the same decomposition (the same \
         ops under the same cut tables, whatever device or turn). Combine takes each turn of the innermost loop \
         once; what is not complete is not read."
    P9 "outputs are whole, pieces tile"
        "Each output is written once, by one device that holds it whole and all of it. The pieces an all-gather \
         joins or a reduce-scatter leaves are disjoint and cover the region exactly."
    P10 "the device supports the element types"
        "A device computes and combines only element types the deployment gives it, and is of a known kind."
    P11 "a step reads one batch and one epoch"
        "A load takes a region of its own slot's argument, whole. State is read from the epoch at entry only: after \
         the commit that state is past, and the next epoch is read only by the commit that ends the step."
    P12 "there is a route"
        "Neighbours in a collective's ring are joined by a route in the deployment."
    P13 "the plan was made for these inputs"
        "Step program, strategy and deployment have the digests that the plan names. The devices of the mesh exist \
         in the deployment and are those the strategy lists, if it does; axes the strategy fixes keep name, kind and \
         size."
    P14 "the relation to the step program is named"
        "The certificate says how results relate to the step program's: `exact`, or `floating-point reassociation`. \
         A plan that adds or multiplies floating-point contributions is not exact."
    P15 "state leaves as it entered"
        "At commit each state slot is the value the signature names, whole, in the layout in which it entered. State \
         enters whole, and in one layout on all devices, so its pieces cover it."
    P16 "replicas have one source"
        "Devices that hold the same region of the same state commit bits from the same computation: the same ops on \
         the same boxes by devices of one kind, from operands of one source, or the result of one collective (of \
         collectives whose members, in order, hold the same). That a kernel's bits follow from op, box and operands is \
         assumed."
    P17 "state commits once"
        "Every device commits exactly once in a step, outside all loops."
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
