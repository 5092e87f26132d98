//! Go's `math.Log2`, to the last bit: pods are compared by its whole part, and another library's rounding would move an
//! age that is a few nanoseconds below a power of two into another bucket.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use core::f64::consts::{FRAC_1_SQRT_2, LOG2_E};

/// Upstream: Go `math/log10.go Log2`, for positive normal numbers, which an age is.
pub(crate) fn log2(x: f64) -> f64 {
    let (frac, exp) = frexp(x);
    // Exact powers of two give an exact answer.
    if frac == 0.5 {
        return f64::from(exp) - 1.0;
    }
    log(frac) * LOG2_E + f64::from(exp)
}

/// Splits x into a fraction in [0.5, 1) and a power of two.
///
/// Upstream: Go `math/frexp.go Frexp`, for positive normal numbers
fn frexp(x: f64) -> (f64, i32) {
    const MANTISSA_BITS: u32 = 52;
    const EXPONENT_MASK: u64 = 0x7ff;
    const EXPONENT_OF_A_HALF: u64 = 1022;
    let bits = x.to_bits();
    let exponent = (bits >> MANTISSA_BITS) & EXPONENT_MASK;
    let exp = i32::try_from(exponent).unwrap_or_default().wrapping_sub(1022);
    let frac = (bits & !(EXPONENT_MASK << MANTISSA_BITS)) | (EXPONENT_OF_A_HALF << MANTISSA_BITS);
    (f64::from_bits(frac), exp)
}

/// The natural logarithm of a positive normal number. Go's amd64 assembly does the same operations in the same order, none of them fused.
///
/// Upstream: Go `math/log.go log`, after FreeBSD's
#[expect(clippy::excessive_precision, reason = "the constants as they are written upstream")]
pub(crate) fn log(x: f64) -> f64 {
    const LN2_HI: f64 = 6.93147180369123816490e-01;
    const LN2_LO: f64 = 1.90821492927058770002e-10;
    const L1: f64 = 6.666666666666735130e-01;
    const L2: f64 = 3.999999999940941908e-01;
    const L3: f64 = 2.857142874366239149e-01;
    const L4: f64 = 2.222219843214978396e-01;
    const L5: f64 = 1.818357216161805012e-01;
    const L6: f64 = 1.531383769920937332e-01;
    const L7: f64 = 1.479819860511658591e-01;

    let (mut f1, ki) = frexp(x);
    let mut k = f64::from(ki);
    if f1 < FRAC_1_SQRT_2 {
        f1 *= 2.0;
        k -= 1.0;
    }
    let f = f1 - 1.0;

    let s = f / (2.0 + f);
    let s2 = s * s;
    let s4 = s2 * s2;
    let t1 = s2 * (L1 + s4 * (L3 + s4 * (L5 + s4 * L7)));
    let t2 = s4 * (L2 + s4 * (L4 + s4 * L6));
    let r = t1 + t2;
    let hfsq = 0.5 * f * f;
    k * LN2_HI - ((hfsq - (s * (hfsq + r) + k * LN2_LO)) - f)
}

/// Go's `float64(number)`.
#[expect(clippy::as_conversions, reason = "Go's own conversion, and there is no From between i64 and f64")]
pub(crate) const fn to_f64(number: i64) -> f64 {
    number as f64
}

/// Go's `int64(number)`, for numbers in its range.
#[expect(clippy::as_conversions, reason = "a float64 is cut to a whole number here, as Go does")]
pub(crate) const fn from_f64(number: f64) -> i64 {
    number as i64
}

/// Go's `int64(math.Round(number))`: halves go away from zero.
pub(crate) fn round(number: f64) -> i64 {
    let whole = from_f64(number);
    let rest = number - to_f64(whole);
    if rest >= 0.5 {
        whole.saturating_add(1)
    } else if rest <= -0.5 {
        whole.saturating_sub(1)
    } else {
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::log2;

    /// The bits of a million logarithms, folded (FNV-1a over whole words), against what the same loop gives in Go 1.26
    /// on amd64 with `math.Log2`.
    #[test]
    #[expect(clippy::as_conversions, reason = "the conversion under test")]
    fn same_bits_as_go() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut folded = 14_695_981_039_346_656_037_u64;
        for _ in 0..1_000_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let age = ((state >> 1) >> (state % 60)).max(1);
            folded = (folded ^ log2(age as f64).to_bits()).wrapping_mul(1_099_511_628_211);
        }
        assert_eq!(folded, 4_864_328_084_675_301_204);
    }
}
