import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '../..')

test('an npm install by hand runs no script of a package', (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-scripts-'))
  context.after(() => rmSync(folder, { recursive: true }))
  const ran = join(folder, 'ran')
  mkdirSync(join(folder, 'one'))
  const scripts = { postinstall: `node -e "fs.writeFileSync(process.env.RAN, '')"` }
  writeFileSync(join(folder, 'one/package.json'), JSON.stringify({ name: 'one', version: '1.0.0', scripts }))
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'a', private: true, dependencies: { one: 'file:one' }, allowScripts: { one: true } }),
  )
  // Without what npm test says of its own settings.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const install = () => {
    const npm = spawnSync('npm', ['install', '--offline'], { cwd: folder, env: { ...env, RAN: ran } })
    assert.equal(npm.status, 0, String(npm.stderr))
    rmSync(join(folder, 'node_modules'), { recursive: true })
    return existsSync(ran)
  }
  copyFileSync(join(root, '.npmrc'), join(folder, '.npmrc'))
  assert.equal(install(), false)
  rmSync(join(folder, '.npmrc'))
  assert.equal(install(), true, 'without the setting it runs')
})

test('no script of package.json relies on one that npm would run before or after it', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const names = new Set(Object.keys(scripts))
  const skipped = [...names].filter((name) => /^(pre|post)/.test(name) && names.has(name.replace(/^(pre|post)/, '')))
  assert.deepEqual(skipped, [])
})
