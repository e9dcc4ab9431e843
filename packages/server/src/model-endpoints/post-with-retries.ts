import { type Backoff, backoffDelayMs } from '../lib/time/backoff.ts'
import type { Clock } from '../lib/time/clock.ts'
import { parseRetryAfter } from '../lib/time/retry-after.ts'
import type { Timers } from '../lib/time/timers.ts'
import { type EndpointPart, failedRequest } from './endpoint-failures.ts'
import { type JsonPost, postJson, type PostOutcome } from './post-json.ts'

export interface EndpointDependencies {
  readonly timers: Pick<Timers, 'after' | 'now'>
  /** For dates in `Retry-After`. */
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
}

export interface RetryLimits {
  readonly tries: number
  /** From the first request to the end of the last. */
  readonly totalMs: number
}

const BACKOFF: Backoff = { firstMs: 1000, maxMs: 20_000 }

/**
 * The body of an answer of status 2xx. Temporary failures (no answer, 408, 429, 5xx) are retried after a random wait
 * that doubles, or after the `Retry-After` time when that is longer, as long as tries and time remain. Rejects with
 * EndpointFailure.
 */
export async function postWithRetries(
  dependencies: EndpointDependencies,
  part: EndpointPart,
  post: JsonPost,
  { tries, totalMs }: RetryLimits,
): Promise<string> {
  const { timers, clock, random } = dependencies
  const endsAt = timers.now() + totalMs
  for (let attempt = 1; ; attempt++) {
    const timeoutMs = Math.min(post.timeoutMs, endsAt - timers.now())
    const outcome = await postJson({ ...post, timeoutMs }, timers)
    if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) return outcome.body
    const askedMs = outcome.kind === 'answered' ? parseRetryAfter(outcome.retryAfter ?? undefined, clock.now()) : null
    const waitMs = Math.max(backoffDelayMs(BACKOFF, attempt, random()), askedMs ?? 0)
    if (attempt >= tries || !isPassing(outcome) || timers.now() + waitMs >= endsAt) {
      throw failedRequest(part, outcome, attempt, post.apiKey)
    }
    await new Promise<void>((go) => timers.after(waitMs, go))
  }
}

function isPassing(outcome: PostOutcome): boolean {
  if (outcome.kind !== 'answered') return outcome.kind === 'unanswered'
  return outcome.status === 408 || outcome.status === 429 || outcome.status >= 500
}
