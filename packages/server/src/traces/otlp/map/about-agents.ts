import type { Span, SpanOrigin } from '../wire/span.ts'
import { CLAUDE_CODE_SPAN, SESSION_ID } from './mapping-table.ts'

/**
 * A span with an attribute that begins like one of these is about agents and models. Attributes that a processor
 * sets on every span (`langfuse.trace.`, `traceloop.association.`, `session.id`) are not among them.
 */
const AGENT_ATTRIBUTES = [
  'spoor.',
  'gen_ai.',
  'openinference.',
  'llm.',
  'embedding.',
  'ai.',
  'traceloop.span.kind',
  'traceloop.entity.',
  'langfuse.observation.',
  'langsmith.span.',
  'lmnr.span.',
  'genkit:',
  'gcp.vertex.agent.',
  'mlflow.span',
  'braintrust.span_attributes',
  'braintrust.input',
  'braintrust.output',
  'mcp.',
  'annotations.',
] as const

/** Scopes whose spans are all about agents and models. */
const AGENT_SCOPES =
  /^(spoor$|ai$|@?langfuse|langsmith|lmnr|@?mastra|@?voltagent|genkit|gcp\.vertex\.agent|gemini-cli|@?arizeai|openinference|@?traceloop|com\.anthropic\.claude_code|strands|pydantic.ai|crewai|autogen|smolagents|agno|haystack|llama.?index|langchain|opentelemetry\.instrumentation\.(openai|anthropic|bedrock|cohere|google|groq|langchain|llamaindex|mcp|mistral|ollama|vertexai|crewai|haystack)\b)/i

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
