//! my_rope.c in Rust: a plug-in, and a `#[test]` of the same function.
mod ropeproof;
use ropeproof::*;

/// Half split, in f32: x and y are dense [tokens, heads, 2 half].
unsafe fn my_rope(x: *const f32, y: *mut f32, at: *const i64, shape: [i64; 3], base: f32) {
    let [tokens, heads, half] = shape.map(|n| n as usize);
    for i in 0..tokens * heads * half {
        let (j, token) = (i % half, i / half / heads);
        let phi = *at.add(token) as f32 / base.powf(j as f32 / half as f32);
        let (u, v) = (2 * i - j, 2 * i - j + half);
        let ((sin, cos), x_u, x_v) = (phi.sin_cos(), *x.add(u), *x.add(v));
        *y.add(u) = x_u * cos - x_v * sin;
        *y.add(v) = x_u * sin + x_v * cos;
    }
}

#[no_mangle]
pub extern "C" fn ropeproof_describe(d: &mut Description) -> i32 {
    (d.abi_version, d.operations, d.features) = (ABI_VERSION, ROPE, OUT_OF_PLACE | IN_PLACE);
    (d.name, d.version) = ("my-rope-rs\0".as_ptr().cast(), "1.0\0".as_ptr().cast());
    (d.dtypes, d.pairings, d.claims[0].angle_class) = (F32, HALF_SPLIT, A1);
    OK
}

/// # Safety
/// The problem is as the suite gives it.
#[no_mangle]
pub unsafe extern "C" fn ropeproof_run(p: &Problem) -> i32 {
    for b in 0..p.batch {
        let x = (p.q.input as *const f32).offset((b * p.q.in_batch_stride) as isize);
        let y = (p.q.output as *mut f32).offset((b * p.q.out_batch_stride) as isize);
        let positions = p.positions.offset((b * p.position_batch_stride) as isize);
        let shape = [p.seq, p.q.heads, p.head_dim / 2];
        my_rope(x, y, positions, shape, p.base as f32);
    }
    OK
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn my_rope_is_within_its_bound() {
        let (x, at) = ([0.5f32; 3 * 2 * 8], [0, 257, 4097]);
        let mut y = x;
        unsafe { my_rope(x.as_ptr(), y.as_mut_ptr(), at.as_ptr(), [3, 2, 4], 10000.0) };
        let problem = Problem::dense(F32, HALF_SPLIT, [1, 3, 2, 8], &x, &y, &at, 10000.0);
        let judged = unsafe { judge(&problem, None) }.unwrap();
        assert_eq!(judged.wrong(), 0, "{}", judged.text());
    }

    #[test]
    fn a_result_that_is_not_rotated_is_told_so() {
        let x = [0.5f32; 2 * 8];
        let problem = Problem::dense(F32, HALF_SPLIT, [1, 2, 1, 8], &x, &x, &[1, 257], 10000.0);
        let judged = unsafe { judge(&problem, None) }.unwrap();
        assert!(judged.text().contains("not rotated"), "{}", judged.text());
        assert!(judged.worst() > 1.0);
        assert_eq!(judged.golden().len(), judged.bound().len());
    }

    #[test]
    fn a_problem_that_contradicts_itself_is_refused_in_a_line() {
        let x = [0.5f32; 8];
        let mut problem = Problem::dense(F32, HALF_SPLIT, [1, 1, 1, 8], &x, &x, &[1], 10000.0);
        problem.rotary_dim = 7;
        let refused = unsafe { judge(&problem, None) }.err().unwrap();
        assert!(refused.contains("rotary_dim is 7"), "{}", refused);
        let far = [1i64 << 40];
        let problem = Problem::dense(F32, HALF_SPLIT, [1, 1, 1, 8], &x, &x, &far, 10000.0);
        let open = unsafe { judge(&problem, None) }.err().unwrap();
        assert!(open.contains("8 of 8 elements were not judged"), "{}", open);
    }
}
