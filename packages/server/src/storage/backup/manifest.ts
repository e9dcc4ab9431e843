import { createHash } from 'node:crypto'
import { OperatorError } from '../../lib/operator-error.ts'
import type { TelemetryTotals } from './telemetry-totals.ts'
import type { Snapshot } from './take-snapshot.ts'

/** Bytes of files of the data folder, one after the other, stored as one object. */
export interface BackupObject {
  /** 32 hex digits. */
  readonly key: string
  readonly bytes: number
  /** Of the object, hex. */
  readonly sha256: string
  /** The folder of the files, relative to the data folder; empty for the data folder itself. */
  readonly folder: string
  /** Where in the first file the bytes begin. Only an object with a single file begins elsewhere than at 0. */
  readonly offset: number
  /** Names and bytes of the files. */
  readonly files: readonly (readonly [name: string, bytes: number])[]
}

/** What a backup holds. Media has no objects here: `control.db` names it. */
export interface Manifest extends Snapshot {
  /** 1 for the first backup in its target. */
  readonly number: number
  /** ISO 8601. */
  readonly createdAt: string
  /** The version of Spoor that made it. */
  readonly version: string
  readonly totals: TelemetryTotals
  readonly media: { readonly objects: number; readonly bytes: number }
  /** Of all its objects and media. */
  readonly bytes: number
  /** The share that no earlier backup had. */
  readonly newBytes: number
  readonly objects: readonly BackupObject[]
}

const FORMAT = 'spoor-backup-1'

/** A line `spoor-backup-1 <SHA-256 of the rest, hex>`, then JSON. */
export function encodeManifest(manifest: Manifest): Buffer {
  const body = JSON.stringify(manifest)
  return Buffer.from(`${headerOf(body)}${body}`)
}

/** Throws OperatorError when the bytes are damaged or have another format. `name` is for the message. */
export function decodeManifest(bytes: Buffer, name: string): Manifest {
  const text = bytes.toString()
  const headerEnd = text.indexOf('\n') + 1
  const body = text.slice(headerEnd)
  if (text.slice(0, headerEnd) === headerOf(body)) return JSON.parse(body) as Manifest
  if (/^spoor-backup-\d+ /.test(text) && !text.startsWith(`${FORMAT} `))
    throw new OperatorError(
      `The list of the files of ${name} was written by another version of Spoor. Use that version.`,
    )
  throw new OperatorError(`The list of the files of ${name} is damaged.`)
}

function headerOf(body: string): string {
  return `${FORMAT} ${createHash('sha256').update(body).digest('hex')}\n`
}
