import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { createRandom } from '../clustering/seeded-random.ts'
import type { DiscoveryMemory, StoredBasis } from '../discovery-memory.ts'
import { EMBEDDER_VERSION, type Basis } from '../embedding/basis.ts'
import { decodeBasis, encodeBasis } from '../embedding/basis-codec.ts'
import { isUnfamiliar } from '../embedding/familiarity.ts'
import { decodeFeatures } from '../embedding/feature-codec.ts'
import type { Features } from '../embedding/features.ts'
import { fitBasis } from '../embedding/fit-basis.ts'
import { dimensionsOf, projectorOf } from '../embedding/project.ts'
import type { Embedder, View } from './embedder.ts'
import { fitSample, isOutgrown } from './fit-sample.ts'
import { gatherPoints } from './gather-points.ts'

/** Directions of a basis. */
const RANK = 128
const FIT_SEED = 1

/** Embeds traces by their token features, seen along the basis of their project. Asks nobody. */
export function createBuiltinEmbedder(memory: Pick<DiscoveryMemory, 'features' | 'basis'>): Embedder {
  const featuresOf = (projectId: ProjectId) => (traceIds: readonly TraceId[]) =>
    memory.features(projectId, EMBEDDER_VERSION, traceIds)

  function sampled(projectId: ProjectId, ...groups: readonly (readonly TraceId[])[]): Features[] {
    const bytes = featuresOf(projectId)(fitSample(...groups))
    return bytes.flatMap((one) => (one === undefined ? [] : (decodeFeatures(one) ?? [])))
  }

  function fits(basis: Basis, projectId: ProjectId, traceIds: readonly TraceId[]): boolean {
    return !isOutgrown(basis.sampleSize, traceIds.length) && !isUnfamiliar(basis, sampled(projectId, traceIds))
  }

  function viewThrough(projectId: ProjectId, basis: Basis, fit: number, stored: StoredBasis | null): View {
    return {
      embedderVersion: nameOf(basis, fit),
      stored,
      embed(traceIds, onShare) {
        const project = projectorOf(basis)
        const write = (bytes: Uint8Array, row: Float32Array): boolean => {
          const features = decodeFeatures(bytes)
          if (features !== null) project(features, row)
          return features !== null
        }
        return gatherPoints({ columns: dimensionsOf(basis), read: featuresOf(projectId), write }, traceIds, onShare)
      },
    }
  }

  return {
    needsText: false,
    lacking: () => [],
    ask: async () => undefined,

    viewFor(projectId, traceIds, former) {
      const kept = memory.basis(projectId)
      const basis = kept === undefined ? null : decodeBasis(kept.basis)
      if (kept !== undefined && basis !== null && fits(basis, projectId, traceIds)) {
        return viewThrough(projectId, basis, kept.fit, null)
      }
      const sample = sampled(projectId, former, traceIds)
      const fitted = fitBasis(sample, { rank: RANK, random: createRandom(FIT_SEED) })
      const fit = (kept?.fit ?? 0) + 1
      return viewThrough(projectId, fitted, fit, { fit, basis: encodeBasis(fitted) })
    },

    viewOf(projectId, embedderVersion) {
      const kept = memory.basis(projectId)
      const basis = kept === undefined ? null : decodeBasis(kept.basis)
      const isThatOne = kept !== undefined && basis !== null && nameOf(basis, kept.fit) === embedderVersion
      return isThatOne ? viewThrough(projectId, basis, kept.fit, null) : null
    },
  }
}

function nameOf({ embedderVersion }: Basis, fit: number): string {
  return `${embedderVersion}.${fit}`
}
