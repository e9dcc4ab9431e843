import { FRAMEWORKS } from '../../packages/server/src/cli/otel/frameworks.ts'
import { renderFramework } from '../../packages/server/src/cli/otel/print-framework.ts'
import type { DocTable } from './doc-table.ts'

/** The page of the guide of each framework. */
const PAGES: Readonly<Record<string, string>> = {
  'ai-sdk': 'javascript',
  mastra: 'javascript',
  openinference: 'javascript',
  'openai-agents': 'python',
  langchain: 'python',
  llamaindex: 'python',
  openllmetry: 'python',
  langsmith: 'python',
  strands: 'python',
  openlit: 'python',
  'claude-code': 'coding-agents',
  codex: 'coding-agents',
  'gemini-cli': 'coding-agents',
  langfuse: 'others',
  collector: 'others',
}

/** What `spoor otel` prints, as blocks of the guide. */
export const OTEL_BLOCKS: readonly DocTable[] = FRAMEWORKS.map((framework) => ({
  page: `docs/guide/opentelemetry-${PAGES[framework.name] ?? 'others'}.md`,
  name: `otel-${framework.name}`,
  render: () => renderFramework(framework),
}))
