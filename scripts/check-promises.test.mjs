import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const root = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'spoor-promises-'))
after(() => rmSync(scratch, { recursive: true }))

/** @param {string} name @param {string} source */
function check(name, source) {
  const folder = join(scratch, name)
  mkdirSync(join(folder, 'packages/server/src'), { recursive: true })
  cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'packages/server/src/a.ts'), source)
  return spawnSync(process.execPath, [join(root, 'scripts/check-promises.mjs'), folder], { encoding: 'utf8' })
}

test('green: awaited, returned, stored, handled, meant', () => {
  const { status, stderr } = check(
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
  assert.equal(status, 0, stderr)
})

test('red: each call that drops its promise', () => {
  const { status, stderr } = check(
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
  assert.equal(status, 1)
  assert.deepEqual(
    [...stderr.matchAll(/a\.ts:(\d+):/g)].map(([, line]) => line),
    ['3', '4', '5', '6'],
  )
})
