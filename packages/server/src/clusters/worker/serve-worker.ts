import { EMBEDDER_VERSION } from '../embedding/basis.ts'
import { assignTraces } from './assign-traces.ts'
import { discoverRun, type DiscoverRunDependencies } from './discover-run.ts'
import { keepFeatures } from './keep-features.ts'
import type { FromWorker, ToWorker } from './messages.ts'

/** Answers one request. What goes wrong is an answer too: the thread goes on. */
export function serveWorker(dependencies: DiscoverRunDependencies, message: ToWorker): FromWorker {
  try {
    return { kind: 'answer', answer: answer(dependencies, message) }
  } catch (error) {
    if (!(error instanceof Error)) return { kind: 'error', detail: String(error), stack: null }
    return { kind: 'error', detail: error.message, stack: error.stack ?? null }
  }
}

function answer(dependencies: DiscoverRunDependencies, message: ToWorker) {
  const { memory } = dependencies
  switch (message.operation) {
    case 'lacking':
      return memory.withoutFeatures(message.request.projectId, message.request.traces, EMBEDDER_VERSION)
    case 'keep':
      keepFeatures(memory, message.request)
      return null
    case 'discover':
      return discoverRun(dependencies, message.request)
    case 'assign':
      assignTraces(memory, message.request)
      return null
    case 'tidy':
      return memory.tidy(message.request.projectId)
  }
}
