//! Decimal numbers, exact: what a grammar counts in, so that three tenths are written `0.3`.

use serde_json::Number;
use std::fmt;

const DIGITS: i32 = 18;
const ONE: i128 = 1_000_000_000_000_000_000;
/// Of the count of units: sums of two stay far from the ends of `i128`.
const MOST: i128 = ONE * ONE * 10;

/// A number in units of 10⁻¹⁸, within ±10¹⁹; further digits are cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Decimal(i128);

impl Decimal {
    pub const ZERO: Self = Self(0);
    pub const THOUSANDTH: Self = Self(ONE / 1000);
    pub const ONE: Self = Self(ONE);

    /// None for numbers beyond ±10¹⁹.
    pub fn from_number(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text.as_str(), "0"));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mantissa: i128 = format!("{whole}{fraction}").parse().ok()?;
        let power = exponent.parse::<i32>().ok()? + DIGITS - i32::try_from(fraction.len()).ok()?;
        let shift = 10_i128.checked_pow(power.unsigned_abs());
        let units = if power < 0 { shift.map_or(0, |shift| mantissa / shift) } else { mantissa.checked_mul(shift?)? };
        (units.abs() <= MOST).then_some(Self(units))
    }

    /// `step` is above zero.
    pub fn is_multiple_of(self, step: Self) -> bool {
        self.0 % step.0 == 0
    }

    /// The multiples of `step`, which is above zero, from `least` to `most` with both ends; None where there are more
    /// than `limit`.
    pub fn multiples(step: Self, least: Self, most: Self, limit: usize) -> Option<Vec<Self>> {
        let first = least.0.div_euclid(step.0) + i128::from(least.0.rem_euclid(step.0) != 0);
        let last = most.0.div_euclid(step.0);
        let count = usize::try_from((last - first + 1).max(0)).ok()?;
        (count <= limit).then(|| (first..=last).map(|times| Self(times * step.0)).collect())
    }
}

/// The shortest spelling without an exponent.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let (whole, fraction) = (self.0.abs() / ONE, self.0.abs() % ONE);
        if fraction == 0 {
            return write!(f, "{sign}{whole}");
        }
        let digits = format!("{fraction:018}");
        write!(f, "{sign}{whole}.{}", digits.trim_end_matches('0'))
    }
}
