import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

// A canary: a promise that is not awaited loses its error, and with it perhaps an acknowledged trace. The linter, with
// our own configuration, reports such promises in a small tree of the same shape as ours.

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'spoor-promises-'))
after(() => rmSync(scratch, { recursive: true }))

/** @param {string} name @param {string} source */
function lint(name, source) {
  const folder = join(scratch, name)
  mkdirSync(join(folder, 'packages/server/src'), { recursive: true })
  for (const file of ['tsconfig.json', '.oxlintrc.types.json']) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'packages/server/src/a.ts'), source)
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/oxlint'),
    ['--config', '.oxlintrc.types.json', '--format', 'unix', 'packages'],
    { cwd: folder, encoding: 'utf8', timeout: 120_000 },
  )
  return { status, output: stdout + stderr, lines: [...stdout.matchAll(/a\.ts:(\d+):/g)].map(([, line]) => line) }
}

test('green: promises that are awaited, returned, stored, handled or marked with void', () => {
  const { status, output } = lint(
    'clean',
    `import { test } from 'node:test'
async function save(): Promise<void> {}
export async function all(): Promise<void> {
  await save()
  void save()
  save().catch(console.error)
  save().then(console.log, console.error)
  const later = save()
  return later
}
test('x', async () => {})
`,
  )
  assert.equal(status, 0, output)
})

test('red: each call that drops its promise', () => {
  const { status, output, lines } = lint(
    'floating',
    `async function save(): Promise<void> {}
export function all(maybe: { save?: () => Promise<void> }): void {
  save()
  save().then(console.log)
  save().finally(console.log)
  maybe.save?.()
}
`,
  )
  assert.equal(status, 1, output)
  assert.deepEqual(lines, ['3', '4', '5', '6'], output)
})

test('red: a promise where none is expected', () => {
  const { status, output, lines } = lint(
    'misused',
    `async function isReady(): Promise<boolean> {
  return false
}
export function all(timers: { after(run: () => void): void }): string {
  timers.after(async () => void (await isReady()))
  return isReady() ? 'ready' : 'not ready'
}
`,
  )
  assert.equal(status, 1, output)
  assert.deepEqual(lines, ['5', '6'], output)
})
