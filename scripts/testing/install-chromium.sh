#!/usr/bin/env bash
# Installs the browser of e2e/lib/browser.ts. Debian; needs root.
exec "$(dirname "${BASH_SOURCE[0]}")/install-packages.sh" "in a browser" chromium-headless-shell
