import { closeSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../lib/error-code.ts'
import { OperatorError } from '../lib/operator-error.ts'
import type { RandomBytes } from '../lib/ids/random.ts'

const KEY_BYTES = 32

/**
 * Reads 32 random bytes from a file that only the service's own account may read; null when there is none. `advice` is
 * added to the error about a file with any other content.
 */
export function readKeyFile(path: string, advice: string): Uint8Array | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw new OperatorError(`${path} cannot be read: ${String(error)}`)
  }
  if (bytes.length === KEY_BYTES) return bytes
  throw new OperatorError(`${path} holds no key. ${advice}`)
}

/**
 * Reads the key, or creates it: completely on the disk before it gets its name, and never over a key that another
 * process created meanwhile.
 */
export function openKeyFile(path: string, advice: string, randomBytes: RandomBytes): Uint8Array {
  const known = readKeyFile(path, advice)
  if (known !== null) return known
  makeKey(path, randomBytes)
  const made = readKeyFile(path, advice)
  if (made === null) throw new Error(`${path} does not exist although it was created`)
  return made
}

function makeKey(path: string, randomBytes: RandomBytes): void {
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
    if (codeOf(error) !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
  syncDirectory(dirname(path))
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r')
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}
