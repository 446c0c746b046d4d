#!/bin/sh
# verify.sh: CRM_WEBHOOK_SECRET=whsec_… sh verify.sh body.json \
#   "<X-Service-Timestamp>" "<X-Service-Signature>" "<X-Service-Signature-Next>"
set -eu
: "${CRM_WEBHOOK_SECRET:?is not set}"
body=$1
timestamp=$2
shift 2

case $timestamp in
  '' | *[!0-9]* | ?????????????*) echo 'This is no timestamp' >&2; exit 1 ;;
esac
age=$(($(date +%s) - timestamp))
if [ "${age#-}" -gt "${TOLERANCE_S:-300}" ]; then
  echo "It is $age s old" >&2; exit 1
fi
for secret in "$CRM_WEBHOOK_SECRET" "${CRM_WEBHOOK_SECRET_NEXT:-$CRM_WEBHOOK_SECRET}"; do
  digest=$({ printf '%s.' "$timestamp"; cat "$body"; } | openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)
  for signature; do
    if [ "$signature" = "sha256=$digest" ]; then
      echo 'It is genuine'; exit
    fi
  done
done
echo 'It is not genuine' >&2
exit 1
