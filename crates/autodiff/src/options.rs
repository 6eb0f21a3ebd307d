//! What a person can ask of derivatives of loops.
//!
//! None of it changes what a derivative is, only what is kept for it and how far it reaches.

/// Options of [`crate::linearize_with`] and its compositions; those without `_with` take the default.
///
/// ```
/// use pullback_autodiff::Options;
/// let options = Options::default().with_loop_bound(1000).with_loop_memory(1 << 30);
/// assert_eq!(options.loop_bound, Some(1000));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The most turns of a loop whose number of turns depends on data and that has no bound of its own, in reverse
    /// mode. Space for as many is kept; where a loop takes more, the derivative is NaN. Without it such a loop is an
    /// error. Forward mode needs none.
    pub loop_bound: Option<u64>,
    /// The most bytes that what one loop keeps for reverse mode may take. Where all that its turns need does not fit,
    /// values carried from turn to turn are kept and the rest is computed again; where those do not fit, the loop is
    /// split into loops in loops that do so at each level. Without it everything is kept.
    pub loop_memory: Option<u64>,
}

impl Options {
    /// With this [`Options::loop_bound`].
    pub fn with_loop_bound(mut self, turns: u64) -> Self {
        self.loop_bound = Some(turns);
        self
    }

    /// With this [`Options::loop_memory`].
    pub fn with_loop_memory(mut self, bytes: u64) -> Self {
        self.loop_memory = Some(bytes);
        self
    }
}

/// Options at one place: a loop that was split has a bound of its own, which those within it do not share.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) options: Options,
    /// The most turns of the loops of this program, not of those within them.
    pub(crate) here: Option<u64>,
}

impl Settings {
    pub(crate) fn of(options: &Options) -> Self {
        Self { options: *options, here: None }
    }

    /// Within a region.
    pub(crate) fn inside(self) -> Self {
        Self { here: None, ..self }
    }

    /// The stated bound on the turns of a loop that has none of its own.
    pub(crate) fn bound(self) -> Option<u64> {
        self.here.or(self.options.loop_bound)
    }

    /// With another limit on the bytes that a loop keeps.
    pub(crate) fn with_memory(mut self, bytes: u64) -> Self {
        self.options.loop_memory = Some(bytes);
        self
    }
}
