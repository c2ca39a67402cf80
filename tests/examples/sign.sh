#!/bin/sh
# Signs and sends a submission with openssl and curl.
set -eu
path=/papi/v1/submitter/form/submissions
authority=${BASE#*://}
body='{"data":{"name":"Ada","email":"ada@example.org","topic":"sales"}}'

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
digest="sha-256=:$(printf %s "$body" | openssl dgst -sha256 -binary | openssl base64 -A):"
nonce=$(openssl rand -base64 16 | tr '+/' '-_' | tr -d '=')
params='("@method" "@authority" "@path" "x-form-access-key" "content-digest")'
params="$params;created=$(date +%s);keyid=\"$KEY_ID\";alg=\"ed25519\";nonce=\"$nonce\""

{
  printf '"@method": POST\n"@authority": %s\n"@path": %s\n' "$authority" "$path"
  printf '"x-form-access-key": %s\n"content-digest": %s\n' "$ACCESS_KEY" "$digest"
  printf '"@signature-params": %s' "$params"
} > "$work/base"
signature=$(openssl pkeyutl -sign -rawin -inkey "$KEY_FILE" -in "$work/base" | openssl base64 -A)

curl -sS "$BASE$path" \
  -H 'content-type: application/json' \
  -H "content-digest: $digest" \
  -H "x-form-access-key: $ACCESS_KEY" \
  -H "signature-input: sig1=$params" \
  -H "signature: sig1=:$signature:" \
  --data-binary "$body"
