/**
 * Runs the packed recorder on Bun and Deno too. Installs both from npm into a temporary folder, about 200 MB.
 *
 *     node e2e/recorder/runtimes.ts
 *
 * Linux with glibc on x64 only. Ends with 1 if a test fails.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

/** Packages that hold the program itself and need no install script. */
const PACKAGES = { '@oven/bun-linux-x64@1.4.5': 'bin', '@deno/linux-x64-glibc@2.9.6': '' }

const folder = mkdtempSync(join(tmpdir(), 'spoor-runtimes-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder]
const installed = spawnSync('npm', ['install', ...options, ...Object.keys(PACKAGES)], { stdio: 'inherit' })
if (installed.status !== 0) throw new Error('Bun and Deno could not be installed')
const programs = Object.entries(PACKAGES).map(([name, inside]) =>
  join(folder, 'node_modules', name.replace(/@[^@]+$/, ''), inside),
)
const PATH = [...programs, process.env['PATH']].join(delimiter)
const test = join(import.meta.dirname, 'packed.test.ts')
const { status } = spawnSync(process.execPath, ['--test', test], { stdio: 'inherit', env: { ...process.env, PATH } })
process.exitCode = status ?? 1
