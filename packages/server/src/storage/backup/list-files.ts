import { createHash } from 'node:crypto'
import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parsePartName } from '../clickhouse/parts/part-name.ts'
import type { BackupObject } from './manifest.ts'

/**
 * Databases change in few places and the log at its end: of pieces of this size, most are as in the backup before. A
 * bucket takes some hundred of them in a second.
 */
const PIECE_BYTES = 1024 * 1024

/** Bytes of a copied data folder that become one object. */
export interface FilePiece extends Pick<BackupObject, 'folder' | 'offset' | 'files' | 'bytes'> {
  /** Names the object without reading it: for parts of the engine, which never change. Null: its bytes name it. */
  readonly key: string | null
  /** Each chunk is memory of its own. */
  read(): AsyncGenerator<Buffer>
}

/** All files below a folder: a part of the engine is one piece, any other file one or several. */
export async function* listPieces(root: string, folder = ''): AsyncGenerator<FilePiece> {
  const path = join(root, folder)
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inside = join(folder, entry.name)
    if (!entry.isDirectory()) yield* piecesOf(path, folder, entry.name)
    else if (parsePartName(entry.name) !== null) yield await partPiece(root, inside)
    else yield* listPieces(root, inside)
  }
}

async function* piecesOf(path: string, folder: string, name: string): AsyncGenerator<FilePiece> {
  const { size } = await stat(join(path, name))
  // An empty file is a piece too.
  for (let offset = 0; offset === 0 || offset < size; offset += PIECE_BYTES) {
    const bytes = Math.min(PIECE_BYTES, size - offset)
    yield {
      key: null,
      folder,
      offset,
      bytes,
      files: [[name, bytes]],
      read: () => readFiles(path, [[name, bytes]], offset),
    }
  }
}

/** `checksums.txt` has the hash of each other file of the part. */
async function partPiece(root: string, folder: string): Promise<FilePiece> {
  const path = join(root, folder)
  const files: [string, number][] = []
  for (const name of (await readdir(path)).sort()) files.push([name, (await stat(join(path, name))).size])
  const checksums = await readFile(join(path, 'checksums.txt'))
  const key = keyOf(
    createHash('sha256')
      .update(JSON.stringify([folder, files]))
      .update(checksums)
      .digest('hex'),
  )
  const bytes = files.reduce((sum, [, size]) => sum + size, 0)
  return { key, folder, offset: 0, bytes, files, read: () => readFiles(path, files, 0) }
}

/** Of an object whose name is a hash. */
export function keyOf(sha256: string): string {
  return sha256.slice(0, 32)
}

async function* readFiles(folder: string, files: BackupObject['files'], offset: number): AsyncGenerator<Buffer> {
  for (const [name, bytes] of files) {
    const handle = await open(join(folder, name), 'r')
    try {
      yield* readBytes(handle, offset, bytes, join(folder, name))
    } finally {
      await handle.close()
    }
  }
}

async function* readBytes(handle: FileHandle, offset: number, bytes: number, path: string): AsyncGenerator<Buffer> {
  for (let done = 0; done < bytes;) {
    const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, bytes - done))
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset + done)
    if (bytesRead === 0) throw new Error(`${path} ends after ${offset + done} bytes`)
    yield buffer.subarray(0, bytesRead)
    done += bytesRead
  }
}
