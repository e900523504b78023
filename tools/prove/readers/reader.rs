// Reads one group of vectors, or the encodings: reader VECTORS_DIR/GROUP.json
use std::{env, fs, path::Path};

// What stands between the `open` after `key` and the next `close`. The files have
// no such character inside a string here, so this much JSON needs no parser.
fn after<'a>(text: &'a str, key: &str, open: char, close: char) -> &'a str {
    let text = &text[text.find(key).expect(key) + key.len()..];
    let text = &text[text.find(open).expect(key) + 1..];
    &text[..text.find(close).expect(key)]
}

// The bit patterns of a tensor: rows of hex, or [offset, bytes] of the side file.
fn patterns(tensor: &str, side: &[u8]) -> Vec<u64> {
    if !tensor.is_empty() && !tensor.contains('"') {
        let range: Vec<usize> = tensor.split(',').map(|n| n.trim().parse().unwrap()).collect();
        let bytes = side[range[0]..range[0] + range[1]].chunks(8);
        return bytes.map(|b| u64::from_le_bytes(b.try_into().unwrap())).collect();
    }
    let digits: Vec<u8> = tensor.bytes().filter(u8::is_ascii_hexdigit).collect();
    let rows = digits.chunks(16).map(|d| std::str::from_utf8(d).unwrap());
    rows.map(|d| u64::from_str_radix(d, 16).unwrap()).collect()
}

fn main() {
    let path = env::args().nth(1).expect("usage: reader VECTORS_DIR/GROUP.json");
    let text = fs::read_to_string(&path).unwrap();
    let (head, cases) = text.split_once("\"cases\": [").unwrap();
    let side = match head.contains("\"payload\"") {
        true => fs::read(Path::new(&path).with_file_name(after(after(head, "\"payload\"", '{', '}'), "\"file\":", '"', '"'))).unwrap(),
        false => Vec::new(),
    };
    for case in cases.split("\"id\":").skip(1) {
        let expected = &case[case.find("\"expected\":").unwrap()..];
        let tensor = |key| patterns(after(expected, key, '[', ']'), &side);
        let all = match expected.contains("\"q\":") {
            true => ["\"inv_freq_hi\":", "\"inv_freq_lo\":", "\"q\":", "\"k\":"].map(tensor).concat(),
            false => tensor("\"values\":"),
        };
        let mix = |sum: u32, word: u64| sum.rotate_left(5) ^ word as u32;
        let checksum = all.iter().fold(0, |sum, x| mix(mix(sum, x >> 32), *x));
        let positive = all.iter().filter(|x| f64::from_bits(**x) > 0.0).count();
        println!("{} {} {} {:08x}", after(case, "", '"', '"'), all.len(), positive, checksum);
    }
}
