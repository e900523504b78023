// goldens.go reads goldens.txt and goldens.safetensors, as goldens.c.
//
//	go run goldens.go DIR
package main

import (
	"fmt"
	"os"
	"strings"
)

func main() {
	text, err := os.ReadFile(os.Args[1] + "/goldens.txt")
	data, fault := os.ReadFile(os.Args[1] + "/goldens.safetensors")
	if err != nil || fault != nil {
		os.Exit(2)
	}
	widths := map[string]int{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2}
	for _, line := range strings.Split(string(text), "\n") {
		var id, name, dtype string
		var count, offset int
		if n, _ := fmt.Sscanf(line, "tensor %s %s %s %d %d", &id, &name, &dtype, &count, &offset); n != 5 {
			continue
		}
		sum := uint32(0)
		// math.Float64frombits(binary.LittleEndian.Uint64(...)) is a number.
		for _, b := range data[offset : offset+count*widths[dtype]] {
			sum = sum*31 + uint32(b)
		}
		fmt.Printf("%s/%s %d %08x\n", id, name, count, sum)
	}
}
