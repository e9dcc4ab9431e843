import { getPriority, setPriority } from 'node:os'
import type { MessagePort } from 'node:worker_threads'
import { createBuiltinEmbedder } from '../../clusters/worker/builtin-embedder.ts'
import { createEndpointEmbedder } from '../../clusters/worker/endpoint-embedder.ts'
import type { FromWorker, ReportProgress, ToWorker } from '../../clusters/worker/messages.ts'
import { serveWorker } from '../../clusters/worker/serve-worker.ts'
import { createIdGenerator } from '../../lib/ids/ids.ts'
import { systemRandomBytes } from '../../lib/ids/random.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { ModelEndpoint } from '../../model-endpoints/model-endpoint.ts'
import { OpenAiEmbedder } from '../../model-endpoints/openai-embedder.ts'
import { OpenAiNamer } from '../../model-endpoints/openai-namer.ts'
import type { DiscoveryMemory } from '../../ports/clusters/discovery-memory.ts'

/** Endpoints to use; null: the built-in parts. */
export interface DiscoveryEndpoints {
  readonly embeddings: ModelEndpoint | null
  readonly naming: ModelEndpoint | null
}

const LOW_PRIORITY = 10

/** The work of a thread that computes discoveries on `memory`, for as long as the thread runs. */
export function serveDiscoveries(
  port: MessagePort,
  { memory, clock }: { readonly memory: DiscoveryMemory; readonly clock: Clock },
  { embeddings, naming }: DiscoveryEndpoints,
): void {
  // On Linux a priority belongs to a thread; elsewhere it would be that of the whole service.
  if (process.platform === 'linux' && getPriority() < LOW_PRIORITY) setPriority(0, LOW_PRIORITY)
  const ids = createIdGenerator(clock, systemRandomBytes)
  const tell = (message: FromWorker) => port.postMessage(message)
  const report: ReportProgress = (phase, share) => tell({ kind: 'progress', progress: { phase, share } })
  const asking = { timers: systemTimers, clock, random: Math.random }
  const dependencies = {
    memory,
    embedder:
      embeddings === null
        ? createBuiltinEmbedder(memory)
        : createEndpointEmbedder(memory, new OpenAiEmbedder(embeddings, asking)),
    namer: naming === null ? null : new OpenAiNamer(naming, asking),
    onUnnamed: (count: number, detail: string) =>
      tell({
        kind: 'notice',
        message: `the naming endpoint returned no name for ${count} clusters: they keep the names made of their words`,
        detail,
      }),
    newClusterId: () => ids.newId('clu'),
    now: () => clock.now(),
    report,
  }
  port.on('message', (message: ToWorker) => void serveWorker(dependencies, message).then(tell))
}
