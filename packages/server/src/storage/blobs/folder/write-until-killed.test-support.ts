import { createHash, randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import type { ProjectId } from '@spoor/contract/ids'
import { newBlobKey } from '../../../ports/media/blob-key.ts'
import type { BlobKey } from '../../../ports/media/blob-store.ts'
import { openFolderBlobStore } from './folder-blob-store.ts'

const PROJECT = 'proj_00000000000000000000000001' as ProjectId
const CHUNKS = 40
const WRITERS = 4

/** The bytes that are written under a key: different for each key and derived from it. */
export function* contentOf(key: BlobKey): Generator<Buffer> {
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    yield Buffer.alloc(16_384, createHash('sha256').update(`${key} ${chunk}`).digest())
  }
}

/**
 * Program of the crash tests: writes objects to the store of a folder and prints the key of each once it is durable.
 * Ends when it is killed.
 */
async function writeForEver(folder: string): Promise<void> {
  const store = await openFolderBlobStore(folder)
  for (;;) {
    const key = newBlobKey(PROJECT, randomBytes)
    await store.write(key, contentInTurns(key))
    writeSync(1, `${key}\n`)
  }
}

/** Lets the other writers run between chunks, as sockets do. */
async function* contentInTurns(key: BlobKey): AsyncGenerator<Buffer> {
  for (const chunk of contentOf(key)) {
    await new Promise((resolve) => setImmediate(resolve))
    yield chunk
  }
}

const [folder] = process.argv.slice(2)
if (import.meta.main && folder !== undefined) {
  await Promise.all(Array.from({ length: WRITERS }, () => writeForEver(folder)))
}
