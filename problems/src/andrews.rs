//! Andrews' squeezing mechanism: seven bodies, seven angles, six constraints, M(p) full.
//!
//! Equations and data of the Test Set for IVP Solvers (Lioen & de Swart; Mazzia & Magherini) and of
//! Hairer & Wanner II, VII.7. p = (β, Θ, γ, Φ, δ, Ω, ε).

use super::problem::{from_index, Problem};
use geoms::layout::Dimensions;
use geoms::mechanism::dual::Real;
use geoms::mechanism::{Blocks, Mechanism};

const SOURCE: &str =
    "Test Set for IVP Solvers, Andrews' squeezing mechanism; W. Schiehlen (ed.), Multibody Systems \
                      Handbook, Springer 1990";
const PUBLISHED: &str = "Test Set for IVP Solvers (PSIDE, tolerance 1e-14): 10 digits of p, 7 of v and λ";
const QUADRUPLE: &str = "extrapolation of the index-1 equations in quadruple precision, tolerance 1e-25";

pub(super) const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
pub(super) const I: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
pub(super) const XA: f64 = -0.06934;
pub(super) const YA: f64 = -0.00227;
pub(super) const XB: f64 = -0.03635;
pub(super) const YB: f64 = 0.03273;
pub(super) const XC: f64 = 0.014;
pub(super) const YC: f64 = 0.072;
pub(super) const D: f64 = 0.028;
pub(super) const DA: f64 = 0.0115;
pub(super) const E: f64 = 0.02;
pub(super) const EA: f64 = 0.01421;
pub(super) const RR: f64 = 0.007;
pub(super) const RA: f64 = 0.00092;
pub(super) const SS: f64 = 0.035;
pub(super) const SA: f64 = 0.01874;
pub(super) const SB: f64 = 0.01043;
pub(super) const SC: f64 = 0.018;
pub(super) const SD: f64 = 0.02;
pub(super) const TA: f64 = 0.02308;
pub(super) const TB: f64 = 0.00916;
pub(super) const U: f64 = 0.04;
pub(super) const UA: f64 = 0.01228;
pub(super) const UB: f64 = 0.00449;
pub(super) const ZF: f64 = 0.02;
pub(super) const ZT: f64 = 0.04;
pub(super) const FA: f64 = 0.01421;
pub(super) const C0: f64 = 4530.0;
pub(super) const L0: f64 = 0.07785;
pub(super) const MOMENT: f64 = 0.033;
/// Distances of the centres of bodies 4 and 6 from their joints.
pub(super) const Z: f64 = E - EA;
pub(super) const W: f64 = ZF - FA;

/// The mechanism. Invariant: the energy, with the work of the drive.
#[derive(Clone, Copy, Debug)]
pub struct Andrews;

impl Andrews {
    /// Vector from C to the spring's end D.
    fn spring<T: Real>(gamma: T) -> (T, T) {
        let (s, c) = (gamma.sin(), gamma.cos());
        (c * SD + s * SC + (XB - XC), s * SD - c * SC + (YB - YC))
    }
}

impl Mechanism for Andrews {
    fn dimensions(&self) -> Dimensions {
        Dimensions { np: 7, nv: 7, nl: 6, ni: 1, ..Dimensions::default() }
    }

    fn mass<T: Real>(&self, _t: T, p: &[T], m: &mut [T]) {
        let (ct, sp, so) = (p[1].cos(), p[3].sin(), p[5].sin());
        let mut put = |i: usize, j: usize, value: T| {
            m[i - 1 + 7 * (j - 1)] = value;
            m[j - 1 + 7 * (i - 1)] = value;
        };
        put(1, 1, (ct * (-2.0 * DA * RR) + (RR * RR + DA * DA)) * M[1] + (M[0] * RA * RA + I[0] + I[1]));
        put(2, 1, (ct * (-DA * RR) + DA * DA) * M[1] + I[1]);
        put(2, 2, T::real(M[1] * DA * DA + I[1]));
        put(3, 3, T::real(M[2] * (SA * SA + SB * SB) + I[2]));
        put(4, 4, T::real(M[3] * Z * Z + I[3]));
        put(5, 4, (sp * (ZT * Z) + Z * Z) * M[3] + I[3]);
        put(
            5,
            5,
            (sp * (2.0 * ZT * Z) + (ZT * ZT + Z * Z)) * M[3] + (M[4] * (TA * TA + TB * TB) + I[3] + I[4]),
        );
        put(6, 6, T::real(M[5] * W * W + I[5]));
        put(7, 6, (so * (-U * W) + W * W) * M[5] + I[5]);
        put(
            7,
            7,
            (so * (-2.0 * U * W) + (W * W + U * U)) * M[5] + (M[6] * (UA * UA + UB * UB) + I[5] + I[6]),
        );
    }

    fn force<T: Real>(&self, _t: T, x: &Blocks<'_, T>, f: &mut [T]) {
        let (p, v) = (x.p, x.v);
        let (dx, dy) = Self::spring(p[2]);
        let length = (dx.sq() + dy.sq()).sqrt();
        let pull = (length - L0) / length * -C0;
        let (sg, cg) = (p[2].sin(), p[2].cos());
        f[0] = v[1] * (v[1] + v[0] * 2.0) * p[1].sin() * (-M[1] * DA * RR) + MOMENT;
        f[1] = v[0].sq() * p[1].sin() * (M[1] * DA * RR);
        f[2] = pull * (dx * (cg * SC - sg * SD) + dy * (cg * SD + sg * SC));
        f[3] = v[4].sq() * p[3].cos() * (M[3] * ZT * Z);
        f[4] = v[3] * (v[3] + v[4] * 2.0) * p[3].cos() * (-M[3] * ZT * Z);
        f[5] = v[6].sq() * p[5].cos() * (-M[5] * U * W);
        f[6] = v[5] * (v[5] + v[6] * 2.0) * p[5].cos() * (M[5] * U * W);
    }

    fn holonomic<T: Real>(&self, _t: T, p: &[T], _s: &[T], g: &mut [T]) {
        let (bt, pd, oe) = (p[0] + p[1], p[3] + p[4], p[5] + p[6]);
        let x = p[0].cos() * RR - bt.cos() * D;
        let y = p[0].sin() * RR - bt.sin() * D;
        g[0] = x - p[2].sin() * SS - XB;
        g[1] = y + p[2].cos() * SS - YB;
        g[2] = x - pd.sin() * E - p[4].cos() * ZT - XA;
        g[3] = y + pd.cos() * E - p[4].sin() * ZT - YA;
        g[4] = x - oe.cos() * ZF - p[6].sin() * U - XA;
        g[5] = y - oe.sin() * ZF + p[6].cos() * U - YA;
    }

    fn invariants<T: Real>(&self, t: T, p: &[T], v: &[T], _s: &[T], e: &mut [T]) {
        let mut m = [T::zero(); 49];
        self.mass(t, p, &mut m);
        for (column, &vj) in m.chunks(7).zip(v) {
            for (&mij, &vi) in column.iter().zip(v) {
                e[0] += vi * mij * vj * 0.5;
            }
        }
        let (dx, dy) = Self::spring(p[2]);
        e[0] += ((dx.sq() + dy.sq()).sqrt() - L0).sq() * (0.5 * C0) - p[0] * MOMENT;
    }
}

/// The problem of this file.
pub fn problems() -> Vec<Problem> {
    let mut x0 = vec![98.566_870_396_241_09, -6.122_688_344_255_662, 0.0, 0.0, 0.0, 0.0];
    x0.extend([0.0; 7]);
    x0.extend([
        -0.061_713_890_014_276_45,
        0.0,
        0.455_279_819_163_070_4,
        0.222_668_390_165_885_88,
        0.487_364_979_543_842_55,
        -0.222_668_390_165_885_88,
        1.230_547_444_549_821_2,
    ]);
    let accurate = [
        1.991_753_481_045_386_3e2,
        -2.975_530_997_497_176_3e1,
        2.306_654_361_162_215e1,
        3.145_272_527_577_114e1,
        2.264_249_478_639_438e1,
        1.161_739_235_261_125_6e1,
        1.139_920_302_259_106_1e3,
        -1.424_379_295_177_54e3,
        1.103_291_191_061_859_4e1,
        1.929_337_410_503_204e1,
        5.735_699_148_295_025e-1,
        -1.929_337_410_503_204e1,
        3.231_791_492_491_309e-1,
        1.581_077_119_515_370_7e1,
        -1.575_637_105_841_184e1,
        4.082_224_011_964_58e-2,
        -5.347_301_163_420_796e-1,
        5.244_099_658_799_541e-1,
        5.347_301_163_420_796e-1,
        1.048_080_741_041_938,
    ];
    let later = [
        1.089_054_884_295_292_5e2,
        -2.721_622_114_844_481e1,
        1.260_204_174_074_993e1,
        -4.154_775_281_620_476e1,
        1.815_834_111_468_958e1,
        1.053_745_518_262_451e2,
        1.144_535_502_653_847_5e3,
        -1.336_033_722_651_192_5e3,
        -1.909_370_686_042_946e2,
        -3.343_170_608_708_646e2,
        8.758_650_829_430_152e-1,
        3.343_170_608_708_646e2,
        -3.961_728_897_835_299_5e1,
        3.382_586_776_695_452e1,
        -3.358_343_151_746_387e1,
        1.133_950_738_125_990_2e-1,
        -4.078_528_656_018_844_4e-1,
        5.260_604_449_169_958e-1,
        4.078_528_656_018_844_4e-1,
        1.056_902_429_434_962_8,
    ];
    let published = [
        0.158_107_711_962_990_4e2,
        -0.157_563_710_598_429_8e2,
        0.408_222_401_307_310_1e-1,
        -0.534_730_116_322_694_8,
        0.524_409_965_880_530_4,
        0.534_730_116_322_694_8,
        0.104_808_074_104_226_3e1,
    ];
    vec![Problem::of_mechanism("andrews", SOURCE, Andrews, 0.03, x0)
        .with_reference(0.03, QUADRUPLE, from_index(0, &accurate))
        .with_reference(0.05, QUADRUPLE, from_index(0, &later))
        .with_reference(0.03, PUBLISHED, from_index(13, &published))]
}
