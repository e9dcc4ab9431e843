import { type ClusterSetId, kindOfSet } from '../../ports/clusters/cluster-set.ts'
import { evenSample } from '@spoor/clustering/partition/seeded-random'
import { TEMPLATE_TEXTS } from '@spoor/clustering/text/template'
import type { StoreMissingDependencies } from '../assign/store-missing-features.ts'
import { stepParts } from '../assign/step-parts.ts'
import type { StepPart, TraceVersion } from '../worker/messages.ts'

/** Traces of which those without features are chosen, and most of these. */
const ASKED = 1000
const SAMPLED = 100
/** Characters of their steps. */
const MOST_READ = 4 * 1024 * 1024

/**
 * Has the worker look for text that the requests of a sample share, of those of these traces that have no features, and
 * compute the features of the sample. Returns the number of parts of steps that were read. Failures have no template:
 * an error that many of them share is their cause.
 */
export async function learnTemplate(
  { traces, worker, inputPathOf }: StoreMissingDependencies,
  setId: ClusterSetId,
  listed: readonly TraceVersion[],
): Promise<number> {
  if (kindOfSet(setId) === 'failures') return 0
  const inputPath = await inputPathOf(setId)
  const asked = evenly(listed, ASKED).map(({ id, version }) => ({ id, version }))
  const missing = new Set(await worker.ask('lacking', { setId, traces: asked, inputPath }))
  if (missing.size < TEMPLATE_TEXTS) return 0
  const sample = evenly(
    asked.filter(({ id }) => missing.has(id)),
    SAMPLED,
  )
  const parts: StepPart[] = []
  let room = MOST_READ
  for await (const part of stepParts(traces, setId, sample, inputPath)) {
    parts.push(part)
    room -= part.steps.reduce((length, [, , , , body]) => length + body.length, 0)
    if (room <= 0) break
  }
  const read = { traces: parts.flatMap((part) => part.traces), steps: parts.flatMap((part) => part.steps) }
  await worker.ask('learn', { setId, ...read, inputPath, inMessages: parts[0]!.inMessages })
  // Nothing is read twice.
  for (const part of parts) await worker.ask('keep', { setId, ...part })
  return parts.length
}

function evenly<T>(all: readonly T[], most: number): readonly T[] {
  return Array.from(evenSample(all.length, most), (at) => all[at]!)
}
