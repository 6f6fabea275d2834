//! The same numbers on every machine.

/// Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators" (2014).
pub(crate) struct SplitMix64(pub(crate) u64);

impl SplitMix64 {
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// In [least, most).
    pub(crate) fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub(crate) fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }
}
