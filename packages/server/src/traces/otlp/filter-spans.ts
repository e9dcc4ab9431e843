import type { StepId } from '@spoor/contract/ids'
import type { StepKey } from '../../ports/journal/journal.ts'
import type { PreparedSpan, PreparedStep } from '../../ports/traces/prepared.ts'

/**
 * The key by which it is known that a stored step names this one as its parent. So a parent that comes later, as most
 * do, is recognised as an ancestor of what is stored.
 */
function parentKey(parentId: StepId): string {
  return `p${parentId}`
}

/** The key that a step leaves for its parent, or null for a root. */
export function keyForParent({ parentStepId }: PreparedStep): string | null {
  return parentStepId === null ? null : parentKey(parentStepId)
}

/** The keys that tell whether a span that is not about agents is kept all the same. */
export function keysOfOthers(spans: readonly PreparedSpan[]): string[] {
  return spans.flatMap(({ isAboutAgents, step }) =>
    isAboutAgents ? [] : [`i${step.id}`, parentKey(step.id as StepId)],
  )
}

/**
 * The spans about agents and their ancestors, in their order. `isKnown`: a key of the trace is stored. A span that is
 * stored already, or that a stored step names as its parent, is kept too.
 */
export function withoutOthers(
  spans: readonly PreparedSpan[],
  isKnown: (key: StepKey['key']) => boolean,
): PreparedSpan[] {
  const byId = new Map(spans.map((span) => [span.step.id, span]))
  const kept = new Set<StepId | null>()
  for (const span of spans) {
    const { id } = span.step
    if (!span.isAboutAgents && !isKnown(`i${id}`) && !isKnown(parentKey(id as StepId))) continue
    // Ends at a kept span, so circles end too.
    for (let at: PreparedSpan | undefined = span; at !== undefined && !kept.has(at.step.id);) {
      kept.add(at.step.id)
      at = byId.get(at.step.parentStepId)
    }
  }
  return spans.filter(({ step }) => kept.has(step.id))
}
