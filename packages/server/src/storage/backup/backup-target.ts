import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { DomainError } from '../../lib/domain-error.ts'
import { OperatorError } from '../../lib/operator-error.ts'
import type { BlobKey, BlobStore } from '../../ports/media/blob-store.ts'
import { decodeManifest, encodeManifest, type Manifest } from './manifest.ts'

/** Keys of a blob store begin with the id of a project. These two belong to no project. */
const OBJECTS = `proj_${'0'.repeat(26)}`
const MANIFESTS = `proj_${'0'.repeat(25)}1`

/**
 * Backups in a folder or a bucket: objects that several of them share, media under its own keys, and the manifest of
 * each, numbered from 1 without a hole. A backup exists once its manifest does, which is written last. All failures of
 * the store are OperatorErrors that name the target.
 */
export class BackupTarget {
  readonly name: string
  readonly #blobs: BlobStore
  readonly #adding = new Map<string, Promise<boolean>>()

  /** @param name as the operator gave it */
  constructor(name: string, blobs: BlobStore) {
    this.name = name
    this.#blobs = blobs
  }

  /** Media by its own keys. */
  get media(): Pick<BlobStore, 'size' | 'write' | 'remove' | 'read'> {
    const blobs = this.#blobs
    return {
      size: (key) => this.#on(blobs.size(key)),
      write: (key, source) => this.#on(blobs.write(key, source)),
      remove: (key) => this.#on(blobs.remove(key)),
      read: (key, range) => this.#on(blobs.read(key, range)),
    }
  }

  /** Removes what a backup that was interrupted left unfinished. No other may be writing. */
  removeLeftovers(): Promise<void> {
    return this.#on(this.#blobs.removeLeftovers())
  }

  /** The number of the newest backup; 0 when there is none. */
  async newest(): Promise<number> {
    const exists = async (number: number) => (await this.media.size(manifestKey(number))) !== null
    let above = 1
    while (await exists(above)) above *= 2
    let found = Math.floor(above / 2)
    while (above - found > 1) {
      const middle = Math.floor((found + above) / 2)
      if (await exists(middle)) found = middle
      else above = middle
    }
    return found
  }

  /** Throws OperatorError when there is no such backup, or its manifest is damaged. */
  async manifest(number: number): Promise<Manifest> {
    const content = await this.media.read(manifestKey(number), null)
    if (content === null) throw new OperatorError(`There is no backup ${number} in ${this.name}.`)
    return decodeManifest(await buffer(content), `backup ${number} in ${this.name}`)
  }

  /** Durable when it resolves: from then on the backup exists. */
  finish(manifest: Manifest): Promise<void> {
    return this.media.write(manifestKey(manifest.number), Readable.from([encodeManifest(manifest)]))
  }

  async has(key: string, bytes: number): Promise<boolean> {
    return (await this.media.size(objectKey(key))) === bytes
  }

  /** Writes the object unless it exists with this length. Durable when it resolves, with whether it was written. */
  async add(key: string, bytes: number, read: () => AsyncIterable<Buffer>): Promise<boolean> {
    // The same bytes may be in several places of a file.
    const underWay = this.#adding.get(key)
    if (underWay !== undefined) return underWay.then(() => false)
    const adding = this.#add(key, bytes, read).finally(() => this.#adding.delete(key))
    this.#adding.set(key, adding)
    return adding
  }

  async #add(key: string, bytes: number, read: () => AsyncIterable<Buffer>): Promise<boolean> {
    if (await this.has(key, bytes)) return false
    await this.media.remove(objectKey(key))
    await this.media.write(objectKey(key), read())
    return true
  }

  /** Null when it is missing. */
  read(key: string): Promise<Readable | null> {
    return this.media.read(objectKey(key), null)
  }

  async #on<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      const reason = error.cause instanceof Error ? ` (${error.cause.message})` : ''
      const sentence =
        error.code === 'disk_full'
          ? `${this.name} is full${reason}. Make space and run the command again.`
          : `${this.name} cannot be used${reason}.`
      throw new OperatorError(sentence, { cause: error })
    }
  }
}

function objectKey(key: string): BlobKey {
  return `${OBJECTS}/${key}` as BlobKey
}

function manifestKey(number: number): BlobKey {
  return `${MANIFESTS}/${String(number).padStart(32, '0')}` as BlobKey
}
