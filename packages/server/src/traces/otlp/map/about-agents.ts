import type { Span, SpanOrigin } from '../wire/span.ts'
import { AGENT_ATTRIBUTES, AGENT_SCOPES, CLAUDE_CODE_SPAN, SESSION_ID } from './mapping-table.ts'

/** Conversation ids are set on every span of a request, whatever it is about. */
const OF_ANY_SPAN: ReadonlySet<string> = new Set(SESSION_ID)

/** Whether a span is about agents and models, by the type of its step, its scope, its name or one of its attributes. */
export function isAboutAgents({ name, attributes, events }: Span, { scope }: SpanOrigin, type: string): boolean {
  if (type !== 'other' || AGENT_SCOPES.test(scope.name) || name.startsWith(CLAUDE_CODE_SPAN)) return true
  for (const key of attributes.keys()) {
    if (AGENT_ATTRIBUTES.some((prefix) => key.startsWith(prefix)) && !OF_ANY_SPAN.has(key)) return true
  }
  return events.some((event) => event.name.startsWith('gen_ai.'))
}
