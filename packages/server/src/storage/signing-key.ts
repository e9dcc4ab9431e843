import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../lib/operator-error.ts'
import type { RandomBytes } from '../lib/random.ts'

const KEY_BYTES = 32
const FILE = 'signing.key'

/**
 * The key with which this service signs URLs of its own: made at the first start and the same after every later one. Only the service's own account may read it. Whoever
 * removes the file ends every signed URL that is on its way.
 */
export function openSigningKey(dataDir: string, randomBytes: RandomBytes): Uint8Array {
  const path = join(dataDir, FILE)
  const known = readKey(path)
  if (known !== null) return known
  makeKey(dataDir, path, randomBytes)
  const made = readKey(path)
  if (made === null) throw new Error(`${path} is not there after it was made`)
  return made
}

function readKey(path: string): Uint8Array | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw new OperatorError(`${path} cannot be read: ${String(error)}`)
  }
  if (bytes.length === KEY_BYTES) return bytes
  throw new OperatorError(`${path} holds no signing key. Remove it: the service makes another one.`)
}

/** Whole and on the disk before it has its name, and never in the place of one that another process made meanwhile. */
function makeKey(dataDir: string, path: string, randomBytes: RandomBytes): void {
  const temporary = `${path}.${Buffer.from(randomBytes(8)).toString('hex')}`
  const file = openSync(temporary, 'wx', 0o600)
  try {
    writeSync(file, randomBytes(KEY_BYTES))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  try {
    linkSync(temporary, path)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  syncDirectory(dataDir)
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
