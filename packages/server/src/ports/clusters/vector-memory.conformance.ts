import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OTHER_PROJECT, PROJECT } from '../../traces/trace-builders.test-support.ts'
import { features, manualClock, type OpenClusterStores, traceId } from './cluster-builders.test-support.ts'
import type { DiscoveryMemory } from './discovery-memory.ts'

const SOURCE = 'ab'.repeat(16)
const keyOf = (byte: string) => byte.repeat(32)

/** Traces with these texts, and vectors of all of them. */
async function putVectors(memory: DiscoveryMemory, texts: readonly string[]): Promise<void> {
  const rows = texts.map((text, number) => features(number, { text: `text ${text}` }))
  await memory.putFeatures(PROJECT, 'e', rows)
  const vectors = [...new Set(texts)].map((key) => ({ key: keyOf(key), dimension: 3, bytes: Uint8Array.of(7, 8) }))
  const traces = texts.map((key, number) => ({ traceId: traceId(number), key: keyOf(key) }))
  await memory.vectors.put(PROJECT, SOURCE, vectors, traces)
}

/** The contract of every memory of vectors, for texts that DiscoveryMemory stores. */
export function testVectorMemory(open: OpenClusterStores): void {
  test('vectors are found by trace, by source, and by key', async (context) => {
    const { memory } = await open(manualClock(), context)
    const { vectors } = memory
    assert.equal(await vectors.dimension(PROJECT, SOURCE), null)
    await putVectors(memory, ['01', '02', '01'])
    const ids = [0, 1, 2, 9].map(traceId)
    const otherSource = 'cd'.repeat(16)
    assert.deepEqual(await vectors.texts(PROJECT, ids), ['text 01', 'text 02', 'text 01', undefined])
    assert.deepEqual(await vectors.lacking(PROJECT, SOURCE, ids), [])
    assert.deepEqual(await vectors.lacking(PROJECT, otherSource, ids), ids.slice(0, 3))
    assert.deepEqual(await vectors.lacking(OTHER_PROJECT, SOURCE, ids), [])
    const bytes = Uint8Array.of(7, 8)
    assert.deepEqual(await vectors.read(PROJECT, SOURCE, ids), [bytes, bytes, bytes, undefined])
    assert.deepEqual(
      await vectors.read(PROJECT, otherSource, ids),
      ids.map(() => undefined),
    )
    assert.deepEqual(await vectors.known(PROJECT, [keyOf('01'), keyOf('03')]), new Set([keyOf('01')]))
    assert.deepEqual(await vectors.known(OTHER_PROJECT, [keyOf('01')]), new Set())
    assert.equal(await vectors.dimension(PROJECT, SOURCE), 3)
    assert.equal(await vectors.dimension(OTHER_PROJECT, SOURCE), null)
  })

  test('a changed text loses its vector, a removed one needs none', async (context) => {
    const { memory } = await open(manualClock(), context)
    const { vectors } = memory
    await putVectors(memory, ['01', '02'])
    const ids = [0, 1].map(traceId)
    await memory.putFeatures(PROJECT, 'e', [features(0, { version: 2, text: 'another' })])
    assert.deepEqual(await vectors.lacking(PROJECT, SOURCE, ids), [traceId(0)])
    await memory.putFeatures(PROJECT, 'e', [features(0, { version: 2, text: null })])
    assert.deepEqual(await vectors.lacking(PROJECT, SOURCE, ids), [])
    const versions = ids.map((id) => ({ id, version: 1 }))
    assert.deepEqual(
      await memory.withoutFeatures(PROJECT, versions, 'e', { withText: false, inputPath: null, template: 0 }),
      [],
    )
    assert.deepEqual(
      await memory.withoutFeatures(PROJECT, versions, 'e', { withText: true, inputPath: null, template: 0 }),
      [traceId(0)],
    )
  })

  test('a stored vector stays as it was; the empty text has none; unknown traces are ignored', async (context) => {
    const { memory } = await open(manualClock(), context)
    const { vectors } = memory
    await memory.putFeatures(PROJECT, 'e', [features(0, { text: '' })])
    const empty = { key: keyOf('00'), dimension: 0, bytes: new Uint8Array() }
    const traces = [0, 9].map((number) => ({ traceId: traceId(number), key: empty.key }))
    await vectors.put(PROJECT, SOURCE, [empty], traces)
    assert.equal(await vectors.dimension(PROJECT, SOURCE), null)
    await vectors.put(PROJECT, SOURCE, [{ ...empty, dimension: 1, bytes: Uint8Array.of(1) }], [])
    assert.deepEqual(await vectors.lacking(PROJECT, SOURCE, [traceId(0)]), [])
    const [bytes, none] = await vectors.read(PROJECT, SOURCE, [traceId(0), traceId(9)])
    assert.deepEqual([bytes?.length, none], [0, undefined])
  })

  test('a vector is removed with the last trace that has its text', async (context) => {
    const { clusters, memory } = await open(manualClock(), context)
    await putVectors(memory, ['01', '02', '01'])
    const known = async () => [...(await memory.vectors.known(PROJECT, ['01', '02'].map(keyOf)))]
    await clusters.forget(PROJECT, [traceId(0), traceId(1)])
    assert.deepEqual(await known(), [keyOf('01')])
    while (await memory.tidy(PROJECT));
    assert.deepEqual(await known(), [keyOf('01')])
    await memory.putFeatures(PROJECT, 'e', [features(2, { version: 2, text: 'another' })])
    while (await memory.tidy(PROJECT));
    assert.deepEqual(await known(), [])
  })
}
