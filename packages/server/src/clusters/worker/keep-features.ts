import type { DiscoveryMemory } from '../discovery-memory.ts'
import { EMBEDDER_VERSION } from '../embedding/basis.ts'
import { endpointText } from '../embedding/endpoint-text.ts'
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
  { withText }: { readonly withText: boolean },
): void {
  const texts = stepTexts(steps)
  const rows = traces.map(({ id, version }) => {
    const text = textOf(texts.get(id) ?? [])
    return {
      traceId: id,
      version,
      features: encodeFeatures(featuresOf(text)),
      excerpt: toExcerpt(text),
      text: withText ? endpointText(text) : null,
    }
  })
  memory.putFeatures(projectId, EMBEDDER_VERSION, rows)
}
