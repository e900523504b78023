//! my_rope.c in Rust: a plug-in, and a `#[test]` of the same function.
mod ropeproof;
use ropeproof::*;

/// Half split, in f32: x and y are one head of a token.
fn my_rope(base: f64, position: i64, x: &[f32], y: &mut [f32]) {
    let half = x.len() / 2;
    for j in 0..half {
        let phi = position as f32 / (base as f32).powf(j as f32 / half as f32);
        let (sin, cos) = phi.sin_cos();
        y[j] = x[j] * cos - x[j + half] * sin;
        y[j + half] = x[j] * sin + x[j + half] * cos;
    }
}

kernel!("my-rope-rs", "1.0", F32: f32, HALF_SPLIT, A1, my_rope);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn my_rope_is_within_its_bound() {
        let (x, mut y, at) = ([0.5f32; 48], [0f32; 48], [0, 257, 4097]);
        let heads = y.chunks_mut(8).enumerate(); // two of each token
        heads.for_each(|(i, y)| my_rope(1e4, at[i / 2], &x[8 * i..8 * i + 8], y));
        let problem = Problem::dense(F32, HALF_SPLIT, [1, 3, 2, 8], &x, &y, &at, 1e4);
        unsafe { problem.assert_close() };
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
