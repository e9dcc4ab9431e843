import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './pages.ts'

const listed = spawnSync('git', ['ls-files', '*.md'], { cwd: ROOT, encoding: 'utf8' }).stdout
const PATHS = listed.split('\n').filter((path) => path !== '' && existsSync(join(ROOT, path)))

test('every relative link in a document leads to a file, and its anchor to a heading', () => {
  assert.ok(PATHS.length > 100, `${PATHS.length} documents`)
  const broken = PATHS.flatMap((path) =>
    linksOf(read(path))
      .filter((link) => !resolves(path, link))
      .map((link) => `${path}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

test('anchors are those that GitHub generates from headings', () => {
  const text = '# A `code` & more\n\n```sh\n# no heading\n```\n\n## What it is, [here](b.md)\n\n## What it is, here\n'
  assert.deepEqual(anchorsOf(text), ['a-code--more', 'what-it-is-here', 'what-it-is-here-1'])
})

function resolves(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? path : join(dirname(path), decodeURIComponent(file))
  if (!existsSync(join(ROOT, target))) return false
  if (anchor === undefined) return true
  return statSync(join(ROOT, target)).isFile() && anchorsOf(read(target)).includes(anchor)
}

/**
 * Links without a scheme; links to other sites are not checked. A path that begins with `/` belongs to the running
 * service.
 */
function linksOf(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return links.filter((link) => !/^([a-z][a-z+.-]*:|\/)/.test(link))
}

function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>()
  return [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  })
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '')
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
