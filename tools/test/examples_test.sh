#!/usr/bin/env bash
# The examples of ropeproof_tokens.h conform; with one fault in an example or in
# the header they do not.
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
run=(run --vectors "$source/vectors" --lib)

says 0 '^CONFORMS  level L1+D, ' "${run[@]}" "$plugins/per_token.so"
says 0 '^CONFORMS  level L1, ' "${run[@]}" "$plugins/per_head.so"
says 0 '^CONFORMS  level L1, ' "${run[@]}" "$plugins/head_major.so"
says 0 '^CONFORMS  level L2, ' "${run[@]}" "$plugins/given_table.so"

# broken EXAMPLE FROM TO: with the text FROM changed to TO, the example fails.
broken() {
  local name=$1 file text places=0 rest
  for file in include/ropeproof_tokens.h "examples/$name.c"; do
    text=$(<"$source/conformance/$file")
    rest=${text//"$2"/}
    places=$((places + (${#text} - ${#rest}) / ${#2}))
    printf '%s\n' "${text/"$2"/"$3"}" >"$work/${file#*/}"
  done
  check "\"$2\" is not once in the header or in $name.c" [ $places -eq 1 ]
  check "$name.c with \"$3\" does not compile" "$compiler" -O2 -shared -fPIC -I "$work" \
    -I "$source/conformance/include" -o "$work/broken.so" "$work/$name.c" -lm
  # Some never return.
  says 1 '^DOES NOT CONFORM' "${run[@]}" "$work/broken.so" --tier smoke --time-limit 100
}

broken per_token '(int32_t)c.position' '(int16_t)c.position'
broken per_token '(int32_t)c.position' '(int32_t)c.token'
broken per_token 'c.tensor->in_head_stride, c' 'p->head_dim, c'
broken per_token 'c.tensor->heads' 'p->q.heads'
broken per_token '++c->batch' '(void)0'
broken per_token 'c->tensor = &p->k, c->batch = 0' 'c->tensor = &p->k, c->batch = 1'
broken per_token 'c->batch * p->position_batch_stride' 'c->batch * p->seq'
broken per_head 'ropeproof_copy(p, &p->k);' ''
broken per_head 'ropeproof_copy(p, &p->q);' ''
broken per_head '  ++c->head;' '  ++c->head, ++c->position;
  return 1;'
broken per_head 'c->token < 0 || c->head + 1' 'c->token < 0 || c->head + 2'
broken per_head '(size_t)(size * p->head_dim)' '(size_t)(size * p->rotary_dim)'
broken head_major '_pack(p, x, ROPEPROOF_HEAD_MAJOR' '_pack(p, x, ROPEPROOF_TOKEN_MAJOR'
broken head_major 'b * p->position_batch_stride' 'b * p->seq'
broken head_major ' s * x->in_token_stride' ' s * x->heads * x->in_head_stride'
broken head_major ' s * x->out_token_stride' ' s * x->heads * x->out_head_stride'
broken given_table 'c.cos, c.sin' 'c.sin, c.cos'
broken given_table 'p->ids[id] *' 'id *'
broken given_table 'c->batch * p->table_batch_stride' '0'
broken given_table 'p->rotary_dim / 2)' 'p->rotary_dim)'

finish
