/** Keys of metadata that say it as a duration, and milliseconds of their unit: ours, AI SDK, OpenTelemetry. */
const DURATIONS = {
  time_to_first_token_ms: 1,
  'ai.response.msToFirstChunk': 1,
  'ai.stream.msToFirstChunk': 1,
  'gen_ai.response.time_to_first_chunk': 1000,
  'gen_ai.response.time_to_first_token': 1000,
}
/** Keys that say when the token came, as a time. */
const TIMES = ['langfuse.observation.completion_start_time', 'langsmith.first_token_time']

/** Milliseconds from the begin of a step to the first token of its answer; null if its metadata does not say it. */
export function timeToFirstToken(
  metadata: Readonly<Record<string, unknown>> | undefined,
  startedAt: number | null,
): number | null {
  if (metadata === undefined) return null
  for (const [key, unit] of Object.entries(DURATIONS)) {
    const value = metadata[key]
    if (typeof value === 'number' && value >= 0) return withinColumn(value * unit)
  }
  for (const key of startedAt === null ? [] : TIMES) {
    const value = metadata[key]
    const ms = typeof value === 'string' && startedAt !== null ? toMs(value) - startedAt : Number.NaN
    if (ms >= 0) return ms
  }
  return null
}

/** Some senders print a time as JSON, or without its zone. NaN if it is none. */
function toMs(text: string): number {
  const time = text.replaceAll('"', '')
  return Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`)
}

function withinColumn(ms: number): number | null {
  const whole = Math.round(ms)
  return Number.isSafeInteger(whole) ? whole : null
}
