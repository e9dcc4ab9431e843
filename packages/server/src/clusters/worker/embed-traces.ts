import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { createRandom } from '../clustering/seeded-random.ts'
import type { DiscoveryMemory, StoredBasis } from '../discovery-memory.ts'
import { EMBEDDER_VERSION, type Basis } from '../embedding/basis.ts'
import { decodeBasis, encodeBasis } from '../embedding/basis-codec.ts'
import { isUnfamiliar } from '../embedding/familiarity.ts'
import { decodeFeatures } from '../embedding/feature-codec.ts'
import type { Features } from '../embedding/features.ts'
import { fitBasis, MOST_SAMPLED_TRACES } from '../embedding/fit-basis.ts'
import { dimensionsOf, projectorOf } from '../embedding/project.ts'
import { rowOf, zeroMatrix, type Matrix } from '../matrix.ts'

type EmbeddingMemory = Pick<DiscoveryMemory, 'features' | 'basis'>

/** A basis that is in use, under a name of its own: vectors of two fits cannot be compared. */
export interface FittedBasis {
  readonly basis: Basis
  readonly embedderVersion: string
  /** To be kept when it was fitted now. */
  readonly stored: StoredBasis | null
}

export interface EmbeddedTraces {
  readonly points: Matrix
  readonly traceIds: readonly TraceId[]
  /** The place of each in what was asked for. */
  readonly places: Uint32Array
}

/** Directions of a basis. */
const RANK = 128
const FIT_SEED = 1
const READ_TOGETHER = 500
/** A basis of few traces is fitted anew when there are so many times more: their directions are guesses. */
const OUTGROWN = 4

/** The basis of the project: the one that it has, as long as it fits what is to be embedded. `traceIds` ascending; `former` are those of the last run, which a new one must see as well. */
export function basisFor(
  memory: EmbeddingMemory,
  projectId: ProjectId,
  traceIds: readonly TraceId[],
  former: readonly TraceId[],
): FittedBasis {
  const stored = memory.basis(projectId)
  const basis = stored === undefined ? null : decodeBasis(stored.basis)
  if (stored !== undefined && basis !== null && fits(memory, projectId, basis, traceIds)) {
    return { basis, embedderVersion: nameOf(basis, stored.fit), stored: null }
  }
  const sample = spread([...new Set([...former, ...traceIds])].toSorted(), MOST_SAMPLED_TRACES)
  const fitted = fitBasis(featuresOf(memory, projectId, sample), { rank: RANK, random: createRandom(FIT_SEED) })
  const fit = (stored?.fit ?? 0) + 1
  return { basis: fitted, embedderVersion: nameOf(fitted, fit), stored: { fit, basis: encodeBasis(fitted) } }
}

/** The basis that made the vectors of a run; null when it is not there any more. */
export function basisOfRun(memory: EmbeddingMemory, projectId: ProjectId, embedderVersion: string): Basis | null {
  const stored = memory.basis(projectId)
  const basis = stored === undefined ? null : decodeBasis(stored.basis)
  return basis !== null && stored !== undefined && nameOf(basis, stored.fit) === embedderVersion ? basis : null
}

/** Traces without features are left out: they are gone. */
export function embedTraces(
  memory: EmbeddingMemory,
  projectId: ProjectId,
  basis: Basis,
  traceIds: readonly TraceId[],
  onShare: (share: number) => void = () => undefined,
): EmbeddedTraces {
  const project = projectorOf(basis)
  const points = zeroMatrix(traceIds.length, dimensionsOf(basis))
  const places = new Uint32Array(traceIds.length)
  let rows = 0
  for (const [place, features] of featuresInOrder(memory, projectId, traceIds)) {
    if (place % READ_TOGETHER === 0) onShare(place / traceIds.length)
    if (features === null) continue
    project(features, rowOf(points, rows))
    places[rows++] = place
  }
  return {
    points: { ...points, rows, values: points.values.subarray(0, rows * points.columns) },
    traceIds: rows === traceIds.length ? traceIds : Array.from(places.subarray(0, rows), (place) => traceIds[place]!),
    places: places.subarray(0, rows),
  }
}

function featuresOf(memory: EmbeddingMemory, projectId: ProjectId, traceIds: readonly TraceId[]): Features[] {
  return [...featuresInOrder(memory, projectId, traceIds)].flatMap(([, features]) => features ?? [])
}

function* featuresInOrder(
  memory: EmbeddingMemory,
  projectId: ProjectId,
  traceIds: readonly TraceId[],
): Generator<readonly [place: number, features: Features | null]> {
  for (let from = 0; from < traceIds.length; from += READ_TOGETHER) {
    const read = memory.features(projectId, EMBEDDER_VERSION, traceIds.slice(from, from + READ_TOGETHER))
    for (const [index, bytes] of read.entries()) {
      yield [from + index, bytes === undefined ? null : decodeFeatures(bytes)]
    }
  }
}

function nameOf({ embedderVersion }: Basis, fit: number): string {
  return `${embedderVersion}.${fit}`
}

function fits(memory: EmbeddingMemory, projectId: ProjectId, basis: Basis, traceIds: readonly TraceId[]): boolean {
  if (isOutgrown(basis, traceIds.length)) return false
  return !isUnfamiliar(basis, featuresOf(memory, projectId, spread(traceIds, MOST_SAMPLED_TRACES)))
}

function isOutgrown({ sampleSize }: Basis, traces: number): boolean {
  return sampleSize < MOST_SAMPLED_TRACES && traces >= OUTGROWN * sampleSize
}

/** At most so many of them, evenly spread. */
function spread<T>(values: readonly T[], most: number): readonly T[] {
  if (values.length <= most) return values
  return Array.from({ length: most }, (_, index) => values[Math.floor((index * values.length) / most)]!)
}
