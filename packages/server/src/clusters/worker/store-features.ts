import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'
import { EMBEDDER_VERSION } from '@spoor/clustering/embedding/basis'
import { endpointText } from '@spoor/clustering/embedding/endpoint-text'
import { encodeFeatures } from '@spoor/clustering/text/feature-codec'
import { featuresOf } from '@spoor/clustering/text/features'
import { textOf } from '@spoor/clustering/text/trace-text'
import { toExcerpt } from './excerpt.ts'
import { kindOfSet } from '../../ports/clusters/cluster-set.ts'
import type { KeepRequest } from './messages.ts'
import { stepTexts } from './step-texts.ts'
import { templateOf } from './template.ts'

/**
 * Computes and stores features of traces. Traces without a step get features too, so that they are not searched again.
 */
export async function storeFeatures(
  memory: Pick<DiscoveryMemory, 'putFeatures' | 'template'>,
  { setId, traces, steps, inputPath, inMessages }: KeepRequest,
  { withText }: { readonly withText: boolean },
): Promise<void> {
  const texts = stepTexts(steps, inMessages)
  const template = await templateOf(memory, setId)
  const rows = traces.map(({ id, version, ...heading }) => {
    const text = textOf(texts.get(id) ?? [], heading, template.runs, kindOfSet(setId))
    return {
      traceId: id,
      version,
      inputPath,
      template: template.number,
      features: encodeFeatures(featuresOf(text)),
      excerpt: toExcerpt(text),
      text: withText ? endpointText(text) : null,
    }
  })
  await memory.putFeatures(setId, EMBEDDER_VERSION, rows)
}
