import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Ended, endOf } from './command.ts'
import { serviceEnvironment } from './service.ts'

const DEMO = fileURLToPath(new URL('../../fixtures/demo-agent/main.ts', import.meta.url))

/** Runs the program of `npm run demo`; resolves when it has ended. */
export async function runDemo(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Ended> {
  return endOf(spawn(process.execPath, [DEMO, ...args], { env: serviceEnvironment('unused', settings) }))
}
