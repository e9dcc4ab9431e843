import type { TokenUsage } from '../../../ports/traces/trace-record.ts'
import type { SpanFields } from './span-fields.ts'
import { isObject, parsed, toCount } from './span-fields.ts'
import * as table from './mapping-table.ts'

type Counts = { readonly [Name in keyof TokenUsage]: number | undefined }
type Names = { readonly [Name in keyof TokenUsage]: readonly string[] }

const NAMES: Names = {
  input: table.INPUT_TOKENS,
  output: table.OUTPUT_TOKENS,
  cacheRead: table.CACHE_READ_TOKENS,
  cacheWrite: table.CACHE_WRITE_TOKENS,
  reasoning: table.REASONING_TOKENS,
}

/** The usage of a step whose type has usage of its own, or null. */
export function tokenUsage(spanName: string, type: string, fields: SpanFields): TokenUsage | null {
  if (!table.TYPES_WITH_USAGE.has(type)) return null
  const standard = counts(NAMES, (names) => fields.useFirstCount(names))
  if (standard !== null) return withCached(standard, false)
  if (spanName.startsWith(table.CLAUDE_CODE_SPAN)) {
    const own = counts(table.CLAUDE_CODE_USAGE_FIELDS, (names) => fields.useFirstCount(names))
    return own === null ? null : withCached(own, true)
  }
  const details = parsed(fields.get(table.LANGFUSE_USAGE))
  if (!isObject(details)) return null
  const found = counts(table.LANGFUSE_USAGE_FIELDS, (names) =>
    names.map((name) => toCount(details[name])).find((count) => count !== undefined),
  )
  if (found === null) return null
  fields.use(table.LANGFUSE_USAGE)
  const usage = withCached(found, true)
  // Its output leaves the reasoning out.
  return { ...usage, output: boundedSum(usage.output, usage.reasoning) }
}

/** Null when there is no count at all. */
function counts(names: Names, find: (names: readonly string[]) => number | undefined): Counts | null {
  const found = {
    input: find(names.input),
    output: find(names.output),
    cacheRead: find(names.cacheRead),
    cacheWrite: find(names.cacheWrite),
    reasoning: find(names.reasoning),
  }
  return Object.values(found).every((count) => count === undefined) ? null : found
}

/** `input` includes cached tokens. A sender whose cached tokens are more than its input has left them out. */
function withCached(
  { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 }: Counts,
  excludes: boolean,
): TokenUsage {
  const cached = boundedSum(cacheRead, cacheWrite)
  return {
    input: excludes || cached > input ? boundedSum(input, cached) : input,
    output,
    cacheRead,
    cacheWrite,
    reasoning,
  }
}

function boundedSum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER)
}
