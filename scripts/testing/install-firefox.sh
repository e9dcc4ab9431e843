#!/usr/bin/env bash
# Installs the browser of e2e/lib/firefox.ts. Debian; needs root.
exec "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "in Firefox" firefox-esr
