// node e2e/upgrade/make-store.ts: writes the store of this version, e2e/upgrade/VERSION.tar.zst. Once for each release.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { makeStore } from './store-archive.ts'

exitOnSignals()
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}
const path = new URL(`${version}.tar.zst`, import.meta.url)
if (existsSync(path)) throw new Error(`${path.pathname} exists: a released store never changes.`)
const dataDir = mkdtempSync(join(tmpdir(), 'spoor-store-'))
try {
  const bytes = await makeStore(dataDir)
  writeFileSync(path, bytes)
  console.log(`${path.pathname}: ${bytes.length} bytes`)
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}
