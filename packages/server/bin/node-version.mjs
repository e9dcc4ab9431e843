// Plain JavaScript for Node 20 and later: the code that starts and installs the service uses it before anything is
// installed.

/**
 * For each release line, the oldest Node that reads JSON right: before, `JSON.parse` could take one key of an object
 * for another (nodejs/node#63785). It also has the security fixes of July 2026: counted headers (CVE-2026-58044),
 * node:sqlite (58041), DNS answers (58042), zlib (58045). 25 got none, because its support had ended. npm has no such
 * Node for macOS, which takes those with the security fixes.
 */
const LEAST_OF_LINE = { 24: [22, 1], 26: [12, 1] }
const LEAST_ON_MACOS = { 24: [18, 1], 26: [5, 1] }
const NEWEST_LINE = 26

/** The rule as messages state it. */
export const REQUIRED_NODE = inWords(process.platform === 'darwin' ? LEAST_ON_MACOS : LEAST_OF_LINE)

/** @param {string} version such as `24.22.3` */
export function isGoodNode(version, platform = process.platform) {
  const [line = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  if (line > NEWEST_LINE) return true
  if (line !== 24 && line !== 26) return false
  const [leastMinor = 0, leastPatch = 0] = (platform === 'darwin' ? LEAST_ON_MACOS : LEAST_OF_LINE)[line]
  return minor > leastMinor || (minor === leastMinor && patch >= leastPatch)
}

/** @param {typeof LEAST_OF_LINE} least */
function inWords(least) {
  return `Node 24.${least[24].join('.')} or later, or 26.${least[26].join('.')} or later`
}
