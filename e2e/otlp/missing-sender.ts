import { existsSync } from 'node:fs'

/** Why a test of a real sender cannot run here; null if the package is installed in its folder. CI installs all. */
export function missingSender(folder: URL, name: string): string | null {
  if (existsSync(new URL(`node_modules/${name}`, folder))) return null
  const advice = `${name} is not installed: scripts/testing/install-sender.sh installs it`
  if (process.env['CI'] === 'true') throw new Error(advice)
  return advice
}
