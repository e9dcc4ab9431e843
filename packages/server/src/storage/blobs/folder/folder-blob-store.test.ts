import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { testBlobStore } from '../../../ports/media/blob-store.conformance.ts'
import { openFolderBlobStore } from './folder-blob-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'spoor-blobs-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const store = await openFolderBlobStore(join(folder, 'media'))

testBlobStore(() => store, {
  reachable: false,
  residue: async () =>
    readdirSync(folder, { recursive: true }).filter((path) => statSync(join(folder, String(path))).isFile()).length,
})
