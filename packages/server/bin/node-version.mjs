// Plain JavaScript for Node 20 and later: the code that starts and installs the service uses it before anything is
// installed.

/**
 * For each release line, the oldest Node with the security fixes of July 2026, the newest known when this was written:
 * counted headers (CVE-2026-58044), node:sqlite (58041), DNS answers (58042), zlib (58045). Later lines have them from
 * their first release. 25 got none, because its support had ended.
 */
const LEAST_OF_LINE = { 24: [18, 1], 26: [5, 1] }
const NEWEST_LINE = 26

/** The rule as messages state it. */
export const REQUIRED_NODE = 'Node 24.18.1 or later, or 26.5.1 or later'

/** @param {string} version such as `24.21.0` */
export function isGoodNode(version) {
  const [line = 0, minor = 0, patch = 0] = version.split('.').map((part) => Number.parseInt(part, 10))
  if (line > NEWEST_LINE) return true
  if (line !== 24 && line !== 26) return false
  const [leastMinor = 0, leastPatch = 0] = LEAST_OF_LINE[line]
  return minor > leastMinor || (minor === leastMinor && patch >= leastPatch)
}
