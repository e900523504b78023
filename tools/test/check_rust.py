"""ropeproof.rs has the constants and the structs of the headers.

  check_rust.py SOURCE_DIR WORK_DIR CC RUSTC
  check_rust.py SOURCE_DIR --write            writes the constants into ropeproof.rs

The constants of ropeproof.rs are written from ropeproof_kernel.h, and must be these. A C and a
Rust program print each constant, the size of each struct and the place of each field; both
must print the same.
"""

import pathlib
import re
import subprocess
import sys

include = pathlib.Path(sys.argv[1]).resolve() / "conformance" / "include"
rust = (include / "ropeproof.rs").read_text()
header = re.sub(r"/\*.*?\*/", "", (include / "ropeproof_kernel.h").read_text(), flags=re.S)


def rust_type(name):
    return "usize" if name.startswith("MAX_") else "i32" if name in STATUSES else "u32"


STATUSES = ("OK", "UNSUPPORTED", "INVALID")
enums = [f"ROPEPROOF_ABI_VERSION = {re.search('ABI_VERSION ([0-9]+)u', header)[1]}",
         *re.findall(r"\benum \{(.*?)\}", header, re.S)]
written = "\n".join("".join(
    f"pub const {name}: {rust_type(name)} = {' '.join(value.split())};\n"
    for name, value in re.findall(r"ROPEPROOF_(\w+)\s*=\s*([^,]*)", enum)) for enum in enums)
constants = re.findall(r"pub const (\w+):", written)
expected = re.sub(r"(pub const .*\n\n?)+(?=\n)", lambda _: written, rust, count=1)
if sys.argv[2] == "--write":
    (include / "ropeproof.rs").write_text(expected)
    sys.exit()
if rust != expected:
    sys.exit("ropeproof.rs has other constants than ropeproof_kernel.h; `python3 "
             "tools/test/check_rust.py . --write` writes them")
work, (cc, rustc) = pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:5]

c_lines, rust_lines = [], []
for name in constants:
    c_lines.append(f'printf("{name} %lld\\n", (long long)ROPEPROOF_{name});')
    rust_lines.append(f'println!("{name} {{}}", {name});')
C_NAMES = {"input": "in", "output": "out"}
for name, body in re.findall(r"pub struct (\w+) \{\n(.*?)\n\}", rust, re.S):
    c_name = f"ropeproof_{name.lower()}"
    c_lines.append(f'printf("{name} %zu\\n", sizeof({c_name}));')
    rust_lines.append(f'println!("{name} {{}}", std::mem::size_of::<{name}>());')
    rust_lines.append(f"let s = std::mem::MaybeUninit::<{name}>::uninit(); let at = s.as_ptr();")
    for field in re.findall(r"pub (\w+):", body):
        c_lines.append(f'printf("{name}.{field} %zu\\n", '
                       f"offsetof({c_name}, {C_NAMES.get(field, field)}));")
        rust_lines.append(f'println!("{name}.{field} {{}}", unsafe {{ '
                          f"std::ptr::addr_of!((*at).{field}) as usize }} - at as usize);")

work.mkdir(parents=True, exist_ok=True)
(work / "c.c").write_text("#include <ropeproof_kernel.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                          "int main(void) {\n" + "\n".join(c_lines) + "\nreturn 0; }\n")
(work / "rust.rs").write_text(f"#[path = {str(include / 'ropeproof.rs')!r}]\n".replace("'", '"')
                              + "mod ropeproof;\nuse ropeproof::*;\nfn main() {\n"
                              + "\n".join(rust_lines) + "\n}\n")
subprocess.run([cc, f"-I{include}", work / "c.c", "-o", work / "c"], check=True)
subprocess.run([rustc, "--edition", "2021", "-C", "debuginfo=0", work / "rust.rs", "-o",
                work / "rust"], check=True)
of_c, of_rust = (subprocess.run([work / name], capture_output=True, text=True,
                                check=True).stdout.splitlines() for name in ("c", "rust"))
unlike = [f"C: {a}, Rust: {b}" for a, b in zip(of_c, of_rust) if a != b]
print("\n".join(unlike[:5]) or f"{len(of_c)} constants, sizes and places are the same")
sys.exit(1 if unlike or len(of_c) != len(of_rust) else 0)
