import { type Fields, firstOf, isFields } from './json.ts'

/** Tokens as Spoor counts them: cached ones are part of the input, reasoning is part of the output. */
export interface PayloadUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly reasoning: number
  /** Part of `cacheWrite`: tokens that the cache keeps for an hour. */
  readonly cacheWriteHour?: number
  /** Part of the input and the output: tokens of audio or images. */
  readonly audioInput?: number
  readonly audioOutput?: number
  readonly imageInput?: number
  readonly imageOutput?: number
  readonly isBatch?: true
}

/** Where payloads have their usage. */
const PLACES: readonly (readonly string[])[] = [
  // The provider's own, which says more than Genkit's.
  'raw.usage',
  'usage',
  'usageMetadata',
  'usage_metadata',
  'token_usage',
  'usage.tokens',
  'meta.tokens',
  'response_metadata.token_usage',
  'response_metadata.usage',
  'llm_output.token_usage',
  'llmOutput.tokenUsage',
  'metrics',
].map((path) => path.split('.'))

/** Names of counts. `beside`: the sender leaves them out of its input or output, so they are added. */
const COUNTS = {
  input: [
    'prompt_tokens',
    'input_tokens',
    'inputTokens',
    'promptTokens',
    'promptTokenCount',
    'prompt_token_count',
    'input',
  ],
  output: [
    'completion_tokens',
    'output_tokens',
    'outputTokens',
    'completionTokens',
    'candidatesTokenCount',
    'candidates_token_count',
    'output',
  ],
  cacheRead: [
    'prompt_tokens_details.cached_tokens',
    'input_tokens_details.cached_tokens',
    'input_token_details.cache_read',
    'cachedInputTokens',
    'cachedContentTokenCount',
    'cached_content_token_count',
    'cachedContentTokens',
    'prompt_cached_tokens',
  ],
  cacheReadBeside: ['cache_read_input_tokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount'],
  cacheWrite: ['input_token_details.cache_creation', 'prompt_cache_creation_tokens'],
  cacheWriteBeside: ['cache_creation_input_tokens', 'cacheWriteInputTokens', 'cacheWriteInputTokenCount'],
  reasoning: [
    'completion_tokens_details.reasoning_tokens',
    'output_tokens_details.reasoning_tokens',
    'output_token_details.reasoning',
    'reasoningTokens',
    'completion_reasoning_tokens',
  ],
  reasoningBeside: ['thoughtsTokenCount', 'thoughts_token_count', 'thoughtsTokens'],
  cacheWriteHour: ['cache_creation.ephemeral_1h_input_tokens'],
  audioInput: ['prompt_tokens_details.audio_tokens', 'input_token_details.audio'],
  audioOutput: ['completion_tokens_details.audio_tokens', 'output_token_details.audio'],
  imageInput: ['input_tokens_details.image_tokens', 'prompt_tokens_details.image_tokens'],
  imageOutput: ['output_tokens_details.image_tokens', 'completion_tokens_details.image_tokens'],
} as const

/** Kinds that most payloads do not have. */
const SPECIAL = ['cacheWriteHour', 'audioInput', 'audioOutput', 'imageInput', 'imageOutput'] as const

type Count = keyof typeof COUNTS
const PATHS = Object.entries(COUNTS).map(
  ([name, paths]) => [name as Count, paths.map((path) => path.split('.'))] as const,
)

/** The usage that a whole payload states; null without one. */
export function usageIn(payload: unknown): PayloadUsage | null {
  if (!isFields(payload)) return null
  for (const place of PLACES) {
    const found = at(payload, place)
    const usage = isFields(found) ? toUsage(found) : null
    if (usage !== null) return usage
  }
  return usageIn(payload['response'] ?? payload['message'] ?? null)
}

function toUsage(fields: Fields): PayloadUsage | null {
  const found: { [K in Count]?: number | undefined } = {}
  for (const [name, paths] of PATHS) found[name] = firstCount(fields, paths)
  if (found.input === undefined && found.output === undefined) return null
  const { input = 0, output = 0, cacheReadBeside = 0, cacheWriteBeside = 0, reasoningBeside = 0 } = found
  // LiteLLM writes the names of two providers; then its input has what was cached.
  const isWhole = found.cacheRead !== undefined || isCount(fields['prompt_tokens'])
  return {
    input: isWhole ? input : input + cacheReadBeside + cacheWriteBeside,
    output: output + reasoningBeside,
    cacheRead: found.cacheRead ?? cacheReadBeside,
    cacheWrite: found.cacheWrite ?? cacheWriteBeside,
    reasoning: (found.reasoning ?? 0) + reasoningBeside,
    ...Object.fromEntries(SPECIAL.filter((kind) => (found[kind] ?? 0) > 0).map((kind) => [kind, found[kind]])),
    ...(fields['service_tier'] === 'batch' ? { isBatch: true } : {}),
  }
}

/** Every model call is looked through for its usage, so this makes no lists. */
function firstCount(fields: Fields, paths: readonly (readonly string[])[]): number | undefined {
  return firstOf(paths, (path) => {
    const value = at(fields, path)
    return isCount(value) ? value : undefined
  })
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function at(fields: Fields, path: readonly string[]): unknown {
  let value: unknown = fields
  for (const name of path) {
    if (!isFields(value)) return undefined
    value = value[name]
  }
  return value
}
