//! How much memory this process has, over time.

/// Spans that the pictures are cut into; the first `WARM_UP` do not count. The faults are among them: a fresh app leaves
/// the heap in more pieces, once.
const SPANS: usize = 20;
const WARM_UP: usize = 8;
/// In a short run the heap still finds its size. What leaks its picture each time shows there, too.
const LONG: usize = 1000;
const DEVIATION_MAX: f64 = 0.05;
const DEVIATION_MAX_OF_SHORT: f64 = 0.15;

/// VmRSS in KiB; `None` where the system does not say.
pub(crate) fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?.split_whitespace().next()?.parse().ok()
}

/// Medians over spans of equally many pictures, so that what one request holds for a moment does not show.
pub(crate) struct Memory {
    pub(crate) warm_kib: u64,
    pub(crate) end_kib: u64,
    /// Of any later span from the warm one.
    pub(crate) largest_deviation: f64,
    pub(crate) deviation_max: f64,
}

impl Memory {
    /// `None` for fewer samples than spans.
    pub(crate) fn of(samples_kib: &[u64]) -> Option<Self> {
        let medians: Vec<u64> = samples_kib.chunks((samples_kib.len() / SPANS).max(1)).map(median).collect();
        let warm_kib = *medians.get(WARM_UP - 1).filter(|_| medians.len() >= SPANS)?;
        let deviation = |kib: &u64| kib.abs_diff(warm_kib) as f64 / warm_kib as f64;
        let largest_deviation = medians[WARM_UP..].iter().map(deviation).fold(0.0, f64::max);
        let deviation_max = if samples_kib.len() < LONG { DEVIATION_MAX_OF_SHORT } else { DEVIATION_MAX };
        Some(Self { warm_kib, end_kib: *medians.last()?, largest_deviation, deviation_max })
    }
}

fn median(span: &[u64]) -> u64 {
    let mut sorted = span.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}
