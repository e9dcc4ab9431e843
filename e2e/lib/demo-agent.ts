import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { serviceEnvironment } from './service.ts'

const DEMO = fileURLToPath(new URL('../../fixtures/demo-agent/main.ts', import.meta.url))

/** What `npm run demo` runs; resolves when it has ended. */
export async function runDemo(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [DEMO, ...args], { env: serviceEnvironment('unused', settings) })
  let out = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { out, errors, code }
}
