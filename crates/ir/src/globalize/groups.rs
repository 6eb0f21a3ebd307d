//! Groups of devices as groups of places in the grid of axes that a program knows.

use super::Global;
use crate::batch::{Result, refused};
use crate::op::{Across, Communication, Groups};

/// Groups of places, each place in at most one.
pub(super) type Places = Vec<Vec<usize>>;

/// How far groups reach.
pub(super) enum Reach {
    /// Among places.
    Within(Places),
    /// Along other axes only: numbers of devices, for the program around this one.
    Beyond(Vec<Vec<usize>>),
    /// Among these places first, then along other axes.
    Both(Places, Vec<Vec<usize>>),
}

impl Global<'_> {
    /// For each number of a device, its place and its index along the axes that the program does not know.
    fn place(&self, number: usize) -> Option<(usize, usize)> {
        let numbers = &self.devices.numbers;
        numbers.iter().enumerate().find_map(|(p, at)| Some((p, at.iter().position(|&n| n == number)?)))
    }

    /// Lists of numbers as lists of places: they stay at one index of the axes that the program does not know, and
    /// are alike for all of these.
    fn lists(&self, name: &'static str, lists: &[Vec<usize>]) -> Result<Places> {
        let others = self.devices.numbers.first().map_or(0, Vec::len);
        let mut at: Vec<Places> = vec![Vec::new(); others];
        for list in lists {
            let mut places = Vec::with_capacity(list.len());
            let mut index = None;
            for &number in list {
                let Some((place, other)) = self.place(number) else {
                    return Err(refused(name, format!("{number} is the number of no device of the mesh")));
                };
                if *index.get_or_insert(other) != other {
                    let why = "it reaches along axes of the mesh that the computation is not manual over";
                    return Err(refused(name, why.to_owned()));
                }
                places.push(place);
            }
            if let Some(other) = index {
                at[other].push(places);
            }
        }
        let mut all = at.into_iter().map(|mut places| {
            places.sort_unstable();
            places
        });
        let first = all.next().unwrap_or_default();
        if all.any(|other| other != first) {
            let why = "it differs along axes of the mesh that the computation is not manual over";
            return Err(refused(name, why.to_owned()));
        }
        Ok(first)
    }

    /// The numbers of the devices in each group of a collective.
    fn numbers(&self, op: &Communication, groups: &Groups) -> Result<Vec<Vec<usize>>> {
        let mut all: Vec<usize> = self.devices.numbers.iter().flatten().copied().collect();
        all.sort_unstable();
        // There is one replica.
        let replicas = groups.groups.iter().flatten().all(|&r| r == 0);
        Ok(match (groups.across, &groups.groups[..]) {
            (Across::Replicas, _) if replicas => all.iter().map(|&n| vec![n]).collect(),
            (Across::ReplicasAndPartitions, _) if replicas => vec![all],
            (Across::Replicas | Across::ReplicasAndPartitions, _) => {
                return Err(refused(op.name(), "it names several replicas, but there is one".to_owned()));
            }
            (Across::Partitions | Across::FlattenedIds, []) => vec![all],
            (Across::Partitions | Across::FlattenedIds, lists) => lists.to_vec(),
        })
    }

    /// How far the groups of a collective reach.
    pub(super) fn reach(&self, op: &Communication, groups: &Groups) -> Result<Reach> {
        let lists = self.numbers(op, groups)?;
        self.reach_of(op.name(), lists)
    }

    fn reach_of(&self, name: &'static str, lists: Vec<Vec<usize>>) -> Result<Reach> {
        match self.lists(name, &lists) {
            Err(e) if self.devices.nested => match self.beyond(&lists) {
                Some(reach) => Ok(reach),
                None => Err(e),
            },
            places => places.map(Reach::Within),
        }
    }

    /// Lists that reach along axes that the program does not know: of members at one place each, or of all places of
    /// some with all indices of some.
    fn beyond(&self, lists: &[Vec<usize>]) -> Option<Reach> {
        let mut inner: Places = Vec::new();
        let mut outer: Vec<Vec<usize>> = Vec::new();
        for list in lists {
            let (mut places, mut others) = (Vec::new(), Vec::new());
            for &number in list {
                let (place, other) = self.place(number)?;
                if !places.contains(&place) {
                    places.push(place);
                }
                if !others.contains(&other) {
                    others.push(other);
                }
            }
            if places.len() * others.len() != list.len() {
                return None;
            }
            for &place in &places {
                outer.push(others.iter().map(|&o| self.devices.numbers[place][o]).collect());
            }
            places.sort_unstable();
            if !inner.contains(&places) {
                inner.push(places);
            }
        }
        let alone = inner.iter().all(|g| g.len() == 1);
        let mut all: Vec<usize> = inner.iter().flatten().copied().collect();
        all.sort_unstable();
        let each_once = all.windows(2).all(|w| w[0] != w[1]);
        // With places alone the lists stay as they are, members in order.
        match (alone, each_once) {
            (true, _) => Some(Reach::Beyond(lists.to_vec())),
            (false, true) => Some(Reach::Both(inner, outer)),
            (false, false) => None,
        }
    }

    /// For each place, the place that a permutation takes from; or whether it reaches along other axes.
    pub(super) fn sources(
        &self,
        op: &Communication,
        pairs: &[(usize, usize)],
        across: Across,
    ) -> Result<Option<Vec<Option<usize>>>> {
        let mut sources = vec![None; self.devices.numbers.len()];
        if across == Across::Replicas {
            // Of the one replica to itself, or nothing.
            if pairs.contains(&(0, 0)) {
                sources = (0..sources.len()).map(Some).collect();
            }
            return Ok(Some(sources));
        }
        let lists: Vec<Vec<usize>> = pairs.iter().map(|&(s, t)| vec![s, t]).collect();
        match self.reach_of(op.name(), lists)? {
            Reach::Within(places) => {
                for pair in places {
                    if let [source, target] = pair[..] {
                        sources[target] = Some(source);
                    }
                }
                Ok(Some(sources))
            }
            Reach::Beyond(_) => Ok(None),
            Reach::Both(..) => {
                let why = "it permutes along axes of this computation and of the one around it at once";
                Err(refused(op.name(), why.to_owned()))
            }
        }
    }
}

/// The axes along which the members of each group lie, the first the slowest, where groups are just that.
pub(super) fn along_axes(groups: &Places, axes: &[usize]) -> Option<Vec<usize>> {
    let places: usize = axes.iter().product();
    let size = groups.first()?.len();
    if groups.iter().map(Vec::len).sum::<usize>() != places {
        return None;
    }
    let index = |place: usize| {
        let mut rest = place;
        let mut index = vec![0; axes.len()];
        for d in (0..axes.len()).rev() {
            (index[d], rest) = (rest % axes[d], rest / axes[d]);
        }
        index
    };
    let place = |index: &[usize]| index.iter().zip(axes).fold(0, |p, (&i, &n)| p * n + i);
    // The fastest axis is the one that the second member differs in, and so on in steps.
    let first = groups.first()?;
    let start = index(first[0]);
    let mut order = Vec::new();
    let mut step = 1;
    while step < size {
        let other = index(*first.get(step)?);
        let d = (0..axes.len()).find(|&d| other[d] != start[d])?;
        if order.contains(&d) {
            return None;
        }
        order.insert(0, d);
        step *= axes[d];
    }
    for group in groups {
        let start = index(*group.first()?);
        for (k, &member) in group.iter().enumerate() {
            let mut at = start.clone();
            let mut rest = k;
            for &d in order.iter().rev() {
                (at[d], rest) = (rest % axes[d], rest / axes[d]);
            }
            if group.len() != size || place(&at) != member {
                return None;
            }
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::along_axes;

    #[test]
    fn groups_along_axes_are_recognized() {
        let axes = [2, 3];
        let along = |groups: &[&[usize]]| along_axes(&groups.iter().map(|g| g.to_vec()).collect(), &axes);
        assert_eq!(along(&[&[0, 1, 2, 3, 4, 5]]), Some(vec![0, 1]));
        assert_eq!(along(&[&[0, 3, 1, 4, 2, 5]]), Some(vec![1, 0]));
        assert_eq!(along(&[&[0, 1, 2], &[3, 4, 5]]), Some(vec![1]));
        assert_eq!(along(&[&[0, 3], &[1, 4], &[2, 5]]), Some(vec![0]));
        assert_eq!(along(&[&[0], &[1], &[2], &[3], &[4], &[5]]), Some(vec![]));
        let none: [&[&[usize]]; 4] =
            [&[&[0, 1, 2], &[3, 5, 4]], &[&[1, 0, 2], &[3, 4, 5]], &[&[0, 1], &[2, 3], &[4, 5]], &[&[0, 1]]];
        for groups in none {
            assert_eq!(along(groups), None, "{groups:?}");
        }
    }
}
