//! Uneven whole-number shares of a batch.

/// Whole numbers n_i summing to `total` that minimize the longest time max over i of
/// (n_i > 0 ? overhead_i + n_i * cost_i : 0): a device without samples costs nothing. Exact: the optimum is one
/// of the times overhead_i + k * cost_i, and the smallest one at which all samples fit is found by bisection.
/// Costs are positive. Ties go to the earlier device.
pub fn optimal_shares(total: u64, cost: &[f64], overhead: &[f64]) -> Vec<u64> {
    let fits = |i: usize, time: f64| -> u64 {
        let n = ((time - overhead[i]) / cost[i] * (1.0 + 1e-12) + 1e-9).floor();
        if n >= 1.0 { (n as u64).min(total) } else { 0 }
    };
    let devices = 0..cost.len();
    let mut times: Vec<f64> =
        devices.clone().flat_map(|i| (1..=total).map(move |k| overhead[i] + k as f64 * cost[i])).collect();
    times.sort_by(f64::total_cmp);
    let enough = |time: f64| devices.clone().map(|i| fits(i, time)).sum::<u64>() >= total;
    let at = times.partition_point(|&t| !enough(t));
    let Some(&time) = times.get(at) else { return vec![0; cost.len()] };
    let mut shares: Vec<u64> = devices.clone().map(|i| fits(i, time)).collect();
    // More may fit than there is: take from whoever ends last.
    let mut surplus = shares.iter().sum::<u64>() - total;
    while surplus > 0 {
        let end = |i: usize| {
            if shares[i] > 0 { overhead[i] + shares[i] as f64 * cost[i] } else { f64::NEG_INFINITY }
        };
        let last = devices.clone().max_by(|&a, &b| end(a).total_cmp(&end(b))).unwrap_or(0);
        shares[last] -= 1;
        surplus -= 1;
    }
    shares
}

/// The longest time of a split.
pub fn makespan(shares: &[u64], cost: &[f64], overhead: &[f64]) -> f64 {
    let time = |i: usize| if shares[i] > 0 { overhead[i] + shares[i] as f64 * cost[i] } else { 0.0 };
    (0..shares.len()).map(time).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(total: u64, cost: &[f64], overhead: &[f64], want: f64) -> Vec<u64> {
        let shares = optimal_shares(total, cost, overhead);
        assert_eq!(shares.iter().sum::<u64>(), total);
        assert!((makespan(&shares, cost, overhead) - want).abs() < 1e-9, "{shares:?}");
        shares
    }

    #[test]
    fn known_optima() {
        let none = [0.0; 3];
        assert_eq!(check(28, &[1.0, 2.0, 4.0], &none, 16.0), [16, 8, 4]);
        assert_eq!(check(10, &[1.0, 2.0, 4.0], &none, 6.0), [6, 3, 1]);
        assert_eq!(check(28, &[1.0, 2.0, 4.0], &[5.0, 1.0, 1.0], 20.0), [15, 9, 4]);
        assert_eq!(check(4, &[1.0, 10.0, 10.0], &none, 4.0), [4, 0, 0]);
        check(7, &[1.0, 1.0, 10.0], &none, 4.0);
    }

    /// Against every split of small batches.
    #[test]
    fn no_split_is_better() {
        let tries = [1.0, 1.5, 2.0, 7.0];
        for total in 1..=7u64 {
            for a in tries {
                for b in tries {
                    for (oa, ob, oc) in [(0.0, 0.0, 0.0), (3.0, 0.5, 0.0), (0.0, 9.0, 2.0)] {
                        let (cost, over) = ([a, b, 3.0], [oa, ob, oc]);
                        let got = makespan(&optimal_shares(total, &cost, &over), &cost, &over);
                        let all =
                            (0..=total).flat_map(|x| (0..=total - x).map(move |y| [x, y, total - x - y]));
                        let best = all.map(|s| makespan(&s, &cost, &over)).fold(f64::INFINITY, f64::min);
                        assert!(got <= best + 1e-9, "{total} {cost:?} {over:?}: {got} > {best}");
                    }
                }
            }
        }
    }
}
