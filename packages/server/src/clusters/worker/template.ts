import type { ClusterSetId } from '../../ports/clusters/cluster-set.ts'
import { findTemplate, grownTemplate } from '@spoor/clustering/text/template'
import { requestsOf } from '@spoor/clustering/text/trace-text'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import type { KeepRequest } from './messages.ts'
import { stepTexts } from './step-texts.ts'

/** The number 0 until one is stored. */
export async function templateOf(memory: Pick<DiscoveryMemory, 'template'>, setId: ClusterSetId) {
  const stored = await memory.template(setId)
  return { number: stored?.number ?? 0, runs: new Set(stored?.runs) }
}

/** Finds the text that the requests of some traces share, and stores it if it is not known yet. */
export async function learnTemplate(
  memory: Pick<DiscoveryMemory, 'template' | 'putTemplate'>,
  { setId, traces, steps, inMessages }: KeepRequest,
): Promise<void> {
  const texts = stepTexts(steps, inMessages)
  const asked = traces.map(({ id, ...heading }) => [...requestsOf(texts.get(id) ?? [], heading)].join('\n'))
  const stored = await memory.template(setId)
  const runs = grownTemplate(stored?.runs ?? new Uint32Array(0), findTemplate(asked))
  if (runs !== null) await memory.putTemplate(setId, { number: (stored?.number ?? 0) + 1, runs })
}
