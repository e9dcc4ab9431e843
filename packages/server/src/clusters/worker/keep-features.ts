import type { DiscoveryMemory } from '../discovery-memory.ts'
import { EMBEDDER_VERSION } from '../embedding/basis.ts'
import { encodeFeatures } from '../embedding/feature-codec.ts'
import { featuresOf } from '../embedding/features.ts'
import { textOf } from '../embedding/trace-text.ts'
import { toExcerpt } from './excerpt.ts'
import type { KeepRequest } from './messages.ts'
import { stepTexts } from './step-texts.ts'

/** Makes features of traces and keeps them; of those without any step too, so that nobody looks for them again. */
export function keepFeatures(
  memory: Pick<DiscoveryMemory, 'putFeatures'>,
  { projectId, traces, steps }: KeepRequest,
): void {
  const texts = stepTexts(steps)
  const rows = traces.map(({ id, version }) => {
    const text = textOf(texts.get(id) ?? [])
    return { traceId: id, version, features: encodeFeatures(featuresOf(text)), excerpt: toExcerpt(text) }
  })
  memory.putFeatures(projectId, EMBEDDER_VERSION, rows)
}
