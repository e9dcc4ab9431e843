#!/usr/bin/env bash
# Installs what e2e/lib/browser.ts starts. Debian; needs root.
exec "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "in a browser" chromium
