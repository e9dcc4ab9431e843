import { EMBEDDER_VERSION } from '@spoor/clustering/embedding/basis'
import { DomainError } from '../../lib/domain-error.ts'
import { EndpointFailure } from '../discovery/endpoint-failure.ts'
import { assignTraces } from './assign-traces.ts'
import { discoverRun, type DiscoverRunDependencies } from './discover-run.ts'
import { formerMembers } from './former-members.ts'
import { similarTraces } from './similar-traces.ts'
import { learnTemplate, templateOf } from './template.ts'
import { storeFeatures } from './store-features.ts'
import type { FromWorker, ToWorker } from './messages.ts'
import { packIds, unpackIds } from './pack-ids.ts'

/** Answers one request; never rejects. An error is an answer too, and the thread continues. */
export async function serveWorker(dependencies: DiscoverRunDependencies, message: ToWorker): Promise<FromWorker> {
  try {
    return { kind: 'answer', answer: await answer(dependencies, message) }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'storage_unavailable')
      return { kind: 'away', detail: error.message }
    if (error instanceof EndpointFailure) return { kind: 'refused', detail: error.message }
    if (!(error instanceof Error)) return { kind: 'error', detail: String(error), stack: null }
    return { kind: 'error', detail: error.message, stack: error.stack ?? null }
  }
}

async function answer(dependencies: DiscoverRunDependencies, { operation, request }: ToWorker) {
  const { memory, embedder } = dependencies
  const { setId } = request
  const withText = embedder.needsText
  switch (operation) {
    case 'lacking':
      return memory.withoutFeatures(setId, request.traces, EMBEDDER_VERSION, {
        withText,
        inputPath: request.inputPath,
        template: (await templateOf(memory, setId)).number,
      })
    case 'learn':
      await learnTemplate(memory, request)
      return null
    case 'keep':
      await storeFeatures(memory, request, { withText })
      return null
    case 'former':
      return packIds(await formerMembers(memory, embedder, setId))
    case 'unembedded':
      return packIds(await embedder.lacking(setId, unpackIds(request.traceIds)))
    case 'embed':
      await embedder.ask(setId, request.traceIds)
      return null
    case 'discover':
      return discoverRun(dependencies, request)
    case 'assign':
      return assignTraces(memory, embedder, request)
    case 'similar':
      return similarTraces(memory, embedder, request)
    case 'tidy':
      return memory.tidy(setId)
  }
}
