import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

const MOST_MS = 120_000

/** Why a test of real senders cannot run here; null if the packages of their folder are installed. CI installs all. */
export function missingSender(folder: string): string | null {
  if (existsSync(new URL(`${folder}/node_modules`, import.meta.url))) return null
  const advice = `its packages are not installed: scripts/testing/install-sender.sh ${folder} installs them`
  if (process.env['CI'] === 'true') throw new Error(advice)
  return advice
}

/** The file of a program with real senders. Its path is relative to this folder. */
export function agentProgram(path: string): string {
  return new URL(path, import.meta.url).pathname
}

/** Runs such a program. */
export function runAgent(
  path: string,
  environment: Readonly<Record<string, string>>,
  ...flags: readonly string[]
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const program = agentProgram(path)
  const env = { ...process.env, ...environment }
  return promisify(execFile)(process.execPath, [program, ...flags], { env, timeout: MOST_MS })
}
