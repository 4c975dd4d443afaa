#!/bin/sh
# Prints an access token that is good for an hour: token.sh KEY USER SCOPE. This is what an identity provider does.
set -eu
now=$(date +%s)
base64url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
header=$(printf '{"alg":"RS256","typ":"at+jwt"}' | base64url)
claims=$(printf '{"iss":"https://issuer.example.com/","sub":"%s","scope":"%s","exp":%s}' "$2" "$3" $((now + 3600)) | base64url)
signature=$(printf '%s.%s' "$header" "$claims" | openssl dgst -sha256 -sign "$1" -binary | base64url)
printf '%s.%s.%s\n' "$header" "$claims" "$signature"
