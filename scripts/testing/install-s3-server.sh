#!/usr/bin/env bash
# Installs what e2e/lib/s3-server.ts starts: OpenStack Swift, which speaks S3, and the memcached it keeps tokens in. Debian and Ubuntu; needs root.
set -euo pipefail

needed=(swift-proxy swift-account swift-container swift-object memcached)
missing=()
for package in "${needed[@]}"; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if [ "$(id -u)" != 0 ]; then
  echo "The tests against an S3 service need the packages ${missing[*]}: run this as root." >&2
  exit 1
fi
echo "Installing ${missing[*]} for the tests against an S3 service."
# At run level 1 the packages' own services are not started: the tests start theirs, on ports of their own.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
