import { createHash } from 'node:crypto'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import type { StepId, TraceId } from '@spoor/contract/ids'
import { createIdGenerator } from '../lib/ids/ids.ts'
import { systemRandomBytes } from '../lib/ids/random.ts'
import { memoryOnlyMedia } from '../storage/sql/media/memory-only-media.test-support.ts'
import { newBlobKey } from '../ports/media/blob-key.ts'
import type { BlobKey, BlobStore } from '../ports/media/blob-store.ts'
import { createMediaService } from './media-service.ts'
import type { MediaStore } from '../ports/media/media-store.ts'
import { MemoryBlobStore } from '../ports/media/memory-blob-store.test-support.ts'
import type { UploadPart } from './use-cases.ts'

/** For tests: thrown where a process would have died. No code after it may change anything. */
class Crash extends Error {
  override readonly name = 'Crash'
}

/** For tests: media on in-memory stores. `restart` drops the state of the process; the state of the stores stays. */
export class MediaWorld {
  now = 1_700_000_000_000
  readonly blobs = new MemoryBlobStore()
  readonly stores = memoryOnlyMedia({ now: () => this.now })
  readonly ids = createIdGenerator({ now: () => this.now }, systemRandomBytes)
  readonly projectId = this.ids.newId('proj')
  readonly traces = new Set<TraceId>([this.ids.newId('tr')])
  readonly errors: string[] = []
  readonly refused: string[] = []
  service = this.#start(this.blobs, this.stores.media)

  get traceId(): TraceId {
    return [...this.traces][0] as TraceId
  }

  /** A new process on the same stores, perhaps on wrapped ones. */
  restart(blobs: BlobStore = this.blobs, media: MediaStore = this.stores.media): void {
    this.service = this.#start(blobs, media)
  }

  /** The control store with some of its answers replaced. */
  wrapMedia(replaced: Partial<MediaStore>): MediaStore {
    return new Proxy<MediaStore>(this.stores.media, {
      get(target, name) {
        const value: unknown = Reflect.get(replaced, name) ?? Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  #start(blobs: BlobStore, media: MediaStore) {
    return createMediaService({
      blobs,
      media,
      traces: {
        locate: async ({ projectId, traceId }) =>
          projectId === this.projectId && this.traces.has(traceId) ? 'found' : 'no_trace',
      },
      clock: { now: () => this.now },
      newId: () => this.ids.newId('med'),
      owner: 'embedded',
      newKey: (projectId) => newBlobKey(projectId, systemRandomBytes),
      limits: DEFAULT_LIMITS,
      signingKey: Buffer.alloc(32, 7),
      intakeBlock: () => null,
      onError: (_error, message) => this.errors.push(message),
      onRefusedUpload: ({ reason }) => this.refused.push(reason),
    })
  }

  upload(content: string | Buffer, traceId = this.traceId) {
    return this.service.useCases.upload({ projectId: this.projectId, parts: formOf(content, traceId) })
  }

  sign(content: string | Buffer, fields: { contentType?: string; stepId?: StepId } = {}) {
    return this.service.useCases.sign({
      projectId: this.projectId,
      traceId: this.traceId,
      stepId: null,
      kind: 'file',
      contentType: 'text/plain',
      sizeBytes: content.length,
      sha256: sha256(content),
      filename: null,
      ...fields,
    })
  }

  /** To a signed URL of the service; `bytes` if they should not arrive all at once. */
  put(token: string, content: string, bytes: AsyncIterable<Buffer> = chunksOf(Buffer.from(content))) {
    const head = { contentType: 'text/plain', contentLength: content.length }
    return this.service.useCases.putDirect({ token, ...head, bytes })
  }

  deleteTrace(traceId = this.traceId): void {
    const { journal } = this.stores
    const { version } = journal.last()
    journal.append({
      version: version + 1,
      committedAt: this.now,
      lastTraceId: traceId,
      projects: [],
      traceKeys: [],
      stepKeys: [],
      metricEventKeys: [],
      superseded: [],
      attachments: [],
      deleted: [{ projectId: this.projectId, traceId }],
      removedEvents: [],
      monitorTransitions: [],
      onceEvents: [],
      quietWaits: [],
    })
    this.traces.delete(traceId)
  }

  /** Keys whose bytes nothing accounts for, and media without bytes: both must be empty. */
  async inconsistencies(contents: readonly (string | Buffer)[]): Promise<string[]> {
    const found = await Promise.all(contents.map((content) => this.stores.media.find(this.projectId, sha256(content))))
    const used = new Set(found.flatMap((media) => (media === null ? [] : [media.key])))
    const orphans = [...this.blobs.objects.keys()].filter((key) => !used.has(key)).map((key) => `orphan ${key}`)
    const missing = [...used].filter((key) => !this.blobs.objects.has(key)).map((key) => `missing ${key}`)
    return [...orphans, ...missing]
  }
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('hex')
}

async function* formOf(content: string | Buffer, traceId: string): AsyncGenerator<UploadPart> {
  yield { type: 'field', name: 'kind', value: 'file' }
  const bytes = chunksOf(Buffer.from(content))
  yield { type: 'file', name: 'file', filename: 'a.log', contentType: 'text/plain', bytes }
  yield { type: 'field', name: 'trace_id', value: traceId }
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 4) yield bytes.subarray(at, at + 4)
}

/**
 * For tests: a store whose process dies at call number `at`, counted over all of these stores, before the call does
 * anything or right after it. From then on every call fails: a dead process does nothing more.
 */
export class Mortality {
  calls = 0
  dead = false
  readonly #at: number
  readonly #when: 'before' | 'after'

  constructor(at: number, when: 'before' | 'after') {
    this.#at = at
    this.#when = when
  }

  wrap<T extends object>(store: T): T {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return async (...given: unknown[]) => {
          if (this.dead) throw new Crash('dead')
          const number = ++this.calls
          if (number === this.#at && this.#when === 'before') return this.#die()
          const result: unknown = await Reflect.apply(value, target, given)
          if (number === this.#at) return this.#die()
          return result
        }
      },
    })
  }

  #die(): never {
    this.dead = true
    throw new Crash('died here')
  }
}

/** For tests: puts bytes where a client would put them. */
export function putStaged(blobs: MemoryBlobStore, url: string, content: string | Buffer): void {
  blobs.objects.set(new URL(url).pathname.slice(1) as BlobKey, Buffer.from(content))
}
