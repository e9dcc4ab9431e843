import assert from 'node:assert/strict'
import type { CheckedAnswer } from './contract-checker.ts'

/** The profiles differ by right: in the parts that they check, in where an upload goes, in the figures of a process. */
const OF_A_PROFILE = /^\w+ \/(readyz|metrics|v1\/media\/(direct|signed-url))/
/** Their bodies say how far a job is, what a job has deleted by then, and what a tail has sent by then. */
const OF_A_MOMENT = /^((GET|DELETE) \/v1\/jobs\/|GET \/v1\/clusters\/discover|GET \/v1\/traces(\/tail)?$)/
/** Dates that come from the clock of the service are within so many days. */
const NEAR_DAYS = 30

const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/"(\w*cursor)":"[^"]+"/g, '"$1":"<cursor>"'],
  [/cursor=[\w%-]+/g, 'cursor=<cursor>'],
  [/(?<![0-9a-z])(?:[a-z]{2,6}_)?[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])/g, '<id>'],
  [/\b(spoor|whsec)_[\w+/=]+/g, '<secret>'],
  [/sha256=[0-9a-f]{64}|\bv1,[\w+/]{43}=/g, '<signature>'],
  [/"webhook-timestamp":"\d+"/g, '"webhook-timestamp":"<time>"'],
  [/"date":"[^"]+"/g, '"date":"<time>"'],
  [/"last_four":"\w+"/g, '"last_four":"<secret>"'],
  [/"duration_ms":\d+/g, '"duration_ms":"<time>"'],
  [/127\.0\.0\.1:\d+/g, '<host>'],
  [/"media_store":"\w+"/g, '"media_store":"<store>"'],
  // The preview of a day has 24 or 25 evaluations, depending on the time of the request.
  [/(\{"at":"[^"]+","group":null,"value":null,"samples":0,"state":"normal"\},?){24,25}/g, '<evaluations of a day>'],
]

type ComparableAnswer = Pick<CheckedAnswer, 'call' | 'status' | 'text'>

/** Compares answers of two services to the same calls; ids, secrets, times and figures of the process may differ. */
export function assertSameAnswers(actual: readonly CheckedAnswer[], expected: readonly CheckedAnswer[]): void {
  const [ours, theirs] = [comparable(actual), comparable(expected)]
  for (const [index, answer] of theirs.entries()) assert.deepEqual(ours[index], answer, `answer ${index}`)
  assert.equal(ours.length, theirs.length)
}

function comparable(answers: readonly CheckedAnswer[]): readonly ComparableAnswer[] {
  const kept: ComparableAnswer[] = []
  for (const { call, status, text } of answers) {
    if (OF_A_PROFILE.test(call)) continue
    const body = OF_A_MOMENT.test(call) ? '' : plain(text)
    // The points of a map come in an order of their own each time.
    const isMap = call.startsWith('GET /v1/clusters/map')
    const one = {
      call: plain(decodeURIComponent(call)),
      status,
      text: isMap ? body.split(/[{}]/).toSorted().join() : body,
    }
    const before = kept.at(-1)
    // A test asks again until a job has ended.
    if (before?.call === one.call && before.status === status && call.startsWith('GET ')) kept.pop()
    kept.push(one)
  }
  return kept
}

function plain(text: string): string {
  // Of Parquet: its pages are compressed.
  if (text.startsWith('PAR1')) return '<rows>'
  return CHANGING.reduce((changed, [pattern, by]) => changed.replaceAll(pattern, by), text).replaceAll(
    /20\d\d-\d\d-\d\dT[\d:.]+Z/g,
    (time) => (Math.abs(Date.parse(time) - Date.now()) < NEAR_DAYS * 86_400_000 ? '<time>' : time),
  )
}
