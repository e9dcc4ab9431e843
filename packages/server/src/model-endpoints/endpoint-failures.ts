import { EndpointFailure } from '../clusters/discovery/endpoint-failure.ts'
import type { PostOutcome } from './post-json.ts'

/** The purpose of an endpoint, as in messages and settings. */
export type EndpointPart = 'embedding' | 'naming'

const QUOTED_LENGTH = 200

const SETTINGS: Readonly<Record<EndpointPart, string>> = { embedding: 'SPOOR_EMBEDDINGS', naming: 'SPOOR_NAMING' }

/**
 * A request that failed permanently, at the last of so many tries. The endpoint's own text is in quotes, short and
 * without the key.
 */
export function failedRequest(
  part: EndpointPart,
  outcome: PostOutcome,
  tries: number,
  apiKey: string | null,
): EndpointFailure {
  const after = tries === 1 ? '' : ` at the last of ${tries} tries`
  if (outcome.kind !== 'answered') {
    return new EndpointFailure(`The ${part} endpoint ${outcome.detail}${after}. ${adviceFor(part, outcome)}`)
  }
  const said = quote(outcome.body, apiKey)
  return new EndpointFailure(
    `The ${part} endpoint answered ${outcome.status}${after}${said === '' ? '' : `: ${said}`}. ${adviceFor(part, outcome)}`,
  )
}

/** An answer that does not match the request; `problem` completes the sentence "The endpoint …". */
export function invalidAnswer(part: EndpointPart, problem: string): EndpointFailure {
  const setting = SETTINGS[part]
  return new EndpointFailure(
    `The ${part} endpoint ${problem}. Check that ${setting}_URL and ${setting}_MODEL name an OpenAI-compatible service and one of its models.`,
  )
}

function adviceFor(part: EndpointPart, outcome: PostOutcome): string {
  const setting = SETTINGS[part]
  const again = 'Its earlier answers are stored, so that another try continues from there.'
  if (outcome.kind === 'unanswered') return `Check that it runs and that ${setting}_URL leads to it. ${again}`
  if (outcome.kind === 'too_large') return `Check that ${setting}_URL leads to it.`
  const { status } = outcome
  if (status === 401 || status === 403) return `Check ${setting}_API_KEY.`
  if (status === 429) return `Try again later, or raise its limits. ${again}`
  if (status >= 500 || status === 408) return `Check the state of the service. ${again}`
  if (status >= 300 && status < 400) return `Redirects are not followed: set ${setting}_URL to the final address.`
  return `Check ${setting}_URL and ${setting}_MODEL.`
}

/** The beginning of the text, on one line, without control characters and secrets. */
function quote(body: string, apiKey: string | null): string {
  const open = apiKey === null ? body : body.replaceAll(apiKey, '…')
  const text = open.slice(0, 4 * QUOTED_LENGTH).replaceAll(/[\p{C}\s]+/gu, ' ').trim() // prettier-ignore
  return text === '' ? '' : JSON.stringify(text.slice(0, QUOTED_LENGTH).toWellFormed())
}
