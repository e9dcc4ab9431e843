import type { Detector } from '@spoor/contract/schemas/masking'

/** Where a text has something to mask, UTF-16 code units; the end is exclusive. */
export type Range = readonly [start: number, end: number]

/** A text with more matches is masked whole, so that it cannot grow much. */
export const MOST_MATCHES = 1000

export type Detect = (text: string) => readonly Range[]

/*
 * Each detector prefers to miss a secret over masking an id, a hash, an amount or a time. No expression can begin again
 * within what it has read in vain, so their time is linear in the text. An escaped line end or tab ends a word, as a
 * text may be a part of JSON.
 */

const API_KEYS = [
  // OpenAI, Anthropic, OpenRouter and others; Stripe; Langfuse.
  'sk-(?:ant-|proj-|svcacct-|or-v1-|lf-)?[A-Za-z0-9_-]{20,}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}',
  // AWS.
  '(?:AKIA|ASIA)[A-Z0-9]{16}',
  // GitHub, GitLab.
  'gh[pousr]_[A-Za-z0-9]{36,}',
  'github_pat_[A-Za-z0-9_]{40,}',
  'glpat-[A-Za-z0-9_-]{20,}',
  // Google, Slack, SendGrid.
  'AIza[A-Za-z0-9_-]{35}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,}',
  'SG[.][A-Za-z0-9_-]{16,}[.][A-Za-z0-9_-]{16,}',
  // Hugging Face, npm, PyPI, Groq, xAI, LangSmith, this service.
  'hf_[A-Za-z0-9]{30,}',
  'npm_[A-Za-z0-9]{36}',
  'pypi-[A-Za-z0-9_-]{50,}',
  'gsk_[A-Za-z0-9]{40,}',
  'xai-[A-Za-z0-9]{60,}',
  'lsv2_[a-z]{2}_[A-Za-z0-9_]{32,}',
  'spoor_[A-Za-z0-9]{32,}',
].join('|')
const API_KEY = new RegExp(`(?:${API_KEYS})(?![A-Za-z0-9_])`, 'g')
const IN_WORD = /(?<!\\(?=[nrt]$))[A-Za-z0-9_-]$/
const BEGIN_KEY = '-----BEGIN '
const END_KEY = /-----END [A-Z ]{0,30}PRIVATE KEY-----/g
const PRIVATE_KEY = /^-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[A-Za-z0-9+/=\s\\,:-]*$/

/** The scheme stays; a token has a digit, which words after `bearer` do not. */
const BEARER =
  /(?:(?<![A-Za-z0-9_])|(?<=\\[nrt]))bearer[ \t]{1,4}(?=[a-z._~+/-]{0,200}[0-9])(?<secret>[a-z0-9._~+/-]{16,}={0,2})/gi
const JSON_WEB_TOKEN =
  /(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{10,}[.]eyJ[A-Za-z0-9_-]{10,}[.][A-Za-z0-9_-]{10,}/g

/** Sixteen digits in fours, fifteen as 4-6-5, or digits alone. */
const CARD =
  /(?:(?<![A-Za-z0-9_.#-])|(?<=\\[nrt]))(?:\d{4}([ -])\d{4}\1\d{4}\1\d{4}|3\d{3}([ -])\d{6}\2\d{5}|\d{14,16})(?![A-Za-z0-9_-]|[.,]\d)/g
/** Visa, Mastercard, American Express, Discover, Diners Club, JCB, UnionPay, by length. */
const ISSUED =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35(?:2[89]|[3-8]\d)\d{12}|62\d{14})$/

/** International with `+` and 9 to 15 digits, or North American with separators. */
const PHONE =
  /(?<![A-Za-z0-9_+./=-])(?:\+[1-9](?:[ .-]?\(?\d\)?){8,14}|(?:\([2-9]\d{2}\) ?|[2-9]\d{2}([.-]))[2-9]\d{2}(?:(?<=[.-]\d{3})\1|-)\d{4})(?![A-Za-z0-9_]|[.,-]\d)/g

const DOMAIN = /@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?[.]){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9_@])/g
const LOCAL_CHARACTER = /[A-Za-z0-9._%+'-]/
const MOST_LOCAL = 64

/*
 * What each match contains. A text without it, which is nearly every text, costs one fast search instead of the
 * expression above.
 */
const IN_API_KEY = /[A-Za-z0-9_-]{15}/
const IN_BEARER = /bearer[ \t]/i
const IN_CARD = /\d{4}/
const IN_PHONE = /[+]|[.-]\d{4}/

export const DETECT: Readonly<Record<Detector, Detect>> = {
  api_key: (text) => [...(IN_API_KEY.test(text) ? findKeys(text) : []), ...findPrivateKeys(text)],
  bearer_token: (text) => [
    ...(IN_BEARER.test(text) ? found(BEARER, text) : []),
    ...(text.includes('eyJ') ? found(JSON_WEB_TOKEN, text) : []),
  ],
  card: (text) => (IN_CARD.test(text) ? found(CARD, text).filter((range) => isCard(text, range)) : []),
  email: findAddresses,
  phone: (text) => (IN_PHONE.test(text) ? found(PHONE, text) : []),
}

/** The character before is checked here: in the expression, it would make the search several times slower. */
function findKeys(text: string): Range[] {
  return found(API_KEY, text).filter(([start]) => !IN_WORD.test(text.slice(Math.max(0, start - 2), start)))
}

/** The matches; of an expression with the group `secret`, which ends it, those of the group. */
function found(pattern: RegExp, text: string): Range[] {
  return Array.from(text.matchAll(pattern), ({ 0: whole, groups, index }): Range => {
    const end = index + whole.length
    return [end - (groups?.['secret'] ?? whole).length, end]
  })
}

/** Each with the nearest beginning before its end. */
function findPrivateKeys(text: string): Range[] {
  if (!text.includes(BEGIN_KEY)) return []
  let from = 0
  return Array.from(text.matchAll(END_KEY)).flatMap(({ 0: last, index }): Range[] => {
    const end = index + last.length
    const before = text.slice(from, index)
    const at = before.lastIndexOf(BEGIN_KEY)
    const start = from + at
    from = end
    return at >= 0 && PRIVATE_KEY.test(before.slice(at)) ? [[start, end]] : []
  })
}

function isCard(text: string, [start, end]: Range): boolean {
  const digits = text.slice(start, end).replaceAll(/\D/g, '')
  return ISSUED.test(digits) && passesLuhn(digits)
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 0 ? digit : 2 * digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** From the `@` to both sides: a long text without one costs a single search. */
function findAddresses(text: string): readonly Range[] {
  if (!text.includes('@')) return []
  return found(DOMAIN, text).flatMap(([at, end]): Range[] => {
    let start = at
    while (start > 0 && at - start < MOST_LOCAL && LOCAL_CHARACTER.test(text[start - 1]!)) start--
    // Not the user of an address such as `postgres://user:password@host`, nor the dot or quote of a sentence.
    while (start < at && /[.'-]/.test(text[start]!)) start++
    const isUserOfUrl = /:\/\/[^\s/@]{0,64}:$/.test(text.slice(Math.max(0, start - 70), start))
    return start === at || isUserOfUrl || text[at - 1] === '.' ? [] : [[start, end]]
  })
}
