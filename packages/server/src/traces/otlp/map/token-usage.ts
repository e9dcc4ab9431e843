import { firstOf } from '@spoor/payloads/json'
import { type PayloadUsage, usageIn } from '@spoor/payloads/usage'
import type { MoreUsage, StepUsage } from '../../../ports/traces/trace-record.ts'
import type { SpanOrigin } from '../wire/span.ts'
import * as table from './mapping-table.ts'
import { isObject, type JsonObject, parsed, type SpanFields, toCount } from './span-fields.ts'

/** What a span says of its tokens, in one way. */
type Kind = Exclude<keyof PayloadUsage, 'isBatch'>
type Counts = { readonly [K in Kind]?: number | undefined }

type Names = readonly (readonly [kind: Kind, names: readonly string[]])[]

const NAMES = listed({
  input: table.INPUT_TOKENS,
  output: table.OUTPUT_TOKENS,
  cacheRead: table.CACHE_READ_TOKENS,
  cacheWrite: table.CACHE_WRITE_TOKENS,
  reasoning: table.REASONING_TOKENS,
  cacheWriteHour: table.CACHE_WRITE_HOUR_TOKENS,
  audioInput: table.AUDIO_INPUT_TOKENS,
  audioOutput: table.AUDIO_OUTPUT_TOKENS,
})
const CLAUDE_CODE_NAMES = listed(table.CLAUDE_CODE_USAGE_FIELDS)
const LANGFUSE_NAMES = listed(table.LANGFUSE_USAGE_FIELDS)

function listed(names: Readonly<Partial<Record<Kind, readonly string[]>>>): Names {
  return Object.entries(names) as unknown as Names
}

/** What it used, and what it cost by its sender's word. */
export interface UsageSource {
  readonly spanName: string
  readonly origin: SpanOrigin
  readonly model: string | null
  /** As its answer states it. */
  readonly ofAnswer: PayloadUsage | null
}

/**
 * What a span says that it used, or null. A span may say so in several ways: of each kind of token the greatest number
 * counts. What a program has set by hand wins over all.
 */
export function tokenUsage(fields: SpanFields, source: UsageSource): StepUsage | null {
  const sentCost = costOf(fields)
  const byHand = ofLangfuse(fields)
  const said = byHand === null ? readings(fields, source) : [byHand]
  if (said.length === 0 && sentCost === 0) return null
  const most = (kind: Kind) => said.reduce((greatest, one) => Math.max(greatest, one[kind] ?? 0), 0)
  const more: MoreUsage = {
    cacheWriteHour: most('cacheWriteHour'),
    audioInput: most('audioInput'),
    audioOutput: most('audioOutput'),
    imageInput: most('imageInput'),
    imageOutput: most('imageOutput'),
    sentCost,
    isBatch: source.ofAnswer?.isBatch ?? false,
  }
  return {
    input: most('input'),
    output: most('output'),
    cacheRead: most('cacheRead'),
    cacheWrite: most('cacheWrite'),
    reasoning: most('reasoning'),
    more: Object.values(more).every((value) => value === 0 || value === false) ? null : more,
  }
}

function readings(fields: SpanFields, { spanName, origin, model, ofAnswer }: UsageSource): readonly Counts[] {
  const found: (Counts | null)[] = [ofAnswer]
  const providers = parsed(fields.get(table.PROVIDER_METADATA))
  const beside = isObject(providers) ? besideAnswer(providers) : {}
  for (const told of isObject(providers) ? Object.values(providers) : []) found.push(usageIn(told))
  for (const name of table.USAGE_OBJECTS) {
    const usage = parsed(fields.get(name))
    if (isObject(usage)) found.push(usageIn({ usage }))
  }
  const named = counts(NAMES, (names) => fields.useFirstCount(names))
  const leavesOut =
    table.LEAVES_CACHED_OUT.test(origin.scope.name) ||
    (table.STRANDS.scope.test(origin.scope.name) && table.STRANDS.models.test(model ?? '')) ||
    (isObject(providers) && 'anthropic' in providers && !fields.has(table.FRESH_TOKENS))
  if (named !== null) {
    const total = firstOf(table.TOTAL_TOKENS, (name) => toCount(fields.get(name)))
    const read = toReading({ ...beside, ...named }, leavesOut ? LEFT_OUT_CACHED : total)
    found.push(read)
    // It says that there is more than it names, so the answer as the provider wrote it is looked at.
    if (total !== undefined && total > (read.input ?? 0) + (read.output ?? 0)) {
      found.push(usageIn(parsed(fields.get(table.RAW_OUTPUT))))
    }
  } else if (spanName.startsWith(table.CLAUDE_CODE_SPAN)) {
    const own = counts(CLAUDE_CODE_NAMES, (names) => fields.useFirstCount(names))
    if (own !== null) found.push(toReading(own, LEFT_OUT_CACHED))
  }
  return found.filter((one) => one !== null)
}

/** What AI SDK has of a provider beside the usage. */
function besideAnswer({ openai, anthropic }: JsonObject): Counts {
  const of = (provider: unknown, name: string) =>
    isObject(provider as JsonObject) ? toCount((provider as JsonObject)[name]) : undefined
  return {
    cacheRead: of(openai, 'cachedPromptTokens') ?? of(anthropic, 'cacheReadInputTokens'),
    cacheWrite: of(anthropic, 'cacheCreationInputTokens'),
    reasoning: of(openai, 'reasoningTokens'),
  }
}

function ofLangfuse(fields: SpanFields): Counts | null {
  const details = parsed(fields.get(table.LANGFUSE_USAGE))
  if (!isObject(details)) return null
  const found = counts(LANGFUSE_NAMES, (names) => firstOf(names, (name) => toCount(details[name])))
  if (found === null) return null
  fields.use(table.LANGFUSE_USAGE)
  return toReading(found, toCount(details['total']) ?? LEFT_OUT_ALL)
}

/** Null when there is no count at all. */
function counts(names: Names, find: (names: readonly string[]) => number | undefined): Counts | null {
  const found: { [K in Kind]?: number } = {}
  let isEmpty = true
  for (const [kind, of] of names) {
    const count = find(of)
    if (count === undefined) continue
    found[kind] = count
    isEmpty = false
  }
  return isEmpty ? null : found
}

const LEFT_OUT_CACHED = 'cached tokens are left out'
const LEFT_OUT_ALL = 'cached tokens and reasoning are left out'

/**
 * `input` that includes cached tokens, and `output` that includes reasoning. Whether a sender has left them out is
 * known, or the total says so: that reading counts whose sum it is. Without either, a part that is greater than its
 * whole was left out.
 */
function toReading(found: Counts, by: number | typeof LEFT_OUT_CACHED | typeof LEFT_OUT_ALL | undefined): Counts {
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = found
  const cached = cacheRead + cacheWrite
  const fits = (read: Readonly<Record<'input' | 'output', number>>) => cached <= read.input && reasoning <= read.output
  const guess = {
    input: cached > input ? input + cached : input,
    output: reasoning > output ? output + reasoning : output,
  }
  const ways = () =>
    [0, cached, cacheWrite, cacheRead].flatMap((more) => [
      { input: input + more, output },
      { input: input + more, output: output + reasoning },
    ])
  const byTotal = typeof by === 'number' ? ways().find((way) => way.input + way.output === by && fits(way)) : undefined
  const known = typeof by === 'string' ? { ...guess, input: input + cached } : undefined
  const whole =
    by === LEFT_OUT_ALL ? { input: input + cached, output: output + reasoning } : (known ?? byTotal ?? guess)
  return { ...found, ...whole }
}

const PER_DOLLAR = 1_000_000_000

/** Billionths of a US dollar; 0 for a sender that gives no cost, or does not know it. */
function costOf(fields: SpanFields): number {
  const details = parsed(fields.get(table.LANGFUSE_COST))
  const costs = isObject(details) ? Object.values(details).map(toDollars) : []
  const total = isObject(details) ? toDollars(details['total']) || costs.reduce((sum, cost) => sum + cost, 0) : 0
  const cost = total || table.COST.map((name) => toDollars(fields.get(name))).find((dollars) => dollars > 0) || 0
  return Math.min(Math.round(cost * PER_DOLLAR), Number.MAX_SAFE_INTEGER)
}

function toDollars(value: unknown): number {
  const dollars = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof dollars === 'number' && Number.isFinite(dollars) && dollars > 0 ? dollars : 0
}
