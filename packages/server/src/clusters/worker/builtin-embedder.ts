import type { TraceId } from '@spoor/contract/ids'
import { type ClusterSetId, kindOfSet } from '../../ports/clusters/cluster-set.ts'
import { createRandom } from '@spoor/clustering/partition/seeded-random'
import type { DiscoveryMemory, StoredBasis } from '../../ports/clusters/discovery-memory.ts'
import { EMBEDDER_VERSION, type Basis } from '@spoor/clustering/embedding/basis'
import { decodeBasis, encodeBasis } from '@spoor/clustering/embedding/basis-codec'
import { isUnfamiliar } from '@spoor/clustering/text/familiarity'
import { decodeFeatures } from '@spoor/clustering/text/feature-codec'
import { type Features, featuresOf as tokenFeatures } from '@spoor/clustering/text/features'
import { fitBasis } from '@spoor/clustering/embedding/fit-basis'
import { dimensionsOf, projectorOf } from '@spoor/clustering/embedding/project'
import { textOf } from '@spoor/clustering/text/trace-text'
import { rowOf, zeroMatrix } from '@spoor/clustering/matrix'
import type { Embedder, View } from './embedder.ts'
import { fitSample, isOutgrown } from './fit-sample.ts'
import { gatherPoints } from './gather-points.ts'
import { stepTexts } from './step-texts.ts'
import { templateOf } from './template.ts'

/** Directions of a basis. */
const RANK = 128
const FIT_SEED = 1

/** Embeds traces by their token features and the basis of their project, without an endpoint. */
export function createBuiltinEmbedder(memory: Pick<DiscoveryMemory, 'features' | 'basis' | 'template'>): Embedder {
  /** The view that new traces were assigned by last: making one takes longer than assigning fifty traces. */
  let last: { readonly setId: ClusterSetId; readonly view: View } | null = null
  const featuresOf = (setId: ClusterSetId) => (traceIds: readonly TraceId[]) =>
    memory.features(setId, EMBEDDER_VERSION, traceIds)

  async function sampled(setId: ClusterSetId, ...groups: readonly (readonly TraceId[])[]): Promise<Features[]> {
    const bytes = await featuresOf(setId)(fitSample(...groups))
    return bytes.flatMap((one) => (one === undefined ? [] : (decodeFeatures(one) ?? [])))
  }

  async function keptBasis(setId: ClusterSetId): Promise<{ readonly basis: Basis | null; readonly fit: number }> {
    const kept = await memory.basis(setId)
    return kept === undefined ? { basis: null, fit: 0 } : { basis: decodeBasis(kept.basis), fit: kept.fit }
  }

  async function fits(basis: Basis, setId: ClusterSetId, traceIds: readonly TraceId[]): Promise<boolean> {
    return !isOutgrown(basis.sampleSize, traceIds.length) && !isUnfamiliar(basis, await sampled(setId, traceIds))
  }

  function viewThrough(setId: ClusterSetId, basis: Basis, fit: number, stored: StoredBasis | null): View {
    let projector: ReturnType<typeof projectorOf> | null = null
    return {
      embedderVersion: nameOf(basis, fit),
      stored,
      embed(traceIds, onShare) {
        const project = (projector ??= projectorOf(basis))
        const write = (bytes: Uint8Array, row: Float32Array): boolean => {
          const features = decodeFeatures(bytes)
          if (features !== null) project(features, row)
          return features !== null
        }
        return gatherPoints({ columns: dimensionsOf(basis), read: featuresOf(setId), write }, traceIds, onShare)
      },
      async embedNew({ traces, steps, inMessages }) {
        const project = (projector ??= projectorOf(basis))
        const texts = stepTexts(steps, inMessages)
        const { runs } = await templateOf(memory, setId)
        const points = zeroMatrix(traces.length, dimensionsOf(basis))
        const traceIds = traces.map(({ id }) => id)
        for (const [index, { id, ...heading }] of traces.entries()) {
          project(tokenFeatures(textOf(texts.get(id) ?? [], heading, runs, kindOfSet(setId))), rowOf(points, index))
        }
        return { points, traceIds }
      },
    }
  }

  return {
    needsText: false,
    lacking: async () => [],
    ask: async () => undefined,

    async viewFor(setId, traceIds, former) {
      const { basis, fit: keptFit } = await keptBasis(setId)
      if (basis !== null && (await fits(basis, setId, traceIds))) return viewThrough(setId, basis, keptFit, null)
      const sample = await sampled(setId, former, traceIds)
      const fitted = fitBasis(sample, { rank: RANK, random: createRandom(FIT_SEED) })
      const fit = keptFit + 1
      return viewThrough(setId, fitted, fit, { fit, basis: encodeBasis(fitted) })
    },

    async viewOf(setId, embedderVersion) {
      if (last?.setId === setId && last.view.embedderVersion === embedderVersion) return last.view
      const { basis, fit } = await keptBasis(setId)
      if (basis === null || nameOf(basis, fit) !== embedderVersion) return null
      last = { setId, view: viewThrough(setId, basis, fit, null) }
      return last.view
    },
  }
}

function nameOf({ embedderVersion }: Basis, fit: number): string {
  return `${embedderVersion}.${fit}`
}
