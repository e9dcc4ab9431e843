import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import { type CutSnippet, cutSnippet } from './cut-snippet.ts'

/** Where a trace was found by the words of a search. */
export interface Snippet extends CutSnippet {
  readonly stepId: StepId
}

/** Traces whose texts are held at once, and looked through without a break. */
const TOGETHER = 25

/**
 * For each trace of a page, its first step that has all the words. A trace that was found by its name alone has none.
 */
export async function searchSnippets(
  store: Pick<TraceReads, 'findStepHits'>,
  projectId: ProjectId,
  ids: readonly TraceId[],
  words: readonly string[],
): Promise<ReadonlyMap<TraceId, Snippet>> {
  const snippets = new Map<TraceId, Snippet>()
  for (let from = 0; from < ids.length; from += TOGETHER) {
    for (const hit of await store.findStepHits(projectId, ids.slice(from, from + TOGETHER), words)) {
      const snippet = cutSnippet(hit.texts, words)
      if (snippet !== null) snippets.set(hit.traceId, { ...snippet, stepId: hit.stepId })
    }
  }
  return snippets
}
