//! Meshes: named axes of space (over devices) and time (over the turns of one device).
//!
//! Here a mesh is one grid; devices fill the space axes row-major, each place once.

use pullback_base::{Id, define_id};

define_id!(
    /// An axis of the mesh.
    AxisId,
    "x"
);
define_id!(
    /// A device of the mesh; printed as the worker that drives it.
    DeviceId,
    "@w"
);

/// Whether an axis splits work over devices or over turns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum AxisKind {
    /// Coordinates are devices.
    Space,
    /// Coordinates are turns of a loop on each device.
    Time,
}

/// A named axis.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Axis {
    /// Its name in strategies.
    pub name: String,
    /// Space or time.
    pub kind: AxisKind,
    /// Number of coordinates, at least 1.
    pub size: usize,
}

/// A coordinate on every axis (time axes: the turn).
pub type Coord = Vec<usize>;

/// A device's place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The device's name in the deployment.
    pub device: String,
    /// Coordinate on every axis; 0 on time axes.
    pub coord: Coord,
}

/// A grid of axes with a device at every space coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mesh {
    /// Axes; ids are positions.
    pub axes: Vec<Axis>,
    /// Devices; ids are positions, row-major over the space axes.
    pub places: Vec<Place>,
}

impl Mesh {
    /// A mesh with these axes whose devices are named in row-major order; `None` when their number is wrong.
    pub fn new(axes: Vec<Axis>, devices: &[String]) -> Option<Self> {
        let space: Vec<usize> = (0..axes.len()).filter(|&a| axes[a].kind == AxisKind::Space).collect();
        let count = space.iter().try_fold(1usize, |n, &a| n.checked_mul(axes[a].size))?;
        if count != devices.len() || axes.iter().any(|a| a.size == 0) {
            return None;
        }
        let places = devices.iter().enumerate().map(|(i, device)| {
            let mut coord = vec![0; axes.len()];
            let mut rest = i;
            for &a in space.iter().rev() {
                coord[a] = rest % axes[a].size;
                rest /= axes[a].size;
            }
            Place { device: device.clone(), coord }
        });
        let places = places.collect();
        Some(Self { axes, places })
    }

    /// An axis.
    pub fn axis(&self, id: AxisId) -> &Axis {
        &self.axes[id.index()]
    }

    /// The axis named so.
    pub fn axis_named(&self, name: &str) -> Option<AxisId> {
        self.axes.iter().position(|a| a.name == name).map(AxisId::from_index)
    }

    /// All axes.
    pub fn axis_ids(&self) -> impl Iterator<Item = AxisId> + use<> {
        (0..self.axes.len()).map(AxisId::from_index)
    }

    /// Whether an axis is one of time.
    pub fn is_time(&self, id: AxisId) -> bool {
        self.axis(id).kind == AxisKind::Time
    }

    /// All devices.
    pub fn devices(&self) -> impl Iterator<Item = DeviceId> + use<> {
        (0..self.places.len()).map(DeviceId::from_index)
    }

    /// A device's place.
    pub fn place(&self, id: DeviceId) -> &Place {
        &self.places[id.index()]
    }

    /// Devices that differ only on `axes`, in order of their coordinates there; one list per group.
    pub fn groups(&self, axes: &[AxisId]) -> Vec<Vec<DeviceId>> {
        let mut groups: std::collections::BTreeMap<Coord, Vec<DeviceId>> = Default::default();
        for d in self.devices() {
            let mut key = self.place(d).coord.clone();
            for a in axes {
                key[a.index()] = 0;
            }
            groups.entry(key).or_default().push(d);
        }
        for group in groups.values_mut() {
            group.sort_by_key(|&d| axes.iter().map(|a| self.place(d).coord[a.index()]).collect::<Vec<_>>());
        }
        groups.into_values().collect()
    }
}
