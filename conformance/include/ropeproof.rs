//! ropeproof_kernel.h and ropeproof_judge.h for Rust, from its edition 2018 on (which cargo has;
//! rustc --edition 2021): one file, which needs std alone.
//!
//! Copy it beside your own and say `mod ropeproof;`. A plug-in is a cdylib with
//! ropeproof_describe and ropeproof_run, which kernel! makes of a function of one head. A
//! `#[test]` calls assert_close() or judge() and links libropeproof_judge: `cargo:rustc-link-lib=ropeproof_judge` in build.rs, or `-l`.
//! Fields and values mean what the headers say; `in` and `out` are `input` and `output` here.
#![allow(dead_code, unused_imports, unused_macros)]

use std::ffi::{c_void, CStr};
use std::os::raw::c_char;
use std::{mem, ptr, slice};

pub const ABI_VERSION: u32 = 1;

pub const MAX_CLAIMS: usize = 4;
pub const MAX_SECTIONS: usize = 8;

pub const OK: i32 = 0;
pub const UNSUPPORTED: i32 = 1;
pub const INVALID: i32 = 2;

pub const FREQUENCIES: u32 = 1 << 0;
pub const TABLE: u32 = 1 << 1;
pub const ROTATE: u32 = 1 << 2;
pub const ROPE: u32 = 1 << 3;
pub const PERMUTE: u32 = 1 << 4;
pub const LOOKUP: u32 = 1 << 5;

pub const F64: u32 = 1 << 0;
pub const F32: u32 = 1 << 1;
pub const F16: u32 = 1 << 2;
pub const BF16: u32 = 1 << 3;

pub const INTERLEAVED: u32 = 1 << 0;
pub const HALF_SPLIT: u32 = 1 << 1;
pub const INTERLEAVED_TO_HALF: u32 = 1 << 2;
pub const NESTED_HALF_SPLIT: u32 = 1 << 3;

pub const OUT_OF_PLACE: u32 = 1 << 0;
pub const IN_PLACE: u32 = 1 << 1;
pub const STRIDED: u32 = 1 << 2;
pub const PARTIAL: u32 = 1 << 3;
pub const WINDOW_OFFSET: u32 = 1 << 4;
pub const KEYS: u32 = 1 << 5;
pub const ADJOINT: u32 = 1 << 6;
pub const AMPLITUDE: u32 = 1 << 7;
pub const NEGATIVE_POSITIONS: u32 = 1 << 8;
pub const INV_FREQ: u32 = 1 << 9;
pub const EXPONENTS: u32 = 1 << 10;
pub const AXIS_WEIGHTS: u32 = 1 << 11;
pub const REAL_POSITIONS: u32 = 1 << 12;
pub const PAIR_DISTANCE: u32 = 1 << 13;
pub const PAIR_AMPLITUDE: u32 = 1 << 14;
pub const SPECIAL_VALUES: u32 = 1 << 15;
pub const VALIDATES: u32 = 1 << 16;
pub const DETERMINISTIC: u32 = 1 << 17;
pub const CONCURRENT: u32 = 1 << 18;
pub const EXPLICIT_LENGTH: u32 = 1 << 19;

pub const AXES_SECTIONS: u32 = 1 << 0;
pub const AXES_INTERLEAVED: u32 = 1 << 1;
pub const AXES_GRID: u32 = 1 << 2;
pub const AXES_ANY: u32 = 1 << 3;

pub const CACHE_SPLIT: u32 = 1 << 0;
pub const CACHE_SIDE_BY_SIDE: u32 = 1 << 1;
pub const CACHE_DOUBLED: u32 = 1 << 2;

pub const LINEAR: u32 = 1 << 0;
pub const NTK: u32 = 1 << 1;
pub const DYNAMIC_NTK: u32 = 1 << 2;
pub const YARN: u32 = 1 << 3;
pub const LONG_ROPE: u32 = 1 << 4;
pub const LLAMA3: u32 = 1 << 5;
pub const FREQUENCY_FACTORS: u32 = 1 << 6;

pub const A0: u32 = 0;
pub const A1: u32 = 1;
pub const A2: u32 = 2;
pub const A3: u32 = 3;

pub const POW: u32 = 0;
pub const EXP2: u32 = 1;

pub const ROUND_ONCE: u32 = 0;
pub const ROUND_EACH: u32 = 1;
pub const TRUNCATE: u32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Claim {
    pub dtypes: u32,
    pub angle_class: u32,
    pub angle_dtype: u32,
    pub power: u32,
    pub power_ulp: u32,
    pub trig_ulp: u32,
    pub table_dtype: u32,
    pub rounding: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Description {
    pub struct_size: u32,
    pub abi_version: u32,
    pub name: *const c_char,
    pub version: *const c_char,
    pub operations: u32,
    pub dtypes: u32,
    pub pairings: u32,
    pub features: u32,
    pub axis_maps: u32,
    pub caches: u32,
    pub scalings: u32,
    pub padding_bytes: u32,
    pub max_position: i64,
    pub claims: [Claim; MAX_CLAIMS],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Tensor {
    pub input: *const c_void,
    pub output: *mut c_void,
    pub heads: i64,
    pub in_batch_stride: i64,
    pub in_token_stride: i64,
    pub in_head_stride: i64,
    pub out_batch_stride: i64,
    pub out_token_stride: i64,
    pub out_head_stride: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Scaling {
    pub struct_size: u32,
    pub kind: u32,
    pub factor: f64,
    pub original_length: f64,
    pub seq_len: f64,
    pub beta_fast: f64,
    pub beta_slow: f64,
    pub low_freq_factor: f64,
    pub high_freq_factor: f64,
    pub truncate: i32,
    pub short_factor: *const f64,
    pub long_factor: *const f64,
    pub attention_factor: f64,
    pub mscale: f64,
    pub mscale_all_dim: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Problem {
    pub struct_size: u32,
    pub operation: u32,
    pub dtype: u32,
    pub table_dtype: u32,
    pub pairing: u32,
    pub direction: i32,
    pub batch: i64,
    pub seq: i64,
    pub head_dim: i64,
    pub rotary_dim: i64,
    pub rotary_offset: i64,
    pub q: Tensor,
    pub k: Tensor,
    pub positions: *const i64,
    pub position_axes: i64,
    pub position_axis_stride: i64,
    pub position_batch_stride: i64,
    pub axis_of_pair: *const i32,
    pub axis_map: u32,
    pub axis_sections: [i32; MAX_SECTIONS],
    pub base: f64,
    pub inv_freq: *const f64,
    pub inv_freq_lo: *const f64,
    pub pair_bases: *const f64,
    pub exponent_numerators: *const i64,
    pub exponent_denominators: *const i64,
    pub amplitude: f64,
    pub cos: *mut c_void,
    pub sin: *mut c_void,
    pub table_batch_stride: i64,
    pub table_token_stride: i64,
    pub cache: u32,
    pub cache_rows: i64,
    pub ids: *const i64,
    pub inv_freq_out: *mut c_void,
    pub permute_in: *const c_void,
    pub permute_out: *mut c_void,
    pub permute_heads: i64,
    pub permute_columns: i64,
    pub pair_distance: i64,
    pub pairing_blocks: i64,
    pub real_positions: *const f64,
    pub axis_weights: *const f64,
    pub pair_amplitude: *const f64,
    pub scaling: *const Scaling,
}

impl Problem {
    /// The plain problem: `input` and what a kernel has made of it, `output`, both dense
    /// [batch, seq, heads, head_dim], every channel rotated by base^(-2j/head_dim) times
    /// positions[batch, seq]. What differs is set in the result. Panics for slices of
    /// another length, and for elements that are not as wide as those of `dtype`.
    pub fn dense<T>(
        dtype: u32,
        pairing: u32,
        shape: [usize; 4],
        input: &[T],
        output: &[T],
        positions: &[i64],
        base: f64,
    ) -> Problem {
        let [batch, seq, heads, head_dim] = shape.map(|n| n as i64);
        let elements: usize = shape.iter().product();
        let bytes = match dtype {
            F64 => 8,
            F32 => 4,
            _ => 2,
        };
        assert_eq!(mem::size_of::<T>(), bytes, "dtype is {}", dtype);
        assert_eq!(
            (input.len(), output.len()),
            (elements, elements),
            "shape is {:?}",
            shape
        );
        assert_eq!(
            positions.len(),
            shape[0] * shape[1],
            "positions of shape {:?}",
            shape
        );
        let mut p: Problem = unsafe { mem::zeroed() };
        p.struct_size = mem::size_of::<Problem>() as u32;
        (p.operation, p.dtype, p.pairing, p.direction) = (ROPE, dtype, pairing, 1);
        (p.batch, p.seq, p.head_dim, p.rotary_dim) = (batch, seq, head_dim, head_dim);
        (p.q.input, p.q.output) = (input.as_ptr().cast(), output.as_ptr() as *mut c_void);
        p.q.heads = heads;
        (p.q.in_head_stride, p.q.out_head_stride) = (head_dim, head_dim);
        (p.q.in_token_stride, p.q.out_token_stride) = (heads * head_dim, heads * head_dim);
        p.q.in_batch_stride = seq * heads * head_dim;
        p.q.out_batch_stride = p.q.in_batch_stride;
        (p.positions, p.position_axes, p.position_batch_stride) = (positions.as_ptr(), 1, seq);
        (p.base, p.amplitude) = (base, 1.0);
        p
    }

    /// Panics with what is wrong in the outputs, or with why they cannot be judged.
    ///
    /// # Safety
    /// What the problem points to must be as its sizes and strides say.
    #[track_caller]
    pub unsafe fn assert_close(&self) {
        let failure = text_of(ropeproof_failure(self, ptr::null()));
        assert!(failure.is_empty(), "{}", failure);
    }

    /// Calls turn(base, position, x, y) for each head of q and k, with its head_dim elements.
    ///
    /// # Safety
    /// The problem is dense in each head, of elements T, and has one axis of positions.
    pub unsafe fn each_head<T: Copy>(&self, turn: impl Fn(f64, i64, &[T], &mut [T])) {
        let d = self.head_dim as usize;
        for t in [&self.q, &self.k] {
            for i in 0..self.batch * self.seq * t.heads {
                let (batch, token, head) =
                    (i / t.heads / self.seq, i / t.heads % self.seq, i % t.heads);
                let sum = |b, s, h| (batch * b + token * s + head * h) as isize;
                let x = sum(t.in_batch_stride, t.in_token_stride, t.in_head_stride);
                let y = sum(t.out_batch_stride, t.out_token_stride, t.out_head_stride);
                let position = *self.positions.offset(sum(self.position_batch_stride, 1, 0));
                // A copy: in a call in place y is where x is.
                let x = slice::from_raw_parts((t.input as *const T).offset(x), d).to_vec();
                let y = slice::from_raw_parts_mut((t.output as *mut T).offset(y), d);
                turn(self.base, position, &x, y);
            }
        }
    }
}

/// A whole plug-in: kernel!("name", "version", F32: f32, HALF_SPLIT, A1, turn), where
/// turn(base: f64, position: i64, x: &[f32], y: &mut [f32]) turns one head of one token.
macro_rules! kernel {
    ($name:literal, $version:literal, $dtype:ident: $element:ty, $pairing:ident, $class:ident,
     $turn:path) => {
        #[no_mangle]
        pub extern "C" fn ropeproof_describe(d: &mut Description) -> i32 {
            (d.abi_version, d.operations) = (ABI_VERSION, ROPE);
            (d.name, d.version) = (
                concat!($name, "\0").as_ptr().cast(),
                concat!($version, "\0").as_ptr().cast(),
            );
            (d.dtypes, d.pairings, d.claims[0].angle_class) = ($dtype, $pairing, $class);
            d.features = OUT_OF_PLACE | IN_PLACE | STRIDED | KEYS;
            OK
        }

        /// # Safety
        /// The problem is as the suite gives it.
        #[no_mangle]
        pub unsafe extern "C" fn ropeproof_run(p: &Problem) -> i32 {
            p.each_head::<$element>($turn);
            OK
        }
    };
}
pub(crate) use kernel;

/// What was found of one result.
pub struct Judgement(*mut c_void);

/// Judges the outputs of a problem, held to a claim; None: A1 in f32. An error is one line:
/// a problem that contradicts itself, or a claim that leaves more than 1 element in 100 open.
///
/// # Safety
/// What the problem points to must be as its sizes and strides say.
pub unsafe fn judge(problem: &Problem, claim: Option<&Claim>) -> Result<Judgement, String> {
    let mut judgement = ptr::null_mut();
    let status = ropeproof_judge(problem, claim.map_or(ptr::null(), |c| c), &mut judgement);
    let judged = Judgement(judgement);
    match status {
        OK => Ok(judged),
        _ => Err(text_of(ropeproof_error())),
    }
}

impl Judgement {
    pub fn wrong(&self) -> i64 {
        unsafe { ropeproof_wrong(self.0) }
    }
    /// The largest error over its bound.
    pub fn worst(&self) -> f64 {
        unsafe { ropeproof_worst(self.0) }
    }
    /// What is wrong, for people.
    pub fn text(&self) -> String {
        unsafe { text_of(ropeproof_text(self.0)) }
    }
    /// Of each element, q's before k's; binary64, rounded to odd.
    pub fn golden(&self) -> &[f64] {
        unsafe { slice::from_raw_parts(ropeproof_golden(self.0), self.elements()) }
    }
    /// How far each element may be from its golden.
    pub fn bound(&self) -> &[f64] {
        unsafe { slice::from_raw_parts(ropeproof_bound(self.0), self.elements()) }
    }
    fn elements(&self) -> usize {
        unsafe { ropeproof_elements(self.0) as usize }
    }
}

impl Drop for Judgement {
    fn drop(&mut self) {
        unsafe { ropeproof_free(self.0) }
    }
}

unsafe fn text_of(text: *const c_char) -> String {
    CStr::from_ptr(text).to_string_lossy().into_owned()
}

extern "C" {
    fn ropeproof_judge(p: *const Problem, claim: *const Claim, j: *mut *mut c_void) -> i32;
    fn ropeproof_elements(j: *const c_void) -> i64;
    fn ropeproof_wrong(j: *const c_void) -> i64;
    fn ropeproof_worst(j: *const c_void) -> f64;
    fn ropeproof_golden(j: *const c_void) -> *const f64;
    fn ropeproof_bound(j: *const c_void) -> *const f64;
    fn ropeproof_text(j: *const c_void) -> *const c_char;
    fn ropeproof_failure(p: *const Problem, claim: *const Claim) -> *const c_char;
    fn ropeproof_free(j: *mut c_void);
    fn ropeproof_error() -> *const c_char;
}
