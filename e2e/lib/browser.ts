import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** The paths in Debian. The headless shell has the same engine, and takes half of the processor time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

/**
 * A real Chromium. If it is not installed, the reason; in CI an error, because scripts/testing/install-chromium.sh runs
 * before.
 */
export async function launchBrowser(): Promise<Browser | string> {
  const executablePath = PROGRAMS.find((path) => existsSync(path))
  if (executablePath === undefined) {
    const advice =
      'there is no Chromium to test with: scripts/testing/install-chromium.sh installs one (Debian; as root)'
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  // The sandbox does not work for root, as which tests run in containers; background requests to its vendor are
  // disabled.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] })
}
