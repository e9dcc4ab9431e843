import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OLDEST_BROWSERS, OLDEST_BROWSERS_TEXT } from './oldest-browsers.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

test('the guide names the oldest browsers, and the dashboard is tested in that Chromium', () => {
  assert.ok(read('docs/guide/dashboard.md').replaceAll(/\s+/g, ' ').includes(OLDEST_BROWSERS_TEXT))
  const { dependencies } = JSON.parse(read('e2e/lib/oldest-chromium/package.json')) as {
    dependencies: Readonly<Record<string, string>>
  }
  // Its versions begin with those of Chromium.
  assert.equal(dependencies['@sparticuz/chromium']?.split('.')[0], String(OLDEST_BROWSERS.Chrome))
})
