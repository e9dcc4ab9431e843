import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { launchUsable } from './launch-usable.ts'

const OLDEST = fileURLToPath(new URL('oldest-chromium/node_modules/chromium', import.meta.url))
/** The paths in Debian. The headless shell has the same engine, and takes half of the processor time. */
const NEWEST = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']

const FIRST_PAGE_MS = 20_000

const FLAGS = [
  // The sandbox does not work for root, as which tests run in containers.
  '--no-sandbox',
  // No requests to its vendor.
  '--disable-background-networking',
  // The oldest comes without libraries for its GPU process, which ends three times at each start. Then a browser in
  // three never opens a page.
  '--disable-gpu',
  '--disable-software-rasterizer',
]

/**
 * A real Chromium: the oldest version that the dashboard supports, or the one of Debian. Where the oldest is not
 * installed, the newest is launched instead; without both, the answer is the reason. In CI each is an error, because
 * .ci/run installs both before.
 */
export async function launchBrowser(age: 'oldest' | 'newest' = 'oldest'): Promise<Browser | string> {
  const chosen = process.env['SPOOR_TEST_CHROMIUM']
  const programs = chosen !== undefined ? [chosen] : age === 'oldest' ? [OLDEST, ...NEWEST] : NEWEST
  const executablePath = programs.find((path) => existsSync(path))
  if (process.env['CI'] === 'true' && executablePath !== programs[0]) throw new Error(`there is no ${programs[0]}`)
  if (executablePath === undefined)
    return 'there is no Chromium to test with: scripts/testing/install-chromium.sh installs one (Debian; as root)'
  const launch = () =>
    chromium.launch({
      executablePath,
      args: FLAGS,
      // Without a language, the older one has a `navigator.language` that is none.
      env: { ...process.env, LANG: 'en_US.UTF-8' },
    })
  return launchUsable(FIRST_PAGE_MS, launch, async (browser) => (await browser.newPage()).close())
}
