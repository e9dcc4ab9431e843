import { EndpointFailure } from '../clusters/discovery/endpoint-failure.ts'
import type { PostOutcome } from './post-json.ts'

/** What an endpoint is asked for, as messages and settings name it. */
export type EndpointPart = 'embedding' | 'naming'

const QUOTED_LENGTH = 200

const SETTINGS: Readonly<Record<EndpointPart, string>> = { embedding: 'SPOOR_EMBEDDINGS', naming: 'SPOOR_NAMING' }

/** A request that failed for good, at the last of so many tries. What the endpoint said is in quotes, short and without the key. */
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

/** An answer that is none of those that were asked for; `problem` completes the sentence "The endpoint …". */
export function invalidAnswer(part: EndpointPart, problem: string): EndpointFailure {
  const setting = SETTINGS[part]
  return new EndpointFailure(
    `The ${part} endpoint ${problem}. Check that ${setting}_URL and ${setting}_MODEL name an OpenAI-compatible service and what it has.`,
  )
}

function adviceFor(part: EndpointPart, outcome: PostOutcome): string {
  const setting = SETTINGS[part]
  const again = 'What it has answered is kept, so that another try goes on from there.'
  if (outcome.kind === 'unanswered') return `Check that it runs and that ${setting}_URL leads to it. ${again}`
  if (outcome.kind === 'too_large') return `Check that ${setting}_URL leads to it.`
  const { status } = outcome
  if (status === 401 || status === 403) return `Check ${setting}_API_KEY.`
  if (status === 429) return `Try again later, or raise its limits. ${again}`
  if (status >= 500 || status === 408) return `Check that it is well. ${again}`
  if (status >= 300 && status < 400) return `Redirects are not followed: set ${setting}_URL to where it leads.`
  return `Check ${setting}_URL and ${setting}_MODEL.`
}

/** Its beginning, on one line, without what controls a screen or is secret. */
function quote(body: string, apiKey: string | null): string {
  const open = apiKey === null ? body : body.replaceAll(apiKey, '…')
  const text = open.slice(0, 4 * QUOTED_LENGTH).replaceAll(/[\p{C}\s]+/gu, ' ').trim() // prettier-ignore
  return text === '' ? '' : JSON.stringify(text.slice(0, QUOTED_LENGTH).toWellFormed())
}
