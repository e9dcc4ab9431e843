import { createHash } from 'node:crypto'
import type { TraceId } from '@spoor/contract/ids'
import type { ClusterSetId } from '../../ports/clusters/cluster-set.ts'
import { createRandom } from '@spoor/clustering/partition/seeded-random'
import type { DiscoveryMemory, StoredBasis } from '../../ports/clusters/discovery-memory.ts'
import { EndpointFailure } from '../discovery/endpoint-failure.ts'
import { decodeFrame, encodeFrame } from '@spoor/clustering/embedding/frame-codec'
import type { TextEmbedder, Tries } from '@spoor/clustering/embedding/text-embedder'
import { decodeVector, encodeVector } from '@spoor/clustering/embedding/vector-codec'
import { columnsOf, fitFrame, framedRows, type VectorFrame } from '@spoor/clustering/embedding/vector-frame'
import type { Embedder, View } from './embedder.ts'
import { fitSample, isOutgrown } from './fit-sample.ts'
import { gatherPoints } from './gather-points.ts'
import { storeFeatures } from './store-features.ts'

const FIT_SEED = 1

/**
 * Embeds traces by the vectors of their texts from an endpoint, which gets each text once, transformed by the frame of
 * their project.
 */
export function createEndpointEmbedder(
  memory: Pick<DiscoveryMemory, 'vectors' | 'basis' | 'putFeatures' | 'template'>,
  endpoint: TextEmbedder,
): Embedder {
  const { vectors } = memory
  const { source, model } = endpoint
  const nameOf = (fit: number): string => `endpoint-${model}.${fit}`
  const vectorsOf = (setId: ClusterSetId) => (traceIds: readonly TraceId[]) => vectors.read(setId, source, traceIds)

  async function ask(setId: ClusterSetId, traceIds: readonly TraceId[], tries: Tries): Promise<void> {
    const lacking = await vectors.lacking(setId, source, traceIds)
    const texts = await vectors.texts(setId, lacking)
    const traces = lacking.flatMap((traceId, index) => {
      const text = texts[index]
      return text === undefined ? [] : [{ traceId, text, key: keyOf(source, text) }]
    })
    const byKey = new Map(traces.map(({ key, text }) => [key, text]))
    const known = await vectors.known(setId, [...byKey.keys()])
    const wanted = [...byKey].filter(([key, text]) => !known.has(key) && text !== '')
    const answers = await endpoint.embed(
      wanted.map(([, text]) => text),
      tries,
    )
    checkDimension(answers, await vectors.dimension(setId, source))
    const made = wanted.map(([key], index) => {
      const vector = answers[index]!
      return { key, dimension: vector.length, bytes: encodeVector(vector) }
    })
    const empty = { key: keyOf(source, ''), dimension: 0, bytes: new Uint8Array() }
    await vectors.put(setId, source, byKey.has(empty.key) ? [...made, empty] : made, traces)
  }

  function viewThrough(setId: ClusterSetId, frame: VectorFrame, fit: number, stored: StoredBasis | null): View {
    return {
      embedderVersion: nameOf(fit),
      stored,
      embed(traceIds, onShare) {
        const writeRow = framedRows(frame)
        const write = (bytes: Uint8Array, row: Float32Array): boolean => {
          const vector = bytes.length === 0 ? null : decodeVector(bytes)
          if (vector !== null && vector.length !== frame.dimension) return false
          writeRow(vector, row)
          return true
        }
        return gatherPoints({ columns: columnsOf(frame), read: vectorsOf(setId), write }, traceIds, onShare)
      },
      // They are stored, because no text is sent twice.
      async embedNew(request) {
        const traceIds = request.traces.map(({ id }) => id)
        await storeFeatures(memory, request, { withText: true })
        await ask(setId, traceIds, 'one')
        return this.embed(traceIds)
      },
    }
  }

  /** The stored frame, when it is for this source. */
  async function keptFrame(setId: ClusterSetId): Promise<{ readonly frame: VectorFrame; readonly fit: number } | null> {
    const kept = await memory.basis(setId)
    const frame = kept === undefined ? null : decodeFrame(kept.basis)
    return kept !== undefined && frame?.source === source ? { frame, fit: kept.fit } : null
  }

  return {
    needsText: true,
    lacking: (setId, traceIds) => vectors.lacking(setId, source, traceIds),

    ask: (setId, traceIds) => ask(setId, traceIds, 'many'),

    async viewFor(setId, traceIds, former) {
      const kept = await keptFrame(setId)
      const dimension = await vectors.dimension(setId, source)
      const isOfThem = kept !== null && (dimension === null || kept.frame.dimension === dimension)
      if (isOfThem && !isOutgrown(kept.frame.sampleSize, traceIds.length)) {
        return viewThrough(setId, kept.frame, kept.fit, null)
      }
      const sample = fitSample(former, traceIds)
      const read = await vectorsOf(setId)(sample)
      const sampled = read.flatMap((bytes) => (bytes === undefined || bytes.length === 0 ? [] : [decodeVector(bytes)]))
      const frame = fitFrame(source, sample.length, sampled, createRandom(FIT_SEED))
      const fit = ((await memory.basis(setId))?.fit ?? 0) + 1
      return viewThrough(setId, frame, fit, { fit, basis: encodeFrame(frame) })
    },

    async viewOf(setId, embedderVersion) {
      const kept = await keptFrame(setId)
      return kept !== null && nameOf(kept.fit) === embedderVersion
        ? viewThrough(setId, kept.frame, kept.fit, null)
        : null
    },
  }
}

function keyOf(source: string, text: string): string {
  return createHash('sha256').update(`${source}\n${text}`).digest('hex')
}

function checkDimension(answers: readonly Float32Array[], expected: number | null): void {
  const other = expected === null ? undefined : answers.find(({ length }) => length !== expected)
  if (other === undefined) return
  throw new EndpointFailure(
    `The embedding endpoint answered with vectors of ${other.length} numbers, where it made ones of ${expected} for this project before. If it has another model now, say so by SPOOR_EMBEDDINGS_MODEL or SPOOR_EMBEDDINGS_URL.`,
  )
}
