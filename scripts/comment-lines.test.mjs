import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'

const scratch = mkdtempSync(join(tmpdir(), 'spoor-comment-lines-'))
after(() => rmSync(scratch, { recursive: true }))

const words = (/** @type {number} */ length) => 'word '.repeat(length).slice(0, length - 1) + 'x'

/** @param {string} name @param {Record<string, string>} files */
function check(name, files) {
  const folder = join(scratch, name)
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
  spawnSync('git', ['init', '--quiet'], { cwd: folder })
  const script = join(import.meta.dirname, 'comment-lines.mjs')
  return spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
}

test('green: comments of 120 characters, long strings and ignored files', () => {
  const { status, stderr } = check('clean', {
    '.gitignore': 'dist/\n',
    'a.ts': `// ${words(117)}\n/** ${words(113)} */\nexport const url = 'https://example.com/${words(200)}'\n`,
    'b.ts': `/**\n * ${words(117)}\n * ${'😀'.repeat(117)}\n */\nexport {}\n`,
    'dist/c.mjs': `// ${words(200)}\n`,
    'd.md': `// ${words(200)}\n`,
  })
  assert.equal(status, 0, stderr)
})

test('red: every comment line of more than 120 characters, with its place', () => {
  const { status, stderr } = check('long', {
    'a.ts': `// ${words(118)}\nexport const a = 1 // fine\n`,
    'b.tsx': `/**\n * ${words(118)}\n */\nexport {}\n`,
    'scripts/c.mjs': `/** ${words(114)} */\nrun(1) // ${words(120)}\n`,
  })
  assert.equal(status, 1)
  assert.deepEqual(stderr.trimEnd().split('\n'), [
    'a.ts:1',
    'b.tsx:2',
    'scripts/c.mjs:1',
    'scripts/c.mjs:2',
    '4 comment line(s) with more than 120 characters.',
  ])
})
