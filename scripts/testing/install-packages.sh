#!/usr/bin/env bash
# install-packages.sh WHAT-FOR PACKAGE...: installs missing packages of Debian or Ubuntu; needs root.
set -euo pipefail

purpose=$1
shift
missing=()
for package in "$@"; do
  [ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then exit 0; fi

if [ "$(id -u)" != 0 ]; then
  echo "The tests $purpose need the packages ${missing[*]}: run this as root." >&2
  exit 1
fi
echo "Installing ${missing[*]} for the tests $purpose."
# At run level 1 the services of the packages are not started: the tests start their own, on their own ports.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
