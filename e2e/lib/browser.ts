import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's. */
const PROGRAM = '/usr/bin/chromium'

/** A real Chromium. A reason in words when it is not installed here, and an error in CI, where scripts/testing/install-chromium.sh has to run before. */
export async function launchBrowser(): Promise<Browser | string> {
  if (!existsSync(PROGRAM)) {
    const advice =
      'there is no Chromium to test with: scripts/testing/install-chromium.sh installs one (Debian; as root)'
    if (process.env['CI'] === 'true') throw new Error(advice)
    return advice
  }
  // Its sandbox does not work for root, whom tests run as in containers; and it looks for news of its maker otherwise.
  return chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-background-networking'] })
}
