// goldens.rs -- reads goldens.txt and goldens.safetensors, as goldens.c.
//
//     rustc --edition 2021 goldens.rs -o goldens && ./goldens DIR
use std::{env, fs};

fn main() {
    let folder = env::args().nth(1).expect("DIR");
    let text = fs::read_to_string(format!("{folder}/goldens.txt")).unwrap();
    let data = fs::read(format!("{folder}/goldens.safetensors")).unwrap();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        if words[0] != "tensor" {
            continue;
        }
        let width = match words[3] {
            "F64" | "I64" => 8,
            "F32" | "I32" => 4,
            _ => 2,
        };
        let count: usize = words[4].parse().unwrap();
        let offset: usize = words[5].parse().unwrap();
        // f64::from_le_bytes(chunk.try_into().unwrap()) of chunks_exact(8) are the numbers.
        let sum = data[offset..offset + count * width]
            .iter()
            .fold(0u32, |sum, &byte| sum.wrapping_mul(31).wrapping_add(byte as u32));
        println!("{}/{} {} {:08x}", words[1], words[2], count, sum);
    }
}
