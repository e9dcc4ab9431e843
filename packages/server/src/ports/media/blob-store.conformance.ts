import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ProjectId } from '@spoor/contract/ids'
import { newBlobKey } from './blob-key.ts'
import type { BlobKey, BlobStore } from './blob-store.ts'

const PROJECT = 'proj_00000000000000000000000001' as ProjectId
const MEBIBYTE = 1024 * 1024
/** Larger than anything a store holds back or sends as one part. */
const LARGE_BYTES = 40 * MEBIBYTE + 17

export interface BlobStoreTestOptions {
  /** Whether direct uploads go to the store itself: `directTarget` answers then, and null otherwise. */
  readonly reachable: boolean
  /** How many objects and unfinished writes there are, whatever the store calls them. */
  residue(): Promise<number>
}

/** Guarantees of every BlobStore. `open` gives the store that all tests share; nothing else writes to it. */
export function testBlobStore(open: () => BlobStore, { reachable, residue }: BlobStoreTestOptions): void {
  for (const [what, sizes] of [
    ['nothing', []],
    ['chunks of nothing', [0, 0, 3, 0]],
    ['one byte', [1]],
    ['many tiny chunks', Array.from({ length: 5000 }, (_, index) => index % 7)],
    ['chunks around what is gathered', [256 * 1024 - 1, 1, 256 * 1024, 256 * 1024 + 1]],
    ['one chunk larger than a part', [20 * MEBIBYTE]],
    ['a large object in the chunks of a socket', [...Array(640).fill(65_536), 17]],
  ] as const) {
    test(`what was written is read back: ${what}`, async () => {
      const store = open()
      const key = ownKey()
      const bytes = randomBytes(sizes.reduce((sum, size) => sum + size, 0))
      await store.write(key, slices(bytes, sizes))
      assert.equal(await store.size(key), bytes.length)
      assert.equal(hashOf(await readAll(store, key)), hashOf(bytes))
      await store.remove(key)
    })
  }

  test('ranges are read exactly', async () => {
    const store = open()
    const key = ownKey()
    const bytes = randomBytes(700_001)
    await store.write(key, slices(bytes, [65_536, 634_465]))
    const last = bytes.length - 1
    const position = fc.integer({ min: 0, max: last })
    await fc.assert(
      fc.asyncProperty(position, position, async (one, other) => {
        const range = { start: Math.min(one, other), end: Math.max(one, other) }
        assert.ok((await readAll(store, key, range)).equals(bytes.subarray(range.start, range.end + 1)))
      }),
      {
        numRuns: 20,
        examples: [
          [0, 0],
          [last, last],
          [0, last],
          [262_143, 262_144],
        ],
      },
    )
    for (const range of [
      { start: 0, end: last + 1 },
      { start: last + 1, end: last + 1 },
      { start: 5, end: 4 },
    ]) {
      await assert.rejects(store.read(key, range), RangeError)
    }
    await store.remove(key)
  })

  test('what is not there is null, and removing it harmless', async () => {
    const store = open()
    const key = ownKey()
    assert.equal(await store.size(key), null)
    assert.equal(await store.read(key, null), null)
    assert.equal(await store.read(key, { start: 0, end: 1 }), null)
    await store.remove(key)
    await assert.rejects(store.promote(key, ownKey()))
  })

  test('what is removed is gone', async () => {
    const store = open()
    const [kept, removed] = [ownKey(), ownKey()]
    await Promise.all([kept, removed].map((key) => store.write(key, slices(Buffer.from('bytes'), [5]))))
    const before = await residue()
    await store.remove(removed)
    assert.deepEqual([await store.size(removed), await store.read(removed, null)], [null, null])
    assert.equal(String(await readAll(store, kept)), 'bytes')
    assert.equal(await residue(), before - 1)
    await store.remove(kept)
  })

  for (const [what, fineBytes] of [
    ['at once', 0],
    ['after some bytes', 100_000],
    ['after more than a part', LARGE_BYTES],
  ] as const) {
    test(`a source that throws ${what} leaves nothing and its error is told`, async () => {
      const store = open()
      const key = ownKey()
      const before = await residue()
      const broken = new Error('the client went away')
      await assert.rejects(store.write(key, failing(fineBytes, broken)), (error) => error === broken)
      assert.equal(await store.size(key), null)
      assert.equal(await residue(), before)
    })
  }

  test('an object is not there before all of it is', async () => {
    const store = open()
    const key = ownKey()
    async function* looking() {
      yield Buffer.alloc(LARGE_BYTES)
      assert.equal(await store.size(key), null)
      assert.equal(await store.read(key, null), null)
      yield Buffer.from('end')
    }
    await store.write(key, looking())
    assert.equal(await store.size(key), LARGE_BYTES + 3)
    await store.remove(key)
  })

  test('objects written at the same time do not mix', async () => {
    const store = open()
    const objects = Array.from({ length: 12 }, (_, index) => ({
      key: ownKey(),
      bytes: randomBytes(index % 4 === 0 ? 3 * MEBIBYTE : 64 * 1024),
    }))
    await Promise.all(objects.map(({ key, bytes }) => store.write(key, slices(bytes, [10_000, bytes.length - 10_000]))))
    await Promise.all(objects.map(async ({ key, bytes }) => assert.ok((await readAll(store, key)).equals(bytes))))
    await Promise.all(objects.map(({ key }) => store.remove(key)))
  })

  test('a reader may leave in the middle', async () => {
    const store = open()
    const key = ownKey()
    await store.write(key, slices(Buffer.alloc(LARGE_BYTES), [LARGE_BYTES]))
    for (let round = 0; round < 3; round++) {
      const stream = (await store.read(key, null)) ?? assert.fail()
      for await (const chunk of stream) {
        assert.ok(Buffer.isBuffer(chunk))
        break
      }
      assert.ok(stream.destroyed)
    }
    const untouched = (await store.read(key, null)) ?? assert.fail()
    untouched.destroy()
    await store.remove(key)
  })

  test('a promoted object has the new key alone', async () => {
    const store = open()
    const [from, to] = [ownKey(), ownKey()]
    const bytes = randomBytes(100_000)
    await store.write(from, slices(bytes, [100_000]))
    await store.promote(from, to)
    assert.equal(await store.size(from), null)
    assert.ok((await readAll(store, to)).equals(bytes))
    await store.write(from, slices(Buffer.from('late'), [4]))
    assert.ok((await readAll(store, to)).equals(bytes))
    await store.remove(from)
    await store.remove(to)
  })

  test('keys of any other shape are refused', async () => {
    const store = open()
    const before = await residue()
    for (const text of [
      '',
      '.',
      '../x',
      `${PROJECT}/../x`,
      `${PROJECT}/${'a'.repeat(31)}`,
      `${ownKey()}/a`,
      `/${ownKey()}`,
    ]) {
      const key = text as BlobKey
      const refused = { name: 'TypeError' }
      await assert.rejects(store.write(key, slices(Buffer.from('x'), [1])), refused, text)
      await assert.rejects(store.read(key, null), refused)
      await assert.rejects(store.size(key), refused)
      await assert.rejects(store.remove(key), refused)
      await assert.rejects(store.promote(ownKey(), key), refused)
    }
    assert.equal(await residue(), before)
  })

  test('leftovers are removed without harm to what is whole', async () => {
    const store = open()
    const key = ownKey()
    await store.write(key, slices(Buffer.from('whole'), [5]))
    await store.removeLeftovers()
    assert.equal(String(await readAll(store, key)), 'whole')
    await store.remove(key)
  })

  test(`direct uploads ${reachable ? 'go to the store' : 'are left to the service'}`, async () => {
    const store = open()
    const key = ownKey()
    const bytes = Buffer.from('direct')
    const target = await store.directTarget({
      key,
      contentType: 'text/plain',
      sizeBytes: bytes.length,
      sha256: hashOf(bytes),
      expiresInSeconds: 60,
    })
    if (!reachable) return assert.equal(target, null)
    assert.ok(target !== null)
    const response = await fetch(target.url, { method: 'PUT', headers: target.headers, body: bytes })
    assert.equal(response.status, 200, await response.text())
    assert.equal(String(await readAll(store, key)), 'direct')
    await store.remove(key)
  })

  test('every test removed what it wrote', async () => {
    assert.equal(await residue(), 0)
  })
}

export function ownKey(): BlobKey {
  return newBlobKey(PROJECT, randomBytes)
}

/** `bytes` in chunks of these sizes. */
export async function* slices(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let offset = 0
  for (const size of sizes) {
    yield bytes.subarray(offset, offset + size)
    offset += size
  }
}

/** So many bytes, and then this error. */
async function* failing(fineBytes: number, error: Error): AsyncGenerator<Buffer> {
  for (let left = fineBytes; left > 0; left -= 65_536) yield Buffer.alloc(Math.min(left, 65_536), 1)
  throw error
}

export async function readAll(store: BlobStore, key: BlobKey, range: { start: number; end: number } | null = null) {
  return buffer((await store.read(key, range)) ?? assert.fail('there is no such object'))
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
